package card

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"git.sr.ht/~sbinet/gg"
)

// TestTrace compares the areas of filled paths in pixels with the exact areas of the shapes. It
// also verifies that invalid path data is an error.
func TestTrace(t *testing.T) {
	for _, test := range []struct {
		name, data string
		area       float64
	}{
		{"rectangle", "M10 10h40v20h-40z", 800},
		{"absolute rectangle", "M10 10H50V30H10Z", 800},
		{"lines after a move", "m10 10 40 0 0 20-40 0z", 800},
		{"circle of two arcs", "M20 50a30 30 0 1 0 60 0a30 30 0 1 0-60 0z", math.Pi * 900},
		{"ellipse", "M20 50a30 15 0 1 1 60 0a30 15 0 1 1-60 0z", math.Pi * 450},
		{"small arc", "M50 20A30 30 0 0 1 80 50L50 50z", math.Pi * 900 / 4},
		{"large arc", "M50 20A30 30 0 1 0 80 50L50 50z", math.Pi * 900 * 3 / 4},
		{"enlarged radius", "M20 50a1 1 0 0 1 60 0z", math.Pi * 450},
		// A quadratic curve encloses two thirds of its height times the chord.
		{"quadratic", "M10 50q40-60 80 0z", 80 * 30 * 2 / 3.},
		{"smooth quadratic", "M10 50q20-40 40 0t40 0z", 2 * 40 * 20 * 2 / 3.},
		// The area ∫ y dx under a symmetric cubic with control points at height h over a width w is
		// 3/5 h w.
		{"cubic", "M10 50c0-40 80-40 80 0z", 0.6 * 40 * 80},
		{"smooth cubic", "M10 50c0-40 40-40 40 0s40 40 40 0z", 2 * 0.6 * 40 * 40},
	} {
		dc := gg.NewContext(100, 100)
		dc.SetColor(color.White)
		if err := trace(dc, test.data); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		dc.Fill()
		sum := 0.0
		for y := range 100 {
			for x := range 100 {
				_, _, _, a := dc.Image().At(x, y).RGBA()
				sum += float64(a) / 0xffff
			}
		}
		if math.Abs(sum-test.area) > 0.01*test.area+2 {
			t.Errorf("%s: area %.1f, want %.1f", test.name, sum, test.area)
		}
	}
	for _, data := range []string{"M", "M1", "M1 2L", "M1 2x3", "10 10", "M1 2z3", "M1..2 3e"} {
		if trace(gg.NewContext(10, 10), data) == nil {
			t.Errorf("%q was accepted", data)
		}
	}
}

// TestBadPictures verifies that an unreadable picture or drawing is an error.
func TestBadPictures(t *testing.T) {
	for _, c := range []Card{
		{Picture: []byte("no PNG")},
		{Drawing: `<svg width="0" height="10"></svg>`},
		{Drawing: `<svg width="10" height="10"><path class="w" d="M0 0x"/></svg>`},
		{Drawing: `<svg width="10" height="10"><path class="unknown" d="M0 0"/></svg>`},
		{Drawing: `<svg width="10" height="10"><path class="w" d="M0 0" transform="skew(1)"/></svg>`},
		{Drawing: `<svg width="10" height="10"><text x="1" y="1">`},
	} {
		if c.Write(io.Discard) == nil {
			t.Errorf("%.40q %q was accepted", c.Picture, c.Drawing)
		}
	}
}

// TestHidden verifies that hidden groups and ANSI symbols are not drawn.
func TestHidden(t *testing.T) {
	write := func(inner string) []byte {
		var b bytes.Buffer
		c := Card{Title: "T", Drawing: `<svg width="100" height="50">` + inner + `</svg>`}
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	const shape = `<path class="w" d="M10 10h40"/>`
	empty := write("")
	if bytes.Equal(empty, write(shape)) {
		t.Error("a visible shape is not drawn")
	}
	if !bytes.Equal(empty, write(`<g data-if="x" hidden>`+shape+`</g>`)) {
		t.Error("a hidden group is drawn")
	}
	if !bytes.Equal(empty, write(`<path class="w ansi" d="M10 10h40"/>`)) {
		t.Error("an ANSI symbol is drawn")
	}
}

// TestUnbroken verifies that a line does not break inside a grouped number or between a number and
// its unit.
func TestUnbroken(t *testing.T) {
	for text, want := range map[string]string{
		"-3 dB at 1.592 kHz with 1 kΩ": "-3_dB at 1.592_kHz with 1_kΩ",
		"16\u202f470.09 of interest":   "16_470.09_of interest",
		"Example: 5 of 40 wrong":       "Example: 5_of 40_wrong",
		"no number":                    "no number",
	} {
		if got := strings.ReplaceAll(unbroken(text), joint, "_"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
