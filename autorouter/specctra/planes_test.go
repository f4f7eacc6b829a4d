package specctra

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
)

// TestPlanes verifies that a plane that covers the board becomes a pour of its net and that a
// smaller plane causes a warning.
func TestPlanes(t *testing.T) {
	const plane = `(plane %s (polygon B.Cu 0 %s))`
	whole := fmt.Sprintf(
		plane,
		"GND",
		"100500 -129500 139500 -129500 139500 -100500 100500 -100500",
	)
	small := fmt.Sprintf(plane, "$3", "100500 -129500 120000 -129500 120000 -100500 100500 -100500")
	b := boardOf(t, fmt.Sprintf(design, whole+small, "", "front 0"), Options{})
	if b.Rules.GroundNet != 0 || len(b.Rules.PourLayers) != 1 ||
		b.Rules.PourLayers[0] != board.Bottom {
		t.Errorf("pour of net %d on %v", b.Rules.GroundNet, b.Rules.PourLayers)
	}
	if text := strings.Join(b.Warnings, "\n"); !strings.Contains(
		text,
		"the planes of $3 are not filled",
	) {
		t.Errorf("warnings: %s", text)
	}
}

// TestPowerPlanes verifies that planes on layers of type power become planes of their nets.
func TestPowerPlanes(t *testing.T) {
	const corners = "100000 -130000 140000 -130000 140000 -100000 100000 -100000"
	text := fmt.Sprintf(design,
		"(plane GND (polygon In1 0 "+corners+")) (plane $3 (polygon In2 0 "+corners+"))",
		"", "front 0")
	text = strings.Replace(text, "(layer B.Cu (type signal)",
		"(layer In1 (type power)) (layer In2 (type power)) (layer B.Cu (type signal)", 1)
	for _, layers := range []string{`(padstack "Via[0-1]_600:300_um" `, `(padstack Round `} {
		text = strings.Replace(text, layers,
			layers+"(shape (circle In1 600)) (shape (circle In2 600)) ", 1)
	}
	d, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	b := boardOf(t, text, Options{})
	want := []board.Plane{{Layer: 1, Net: 0}, {Layer: 2, Net: 2}}
	if !slices.Equal(b.Rules.Planes, want) || b.Rules.GroundNet != board.NoNet ||
		len(b.Warnings) > 0 {
		t.Errorf("planes %v, pour %d, warnings %q; want %v", b.Rules.Planes, b.Rules.GroundNet,
			b.Warnings, want)
	}
	r, err := d.Route(context.Background(), Options{}, placed.Options{TimeLimit: time.Minute})
	if err != nil || len(r.Open) > 0 || len(r.RoutingViolations) > 0 {
		t.Errorf("%v, open %v, %v", err, r.Open, r.RoutingViolations)
	}
}

// TestPlaneWithWindow verifies that a plane with windows does not become a pour, because pads in a
// window would count as connected.
func TestPlaneWithWindow(t *testing.T) {
	const plane = `(plane GND (polygon B.Cu 0 100000 -130000 140000 -130000 140000 -100000 100000 -100000)
		(window (polygon B.Cu 0 101000 -129000 139000 -129000 139000 -101000 101000 -101000)))`
	b := boardOf(t, fmt.Sprintf(design, plane, "", "front 0"), Options{})
	if b.Rules.GroundNet != board.NoNet {
		t.Errorf("pour of net %d", b.Rules.GroundNet)
	}
	if text := strings.Join(b.Warnings, "\n"); !strings.Contains(text,
		"the planes of GND are not") {
		t.Errorf("warnings: %s", text)
	}
}

// TestPadstackConnectsLayers verifies that different shapes of one padstack on several layers are
// connected, as in a plated hole. The pin is 1.5 mm wide on the top and 0.7 mm wide on the bottom,
// and no track connects the two shapes.
func TestPadstackConnectsLayers(t *testing.T) {
	text := strings.Replace(
		fmt.Sprintf(design, "", "", "front 0"),
		"(shape (circle signal 1500))",
		"(shape (circle F.Cu 1500)) (shape (rect B.Cu -400 -300 300 300))",
		1,
	)
	d, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Route(context.Background(), Options{}, placed.Options{TimeLimit: time.Minute})
	if err != nil || r.Connections != 3 || len(r.Open) > 0 {
		t.Fatalf("%v, %d connections of 3 nets with two pins, open %v", err, r.Connections, r.Open)
	}
	for _, p := range r.Parts[0].Pads {
		if p.Number == "3@1" && p.Layers == 3 && (p.Shape != board.Circle || p.Width != 6e5) {
			t.Errorf("common copper %+v, want a circle of 0.6 mm", p)
		}
	}
}

