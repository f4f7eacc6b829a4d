package board

import "testing"

// TestHasAntenna verifies that a module has an antenna if its only keepout for copper is on both
// sides of the board, at one side of the module. In KiCad's libraries, a tactile switch (SKQG) has
// a keepout on the front, and a power module (EasyPIM) has two opposite ones.
func TestHasAntenna(t *testing.T) {
	keepout := func(y0, y1 float64, front, back bool) FootprintKeepout {
		return FootprintKeepout{Area: Rect{Min: Point{X: MM(-9), Y: MM(y0)},
			Max: Point{X: MM(9), Y: MM(y1)}}, Front: front, Back: back, Tracks: true, Copper: true}
	}
	for name, c := range map[string]struct {
		keepouts []FootprintKeepout
		want     bool
	}{
		"antenna": {[]FootprintKeepout{keepout(7, 13, true, true)}, true},
		"switch":  {[]FootprintKeepout{keepout(7, 13, true, false)}, false},
		"power module": {[]FootprintKeepout{keepout(7, 13, true, true),
			keepout(-13, -7, true, true)}, false},
		"centre": {[]FootprintKeepout{keepout(-5, 5, true, true)}, false},
		"none":   {nil, false},
	} {
		f := &Footprint{Keepouts: c.keepouts,
			Body: Rect{Min: Point{X: MM(-9), Y: MM(-13)}, Max: Point{X: MM(9), Y: MM(13)}}}
		if got := f.HasAntenna(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
