package place_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/place"
)

// TestDecouplers verifies that capacitors between ground and a supply, a reference or a net with a
// specified track width are placed near the IC pin. The outline may be large. The same holds for a
// crystal and its load capacitors.
func TestDecouplers(t *testing.T) {
	for _, c := range []struct {
		name    string
		outline board.Polygon
	}{{"automatic outline", nil},
		{"roomy outline", board.Polygon{{}, translated(70, 0), translated(70, 60),
			translated(0, 60)}}} {
		t.Run(c.name, func(t *testing.T) {
			nl := chain(12)
			part := func(ref string, f *board.Footprint) int {
				nl.Components = append(nl.Components, board.Component{Ref: ref, Footprint: f})
				return len(nl.Components) - 1
			}
			u := part("U1", row(8, 6, false))
			supply, reference, current := part("C1", row(2, 2, false)),
				part("C2", row(2, 2, false)), part("c3", row(2, 2, false))
			y, load1, load2 := part("Y1", row(2, 3, false)), part("C4", row(2, 2, false)),
				part("C5", row(2, 2, false))
			connector := part("CN1", row(2, 2, false)) // not a capacitor
			o := options()
			o.Outline = c.outline
			o.Rules.GroundNet = len(nl.Nets)
			o.Rules.PourLayers = []board.Layer{board.Bottom}
			pins := func(refs ...any) (out []board.PinRef) {
				for i := 0; i < len(refs); i += 2 {
					out = append(out, board.PinRef{Component: refs[i].(int),
						Pad: refs[i+1].(string)})
				}
				return out
			}
			nl.Nets = append(nl.Nets,
				board.Net{Name: "GND", Pins: pins(u, "4", supply, "2", reference, "2", current, "2",
					load1, "2", load2, "2", connector, "2", 0, "1")},
				board.Net{Name: "VCC", Supply: true,
					Pins: pins(u, "8", supply, "1", 11, "2", connector, "1")},
				board.Net{Name: "REF", Pins: pins(u, "1", reference, "1")},
				board.Net{Name: "OUT", Width: mm(1), Pins: pins(u, "5", current, "1", 4, "2")},
				board.Net{Name: "X1", Pins: pins(u, "2", y, "1", load1, "1")},
				board.Net{Name: "X2", Pins: pins(u, "3", y, "2", load2, "1")})
			b, _, err := place.Place(context.Background(), nl, o)
			if err != nil {
				t.Fatal(err)
			}
			checkLegal(t, b)
			pad := func(part int, number string) board.Point {
				for _, p := range b.Parts[part].Pads {
					if p.Number == number {
						return p.At
					}
				}
				t.Fatalf("%s has no pad %s", b.Parts[part].Ref, number)
				return board.Point{}
			}
			for _, m := range []struct {
				part, to       int
				number, toward string
				within         float64 // largest distance [mm]
			}{
				{supply, u, "1", "8", 5}, {reference, u, "1", "1", 5}, {current, u, "1", "5", 5},
				{y, u, "1", "2", 8}, {y, u, "2", "3", 8}, {load1, y, "1", "1", 6},
				{load2, y, "1", "2", 6},
			} {
				if d := board.Distance(pad(m.part, m.number), pad(m.to, m.toward)); d >
					float64(mm(m.within)) {
					t.Errorf("%s.%s is %.1f mm from %s.%s", b.Parts[m.part].Ref, m.number, d/1e6,
						b.Parts[m.to].Ref, m.toward)
				}
			}
		})
	}
}

// TestPoweredParts verifies that capacitors are placed near the supply pins of parts that work as
// ICs but have other class letters. Each of three LEDs with a controller gets one. A clamp of two
// diodes, a transistor and a connector get none.
func TestPoweredParts(t *testing.T) {
	for _, c := range []struct {
		ref     string
		pads    int
		powered bool
	}{{"D", 4, true}, {"MOD", 4, true}, {"D", 3, false}, {"J", 4, false}, {"Q", 4, false}} {
		nl := &board.Netlist{}
		gnd, vcc := board.Net{Name: "GND"}, board.Net{Name: "VCC", Supply: true}
		var nets []board.Net
		for k := range 3 {
			i := len(nl.Components)
			nl.Components = append(nl.Components,
				board.Component{Ref: fmt.Sprint(c.ref, k+1), Footprint: row(c.pads, 4, false)},
				board.Component{Ref: fmt.Sprint("C", k+1), Footprint: row(2, 2, false)})
			vcc.Pins = append(vcc.Pins, board.PinRef{Component: i, Pad: "1"},
				board.PinRef{Component: i + 1, Pad: "1"})
			gnd.Pins = append(gnd.Pins, board.PinRef{Component: i, Pad: "2"},
				board.PinRef{Component: i + 1, Pad: "2"})
			nets = append(nets, board.Net{Name: fmt.Sprint("S", k),
				Pins: []board.PinRef{{Component: i, Pad: "3"}}})
		}
		nl.Nets = append([]board.Net{gnd, vcc}, nets...)
		o := options()
		o.Rules.GroundNet, o.Rules.PourLayers = 0, []board.Layer{board.Bottom}
		// The parts are fixed far from each other, at which the initial net alone would not
		// attract one capacitor to each.
		o.Outline = board.Polygon{{}, translated(90, 0), translated(90, 20), translated(0, 20)}
		for k := range 3 {
			o.Placements = append(o.Placements, place.InitialPlacement{Component: 2 * k,
				Placement: board.Placement{At: translated(10+35*float64(k), 10), Fixed: true}})
		}
		b, _, err := place.Place(context.Background(), nl, o)
		if err != nil {
			t.Fatal(err)
		}
		near := 0
		for k := range 3 {
			for j := range 3 {
				if board.Distance(b.Parts[2*k].Pads[0].At, b.Parts[2*j+1].Pads[0].At) < 5e6 {
					near++
					break
				}
			}
		}
		if (near == 3) != c.powered {
			t.Errorf("%s with %d pads: %d of 3 have a capacitor", c.ref, c.pads, near)
		}
	}
}

