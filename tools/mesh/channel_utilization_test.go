package mesh

import (
	"fmt"
	"testing"

	"slipstick/tools/tooltest"
)

func TestChannelUtilization(t *testing.T) {
	tooltest.Examples(t, ChannelUtilization)
	tooltest.Cases(t, ChannelUtilization, []tooltest.Case{
		{
			"by hand: 100 · 0.370688 s of 3600; floor(10 · 3.6e6 / (100 · 370.688 · 2)) of 485.58; 1 - exp(-0.02059378)",
			`{"nodes":50,"airtime_ms":370.688}`,
			`{"utilization_pct":1.0296889,"headroom_pct":8.9703111,"packets_per_hour":100,"max_nodes_at_limit":485,"collision_probability_pct":2.0383174,"warnings":[]}`,
		},
		{
			"by hand, over a 1 % limit: 400 · 1.482752 / 3600; 6.07 nodes; 1 - exp(-0.32950044)",
			`{"nodes":100,"airtime_ms":1482.752,"messages_per_hour_per_node":4,"max_duty_cycle_pct":1}`,
			`{"utilization_pct":16.4750222,"headroom_pct":-15.4750222,"max_nodes_at_limit":6,"collision_probability_pct":28.0717035,"warnings":["~above the limit max_duty_cycle_pct of 1 %"]}`,
		},
		{
			"a limit met exactly: 10 · 3.6e6 / (100 · 100 · 3.6) is 1000, in binary a hair off",
			`{"nodes":200,"airtime_ms":100,"messages_per_hour_per_node":3.6}`, `{"utilization_pct":2.0000000,"packets_per_hour":720.0000,"max_nodes_at_limit":1000}`,
		},
		{
			"three rebroadcasts quadruple the traffic: 40 · 10 · 4 packets of 0.6825 s; 32.97 nodes",
			`{"nodes":40,"airtime_ms":682.5,"messages_per_hour_per_node":10,"max_duty_cycle_pct":25,"rebroadcasts_per_message":3}`,
			`{"packets_per_hour":1600,"utilization_pct":30.3333333,"headroom_pct":-5.3333333,"max_nodes_at_limit":32,"collision_probability_pct":45.4834939,"warnings":["~above 25 %"]}`,
		},
		{"pure ALOHA at G = 0.5, its best load: 1 - 1/e lost (Abramson 1970)",
			`{"nodes":18,"airtime_ms":100,"messages_per_hour_per_node":1000}`, `{"utilization_pct":50,"collision_probability_pct":63.2120559,"max_nodes_at_limit":3}`},
		{"by hand: 7/3 per hour up to 40 nodes", `{"nodes":40,"airtime_ms":100,"messages_per_hour_per_node":0,"firmware_broadcasts":true}`, `{"broadcasts_per_hour_per_node":2.333333,"packets_per_hour":93.3333}`},
		{"firmware 2.7: 140 nodes, 1 + 100 · 0.08192 = 9.192", `{"nodes":140,"airtime_ms":100,"messages_per_hour_per_node":0,"firmware_broadcasts":true}`, `{"broadcasts_per_hour_per_node":0.253844}`},
		{"short_fast: 128/250 ms, 1 + 100 · 0.00512", `{"nodes":140,"airtime_ms":100,"messages_per_hour_per_node":0,"firmware_broadcasts":true,"symbol_time_ms":0.512}`, `{"broadcasts_per_hour_per_node":1.54321}`},
		{"by hand: n (2 + 7/3 / (1 + (n - 40) 0.08192)) is 358.4 of 360 for 162, 360.3 for 163",
			`{"nodes":10,"airtime_ms":1000,"firmware_broadcasts":true}`,
			`{"max_nodes_at_limit":162}`},
		{"the broadcasts alone never fill the limit", `{"nodes":10,"airtime_ms":100,"messages_per_hour_per_node":0,"firmware_broadcasts":true}`, `{"max_nodes_at_limit":null,"warnings":["~any number of nodes"]}`},
		{
			"by hand: 30 nodes fill 3.889 %, 31 nodes 4.019 %; 40 nodes 5.185 %, 1000 nodes only 1.63 %",
			`{"nodes":1000,"airtime_ms":500,"messages_per_hour_per_node":0,"rebroadcasts_per_message":3,"firmware_broadcasts":true,"max_duty_cycle_pct":4}`,
			`{"utilization_pct":1.62763,"max_nodes_at_limit":30}`,
		},
		{"symbol time without broadcasts", `{"nodes":1,"airtime_ms":50,"symbol_time_ms":1}`,
			`{"warnings":["~symbol_time_ms was ignored"]}`},
		{"hop limit 0", `{"nodes":40,"airtime_ms":682.5,"messages_per_hour_per_node":10,"rebroadcasts_per_message":3,"hop_limit":0}`, `{"packets_per_hour":400,"warnings":["~hop_limit 0"]}`},
		{"more rebroadcasts than nodes",
			`{"nodes":3,"airtime_ms":100,"rebroadcasts_per_message":5}`,
			`{"packets_per_hour":36,"warnings":["~the 2 other nodes"]}`},
		{"hop limit 3 without rebroadcasts", `{"nodes":40,"airtime_ms":682.5,"hop_limit":3}`,
			`{"packets_per_hour":80,"warnings":["~set it to 3 at least"]}`},
		{"hop limit 7 without rebroadcasts: the one other node repeats once", `{"nodes":2,"airtime_ms":682.5,"hop_limit":7}`,
			`{"packets_per_hour":4,"warnings":["~set it to 1 at least"]}`},
		{"one node has no other to repeat", `{"nodes":1,"airtime_ms":682.5,"hop_limit":3}`,
			`{"packets_per_hour":2,"warnings":[]}`},
		{"hop limit 3", `{"nodes":40,"airtime_ms":682.5,"messages_per_hour_per_node":10,"rebroadcasts_per_message":3,"hop_limit":3}`, `{"packets_per_hour":1600,"warnings":["~above 25 %"]}`},
		{"nobody there", `{"nodes":0,"airtime_ms":50}`, `{"utilization_pct":0,"headroom_pct":10,"packets_per_hour":0,"collision_probability_pct":0,"max_nodes_at_limit":3600,"warnings":[]}`},
		{"nobody speaks", `{"nodes":10,"airtime_ms":50,"messages_per_hour_per_node":0}`,
			`{"utilization_pct":0,"max_nodes_at_limit":null,"warnings":["~no traffic"]}`},
		{"more than the hour", `{"nodes":36000,"airtime_ms":200}`, `{"utilization_pct":400,"headroom_pct":-390,"max_nodes_at_limit":900,"warnings":["~above 25 %"]}`},
		{"firmware, by hand: long_slow of 32.768 ms, 7/3 / (1 + 100 · 0.32768)",
			`{"nodes":140,"airtime_ms":100,"messages_per_hour_per_node":0,"firmware_broadcasts":true,"symbol_time_ms":32.768}`,
			`{"broadcasts_per_hour_per_node":0.069099}`},
		{"firmware, by hand: SF11 at 125 kHz of 16.384 ms, 7/3 / (1 + 60 · 0.16384)",
			`{"nodes":100,"airtime_ms":100,"messages_per_hour_per_node":0,"firmware_broadcasts":true,"symbol_time_ms":16.384}`,
			`{"broadcasts_per_hour_per_node":0.215443}`},
	})
	tooltest.InvalidCases(t, ChannelUtilization, []tooltest.InvalidCase{
		{"both required fields", `{}`, []string{"nodes", "airtime_ms"}, "is required"},
		{"half a node", `{"nodes":0.5,"airtime_ms":50}`, []string{"nodes"}, "whole number"},
		{"fewer than none", `{"nodes":-1,"airtime_ms":50}`, []string{"nodes"}, "got -1"},
		{"no airtime", `{"nodes":1,"airtime_ms":0}`, []string{"airtime_ms"}, "greater than 0"},
		{"limit 0", `{"nodes":1,"airtime_ms":50,"max_duty_cycle_pct":0}`,
			[]string{"max_duty_cycle_pct"}, "greater than 0 and at most 100"},
		{"limit above 100", `{"nodes":1,"airtime_ms":50,"max_duty_cycle_pct":101}`,
			[]string{"max_duty_cycle_pct"}, "at most 100"},
		{"negative rate", `{"nodes":1,"airtime_ms":50,"messages_per_hour_per_node":-2}`,
			[]string{"messages_per_hour_per_node"}, "got -2"},
		{"negative rebroadcasts", `{"nodes":1,"airtime_ms":50,"rebroadcasts_per_message":-1}`,
			[]string{"rebroadcasts_per_message"}, "got -1"},
	})
}

// TestMaxNodesAtLimit verifies that the maximum number of nodes is within the limit, and one more
// is not.
func TestMaxNodesAtLimit(t *testing.T) {
	for _, airtime := range []float64{28.288, 61.696, 100, 370.688, 1482.752} {
		for _, rate := range []float64{0.5, 1, 2, 3.6, 7} {
			for _, limit := range []float64{1, 10, 33.3, 100} {
				in := func(nodes float64) channelUtilizationOut {
					return result[channelUtilizationOut](t, ChannelUtilization, fmt.Sprintf(`{"nodes":%.0f,"airtime_ms":%v,"messages_per_hour_per_node":%v,"max_duty_cycle_pct":%v}`, nodes, airtime, rate, limit))
				}
				n := *in(1).MaxNodes
				full, over := in(n), in(n+1)
				if full.HeadroomPct < -1e-12*limit || over.HeadroomPct >= 0 {
					t.Errorf("%v ms, %v/h, %v %%: headroom %g with %g nodes, %g with one more",
						airtime, rate, limit, full.HeadroomPct, n, over.HeadroomPct)
				}
				near(t, "headroom and utilization", full.UtilizationPct+full.HeadroomPct, limit)
			}
		}
	}
}
