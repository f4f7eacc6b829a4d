package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fabrication"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/sexpr"
)

// bench returns a board with chips, a rotated part, a part on the bottom, a slot, and a zone with a
// hole.
func bench(ref, value, net string) *board.Board {
	mm := board.MM
	at := func(x, y float64) board.Point { return board.Point{X: mm(x), Y: mm(y)} }
	box := func(x, y float64) board.Rect { return board.Rect{Min: at(-x, -y), Max: at(x, y)} }
	chip := &board.Footprint{Name: "R_0805", Body: box(1, .6), Courtyard: box(1.7, 1),
		Pads: []board.FootprintPad{
			{
				Number: "1", At: at(-.95, 0),
				Padstack: board.Padstack{Width: mm(1), Height: mm(1.4), Shape: board.RoundRect},
			},
			{
				Number: "2", At: at(.95, 0),
				Padstack: board.Padstack{Width: mm(1), Height: mm(1.4), Shape: board.RoundRect},
			}}}
	so := &board.Footprint{Name: "SOIC-8", Body: box(1.95, 2.45), Courtyard: box(3.7, 2.7)}
	for i := range 8 {
		x, y := -2.7, 1.905-1.27*float64(i)
		if i > 3 {
			x, y = 2.7, -1.905+1.27*float64(i-4)
		}
		so.Pads = append(so.Pads, board.FootprintPad{
			Number: string(rune('1' + i)), At: at(x, y),
			Padstack: board.Padstack{Width: mm(1.55), Height: mm(.6), Shape: board.RoundRect},
		})
	}
	head := &board.Footprint{Name: "USB", Tht: true, Body: box(4, 2), Courtyard: box(4.5, 2.5),
		Pads: []board.FootprintPad{
			{
				Number: "1", At: at(-2.54, 0),
				Padstack: board.Padstack{Width: mm(1.7), Height: mm(1.7), Drill: mm(1)},
			},
			{
				Number: "2", At: at(0, 0),
				Padstack: board.Padstack{
					Width: mm(1.7), Height: mm(1.7), Shape: board.Circle, Drill: mm(1),
				},
			},
			{
				Number: "S", At: at(2.54, 0),
				Padstack: board.Padstack{
					Width: mm(1), Height: mm(2.1), Shape: board.Oval, SlotW: mm(.6), SlotH: mm(1.7),
				},
			}}}
	b := &board.Board{Name: "bench", Outline: board.Polygon{{}, at(30, 0), at(30, 20), at(0, 20)},
		Nets: []board.Net{{Name: net}, {Name: "GND"}},
		Rules: board.Rules{Classes: []board.Class{{Name: "default", TrackWidth: mm(.25),
			Clearance: mm(.2), ViaDrill: mm(.3), ViaDiameter: mm(.6)}}, MaskExpansion: mm(.05),
			MaskWeb: mm(.1), PourClearance: mm(.25), ThermalGap: mm(.3), ThermalSpoke: mm(.4)}}
	add := func(ref string, f *board.Footprint, x, y, turn float64, side board.Side) {
		b.Parts = append(b.Parts, board.Place(board.Component{Ref: ref, Value: value, Footprint: f},
			board.Placement{At: at(x, y), Rotation: turn, Side: side},
			func(pad string) int { return map[string]int{"1": 0, "2": 1}[pad] }))
	}
	add(ref, chip, 5, 15, 0, board.TopSide)
	add("R2", chip, 12, 15, 30, board.TopSide)
	add("U1", so, 20, 12, 0, board.TopSide)
	add("J1", head, 8, 5, 0, board.TopSide)
	add("C3", chip, 25, 4, 90, board.BottomSide)
	b.Tracks = []board.Track{{Net: 0, A: at(4.05, 15), B: at(4.05, 18), Width: mm(.25)}}
	b.Vias = []board.Via{{Net: 0, At: at(4.05, 18), Drill: mm(.3), Diameter: mm(.6)}}
	b.Zones = []board.Zone{{Net: 1, Layer: board.Bottom,
		Pieces: []board.Filled{{Outline: board.Polygon{at(1, 1), at(29, 1), at(29, 19), at(1, 19)},
			Holes: []board.Polygon{{at(23, 1.5), at(23, 7), at(27, 7), at(27, 1.5)},
				{at(3, 17), at(3, 18.6), at(5, 18.6), at(5, 17)}}}}}}
	b.Holes = []board.Hole{{At: at(27, 17), Diameter: mm(2)}}
	return b
}

