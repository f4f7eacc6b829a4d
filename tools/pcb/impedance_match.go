package pcb

import (
	"cmp"
	"context"
	"math"
	"math/cmplx"
	"slices"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/tolerance"
)

// ImpedanceMatch computes all L networks that match two complex impedances, or the pi or tee
// networks with a given Q.
var ImpedanceMatch = tools.Define(tools.Spec{
	Name:    "impedance_match",
	Title:   "Impedance match",
	Summary: "L, pi and tee networks that match a complex load to a complex source at one frequency, with their losses",
	Method: "Conjugate match. Shunt at the load, with G + jB = 1/ZL and Rs ≤ 1/G: b = ±√(G/Rs - G²), shunt susceptance b - B, series " +
		"reactance -Xs + b/(G² + b²), q = |b|/G. Shunt at the source, with Gs + jBs = 1/Zs and RL ≤ 1/Gs: x = ±√(RL/Gs - RL²), " +
		"series reactance x - XL, shunt susceptance -Bs + x/(RL² + x²), q = |x|/RL. L = X/ω or 1/(ω|B|), C = 1/(ω|X|) or B/ω. " +
		"Bandwidth 2 f/q: the loaded Q of an L network is q/2. Pi: two L networks back to back at Rv = R/(Q² + 1), R the higher parallel " +
		"resistance; tee: at Rv = R (Q² + 1), R the lower series resistance; bandwidth 2 f/(Q1 + Q2). Losses: an inductor is X/Q_L + jX, " +
		"a capacitor |X|/Q_C - j|X|; loss = available power over the power in the load. Smith chart: Γ = (Z - R)/(Z + R), R = source_r_ohm",
	Sources: []string{
		"D. M. Pozar, Microwave Engineering, 4th edition (2012), section 5.1 and example 5.1",
		"C. Bowick, RF Circuit Design, 2nd edition (2007), chapter 4: L, pi and tee networks",
	},
	Limits: []string{
		"Parts without parasitics, designed lossless; real inductors lose most, and more at high q: give inductor_q",
		"pi and tee: low pass and high pass, not the networks of mixed halves",
		"One frequency; the bandwidth is an estimate for impedances that do not change with frequency",
	},
	Aliases: []string{"L network", "antenna matching", "matching network", "conjugate match",
		"impedance matching", "L match", "pi network", "T network", "Smith chart"},
	Primary: []string{"solutions"},
	Examples: []tools.Example{{
		Title: "50 Ω to 200 Ω at 100 MHz",
		In:    `{"freq_mhz": 100, "load_r_ohm": 200}`,
		Want: `{"matched": false, "unmatched_reflection": 0.600000, "solutions": [
			{"topology": "shunt_at_load", "response": "low_pass", "q": 1.7320508, "bandwidth_hz": 1.154701e8,
				"series": {"type": "inductor", "inductance_h": 1.378322e-7}, "shunt": {"type": "capacitor", "capacitance_f": 1.378322e-11}},
			{"topology": "shunt_at_load", "response": "high_pass", "q": 1.7320508, "bandwidth_hz": 1.154701e8,
				"series": {"type": "capacitor", "capacitance_f": 1.837763e-11}, "shunt": {"type": "inductor", "inductance_h": 1.837763e-7}}]}`,
	}, {
		Title: "100 Ω to 200 - j100 Ω at 500 MHz",
		In:    `{"freq_mhz": 500, "load_r_ohm": 200, "load_x_ohm": -100, "source_r_ohm": 100}`,
		Want: `{"solutions": [
			{"series": {"type": "inductor", "inductance_h": 3.8985e-8}, "shunt": {"type": "capacitor", "capacitance_f": 9.2277e-13}},
			{"series": {"type": "capacitor", "capacitance_f": 2.5990e-12}, "shunt": {"type": "inductor", "inductance_h": 4.6139e-8}}]}`,
	}, {
		Title: "75 Ω to 1 kΩ at 10 MHz",
		In:    `{"freq_mhz": 10, "source_r_ohm": 75, "load_r_ohm": 1000}`,
		Want:  `{"solutions": [{"q": 3.511885, "series": {"reactance_ohm": 263.3913}}, {}]}`,
		From:  "baltic-lab.com, L network: j263",
	}, {
		Title: "Pi network of an amplifier at 7 MHz, coil of Q = 250",
		In:    `{"freq_mhz": 7, "source_r_ohm": 1000, "load_r_ohm": 75.7, "network": "pi", "q": 9.3687, "inductor_q": 250}`,
		Want: `{"solutions": [
			{"topology": "pi", "response": "low_pass", "series": {"inductance_h": 3.0e-6}, "source_element": {"capacitance_f": 2.13e-10}, "loss_db": 0.2},
			{"response": "high_pass"}]}`,
		From: "analogtrx.com, topic 687: 3 µH, 213 pF, efficiency 95.3 %",
	}},
}, impedanceMatch)

