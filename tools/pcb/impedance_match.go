package pcb

import (
	"cmp"
	"context"
	"math"
	"math/cmplx"
	"slices"

	"slipstick/tools"
	"slipstick/tools/tolerance"
)

// ImpedanceMatch is every network of one series and one shunt reactance that matches two
// complex impedances.
var ImpedanceMatch = tools.Define(tools.Spec{
	Name:    "impedance_match",
	Title:   "Impedance match, L network",
	Summary: "All lossless L networks that match a complex load to a complex source at one frequency",
	Method: "Conjugate match. Shunt at the load, with G + jB = 1/ZL and Rs ≤ 1/G: b = ±√(G/Rs - G²), shunt susceptance b - B, series " +
		"reactance -Xs + b/(G² + b²), q = |b|/G. Shunt at the source, with Gs + jBs = 1/Zs and RL ≤ 1/Gs: x = ±√(RL/Gs - RL²), " +
		"series reactance x - XL, shunt susceptance -Bs + x/(RL² + x²), q = |x|/RL. L = X/ω or 1/(ω|B|), C = 1/(ω|X|) or B/ω. " +
		"Bandwidth 2 f/q: the loaded Q of an L network is q/2",
	Sources: []string{
		"D. M. Pozar, Microwave Engineering, 4th edition (2012), section 5.1 and example 5.1",
		"C. Bowick, RF Circuit Design, 2nd edition (2007), chapter 4",
	},
	Limits: []string{
		"Lossless parts without parasitics; real inductors lose most, and more at high q",
		"One frequency; the bandwidth is an estimate for impedances that do not change with frequency",
	},
	Aliases: []string{"L network", "antenna matching", "matching network", "conjugate match", "impedance matching", "L match"},
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
	}},
}, impedanceMatch)

type impedanceMatchIn struct {
	FreqMHz    float64 `json:"freq_mhz" unit:"MHz" gt:"0" max:"1e9" example:"100" label:"Frequency" doc:"Frequency of the match"`
	LoadROhm   float64 `json:"load_r_ohm" unit:"Ω" gt:"0" max:"1e12" example:"200" label:"Load resistance" doc:"Resistance of the load (series form)"`
	LoadXOhm   float64 `json:"load_x_ohm" unit:"Ω" min:"-1e12" max:"1e12" default:"0" label:"Load reactance" doc:"Reactance of the load, negative when capacitive"`
	SourceROhm float64 `json:"source_r_ohm" unit:"Ω" gt:"0" max:"1e12" default:"50" label:"Source resistance" doc:"Resistance of the source (series form)"`
	SourceXOhm float64 `json:"source_x_ohm" unit:"Ω" min:"-1e12" max:"1e12" default:"0" label:"Source reactance" doc:"Reactance of the source, negative when capacitive"`
}

type impedanceMatchOut struct {
	Matched             bool           `json:"matched" label:"Matched" doc:"Load and source already match; no network is needed"`
	UnmatchedReflection float64        `json:"unmatched_reflection" unit:"1" label:"Reflection without network" doc:"Magnitude of the reflection without a network, |ZL - Zs*|/|ZL + Zs|"`
	UnmatchedLossDB     float64        `json:"unmatched_loss_db" unit:"dB" label:"Mismatch loss without network" doc:"Mismatch loss without a network"`
	Solutions           []matchNetwork `json:"solutions" label:"Matching networks" doc:"Networks by rising Q, low pass first; empty when matched"`
	tools.Warnings
}

type matchNetwork struct {
	Topology    string       `json:"topology" enum:"shunt_at_load,shunt_at_source" label:"Topology" doc:"Side of the series element on which the shunt element is"`
	Response    string       `json:"response" enum:"low_pass,high_pass,other" label:"Response" doc:"low_pass: series L, shunt C; high_pass: series C, shunt L"`
	Q           float64      `json:"q" unit:"1" label:"Loaded Q" doc:"Q of either half of the network"`
	BandwidthHz *float64     `json:"bandwidth_hz" unit:"Hz" label:"Bandwidth" doc:"Estimated 3 dB bandwidth, 2 f/q; null for q = 0"`
	Series      matchElement `json:"series" label:"Series element" doc:"Element between source and load"`
	Shunt       matchElement `json:"shunt" label:"Shunt element" doc:"Element to ground"`
}

type matchElement struct {
	Type         string   `json:"type" enum:"inductor,capacitor,none" label:"Element" doc:"Type of the element; none for a direct connection or an open position"`
	ReactanceOhm *float64 `json:"reactance_ohm" unit:"Ω" label:"Reactance" doc:"Reactance, negative for a capacitor; null for none"`
	InductanceH  *float64 `json:"inductance_h" unit:"H" label:"Inductance" doc:"Inductance; null unless an inductor"`
	CapacitanceF *float64 `json:"capacitance_f" unit:"F" label:"Capacitance" doc:"Capacitance; null unless a capacitor"`
}

