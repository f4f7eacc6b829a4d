package mesh

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/tolerance"
)

// ChannelUtilization is how full a shared channel is.
var ChannelUtilization = tools.Define(tools.Spec{
	Name:    "channel_utilization",
	Title:   "Channel utilization",
	Summary: "Utilization of a LoRa channel, headroom below a limit, and collision probability",
	Method: "packets = nodes × rate × (1 + rebroadcasts); utilization = packets × airtime / 3 600 000 ms; nodes at the limit = floor(limit × 3.6e6 / (100 × airtime × rate × (1 + rebroadcasts))); " +
		"collision probability of pure ALOHA = 1 - exp(-2 G), G = utilization",
	Sources: []string{"N. Abramson, The ALOHA System, AFIPS Fall Joint Computer Conference 37 (1970) 281-285", "LoRa Alliance RP002-1.0.4 (duty cycle limits)"},
	Limits:  []string{"Every node is heard by every other", "LoRa's capture effect makes the collision figure pessimistic"},
	Aliases: []string{"duty cycle", "aloha", "channel load", "mesh capacity"},
	Examples: []tools.Example{{
		Title: "50 nodes, two messages an hour",
		In:    `{"nodes": 50, "airtime_ms": 370.688}`,
		Want:  `{"utilization_pct": 1.02969, "max_nodes_at_limit": 485, "headroom_pct": 8.97031, "packets_per_hour": 100}`,
	}},
}, channelUtilization)

type channelUtilizationIn struct {
	Nodes           int     `json:"nodes" unit:"1" min:"0" max:"1000000000" example:"50" label:"Node count" doc:"Number of nodes that share the channel"`
	AirtimeMS       float64 `json:"airtime_ms" unit:"ms" gt:"0" max:"1e9" example:"370.688" label:"Message airtime" doc:"Time on air of one message"`
	MessagesPerHour float64 `json:"messages_per_hour_per_node" unit:"1/h" min:"0" max:"1e9" default:"2" label:"Messages per node" doc:"Messages that each node originates"`
	MaxDutyCyclePct float64 `json:"max_duty_cycle_pct" unit:"%" gt:"0" max:"100" default:"10" label:"Channel utilization limit" doc:"Highest acceptable channel utilization"`
	Rebroadcasts    float64 `json:"rebroadcasts_per_message" unit:"1" min:"0" max:"1e6" default:"0" label:"Rebroadcasts per message" doc:"Times that other nodes repeat a message; flooding dominates the load of real meshes"`
}

type channelUtilizationOut struct {
	UtilizationPct float64  `json:"utilization_pct" unit:"%" label:"Channel utilization" doc:"Share of time the channel is busy; above 100 % the traffic is impossible"`
	MaxNodes       *float64 `json:"max_nodes_at_limit" unit:"1" label:"Node count at the limit" doc:"Largest number of nodes within the limit; null when they send nothing"`
	HeadroomPct    float64  `json:"headroom_pct" unit:"%" label:"Headroom" doc:"Limit minus utilization; negative above the limit"`
	PacketsPerHour float64  `json:"packets_per_hour" unit:"1/h" label:"Packets on the channel" doc:"Packets on the channel, rebroadcasts included"`
	CollisionPct   float64  `json:"collision_probability_pct" unit:"%" label:"Collision probability" doc:"Probability that a packet collides with another (pure ALOHA)"`
	tools.Warnings
}

func channelUtilization(_ context.Context, in channelUtilizationIn) (channelUtilizationOut, error) {
	var out channelUtilizationOut
	rate := in.MessagesPerHour * (1 + in.Rebroadcasts)
	out.PacketsPerHour = float64(in.Nodes) * rate
	out.UtilizationPct = out.PacketsPerHour * in.AirtimeMS / 3.6e6 * 100
	out.HeadroomPct = in.MaxDutyCyclePct - out.UtilizationPct
	out.CollisionPct = -100 * math.Expm1(-2*out.UtilizationPct/100)
	if n := tolerance.FloorQuotient(in.MaxDutyCyclePct * 3.6e6 / (100 * in.AirtimeMS * rate)); !math.IsInf(n, 0) {
		out.MaxNodes = &n
	} else {
		out.Warn("with no traffic any number of nodes fits; max_nodes_at_limit is null")
	}
	if out.UtilizationPct > 25 {
		out.Warn("utilization of %.4g %% is above 25 %%: messages will be lost to collisions", out.UtilizationPct)
	}
	return out, nil
}
