package pcb

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var capacitance = regexp.MustCompile(`^([\d.]+)([pnuµ])(\d*)`)

// bypass reports whether a part is a capacitor of up to 1 µF.
func bypass(ref, value string) bool {
	m := capacitance.FindStringSubmatch(value)
	if !capacitorRef.MatchString(ref) || m == nil {
		return false
	}
	v, err := strconv.ParseFloat(m[1], 64)
	return err == nil && (m[2] == "p" || m[2] == "n" || v <= 1)
}

// regulatorValue matches the values of the regulators of the reviewed boards.
var regulatorValue = regexp.MustCompile(`^(LM1117|78M?[0-9]{2}$|MCP1700)`)

// regulatorCapacitors verifies that a regulator has a capacitor of 1 µF or more at each of its
// supply pins, as data sheets require. It skips supplies without such a capacitor to ground.
func (e *engineer) regulatorCapacitors() {
	values := map[string]string{}
	for _, p := range e.out.Placements {
		values[p.Ref] = p.Value
	}
	grounded := map[string]bool{}
	for _, p := range e.pads["GND"] {
		grounded[p.ref] = true
	}
	for net, pads := range e.pads {
		if net == "GND" {
			continue
		}
		nearest := map[string]float64{}
		for _, u := range pads {
			for _, c := range pads {
				bulk := capacitorRef.MatchString(c.ref) && bulkValue.MatchString(values[c.ref])
				if !bulk || !grounded[c.ref] || !regulatorValue.MatchString(values[u.ref]) {
					continue
				}
				d := max(0, fromPad(&u.padOut, c.X, c.Y))
				if old, ok := nearest[u.ref]; !ok || d < old {
					nearest[u.ref] = d
				}
			}
		}
		for ref, d := range nearest {
			e.point("regulator capacitors", d <= decouplingReach,
				"%s, net %s: the nearest capacitor of 1 µF or more is %.1f mm away", ref, net, d)
		}
	}
}

// bulkValue matches capacitances of 1 µF and more.
var bulkValue = regexp.MustCompile(`^[1-9][0-9.]*[uµ]`)

// decoupling verifies that each IC on a supply has its own capacitor at its pin, as far as
// capacitors are available. regulatorCapacitors does so for regulators. It also verifies that the
// ground pad of the capacitor is on the pour or near a via.
func (e *engineer) decoupling() {
	value := map[string]string{}
	pins := map[string]int{}
	for _, p := range e.out.Placements {
		value[p.Ref], pins[p.Ref] = p.Value, len(p.Pads)
	}
	ground := map[string]netPad{}
	for _, p := range e.pads["GND"] {
		ground[p.ref] = p
	}
	for net, pads := range e.pads {
		var caps []netPad
		ics := map[string][]netPad{}
		for _, p := range pads {
			_, grounded := ground[p.ref]
			switch {
			case bypass(p.ref, value[p.ref]) && grounded && pins[p.ref] == 2:
				caps = append(caps, p)
			case icRef.MatchString(p.ref) && pins[p.ref] >= 3 &&
				!regulatorValue.MatchString(value[p.ref]):
				ics[p.ref] = append(ics[p.ref], p)
			}
		}
		if net == "GND" || len(caps) == 0 || len(ics) == 0 || !supplyName.MatchString(net) {
			continue
		}
		near := map[string][]int{}
		for ref, of := range ics {
			for k, c := range caps {
				for _, p := range of {
					if distance(p.X, p.Y, c.X, c.Y) <= decouplingReach {
						near[ref] = append(near[ref], k)
						break
					}
				}
			}
		}
		owner := map[int]string{}
		var assign func(ref string, tried map[int]bool) bool
		assign = func(ref string, tried map[int]bool) bool {
			for _, k := range near[ref] {
				if tried[k] {
					continue
				}
				tried[k] = true
				if owner[k] == "" || assign(owner[k], tried) {
					owner[k] = ref
					return true
				}
			}
			return false
		}
		matched := 0
		for ref := range ics {
			if assign(ref, map[int]bool{}) {
				matched++
			}
		}
		for k := range min(len(caps), len(ics)) {
			e.point("decoupling", k < matched,
				"net %s: %d of %d capacitors are within %g mm of their own IC's pin", net, matched,
				min(len(caps), len(ics)), decouplingReach)
		}
		for _, c := range caps {
			g := ground[c.ref]
			ok := len(e.poured("GND")) == 0
			for _, l := range e.poured("GND") {
				ok = ok || onLayer(&g.padOut, l)
			}
			for _, v := range e.out.Vias {
				ok = ok || v.Net == "GND" && fromPad(&g.padOut, v.X, v.Y) < viaReach
			}
			e.point("decoupling via", ok, "%s has no via within %g mm", c.ref, viaReach)
		}
	}
}

var supplyName = regexp.MustCompile(
	`(?i)^\+?(VCC|VDD|VSS|AVCC|VBAT|VIN|VBUS|VOUT|\d+V\d*|\d+|-\d+V|V\+|V-)`)

