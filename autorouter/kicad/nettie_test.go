package kicad

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// TestNetTies verifies that a net tie in a board file joins the nets of its pads without a
// violation, as pcb_layout has it: at any angle, on either side, and with tracks at both pads. Its
// copper is NetTie-2_SMD_Pad0.5mm of KiCad.
func TestNetTies(t *testing.T) {
	const format = `(footprint "Tie" (layer %q) (at 125 105 %g) %s
    (fp_text reference "NT1" (at 0 0) (layer "F.SilkS"))
    (fp_poly (pts (xy -0.5 -0.25) (xy 0.5 -0.25) (xy 0.5 0.25) (xy -0.5 0.25)) (layer %[1]q) (width 0) (fill solid))
    (pad "1" smd circle (at -0.5 0 %[2]g) (size 0.5 0.5) (layers %[1]q) (net 1 "GND"))
    (pad "2" smd circle (at 0.5 0 %[2]g) (size 0.5 0.5) (layers %[1]q) (net 2 "/A, {x}"))
  )`
	for _, c := range []struct {
		layer   string
		degrees float64
		words   string
		tie     bool
	}{
		{"F.Cu", 0, `(tags "net tie")`, true},
		{"F.Cu", 37, `(net_tie_pad_groups "1, 2")`, true},
		{"B.Cu", 180, `(tags "Net Tie, bridged")`, true},
		{"F.Cu", 0, `(tags "bridge")`, false},
		{"F.Cu", 0, `(net_tie_pad_groups "1, 3")`, false},
	} {
		text := smallBoard(fmt.Sprintf(format, c.layer, c.degrees, c.words))
		r, err := read(t, text, "").Route(context.Background(), Options{}, placed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if clean := r.OwnViolations == 0; clean != c.tie ||
			c.tie && len(r.Open)+len(r.RoutingViolations) > 0 {
			t.Errorf("%s: %d open, %d own violations, routing violations %v", c.words, len(r.Open),
				r.OwnViolations, r.RoutingViolations)
		}
		i := slices.IndexFunc(r.Parts, func(p board.Part) bool { return p.Ref == "NT1" })
		bar := map[string]float64{} // area of the copper beside each pad [mm²]
		for _, p := range r.Parts[i].Pads {
			if shape := p.Copper(0); p.Tie {
				b := shape.Bounds()
				bar[p.Number] += board.ToMM(b.Width()) * board.ToMM(b.Height())
			}
		}
		if c.tie && c.degrees != 37 && (bar["1"] != 0.25 || bar["2"] != 0.25) {
			t.Errorf("%s: the bar of 1 mm x 0.5 mm is divided into %v mm²", c.words, bar)
		}
		if file := string(r.File()); !strings.Contains(file, "(xy 0.5 0.25)") {
			t.Errorf("%s: the file lacks the bar", c.words)
		}
	}
}

// TestDividedTie verifies that the copper of a net tie that the file has divided already gives one
// piece per pad: the squares of 0.9 mm meet at lines that rounding moves at 45°. A piece without
// width would short the pour to all nets.
func TestDividedTie(t *testing.T) {
	text := smallBoard(`(footprint "Tie" (layer "F.Cu") (at 125 105 45) (tags "net tie")
    (fp_text reference "NT1" (at 0 0) (layer "F.SilkS"))
    (fp_poly (pts (xy -0.9 0) (xy -0.9 0.9) (xy 0 0.9) (xy 0 0)) (layer "F.Cu") (width 0) (fill solid))
    (fp_poly (pts (xy 0 0) (xy 0 0.9) (xy 0.9 0.9) (xy 0.9 0)) (layer "F.Cu") (width 0) (fill solid))
    (fp_poly (pts (xy -0.9 0) (xy 0 0) (xy 0 -0.9) (xy -0.9 -0.9)) (layer "F.Cu") (width 0) (fill solid))
    (fp_poly (pts (xy 0 0) (xy 0.9 0) (xy 0.9 -0.9) (xy 0 -0.9)) (layer "F.Cu") (width 0) (fill solid))
    (pad "1" smd circle (at -0.6 0.6 45) (size 0.6 0.6) (layers "F.Cu") (net 1 "GND"))
    (pad "2" smd circle (at 0.6 0.6 45) (size 0.6 0.6) (layers "F.Cu") (net 2 "/A, {x}"))
    (pad "3" smd circle (at -0.6 -0.6 45) (size 0.6 0.6) (layers "F.Cu") (net 2 "/A, {x}"))
    (pad "4" smd circle (at 0.6 -0.6 45) (size 0.6 0.6) (layers "F.Cu") (net 2 "/A, {x}"))
  )`)
	r, err := read(t, text, "").Route(context.Background(), Options{}, placed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Parts, func(p board.Part) bool { return p.Ref == "NT1" })
	pieces := map[string]int{}
	for _, p := range r.Parts[i].Pads {
		if p.Tie {
			pieces[p.Number]++
		}
	}
	for _, number := range []string{"1", "2", "3", "4"} {
		if pieces[number] != 1 {
			t.Errorf("pad %s has %d pieces of copper beside it, want 1", number, pieces[number])
		}
	}
}