func check(t *testing.T, b *board.Board) {
	t.Helper()
	files, err := All(t.Context(), b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := All(t.Context(), b, Options{})
	for i, f := range files {
		if f != again[i] {
			t.Errorf("%s differs from run to run", f.Name)
		}
		switch {
		case strings.Contains(f.Content, "%FSLA"):
			if _, err := fabrication.ReadGerber(f.Content); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		case strings.HasSuffix(f.Name, ".svg"):
			for d := xml.NewDecoder(strings.NewReader(f.Content)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
		case strings.HasSuffix(f.Name, ".csv"):
			rows, err := csv.NewReader(strings.NewReader(f.Content)).ReadAll()
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			for _, row := range rows {
				for _, c := range row { // a field may be a negative number
					if _, err := strconv.ParseFloat(c, 64); err != nil &&
						strings.ContainsRune("=+-@\t\r\n", []rune(c + " ")[0]) {
						t.Errorf("%s: a spreadsheet would run %q", f.Name, c)
					}
				}
			}
		case f.Role == "netlist_ipc356":
			if _, err := fabrication.ReadIPC356(f.Content); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		case strings.HasSuffix(f.Name, ".drl"):
			if _, err := fabrication.ReadDrill(f.Content); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		case f.Role == "kicad":
			depth, in := 0, false
			for i := 0; i < len(f.Content); i++ {
				switch c := f.Content[i]; {
				case in && c == '\\':
					i++
				case c == '"':
					in = !in
				case !in && c == '(':
					depth++
				case !in && c == ')':
					depth--
				}
			}
			if depth != 0 || in {
				t.Fatalf("%s: depth %d at the end, in a string: %v", f.Name, depth, in)
			}
		}
	}
	if dir := os.Getenv("EXPORT_DIR"); dir != "" {
		for _, f := range files {
			_ = os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Content), 0o644)
		}
	}
}

func TestAll(t *testing.T) {
	check(t, &board.Board{Outline: board.Polygon{{}, {X: 1e7}, {X: 1e7, Y: 1e7}}})
	check(t, bench("R1", "4k7", "VCC"))
}

func FuzzText(f *testing.F) {
	f.Add("R\"1", "=cmd|' /C calc'!A0", "%*,\\\n<&>")
	f.Add("\x00)", "\t@x", "\xff(")
	f.Add("R\r\nM02*", " =1", "%TO.N,X*%")
	f.Add("\u2028", "＝1", "N/C")
	f.Fuzz(func(t *testing.T, ref, value, net string) { check(t, bench(ref, value, net)) })
}

