package footprint

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// tieText is a footprint of two pads, 2 mm apart, and a third beside them. A bar of 2 mm by 0.4 mm
// joins the first two.
const tieText = `
  (fp_poly (pts (xy -1 -0.2) (xy 1 -0.2) (xy 1 0.2) (xy -1 0.2)) (layer "F.Cu") (width 0) (fill solid))
  (pad "1" smd circle (at -1 0) (size 1 1) (layers "F.Cu"))
  (pad "2" smd circle (at 1 0) (size 1 1) (layers "F.Cu"))
  (pad "3" smd circle (at 2.5 0) (size 1 1) (layers "F.Cu"))`

// TestNetTie verifies that the copper of a net tie is divided halfway between its pads, and which
// pads it joins.
func TestNetTie(t *testing.T) {
	one := [][2]string{{"1", "2"}}
	for _, c := range []struct {
		name, items string
		ties        [][2]string
		width       [2]float64 // extent in x of the copper of pads 1 and 2 beside the pads [mm]
	}{
		{"tags of KiCad 6", `(tags "net tie solder jumper bridged")` + tieText, one,
			[2]float64{1, 1}},
		{"groups of KiCad 7", `(net_tie_pad_groups "1, 2")` + tieText, one, [2]float64{1, 1}},
		{"stroke with round ends", `(net_tie_pad_groups "3" "2,1")` + strings.Replace(tieText,
			`(fp_poly (pts (xy -1 -0.2) (xy 1 -0.2) (xy 1 0.2) (xy -1 0.2)) (layer "F.Cu") (width 0) (fill solid))`,
			`(fp_line (start -1 0) (end 0 0) (layer "F.Cu") (width 0.4))
			(fp_line (start 0 0) (end 1 0) (layer "F.Cu") (width 0.4))`, 1), one,
			[2]float64{1.2, 1.2}},
		{"overlapping pads", `(net_tie_pad_groups "1,2")
  (pad "1" smd rect (at -1 0) (size 3 1) (layers "F.Cu"))
  (pad "2" smd rect (at 1 0) (size 3 1) (layers "F.Cu"))`, one, [2]float64{0, 0}},
	} {
		f, err := FromKiCad("Tie", footprintText(c.items))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if third := strings.Contains(c.items, `(pad "3"`); f.Polar != third {
			t.Errorf("%s: pad 1 is marked: %t, want %t", c.name, f.Polar, third)
		}
		if !slices.Equal(f.Ties, c.ties) || len(f.Touching) != 0 {
			t.Errorf("%s: ties %v, touching %v; want %v", c.name, f.Ties, f.Touching, c.ties)
		}
		var width [2]float64
		for side, number := range []string{"1", "2"} {
			left, right := 9e6, -9e6
			for i, p := range f.Pads {
				if p.Number != number || !p.Tie {
					continue
				}
				if p.Group == 0 || f.Pads[i-1].Group != p.Group || !p.NoMask || !p.NoPaste {
					t.Errorf("%s: copper of pad %s is no piece of it: %+v", c.name, number, p)
				}
				for _, corner := range outline(p) {
					left, right = min(left, corner.x), max(right, corner.x)
				}
			}
			width[side] = max(0, right-left) / 1e6
		}
		// chords of arcs are within 5 µm
		if math.Abs(width[0]-c.width[0]) > 5e-3 || math.Abs(width[1]-c.width[1]) > 5e-3 {
			t.Errorf("%s: copper of %g mm in x, want %g", c.name, width, c.width)
		}
	}
}

// TestNoNetTie verifies that copper outside of pads is refused if the footprint is no net tie, or
// if the copper touches no pad, and that pads outside of the groups still touch.
func TestNoNetTie(t *testing.T) {
	far := strings.ReplaceAll(tieText, "0.2)", "9)")
	far = strings.ReplaceAll(far, "-9)", "8)")
	for items, want := range map[string]string{
		tieText:                      "copper is drawn on F.Cu outside of the pads",
		`(tags "tie net")` + tieText: "copper is drawn on F.Cu outside of the pads",
		`(tags "net tie")` + strings.Replace(tieText, "F.Cu", "In1.Cu", 1): "copper is drawn on In1.Cu",
		`(tags "net tie")` + far: "touches no pad",
	} {
		_, err := FromKiCad("Tie", footprintText(items))
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "line ") {
			t.Errorf("%s\nerror %v, want %s", items, err, want)
		}
	}
	many := `(tags "net tie") (fp_line (start 0 0) (end 40 0) (layer "F.Cu") (width 0.2))`
	for i := range 33 {
		many += fmt.Sprintf(`(pad "%d" smd circle (at %d 0) (size 0.5 0.5) (layers "F.Cu"))`, i, i)
	}
	if _, err := FromKiCad("Tie", footprintText(many)); err == nil ||
		!strings.Contains(err.Error(), "joins more than 32 pads") {
		t.Errorf("a bar across 33 pads: %v", err)
	}
	f, err := FromKiCad("Tie", footprintText(`(net_tie_pad_groups "2,3")`+tieText))
	if err != nil || len(f.Ties) != 0 || !slices.Equal(f.Touching, [][2]string{{"1", "2"}}) {
		t.Errorf("copper of other pads: %v, ties %v, touching %v", err, f.Ties, f.Touching)
	}
}

