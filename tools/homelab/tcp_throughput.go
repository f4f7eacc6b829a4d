package homelab

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/phys"
	"slipstick/tools/tolerance"
)

// TCPThroughput computes the throughput of a TCP connection.
var TCPThroughput = tools.Define(tools.Spec{
	Name:    "tcp_throughput",
	Title:   "TCP throughput",
	Summary: "Throughput of TCP from bandwidth, round-trip time, window and loss, and which of them limits it",
	Method: "bandwidth-delay product = bw · rtt/8; window limit = window · 8/rtt; window under " +
		"loss p in segments: Reno √(1.5/p), CUBIC max(Reno, (0.4 · 3.7/1.2)^¼ · rtt^¾/p^¾), loss " +
		"limit = segments · mss · 8/rtt. BBR: the link limit less the share lost. The limits of " +
		"window and loss are multiplied by the streams. Link limit = bw · (mss - options)/(mss + " +
		"78), for 20 B of IP, 20 B of TCP and 38 B of Ethernet with preamble and gap. The least " +
		"of them is the throughput. Autotuned: the same with the largest window that a system " +
		"opens by itself: Linux half of tcp_rmem, 3 MiB; Windows 16 MiB; FreeBSD 2 MiB",
	Sources: []string{
		"M. Mathis, J. Semke, J. Mahdavi and T. Ott, The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, ACM Computer Communication Review 27(3), 1997, section 2",
		"RFC 9438 (2023), CUBIC for Fast and Long-Distance Networks, section 5.1 (mean window of CUBIC and of Reno)",
		"N. Cardwell et al., BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016; draft-ietf-ccwg-bbr (loss threshold of 2 %)",
		"RFC 7323 (2014), TCP Extensions for High Performance, section 2 and appendix A (timestamps of 12 bytes); RFC 6691 (the MSS includes options)",
		"RFC 6928 (2013), initial window of 10 segments; RFC 5681, section 3.1 (slow start)",
		"Linux kernel documentation, ip-sysctl: tcp_rmem (6 MiB at most by default) and tcp_adv_win_scale (1: half of it for the window)",
		"Microsoft, netsh interface tcp, autotuninglevel normal (16 MiB); FreeBSD tcp(4), net.inet.tcp.recvbuf_max (2 MiB)",
	},
	Limits: []string{
		"Steady state: slow start, handshakes and delayed acknowledgements are left out; a warning gives the time of short transfers with slow start",
		"Reno and CUBIC: no retransmission timeouts, which prevail above 2 % loss (J. Padhye et al., Modeling TCP Throughput, ACM SIGCOMM 1998)",
		"Loss is random and the same at any load; congestion that the streams make themselves is not modelled",
		"BBR: a filled line and no queue limit; its probing for the round-trip time costs about 2 %",
	},
	Aliases: []string{"bandwidth delay product", "BDP", "window scaling", "mathis",
		"long fat network"},
	Primary: []string{"throughput_mbps"},
	Examples: []tools.Example{{
		Title: "1 Gbit/s over 100 ms with a 64 KiB window",
		In:    `{"bandwidth_mbps": 1000, "rtt_ms": 100}`,
		Want:  `{"throughput_mbps": 5.24288, "bdp_bytes": 12500000, "window_scale": 8, "limiting_factor": "window", "loss_limit_mbps": null}`,
	}, {
		Title: "10 Gbit/s, 100 ms, one packet in 10 000 lost, Reno",
		In:    `{"bandwidth_mbps": 10000, "rtt_ms": 100, "loss_pct": 0.01, "congestion_control": "reno", "window_kib": 262144}`,
		Want:  `{"throughput_mbps": 14.3050, "limiting_factor": "loss"}`,
	}, {
		Title: "The same path with BBR",
		In:    `{"bandwidth_mbps": 10000, "rtt_ms": 100, "loss_pct": 0.01, "congestion_control": "bbr", "window_kib": 262144}`,
		Want:  `{"throughput_mbps": 9491.90, "cubic_limit_mbps": 21.9, "mathis_limit_mbps": 14.3050, "limiting_factor": "bandwidth"}`,
		From:  "by hand: 10000 · 1460/1538 · 0.9999",
	}},
}, tcpThroughput)

