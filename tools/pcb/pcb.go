// Package pcb holds the tools for printed circuit boards and the circuits on them.
package pcb

import "slipstick/tools"

// Category lists the tools in the order people see.
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