// TestNetTieIslands verifies that copper which winds past the middle between two pads has no
// islands. All copper of a pad is joined to it.
func TestNetTieIslands(t *testing.T) {
	track := [][2]float64{{-2, 0}, {-2, 3}, {1.5, 3}, {1.5, 2}, {-1, 2}, {-1, 1}, {2, 1}, {2, 0}}
	text := `(net_tie_pad_groups "1,2")
  (pad "1" smd rect (at -2 0) (size 1 1) (layers "F.Cu"))
  (pad "2" smd rect (at 2 0) (size 1 1) (layers "F.Cu"))`
	for i := range len(track) - 1 {
		a, b := track[i], track[i+1]
		text += fmt.Sprintf(`(fp_line (start %g %g) (end %g %g) (layer "F.Cu") (width 0.4))`, a[0],
			a[1], b[0], b[1])
	}
	f, err := FromKiCad("Tie", footprintText(text))
	if err != nil {
		t.Fatal(err)
	}
	coppers := padCoppers(f.Pads)
	sets := geom.NewUnionFind(len(f.Pads))
	for i := range f.Pads {
		for k := range i {
			if f.Pads[i].Number == f.Pads[k].Number && coppers[i].touches(&coppers[k]) {
				sets.Union(i, k)
			}
		}
	}
	first := map[string]int{}
	for i, p := range f.Pads {
		if k, ok := first[p.Number]; ok && sets.Find(i) != sets.Find(k) {
			t.Errorf("copper of pad %s at %v is not joined to the pad", p.Number, p.At)
		} else if !ok {
			first[p.Number] = i
		}
	}
	if len(first) != 2 || !slices.Equal(f.Ties, [][2]string{{"1", "2"}}) {
		t.Errorf("pads %v, ties %v", first, f.Ties)
	}
}

// TestNamedTies compares net ties and solder jumpers of the library with KiCad's files: which pads
// the copper joins, the copper and openings of each pad at points 50 µm apart, and the courtyard.
func TestNamedTies(t *testing.T) {
	count := 0
	for _, folder := range []string{"NetTie", "Jumper"} {
		paths, err := filepath.Glob(kicadLibraries + "/" + folder + ".pretty/*.kicad_mod")
		if err != nil || len(paths) == 0 {
			missing(t, "KiCad's footprints are not installed (Debian package kicad-footprints)")
		}
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".kicad_mod")
			f, err := Find(folder + ":" + name)
			if err != nil {
				continue
			}
			count++
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := FromKiCad(name, string(file))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case !slices.Equal(f.Ties, want.Ties) || !slices.Equal(f.Touching, want.Touching):
				t.Errorf("%s: ties %v, touching %v; want %v, %v", name, f.Ties, f.Touching,
					want.Ties, want.Touching)
			case f.Polar != want.Polar || f.NoBOM != want.NoBOM ||
				f.NoPlacement != want.NoPlacement:
				t.Errorf("%s: polar %t, no BOM %t, no placement %t", name, f.Polar, f.NoBOM,
					f.NoPlacement)
			}
			// the origin is the middle of the drawn pads and of their pieces
			shift := want.Pads[0].At.Sub(f.Pads[0].At)
			if c := f.Courtyard; c.Min.Add(shift) != want.Courtyard.Min ||
				c.Max.Add(shift) != want.Courtyard.Max {
				t.Errorf("%s: courtyard %v, want %v", name, c, want.Courtyard)
			}
			const beside = 7e3 // avoids sides of pads, where rounding decides [nm]
			for x := want.Courtyard.Min.X + beside; x < want.Courtyard.Max.X; x += 50e3 {
				for y := want.Courtyard.Min.Y + beside; y < want.Courtyard.Max.Y; y += 50e3 {
					at := board.Point{X: x, Y: y}
					got, expected := copperAt(f.Pads, at.Sub(shift)), copperAt(want.Pads, at)
					if !slices.Equal(got, expected) {
						t.Fatalf("%s: at %v there is %v, want %v", name, at, got, expected)
					}
				}
			}
		}
	}
	if count < 31 {
		t.Errorf("only %d names are known", count)
	}
}

// copperAt names the pads and layers with copper at a point, and their openings.
func copperAt(pads []board.FootprintPad, at board.Point) []string {
	var out []string
	for _, p := range pads {
		placed := board.Pad{At: p.At, Rotation: p.Rotation, Padstack: p.Padstack}
		if shape := placed.Copper(0); shape.To(float64(at.X), float64(at.Y)) <= 0 {
			out = append(out, fmt.Sprintf("%s on %v, mask %t, paste %t, drill %d", p.Number,
				p.CopperLayers(board.TwoLayers(), board.TopSide), !p.NoMask,
				!p.NoPaste && !p.Through(), p.Drill))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
