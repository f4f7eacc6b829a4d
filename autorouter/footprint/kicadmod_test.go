package footprint

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
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

// unread matches the error messages for unsupported footprints of KiCad's libraries.
var unread = regexp.MustCompile(
	`copper is drawn on|a zone of copper|the footprint measures|on layer B.Cu`)

// TestReadKiCadLibrary verifies that FromKiCad reads every footprint of KiCad's libraries except
// for the unsupported ones.
func TestReadKiCadLibrary(t *testing.T) {
	paths, err := filepath.Glob(kicadLibraries + "/*.pretty/*.kicad_mod")
	if err != nil || len(paths) == 0 {
		missing(t, "KiCad's footprints are not installed (Debian package kicad-footprints)")
	}
	refused := map[string]int{}
	read := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".kicad_mod")
		f, err := FromKiCad(name, string(text))
		if err != nil {
			reason := unread.FindString(err.Error())
			refused[reason]++
			if reason == "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		read++
		_ = f
	}
	t.Logf("%d of %d read; refused %v", read, len(paths), refused)
}

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

// footprintText returns the text of a footprint file with a courtyard, a body line and the given
// items.
func footprintText(items string) string {
	return `(footprint "X" (version 20211014) (generator pcbnew) (layer "F.Cu")
  (fp_rect (start -3 -2) (end 3 2) (layer "F.CrtYd") (width 0.05))
  (fp_line (start -2 -1) (end 2 -1) (layer "F.Fab") (width 0.1))
` + items + ")"
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
	// With a width of 2 mm and a delta of 0.5 mm, the upper side of the trapezoid measures 1.5 mm
	// and the lower side 2.5 mm.
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
		Back: true, Tracks: true, Copper: true,
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

// TestMargins compares the openings of pads with local margins with the sizes that KiCad 6 plots:
// the margin of the pad, else of the footprint, replaces that of the board, and a ratio counts for
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

// TestDrawnTexts verifies which texts on the silkscreen are read, with their place, height and
// alignment, and that the note names those without glyphs.
func TestDrawnTexts(t *testing.T) {
	const font = `(effects (font (size 1.2 1) (thickness 0.15)) (justify left))`
	for _, c := range []struct {
		text string
		want []board.DrawnText
		note string
	}{
		{`(fp_text user "230V" (at 1 -2 90) (layer "F.SilkS") ` + font + `)`,
			[]board.DrawnText{{Text: "230V", At: mmPoint(1, 2), Rotation: 90, Height: 1_200_000,
				Align: -1}}, ""},
		{`(fp_text user + (at 0 0) (layer F.SilkS))`,
			[]board.DrawnText{{Text: "+", Height: 1_000_000}}, ""},
		{`(fp_text user A (at 0 0 unlocked) (layer F.SilkS)) (fp_text user B (at 0 0) (unlocked yes) (layer F.SilkS))`,
			[]board.DrawnText{{Text: "A", Height: 1_000_000, Unlocked: true},
				{Text: "B", Height: 1_000_000, Unlocked: true}}, ""},
		{`(fp_text user "${REFERENCE}" (at 0 0) (layer "F.SilkS"))`, nil, ""},
		{`(fp_text reference "R1" (at 0 0) (layer "F.SilkS"))`, nil, ""},
		{`(fp_text user "A" (at 0 0) (layer "F.SilkS") hide)`, nil, ""},
		{`(fp_text user "A" (at 0 0) (layer "F.Fab"))`, nil, ""},
		{`(fp_text user "5 Ω" (at 0 0) (layer "F.SilkS"))`, nil, "5 Ω on F.SilkS is left out"},
		{`(fp_text user "A" (at 0 0) (layer "B.SilkS"))`, nil, "A on B.SilkS is left out"},
	} {
		f, err := FromKiCad("T", `(footprint "T" (layer "F.Cu")
			(pad "1" smd rect (at 0 0) (size 2 2) (layers "F.Cu"))`+c.text+")")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if !slices.Equal(f.Drawing.Texts, c.want) || !strings.Contains(f.Note, c.note) ||
			c.note == "" && strings.Contains(f.Note, "left out") {
			t.Errorf("%s: %+v, note %q", c.text, f.Drawing.Texts, f.Note)
		}
	}
}

// TestImportedPolarity verifies that imported footprints with two pads have a mark of pad 1, except
// for those of resistors, capacitors, inductors and fuses.
func TestImportedPolarity(t *testing.T) {
	for name, want := range map[string]bool{"Resistor_SMD:R_0603_1608Metric": false,
		"C_0402_1005Metric": false, "L_0603": false, "Fuse_0603_1608Metric": false,
		"CP_Elec_4x5.3": true, "D_0603_1608Metric": true, "LED_SMD:LED_0603_1608Metric": true,
		"Connector:Conn_01x02": true} {
		f, err := FromKiCad(name, `(footprint "T" (layer "F.Cu")
			(pad "1" smd rect (at -1 0) (size 1 1) (layers "F.Cu"))
			(pad "2" smd rect (at 1 0) (size 1 1) (layers "F.Cu")))`)
		if err != nil || f.Polar != want {
			t.Errorf("%s: polar %t, %v", name, f.Polar, err)
		}
	}
}

// TestCutouts verifies that closed outlines on Edge.Cuts become cut-outs of the board, and that the
// note names those that cannot.
func TestCutouts(t *testing.T) {
	const open = "lines on Edge.Cuts that form no closed outline are left out"
	box := []board.Rect{{Min: mmPoint(-1, -2), Max: mmPoint(1, 2)}}
	for _, c := range []struct {
		name, edges, note string
		boxes             []board.Rect // in drawing coordinates [nm]
	}{
		{"lines", `(fp_line (start -1 -2) (end 1 -2) (layer "Edge.Cuts") (width 0.1))
			(fp_line (start -1 2) (end 1.004 2) (layer "Edge.Cuts") (width 0.1))
			(fp_line (start -1 2) (end -1 -2) (layer "Edge.Cuts") (width 0.1))
			(fp_line (start 1 -2) (end 1 2) (layer "Edge.Cuts") (width 0.1))`, "", box},
		{"a circle in a rectangle", `(fp_circle (center 0 0) (end 0.5 0) (layer "Edge.Cuts"))
			(fp_rect (start -1 -2) (end 1 2) (layer "Edge.Cuts") (width 0.1))`,
			"an outline on Edge.Cuts inside a cut-out is left out", box},
		{"an open line", `(fp_line (start -1 -2) (end 1 -2) (layer "Edge.Cuts") (width 0.1))`, open,
			nil},
	} {
		f, err := FromKiCad("E", `(footprint "E" (layer "F.Cu")
			(fp_rect (start -4 -4) (end 4 4) (layer "F.CrtYd") (width 0.05))
			(pad "1" smd rect (at -3 0) (size 1 1) (layers "F.Cu"))
			(pad "2" smd rect (at 5 0) (size 1 1) (layers "F.Cu")) `+c.edges+")")
		if err != nil {
			t.Fatal(err)
		}
		cuts := f.Drawing.Cutouts
		if len(cuts) != len(c.boxes) || !strings.Contains(f.Note, c.note) {
			t.Errorf("%s: %v, note %q", c.name, cuts, f.Note)
			continue
		}
		for i, want := range c.boxes {
			got := cuts[i].Translated(board.Point{}.Sub(f.Drawing.Origin)).Bounds()
			if board.Distance(got.Min, want.Min) > 5e3 || board.Distance(got.Max, want.Max) > 5e3 {
				t.Errorf("%s: %v, want %v", c.name, got, want)
			}
		}
	}
}

func mmPoint(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }

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

// TestReadBadFiles verifies that FromKiCad rejects each invalid file with the expected message.
func TestReadBadFiles(t *testing.T) {
	pad := func(s string) string { return footprintText(s) }
	many := func(n int, s string) string { return pad(strings.Repeat(s, n)) }
	for _, c := range []struct{ text, want string }{
		{"", "the footprint is empty"},
		{"(kicad_pcb)", "expected (footprint ...) or (module ...)"},
		{"(footprint", "never closed"},
		{"(module X)", "no pads and no drawing"},
		{strings.Repeat("(", 100), "nested more than 30 deep"},
		{`(footprint "x" (layer "B.Cu"))`, "on layer B.Cu"},
		{pad(`(pad "1" smd rect (at 0) (size 1 1) (layers "F.Cu"))`),
			"line 4: (at ...) has no two coordinates"},
		{pad(`(pad "1" smd rect (at 0 0) (layers "F.Cu"))`), "pad 1 has no (size W H)"},
		{pad(`(pad "1" smd rect (at 0 1e300) (size 1 1) (layers "F.Cu"))`), "out of range"},
		{pad(`(pad "1" smd rect (at 0 900) (size 1 1) (layers "F.Cu"))`), "beyond 400 mm"},
		{pad(`(pad "1" smd rect (at 0 0) (size 1 NaN) (layers "F.Cu"))`), "out of range"},
		{pad(`(pad "1" smd rect (at 0 0) (size 0 1) (layers "F.Cu"))`), "measures 0 x 1 mm"},
		{pad(`(pad "1" smd star (at 0 0) (size 1 1) (layers "F.Cu"))`), "has shape star"},
		{pad(`(pad "1" glued rect (at 0 0) (size 1 1) (layers "F.Cu"))`), "has type glued"},
		{pad(`(pad "1 2" smd rect (at 0 0) (size 1 1) (layers "F.Cu"))`), "pad number 1 2"},
		{pad(`(pad "1" thru_hole circle (at 0 0) (size 1 1) (layers *.Cu))`), "has no (drill ...)"},
		{pad(`(pad "1" thru_hole oval (at 0 0) (size 1 2) (drill 1) (layers *.Cu))`),
			"leaves no copper"},
		{pad(`(pad "" np_thru_hole circle (at 0 0) (size 1 1) (layers *.Cu))`),
			"has no (drill ...)"},
		{pad(`(pad "1" smd roundrect (at 0 0) (size 1 1) (roundrect_rratio 0.9) (layers "F.Cu"))`),
			"must be 0 to 0.5"},
		{pad(`(pad "1" smd trapezoid (at 0 0) (size 1 1) (rect_delta 3 0) (layers "F.Cu"))`),
			"not above the size"},
		{pad(`(pad "1" smd custom (at 0 0) (size 1 1) (layers "F.Cu") (primitives (gr_poly (pts (xy 0 0) (xy 1 1) (xy 1 0) (xy 0 1)) (width 0))))`),
			"line 4: a polygon of pad 1 "},
		{pad(`(fp_poly (pts (xy 0 0) (xy 1 1) (xy 1 0)) (layer "F.Cu") (width 0))`),
			"copper is drawn on F.Cu"},
		{pad(`(fp_arc (start 0 0) (end 1 1) (layer "F.SilkS"))`), "has no (angle ...)"},
		{pad(`(fp_line (start 0 0) (layer "F.SilkS"))`), "has no (end X Y)"},
		{many(3000, `(pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu"))`),
			"more than 2000 convex pieces"},
		{many(9, `(model "x")`), "more than 8 3D models"},
		{pad(stacked(2000)), "more than 500 pairs of pads overlap"},
	} {
		_, err := FromKiCad("x", c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.120s: %v, want %s", c.text, err, c.want)
		}
	}
	for _, name := range []string{"", " x", "a\"b", "a\nb", strings.Repeat("x", 129)} {
		if _, err := FromKiCad(name, pad("")); err == nil ||
			!strings.Contains(err.Error(), "name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// stacked returns n pads with the numbers 0 to n-1 at the same position.
func stacked(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `(pad "%d" smd circle (at 0 0) (size 1 1) (layers "F.Cu"))`, i)
	}
	return b.String()
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

// FuzzFromKiCad verifies that no text causes a panic and that accepted footprints have valid
// positions and sizes.
func FuzzFromKiCad(f *testing.F) {
	f.Add(footprintText(`(pad "1" thru_hole roundrect (at 0 0 30) (size 3 2) (drill oval 1 0.5 (offset 0.1 0.1)) (chamfer_ratio 0.2) (chamfer top_left) (layers *.Cu))`))
	f.Add(footprintText(`(pad "1" smd custom (at 0 0) (size 1 1) (options (anchor rect)) (layers "B.Cu") (primitives (gr_poly (pts (xy 0 0) (xy 2 0) (xy 1 1) (xy 0 2)) (width 0.1)) (gr_arc (start 0 0) (end 1 0) (angle 90) (width 0.2)) (gr_circle (center 1 1) (end 2 2) (width 0)) (gr_curve (pts (xy 0 0) (xy 1 0) (xy 1 1) (xy 2 2)) (width 0.1))))`))
	f.Add(footprintText(`(fp_arc (start 0 0) (mid 1 1) (end 2 0) (layer "F.SilkS") (stroke (width 0.1))) (zone (keepout (tracks not_allowed)) (layer "F.Cu") (polygon (pts (xy 0 0) (xy 1 1))))`))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := FromKiCad("x", text)
		if err != nil {
			var fault *SpecError
			if !errors.As(err, &fault) {
				t.Fatalf("error %T", err)
			}
			return
		}
		limit := 4 * board.MM(maxExtent)
		for _, q := range p.Pads {
			if q.Width <= 0 || q.Height <= 0 || max(q.At.X, -q.At.X, q.At.Y, -q.At.Y, q.Width,
				q.Height) > limit || !(q.Rotation >= 0 && q.Rotation < 360) {
				t.Errorf("pad %+v", q)
			}
			if q.Shape != board.Convex {
				continue
			}
			if a := board.Polygon(q.Corners[:]).Area(); a < 0 {
				t.Errorf("the corners of %+v run clockwise", q)
			}
		}
		if p.Courtyard.Width() < 0 || p.Courtyard.Width() > limit {
			t.Errorf("courtyard %v", p.Courtyard)
		}
	})
}

// TestCourtyardOutline verifies which drawn courtyards keep their outline. The T is the courtyard
// of ESP32-WROOM-32 in KiCad's library of 2020: a module of 19.5 mm below an antenna keepout of
// 28.5 mm by 11.28 mm.
func TestCourtyardOutline(t *testing.T) {
	tee := []string{"-9.75 10.5", "-9.75 -9.72", "-14.25 -9.72", "-14.25 -21", "14.25 -21",
		"14.25 -9.72", "9.75 -9.72", "9.75 10.5"}
	area := 19.5*20.22 + 28.5*11.28
	for _, c := range []struct {
		name    string
		corners []string
		pad     string
		want    float64 // area of the courtyard [mm²]
	}{
		{"T", tee, "-8.5 -8.255", area},
		{"pad at the side of the stem", tee, "-8.8 -8.255", 28.5 * 31.5},
		{"pad outside of the T", tee, "-12 0", 28.5 * 31.5},
		{"small notch", []string{"-5 5", "-5 -5", "5 -5", "5 3", "4 3", "4 5"}, "0 0", 100},
		{"oblique side", []string{"-5 5", "-5 -5", "5 -5", "5 -4", "-4 4", "-4 5"}, "-3 -3", 100},
	} {
		lines := ""
		for i, a := range c.corners {
			// Lines in both directions, as KiCad writes them.
			b := c.corners[(i+1)%len(c.corners)]
			if i%2 > 0 {
				a, b = b, a
			}
			lines += "(fp_line (start " + a + ") (end " + b + ") (layer F.CrtYd) (width 0.05))\n"
		}
		f, err := FromKiCad("Lib:X", `(module X (layer F.Cu) `+lines+`
			(pad 1 smd rect (at `+c.pad+`) (size 2 0.9) (layers F.Cu F.Paste F.Mask)))`)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := f.CourtyardArea() / 1e12; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %.3f mm², want %.3f mm²", c.name, got, c.want)
		}
		if o := f.CourtyardOutline; o != nil && o.Bounds() != f.Courtyard {
			t.Errorf("%s: outline %v in %v", c.name, o, f.Courtyard)
		}
	}
}