// TestCopperRead verifies that a copper file, read back, has every pad, track and via of the board
// to the nanometre.
func TestCopperRead(t *testing.T) {
	b := bench("R1", "4k7", "VCC")
	files, err := All(t.Context(), b, Options{Formats: []string{"gerber"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := fabrication.ReadGerber(files[0].Content)
	if err != nil {
		t.Fatal(err)
	}
	flashes, lines := map[board.Point]string{}, 0
	for _, o := range m.Objects {
		if o.Kind == fabrication.Flash {
			flashes[o.To] = o.Attributes[".N"] + o.Attributes["N"]
		}
		if o.Kind == fabrication.Line {
			lines++
			if o.From != b.Tracks[0].A || o.To != b.Tracks[0].B || o.Aperture != "C,0.250000" {
				t.Errorf("track %+v", o)
			}
		}
	}
	for _, part := range b.Parts {
		for _, p := range part.Pads {
			want := "N/C"
			if p.Net >= 0 {
				want = b.Nets[p.Net].Name
			}
			if got, ok := flashes[p.At]; p.On(board.Top) && (!ok || got != want) {
				t.Errorf("%s.%s: flashed %v with net %q, want %q", part.Ref, p.Number,
					ok, got, want)
			}
		}
	}
	if lines != len(b.Tracks) {
		t.Errorf("%d lines for %d tracks", lines, len(b.Tracks))
	}
}

// TestDrillRead verifies that a drill file, read back, has the via, the two round holes and the
// slot of the header.
func TestDrillRead(t *testing.T) {
	files, err := All(t.Context(), bench("R1", "4k7", "VCC"), Options{Formats: []string{"drill"}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fabrication.ReadDrill(files[0].Content)
	if err != nil || len(f.Holes) != 4 {
		t.Fatalf("%+v, %v", f, err)
	}
	slot := fabrication.Drilled{Diameter: board.MM(.6), A: board.Point{X: board.MM(10.54),
		Y: board.MM(4.45)}, B: board.Point{X: board.MM(10.54), Y: board.MM(5.55)}}
	if f.Holes[1] != slot {
		t.Errorf("slot %+v, want %+v", f.Holes[1], slot)
	}
}

// TestCancelled verifies that a cancelled export returns no files, whichever check of the context
// detects the cancellation.
func TestCancelled(t *testing.T) {
	b := bench("R1", "4k7", "VCC")
	whole := &polledContext{Context: t.Context()}
	files, err := All(whole, b, Options{})
	if err != nil || whole.n <= len(files) {
		t.Fatalf("%d polls of the context for %d files, %v", whole.n, len(files), err)
	}
	for n := 1; n <= whole.n; n++ {
		ctx := &polledContext{Context: t.Context(), end: n}
		if files, err := All(ctx, b, Options{}); !errors.Is(err,
			context.Canceled) || files != nil {
			t.Errorf("cancelled at poll %d: %d files, %v", n, len(files), err)
		}
	}
}

// polledContext is a context that counts its Err calls in n. It is cancelled at call number end, or
// never if end is 0.
type polledContext struct {
	context.Context
	n, end int
}

func (c *polledContext) Err() error {
	if c.n++; c.end > 0 && c.n >= c.end {
		return context.Canceled
	}
	return nil
}

// TestBlindVias verifies that blind and buried vias are rejected, because the drill files hold only
// through vias.
func TestBlindVias(t *testing.T) {
	b := bench("R1", "4k7", "VCC")
	b.Stackup = board.Layers(4)
	b.Vias = append(b.Vias, board.Via{At: at(15, 10), Drill: 300e3, Diameter: 600e3,
		Span: board.LayersOf(0, 1)})
	_, err := All(t.Context(), b, Options{})
	want :=
		"the via at 15, 10 mm connects top and in1 alone: blind and buried vias are not supported"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	b.Vias[len(b.Vias)-1].Span = b.Stackup.All()
	if _, err := All(t.Context(), b, Options{}); err != nil {
		t.Error(err)
	}
}

// TestKiCadNarrowArm verifies that KiCad's pour keeps the edge clearance of 0.4 mm also where the
// outline has an arm of 0.7 mm, so that no inset exists: an area at each side excludes it.
func TestKiCadNarrowArm(t *testing.T) {
	for _, c := range []struct {
		width float64
		areas int
	}{{.7, 8}, {2, 0}} {
		b := bench("R1", "10k", "A")
		b.Rules.EdgeClearance = board.MM(.4)
		b.Outline = board.Polygon{{}, at(30, 0), at(30, 9), at(40, 9), at(40, 9+c.width),
			at(30, 9+c.width), at(30, 20), at(0, 20)}
		files, err := All(t.Context(), b, Options{Formats: []string{"kicad"}})
		if err != nil {
			t.Fatal(err)
		}
		text := files[0].Content
		count := strings.Count(text, "(copperpour not_allowed)")
		// the side from (30, 9) to (40, 9); y points down from 120 mm
		side := "(xy 129.6 110.6) (xy 140.4 110.6) (xy 140.4 111.4) (xy 129.6 111.4)"
		if c.areas > 0 && !strings.Contains(text, side) {
			t.Errorf("no area is %s", side)
		}
		if count != c.areas {
			t.Errorf("arm of %g mm: %d areas, want %d", c.width, count, c.areas)
		}
	}
}

// TestKiCadBottom verifies the angle and the pad positions of a bottom part in the KiCad board.
// KiCad mirrors a footprint in y, so a pad at (1, -2) of the library is at (1, 2) of the part. The
// angle is that of the board plus 180°. The positions read back must be those of the board.
func TestKiCadBottom(t *testing.T) {
	b := bench("R1", "10k", "A")
	box := board.Rect{Min: at(-4, -4), Max: at(4, 4)}
	f := &board.Footprint{Name: "L", Body: box, Courtyard: box, Pads: []board.FootprintPad{{
		Number: "1", At: at(1, 2), Rotation: 20,
		Padstack: board.Padstack{Width: board.MM(1), Height: board.MM(.5)}}}}
	b.Parts = []board.Part{board.Place(board.Component{Ref: "X1", Footprint: f},
		board.Placement{At: at(9, 9), Rotation: 30, Side: board.BottomSide},
		func(string) int { return board.NoNet })}
	files, err := All(t.Context(), b, Options{Formats: []string{"kicad"}})
	if err != nil {
		t.Fatal(err)
	}
	root, err := sexpr.Parse(files[0].Content, "board", sexpr.Limits{Bytes: 1 << 20, Depth: 30,
		Nodes: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	part := root.First("footprint")
	origin, angle, err := footprint.ReadPosition(part, "at")
	if err != nil || angle != 210 {
		t.Fatalf("angle %g°, want 210°: %v", angle, err)
	}
	pad := part.First("pad")
	if local, _, err := footprint.ReadPosition(pad, "at"); err != nil || local != at(1, -2) {
		t.Errorf("the pad is at %v of the part, want 1, -2 with y up: %v", local, err)
	}
	read, err := footprint.ReadPlacedPad(pad, origin, angle)
	if err != nil {
		t.Fatal(err)
	}
	want := b.Parts[0].Pads[0]
	shift := board.Point{X: board.MM(100), Y: -board.MM(120)} // y = 100 mm + board height - y
	if d := board.Distance(read.At.Sub(shift), want.At); d > 2 || read.Rotation != want.Rotation {
		t.Errorf("read at %v, %g°; want %v, %g°", read.At.Sub(shift), read.Rotation, want.At,
			want.Rotation)
	}
}

// TestCutouts verifies that the cut-out of a footprint is in the board outline of the Gerber and
// KiCad files, and in the pictures.
func TestCutouts(t *testing.T) {
	b := bench("R1", "10k", "A")
	square := board.Polygon{at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)}
	f := &board.Footprint{Name: "E", Body: square.Bounds(), Courtyard: square.Bounds(),
		Drawing: &board.Drawing{Cutouts: []board.Polygon{square}}}
	b.Parts = append(b.Parts, board.Part{Component: board.Component{Ref: "X1", Footprint: f},
		Placement: board.Placement{At: at(15, 10)}})
	files, err := All(t.Context(), b, Options{Name: "bench"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"bench.gko":        "X14000000Y9000000D02*\nX16000000Y9000000D01*",
		"bench.kicad_pcb":  `(fp_line (start -1 1) (end 1 1) (layer "Edge.Cuts") (width 0.1))`,
		"bench-top.svg":    "M14 11L16 11L16 9L14 9Z",
		"bench-bottom.svg": "M14 11L16 11L16 9L14 9Z",
	} {
		i := slices.IndexFunc(files, func(f File) bool { return f.Name == name })
		if i < 0 || !strings.Contains(files[i].Content, want) {
			t.Errorf("%s (file %d) has no %s", name, i, want)
		}
	}
}

// TestOpeningFiles verifies the openings of a bottom part in the files. A local mask margin
// replaces that of the board, and a drawn opening has no margin. Silkscreen of its other side is on
// top.
func TestOpeningFiles(t *testing.T) {
	b := bench("R1", "10k", "A")
	box := board.Rect{Min: at(-2, -2), Max: at(2, 2)}
	opening := func(x float64, on board.Layer, drawn bool) board.Aperture {
		return board.Aperture{Mask: true, Drawn: drawn, FootprintPad: board.FootprintPad{
			At: at(x, 1), Layers: on.Bit(),
			Padstack: board.Padstack{Width: board.MM(.7), Height: board.MM(.3)}}}
	}
	pad := board.FootprintPad{Number: "1", Padstack: board.Padstack{Width: board.MM(1),
		Height: board.MM(.5)}}
	pad.MaskMargin = board.MM(.2)
	f := &board.Footprint{Name: "M", Body: box, Courtyard: box, Pads: []board.FootprintPad{pad},
		Drawing: &board.Drawing{
			Apertures: []board.Aperture{opening(1, board.Top, true),
				opening(-1, board.Bottom, false)},
			Graphics: []board.Graphic{{Layer: board.BackSilkLayer, A: at(-1, 2), B: at(1, 2),
				Width: silkWidth}}}}
	b.Parts = []board.Part{board.Place(board.Component{Ref: "X1", Footprint: f},
		board.Placement{At: at(15, 10), Side: board.BottomSide},
		func(string) int { return board.NoNet })}
	files, err := All(t.Context(), b, Options{Name: "bench"})
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range files {
		text[f.Name] = f.Content
	}
	for _, c := range []struct{ file, want string }{
		{"bench.gbs", "R,1.400000X0.900000"}, // 1 x 0.5 mm with 0.2 mm on all sides
		{"bench.gbs", "R,0.700000X0.300000"}, // drawn
		{"bench.gts", "R,0.800000X0.400000"}, // with the 0.05 mm of the board
		{"bench.gto", "X16000000Y12000000D02*\nX14000000Y12000000D01*"},
		{"bench.kicad_pcb", `(solder_mask_margin 0.2)`},
		{"bench.kicad_pcb", `(layer "B.Mask") (width 0) (fill solid)`},
		{"bench.kicad_pcb", `(layers "F.Mask")`},
		{"bench.kicad_pcb", `(layer "F.SilkS") (width 0.15)`},
	} {
		if !strings.Contains(text[c.file], c.want) {
			t.Errorf("%s has no %s", c.file, c.want)
		}
	}
}

// TestTexts verifies that a text of a footprint is on the silkscreen, mirrored on the bottom. The
// font has all letters that the footprints may have.
func TestTexts(t *testing.T) {
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+./-" {
		if font[r] == "" {
			t.Errorf("no glyph for %c", r)
		}
	}
	f := &board.Footprint{Name: "T", Drawing: &board.Drawing{
		Graphics: []board.Graphic{{Layer: board.SilkLayer, A: at(3, 3), B: at(4, 3)}},
		Texts:    []board.DrawnText{{Text: "-", At: at(2, 0), Height: board.MM(1.2), Align: -1}}}}
	const right, left = "X17000000Y10000000D02*\nX17800000Y10000000D01*",
		"X13000000Y10000000D02*\nX12200000Y10000000D01*"
	// The draw rotation of a text at 180 degrees is 0 in KiCad 6.0.11, unless it is unlocked.
	for _, c := range []struct {
		side           board.Side
		part, rotation float64
		unlocked       bool
		want           string
	}{
		{board.TopSide, 0, 0, false, right},
		{board.BottomSide, 0, 0, false, left},
		{board.TopSide, 0, 180, false, right},
		{board.BottomSide, 0, 180, false, left},
		{board.TopSide, 180, 0, false, "X13000000Y10000000D02*\nX13800000Y10000000D01*"},
		{board.BottomSide, 180, 0, false, "X17000000Y10000000D02*\nX16200000Y10000000D01*"},
		{board.TopSide, 180, 0, true, "X13000000Y10000000D02*\nX12200000Y10000000D01*"},
		{board.TopSide, 90, 0, false, "X15000000Y12000000D02*\nX15000000Y12800000D01*"},
		{board.TopSide, 270, 0, false, "X15000000Y8000000D02*\nX15000000Y8800000D01*"},
	} {
		side, want := c.side, c.want
		f.Drawing.Texts[0].Rotation, f.Drawing.Texts[0].Unlocked = c.rotation, c.unlocked
		b := bench("R1", "10k", "A")
		b.Parts = []board.Part{{Component: board.Component{Ref: "X1", Footprint: f},
			Placement: board.Placement{At: at(15, 10), Side: side, Rotation: c.part}}}
		files, err := All(t.Context(), b, Options{Formats: []string{"gerber"}})
		if err != nil {
			t.Fatal(err)
		}
		name := map[board.Side]string{board.TopSide: ".gto", board.BottomSide: ".gbo"}[side]
		i := slices.IndexFunc(files, func(f File) bool { return strings.HasSuffix(f.Name, name) })
		if i < 0 || !strings.Contains(files[i].Content, want) {
			t.Errorf("%s (file %d) has no %s:\n%s", name, i, want, files[max(0, i)].Content)
		}
	}
}

// TestZip verifies that equal files give equal bytes, and that the date of each entry is valid.
// Months and days of the ZIP format begin at 1 (APPNOTE 6.3.10, section 4.4.6).
func TestZip(t *testing.T) {
	files := []File{{Name: "a.gtl", Role: "copper_top", Content: "G04*"}}
	raw, err := Zip(files)
	again, _ := Zip(files)
	if err != nil || !bytes.Equal(raw, again) {
		t.Fatalf("two archives differ: %v", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		if f.Modified.Year() < 1980 { // month 0 of 1980, the DOS date 0, is in 1979
			t.Errorf("%s has the date %s", f.Name, f.Modified)
		}
	}
	list := Readme(files)
	if words := strings.Fields(list.Content); strings.Join(words, " ") != "a.gtl copper top" {
		t.Errorf("%s is %q", list.Name, list.Content)
	}
}
