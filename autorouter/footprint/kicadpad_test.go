package footprint

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// padCompare is a Python script that prints the pads whose copper differs from KiCad's. It allows a
// difference of a 6 µm wide strip along the outline plus 0.8 % of the area, because chords replace
// arcs.
const padCompare = `
import json, os, sys, pcbnew
for case in json.load(open(sys.argv[1])):
    lib, name = os.path.split(case["path"])
    f = pcbnew.FootprintLoad(lib, name[:-10])
    for layer in (pcbnew.F_Cu, pcbnew.B_Cu):
        numbers = {}
        for p in f.Pads():
            if p.IsOnLayer(layer) and p.GetAttribute() != pcbnew.PAD_ATTRIB_NPTH:
                s = p.GetEffectivePolygon()
                numbers.setdefault(p.GetNumber(), [pcbnew.SHAPE_POLY_SET(), pcbnew.SHAPE_POLY_SET()])[0].Append(s)
        for p in case["pads"] or []:
            if not p["layers"] & (1 if layer == pcbnew.F_Cu else 2):
                continue
            s = pcbnew.SHAPE_POLY_SET()
            s.NewOutline()
            for x, y in p["points"]:
                s.Append(x, y)
            numbers.setdefault(p["number"], [pcbnew.SHAPE_POLY_SET(), pcbnew.SHAPE_POLY_SET()])[1].Append(s)
        fast = pcbnew.SHAPE_POLY_SET.PM_FAST
        for number, (theirs, ours) in numbers.items():
            theirs.Simplify(fast)
            ours.Simplify(fast)
            length = sum(theirs.Outline(i).Length() for i in range(theirs.OutlineCount()))
            for a, b, what in ((theirs, ours, "missing"), (ours, theirs, "extra")):
                d = pcbnew.SHAPE_POLY_SET(a)
                d.BooleanSubtract(b, fast)
                if d.Area() > 6e3 * max(length, 1e5) + 0.008 * theirs.Area():
                    print(case["path"].split("/")[-1], "pad", number, "layer", layer, what, d.Area() / 1e12, "of", theirs.Area() / 1e12, "mm2")
`

// oddShapes matches the text of files with pads other than plain rectangles, circles and ovals on
// the front.
var oddShapes = regexp.MustCompile(`trapezoid|custom|chamfer_ratio|\(offset -?0?\.?[1-9]|"?B\.Cu"?`)

// TestPadsAgainstPcbnew compares the pad copper with that of KiCad's pcbnew Python module. It
// compares every 1000th footprint of the libraries, and every 40th footprint with an unusual pad
// shape.
func TestPadsAgainstPcbnew(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import pcbnew").Run(); err != nil {
		missing(t, "pcbnew's Python module is not installed (Debian package kicad)")
	}
	paths, err := filepath.Glob(kicadLibraries + "/*.pretty/*.kicad_mod")
	if err != nil || len(paths) == 0 {
		missing(t, "KiCad's footprints are not installed (Debian package kicad-footprints)")
	}
	type pad struct {
		Number string         `json:"number"`
		Layers board.LayerSet `json:"layers"`
		Points [][2]int64     `json:"points"`
	}
	type footprintCase struct {
		Path string `json:"path"`
		Pads []pad  `json:"pads"`
	}
	var cases []footprintCase
	odd := 0
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if oddShapes.Match(text) {
			odd++
		}
		if i%1000 != 0 && (!oddShapes.Match(text) || odd%40 != 0) {
			continue
		}
		f, err := FromKiCad("x", string(text))
		if err != nil {
			continue
		}
		c := footprintCase{Path: path}
		for _, p := range f.Pads {
			if p.Tie { // a graphic in KiCad
				continue
			}
			if p.NonPlated {
				continue
			}
			p.At = p.At.Sub(f.Drawing.Origin)
			one := pad{p.Number, p.CopperLayers(board.TwoLayers(), board.TopSide), nil}
			for _, v := range outline(p) {
				one.Points = append(one.Points, [2]int64{int64(v.x), -int64(v.y)})
			}
			c.Pads = append(c.Pads, one)
		}
		cases = append(cases, c)
	}
	dir := t.TempDir()
	raw, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "pads.json")
	if err := os.WriteFile(in, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", padCompare, in)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%d footprints compared", len(cases))
	if len(out) > 0 {
		t.Errorf("%s", out)
	}
}