// TestMatingSide verifies the mating side of imported connectors: from a marked board edge, from
// the library's connector of the same name, from their name and body or contacts, or none.
func TestMatingSide(t *testing.T) {
	pads := func(x1, y1, x2, y2 float64) string {
		return fmt.Sprintf(`(pad 1 thru_hole rect (at %g %g) (size 2 4) (drill oval 1 3) (layers *.Cu))
			(pad 2 thru_hole rect (at %g %g) (size 2 4) (drill oval 1 3) (layers *.Cu))`,
			x1, y1, x2, y2)
	}
	body := func(x1, y1, x2, y2 float64) string {
		return fmt.Sprintf(`(fp_line (start %g %g) (end %g %g) (layer "F.Fab") (width 0.1))
			(fp_line (start %[1]g %[4]g) (end %[3]g %[2]g) (layer "F.Fab") (width 0.1))`,
			x1, y1, x2, y2)
	}
	// row returns pads with a pitch of 0.65 mm at the upper or, if not horizontal, right side of
	// the courtyard.
	row := func(horizontal bool, pads int) (items string) {
		for i := range pads {
			x, y := float64(i)*0.65-1, -2.2
			if !horizontal {
				x, y = -y+1, x
			}
			items += fmt.Sprintf(
				`(pad %d smd rect (at %g %g) (size 0.4 0.4) (layers F.Cu))`, i+3, x, y)
		}
		return items
	}
	edge := func(line, text string) string {
		return `(fp_line ` + line + ` (layer "Dwgs.User") (width 0.1))
			(fp_text user "` + text + `" (at 0 0) (layer "Dwgs.User"))`
	}
	for _, c := range []struct {
		name, footprint, items string
		want                   board.Edge
	}{
		// KiCad's y axis points down.
		{"edge below", "X", edge("(start -5 9) (end 5 9)", "PCB Edge") + pads(3, 4, 5, 4),
			board.BottomEdge},
		{"edge above", "X", edge("(start -5 2) (end 5 2)", "PCB edge") + pads(3, 4, 5, 4),
			board.TopEdge},
		{"edge at the left", "X", edge("(start 2 -5) (end 2 5)", "PCB Edge") + pads(3, 4, 5, 4),
			board.LeftEdge},
		{"edge at the right", "X", edge("(start 9 5) (end 9 -5)", "Board Edge") + pads(3, 4, 5, 4),
			board.RightEdge},
		{"line without a text", "X", edge("(start -5 9) (end 5 9)", "x") + pads(3, 4, 5, 4),
			board.NoEdge},
		{"oblique line", "X", edge("(start -5 9) (end 5 8)", "PCB Edge") + pads(3, 4, 5, 4),
			board.NoEdge},
		{"barrel jack of the library", "Connector_BarrelJack:BarrelJack_Horizontal",
			pads(0, 0, -6, 0), board.LeftEdge},
		{"barrel jack drawn the other way", "BarrelJack_Horizontal", pads(-3, 0, 3, 0),
			board.NoEdge},
		{"resistor", "R_0805", pads(-1, 0, 1, 0), board.NoEdge},
		// Without a marked edge, the body extends farthest beyond the pads on the mating side. Pads
		// measure 2 by 4 mm; the courtyard is from (-3, -2) to (3, 2) mm.
		{"jack", "DC_Jack", body(-2, -2, 9, 2) + pads(-1, 0, 1, 0), board.RightEdge},
		{"USB above", "USB_Mini-B", body(-2, -9, 2, 2) + pads(-1, 0, 1, 0), board.TopEdge},
		{"jack with a centred body", "DC_Jack", body(-9, -2, 9, 2) + pads(-1, 0, 1, 0),
			board.NoEdge},
		{"vertical jack", "DC_Jack_Vertical", body(-2, -2, 9, 2) + pads(-1, 0, 1, 0),
			board.NoEdge},
		{"relay", "Relay", body(-2, -2, 9, 2) + pads(-1, 0, 1, 0), board.NoEdge},
		{"terminal block in a row", "bornier2", body(-3, -4, 3, 4) + pads(-2, 0, 2, 0),
			board.BottomEdge},
		{"terminal block in a column", "bornier2", body(-4, -4, 4, 4) + pads(0, -2, 0, 2),
			board.NoEdge},
		{"terminal block with a deep body", "Phoenix_MC", body(-3, -9, 3, 2) + pads(-2, 0, 2, 0),
			board.TopEdge},
		// The opening of a connector without a body is opposite to the row of its contacts.
		{"contacts above the shell", "USB_Micro", row(true, 5) + pads(-4, 3, 4, 3),
			board.BottomEdge},
		{"contacts at the right of the shell", "RJHSE-5380", row(false, 8) + pads(-3, -4, -3, 4),
			board.LeftEdge},
		{"three contacts", "USB_Micro", row(true, 3) + pads(-4, 3, 4, 3), board.NoEdge},
		{"contacts between the pads of the shell", "USB_Micro", row(true, 5) +
			pads(-5, -4, 5, -0.4), board.NoEdge},
		{"contacts of a chip", "SOIC", row(true, 5) + pads(-4, 3, 4, 3), board.NoEdge},
	} {
		f, err := FromKiCad(c.footprint, footprintText(c.items))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		// Distance of the lines from (4, 4) mm, the centre of the pads.
		distance := map[string]int64{"edge below": 5e6, "edge above": 2e6, "edge at the left": 2e6,
			"edge at the right": 5e6}[c.name]
		if f.EdgeDistance != distance || f.MarksEdge != (distance > 0) {
			t.Errorf("%s: board edge at %d nm, want %d", c.name, f.EdgeDistance, distance)
		}
		wantEdge := board.NoEdge
		if c.want != board.NoEdge {
			wantEdge = board.AnyEdge
		}
		if f.MatingSide != c.want || f.Edge != wantEdge {
			t.Errorf("%s: mating side %v at edge %v, want %v at %v", c.name, f.MatingSide, f.Edge,
				c.want, wantEdge)
		}
	}
}

