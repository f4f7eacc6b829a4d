// Package mesh contains the tools for LoRa links and mesh networks.
package mesh

import "slipstick/tools"

// Category lists the tools in display order.
func Category() tools.Category {
	return tools.Category{Name: "mesh", Title: "LoRa mesh", Tools: []*tools.Tool{
		LoraAirtime,
		SNRMargin,
		ChannelUtilization,
		LoraRangeEstimate,
		LoraSensitivity,
		DutyCycleBudget,
		MeshnetRange,
		EIRPCompliance,
		MeshnetPower,
		LoraParamOptimizer,
	}}
}