type impedanceMatchIn struct {
	FreqMHz    float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e9" example:"100" label:"Frequency" doc:"Frequency of the match"`
	LoadROhm   float64 `json:"load_r_ohm" unit:"Ω" gt:"0" max:"1e12" example:"200" label:"Load resistance" doc:"Resistance of the load (series form)"`
	LoadXOhm   float64 `json:"load_x_ohm" unit:"Ω" min:"-1e12" max:"1e12" default:"0" label:"Load reactance" doc:"Reactance of the load, negative when capacitive"`
	SourceROhm float64 `json:"source_r_ohm" unit:"Ω" gt:"0" max:"1e12" default:"50" label:"Source resistance" doc:"Resistance of the source (series form)"`
	SourceXOhm float64 `json:"source_x_ohm" unit:"Ω" min:"-1e12" max:"1e12" default:"0" label:"Source reactance" doc:"Reactance of the source, negative when capacitive"`

	Network    string   `json:"network" enum:"l,pi,tee" default:"l" label:"Network" doc:"Topology of the network; pi and tee require q"`
	Q          *float64 `json:"q" unit:"1" gt:"0" max:"1e4" label:"Network Q" doc:"Larger Q of the two halves of a pi or tee"`
	InductorQ  *float64 `json:"inductor_q" unit:"1" gt:"0" max:"1e6" label:"Inductor Q" doc:"Unloaded Q of the inductors, for loss_db; default lossless"`
	CapacitorQ *float64 `json:"capacitor_q" unit:"1" gt:"0" max:"1e6" label:"Capacitor Q" doc:"Unloaded Q of the capacitors, for loss_db"`
}

type impedanceMatchOut struct {
	Matched             bool           `json:"matched" label:"Matched" doc:"Load and source already match; no network is needed"`
	UnmatchedReflection float64        `json:"unmatched_reflection" unit:"1" label:"Reflection without network" doc:"Magnitude of the reflection without a network, |ZL - Zs*|/|ZL + Zs|"`
	UnmatchedLossDB     float64        `json:"unmatched_loss_db" unit:"dB" label:"Mismatch loss without network" doc:"Mismatch loss without a network"`
	Solutions           []matchNetwork `json:"solutions" label:"Matching networks" doc:"Networks by increasing Q, low pass first; empty when matched"`
	tools.Warnings
}

type matchNetwork struct {
	Series      matchElement  `json:"series" label:"Series element" doc:"Element between source and load; for a tee, the one at the load"`
	Shunt       matchElement  `json:"shunt" label:"Shunt element" doc:"Element to ground; for a pi, the one at the load"`
	Source      *matchElement `json:"source_element" label:"Element at the source" doc:"Shunt element of a pi, series element of a tee; null for L"`
	Topology    string        `json:"topology" enum:"shunt_at_load,shunt_at_source,pi,tee" label:"Topology" doc:"Side of the series element on which the shunt element is, or pi or tee"`
	Response    string        `json:"response" enum:"low_pass,high_pass,other" label:"Response" doc:"low_pass: series L, shunt C; high_pass: series C, shunt L"`
	Q           float64       `json:"q" unit:"1" label:"Network Q" doc:"Q of either half of an L network; the larger one of a pi or tee"`
	BandwidthHz *float64      `json:"bandwidth_hz" unit:"Hz" label:"Bandwidth" doc:"Estimated 3 dB bandwidth, 2 f over the sum of both Q; null for q = 0"`
	LossDB      *float64      `json:"loss_db" unit:"dB" label:"Loss" doc:"Power lost in the elements and by mismatch; null without inductor_q and capacitor_q"`
	Smith       []smithPoint  `json:"smith" label:"Smith chart" doc:"Reflection at the load and after each element towards the source, with losses"`
}

// smithPoint is a reflection coefficient with source_r_ohm as reference.
type smithPoint struct {
	Re float64 `json:"re" unit:"1" label:"Γ, real" doc:"Real part of the reflection coefficient"`
	Im float64 `json:"im" unit:"1" label:"Γ, imaginary" doc:"Imaginary part of the reflection coefficient"`
}

