// Package pcb contains the tools for printed circuit boards and their circuits.
package pcb

import "slipstick/tools"

// Category lists the tools in display order.
func Category() tools.Category {
	return tools.Category{Name: "pcb", Title: "PCB and circuits", Tools: []*tools.Tool{
		PCBLayout,
		VoltageDivider,
		RCFilter,
		LCResonance,
		ImpedanceMatch,
		TraceWidth,
		OhmsLaw,
		ResistorColorCode,
		LEDResistor,
		Timer555,
		OpAmpGain,
		CapacitorCharge,
		PCBViaCurrent,
		PowerSupplyDecoupling,
	}}
}
