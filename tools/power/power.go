// Package power contains the tools for batteries, wires, solar systems and their loads.
package power

import "slipstick/tools"

// Category lists the tools in display order.
func Category() tools.Category {
	return tools.Category{Name: "power", Title: "Power", Tools: []*tools.Tool{
		BatteryLife,
		WireGauge,
		SolarSizing,
		UPSRuntime,
		MAhToWh,
		WattsToAmps,
		VoltageDrop,
		BatteryChargeTime,
		SolarLoadAudit,
		SolarROI,
		BatteryAutonomy,
		StringSizing,
		GeneratorOffset,
		WireAmpacity,
		InverterSizing,
	}}
}