// TestReadPads compares each pad property of a file with the property determined by hand.
func TestReadPads(t *testing.T) {
	f, err := FromKiCad("My.Lib:Con, 2-pin + (b)", footprintText(`
  (pad "1" thru_hole oval (at -1 1 90) (size 2 1) (drill oval 1 0.5 (offset 0.25 0.125)) (layers *.Cu *.Mask))
  (pad "2" smd roundrect (at 1 0) (size 1 0.5) (layers "F.Cu" "F.Paste" "F.Mask") (roundrect_rratio 0.4))
  (pad "2" smd rect (at 1 0.4) (size 1 0.5) (layers "B.Cu"))
  (pad "3" smd trapezoid (at 0 -1) (size 2 1) (rect_delta 0 0.5) (layers "F.Cu" "F.Mask"))
  (pad "" np_thru_hole circle (at 2.5 0) (size 1 1) (drill 1) (layers *.Cu *.Mask))
  (pad "" smd rect (at 1 0) (size 0.4 0.4) (layers "F.Paste"))
  (model "${KICAD6_3DMODEL_DIR}/x.wrl" (offset (xyz 1 2 3)) (scale (xyz 1 1 1)) (rotate (xyz 0 0 90)))
  (zone (net 0) (layers *.Cu) (keepout (tracks not_allowed) (vias allowed) (pads allowed) (copperpour not_allowed))
    (polygon (pts (xy -3 -2) (xy -2 -2) (xy -2 -1.5))))`))
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y float64) board.Point {
		return board.Point{X: board.MM(x), Y: board.MM(y)}.Add(f.Drawing.Origin)
	}
	// The pad centres span -1 to 2.5 mm in x and -1 to 1 mm in y, which determines the origin.
	if want := (board.Point{X: -board.MM(.75), Y: 0}); f.Drawing.Origin != want {
		t.Errorf("origin %v, want %v", f.Drawing.Origin, want)
	}
	first := board.FootprintPad{
		Number: "1", At: at(-1, -1), Rotation: 90,
		Padstack: board.Padstack{
			Width: 2e6, Height: 1e6, Shape: board.Oval, SlotW: 1e6, SlotH: 5e5,
			Outline: board.Outline{Offset: board.Point{X: 250e3, Y: -125e3}, NoPaste: true},
		},
	}
	second := board.FootprintPad{
		Number: "2", At: at(1, 0),
		Padstack: board.Padstack{
			Width: 1e6, Height: 5e5, Shape: board.RoundRect, Outline: board.Outline{Radius: 2e5},
		},
	}
	third := board.FootprintPad{
		Number: "2", At: at(1, -.4), Layers: board.Bottom.Bit(),
		Padstack: board.Padstack{
			Width: 1e6, Height: 5e5, Outline: board.Outline{NoMask: true, NoPaste: true},
		},
	}
	hole := board.FootprintPad{
		At: at(2.5, 0), NonPlated: true,
		Padstack: board.Padstack{Width: 1e6, Height: 1e6, Shape: board.Circle, Drill: 1e6},
	}
	for i, want := range map[int]board.FootprintPad{0: first, 1: second, 2: third, 4: hole} {
		if f.Pads[i] != want {
			t.Errorf("pad %d is\n%+v, want\n%+v", i, f.Pads[i], want)
		}
	}
	// The trapezoid has a width of 2 mm and a delta of 0.5 mm: its upper side is 1.5 mm, its lower
	// side 2.5 mm.
	trapezoid := f.Pads[3]
	corners := map[board.Point]bool{}
	for _, c := range trapezoid.Corners {
		corners[trapezoid.At.Add(c)] = true
	}
	for _, c := range []board.Point{at(-1.25, .5), at(1.25, .5), at(.75, 1.5), at(-.75, 1.5)} {
		if !corners[c] {
			t.Errorf("the trapezoid has no corner at %v: %v", c, corners)
		}
	}
	if a := f.Drawing.Apertures; len(a) != 1 || !a[0].Paste || a[0].Mask || a[0].At != at(1, 0) {
		t.Errorf("openings %+v", a)
	}
	k := board.FootprintKeepout{Area: board.Rect{Min: at(-3, 1.5), Max: at(-2, 2)}, Front: true,
		Back: true, Tracks: true, Pour: true,
		Outline: board.Polygon{at(-3, 2), at(-2, 2), at(-2, 1.5)}}
	if !reflect.DeepEqual(f.Keepouts, []board.FootprintKeepout{k}) {
		t.Errorf("keepouts %+v, want %+v", f.Keepouts, k)
	}
	m := board.Model{Path: "${KICAD6_3DMODEL_DIR}/x.wrl", Offset: [3]float64{1, 2, 3},
		Scale: [3]float64{1, 1, 1}, Rotate: [3]float64{0, 0, 90}}
	if len(f.Drawing.Models) != 1 || f.Drawing.Models[0] != m {
		t.Errorf("models %+v", f.Drawing.Models)
	}
	if want := (board.Rect{Min: at(-3, -2), Max: at(3.1, 2)}); f.Courtyard != want {
		t.Errorf("courtyard %v, want %v", f.Courtyard, want)
	}
}

