package footprint

import (
	"os"
	"strings"
	"testing"
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
