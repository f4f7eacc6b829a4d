package electrical_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/electrical"
	"slipstick/autorouter/pour"
)

func at(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }

// rules returns design rules equal to the defaults of a request, with ground pours on the given
// layers.
func rules(pours ...board.Layer) board.Rules {
	class := board.Class{Name: "default", TrackWidth: board.MM(.25), Clearance: board.MM(.2),
		ViaDrill: board.MM(.3), ViaDiameter: board.MM(.6)}
	power := class
	power.Name, power.TrackWidth = "power", board.MM(.5)
	return board.Rules{
		Classes: []board.Class{class, power}, NeckWidth: board.MM(.25), NeckLength: board.MM(3),
		EdgeClearance: board.MM(.4),
		HoleClearance: board.MM(.25), HoleToHole: board.MM(.3), MaskExpansion: board.MM(.05),
		MaskWeb:       board.MM(.1),
		PourClearance: board.MM(.25), ThermalRelief: true, ThermalGap: board.MM(.3),
		ThermalSpoke: board.MM(.4),
		MinTrack:     board.MM(.1), MinGap: board.MM(.1), MinDrill: board.MM(.2),
		MinRing:   board.MM(.1),
		GroundNet: 0, PourLayers: pours,
	}
}

// land returns a rectangular surface pad [mm].
func land(number string, x, y, w, h float64) board.FootprintPad {
	return board.FootprintPad{Number: number, At: at(x, y),
		Padstack: board.Padstack{Width: board.MM(w), Height: board.MM(h), Shape: board.RectShape}}
}

func pin(number string, x, y float64) board.FootprintPad {
	p := land(number, x, y, 2, 2)
	p.Drill = board.MM(1)
	return p
}

// bench is a test board under construction.
type bench struct{ board.Board }

func newBench(w, h float64, r board.Rules, nets ...board.Net) *bench {
	return &bench{board.Board{Name: "bench", Outline: board.Polygon{at(0, 0), at(w, 0), at(w, h),
		at(0, h)}, Rules: r, Nets: nets}}
}

// part places a part with the given pads and nets.
func (b *bench) part(ref string, where board.Point, nets map[string]int,
	pads ...board.FootprintPad) {
	f := &board.Footprint{Name: ref, Pads: pads}
	for _, p := range pads {
		half := board.Point{X: p.Width/2 + board.MM(.25), Y: p.Height/2 + board.MM(.25)}
		f.Courtyard = f.Courtyard.Union(board.Rect{Min: p.At.Sub(half), Max: p.At.Add(half)})
	}
	f.Body = f.Courtyard
	b.Parts = append(b.Parts, board.Place(board.Component{Ref: ref, Footprint: f},
		board.Placement{At: where}, func(pad string) int {
			if n, ok := nets[pad]; ok {
				return n
			}
			return board.NoNet
		}))
}

// moveTo moves the last part to a side of the board.
func (b *bench) moveTo(side board.Side) {
	part, nets := &b.Parts[len(b.Parts)-1], map[string]int{}
	for _, p := range part.Pads {
		nets[p.Number] = p.Net
	}
	*part = board.Place(part.Component, board.Placement{At: part.At, Side: side},
		func(pad string) int { return nets[pad] })
}