// TestKeepoutShape verifies that a C-shaped keepout keeps its shape, which is moved with the pads
// to the centre of the footprint, and that a rectangle has none besides its area.
func TestKeepoutShape(t *testing.T) {
	at := func(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }
	const zone = `(pad 1 smd rect (at 1 2) (size 1 1) (layers F.Cu))
		(zone (net 0) (layers F.Cu) (keepout (tracks not_allowed) (vias not_allowed)
			(copperpour not_allowed)) (polygon (pts %s)))`
	for points, want := range map[string]board.Polygon{
		"(xy 0 0) (xy 4 0) (xy 4 4) (xy 0 4)": nil,
		"(xy 0 0) (xy 4 0) (xy 4 1) (xy 3 1) (xy 3 3) (xy 4 3) (xy 4 4) (xy 0 4)": {
			at(-1, 2), at(3, 2), at(3, 1), at(2, 1), at(2, -1), at(3, -1), at(3, -2), at(-1, -2)},
	} {
		f, err := FromKiCad("X", footprintText(fmt.Sprintf(zone, points)))
		if err != nil {
			t.Fatal(err)
		}
		area := board.Rect{Min: at(-1, -2), Max: at(3, 2)}
		if k := f.Keepouts[0]; k.Area != area || !slices.Equal(k.Outline, want) {
			t.Errorf("%s: %v, outline %v, want %v", points, k.Area, k.Outline, want)
		}
	}
}