type tcpIn struct {
	Bandwidth float64  `json:"bandwidth_mbps" unit:"Mbit/s" min:"0.000001" max:"1000000000" example:"1000" label:"Bandwidth" doc:"Line rate of the slowest link"`
	RTT       float64  `json:"rtt_ms" unit:"ms" min:"0.000001" max:"10000000" example:"100" label:"Round-trip time" doc:"Round-trip time"`
	Window    float64  `json:"window_kib" unit:"KiB" min:"0.001" max:"1048560" default:"64" label:"TCP window" doc:"Window of each stream: the smaller of the buffers at both ends; at most 1048560 by RFC 7323"`
	Loss      float64  `json:"loss_pct" unit:"%" min:"0" lt:"100" default:"0" label:"Packet loss" doc:"Packet loss; 0, or at least 1e-12"`
	MSS       int      `json:"mss_bytes" unit:"B" min:"88" max:"65495" default:"1460" label:"MSS" doc:"Maximum segment size as announced: payload of a full segment without options"`
	Streams   int      `json:"parallel_streams" unit:"1" min:"1" max:"10000" default:"1" label:"Parallel streams" doc:"Number of simultaneous connections"`
	Options   int      `json:"tcp_options_bytes" unit:"B" min:"0" max:"40" default:"0" label:"TCP options" doc:"Options in every segment, which the MSS includes; 12 with timestamps"`
	Control   string   `json:"congestion_control" enum:"cubic,reno,bbr" default:"cubic" label:"Congestion control" doc:"Congestion control algorithm; CUBIC is the default of Linux, Windows and macOS"`
	FileSize  *float64 `json:"file_size_mb" unit:"MB" gt:"0" max:"1000000000000" label:"File size" doc:"Data to transfer, in 10^6 bytes"`
}

type tcpOut struct {
	BDP           float64    `json:"bdp_bytes" unit:"B" label:"Bandwidth-delay product" doc:"Bytes in flight that fill the line"`
	NeededWindow  float64    `json:"required_window_kib" unit:"KiB" label:"Required window" doc:"Window per stream that fills the line"`
	WindowLimit   float64    `json:"window_limit_mbps" unit:"Mbit/s" label:"Window limit" doc:"Throughput limit by the windows"`
	LossLimit     *float64   `json:"loss_limit_mbps" unit:"Mbit/s" label:"Loss limit" doc:"Throughput limit by packet loss with this congestion control; null without loss"`
	MathisLimit   *float64   `json:"mathis_limit_mbps" unit:"Mbit/s" label:"Mathis limit" doc:"Throughput limit by packet loss with Reno; null without loss"`
	LinkLimit     float64    `json:"link_limit_mbps" unit:"Mbit/s" label:"Link limit" doc:"Payload rate at full line rate"`
	Throughput    float64    `json:"throughput_mbps" unit:"Mbit/s" label:"Throughput" doc:"Payload rate of all streams"`
	LimitedBy     string     `json:"limiting_factor" enum:"window,loss,bandwidth" label:"Limiting factor" doc:"Lowest of the limits"`
	EfficiencyPct float64    `json:"efficiency_pct" unit:"%" label:"Efficiency" doc:"Throughput divided by line rate"`
	WindowScale   int        `json:"window_scale" unit:"1" label:"Window scale" doc:"RFC 7323 shift for required_window_kib, at most 14"`
	TransferTime  *float64   `json:"transfer_time_s" unit:"s" label:"Transfer time" doc:"Transfer time of file_size_mb; null without it"`
	Autotuned     []tcpTuned `json:"autotuned" label:"Autotuned systems" doc:"Throughput with window auto-tuning, at default settings of both ends"`
	Curve         []tcpPoint `json:"curve" plot:"rtt_ms" label:"Throughput over RTT" doc:"Throughput over round-trip time, all else equal"`
	BBRLimit      *float64   `json:"bbr_limit_mbps" unit:"Mbit/s" label:"BBR limit" doc:"Throughput limit by packet loss with BBR; null without loss"`
	CUBICLimit    *float64   `json:"cubic_limit_mbps" unit:"Mbit/s" label:"CUBIC limit" doc:"Throughput limit by packet loss with CUBIC; null without loss"`
	tools.Warnings
}

type tcpTuned struct {
	System     string  `json:"system" label:"System" doc:"Operating system of the receiver"`
	Window     float64 `json:"window_kib" unit:"KiB" label:"Largest window" doc:"Largest window of a stream with default settings"`
	Throughput float64 `json:"throughput_mbps" unit:"Mbit/s" label:"Throughput" doc:"Payload rate of all streams"`
}

// tcpTunedSystems are the receive windows [KiB] that systems reach by autotuning. Linux announces
// half of tcp_rmem, 6 MiB (tcp_adv_win_scale 1).
var tcpTunedSystems = [...]tcpTuned{
	{System: "linux", Window: 3072}, {System: "windows", Window: 16384},
	{System: "freebsd", Window: 2048},
}

type tcpPoint struct {
	RTT        float64 `json:"rtt_ms" unit:"ms" label:"Round-trip time" doc:"Round-trip time"`
	Throughput float64 `json:"throughput_mbps" unit:"Mbit/s" label:"Throughput" doc:"Payload rate of all streams"`
}