// crystalRefs returns the set of the reference designators of crystals.
func (e *engineer) crystalRefs() map[string]bool {
	out := map[string]bool{}
	for _, p := range e.out.Placements {
		if crystalRef.MatchString(p.Ref) ||
			otherCrystal.MatchString(p.Ref+" "+p.Value+" "+p.Footprint) {
			out[p.Ref] = true
		}
	}
	return out
}

// crystals verifies that each signal pad of a crystal is near the IC's pin, as far as its size
// permits.
func (e *engineer) crystals() {
	isCrystal := e.crystalRefs()
	for net, pads := range e.pads {
		for _, y := range pads {
			if !isCrystal[y.ref] || net == "GND" {
				continue
			}
			near := math.Inf(1)
			for _, u := range pads {
				if icRef.MatchString(u.ref) {
					near = min(near, max(0, fromPad(&u.padOut, y.X, y.Y)))
				}
			}
			if !math.IsInf(near, 1) {
				e.point("crystal", near <= crystalReach+e.halfPitch(y.ref, y.padOut),
					"%s.%s is %.1f mm from its pin", y.ref, y.Pad, near)
			}
		}
	}
}

// halfPitch returns half of the distance between a pad of a crystal and its pad on another net that
// is not ground. One pad of a large crystal is at most this much farther from its pin.
func (e *engineer) halfPitch(ref string, from padOut) float64 {
	for net, pads := range e.pads {
		for _, p := range pads {
			if p.ref == ref && p.Pad != from.Pad && net != "GND" {
				return distance(p.X, p.Y, from.X, from.Y) / 2
			}
		}
	}
	return 0
}

// partner returns the negative net for the positive net of a differential pair, by common naming
// conventions. It returns "" for other nets.
func partner(name string) string {
	for _, s := range [][2]string{{"_P", "_N"}, {"D+", "D-"}, {"DP", "DM"}, {"+", "-"}} {
		if rest, ok := strings.CutSuffix(name, s[0]); ok && rest != "" {
			return rest + s[1]
		}
	}
	return ""
}

// notAPair matches names of nets that end like those of a pair: supplies and reference voltages,
// and charge pumps.
var notAPair = regexp.MustCompile(`(?i)^(V[A-Z]{0,3}|C\d?|POE.*)\+$|` + supplyName.String())

// differentialPairs verifies that both nets of a pair have about the same length, and run in
// parallel along half of it.
func (e *engineer) differentialPairs() {
	crystals := e.crystalRefs()
	for net := range e.pads {
		other := partner(net)
		if len(e.pads[other]) == 0 || notAPair.MatchString(net) || slices.ContainsFunc(e.pads[net],
			func(p netPad) bool { return crystals[p.ref] }) {
			continue
		}
		length := map[string]float64{}
		coupled, total := 0.0, 0.0
		for _, t := range e.out.Tracks {
			if t.Net != net && t.Net != other {
				continue
			}
			l := distance(t.X1, t.Y1, t.X2, t.Y2)
			length[t.Net] += l
			for k := range 20 {
				f := (float64(k) + 0.5) / 20
				x, y := t.X1+f*(t.X2-t.X1), t.Y1+f*(t.Y2-t.Y1)
				total += l / 20
				for _, o := range e.out.Tracks {
					if o.Net != t.Net && (o.Net == net || o.Net == other) && o.Layer == t.Layer &&
						toSegmentMM(x, y, o) < 1.5 {
						coupled += l / 20
						break
					}
				}
			}
		}
		e.point("pair length", math.Abs(length[net]-length[other]) <= pairMismatch,
			"%s %.2f mm, %s %.2f mm", net, length[net], other, length[other])
		e.point("pair coupling", coupled >= total/2, "%s, %s: %.2f of %.2f mm side by side", net,
			other, coupled, total)
	}
}

// matingSides maps connectors of the library to the side that faces out of the board before
// rotation, in degrees counter-clockwise from the right.
var matingSides = map[string]float64{"BARREL_JACK": 180, "USB_MICRO_B": 270, "USB_C_16P": 270,
	"TerminalBlock_1x02": 270, "TerminalBlock_1x03": 270}

// connectors verifies that connectors with a mating side are at an edge and face it.
func (e *engineer) connectors() {
	for _, p := range e.out.Placements {
		side, ok := e.mating[p.Ref]
		if !ok {
			side, ok = matingSides[p.Footprint]
		}
		if !ok {
			continue
		}
		sin, cos := math.Sincos((side + p.Rotation) * math.Pi / 180)
		reach := 0.0
		for _, c := range p.Courtyard {
			reach = max(reach, (c.X-p.X)*cos+(c.Y-p.Y)*sin)
		}
		var edge float64
		switch {
		case cos > 0.9:
			edge = e.out.Board.Width - p.X
		case cos < -0.9:
			edge = p.X
		case sin > 0.9:
			edge = e.out.Board.Height - p.Y
		default:
			edge = p.Y
		}
		e.point("connectors", edge-reach <= edgeReach, "%s is %.1f mm from the edge that it faces",
			p.Ref, edge-reach)
	}
}