// TestMargins compares the openings of pads with local margins with the sizes that KiCad 6 plots.
// The margin of the pad, else of the footprint, replaces that of the board, and a ratio counts for
// each direction. The expected values are the size plus twice the margin.
func TestMargins(t *testing.T) {
	const fiducial = `(pad "" smd circle (at 0 0) (size 1 1) (layers "F.Cu" "F.Mask") %s)`
	const square = `(pad "1" smd rect (at 0 0) (size 2 2) (layers "F.Cu" "F.Paste" "F.Mask") %s)`
	const oblong = `(pad "1" smd roundrect (at 0 0) (size 2 1) (roundrect_rratio 0.2)
		(layers "F.Cu" "F.Paste" "F.Mask") %s)`
	const pin = `(pad "1" thru_hole circle (at 0 0) (size 2 2) (drill 1)
		(layers "*.Cu" "*.Mask" "F.Paste") %s)`
	for _, c := range []struct {
		name, outer, pad, own string
		mask                  int64   // margin of the mask [µm]
		paste                 []int64 // size of the paste opening [µm]; nil for that of the pad
	}{
		{"fiducial", "", fiducial, "(solder_mask_margin 0.5)", 500, nil},
		{"footprint", "(solder_mask_margin 0.3) (solder_paste_margin -0.2)", square, "", 300,
			[]int64{1600, 1600}},
		{"pad and footprint", "(solder_mask_margin 0.3) (solder_paste_margin -0.2)", square,
			"(solder_paste_margin -0.4)", 300, []int64{1200, 1200}},
		{"smaller mask", "", square, "(solder_mask_margin -0.25)", -250, nil},
		{"ratio", "(solder_paste_ratio -0.1)", oblong, "", 0, []int64{1600, 800}},
		{"margin and ratio", "", oblong,
			"(solder_paste_margin -0.05) (solder_paste_margin_ratio -0.1)", 0, []int64{1500, 700}},
		{"pin in paste", "", pin, "", 0, []int64{2000, 2000}},
	} {
		f, err := FromKiCad("M", `(footprint "M" (layer "F.Cu") `+c.outer+
			strings.Replace(c.pad, "%s", c.own, 1)+")")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := f.Pads[0].MaskMargin; got != c.mask*board.Micrometre {
			t.Errorf("%s: mask margin %d nm, want %d µm", c.name, got, c.mask)
		}
		var paste []int64
		for _, a := range f.Drawing.Apertures {
			if a.Mask || !a.Paste || a.Drawn || a.Drill != 0 {
				t.Errorf("%s: %+v", c.name, a)
			}
			paste = append(paste, a.Width/board.Micrometre, a.Height/board.Micrometre)
		}
		if !slices.Equal(paste, c.paste) || (paste != nil) != f.Pads[0].NoPaste &&
			c.pad != fiducial {
			t.Errorf("%s: paste %v µm, want %v; without its own %t", c.name, paste, c.paste,
				f.Pads[0].NoPaste)
		}
	}
}