type matchElement struct {
	Type         string   `json:"type" enum:"inductor,capacitor,none" label:"Element" doc:"Type of the element; none for a direct connection or an open position"`
	ReactanceOhm *float64 `json:"reactance_ohm" unit:"Ω" label:"Reactance" doc:"Reactance, negative for a capacitor; null for none"`
	InductanceH  *float64 `json:"inductance_h" unit:"H" label:"Inductance" doc:"Inductance; null unless an inductor"`
	CapacitanceF *float64 `json:"capacitance_f" unit:"F" label:"Capacitance" doc:"Capacitance; null unless a capacitor"`
}

// negligible is the element size relative to the impedance level below which an element is omitted.
// It is also the reflection below which no matching is needed.
const negligible = 1e-9

func impedanceMatch(_ context.Context, in impedanceMatchIn) (impedanceMatchOut, error) {
	var out impedanceMatchOut
	if err := in.check(); err != nil {
		return out, err
	}
	zs, zl := complex(in.SourceROhm, in.SourceXOhm), complex(in.LoadROhm, in.LoadXOhm)
	sum := cmplx.Abs(zl + zs)
	out.UnmatchedReflection = cmplx.Abs(zl-cmplx.Conj(zs)) / sum
	if g := out.UnmatchedReflection; g < 0.5 {
		out.UnmatchedLossDB = -10 / math.Ln10 * math.Log1p(-g*g)
	} else {
		// 1 - g² without the difference, which cancels for a large mismatch.
		out.UnmatchedLossDB = -10 * math.Log10(4*(in.SourceROhm/sum)*(in.LoadROhm/sum))
	}
	if out.UnmatchedReflection < negligible {
		out.Matched = true
		out.Warn("already matched: no network is needed")
		return out, nil
	}
	w := 2 * math.Pi * in.FreqMHz * 1e6
	if in.Network != "l" {
		out.Solutions = in.threeElements(zs, zl, w)
		in.lossesAndPath(&out, zs, zl)
		out.remark()
		return out, nil
	}
	choice.Ignored(&out.Warnings,
		"the impedances set the Q of an L network; choose network pi or tee",
		choice.Of("q", in.Q != nil))
	out.addLNetworks(in, zs, zl, w)
	in.lossesAndPath(&out, zs, zl)
	out.remark()
	return out, nil
}

// addLNetworks adds the L networks between two impedances [Ω] at an angular frequency w [1/s], the
// lowest Q first.
func (out *impedanceMatchOut) addLNetworks(in impedanceMatchIn, zs, zl complex128, w float64) {
	add := func(topology string, q, x, b float64) {
		n := matchNetwork{
			Topology: topology, Q: q, Series: seriesElement(x, w), Shunt: shuntElement(b, w),
		}
		n.Response = n.response()
		if q > 0 {
			n.BandwidthHz = new(2 * in.FreqMHz * 1e6 / q)
		}
		for i, o := range out.Solutions {
			if n.same(o) {
				// A single element has the Q of the reactance that it cancels.
				if n.Q > o.Q {
					out.Solutions[i] = n
				}
				return
			}
		}
		out.Solutions = append(out.Solutions, n)
	}
	yl, ys := 1/zl, 1/zs
	if q, ok := halfQ(in.LoadROhm, in.LoadXOhm, in.SourceROhm); ok {
		for _, b := range [...]float64{q * real(yl), -q * real(yl)} {
			shunt := drop(b-imag(yl), b, real(yl))
			if shunt == 0 {
				b = imag(yl) // the series element alone matches
			}
			// across is b/(G² + b²), the reactance that the series element cancels.
			across := -imag(1 / complex(real(yl), b))
			add("shunt_at_load", q, drop(across-in.SourceXOhm, across, in.SourceXOhm), shunt)
		}
	}
	if q, ok := halfQ(in.SourceROhm, in.SourceXOhm, in.LoadROhm); ok {
		for _, x := range [...]float64{q * in.LoadROhm, -q * in.LoadROhm} {
			series := drop(x-in.LoadXOhm, x, in.LoadROhm)
			if series == 0 {
				x = in.LoadXOhm // the shunt element alone matches
			}
			across := -imag(1 / complex(in.LoadROhm, x)) // x/(RL² + x²)
			add("shunt_at_source", q, series, drop(across-imag(ys), across, real(ys)))
		}
	}
	order := map[string]int{"low_pass": 0, "high_pass": 1, "other": 2}
	slices.SortStableFunc(out.Solutions, func(a, b matchNetwork) int {
		if math.Abs(a.Q-b.Q) > tolerance.Relative*max(a.Q, b.Q) {
			return cmp.Compare(a.Q, b.Q)
		}
		return cmp.Compare(order[a.Response], order[b.Response])
	})
}

