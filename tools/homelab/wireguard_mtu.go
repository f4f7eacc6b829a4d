package homelab

import (
	"context"

	"slipstick/tools"
)

// WireGuardMTU computes the largest packet that fits a WireGuard tunnel.
var WireGuardMTU = tools.Define(tools.Spec{
	Name:    "wireguard_mtu",
	Title:   "WireGuard MTU",
	Summary: "MTU of a WireGuard tunnel and the TCP segment size inside it, with every header of the overhead",
	Method: "Overhead = 20 (IPv4) or 40 (IPv6) + 8 (UDP) + 4 (type and reserved) + 4 (receiver index) + 8 (counter) + 16 (Poly1305 tag) = 60 or 80 bytes. " +
		"mtu = link MTU - PPPoE (8) - other encapsulation - overhead; MSS = mtu - 40 (IPv4 inside) or - 60 (IPv6 inside). Padding to 16 bytes is cut off at the MTU and costs nothing here",
	Sources: []string{
		"J. A. Donenfeld, WireGuard: Next Generation Kernel Network Tunnel, NDSS 2017, section 5.4.6 (transport data messages)",
		"RFC 2516 (1999), A Method for Transmitting PPP Over Ethernet, section 7",
		"RFC 8200 (2017), Internet Protocol, Version 6, section 5 (1280 bytes)",
	},
	Limits: []string{
		"No IP options or extension headers outside the tunnel",
		"The narrowest link of the path counts, which may be beyond the own line",
	},
	Aliases: []string{"tunnel MTU", "vpn mtu", "mss clamping", "pppoe mtu"},
	Examples: []tools.Example{{
		Title: "Ethernet, IPv4 outside",
		In:    `{}`,
		Want:  `{"mtu": 1440, "mtu_ipv6_outer": 1420, "overhead_bytes": 60, "tcp_mss_ipv4": 1400, "warnings": []}`,
	}, {
		Title: "PPPoE, IPv6 outside",
		In:    `{"outer_ip": "ipv6", "pppoe": true}`,
		Want:  `{"mtu": 1412, "total_overhead_bytes": 88, "warnings": ["the default MTU of 1420 does not fit this link: full packets would be fragmented or lost; set MTU = 1412 at both ends"]}`,
	}, {
		Title: "Jumbo frames",
		In:    `{"link_mtu": 9000}`,
		Want:  `{"mtu": 8940, "tcp_mss_ipv6": 8880}`,
		From:  "by hand: 9000 - 60; 60 more for IPv6 and TCP",
	}},
}, wireGuardMTU)

type wireguardIn struct {
	LinkMTU int    `json:"link_mtu" unit:"B" min:"576" max:"65535" default:"1500" label:"Link MTU" doc:"MTU of the underlying link, before PPPoE is subtracted"`
	OuterIP string `json:"outer_ip" enum:"ipv4,ipv6" default:"ipv4" label:"Outer IP version" doc:"IP version between the tunnel endpoints"`
	PPPoE   bool   `json:"pppoe" default:"false" label:"PPPoE" doc:"The link uses PPPoE inside link_mtu: 8 bytes"`
	Extra   int    `json:"extra_overhead_bytes" unit:"B" min:"0" max:"500" default:"0" label:"Additional overhead" doc:"Overhead of other encapsulation below the tunnel, such as VXLAN, GRE or another VPN"`
}

type wireguardOut struct {
	MTU           int        `json:"mtu" unit:"B" label:"Tunnel MTU" doc:"MTU of the tunnel with the given outer IP version"`
	MTUIPv4       int        `json:"mtu_ipv4_outer" unit:"B" label:"MTU over IPv4" doc:"MTU with outer IPv4"`
	MTUIPv6       *int       `json:"mtu_ipv6_outer" unit:"B" label:"MTU over IPv6" doc:"MTU with outer IPv6: safe when the outer version is unknown; null when the link is too small for IPv6"`
	Overhead      int        `json:"overhead_bytes" unit:"B" label:"WireGuard overhead" doc:"Headers of WireGuard, UDP and outer IP"`
	TotalOverhead int        `json:"total_overhead_bytes" unit:"B" label:"Total overhead" doc:"Overhead with PPPoE and other encapsulation"`
	MSSIPv4       int        `json:"tcp_mss_ipv4" unit:"B" label:"TCP MSS, inner IPv4" doc:"TCP segment size in the tunnel with inner IPv4"`
	MSSIPv6       int        `json:"tcp_mss_ipv6" unit:"B" label:"TCP MSS, inner IPv6" doc:"TCP segment size in the tunnel with inner IPv6"`
	EfficiencyPct float64    `json:"efficiency_pct" unit:"%" label:"Efficiency" doc:"Tunnel MTU divided by link MTU"`
	Breakdown     []mtuLayer `json:"breakdown" label:"Breakdown" doc:"Every header, from the link up; the sum is total_overhead_bytes"`
	tools.Warnings
}