// TestTentedPads verifies that a mask margin that leaves no opening closes the mask over a pad, as
// over the tented vias of an exposed pad.
func TestTentedPads(t *testing.T) {
	const via = `thru_hole circle (at 0 0) (size 0.4 0.4) (drill 0.2) (layers *.Cu *.Mask)`
	const custom = `smd custom (at 0 0) (size 0.4 0.4) (layers F.Cu F.Mask)
		(primitives (gr_line (start 0 0) (end 2 0) (width 0.4)))`
	const opening = `smd circle (at 0 0) (size 0.4 0.4) (layers F.Paste F.Mask)`
	for _, c := range []struct {
		name, pad, margin string
		noMask            bool
		mask              int64 // margin of the mask [µm]
		apertures         int
		note              string
	}{
		{"as large as the pad", via, "-0.2", true, 0, 0, ""},
		{"larger", via, "-0.3", true, 0, 0, ""},
		{"smaller", via, "-0.15", false, -150, 0, ""},
		{"several pieces", custom, "-0.2", false, 0, 0, "have the size of the pads"},
		{"without copper", opening, "-0.2", false, 0, 1, ""},
	} {
		f, err := FromKiCad("M", footprintText(
			`(pad "9" smd rect (at 2 0) (size 1 1) (layers F.Cu))
			(pad "1" `+c.pad+`(solder_mask_margin `+c.margin+`))`))
		if err != nil {
			t.Fatal(err)
		}
		if p := f.Pads[len(f.Pads)-1]; c.apertures == 0 && (p.NoMask != c.noMask ||
			p.MaskMargin/board.Micrometre != c.mask) {
			t.Errorf("%s: closed %t, margin %d nm", c.name, p.NoMask, p.MaskMargin)
		}
		if a := f.Drawing.Apertures; len(a) != c.apertures || len(a) > 0 && a[0].Mask {
			t.Errorf("%s: openings %+v", c.name, a)
		}
		if !strings.Contains(f.Note, c.note) || strings.Contains(f.Note, "mask") && c.note == "" {
			t.Errorf("%s: note %q", c.name, f.Note)
		}
	}
}

// TestOneSidedMask verifies that a pad on both sides with an opening of the mask on one side has
// that opening alone. A note mentions a plated pad on one copper layer.
func TestOneSidedMask(t *testing.T) {
	const hole, surface = "thru_hole circle (at 0 0) (size 2 2) (drill 1)",
		"smd circle (at 0 0) (size 2 2)"
	const noted = "pad 1 has a plated hole and so copper on both sides"
	for _, c := range []struct {
		pad, layers string
		noMask      bool
		opening     string // side of the opening without copper
		note        string
	}{
		{hole, "*.Cu *.Mask", false, "", ""},
		{hole, "F&B.Cu F.Mask B.Mask", false, "", ""},
		{hole, "*.Cu", true, "", ""},
		{hole, "*.Cu B.Mask", true, "bottom", ""},
		{hole, "*.Cu F.Mask", true, "top", ""},
		{hole, "B.Cu B.Mask", true, "bottom", noted},
		{hole, "B.Cu *.Mask", false, "", noted},
		{surface, "F.Cu B.Cu F.Mask", true, "top", ""},
		{surface, "F.Cu F.Mask", false, "", ""},
	} {
		f, err := FromKiCad("M",
			footprintText("(pad 1 "+c.pad+" (solder_mask_margin 0.2) (layers "+c.layers+"))"))
		if err != nil {
			t.Fatal(err)
		}
		opening := ""
		for _, a := range f.Drawing.Apertures {
			opening += map[board.LayerSet]string{board.Top.Bit(): "top",
				board.Bottom.Bit(): "bottom"}[a.Layers]
			if !a.Mask || a.Paste || a.Drill != 0 || a.Width != 2e6 || a.MaskMargin != 2e5 {
				t.Errorf("%s: opening %+v", c.layers, a)
			}
		}
		if p := f.Pads[0]; p.NoMask != c.noMask || opening != c.opening {
			t.Errorf("%s: without mask openings %t, other opening %q", c.layers, p.NoMask, opening)
		}
		if strings.Contains(f.Note, noted) != (c.note != "") {
			t.Errorf("%s: note %q", c.layers, f.Note)
		}
	}
}