// TestRegulatorCapacitors verifies that a regulator gets the largest capacitors of its input and
// its output, and that its tab claims no further one. The bypass capacitors are near the other IC,
// also where each of its pins has one. A regulator without a large capacitor gets one of them. A
// level shifter has two supplies as well, but it is served as any IC, the smallest first.
func TestRegulatorCapacitors(t *testing.T) {
	const far = 70 // distance of the two ICs [mm]
	for _, c := range []struct {
		name  string
		ref   string
		nets  []string // nets of the pads of the part at the left, "" for none
		large string   // value of C6 on the output
		near  []int    // expected capacitors at the left part
	}{
		{"tab", "U1", []string{"GND", "3V3", "5V", "3V3"}, "22u", []int{5, 6, 7}},
		{"enable", "U1", []string{"5V", "GND", "5V", "", "3V3"}, "1u", []int{5, 6, 7}},
		{"adjustable, by class letter", "VR1", []string{"ADJ", "3V3", "5V"}, "22uF/10V",
			[]int{5, 6, 7}},
		{"without a large output capacitor", "U1", []string{"GND", "3V3", "5V", "3V3"}, "100n",
			[]int{2, 5, 7}},
		{"level shifter", "U1", []string{"GND", "3V3", "5V", "A", "B"}, "22u",
			[]int{1, 5, 6, 7}},
	} {
		nl := &board.Netlist{}
		byNet := map[string][]board.PinRef{}
		part := func(ref, value string, nets ...string) {
			for k, n := range nets {
				if n != "" {
					byNet[n] = append(byNet[n], board.PinRef{Component: len(nl.Components),
						Pad: fmt.Sprint(k + 1)})
				}
			}
			nl.Components = append(nl.Components, board.Component{Ref: ref, Value: value,
				Footprint: row(len(nets), 4, false)})
		}
		part(c.ref, "", c.nets...)
		for k, value := range []string{"100n", "100n", "100n", "100n"} {
			part(fmt.Sprint("C", k+1), value, "3V3", "GND")
		}
		part("C5", "10u", "5V", "GND")
		part("C6", c.large, "3V3", "GND")
		part("C7", "4.7u", "5V", "GND")
		part("C8", "100n", "3V3", "GND")
		part("U2", "", "3V3", "GND", "3V3", "GND", "3V3", "A", "B", "3V3")
		o := options()
		for _, name := range []string{"GND", "3V3", "5V", "A", "B", "ADJ"} {
			nl.Nets = append(nl.Nets, board.Net{Name: name, Supply: strings.Contains(name, "V"),
				Pins: byNet[name]})
		}
		o.Rules.GroundNet, o.Rules.PourLayers = 0, []board.Layer{board.Bottom}
		o.Outline = board.Polygon{{}, translated(far+20, 0), translated(far+20, 30),
			translated(0, 30)}
		for i, x := range map[int]float64{0: 10, 9: far + 10} {
			o.Placements = append(o.Placements, place.InitialPlacement{Component: i,
				Placement: board.Placement{At: translated(x, 15), Fixed: true}})
		}
		b, _, err := place.Place(context.Background(), nl, o)
		if err != nil {
			t.Fatal(err)
		}
		var near []int
		for i := 1; i <= 8; i++ {
			if b.Parts[i].At.X < mm(10+far/2) {
				near = append(near, i)
			}
		}
		if !slices.Equal(near, c.near) {
			t.Errorf("%s: capacitors %v stand at the left part, want %v", c.name, near, c.near)
		}
	}
}
