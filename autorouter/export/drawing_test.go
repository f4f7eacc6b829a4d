package export

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/fabrication"
	"slipstick/autorouter/footprint"
)

func at(x, y float64) board.Point { return board.Point{X: board.MM(x), Y: board.MM(y)} }

func ring(points ...float64) board.Polygon {
	var g board.Polygon
	for i := 0; i < len(points); i += 2 {
		g = append(g, at(points[i], points[i+1]))
	}
	return g
}

func areaOf(g board.Polygon) float64 {
	sum := 0.0
	for i, p := range g {
		q := g[(i+1)%len(g)]
		sum += board.ToMM(p.X)*board.ToMM(q.Y) - board.ToMM(q.X)*board.ToMM(p.Y)
	}
	return sum / 2
}

// TestBridged verifies that keyhole cuts have zero width, so the area is that of the outline minus
// the holes. A hole outside the outline is an error.
func TestBridged(t *testing.T) {
	square := ring(0, 0, 20, 0, 20, 20, 0, 20)
	// The corners of holes are listed clockwise.
	hole := func(x, y, r float64) board.Polygon {
		return ring(x-r, y-r, x-r, y+r, x+r, y+r, x+r, y-r)
	}
	for _, c := range []struct {
		name  string
		holes []board.Polygon
		area  float64
	}{
		{"none", nil, 400},
		{"one", []board.Polygon{hole(10, 10, 2)}, 384},
		{"one behind the other", []board.Polygon{hole(5, 10, 2), hole(10, 10, 1), hole(15, 10, 2)},
			400 - 16 - 4 - 16},
		{"two with the same right side", []board.Polygon{hole(10, 5, 2), hole(10, 15, 2)},
			400 - 32},
		{"a column and a row", []board.Polygon{hole(3, 3, 1), hole(3, 10, 1), hole(3, 17, 1),
			hole(10, 3, 1), hole(17, 3, 1)}, 380},
		{"a triangle with its corner to the right", []board.Polygon{ring(5, 5, 5, 15, 15, 10)},
			350},
		{"a crumb of two points is nothing", []board.Polygon{ring(5, 5, 6, 6)}, 400},
	} {
		g, err := keyholed(board.Filled{Outline: square, Holes: c.holes})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := areaOf(g); math.Abs(got-c.area) > 1e-9 {
			t.Errorf("%s: area %g mm², want %g", c.name, got, c.area)
		}
		for _, h := range c.holes {
			if len(h) < 3 {
				continue
			}
			b := h.Bounds()
			if mid := (board.Point{X: b.Min.X + 1_000_001, Y: (b.Min.Y+b.Max.Y)/2 + 1}); g.Contains(
				mid) {
				t.Errorf("%s: the hole about %v is filled", c.name, mid)
			}
		}
	}
	if g, err := keyholed(board.Filled{Outline: square,
		Holes: []board.Polygon{hole(40, 10, 2)}}); err == nil {
		t.Errorf("a hole to the right of its outline gives %v", g)
	}
	if g, err := keyholed(board.Filled{Outline: square,
		Holes: []board.Polygon{hole(10, 40, 2)}}); err == nil {
		t.Errorf("a hole above its outline gives %v", g)
	}
	b := bench("R1", "4k7", "VCC")
	b.Zones[0].Pieces[0].Holes[0] = ring(100, 1, 100, 2, 101, 2)
	if _, err := All(t.Context(), b, Options{}); err == nil ||
		!strings.Contains(err.Error(), "outside the copper") {
		t.Errorf("a board with such a zone: %v", err)
	}
}

