package mesh

import (
	"context"
	"math"
	"sort"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// ChannelUtilization computes the utilization of a shared channel.
var ChannelUtilization = tools.Define(tools.Spec{
	Name:    "channel_utilization",
	Title:   "Channel utilization",
	Summary: "Utilization of a LoRa channel, headroom below a limit, and collision probability",
	Method: "packets = nodes × rate × (1 + rebroadcasts); utilization = packets × airtime / 3 600 000 ms; nodes at the limit = floor(limit × 3.6e6 / (100 × airtime × rate × (1 + rebroadcasts))); " +
		"firmware_broadcasts add 2⅓ packets per hour and node, divided by 1 + (nodes - 40) T/100 ms above 40 nodes; collision probability of pure ALOHA = 1 - exp(-2 G), G = utilization",
	Sources: []string{
		"N. Abramson, The ALOHA System, AFIPS Fall Joint Computer Conference 37 (1970) 281-285",
		"LoRa Alliance RP002-1.0.4 (duty cycle limits)",
		"Meshtastic firmware 2.7, src/mesh/Default.h (intervals and their stretch)",
		"Meshtastic documentation, LoRa settings: hop limit, the number of times a message is repeated"},
	Limits: []string{"Every node is heard by every other",
		"LoRa's capture effect makes the collision figure pessimistic"},
	Aliases: []string{"duty cycle", "aloha", "channel load", "mesh capacity"},
	Examples: []tools.Example{{
		Title: "50 nodes, two messages an hour",
		In:    `{"nodes": 50, "airtime_ms": 370.688}`,
		Want:  `{"utilization_pct": 1.02969, "max_nodes_at_limit": 485, "headroom_pct": 8.97031, "packets_per_hour": 100}`,
	}, {
		Title: "100 nodes on LongFast with the broadcasts of the firmware",
		In:    `{"nodes": 100, "airtime_ms": 500, "messages_per_hour_per_node": 0, "rebroadcasts_per_message": 3, "firmware_broadcasts": true}`,
		Want:  `{"broadcasts_per_hour_per_node": 0.394464, "packets_per_hour": 157.786, "utilization_pct": 2.19147}`,
		From:  "by hand: 7/3 / (1 + 60 · 0.08192); 100 · 0.394464 · 4 · 0.5 s / 3600 s",
	}, {
		Title: "A small mesh is not stretched",
		In:    `{"nodes": 30, "airtime_ms": 500, "rebroadcasts_per_message": 3, "firmware_broadcasts": true}`,
		Want:  `{"packets_per_hour": 520.000, "utilization_pct": 7.2222}`,
		From:  "by hand: 30 · (2 + 7/3) · 4",
	}},
}, channelUtilization)

type channelUtilizationIn struct {
	Nodes           int     `json:"nodes" unit:"1" min:"0" max:"1000000000" example:"50" label:"Node count" doc:"Number of nodes that share the channel"`
	AirtimeMS       float64 `json:"airtime_ms" unit:"ms" gt:"0" max:"1e9" example:"370.688" label:"Message airtime" doc:"Time on air of one message"`
	MessagesPerHour float64 `json:"messages_per_hour_per_node" unit:"1/h" min:"0" max:"1e9" default:"2" label:"Messages per node" doc:"Messages that each node originates"`
	MaxDutyCyclePct float64 `json:"max_duty_cycle_pct" unit:"%" gt:"0" max:"100" default:"10" label:"Channel utilization limit" doc:"Highest acceptable channel utilization"`
	Rebroadcasts    float64 `json:"rebroadcasts_per_message" unit:"1" min:"0" max:"1e6" default:"0" label:"Rebroadcasts per message" doc:"Rebroadcasts of a message by other nodes; flooding dominates the load of real meshes"`
	Broadcasts      bool    `json:"firmware_broadcasts" default:"false" label:"Firmware broadcasts" doc:"Adds telemetry and position every hour and node information every 3 h; the intervals grow above 40 nodes"`
	SymbolTimeMS    float64 `json:"symbol_time_ms" unit:"ms" gt:"0" max:"1000" default:"8.192" label:"Symbol time" doc:"Symbol time of the channel, for the intervals of firmware_broadcasts; 8.192 is LongFast"`
	HopLimit        *int    `json:"hop_limit" unit:"1" min:"0" max:"7" label:"Hop limit" doc:"Maximum number of hops; 0 stops rebroadcasts, the firmware's default is 3"`
}

type channelUtilizationOut struct {
	UtilizationPct float64  `json:"utilization_pct" unit:"%" label:"Channel utilization" doc:"Share of time the channel is busy; above 100 % the channel cannot carry the traffic"`
	MaxNodes       *float64 `json:"max_nodes_at_limit" unit:"1" label:"Node count at the limit" doc:"Largest number of nodes up to which the limit is met; null when it is always met"`
	HeadroomPct    float64  `json:"headroom_pct" unit:"%" label:"Headroom" doc:"Limit minus utilization; negative above the limit"`
	PacketsPerHour float64  `json:"packets_per_hour" unit:"1/h" label:"Packets on the channel" doc:"Packets per hour on the channel, rebroadcasts included"`
	CollisionPct   float64  `json:"collision_probability_pct" unit:"%" label:"Collision probability" doc:"Probability that a packet collides with another (pure ALOHA)"`
	BroadcastRate  float64  `json:"broadcasts_per_hour_per_node" unit:"1/h" label:"Broadcasts per node" doc:"Telemetry, position and node information of each node per hour; 0 without firmware_broadcasts"`
	tools.Warnings
}

func channelUtilization(_ context.Context, in channelUtilizationIn) (channelUtilizationOut, error) {
	var out channelUtilizationOut
	if in.HopLimit != nil && *in.HopLimit == 0 && in.Rebroadcasts > 0 {
		out.Warn("rebroadcasts_per_message is counted as 0: hop_limit 0 stops rebroadcasts")
		in.Rebroadcasts = 0
	}
	if in.HopLimit != nil && *in.HopLimit > 0 && in.Rebroadcasts == 0 && in.Nodes > 1 {
		out.Warn(
			"hop_limit %d lets other nodes repeat a message, but rebroadcasts_per_message is 0: a message that uses all hops is repeated %[2]d times or more; set it to %[2]d at least",
			*in.HopLimit, min(*in.HopLimit, in.Nodes-1))
	}
	if most := float64(max(in.Nodes-1, 0)); in.Rebroadcasts > most && in.Nodes > 0 {
		out.Warn(
			"rebroadcasts_per_message of %g is more than the %g other nodes, each of which repeats a message once",
			in.Rebroadcasts, most,
		)
	}
	out.BroadcastRate = in.broadcasts(in.Nodes)
	rate := (in.MessagesPerHour + out.BroadcastRate) * (1 + in.Rebroadcasts)
	out.PacketsPerHour = float64(in.Nodes) * rate
	out.UtilizationPct = out.PacketsPerHour * in.AirtimeMS / 3.6e6 * 100
	out.HeadroomPct = in.MaxDutyCyclePct - out.UtilizationPct
	out.CollisionPct = -100 * math.Expm1(-2*out.UtilizationPct/100)
	choice.Ignored(&out.Warnings, "it needs firmware_broadcasts",
		choice.Of("symbol_time_ms", in.SymbolTimeMS != 8.192 && !in.Broadcasts))
	if in.Broadcasts {
		if out.MaxNodes = in.mostNodes(); out.MaxNodes == nil {
			out.Warn(
				"the stretched broadcasts stay below the limit with any number of nodes; max_nodes_at_limit is null",
			)
		}
	} else if n := tolerance.FloorQuotient(in.MaxDutyCyclePct * 3.6e6 /
		(100 * in.AirtimeMS * rate)); !math.IsInf(n, 0) {
		out.MaxNodes = &n
	} else {
		out.Warn("with no traffic any number of nodes fits; max_nodes_at_limit is null")
	}
	switch {
	case tolerance.Above(out.UtilizationPct, 25):
		out.Warn("utilization of %g %% is above 25 %%: messages will be lost to collisions; use a faster preset, fewer rebroadcasts or fewer messages",
			tolerance.RoundAbove(out.UtilizationPct, 25, 4))
	case tolerance.Above(out.UtilizationPct, in.MaxDutyCyclePct):
		out.Warn(
			"utilization of %g %% is above the limit max_duty_cycle_pct of %g %%: use a faster preset, fewer rebroadcasts or fewer messages",
			tolerance.RoundAbove(out.UtilizationPct, in.MaxDutyCyclePct, 4), in.MaxDutyCyclePct)
	}
	return out, nil
}

// broadcasts returns the number of telemetry, position and node information packets per hour of
// each of n nodes. Above 40 nodes, the firmware stretches the intervals by 1 + (n - 40) T/100 ms
// (version 2.7, Default.h, congestionScalingCoefficient). T is the symbol time, 2^SF/BW.
func (in *channelUtilizationIn) broadcasts(n int) float64 {
	if !in.Broadcasts {
		return 0
	}
	const perHour = 1 + 1 + 1.0/3
	return perHour / (1 + float64(max(0, n-unstretched))*in.SymbolTimeMS/100)
}

// unstretched is the maximum number of nodes for which the firmware does not stretch its intervals.
const unstretched = 40

// mostNodes returns the largest n for which all networks of 1 to n nodes are within the limit. It
// returns nil if no number of nodes exceeds the limit. The load increases up to 40 nodes. Above, it
// is convex and may first decrease. A number of nodes beyond an excess may therefore be within the
// limit, but is not counted.
func (in *channelUtilizationIn) mostNodes() *float64 {
	fits := func(n int) bool {
		packets := float64(n) * (in.MessagesPerHour + in.broadcasts(n)) * (1 + in.Rebroadcasts)
		return !tolerance.Above(packets*in.AirtimeMS/3.6e6*100, in.MaxDutyCyclePct)
	}
	const most = 1_000_000_000 // maximum of the input field nodes
	from, to := 0, unstretched
	if fits(unstretched) {
		if fits(most) {
			return nil
		}
		from, to = unstretched, most
	}
	return new(float64(from + sort.Search(to-from, func(n int) bool {
		return !fits(from + n)
	}) - 1))
}
