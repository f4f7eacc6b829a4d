package footprint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// footprintText returns the text of a footprint file with a courtyard, a body line and the given
// items.
func footprintText(items string) string {
	return `(footprint "X" (version 20211014) (generator pcbnew) (layer "F.Cu")
  (fp_rect (start -3 -2) (end 3 2) (layer "F.CrtYd") (width 0.05))
  (fp_line (start -2 -1) (end 2 -1) (layer "F.Fab") (width 0.1))
` + items + ")"
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
// note names open outlines.
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
		{"a card around a slot", `(fp_rect (start -4 -4) (end 4 4) (layer "Edge.Cuts") (width 0.1))
			(fp_rect (start -1 -2) (end 1 2) (layer "Edge.Cuts") (width 0.1))`,
			"an outline on Edge.Cuts around pads is left out: give it as outline", box},
		{"around a hole without plating", `(fp_rect (start -1 -2) (end 1 2) (layer "Edge.Cuts"))
			(pad "" np_thru_hole circle (at 0 0) (size 1 1) (drill 1) (layers *.Cu))`, "", box},
		{"across the centre of a pad", `(fp_rect (start -1 -2) (end 1 2) (layer "Edge.Cuts"))
			(pad "3" smd rect (at 0 0) (size 3 1) (layers "F.Cu"))`, "", box},
		{"flush with a pad", `(fp_rect (start -1 -2) (end 1 2) (layer "Edge.Cuts"))
			(pad "3" smd rect (at 0.5 0) (size 1 1) (layers "F.Cu"))`,
			"an outline on Edge.Cuts around pads is left out: give it as outline", nil},
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

// FuzzFromKiCad verifies that no text causes a panic and that accepted footprints have valid
// positions and sizes.
func FuzzFromKiCad(f *testing.F) {
	f.Add(footprintText(`(pad "1" thru_hole roundrect (at 0 0 30) (size 3 2) (drill oval 1 0.5 (offset 0.1 0.1)) (chamfer_ratio 0.2) (chamfer top_left) (layers *.Cu))`))
	f.Add(footprintText(`(pad "1" smd custom (at 0 0) (size 1 1) (options (anchor rect)) (layers "B.Cu") (primitives (gr_poly (pts (xy 0 0) (xy 2 0) (xy 1 1) (xy 0 2)) (width 0.1)) (gr_arc (start 0 0) (end 1 0) (angle 90) (width 0.2)) (gr_circle (center 1 1) (end 2 2) (width 0)) (gr_curve (pts (xy 0 0) (xy 1 0) (xy 1 1) (xy 2 2)) (width 0.1))))`))
	f.Add(footprintText(`(fp_arc (start 0 0) (mid 1 1) (end 2 0) (layer "F.SilkS") (stroke (width 0.1))) (zone (keepout (tracks not_allowed)) (layer "F.Cu") (polygon (pts (xy 0 0) (xy 1 1))))`))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := FromKiCad("x", text)
		if err != nil {
			var specErr *SpecError
			if !errors.As(err, &specErr) {
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