type mtuLayer struct {
	Layer string `json:"layer" label:"Layer" doc:"Header or trailer"`
	Bytes int    `json:"bytes" unit:"B" label:"Size" doc:"Size"`
}

const (
	ipv4Header       = 20 // without options [B]
	ipv6Header       = 40 // without extensions [B]
	udpHeader        = 8
	tcpHeader        = 20   // without options [B]
	pppoeHeader      = 8    // 6 B of PPPoE, 2 B of PPP
	wireguardMessage = 32   // type and reserved 4, receiver 4, counter 8, tag 16 [B]
	leastIPv4MTU     = 68   // RFC 791
	leastIPv6MTU     = 1280 // RFC 8200
	wireguardDefault = 1420 // default of the Linux driver and wg-quick: 1500 - 80
)

func wireGuardMTU(_ context.Context, in wireguardIn) (wireguardOut, error) {
	var out wireguardOut
	outer, name := ipv4Header, "IPv4"
	if in.OuterIP == "ipv6" {
		outer, name = ipv6Header, "IPv6"
	}
	if in.PPPoE {
		out.Breakdown = append(out.Breakdown, mtuLayer{"PPPoE", pppoeHeader})
	}
	if in.Extra > 0 {
		out.Breakdown = append(out.Breakdown, mtuLayer{"other encapsulation", in.Extra})
	}
	line := in.LinkMTU
	for _, l := range out.Breakdown {
		line -= l.Bytes
	}
	out.Breakdown = append(
		out.Breakdown, mtuLayer{name, outer}, mtuLayer{"UDP", udpHeader},
		mtuLayer{"WireGuard type and reserved", 4},
		mtuLayer{
			"WireGuard receiver index", 4,
		},
		mtuLayer{"WireGuard counter", 8}, mtuLayer{"Poly1305 tag", 16},
	)
	out.Overhead = outer + udpHeader + wireguardMessage
	out.TotalOverhead = in.LinkMTU - line + out.Overhead
	out.MTU = line - out.Overhead
	out.MTUIPv4 = line - ipv4Header - udpHeader - wireguardMessage
	if line >= leastIPv6MTU {
		mtu := line - ipv6Header - udpHeader - wireguardMessage
		out.MTUIPv6 = &mtu
	}
	if err := in.check(line, out.MTU); err != nil {
		return out, err
	}
	out.MSSIPv4, out.MSSIPv6 = out.MTU-ipv4Header-tcpHeader, out.MTU-ipv6Header-tcpHeader
	out.EfficiencyPct = 100 * float64(out.MTU) / float64(in.LinkMTU)
	if out.MTU < leastIPv6MTU {
		out.Warn("a tunnel MTU of %d is below 1280: IPv6 does not work inside the tunnel; use IPv4 inside, or a link with a larger MTU", out.MTU)
	}
	if out.MTU < wireguardDefault {
		out.Warn(
			"the default MTU of 1420 does not fit this link: full packets would be fragmented or lost; set MTU = %d at both ends",
			out.MTU,
		)
	}
	return out, nil
}

// check rejects a link MTU that is too small for the outer IP packet or for any inner IP packet.
// line and mtu are the MTUs of the outer and the inner packet.
func (in *wireguardIn) check(line, mtu int) error {
	var f tools.FieldErrors
	if in.OuterIP == "ipv6" && line < leastIPv6MTU {
		f.AddValue("link_mtu", in.LinkMTU,
			"must be at least %d: it leaves %d bytes for outer_ip ipv6, which needs 1280",
			in.LinkMTU-line+leastIPv6MTU, line)
	} else if mtu < leastIPv4MTU {
		f.AddValue(
			"link_mtu", in.LinkMTU,
			"must be at least %d: it leaves %d bytes inside the tunnel with %d bytes of encapsulation below (pppoe, extra_overhead_bytes), and IPv4 needs 68",
			in.LinkMTU-mtu+leastIPv4MTU, mtu, in.LinkMTU-line,
		)
	}
	return f.Err()
}