// TestDrawnOpenings verifies that filled graphics and lines on the layers of mask and paste become
// openings without an expansion, on their side.
func TestDrawnOpenings(t *testing.T) {
	for _, c := range []struct {
		drawn       string
		shape       board.Shape
		mask, paste bool
		layer       board.Layer
		w, h        int64 // [µm]; 0 for convex shapes
	}{
		{`(fp_circle (center 1 1) (end 1.25 1) (layer "F.Paste") (width 0) (fill solid))`,
			board.Circle, false, true, board.Top, 500, 500},
		{`(fp_poly (pts (xy 0 0) (xy 1 0) (xy 1 1)) (layer "B.Mask") (width 0) (fill solid))`,
			board.Convex, true, false, board.Bottom, 0, 0},
		{`(fp_rect (start 0 0) (end 1 1) (layer "F.Mask") (width 0) (fill solid))`,
			board.Convex, true, false, board.Top, 0, 0},
		{`(fp_line (start 0 0) (end 1 0) (layer "F.Paste") (width 0.3))`,
			board.Oval, false, true, board.Top, 1300, 300},
	} {
		f, err := FromKiCad("M", `(footprint "M" (layer "F.Cu") (solder_mask_margin 0.2)
			(pad "1" smd rect (at 0 0) (size 2 2) (layers "F.Cu"))`+c.drawn+")")
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Drawing.Apertures) != 1 {
			t.Errorf("%s: %+v", c.drawn, f.Drawing.Apertures)
			continue
		}
		a := f.Drawing.Apertures[0]
		if a.Shape != c.shape || a.Mask != c.mask || a.Paste != c.paste || !a.Drawn ||
			a.Layers != c.layer.Bit() || c.w != 0 && (a.Width != c.w*1000 || a.Height != c.h*1000) {
			t.Errorf("%s: %+v", c.drawn, a)
		}
	}
}

// TestUndrawableOpening verifies that a drawing of the mask that crosses itself is left out with a
// note, because a footprint with it was read before.
func TestUndrawableOpening(t *testing.T) {
	f, err := FromKiCad("M", `(footprint "M" (layer "F.Cu")
		(pad "1" smd rect (at 0 0) (size 2 2) (layers "F.Cu"))
		(fp_poly (pts (xy 0 0) (xy 3 3) (xy 0 2) (xy 3 0)) (layer "F.Mask") (width 0)))`)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Drawing.Apertures) != 0 || !strings.Contains(f.Note, "on F.Mask is left out") {
		t.Errorf("%+v, note %q", f.Drawing.Apertures, f.Note)
	}
}

// TestPadWithoutRing verifies that a plated pad that its hole fills is a hole without plating, with
// a warning. KiCad's footprint MountingHole_2-5mm of 2015 has such a pad.
func TestPadWithoutRing(t *testing.T) {
	f, err := FromKiCad("MountingHole_2-5mm", footprintText(
		`(pad "1" thru_hole circle (at 0 0) (size 2.5 2.5) (drill 2.5) (layers *.Cu))`))
	if err != nil {
		t.Fatal(err)
	}
	want := board.FootprintPad{
		At: f.Drawing.Origin, NonPlated: true,
		Padstack: board.Padstack{Width: 2.5e6, Height: 2.5e6, Shape: board.Circle, Drill: 2.5e6},
	}
	if len(f.Pads) != 1 || f.Pads[0] != want {
		t.Errorf("pads %+v, want %+v", f.Pads, want)
	}
	if !strings.Contains(f.Note, "pad 1 leaves no copper around it and is without plating") {
		t.Errorf("note %q", f.Note)
	}
}