// maskOf returns the mask openings of two square pads of 1 mm with a gap between them. The gap, the
// mask expansion and the minimum web are in mm.
func maskOf(gap, expansion, web float64) openings {
	f := &board.Footprint{Name: "TWO", Pads: []board.FootprintPad{{
		Number: "1", At: at(0, 0),
		Padstack: board.Padstack{Width: 1e6, Height: 1e6},
	}, {Number: "2", At: at(1+gap, 0), Padstack: board.Padstack{Width: 1e6, Height: 1e6}}}}
	b := &board.Board{Outline: ring(0, 0, 20, 0, 20, 20, 0, 20),
		Rules: board.Rules{MaskExpansion: board.MM(expansion), MaskWeb: board.MM(web)}}
	b.Parts = append(b.Parts, board.Place(board.Component{Ref: "X1", Footprint: f},
		board.Placement{At: at(5, 5)}, func(string) int {
			return board.NoNet
		}))
	return openingsOf(b, board.TopSide)
}

// TestMaskWeb verifies that a mask web below the minimum of 0.1 mm is removed and that a web of 0.1
// mm is kept. Openings that overlap leave no web, so nothing is added between them.
func TestMaskWeb(t *testing.T) {
	for _, c := range []struct {
		name               string
		gap, expansion     float64
		merged, middleOpen bool
	}{
		{"web 0.2", 0.3, 0.05, false, false},
		{"web 0.1, the least", 0.2, 0.05, false, false},
		{"web 0.08", 0.18, 0.05, true, true},
		{"web 0.001", 0.101, 0.05, true, true},
		{"openings that overlap", 0.05, 0.05, false, true},
	} {
		d := maskOf(c.gap, c.expansion, 0.1)
		if (len(d.bridges) > 0) != c.merged {
			t.Errorf("%s: %d bridges merged", c.name, len(d.bridges))
		}
		open := func(p board.Point) bool {
			for _, g := range d.contours {
				if g.Contains(p) {
					return true
				}
			}
			return false
		}
		if got := open(at(5.5+c.gap/2, 5.00001)); got != c.middleOpen {
			t.Errorf("%s: open between the lands %v", c.name, got)
		}
		for _, y := range []float64{4.4, 5.6} { // bridges must not extend beyond the pads
			if open(at(5.5+c.gap/2, y)) {
				t.Errorf("%s: open at y = %g mm", c.name, y)
			}
		}
	}
}

// denseBoard returns a dense board with parts of every kind of pin 1 or polarity mark on both
// sides.
func denseBoard(t *testing.T) *board.Board {
	t.Helper()
	mm := board.MM
	b := &board.Board{Name: "dense", Outline: ring(0, 0, 40, 0, 40, 30, 0, 30),
		Nets: []board.Net{{Name: "GND"}},
		Rules: board.Rules{Classes: []board.Class{{Name: "default", Clearance: mm(.2)}},
			MaskExpansion: mm(.05), MaskWeb: mm(.1), GroundNet: board.NoNet}}
	for i, name := range []string{"SOIC-8", "LED_0805", "CP_TANT_B", "R_0402", "PinHeader_2x03",
		"QFN-16", "D_DO-41", "CP_RADIAL_D5", "SOT-23", "USB_MICRO_B", "TO-220", "C_0603"} {
		f, err := footprint.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 2 {
			p := board.Placement{At: at(4+float64(i%4)*10.5, 4+float64(i/4)*10.5),
				Rotation: float64((i % 3) * 45), Side: board.Side(k)}
			b.Parts = append(b.Parts,
				board.Place(board.Component{Ref: []string{"U", "D"}[k] + string(rune('A'+i)),
					Footprint: f}, p, func(string) int {
					return board.NoNet
				}))
		}
	}
	return b
}

