// Package power has the tools for batteries, wires, solar systems and their loads.
package power

import "slipstick/tools"

// Category lists the tools in the order people see.
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