// tcpOverhead is the overhead per segment [B]. It consists of 20 B of IPv4, 20 B of TCP without
// options, and 38 B on the wire. These are 14 B of Ethernet header, 4 B of check sequence, 8 B of
// preamble and 12 B of gap.
const tcpOverhead = 20 + 20 + ethernetOverhead

// ethernetOverhead is the overhead [B] of a frame on the wire (IEEE 802.3-2022, clauses 3.1.1 and
// 4.4.2).
const ethernetOverhead = 14 + 4 + 8 + 12

// leastLoss is the packet loss [%] below which loss has no effect on any path. The formulas are
// unbounded for smaller values.
const leastLoss = 1e-12

// tcpCurveRTTs are the round-trip times of the curve [ms].
var tcpCurveRTTs = [...]float64{
	1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300,
}

func tcpThroughput(_ context.Context, in tcpIn) (tcpOut, error) {
	if in.Loss > 0 && in.Loss < leastLoss {
		return tcpOut{}, tools.InvalidValue("loss_pct", in.Loss, "must be 0 or at least %g",
			leastLoss)
	}
	l := in.limits(in.RTT)
	out := tcpOut{
		BDP:         in.Bandwidth * in.RTT * 125, // Mbit/s · ms = 1000 bit
		WindowLimit: l.window,
		LinkLimit:   l.link,
		Curve:       make([]tcpPoint, len(tcpCurveRTTs)),
	}
	perStream := out.BDP / float64(in.Streams)
	out.NeededWindow = perStream / phys.KiB
	out.WindowScale = windowScale(perStream)
	if in.Loss > 0 {
		out.LossLimit, out.MathisLimit, out.CUBICLimit, out.BBRLimit = &l.loss, &l.reno,
			&l.cubic, &l.bbr
	}
	out.Throughput, out.LimitedBy = l.least()
	// Up to bbrCollapse, BBR fills the line in spite of the loss.
	if in.Control == "bbr" && out.LimitedBy == "loss" && in.Loss <= bbrCollapse {
		out.LimitedBy = "bandwidth"
	}
	out.EfficiencyPct = 100 * out.Throughput / in.Bandwidth
	if in.FileSize != nil {
		s := *in.FileSize * 8 / out.Throughput
		out.TransferTime = &s
	}
	for i, rtt := range tcpCurveRTTs {
		t, _ := in.limits(rtt).least()
		out.Curve[i] = tcpPoint{rtt, t}
	}
	out.Autotuned = make([]tcpTuned, len(tcpTunedSystems))
	for i, system := range tcpTunedSystems {
		tuned := in
		tuned.Window = system.Window
		system.Throughput, _ = tuned.limits(in.RTT).least()
		out.Autotuned[i] = system
	}
	in.warn(&out)
	return out, nil
}

// Usual round-trip times [ms]: some 0.01 in a rack and 600 over a geostationary satellite. Light in
// a fibre needs leastRTT for 100 m and back.
const (
	leastRTT = 0.001
	mostRTT  = 10000
)

func (in *tcpIn) warn(out *tcpOut) {
	switch {
	case in.RTT < leastRTT:
		out.Warn(
			"rtt_ms: light in a fibre goes %.3g m and back in %g ms; round-trip times are usually 0.01 ms (one rack) to 1000 ms (satellites): for %g s send \"rtt_ms\": %g",
			in.RTT/leastRTT*100, in.RTT, in.RTT, in.RTT*1e3)
	case in.RTT > mostRTT:
		out.Warn(
			"rtt_ms: %g ms are %.4g s; round-trip times are usually 0.01 ms (one rack) to 1000 ms (satellites): for %g µs send \"rtt_ms\": %g",
			in.RTT, in.RTT/1e3, in.RTT, in.RTT/1e3)
	}
	if tolerance.Below(in.Window, out.NeededWindow) {
		if out.LimitedBy == "window" && in.Window <= 64 {
			out.Warn(
				"64 KiB and less is the window without scaling; current systems open larger ones by themselves: see autotuned (%.4g Mbit/s with Linux defaults)",
				out.Autotuned[0].Throughput,
			)
		}
		out.Warn(
			"the window of %g KiB is below the %g KiB that keep the line full: raise net.ipv4.tcp_rmem and tcp_wmem (Linux) or the socket buffers at both ends, or use more streams",
			in.Window, tolerance.RoundUp(out.NeededWindow, 6),
		)
	}
	if out.NeededWindow > mostWindow/phys.KiB {
		out.Warn(
			"no single window fills this line: RFC 7323 ends at 1048560 KiB; at least %.0f streams are needed",
			math.Ceil(out.BDP/mostWindow),
		)
	}
	if in.Window > 64 {
		out.Warn(
			"a window above 64 KiB needs window scaling (RFC 7323) at both ends and in every box between",
		)
	}
	if in.Control == "bbr" && in.Loss > bbrThreshold {
		out.Warn(
			"BBR version 3 slows down above %g %% loss, version 1 above about %g %%: bbr_limit_mbps is that of version 1",
			float64(bbrThreshold), float64(bbrCollapse),
		)
	}
	if in.Control != "bbr" && in.Loss > mostMathisLoss {
		out.Warn(
			"at %g %% loss loss_limit_mbps is too high: it leaves out retransmission timeouts (Padhye et al. 1998)",
			in.Loss)
	}
	if out.TransferTime != nil {
		if t := in.slowStart(out.Throughput); t > 1.1**out.TransferTime {
			out.Warn(
				"with slow start from 10 segments per stream (RFC 6928) the transfer takes about %.3g s after the handshake: transfer_time_s leaves it out",
				t)
		}
	}
	if out.LimitedBy == "loss" {
		out.Warn(
			"loss of %g %% holds the throughput to %.4g Mbit/s: a larger window does not help; find the loss, or use more streams",
			in.Loss, out.Throughput,
		)
	}
}

