package homelab

import (
	"testing"

	"slipstick/tools"
)

// TestCategory verifies that the tools have the order of the specification.
func TestCategory(t *testing.T) {
	want := []string{
		"zfs_capacity", "zfs_ram", "tcp_throughput", "wireguard_mtu", "subnet_calculator",
		"raid_iops", "power_cost", "cooling_btu",
		"rack_capacity", "network_bandwidth", "thermal_enclosure", "heatsink_cfd", "pcb_thermal",
	}
	c := Category()
	if c.Name != "homelab" || c.Title != "Homelab" || len(c.Tools) != len(want) {
		t.Fatalf("%s, %s, %d tools", c.Name, c.Title, len(c.Tools))
	}
	for i, name := range want {
		if c.Tools[i].Name != name {
			t.Errorf("tool %d is %s, want %s", i, c.Tools[i].Name, name)
		}
	}
}

// TestChains verifies that the links of the homelab tools connect existing fields of equal kinds
// and units.
func TestChains(t *testing.T) {
	_, err := tools.NewCatalog([]tools.Category{Category()}, []tools.ChainLink{
		{From: "zfs_capacity", To: "zfs_ram",
			Fields: []tools.FieldLink{{Out: "usable_tib", In: "pool_tib"}}},
		{From: "rack_capacity", To: "cooling_btu",
			Fields: []tools.FieldLink{{Out: "total_watts", In: "it_load_w"}}},
		{From: "rack_capacity", To: "power_cost",
			Fields: []tools.FieldLink{{Out: "total_watts", In: "power_w"}}},
		{From: "power_cost", To: "cooling_btu",
			Fields: []tools.FieldLink{{Out: "total_watts", In: "it_load_w"}}},
		{From: "wireguard_mtu", To: "tcp_throughput",
			Fields: []tools.FieldLink{{Out: "tcp_mss_ipv4", In: "mss_bytes"}}},
		{From: "network_bandwidth", To: "tcp_throughput",
			Fields: []tools.FieldLink{{Out: "bottleneck_available_mbps", In: "bandwidth_mbps"}}},
		{From: "cooling_btu", To: "thermal_enclosure",
			Fields: []tools.FieldLink{{Out: "total_heat_w", In: "power_w"}}},
	})
	if err != nil {
		t.Error(err)
	}
}
