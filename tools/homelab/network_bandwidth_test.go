package homelab

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestNetworkBandwidth(t *testing.T) {
	const gigabit = `"links":[{"name":"a","capacity_mbps":1000}]`
	tooltest.Examples(t, NetworkBandwidth)
	tooltest.Cases(t, NetworkBandwidth, []tooltest.Case{
		{"UDP has no timestamps: 1472/1538",
			`{"links":[{"capacity_mbps":1000}],"protocol":"udp_ipv4","tcp_timestamps":false}`,
			`{"protocol_efficiency_pct":95.70871261,"warnings":["~tcp_timestamps was ignored"]}`},
		{"contract: 10 G, 1 G, 2.5 G; 1448/1538", `{"links":[{"name":"core","capacity_mbps":10000},{"name":"uplink","capacity_mbps":1000},{"name":"desk","capacity_mbps":2500}],"file_size_gb":1}`,
			`{"bottleneck":"uplink","end_to_end_goodput_mbps":941.48244473,"bottleneck_available_mbps":1000,"protocol_efficiency_pct":94.14824447,"single_flow_mbps":941.48244473,"transfer_time_s":8.49723757,
			"total_demand_mbps":0,"headroom_mbps":941.48244473,"saturated":false,"oversubscription_ratio":0,"links":[{"goodput_mbps":9414.82444733,"load_pct":0},{},{"available_mbps":2500}],"warnings":[]}`},
		{"by hand: without timestamps 1460/1538, the 949 of the textbook",
			`{` + gigabit + `,"tcp_timestamps":false}`,
			`{"end_to_end_goodput_mbps":949.28478544,"transfer_time_s":null}`},
		{"by hand: IPv6 and VLAN, 1428/1542", `{` + gigabit + `,"protocol":"tcp_ipv6","vlan":true}`,
			`{"protocol_efficiency_pct":92.60700389}`},
		{"by hand: UDP over IPv6, 1452/1538; timestamps are TCP's",
			`{` + gigabit + `,"protocol":"udp_ipv6"}`, `{"protocol_efficiency_pct":94.40832250}`},
		{"by hand: jumbo frames, 8948/9038", `{` + gigabit + `,"mtu":9000}`,
			`{"protocol_efficiency_pct":99.00420447}`},
		{"by hand: a bundle of 2 x 10 G, a quarter used; one flow stays on one member", `{"links":[{"name":"lag","capacity_mbps":10000,"count":2,"utilization_pct":25}],"mtu":9000,"vlan":true,"protocol":"tcp_ipv6"}`,
			`{"links":[{"capacity_mbps":20000,"available_mbps":15000,"goodput_mbps":14810.88254811,"load_pct":25}],"single_flow_mbps":7405.44127405}`},
		{"by hand: 100 clients of 20 Mbit/s, half at once: 1000 of 941 Mbit/s",
			`{` + gigabit + `,"flows":[{"name":"video","clients":100,"mbps_per_client":20,"concurrency_pct":50}]}`,
			`{"total_demand_mbps":1000,"headroom_mbps":-58.51755527,"saturated":true,"oversubscription_ratio":2.12430939,"links":[{"load_pct":106.21546961}],"warnings":["~1000 Mbit/s"]}`},
		{"by hand: others use all of it",
			`{"links":[{"capacity_mbps":100,"utilization_pct":100}],"file_size_gb":1}`,
			`{"bottleneck":"link 1","end_to_end_goodput_mbps":0,"oversubscription_ratio":null,"transfer_time_s":null,"warnings":["~no free capacity"]}`},
		{"the narrowest member need not be in the bottleneck", `{"links":[{"name":"one","capacity_mbps":1000},{"name":"bundle","capacity_mbps":400,"count":4}]}`,
			`{"bottleneck":"one","single_flow_mbps":376.59297789}`},
	})
	tooltest.InvalidCases(t, NetworkBandwidth, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"links"}, "is required"},
		{"no link", `{"links":[]}`, []string{"links"}, "at least 1"},
		{"a link without capacity, one overused",
			`{"links":[{"name":"a"},{"capacity_mbps":1,"utilization_pct":101}]}`,
			[]string{"links[0].capacity_mbps", "links[1].utilization_pct"}, "is required"},
		{"a small MTU, IPX", `{` + gigabit + `,"mtu":575,"protocol":"ipx"}`,
			[]string{"mtu", "protocol"}, "576 to 9216"},
		{"a flow without rate, of half a client", `{` + gigabit + `,"flows":[{"clients":0.5}]}`,
			[]string{"flows[0].clients", "flows[0].mbps_per_client"}, "whole"},
	})
}
