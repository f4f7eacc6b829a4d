package route_test

import (
	"fmt"
	"math/rand/v2"

	"slipstick/autorouter/board"
)

func mm(v float64) int64 { return board.MM(v) }

func at(x, y float64) board.Point { return board.Point{X: mm(x), Y: mm(y)} }

func land(number string, x, y, w, h float64) board.FootprintPad {
	return board.FootprintPad{
		Number: number, At: at(x, y),
		Padstack: board.Padstack{Width: mm(w), Height: mm(h), Shape: board.RoundRect},
	}
}

// closed adds a body of bodyW by bodyH mm and the courtyard to a footprint and returns it.
func closed(f *board.Footprint, bodyW, bodyH float64) *board.Footprint {
	f.Body = board.Rect{Min: at(-bodyW/2, -bodyH/2), Max: at(bodyW/2, bodyH/2)}
	c := f.Body
	for _, p := range f.Pads {
		c.Min.X, c.Min.Y = min(c.Min.X, p.At.X-p.Width/2), min(c.Min.Y, p.At.Y-p.Height/2)
		c.Max.X, c.Max.Y = max(c.Max.X, p.At.X+p.Width/2), max(c.Max.Y, p.At.Y+p.Height/2)
	}
	f.Courtyard = c.Grown(mm(0.25))
	return f
}

// chip returns a footprint for a two-terminal 0805 chip component.
func chip() *board.Footprint {
	return closed(&board.Footprint{Name: "R_0805",
		Pads: []board.FootprintPad{land("1", -0.95, 0, 1.05, 1.4), land("2", 0.95, 0, 1.05, 1.4)}},
		2, 1.25)
}

// soic returns a footprint with n gull-wing leads in two rows with a pitch of 1.27 mm.
func soic(n int) *board.Footprint {
	return twoRows(fmt.Sprintf("SOIC-%d", n), n, 1.27, 5.4, 1.55, 0.6, 3.9)
}

func tssop(n int) *board.Footprint {
	return twoRows(fmt.Sprintf("TSSOP-%d", n), n, 0.65, 5.8, 1.5, 0.35, 4.4)
}

func twoRows(name string, n int, pitch, span, w, h, body float64) *board.Footprint {
	f := &board.Footprint{Name: name}
	side := n / 2
	for i := range n {
		x, y := -span/2, (float64(side-1)/2-float64(i))*pitch
		if i >= side {
			x, y = span/2, (float64(i-side)-float64(side-1)/2)*pitch
		}
		f.Pads = append(f.Pads, land(fmt.Sprint(i+1), x, y, w, h))
	}
	return closed(f, body, float64(side)*pitch)
}

// quad returns a quad flat package with n/4 leads per side. The pitch and the span between opposite
// rows are in mm.
func quad(n int, pitch, span float64) *board.Footprint {
	f := &board.Footprint{Name: fmt.Sprintf("TQFP-%d", n)}
	side := n / 4
	width := 0.3
	if pitch > 0.6 {
		width = 0.5
	}
	for i := range n {
		k := (float64(i%side) - float64(side-1)/2) * pitch
		num := fmt.Sprint(i + 1)
		switch i / side {
		case 0:
			f.Pads = append(f.Pads, land(num, -span/2, -k, 1.5, width))
		case 1:
			f.Pads = append(f.Pads, land(num, k, -span/2, width, 1.5))
		case 2:
			f.Pads = append(f.Pads, land(num, span/2, k, 1.5, width))
		default:
			f.Pads = append(f.Pads, land(num, -k, span/2, width, 1.5))
		}
	}
	return closed(f, span-2, span-2)
}

// header returns a single row of n pins along y with a pitch of 2.54 mm.
func header(n int) *board.Footprint {
	f := &board.Footprint{Name: fmt.Sprintf("PinHeader_1x%02d", n), Tht: true}
	for i := range n {
		p := land(fmt.Sprint(i+1), 0, (float64(n-1)/2-float64(i))*2.54, 1.7, 1.7)
		p.Shape, p.Drill = board.Circle, mm(1)
		f.Pads = append(f.Pads, p)
	}
	return closed(f, 2.54, 2.54*float64(n))
}

