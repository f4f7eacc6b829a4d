package homelab

import (
	"context"
	"fmt"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// NetworkBandwidth computes the bottleneck link of a path and its throughput.
var NetworkBandwidth = tools.Define(tools.Spec{
	Name:    "network_bandwidth",
	Title:   "Network bandwidth",
	Summary: "Bottleneck of a path of links, its goodput after protocol overhead, and its load by clients",
	Method: "Efficiency = (MTU - headers)/(MTU + 38), + 4 with a VLAN tag; headers 40 (TCP over IPv4), 60 (TCP over IPv6), 28 (UDP over IPv4), 48 (UDP over IPv6), and 12 more for TCP timestamps. " +
		"Available = capacity · count · (1 - utilization); the bottleneck is the least. Demand = Σ clients · rate · concurrency, in payload. Load of a link = utilization + demand/(efficiency · capacity · count). " +
		"One flow uses one member of a bundle; a file is one flow",
	Sources: []string{
		"IEEE 802.3-2022, clauses 3.1.1 and 4.4.2 (header 14, check sequence 4, preamble 8, gap 12 bytes); IEEE 802.1Q-2022 (tag of 4 bytes)",
		"RFC 791, RFC 8200, RFC 768, RFC 9293 (headers); RFC 7323, section 3 (timestamps, 12 bytes with padding)",
		"IEEE 802.1AX-2020, Link Aggregation: a conversation stays on one link",
	},
	Limits: []string{
		"Full-size packets; acknowledgements and small packets cost more",
		"No loss, queues or window limits: see tcp_throughput",
		"Every flow crosses every link",
	},
	Aliases: []string{"goodput", "oversubscription", "link aggregation", "LACP", "bottleneck",
		"gigabit speed"},
	Primary: []string{"end_to_end_goodput_mbps"},
	Examples: []tools.Example{{
		Title: "10 G, 1 G and 2.5 G in a row",
		In:    `{"links": [{"name": "core", "capacity_mbps": 10000}, {"name": "uplink", "capacity_mbps": 1000}, {"name": "desk", "capacity_mbps": 2500}]}`,
		Want:  `{"bottleneck": "uplink", "end_to_end_goodput_mbps": 941.482, "protocol_efficiency_pct": 94.1482, "saturated": false}`,
	}, {
		Title: "Forty cameras on a gigabit uplink",
		In:    `{"links": [{"name": "uplink", "capacity_mbps": 1000}], "flows": [{"name": "cameras", "clients": 40, "mbps_per_client": 8}], "protocol": "udp_ipv4"}`,
		Want:  `{"total_demand_mbps": 320, "end_to_end_goodput_mbps": 957.087, "headroom_mbps": 637.087, "oversubscription_ratio": 0.33435}`,
		From:  "by hand: 1472/1538 of 1000 Mbit/s, less 40 · 8",
	}, {
		Title: "A flow over 10 G, 1 G and 2.5 G",
		In:    `{"links": [{"name": "core", "capacity_mbps": 10000}, {"name": "access", "capacity_mbps": 1000}, {"name": "wifi", "capacity_mbps": 2500}]}`,
		Want:  `{"bottleneck": "access", "end_to_end_goodput_mbps": 941.482}`,
		From:  "by hand: 1448/1538 of 1000 Mbit/s",
	}},
}, networkBandwidth)

type bandwidthIn struct {
	Links      []bandwidthLink `json:"links" minItems:"1" maxItems:"1000" label:"Links" doc:"Links of the path, in order"`
	Flows      []bandwidthFlow `json:"flows" maxItems:"1000" default:"[]" label:"Flows" doc:"Traffic of the clients over the path"`
	MTU        int             `json:"mtu" unit:"B" min:"576" max:"9216" default:"1500" label:"MTU" doc:"Largest IP packet"`
	Protocol   string          `json:"protocol" enum:"tcp_ipv4,tcp_ipv6,udp_ipv4,udp_ipv6" default:"tcp_ipv4" label:"Protocol" doc:"Protocol headers inside the packet"`
	Timestamps bool            `json:"tcp_timestamps" default:"true" label:"TCP timestamps" doc:"TCP timestamp option, enabled by default in common systems"`
	VLAN       bool            `json:"vlan" default:"false" label:"VLAN tag" doc:"Frames carry an 802.1Q tag"`
	FileSize   *float64        `json:"file_size_gb" unit:"GB" gt:"0" max:"1000000000" label:"File size" doc:"Data to transfer, in 10^9 bytes"`
}

type bandwidthLink struct {
	Name        string  `json:"name" maxLength:"200" default:"" label:"Link" doc:"Name of the link; default: its position in the list"`
	Capacity    float64 `json:"capacity_mbps" unit:"Mbit/s" min:"0.000001" max:"1000000000" label:"Capacity" doc:"Line rate of one member link"`
	Count       int     `json:"count" unit:"1" min:"1" max:"1000" default:"1" label:"Members" doc:"Number of member links of an aggregated link"`
	Utilization float64 `json:"utilization_pct" unit:"%" min:"0" max:"100" default:"0" label:"Existing utilization" doc:"Share of the capacity used by other traffic"`
}

type bandwidthFlow struct {
	Name        string  `json:"name" maxLength:"200" default:"" label:"Flow" doc:"Name of the flow"`
	Clients     int     `json:"clients" unit:"1" min:"1" max:"100000000" default:"1" label:"Clients" doc:"Number of clients"`
	Rate        float64 `json:"mbps_per_client" unit:"Mbit/s" min:"0" max:"1000000000" label:"Rate per client" doc:"Payload rate of one client"`
	Concurrency float64 `json:"concurrency_pct" unit:"%" min:"0" max:"100" default:"100" label:"Concurrency" doc:"Share of the clients active at the same time"`
}

type bandwidthOut struct {
	EfficiencyPct float64         `json:"protocol_efficiency_pct" unit:"%" label:"Protocol efficiency" doc:"Payload rate divided by line rate"`
	Links         []bandwidthLoad `json:"links" label:"Links" doc:"Load of every link"`
	Bottleneck    string          `json:"bottleneck" label:"Bottleneck" doc:"Link with the least available capacity"`
	Available     float64         `json:"bottleneck_available_mbps" unit:"Mbit/s" label:"Bottleneck capacity available" doc:"Line rate of the bottleneck available to these flows"`
	Goodput       float64         `json:"end_to_end_goodput_mbps" unit:"Mbit/s" label:"End-to-end goodput" doc:"Payload rate of the bottleneck"`
	Demand        float64         `json:"total_demand_mbps" unit:"Mbit/s" label:"Total demand" doc:"Payload of all flows at their concurrency"`
	Headroom      float64         `json:"headroom_mbps" unit:"Mbit/s" label:"Headroom" doc:"Goodput minus demand; negative when saturated"`
	Saturated     bool            `json:"saturated" label:"Saturated" doc:"The demand exceeds the capacity of the path"`
	Oversubscribe *float64        `json:"oversubscription_ratio" unit:"1" label:"Oversubscription ratio" doc:"Demand of all clients at once divided by the goodput; null without available capacity"`
	SingleFlow    float64         `json:"single_flow_mbps" unit:"Mbit/s" label:"Single-flow rate" doc:"Payload rate of one flow, which uses one member link"`
	TransferTime  *float64        `json:"transfer_time_s" unit:"s" label:"Transfer time" doc:"Transfer time of file_size_gb as one flow; null without it or without available capacity"`
	tools.Warnings
}

type bandwidthLoad struct {
	Name      string  `json:"name" label:"Link" doc:"Name of the link"`
	Capacity  float64 `json:"capacity_mbps" unit:"Mbit/s" label:"Capacity" doc:"Line rate of all member links"`
	Available float64 `json:"available_mbps" unit:"Mbit/s" label:"Available" doc:"Line rate not used by other traffic"`
	Goodput   float64 `json:"goodput_mbps" unit:"Mbit/s" label:"Goodput" doc:"Payload rate of the available line rate"`
	LoadPct   float64 `json:"load_pct" unit:"%" label:"Load" doc:"Load by these flows and other traffic, relative to the capacity"`
}

const (
	vlanTag       = 4  // [B]
	tcpTimestamps = 12 // option of 10 B, padded [B]
)

func networkBandwidth(_ context.Context, in bandwidthIn) (bandwidthOut, error) {
	var out bandwidthOut
	payload := float64(in.MTU - in.headers())
	frame := float64(in.MTU + ethernetOverhead)
	if in.VLAN {
		frame += vlanTag
	}
	efficiency := payload / frame
	out.EfficiencyPct = 100 * efficiency

	var peak float64
	for _, f := range in.Flows {
		all := float64(f.Clients) * f.Rate
		peak += all
		out.Demand += all * f.Concurrency / 100
	}
	var member float64 // minimum line rate of one member
	for i, l := range in.Links {
		name := l.Name
		if name == "" {
			name = fmt.Sprintf("link %d", i+1)
		}
		free := l.Capacity * (100 - l.Utilization) / 100
		load := bandwidthLoad{
			Name: name, Capacity: l.Capacity * float64(l.Count), Available: free * float64(l.Count),
		}
		load.Goodput = load.Available * efficiency
		load.LoadPct = l.Utilization + 100*out.Demand/(efficiency*load.Capacity)
		out.Links = append(out.Links, load)
		if i == 0 || load.Available < out.Available {
			out.Bottleneck, out.Available, out.Goodput = name, load.Available, load.Goodput
		}
		if i == 0 || free < member {
			member = free
		}
	}
	out.SingleFlow = member * efficiency
	out.Headroom = out.Goodput - out.Demand
	out.Saturated = tolerance.Above(out.Demand, out.Goodput)
	if out.Goodput > 0 {
		ratio := peak / out.Goodput
		out.Oversubscribe = &ratio
	} else {
		out.Warn("%s has no free capacity: other traffic uses all of it", out.Bottleneck)
	}
	choice.Ignored(&out.Warnings, "UDP has no such option",
		choice.Of("tcp_timestamps", !in.Timestamps && in.isUDP()))
	if in.FileSize != nil && out.SingleFlow > 0 {
		s := *in.FileSize * 8e3 / out.SingleFlow
		out.TransferTime = &s
	}
	if out.Saturated && out.Goodput > 0 {
		out.Warn("the demand is %g Mbit/s of payload, %s carries %g; add links or lower the load",
			tolerance.RoundAbove(out.Demand, out.Goodput, 6), out.Bottleneck,
			tolerance.RoundDown(out.Goodput, 6))
	}
	return out, nil
}

func (in *bandwidthIn) isUDP() bool { return strings.HasPrefix(in.Protocol, "udp") }

// headers returns the size of the headers inside the IP packet [B].
func (in *bandwidthIn) headers() int {
	switch in.Protocol {
	case "udp_ipv4":
		return ipv4Header + udpHeader
	case "udp_ipv6":
		return ipv6Header + udpHeader
	}
	h := ipv4Header + tcpHeader
	if in.Protocol == "tcp_ipv6" {
		h = ipv6Header + tcpHeader
	}
	if in.Timestamps {
		h += tcpTimestamps
	}
	return h
}