// TestThermalViaWithoutRing verifies that a plated hole without a ring gets a ring within the
// copper of a pad with its number. The pads keep their order.
func TestThermalViaWithoutRing(t *testing.T) {
	const hole = `(pad "%s" thru_hole circle (at %g 0) (size 0.3 0.3) (drill 0.3)
		(layers *.Cu *.Mask) (solder_mask_margin %g))`
	const exposed = `(pad "1" smd rect (at 0 0) (size 4 4) (layers F.Cu F.Mask))`
	const custom = `(pad "1" smd custom (at 0 0) (size 1 1) (layers F.Cu F.Mask) (primitives
		(gr_poly (pts (xy -2 -1) (xy 2 -1) (xy 2 1) (xy 1.3 1) (xy 1.3 0.9) (xy -2 0.9)) (width 0))))`
	for _, c := range []struct {
		name, around, number string
		x                    float64 // position of the hole [mm]
		margin               float64 // margin of the mask [mm]
		plated, closed       bool
		mask                 int64 // margin of the mask [nm]
	}{
		{"within", exposed, "1", 1, 0, true, false, 0},
		{"close to the side", exposed, "1", 1.7, 0, true, false, 0},
		{"across the side", exposed, "1", 1.9, 0, false, false, 0},
		{"outside", exposed, "1", 3, 0, false, false, 0},
		{"another number", exposed, "2", 1, 0, false, false, 0},
		{"no number", exposed, "", 1, 0, true, false, 0},
		{"between the pieces of a pad", custom, "1", 1.3, 0, true, false, 0},
		{"smaller opening", exposed, "1", 1, -0.05, true, false, -200e3},
		{"opening of the size of the ring", exposed, "1", 1, 0.15, true, false, 1},
		{"tented", exposed, "1", 1, -0.15, true, true, 0},
	} {
		text := fmt.Sprintf(hole, c.number, c.x, c.margin)
		last := `(pad "9" smd rect (at -2.9 0) (size 0.1 1) (layers F.Cu))`
		f, err := FromKiCad("M", footprintText(text+c.around+last))
		if err != nil {
			t.Fatal(err)
		}
		p := f.Pads[0]
		if p.Drill != 3e5 || p.NonPlated == c.plated || f.Pads[len(f.Pads)-1].Number != "9" {
			t.Errorf("%s: pads %+v", c.name, f.Pads)
		}
		if !c.plated {
			if !strings.Contains(f.Note, "is without plating") {
				t.Errorf("%s: note %q", c.name, f.Note)
			}
			continue
		}
		if p.Width != 6e5 || p.Height != 6e5 || p.Number != "1" || p.NoMask != c.closed ||
			p.MaskMargin != c.mask || !strings.Contains(f.Note, "gets a ring of 0.15 mm") {
			t.Errorf("%s: pad %+v, note %q", c.name, p, f.Note)
		}
	}
}

// TestThermalViaAtSide verifies that a hole in an exposed pad, too close to its side for a ring, is
// left out. The clearance of the pad to its neighbour remains that of the drawing.
func TestThermalViaAtSide(t *testing.T) {
	for _, c := range []struct{ hole, neighbour float64 }{ // left sides [mm]
		{1.7, 2.05}, {1.7, 2.2}, {1.56, 2.05},
	} {
		f, err := FromKiCad("M", footprintText(fmt.Sprintf(
			`(pad "1" thru_hole circle (at %g 0) (size 0.3 0.3) (drill 0.3) (layers *.Cu *.Mask))
			(pad "1" smd rect (at 0 0) (size 4 4) (layers F.Cu F.Mask))
			(pad "2" smd rect (at %g 0) (size 0.5 1) (layers F.Cu F.Mask))`,
			c.hole+0.15, c.neighbour+0.25)))
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Pads) != 2 || len(f.Touching) > 0 || !strings.Contains(f.Note,
			"a ring of 0.15 mm would leave the pad; the hole is left out") {
			t.Errorf("%v: pads %+v, touching %v, note %q", c, f.Pads, f.Touching, f.Note)
		}
	}
}