// TestBoundaries verifies that a boundary on layer signal takes precedence over one on layer pcb,
// which may be a drawing frame. A second outline outside of the largest one is ignored with a
// warning. A second outline inside it is a hole in the board.
func TestBoundaries(t *testing.T) {
	const pcb = "(boundary (path pcb 0"
	good := fmt.Sprintf(design, "", "", "front 0")
	frame := "(boundary (rect pcb 90000 -140000 190000 -50000)) (boundary (path signal 0"
	b := boardOf(t, strings.Replace(good, pcb, frame, 1), Options{})
	if box := b.Outline.Bounds(); box.Width() != 40e6 || box.Height() != 30e6 || len(b.Parts) != 2 {
		t.Errorf("outline %v, %d parts", box, len(b.Parts))
	}
	second := "(boundary (rect pcb 200000 -140000 210000 -130000)) " + pcb
	b = boardOf(t, strings.Replace(good, pcb, second, 1), Options{})
	if text := strings.Join(b.Warnings, "\n"); len(b.Parts) != 2 ||
		!strings.Contains(text, "1 more outlines") {
		t.Errorf("%d parts, warnings %s", len(b.Parts), text)
	}
	hole := "(boundary (rect pcb 130000 -110000 135000 -105000)) " + pcb
	b = boardOf(t, strings.Replace(good, pcb, hole, 1), Options{})
	if len(b.Parts) != 3 || len(b.Parts[2].Pads) != 1 || b.Parts[2].Pads[0].Width != 5e6 {
		t.Errorf("no obstacle of 5 mm: %+v", b.Parts[2:])
	}
}

// TestBoundaryBesideTheParts verifies that a boundary without a connected pad is replaced by the
// bounding box of the pads with a margin of 5 mm.
func TestBoundaryBesideTheParts(t *testing.T) {
	good := fmt.Sprintf(design, "", "", "front 0")
	const outline = "100000 -130000  140000 -130000  140000 -100000  100000 -100000  100000 -130000"
	const notch = "300000 -130000  301000 -130000  301000 -128000  300000 -128000  300000 -130000"
	b := boardOf(t, strings.Replace(good, outline, notch, 1), Options{})
	if text := strings.Join(b.Warnings, "\n"); !strings.Contains(text, "of 1 by 2 mm") {
		t.Errorf("warnings %s", text)
	}
	// The box of this boundary contains the pads, but the boundary is the rim beside them.
	const rim = "90000 -140000 190000 -140000 190000 -139000 91000 -139000 91000 -50000 90000 -50000"
	b = boardOf(t, strings.Replace(good, outline, rim, 1), Options{})
	if text := strings.Join(b.Warnings, "\n"); !strings.Contains(text, "of 100 by 90 mm") {
		t.Errorf("warnings %s", text)
	}
	box, pads := b.Outline.Bounds(), 0
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			p := &b.Parts[i].Pads[k]
			if p.Net == board.NoNet {
				continue
			}
			pads++
			if s := p.Copper(0); !box.Contains(s.Bounds().Grown(5e6).Min) ||
				!box.Contains(s.Bounds().Grown(5e6).Max) {
				t.Errorf("pad %s at %v is outside %v", p.Number, p.At, box)
			}
		}
	}
	if pads == 0 {
		t.Error("no connected pads")
	}
	if text := strings.Join(boardOf(t, good, Options{}).Warnings, "\n"); strings.Contains(text,
		"no connected pad") {
		t.Errorf("warnings %s for the right outline", text)
	}
}

// TestHoleKeepouts verifies that a keepout of 504.3 mm that KiCad 7.0.2 writes around a hole of
// 4.3 mm extends 0.25 mm beyond the hole. Small ones and those of other versions are unchanged.
func TestHoleKeepouts(t *testing.T) {
	good := fmt.Sprintf(design, `(keepout "" (circle F.Cu DIAMETER 0 0))`, "", "front 0")
	for _, c := range []struct {
		version, diameter string
		want              int64
	}{
		{"7.0.2", "504300", 4.8e6},
		{"7.0.2-6a45011f42~172~ubuntu22.04.1", "401100", 1.5e6}, // a clearance of 0.2 mm
		{"7.0.2", "90000", 90e6},
		{"7.0.1", "504300", 504.3e6},
	} {
		text := strings.Replace(strings.Replace(good, "DIAMETER", c.diameter, 1), `"other") (host_version "1"`,
			`"KiCad's Pcbnew") (host_version "`+c.version+`"`, 1)
		b := boardOf(t, text, Options{})
		last := b.Parts[len(b.Parts)-1]
		if last.Ref != "keepout" || last.Pads[0].Width != c.want {
			t.Errorf("%s, %s: %+v", c.version, c.diameter, last)
		}
	}
}