func rules() board.Rules {
	return board.Rules{
		Classes: []board.Class{
			{Name: "default", TrackWidth: mm(0.25), Clearance: mm(0.2), ViaDrill: mm(0.3),
				ViaDiameter: mm(0.6)},
			{Name: "power", TrackWidth: mm(0.5), Clearance: mm(0.2), ViaDrill: mm(0.3),
				ViaDiameter: mm(0.6)},
		},
		NeckWidth: mm(0.25), NeckLength: mm(3), EdgeClearance: mm(0.4), HoleClearance: mm(0.25),
		HoleToHole:    mm(0.3),
		PourClearance: mm(0.25), ThermalRelief: true, ThermalGap: mm(0.3), ThermalSpoke: mm(0.4),
		MinTrack: mm(0.1), MinGap: mm(0.1), MinDrill: mm(0.2), MinRing: mm(0.1),
		PourLayers: []board.Layer{board.Bottom}, GroundNet: board.NoNet,
	}
}

// circuit returns a netlist of about n parts. It has ICs with supply pins and a bypass capacitor
// each, resistors between their pins, a few connections between ICs, and headers.
func circuit(n int, seed uint64) (*board.Netlist, board.Rules) {
	rng := rand.New(rand.NewPCG(seed, 7))
	nl := &board.Netlist{Title: fmt.Sprintf("%d parts", n)}
	add := func(prefix string, f *board.Footprint) int {
		nl.Components = append(nl.Components,
			board.Component{Ref: fmt.Sprintf("%s%d", prefix, len(nl.Components)+1), Footprint: f})
		return len(nl.Components) - 1
	}
	gnd := board.Net{Name: "GND", Class: "power"}
	vcc := board.Net{Name: "VCC", Class: "power"}
	pin := func(c, k int) board.PinRef { return board.PinRef{Component: c, Pad: fmt.Sprint(k)} }
	type free struct{ c, k int }
	var chips [][]free
	left := n
	for left > 0 && (len(chips) == 0 || left > n*3/4) || len(chips) < n/9 {
		f := []*board.Footprint{soic(8), soic(14), tssop(20), quad(32, 0.8, 8.4), soic(16),
			quad(48, 0.5, 8.4)}[rng.IntN(6)]
		u := add("U", f)
		left--
		pads := len(f.Pads)
		vcc.Pins = append(vcc.Pins, pin(u, pads))
		gnd.Pins = append(gnd.Pins, pin(u, pads/2))
		c := add("C", chip())
		left--
		vcc.Pins = append(vcc.Pins, pin(c, 1))
		gnd.Pins = append(gnd.Pins, pin(c, 2))
		var fr []free
		for k := 1; k < pads; k++ {
			if k != pads/2 {
				fr = append(fr, free{u, k})
			}
		}
		rng.Shuffle(len(fr), func(i, j int) { fr[i], fr[j] = fr[j], fr[i] })
		chips = append(chips, fr)
	}
	take := func(g int) (board.PinRef, bool) {
		for range len(chips) {
			if k := len(chips[g]); k > 0 {
				f := chips[g][k-1]
				chips[g] = chips[g][:k-1]
				return pin(f.c, f.k), true
			}
			g = (g + 1) % len(chips)
		}
		return board.PinRef{}, false
	}
	signal := func(pins ...board.PinRef) {
		nl.Nets = append(nl.Nets, board.Net{Name: fmt.Sprintf("N%d", len(nl.Nets)),
			Class: "default", Pins: pins})
	}
	for range max(1, n/20) {
		h := add("J", header(6))
		left--
		gnd.Pins = append(gnd.Pins, pin(h, 1))
		vcc.Pins = append(vcc.Pins, pin(h, 2))
		g := rng.IntN(len(chips))
		for k := 3; k <= 6; k++ {
			if p, ok := take(g); ok {
				signal(pin(h, k), p)
			}
		}
	}
	for ; left > 0; left-- {
		r := add("R", chip())
		g := rng.IntN(len(chips))
		if p, ok := take(g); ok {
			if q, ok := take((g + 1) % len(chips)); ok && rng.IntN(4) == 0 {
				signal(pin(r, 1), p, q)
			} else {
				signal(pin(r, 1), p)
			}
		}
		switch rng.IntN(4) {
		case 0:
			gnd.Pins = append(gnd.Pins, pin(r, 2))
		case 1:
			vcc.Pins = append(vcc.Pins, pin(r, 2))
		default:
			if p, ok := take(g); ok {
				signal(pin(r, 2), p)
			}
		}
	}
	for range n / 8 {
		g := rng.IntN(len(chips))
		p, ok := take(g)
		q, ok2 := take((g + 1 + rng.IntN(2)) % len(chips))
		if ok && ok2 {
			signal(p, q)
		}
	}
	r := rules()
	r.GroundNet = len(nl.Nets)
	nl.Nets = append(nl.Nets, gnd, vcc)
	return nl, r
}