// pour fills the pours of the board.
func (b *bench) pour(t *testing.T) {
	t.Helper()
	electrical.ConnectPads(&b.Board)
	for _, p := range b.Rules.Pours() {
		session, err := pour.NewSession(t.Context(), &b.Board, p)
		if err != nil {
			t.Fatal(err)
		}
		filled, err := session.Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		zones, err := filled.Zones(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.Zones = append(b.Zones, zones...)
	}
}

// complete fills the pours, adds the vias and fails unless the board then passes every design rule.
func (b *bench) complete(t *testing.T) electrical.Report {
	t.Helper()
	b.pour(t)
	r, err := electrical.Complete(t.Context(), &b.Board, electrical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := drc.Check(t.Context(), &b.Board)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Violations {
		t.Errorf("%s at %g, %g mm: %s", v.Rule, v.X, v.Y, v.Message)
	}
	return r
}

// TestViaCurrent compares ViaCurrent with the formula of IPC-2221. A hole of 0.3 mm plated with 20
// µm of copper has a cross-section of π·0.32·0.02 mm² = 31.1647 mil². At a temperature rise of 10 K
// it carries 0.024·10^0.44·31.1647^0.725 A.
func TestViaCurrent(t *testing.T) {
	for _, c := range []struct {
		drill, rise, want float64
	}{
		{.3, 10, .80004}, {.3, 20, .80004 * math.Pow(2, .44)},
		{1, 10, .80004 * math.Pow(1.02/.32, .725)},
	} {
		if got := electrical.ViaCurrent(board.MM(c.drill), c.rise); math.Abs(got-c.want) >
			2e-4*c.want {
			t.Errorf("%g mm at %g K carry %.4f A, want %.4f", c.drill, c.rise, got, c.want)
		}
	}
}

// crossing returns a board with one net of a given current [A]. The net leads from a pad on the
// left through one via to a pad of the part named load on the right.
func crossing(current float64, load string) *bench {
	b := newBench(40, 20, rules(), board.Net{Name: "VM", Supply: true, Width: board.MM(1.3),
		Current: current})
	b.Rules.GroundNet = board.NoNet
	b.part("J1", at(5, 10), map[string]int{"1": 0}, land("1", 0, 0, 2, 2))
	b.part(load, at(35, 10), map[string]int{"1": 0}, board.FootprintPad{Number: "1",
		Layers:   board.Bottom.Bit(),
		Padstack: board.Padstack{Width: board.MM(2), Height: board.MM(2), Shape: board.RectShape}})
	b.Tracks = []board.Track{
		{Net: 0, Layer: board.Top, A: at(5, 10), B: at(20, 10), Width: board.MM(1.3)},
		{Net: 0, Layer: board.Bottom, A: at(20, 10), B: at(35, 10), Width: board.MM(1.3)},
	}
	b.Vias = []board.Via{{Net: 0, At: at(20, 10), Drill: board.MM(.3), Diameter: board.MM(.6)}}
	return b
}

// TestArrays verifies the number of parallel vias for a current; each via carries 0.80 A.
func TestArrays(t *testing.T) {
	for _, c := range []struct {
		name    string
		bench   *bench
		vias    int
		warning string
	}{
		{"3 A need 4", crossing(3, "J2"), 4, ""},
		{"0.8 A need 1", crossing(.8, "J2"), 1, ""},
		{"2.41 A need 4", crossing(2.41, "J2"), 4, ""},
		{"no declared current", crossing(0, "J2"), 1, ""},
		{"a capacitor carries no direct current", crossing(3, "C2"), 1, ""},
		{"a keepout leaves no place", func() *bench {
			b := crossing(3, "J2")
			b.Keepouts = []board.Keepout{
				{Area: board.Rect{Min: at(20.4, 0), Max: at(30, 20)}, Layers: []board.Layer{0, 1},
					Vias: true},
				{Area: board.Rect{Min: at(10, 0), Max: at(19.6, 20)}, Layers: []board.Layer{0, 1},
					Vias: true},
				{Area: board.Rect{Min: at(10, 10.4), Max: at(30, 20)}, Layers: []board.Layer{0, 1},
					Vias: true},
				{Area: board.Rect{Min: at(10, 0), Max: at(30, 9.6)}, Layers: []board.Layer{0, 1},
					Vias: true},
			}
			return b
		}(), 1, "net VM: 1 of 4 vias for 3 A fit at 20, 10 mm"},
		{"two pads of 0.3 mm draw less", func() *bench {
			// IPC-2221: a 0.3 mm track of 1 oz copper carries 0.048·10^0.44·16.27^0.725 = 1.00 A.
			b := crossing(3, "J2")
			b.Parts[1].Pads[0].Width, b.Parts[1].Pads[0].Height = board.MM(2), board.MM(.3)
			return b
		}(), 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.bench.complete(t)
			if len(c.bench.Vias) != c.vias || r.ArrayVias != c.vias-1 {
				t.Errorf("%d vias, %d reported as added, want %d", len(c.bench.Vias),
					r.ArrayVias, c.vias)
			}
			if got := strings.Join(r.Shortfalls, "; "); got != c.warning {
				t.Errorf("shortfalls %q, want %q", got, c.warning)
			}
		})
	}
}

// TestStitching verifies that every point of two overlapping pours is within 12 mm of a via or
// plated pad, and that the vias are reproducible.
func TestStitching(t *testing.T) {
	run := func() *bench {
		b := newBench(60, 40, rules(board.Top, board.Bottom),
			board.Net{Name: "GND", Supply: true})
		b.part("J1", at(5, 5), map[string]int{"1": 0, "2": 0}, pin("1", 0, 0), pin("2", 2.54, 0))
		if r := b.complete(t); r.StitchingVias != len(b.Vias) || r.Added() != len(b.Vias) {
			t.Errorf("%+v for %d vias", r, len(b.Vias))
		}
		return b
	}
	b := run()
	for x := 1.0; x < 60; x++ {
		for y := 1.0; y < 40; y++ {
			near := board.Distance(at(x, y), at(5, 5)) < 12e6
			for _, v := range b.Vias {
				near = near || board.Distance(at(x, y), v.At) < 12e6
			}
			if !near {
				t.Fatalf("no stitch within 12 mm of %g, %g", x, y)
			}
		}
	}
	if n := len(b.Vias); n > 60*40/40 {
		t.Errorf("%d vias", n)
	}
	if again := run(); !slices.Equal(b.Vias, again.Vias) {
		t.Error("two runs differ")
	}
	if b := newBench(60, 40, rules(board.Bottom), board.Net{Name: "GND"}); b.complete(t).Added() !=
		0 {
		t.Error("one pour was stitched")
	}
}

// quad returns the pads of a package with 16 leads and a square thermal pad.
func quad(side float64) []board.FootprintPad {
	pads := []board.FootprintPad{land("17", 0, 0, side, side)}
	for i := range 4 {
		for k := range 4 {
			u, v := side/2+1, float64(k)*.8-1.2
			x, y := [4]float64{-u, v, u, -v}[i], [4]float64{v, -u, -v, u}[i]
			w, h := .8, .3
			if i%2 == 1 {
				w, h = h, w
			}
			pads = append(pads, land(fmt.Sprint(4*i+k+1), x, y, w, h))
		}
	}
	return pads
}

// TestThermalVias verifies that a pad of 3.3 mm gets an array of 3 by 3 vias of 0.6 mm at a pitch
// of 1.2 mm.
func TestThermalVias(t *testing.T) {
	small := []board.FootprintPad{land("17", 0, 0, 1.75, 1.75), land("1", -2.5, 0, .5, .5),
		land("2", 2.5, 0, .5, .5)}
	led := []board.FootprintPad{land("17", 0, 0, 1.3, 3.3), land("1", -1.4, 0, .5, 3.3),
		land("2", 1.4, 0, .5, 3.3)} // LED_Cree-XP of KiCad
	for _, c := range []struct {
		ref  string
		pads []board.FootprintPad
		want int
	}{{"U1", quad(3.3), 9}, {"Q7", quad(3.3), 9}, {"IC2", quad(3.3), 9}, {"J1", quad(3.3), 0},
		{"U1", small, 4}, {"D1", led, 3}} {
		b := newBench(30, 30, rules(board.Bottom), board.Net{Name: "GND", Supply: true})
		b.part(c.ref, at(15, 15), map[string]int{"17": 0}, c.pads...)
		b.part("J9", at(4, 4), map[string]int{"1": 0}, pin("1", 0, 0))
		if c.want == 0 { // without a via, no copper connects the pad to its net
			b.Parts[0].Pads[0].Net = board.NoNet
		}
		if r := b.complete(t); r.ThermalVias != c.want || len(b.Vias) != c.want {
			t.Errorf("%s: %d thermal vias, %d in all, want %d", c.ref, r.ThermalVias,
				len(b.Vias), c.want)
		}
	}
}

// TestThermalSites verifies that the corners of the grid of vias of a thermal pad are reserved on
// both sides of the board. None is reserved in a pad with a plated hole, without a pour on another
// layer, or where a part on the opposite side has a pad of another net.
func TestThermalSites(t *testing.T) {
	corners := []board.Point{at(13.8, 13.8), at(16.2, 13.8), at(13.8, 16.2), at(16.2, 16.2)}
	for _, c := range []struct {
		name     string
		pour     board.Layer
		side     board.Side
		holes    bool
		opposite bool // a part opposite of the first corner
		want     []board.Point
	}{
		{name: "pour below", pour: board.Bottom, want: corners},
		{name: "pour on its layer", pour: board.Top},
		{name: "holes", pour: board.Bottom, holes: true},
		{name: "on the bottom", pour: board.Top, side: board.BottomSide, want: corners},
		{name: "a part below", pour: board.Bottom, opposite: true, want: corners[1:]},
		{name: "a part above", pour: board.Top, side: board.BottomSide, opposite: true,
			want: corners[1:]},
	} {
		pads := quad(3.3)
		if c.holes {
			hole := land("17", 1, 1, 0.6, 0.6)
			hole.Shape, hole.Drill = board.Circle, board.MM(0.3)
			pads = append(pads, hole)
		}
		b := newBench(30, 30, rules(c.pour), board.Net{Name: "GND", Supply: true},
			board.Net{Name: "VCC"})
		b.part("U1", at(15, 15), map[string]int{"17": 0}, pads...)
		b.moveTo(c.side)
		if c.opposite {
			b.part("C1", at(13.5, 13.5), map[string]int{"1": 1}, land("1", 0, 0, 0.6, 0.6))
			b.moveTo(1 - c.side)
		}
		var got []board.Point
		for _, v := range electrical.ThermalSites(&b.Board) {
			got = append(got, v.At)
		}
		slices.SortFunc(got, func(p, q board.Point) int {
			return cmp.Or(cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestThermalHoles verifies that plated holes of the footprint in a thermal pad count as its vias.
func TestThermalHoles(t *testing.T) {
	pads := quad(3.3)
	for _, x := range []float64{-1, 0, 1} {
		for _, y := range []float64{-1, 0, 1} {
			hole := land("17", x, y, 0.6, 0.6)
			hole.Shape, hole.Drill = board.Circle, board.MM(0.3)
			pads = append(pads, hole)
		}
	}
	b := newBench(30, 30, rules(board.Bottom), board.Net{Name: "GND", Supply: true})
	b.part("U1", at(15, 15), map[string]int{"17": 0}, pads...)
	if r := b.complete(t); r.ThermalVias != 0 || len(r.Shortfalls) != 0 {
		t.Errorf("%d thermal vias, %q", r.ThermalVias, r.Shortfalls)
	}
}

// TestCapacitorVias verifies that a capacitor between a supply and ground gets a separate ground
// via if its track leads to a distant ground pin.
func TestCapacitorVias(t *testing.T) {
	for _, c := range []struct {
		supply bool
		want   int
	}{{true, 1}, {false, 0}} {
		b := newBench(30, 20, rules(board.Bottom), board.Net{Name: "GND"},
			board.Net{Name: "VCC", Supply: c.supply})
		b.part("C1", at(10, 10), map[string]int{"1": 1, "2": 0}, land("1", -.9, 0, 1, 1.3),
			land("2", .9, 0, 1, 1.3))
		b.part("J1", at(24, 10), map[string]int{"1": 0}, pin("1", 0, 0))
		b.Tracks = []board.Track{{Net: 0, Layer: board.Top, A: at(10.9, 10), B: at(24, 10),
			Width: board.MM(.5)}}
		r := b.complete(t)
		if r.CapacitorVias != c.want {
			t.Errorf("supply %t: %d vias, want %d", c.supply, r.CapacitorVias, c.want)
		}
		for _, v := range b.Vias {
			if d := board.Distance(v.At, at(10.9, 10)); d > 2.65e6 {
				t.Errorf("via %.2f mm from the pad's centre", d/1e6)
			}
		}
	}
}

// TestConnectPads verifies the spoke width, or the solid connection, for the track width of a net.
// Two of the four spokes are together as wide as the track. Capacitor pads and pads narrower than
// the track keep the default spokes.
func TestConnectPads(t *testing.T) {
	for _, c := range []struct {
		name  string
		ref   string
		width float64 // track width for the current of the net [mm]
		pad   board.FootprintPad
		spoke float64
		solid bool
	}{
		{"no current", "J1", 0, pin("1", 0, 0), 0, false},
		{"0.7 mm: two spokes of 0.4 mm suffice", "J1", .7, pin("1", 0, 0), 0, false},
		{"1.4 mm: spokes of 0.7 mm", "J1", 1.4, pin("1", 0, 0), .7, false},
		{"a pad narrower than the track carries less", "J1", 2.4, pin("1", 0, 0), 0, false},
		{"a surface pad that spokes would enclose", "Q1", 1.4, land("1", 0, 0, 1.6, 2), 0, true},
		{"a capacitor", "C1", 1.4, land("1", 0, 0, 1.6, 2), 0, false},
	} {
		b := newBench(20, 20, rules(board.Top), board.Net{Name: "GND", Width: board.MM(c.width)})
		b.part(c.ref, at(10, 10), map[string]int{"1": 0}, c.pad)
		electrical.ConnectPads(&b.Board)
		if p := b.Parts[0].Pads[0]; p.Spoke != board.MM(c.spoke) || p.Solid != c.solid {
			t.Errorf("%s: spokes of %g mm, solid %v", c.name, board.ToMM(p.Spoke), p.Solid)
		}
	}
}

// TestPadsWithoutSpokes verifies that pads to which KiCad 6.0.11 draws no spokes connect solidly.
// These are pads of shape custom, and pads at most as wide as the minimum width of the zone. So do
// pads whose spokes the fill could lose between the nodes of its lattice, at 0.2 + 0.05·√2 = 0.2707
// mm.
func TestPadsWithoutSpokes(t *testing.T) {
	drawn := land("1", 0, 0, 1, 1)
	drawn.Shape = board.Convex
	pieces := land("1", 0, 0, 1, 1)
	pieces.Group = 1
	for _, c := range []struct {
		name  string
		pad   board.FootprintPad
		spoke float64 // rule [mm]
		solid bool
	}{
		{"0.2 mm wide", land("1", 0, 0, 0.2, 1), .4, true},
		{"0.27 mm wide", land("1", 0, 0, 1, 0.27), .4, true},
		{"0.271 mm wide", land("1", 0, 0, 1, 0.271), .4, false},
		{"0.21 mm wide, as the spokes", land("1", 0, 0, 1, 0.21), .21, false},
		{"0.2 mm wide, zones of 0.135 mm", land("1", 0, 0, 0.2, 1), .15, false},
		{"convex", drawn, .4, true},
		{"several pieces", pieces, .4, true},
	} {
		b := newBench(20, 20, rules(board.Top), board.Net{Name: "GND"})
		b.part("J1", at(10, 10), map[string]int{"1": 0}, c.pad)
		b.Rules.KiCadSpokes, b.Rules.ThermalSpoke = true, board.MM(c.spoke)
		electrical.ConnectPads(&b.Board)
		if p := b.Parts[0].Pads[0]; p.Solid != c.solid {
			t.Errorf("%s: solid %v", c.name, p.Solid)
		}
	}
}

// TestNarrowPads verifies that pads of 0.21 mm by 1 mm reach the pour at any position on its
// lattice. Neighbours on both sides leave the pads their spokes at the ends alone.
func TestNarrowPads(t *testing.T) {
	for step := range 11 {
		b := newBench(20, 20, rules(board.Top), board.Net{Name: "GND"}, board.Net{Name: "A"})
		b.Rules.KiCadSpokes = true
		for i, x := range []float64{5, 12} {
			b.part(fmt.Sprintf("J%d", i+1), at(x+0.005*float64(step), 10),
				map[string]int{"1": 1, "2": 0, "3": 1}, land("1", -0.5, 0, 0.21, 1),
				land("2", 0, 0, 0.21, 1), land("3", 0.5, 0, 0.21, 1))
		}
		electrical.ConnectPads(&b.Board)
		ctx := context.Background()
		s, err := pour.NewSession(ctx, &b.Board, b.Rules.Pours()[0])
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Probe(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Islands) != 1 || len(res.Islands[0]) != 2 {
			t.Errorf("%g mm off the samples: islands %v", 0.005*float64(step), res.Islands)
		}
	}
}

// TestSessions verifies that Complete fills the pours with the given sessions, and that the zones
// are the same as without them. The array of vias and the stitches need a fill each.
func TestSessions(t *testing.T) {
	run := func(given bool) *bench {
		b := crossing(3, "J2")
		b.Nets = append(b.Nets, board.Net{Name: "GND"})
		b.Rules.GroundNet, b.Rules.PourLayers = 1, []board.Layer{board.Top, board.Bottom}
		b.part("J3", at(5, 3), map[string]int{"1": 1, "2": 1}, pin("1", 0, 0), pin("2", 2.54, 0))
		b.pour(t)
		opt := electrical.Options{Meter: &budget.Meter{}}
		if given {
			session, err := pour.NewSession(t.Context(), &b.Board, b.Rules.Pours()[0])
			if err != nil {
				t.Fatal(err)
			}
			opt.Pours = []*pour.Session{session}
		}
		r, err := electrical.Complete(t.Context(), &b.Board, opt)
		if err != nil || r.ArrayVias == 0 || r.StitchingVias == 0 {
			t.Fatalf("%v, %+v", err, r)
		}
		if given && opt.Pours[0].Meter != opt.Meter {
			t.Error("the session was not used")
		}
		return b
	}
	if a, b := run(false), run(true); !reflect.DeepEqual(a.Zones, b.Zones) {
		t.Error("the zones differ")
	}
}

// TestCancelled verifies that a cancelled call leaves the copper of the board unchanged.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := crossing(3, "J2")
	if _, err := electrical.Complete(ctx, &b.Board, electrical.Options{}); err == nil ||
		len(b.Vias) != 1 {
		t.Errorf("%v, %d vias", err, len(b.Vias))
	}
}

// crowded returns a board with a pair of nets for 2 A. The given number of parts, in rows of 50,
// are on both nets. Narrow tracks of 2 mm on inner layer 1 connect vias at the pads of a row.
func crowded(parts int) *bench {
	const row = 50
	b := newBench(2*row+4, 4*float64(parts/row+2), rules(),
		board.Net{Name: "P", Current: 2, Width: board.MM(0.8)},
		board.Net{Name: "N", Current: 2, Width: board.MM(0.8)})
	b.Stackup = board.Layers(4)
	b.Rules.Pairs = []board.Pair{{Positive: 0, Negative: 1}}
	for i := range parts {
		x, y := 2*float64(i%row+1), 4*float64(i/row+1)
		b.part(fmt.Sprint("J", i), at(x, y), map[string]int{"1": 0, "2": 1},
			land("1", 0, -0.5, 0.5, 0.5), land("2", 0, 0.5, 0.5, 0.5))
		for net, y := range []float64{y - 0.5, y + 0.5} {
			b.Vias = append(b.Vias, board.Via{Net: net, At: at(x, y), Drill: board.MM(0.3),
				Diameter: board.MM(0.6)})
			if i%row > 0 {
				b.Tracks = append(b.Tracks, board.Track{Net: net, Layer: 1, A: at(x-2, y),
					B: at(x, y), Width: board.MM(0.2)})
			}
		}
	}
	return b
}

// TestMeasurementEnds verifies that every measurement ends with its context.
func TestMeasurementEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := &crowded(3).Board
	for name, measure := range map[string]func() error{
		"pairs":        func() error { _, err := electrical.Pairs(ctx, b); return err },
		"necks":        func() error { _, err := electrical.Necks(ctx, b); return err },
		"inner layers": func() error { _, err := electrical.InnerWarnings(ctx, b); return err },
	} {
		if err := measure(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
