// Package homelab contains tools for small server rooms: storage, networks, power, cooling, racks,
// and equipment temperature.
package homelab

import "slipstick/tools"

// Category lists the tools in display order.
func Category() tools.Category {
	return tools.Category{Name: "homelab", Title: "Homelab", Tools: []*tools.Tool{
		ZFSCapacity, ZFSRAM, TCPThroughput, WireGuardMTU, SubnetCalculator, RAIDIOPS, PowerCost,
		CoolingBTU, RackCapacity, NetworkBandwidth, ThermalEnclosure, HeatsinkCFD, PCBThermal,
	}}
}
