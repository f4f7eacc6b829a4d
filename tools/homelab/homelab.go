// Package homelab holds the tools of the server cupboard: storage, networks, power, cooling,
// racks, and the temperature of what stands in them.
package homelab

import "slipstick/tools"

// Category lists the tools in the order people see.
func Category() tools.Category {
	return tools.Category{Name: "homelab", Title: "Homelab", Tools: []*tools.Tool{
		ZFSCapacity, ZFSRAM, TCPThroughput, WireGuardMTU, SubnetCalculator, RAIDIOPS, PowerCost, CoolingBTU,
		RackCapacity, NetworkBandwidth, ThermalEnclosure, HeatsinkCFD, PCBThermal,
	}}
}