// TestSilkscreen verifies that the silkscreen is clear of every mask opening, inside the board, and
// not below the minimum stroke width and text height. The independent rule check must agree.
func TestSilkscreen(t *testing.T) {
	b := denseBoard(t)
	printed, err := Draw(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	report, err := drc.CheckWithSilk(t.Context(), b, printed.Strokes)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Violations {
		if v.Rule == "silk_over_mask" {
			t.Errorf("%s at %g, %g", v.Message, v.X, v.Y)
		}
	}
	named, marked := map[string]bool{}, map[string]bool{}
	for _, l := range board.Sides() {
		g := printed.sides[l]
		for _, s := range g.all() {
			if s.width < board.MM(.15) {
				t.Errorf("a stroke of %d nm", s.width)
			}
			for _, p := range []board.Point{s.a, s.b} {
				if !g.onBoard(p, s.width/2) {
					t.Errorf("%s: silk at %v is off the board", b.Parts[s.part].Ref, p)
				}
			}
			marked[b.Parts[s.part].Ref] = true
		}
		for i, c := range g.refTexts {
			if c.height < board.MM(.8) {
				t.Errorf("%s is %d nm high", b.Parts[c.part].Ref, c.height)
			}
			for k := range i {
				if g.taken[i].Overlaps(g.taken[k]) {
					t.Errorf("%s and %s are printed on each other", b.Parts[c.part].Ref,
						b.Parts[g.refTexts[k].part].Ref)
				}
			}
			named[b.Parts[c.part].Ref] = true
		}
	}
	if len(named) < 20 || len(marked) != 24 {
		t.Errorf("%d of 24 parts have a name, %d any silk", len(named), len(marked))
	}
}

// TestMarks verifies the position and form of the pin 1 mark for each kind of part.
func TestMarks(t *testing.T) {
	for name, want := range map[string]struct {
		dots, strokes int // number of dots and lines of the mark, excluding the package outline
	}{"R_0805": {0, 0}, "LED_0805": {0, 3}, "CP_TANT_B": {0, 2}, "SOIC-8": {1, 0},
		"PinHeader_1x02": {1, 0}, "NetTie": {0, 0}} {
		f, err := footprint.Find(name)
		if name == "NetTie" { // either end is right
			f, err = footprint.FromKiCad(name, `(footprint "" (net_tie_pad_groups "1,2")
				(fp_line (start -1 0) (end 1 0) (layer "F.Cu") (width 0.4))
				(pad "1" smd circle (at -1 0) (size 1 1) (layers "F.Cu"))
				(pad "2" smd circle (at 1 0) (size 1 1) (layers "F.Cu")))`)
		}
		if err != nil {
			t.Fatal(err)
		}
		b := &board.Board{Outline: ring(0, 0, 30, 0, 30, 30, 0, 30),
			Rules: board.Rules{MaskExpansion: board.MM(.05)}}
		b.Parts = append(b.Parts, board.Place(board.Component{Ref: "X1", Footprint: f},
			board.Placement{At: at(15, 15)}, func(string) int {
				return board.NoNet
			}))
		o := openingsOf(b, board.TopSide)
		g := &silkscreen{
			b: b, openings: &o, bodies: make([]board.Rect, 1), own: make([]board.Rect, 1),
		}
		g.mark(0)
		dots, lines := 0, 0
		for _, s := range g.strokes {
			if s.a == s.b {
				dots++
			} else {
				lines++
			}
			// The mark is nearer to pin 1 than to the last pin.
			mid := board.Point{X: (s.a.X + s.b.X) / 2, Y: (s.a.Y + s.b.Y) / 2}
			one, last := b.Parts[0].Pads[0].At, b.Parts[0].Pads[len(f.Pads)-1].At
			if board.Distance(mid, one) > board.Distance(mid, last) {
				t.Errorf("%s: the mark at %v is nearer to the last pin", name, mid)
			}
		}
		if dots != want.dots || lines != want.strokes {
			t.Errorf("%s: %d dots and %d strokes, want %d and %d", name, dots, lines, want.dots,
				want.strokes)
		}
	}
}

// TestPointAliases verifies that nets with long names or the name N/C are distinguished from copper
// without a net.
func TestPointAliases(t *testing.T) {
	long := "THIS_NET_NAME_HAS_MORE_THAN_FOURTEEN_CHARACTERS"
	b := bench("R1", "4k7", long)
	b.Parts[2].Pads[5].Net = board.NoNet
	b.Nets = append(b.Nets, board.Net{Name: "N/C"}, board.Net{Name: "NNAME1"})
	b.Vias = append(b.Vias, board.Via{Net: 2, At: at(15, 10), Drill: board.MM(.3),
		Diameter: board.MM(.6)}, board.Via{Net: 3, At: at(16, 10), Drill: board.MM(.3),
		Diameter: board.MM(.6)})
	files, err := All(t.Context(), b, Options{Formats: []string{"ipc356", "gerber"}})
	if err != nil {
		t.Fatal(err)
	}
	text := files[len(files)-1].Content
	points, err := fabrication.ReadIPC356(text)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(points); points[0].Net != long || points[n-1].Net != "NNAME1" ||
		!strings.Contains(text, "P  NNAME3  N/C\n") {
		t.Errorf("nets %q, %q in\n%s", points[0].Net, points[n-1].Net, text)
	}
	if !strings.Contains(files[0].Content, `%TO.N,N\u002FC*%`) ||
		!strings.Contains(files[0].Content, "%TO.N,N/C*%") {
		t.Error("the net called N/C and copper on no net have one name")
	}
}

// TestNameless verifies that parts whose references do not fit on the silkscreen are listed, on
// both sides. References that fit are not listed.
func TestNameless(t *testing.T) {
	f, err := footprint.Find("R_0402")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		height float64
		want   string
	}{{2, "[R1 R2]"}, {8, "[]"}} {
		b := &board.Board{Outline: ring(0, 0, 3, 0, 3, c.height, 0, c.height),
			Rules: board.Rules{Classes: []board.Class{{Name: "default"}}}}
		for i, ref := range []string{"R1", "R2"} {
			b.Parts = append(b.Parts, board.Place(board.Component{Ref: ref, Footprint: f},
				board.Placement{At: at(1.5, 1), Side: board.Side(i)}, func(string) int {
					return board.NoNet
				}))
		}
		printed, err := Draw(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(printed.Unlabelled); got != c.want {
			t.Errorf("%g mm high: without a name %s, want %s", c.height, got, c.want)
		}
	}
}

// TestLargeFabDrawing verifies that a fabrication drawing beyond the courtyard of its footprint
// leaves the references and the pin 1 marks of other parts in place.
func TestLargeFabDrawing(t *testing.T) {
	const file = `(footprint "M" (layer "F.Cu") %s
		(fp_rect (start -4 -3) (end 4 3) (layer "F.CrtYd") (width 0.05))
		(pad "1" smd rect (at -2 0) (size 1 1) (layers "F.Cu" "F.Mask"))
		(pad "2" smd rect (at 2 0) (size 1 1) (layers "F.Cu" "F.Mask")))`
	plain, err := footprint.Find("SOIC-8")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, drawing string }{
		{"around the parts", `(fp_rect (start -60 -60) (end 60 60) (layer "F.Fab") (width 0.1))`},
		{"beside the part", `(fp_rect (start 10 -9) (end 30 9) (layer "F.Fab") (width 0.1))`},
	} {
		module, err := footprint.FromKiCad("M", fmt.Sprintf(file, c.drawing))
		if err != nil {
			t.Fatal(err)
		}
		b := &board.Board{Outline: ring(0, 0, 40, 0, 40, 30, 0, 30),
			Rules: board.Rules{Classes: []board.Class{{Name: "default"}}}}
		for i, f := range []*board.Footprint{module, plain} {
			b.Parts = append(b.Parts,
				board.Place(board.Component{Ref: []string{"M1", "U1"}[i], Footprint: f},
					board.Placement{At: at(8+float64(i)*20, 15)}, func(string) int {
						return board.NoNet
					}))
		}
		printed, err := Draw(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		dots := 0
		for _, s := range printed.Strokes {
			if s.Ref == "U1" && s.A == s.B {
				dots++
			}
		}
		if len(printed.Unlabelled) > 0 || dots != 1 {
			t.Errorf("%s: without a reference %v; U1 has %d marks of pin 1", c.name,
				printed.Unlabelled, dots)
		}
	}
}