// tcpLimits contains the payload rate limits of all streams [Mbit/s]. Without loss, loss and reno
// are +Inf.
type tcpLimits struct{ window, loss, reno, cubic, bbr, link float64 }

// mostMathisLoss is the loss [%] up to which timeouts matter little (Mathis et al. 1997; Padhye et
// al. 1998).
const mostMathisLoss = 2

// bbrThreshold is the loss [%] that BBR version 3 tolerates (draft-ietf-ccwg-bbr, BBR.LossThresh).
const bbrThreshold = 2

// bbrCollapse is the loss [%] above which BBR version 1 also slows down (Cardwell et al. 2016).
const bbrCollapse = 15

func (in *tcpIn) limits(rttMs float64) tcpLimits {
	rtt := rttMs / 1e3
	payload := float64(in.MSS - in.Options)
	perSegment := payload * 8 / rtt / 1e6 * float64(in.Streams)
	reno := renoWindow(in.Loss / 100)
	l := tcpLimits{
		window: in.Window * phys.KiB * 8 / rtt / 1e6 * float64(in.Streams),
		reno:   reno * perSegment,
		cubic:  math.Max(reno, cubicWindow(in.Loss/100, rtt)) * perSegment,
		link:   in.Bandwidth * payload / (float64(in.MSS) + tcpOverhead),
	}
	l.bbr = l.link * (1 - in.Loss/100)
	switch in.Control {
	case "reno":
		l.loss = l.reno
	case "bbr":
		l.loss = l.bbr
	default:
		l.loss = l.cubic
	}
	return l
}

// slowStart returns the transfer time [s] with slow start. Each stream begins with 10 segments and
// doubles its window every round trip until all streams reach the rate [Mbit/s].
func (in *tcpIn) slowStart(rate float64) float64 {
	rtt := in.RTT / 1e3
	left := *in.FileSize * 1e6
	window := 10 * float64(in.MSS-in.Options) * float64(in.Streams)
	full := rate * 1e6 / 8 * rtt // bytes per round trip
	seconds := 0.0
	for window < full && left > 0 {
		left -= window
		window *= 2
		seconds += rtt
	}
	return seconds + max(0, left)*8/(rate*1e6)
}

func (l tcpLimits) least() (rate float64, factor string) {
	rate, factor = l.link, "bandwidth"
	if l.loss < rate {
		rate, factor = l.loss, "loss"
	}
	if l.window < rate {
		rate, factor = l.window, "window"
	}
	return rate, factor
}

// renoWindow returns the mean window in segments at a loss probability: √(3/2p) (Mathis et al.
// 1997).
func renoWindow(p float64) float64 { return math.Sqrt(1.5 / p) }

// cubicWindow returns the mean window in segments at a loss probability and a round-trip time in
// seconds (RFC 9438, section 5.1). The constants are C = 0.4 and β = 0.7.
func cubicWindow(p, rtt float64) float64 {
	const c, beta = 0.4, 0.7
	return math.Pow(c*(3+beta)/(4*(1-beta)), 0.25) * math.Pow(rtt, 0.75) / math.Pow(p, 0.75)
}

const (
	plainWindow = 65535 // largest window of the 16-bit header field [B]
	mostShift   = 14    // RFC 7323, section 2.3
	mostWindow  = plainWindow << mostShift
)

// windowScale returns the shift that is required to announce a window of the given number of bytes.
func windowScale(window float64) int {
	shift := 0
	for shift < mostShift && plainWindow*float64(int(1)<<shift) < window {
		shift++
	}
	return shift
}