// TestThermalRingBeyondPad verifies that a hole without space for its ring is kept with the full
// ring. A via in a large pad on one side is left out.
func TestThermalRingBeyondPad(t *testing.T) {
	const smd = `(pad "2" smd %s (at 2.54 0) (size %s) (layers %s))`
	for _, c := range []struct {
		name, around string
		x, drill     float64 // [mm]
		kept         bool
	}{
		{"lead", fmt.Sprintf(smd, "circle", "1.09 1.09", "F.Cu F.Mask"), 2.54, 0.8, true},
		{"between two sides", fmt.Sprintf(smd+smd, "circle", "1 1", "F.Cu F.Mask",
			"circle", "1 1", "B.Cu B.Mask"), 2.54, 0.8, true},
		{"via in a narrow pad", fmt.Sprintf(smd, "rect", "1 0.5", "F.Cu F.Mask"), 2.54, 0.3, true},
		{"lead in a large pad", fmt.Sprintf(smd, "rect", "2 2", "F.Cu F.Mask"), 3.1, 0.8, true},
		{"via between large pads", fmt.Sprintf(smd+smd, "rect", "2 2", "F.Cu F.Mask",
			"rect", "2 2", "B.Cu B.Mask"), 3.34, 0.3, true},
		{"via in a large pad", fmt.Sprintf(smd, "rect", "2 2", "F.Cu F.Mask"), 3.34, 0.3, false},
	} {
		f, err := FromKiCad("M", footprintText(fmt.Sprintf(
			`(pad "1" smd rect (at 0 0) (size 1 1) (layers F.Cu F.Mask))
			(pad "2" thru_hole circle (at %g 0) (size %g %g) (drill %g) (layers *.Cu *.Mask))`,
			c.x, c.drill, c.drill, c.drill)+c.around))
		if err != nil {
			t.Fatal(err)
		}
		p := f.Pads[1]
		size := board.MM(c.drill + 0.3)
		kept := p.Through() && p.Number == "2" && p.Drill == board.MM(c.drill) &&
			p.Width == size && p.Height == size
		if kept != c.kept || strings.Contains(f.Note, "is left out") == c.kept {
			t.Errorf("%s: pads %+v, note %q", c.name, f.Pads, f.Note)
		}
	}
}

// TestJoinUnnumbered verifies that a chain of 1500 overlapping pads without numbers gets the number
// of the pad at its end.
func TestJoinUnnumbered(t *testing.T) {
	var b strings.Builder
	for i := 1500; i > 0; i-- {
		fmt.Fprintf(&b, `(pad "" smd circle (at %g 0) (size 0.12 0.12) (layers "F.Cu"))`,
			float64(i)/10)
	}
	f, err := FromKiCad("x",
		footprintText(b.String()+`(pad "7" smd circle (at 0 0) (size 0.12 0.12) (layers "F.Cu"))`))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Pads {
		if p.Number != "7" {
			t.Fatalf("pad at %v has number %q", p.At, p.Number)
		}
	}
}

// TestTouchingPads verifies that pads of two numbers that overlap or touch are one pair. Pads with
// a gap of 10 nm or on two sides are none.
func TestTouchingPads(t *testing.T) {
	const square, disc, oval = `smd rect (at %s) (size 1 1) (layers "%s.Cu"))`,
		`smd circle (at %s) (size 1 1) (layers "%s.Cu"))`,
		`smd oval (at %s) (size 1 1.5) (layers "%s.Cu"))`
	for _, c := range []struct {
		name, one, other, at, side string
		pairs                      int
	}{
		{"overlap", square, square, "0.9 0", "F", 1},
		{"touch along a side", square, square, "1 0", "F", 1},
		{"touch at a corner", square, square, "1 1", "F", 1},
		{"circles", disc, disc, "1 0", "F", 1},
		{"circles at 7.3 degrees", disc, disc, "0.991894 0.127065", "F", 1},
		{"circles at 33.1 degrees", disc, disc, "0.837719 0.546102", "F", 1},
		{"circles with a gap", disc, disc, "0.991904 0.127066", "F", 0},
		{"ovals", oval, oval, "0.837719 1.046102", "F", 1},
		{"a circle at a side", disc, square, "0.837719 -0.546102 33.1", "F", 1},
		{"turned", square, square, "0.8535534 0.8535534 45", "F", 1},
		{"gap", square, square, "1.00001 0", "F", 0},
		{"two sides", square, square, "1 0", "B", 0},
	} {
		text := fmt.Sprintf(`(pad "1" `+c.one+` (pad "2" `+c.other, "0 0", "F", c.at, c.side)
		f, err := FromKiCad("x", footprintText(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Touching) != c.pairs {
			t.Errorf("%s: touching pads %v, want %d pairs", c.name, f.Touching, c.pairs)
		}
	}
}
