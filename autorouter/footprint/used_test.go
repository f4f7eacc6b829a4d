package footprint

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

// TestUsedNames verifies that Find knows at least 90 % of the 300 most used footprint names in
// public KiCad projects.
func TestUsedNames(t *testing.T) {
	raw, err := os.ReadFile("testdata/used_names.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var unknown []string
	names := 0
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		name, _, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		names++
		if _, err := Find(name); err != nil {
			unknown = append(unknown, name)
		}
	}
	t.Logf("%d of %d names are known; unknown: %s", names-len(unknown), names,
		strings.Join(unknown, " "))
	if names != 300 || 10*len(unknown) > names {
		t.Errorf("%d of %d names are unknown; at most a tenth may be", len(unknown), names)
	}
}

// TestFigures verifies that every line of figures.txt yields a footprint.
func TestFigures(t *testing.T) {
	for id, g := range figures() {
		f, err := g.footprint()
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if f.Courtyard.Width() <= 0 || f.Body.Width() <= 0 || f.Body.Height() <= 0 {
			t.Errorf("%s: body %v, courtyard %v", id, f.Body, f.Courtyard)
		}
		for _, p := range f.Pads {
			if p.Width <= 0 || p.Height <= 0 || p.NonPlated && p.Drill <= 0 && p.SlotW <= 0 {
				t.Errorf("%s: pad %+v", id, p)
			}
		}
	}
}

// TestFigureKeepouts compares the keepouts of the library with those of KiCad's files.
func TestFigureKeepouts(t *testing.T) {
	count := 0
	for id, g := range figures() {
		f := fromFigures(id)
		if f == nil || len(f.Keepouts) == 0 {
			continue
		}
		count++
		paths, err := filepath.Glob(kicadLibraries + "/*.pretty/" + g.name + ".kicad_mod")
		if err != nil || len(paths) != 1 {
			missing(t, "KiCad's footprints are not installed (Debian package kicad-footprints)")
		}
		file, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := FromKiCad(g.name, string(file))
		if err != nil {
			t.Fatal(err)
		}
		first := slices.IndexFunc(want.Pads, func(p board.FootprintPad) bool {
			return p.Number == f.Pads[0].Number
		})
		shift := f.Pads[0].At.Sub(want.Pads[first].At) // holes without plating come last in f
		for i := range want.Keepouts {
			k := &want.Keepouts[i]
			k.Area.Min, k.Area.Max = k.Area.Min.Add(shift), k.Area.Max.Add(shift)
			k.Pour = k.Pour && !k.Copper // which includes the pour
		}
		for i := range f.Keepouts {
			f.Keepouts[i].Pour = f.Keepouts[i].Pour && !f.Keepouts[i].Copper
		}
		if !reflect.DeepEqual(f.Keepouts, want.Keepouts) {
			t.Errorf("%s: keepouts %+v, want %+v", g.name, f.Keepouts, want.Keepouts)
		}
	}
	if count < 2 {
		t.Errorf("%d footprints have keepouts", count)
	}
}