// check requires a q that a pi or tee network can have.
func (in *impedanceMatchIn) check() error {
	var f tools.FieldErrors
	if in.Network == "l" {
		return nil
	}
	if in.Q == nil {
		f.Add("q", "is required with network %s: a number greater than 0", in.Network)
		return f.Err()
	}
	source, load := in.halves()
	lowest := math.Sqrt(max(source, load)/min(source, load) - 1)
	if tolerance.Below(*in.Q, lowest) {
		f.AddValue("q", *in.Q,
			"must be at least %g, the Q of the L network between these resistances",
			tolerance.RoundUp(lowest, 4))
	}
	return f.Err()
}

// halves returns the resistances of source and load that determine the Q [Ω]: in parallel form for
// a pi, in series form for a tee.
func (in *impedanceMatchIn) halves() (source, load float64) {
	source, load = in.SourceROhm, in.LoadROhm
	if in.Network == "pi" {
		source *= 1 + in.SourceXOhm/in.SourceROhm*(in.SourceXOhm/in.SourceROhm)
		load *= 1 + in.LoadXOhm/in.LoadROhm*(in.LoadXOhm/in.LoadROhm)
	}
	return source, load
}

// threeElements returns the low-pass and high-pass pi or tee networks between two impedances at the
// angular frequency w. A tee is the dual of a pi, so its admittances take the role of the
// impedances.
func (in *impedanceMatchIn) threeElements(zs, zl complex128, w float64) []matchNetwork {
	rs, rl := in.halves()
	// Both halves see the virtual resistance, which is rs/(1 + qs²) = rl/(1 + ql²) for a pi.
	ratio := min(rs, rl) / max(rs, rl)
	large, small := *in.Q, math.Sqrt(max(0, (1+*in.Q**in.Q)*ratio-1))
	qs, ql := large, small
	if (in.Network == "pi") == (rs < rl) {
		qs, ql = small, large
	}
	if in.Network == "tee" {
		zs, zl = 1/zs, 1/zl
	}
	ys, yl := 1/zs, 1/zl
	var networks []matchNetwork
	for _, sign := range [...]float64{1, -1} {
		bs, bl := sign*qs*real(ys), sign*ql*real(yl)
		// The middle element cancels the remaining reactances of both halves.
		middle := -imag(1/complex(real(ys), bs)) - imag(1/complex(real(yl), bl))
		n := matchNetwork{Topology: in.Network, Q: large}
		first, last := drop(bs-imag(ys), bs, real(ys)), drop(bl-imag(yl), bl, real(yl))
		if in.Network == "pi" {
			n.Series, n.Shunt = seriesElement(middle, w), shuntElement(last, w)
			n.Source = new(shuntElement(first, w))
		} else {
			n.Series, n.Shunt = seriesElement(last, w), shuntElement(middle, w)
			n.Source = new(seriesElement(first, w))
		}
		n.BandwidthHz = new(2 * in.FreqMHz * 1e6 / (qs + ql))
		n.Response = n.response()
		networks = append(networks, n)
	}
	return networks
}

// response returns the filter type of a network: low-pass, high-pass or other.
func (n *matchNetwork) response() string {
	source := n.Series
	if n.Source != nil {
		source = *n.Source
	}
	series, shunt := n.Series.Type, n.Shunt.Type
	switch {
	case n.Topology == "pi" && source.Type != shunt, n.Topology == "tee" && source.Type != series:
	case series == "inductor" && shunt == "capacitor":
		return "low_pass"
	case series == "capacitor" && shunt == "inductor":
		return "high_pass"
	}
	return "other"
}

// lossesAndPath traces the impedance from the load through each element to the source and computes
// the losses.
func (in *impedanceMatchIn) lossesAndPath(out *impedanceMatchOut, zs, zl complex128) {
	for i := range out.Solutions {
		n := &out.Solutions[i]
		series, shunt := step{n.Series, false}, step{n.Shunt, true}
		steps := []step{series, shunt}
		switch n.Topology {
		case "shunt_at_load":
			steps = []step{shunt, series}
		case "pi":
			steps = []step{shunt, series, {*n.Source, true}}
		case "tee":
			steps = append(steps, step{*n.Source, false})
		}
		z, passed := zl, 1.0 // fraction of the power into z that reaches the load, from 0 to 1
		n.Smith = []smithPoint{in.smith(z)}
		for _, s := range steps {
			if s.Type == "none" {
				continue
			}
			e := in.lossy(s.matchElement)
			if s.shunt {
				total := 1/z + 1/e
				passed *= real(1/z) / real(total)
				z = 1 / total
			} else {
				passed *= real(z) / real(z+e)
				z += e
			}
			n.Smith = append(n.Smith, in.smith(z))
		}
		if in.InductorQ == nil && in.CapacitorQ == nil {
			continue
		}
		sum := cmplx.Abs(zs + z)
		n.LossDB = new(max(0, -10*math.Log10(passed*4*(real(zs)/sum)*(real(z)/sum))))
		if tolerance.Above(*n.LossDB, 1) {
			out.Warn("network %d loses %.3g dB: use parts of higher Q, a lower q or two steps", i+1,
				*n.LossDB)
		}
	}
}