// negligible is the share of the impedance level below which an element is left out, and the
// reflection below which nothing needs matching.
const negligible = 1e-9

func impedanceMatch(_ context.Context, in impedanceMatchIn) (impedanceMatchOut, error) {
	var out impedanceMatchOut
	zs, zl := complex(in.SourceROhm, in.SourceXOhm), complex(in.LoadROhm, in.LoadXOhm)
	sum := cmplx.Abs(zl + zs)
	out.UnmatchedReflection = cmplx.Abs(zl-cmplx.Conj(zs)) / sum
	if g := out.UnmatchedReflection; g < 0.5 {
		out.UnmatchedLossDB = -10 / math.Ln10 * math.Log1p(-g*g)
	} else {
		// 1 - g² without the difference, which cancels when little gets through.
		out.UnmatchedLossDB = -10 * math.Log10(4*(in.SourceROhm/sum)*(in.LoadROhm/sum))
	}
	if out.UnmatchedReflection < negligible {
		out.Matched = true
		out.Warn("already matched: no network is needed")
		return out, nil
	}
	w := 2 * math.Pi * in.FreqMHz * 1e6
	add := func(topology string, q, x, b float64) {
		n := matchNetwork{
			Topology: topology, Response: "other", Q: q, Series: seriesElement(x, w),
			Shunt: shuntElement(b, w),
		}
		switch {
		case n.Series.Type == "inductor" && n.Shunt.Type == "capacitor":
			n.Response = "low_pass"
		case n.Series.Type == "capacitor" && n.Shunt.Type == "inductor":
			n.Response = "high_pass"
		}
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
			// b/(G² + b²), the reactance the series element cancels
			across := -imag(1 / complex(real(yl), b))
			add("shunt_at_load", q, drop(across-in.SourceXOhm, across, in.SourceXOhm), drop(b-imag(yl), b, real(yl)))
		}
	}
	if q, ok := halfQ(in.SourceROhm, in.SourceXOhm, in.LoadROhm); ok {
		for _, x := range [...]float64{q * in.LoadROhm, -q * in.LoadROhm} {
			across := -imag(1 / complex(in.LoadROhm, x)) // x/(RL² + x²)
			add("shunt_at_source", q, drop(x-in.LoadXOhm, x, in.LoadROhm),
				drop(across-imag(ys), across, real(ys)))
		}
	}
	order := map[string]int{"low_pass": 0, "high_pass": 1, "other": 2}
	slices.SortStableFunc(out.Solutions, func(a, b matchNetwork) int {
		if math.Abs(a.Q-b.Q) > tolerance.Relative*max(a.Q, b.Q) {
			return cmp.Compare(a.Q, b.Q)
		}
		return cmp.Compare(order[a.Response], order[b.Response])
	})
	out.remark()
	return out, nil
}

// halfQ is the Q of each half of a network whose shunt element sits beside r + jx and whose
// other end has resistance far: √((r² + x²)/(r far) - 1), as a sum that does not cancel near
// equal resistances. It is false when that end is the higher one and this side cannot take
// the shunt element. The root would blow rounding errors of 1e-16 up to 1e-8, so the
// remainder of two cancelling terms counts as 0.
func halfQ(r, x, far float64) (float64, bool) {
	step, tilt := (r-far)/far, x/r*(x/far)
	d := step + tilt
	if math.Abs(d) <= 1e-14*(math.Abs(step)+tilt) {
		return 0, true
	}
	return math.Sqrt(max(d, 0)), d > 0
}

// drop makes an element 0 that is nothing beside the two values that set the level there.
func drop(x, a, b float64) float64 {
	if math.Abs(x) < negligible*math.Hypot(a, b) {
		return 0
	}
	return x
}

// seriesElement is the part with reactance x at the angular frequency w.
func seriesElement(x, w float64) matchElement {
	switch {
	case x > 0:
		return matchElement{Type: "inductor", ReactanceOhm: &x, InductanceH: new(x / w)}
	case x < 0:
		return matchElement{Type: "capacitor", ReactanceOhm: &x, CapacitanceF: new(-1 / w / x)}
	}
	return matchElement{Type: "none"}
}

// shuntElement is the part with susceptance b at the angular frequency w.
func shuntElement(b, w float64) matchElement {
	switch {
	case b > 0:
		return matchElement{Type: "capacitor", ReactanceOhm: new(-1 / b), CapacitanceF: new(b / w)}
	case b < 0:
		return matchElement{Type: "inductor", ReactanceOhm: new(-1 / b), InductanceH: new(-1 / w / b)}
	}
	return matchElement{Type: "none"}
}

// same reports whether two networks have the same topology. With one element only, the side of the
// other makes no difference.
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

// remark warns of networks that are hard to build.
func (out *impedanceMatchOut) remark() {
	var steep, small bool
	for _, n := range out.Solutions {
		steep = steep || tolerance.Above(n.Q, 10)
		for _, e := range [...]matchElement{n.Series, n.Shunt} {
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