// step is an element on the path from load to source.
type step struct {
	matchElement
	shunt bool
}

// lossy returns the impedance [Ω] of an element with its unloaded Q.
func (in *impedanceMatchIn) lossy(e matchElement) complex128 {
	q := in.CapacitorQ
	if e.Type == "inductor" {
		q = in.InductorQ
	}
	x := *e.ReactanceOhm
	if q == nil {
		return complex(0, x)
	}
	return complex(math.Abs(x) / *q, x)
}

// smith returns the reflection coefficient of an impedance [Ω].
func (in *impedanceMatchIn) smith(z complex128) smithPoint {
	r := complex(in.SourceROhm, 0)
	gamma := (z - r) / (z + r)
	return smithPoint{real(gamma), imag(gamma)}
}

// halfQ returns the Q of each half of a network: √((r² + x²)/(r far) - 1). The shunt element is
// next to r + jx, and far is the resistance at the other end. The expression is a sum that does not
// cancel near equal resistances. halfQ returns false if the shunt element must be at the other end.
// The root would amplify rounding errors from 1e-16 to 1e-8, so the remainder of two cancelling
// terms counts as 0.
func halfQ(r, x, far float64) (float64, bool) {
	step, tilt := (r-far)/far, x/r*(x/far)
	d := step + tilt
	if math.Abs(d) <= 1e-14*(math.Abs(step)+tilt) {
		return 0, true
	}
	return math.Sqrt(max(d, 0)), d > 0
}

// drop returns 0 if x is negligible compared with the impedance level √(a² + b²), and x otherwise.
func drop(x, a, b float64) float64 {
	if math.Abs(x) < negligible*math.Hypot(a, b) {
		return 0
	}
	return x
}

// seriesElement returns the component with reactance x at the angular frequency w.
func seriesElement(x, w float64) matchElement {
	switch {
	case x > 0:
		return matchElement{Type: "inductor", ReactanceOhm: &x, InductanceH: new(x / w)}
	case x < 0:
		return matchElement{Type: "capacitor", ReactanceOhm: &x, CapacitanceF: new(-1 / w / x)}
	}
	return matchElement{Type: "none"}
}

// shuntElement returns the component with susceptance b at the angular frequency w.
func shuntElement(b, w float64) matchElement {
	switch {
	case b > 0:
		return matchElement{Type: "capacitor", ReactanceOhm: new(-1 / b), CapacitanceF: new(b / w)}
	case b < 0:
		return matchElement{Type: "inductor", ReactanceOhm: new(-1 / b),
			InductanceH: new(-1 / w / b)}
	}
	return matchElement{Type: "none"}
}

// same reports whether two networks have the same topology. For a single element, the side of the
// other element does not matter.
func (n matchNetwork) same(o matchNetwork) bool {
	both := n.Series.Type != "none" && n.Shunt.Type != "none"
	return n.Series.same(o.Series) && n.Shunt.same(o.Shunt) && (!both || n.Topology == o.Topology)
}

func (e matchElement) same(o matchElement) bool {
	if e.Type != o.Type || e.Type == "none" {
		return e.Type == o.Type
	}
	a, b := *e.ReactanceOhm, *o.ReactanceOhm
	return math.Abs(a-b) <= negligible*math.Abs(a)
}

// remark adds warnings about networks that are hard to build.
func (out *impedanceMatchOut) remark() {
	var steep, small bool
	for _, n := range out.Solutions {
		steep = steep || tolerance.Above(n.Q, 10)
		elements := []matchElement{n.Series, n.Shunt}
		if n.Source != nil {
			elements = append(elements, *n.Source)
		}
		for _, e := range elements {
			small = small || e.InductanceH != nil && tolerance.Below(*e.InductanceH, 1e-9) ||
				e.CapacitanceF != nil && tolerance.Below(*e.CapacitanceF, 0.5e-12)
		}
	}
	if steep {
		out.Warn("q is above 10: narrow, lossy and sensitive to tolerances; match in two steps")
	}
	if small {
		out.Warn("a network needs less than 1 nH or 0.5 pF: board and solder pads have as much")
	}
}
