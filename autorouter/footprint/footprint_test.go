package footprint

import (
	"math"
	"strings"
	"testing"

	"slipstick/autorouter/board"
)

func find(t *testing.T, name string) *board.Footprint {
	t.Helper()
	f, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestLandsByHand compares pad 1 with the equations of IPC-7351B, evaluated by hand, and with the
// KiCad 5 library (kicad-footprints, 2018 to 2020). The lands differ from KiCad's by at most 0.13
// mm, because KiCad applied the same standard to slightly different package drawings. The
// calculations below are in [mm]. Z, S, G and X are the quantities of the standard; cL, cT, cW and
// cS are the tolerances of L, T, W and S.
func TestLandsByHand(t *testing.T) {
	for _, c := range []struct {
		name             string
		x, y, w, h       float64 // values computed by hand [mm]
		kx, ky, kw, kh   float64 // values of KiCad [mm]
		courtyardX, cyrY float64 // half of the courtyard size [mm]
	}{
		// cL .3, cT .4, cW .3: Z = 1.85+.7+.3202 = 2.8702, Smax 1.65, cS .6403, S =
		// 1.65-(1.65-.55-.6403)/2 = 1.4202, G = 1.4202+.1-.6500 = .8702, X = 1.1+.3202 = 1.4202.
		{"R_0805", -.925, 0, 1, 1.4, -.9125, 0, 1.025, 1.4, 1.675, .95},
		// Z = 1.5+.7+.2291 = 2.4291, Smax 1.5, cS .6, S = 1.5-(1.5-.5-.6)/2 = 1.3, G = 1.3+.1-.6103
		// = .7897, X = .7+.2291.
		{"R_0603", -.8125, 0, .825, .95, -.825, 0, .8, .95, 1.475, .725},
		// Toe .2: Z = .95+.4+.15 = 1.5, S = .75-(.75-.25-.3)/2 = .65, G = .65+.1-.3202 = .4298, X =
		// .45+.15.
		{"R_0402", -.4875, 0, .525, .6, -.51, 0, .54, .64, 1, .55},
		{"R_1206", -1.4875, 0, 1.075, 1.75, -1.4625, 0, 1.125, 1.75, 2.275, 1.125},
		// Z = 5.8+.7+.4153 = 6.9153, Smax 5.4, cS 1.2938, S = 5.4-(5.4-3.26-1.2938)/2 = 4.9769, G =
		// 4.9769-.7-1.2986 = 2.9783, X = .31+.06+.2291.
		{"SOIC-8", -2.475, 1.905, 1.95, .6, -2.475, 1.905, 1.95, .6, 3.7, 2.7},
		{"SOIC-16W", -4.65, 4.445, 2.05, .6, -4.65, 4.445, 2.05, .6, 5.925, 5.4},
		{"TSSOP-20", -2.875, 2.925, 1.55, .4, -2.875, 2.925, 1.5, .4, 3.9, 3.5},
		// Z = 8.75+.7+.5123 = 9.9623, Smax 8.35, cS .6557, S = 8.35-(8.35-7.25-.6557)/2 = 8.1279, G
		// = 8.1279-.7-.6652 = 6.7626, X = .3+.06+.1871.
		{"TQFP-32", -4.175, 2.8, 1.6, .55, -4.25, 2.8, 1.6, .55, 5.225, 5.225},
		{"TQFP-48", -4.175, 2.75, 1.6, .3, -4.1625, 2.75, 1.475, .3, 5.225, 5.225},
		{"TQFP-100", -7.675, 6, 1.6, .3, -7.6625, 6, 1.475, .3, 8.725, 8.725},
		// Z = 2.9+.6+.2291 = 3.7291, Smax 2.5, cS .3464, S = 2.5-(2.5-1.9-.3464)/2 = 2.3732, G =
		// 2.3732-.3640 = 2.0092, X = .18-.08+.1640. The lands on both sides of a corner would be
		// 0.177 mm apart, so qfn increases G to 2.05.
		{"QFN-16", -1.45, .75, .85, .25, -1.4625, .75, .775, .25, 2.125, 2.125},
		{"QFN-32", -2.45, 1.75, .85, .25, -2.4375, 1.75, .875, .25, 3.125, 3.125},
		{"SOT-23", -.9375, .95, 1.475, .6, -.9375, .95, 1.475, .6, 1.925, 1.7},
		{"SOT-23-5", -1.15, .95, 1.4, .6, -1.1375, .95, 1.325, .6, 2.1, 1.7},
	} {
		f := find(t, c.name)
		p := f.Pads[0]
		got := []float64{board.ToMM(p.At.X), board.ToMM(p.At.Y), board.ToMM(p.Width),
			board.ToMM(p.Height)}
		for i, want := range []float64{c.x, c.y, c.w, c.h} {
			if math.Abs(got[i]-want) > 1e-9 {
				t.Errorf("%s: pad 1 is %v, by hand %v", c.name, got, []float64{c.x, c.y, c.w, c.h})
				break
			}
		}
		for i, want := range []float64{c.kx, c.ky, c.kw, c.kh} {
			if math.Abs(got[i]-want) > 0.13 {
				t.Errorf("%s: pad 1 is %v, KiCad has %v", c.name, got,
					[]float64{c.kx, c.ky, c.kw, c.kh})
				break
			}
		}
		if max := f.Courtyard.Max; max != (board.Point{X: board.MM(c.courtyardX),
			Y: board.MM(c.cyrY)}) {
			t.Errorf("%s: courtyard reaches %v, want %g, %g", c.name, max, c.courtyardX, c.cyrY)
		}
	}
}

// TestPlaces compares the positions of individual pads with expected positions [mm].
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, pad string
		x, y      float64
	}{
		{"SOIC-8", "4", -2.475, -1.905}, {"SOIC-8", "5", 2.475, -1.905},
		{"SOIC-8", "8", 2.475, 1.905},
		{"TQFP-32", "8", -4.175, -2.8}, {"TQFP-32", "9", -2.8, -4.175},
		{"TQFP-32", "17", 4.175, -2.8}, {"TQFP-32", "24", 4.175, 2.8},
		{"TQFP-32", "25", 2.8, 4.175}, {"TQFP-32", "32", -2.8, 4.175},
		{"QFN-16", "17", 0, 0}, {"QFN-16", "16", -.75, 1.45},
		{"SOT-23", "2", -.9375, -.95}, {"SOT-23", "3", .9375, 0},
		{"SOT-23-5", "4", 1.15, -.95}, {"SOT-23-5", "5", 1.15, .95}, {"SOT-23-6", "5", 1.15, 0},
		{"TO-252", "1", -3.15, 2.28}, {"TO-252", "2", 3.15, 0},
		{"DIP-8", "1", -3.81, 3.81}, {"DIP-8", "5", 3.81, -3.81}, {"DIP-40", "40", 7.62, 24.13},
		{"PinHeader_1x04", "1", 0, 3.81}, {"PinHeader_2x03", "2", 1.27, 2.54},
		{"PinHeader_2x03", "5", -1.27, -2.54},
		{"TerminalBlock_1x02", "1", -2.54, 0}, {"TO-92", "3", 1.27, 0}, {"R_AXIAL", "2", 5.08, 0},
		{"CRYSTAL_3225", "1", -1.1, -.85}, {"CRYSTAL_3225", "3", 1.1, .85},
		{"SW_TACT_6MM", "2", -3.25, -2.25},
		{"USB_MICRO_B", "1", -1.3, 1.45}, {"USB_MICRO_B", "5", 1.3, 1.45},
		{"USB_C_16P", "A1", -3.2, 3.2}, {"USB_C_16P", "B5", 1.75, 3.2},
		{"USB_C_16P", "S", -4.32, 2.45}, {"BARREL_JACK", "1", 0, 0}, {"BARREL_JACK", "3", -3, -4.7},
	} {
		f := find(t, c.name)
		ok, seen := false, []board.Point(nil)
		for _, p := range f.Pads {
			if p.Number == c.pad {
				seen = append(seen, p.At)
				ok = ok || p.At == board.Point{X: board.MM(c.x), Y: board.MM(c.y)}
			}
		}
		if !ok {
			t.Errorf("%s pad %s is at %v, want %g, %g", c.name, c.pad, seen, c.x, c.y)
		}
	}
}

// pins returns the number of distinct pad numbers that a footprint name implies.
func pins(name string) int {
	for _, c := range []struct {
		prefix string
		pins   int
	}{{"SOT-23-5", 5}, {"SOT-23-6", 6}, {"SOT-23", 3}, {"SOT-223", 3}, {"TO-", 3}, {"POT", 3},
		{"CRYSTAL_3225", 4}, {"SW_TACT", 2},
		{"USB_MICRO_B", 6}, {"USB_C_16P", 13}, {"BARREL_JACK", 3}} {
		if strings.HasPrefix(name, c.prefix) {
			return c.pins
		}
	}
	for _, sep := range []string{"SOIC-", "TSSOP-", "MSOP-", "SSOP-", "TQFP-", "DIP-", "QFN-"} {
		if n, ok := strings.CutPrefix(name, sep); ok {
			v := number(strings.TrimSuffix(n, "W"))
			if sep == "QFN-" {
				v++
			}
			return v
		}
	}
	if _, n, ok := strings.Cut(name, "x"); ok && (strings.HasPrefix(name, "PinHeader") ||
		strings.HasPrefix(name, "Terminal")) {
		return number(n) * number(name[strings.IndexByte(name, '_')+1:strings.IndexByte(name, 'x')])
	}
	return 2
}

func number(s string) int {
	n := 0
	for _, r := range s {
		n = n*10 + int(r-'0')
	}
	return n
}

// TestLaws verifies the invariants of every footprint in the library.
func TestLaws(t *testing.T) {
	names := Names()
	if len(names) != 49+7+6+1+4+5+5+3+2+7+1+11+80+11+4+13+1+2+1 {
		t.Errorf("the library has %d names", len(names))
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[key(name)] {
			t.Errorf("%s is listed twice", name)
		}
		seen[key(name)] = true
		f := find(t, name)
		if f.Name != name {
			t.Errorf("%s finds %s", name, f.Name)
		}
		checkInvariants(t, f)
		count := map[string]bool{}
		for _, p := range f.Pads {
			if !p.NonPlated {
				count[p.Number] = true
			}
		}
		if want := pins(name); len(count) != want {
			t.Errorf("%s has %d pins, want %d", name, len(count), want)
		}
		if again := find(t, name); len(again.Pads) != len(f.Pads) || again == f {
			t.Errorf("%s is not made anew by every call", name)
		}
		if strings.HasPrefix(name, "USB") || name == "BARREL_JACK" {
			continue
		}
		var centres board.Polygon
		for _, p := range f.Pads {
			centres = append(centres, p.At)
		}
		if b := centres.Bounds(); b.Min.X != -b.Max.X || b.Min.Y != -b.Max.Y {
			t.Errorf("%s: the origin is not the centre of the pads: %v", name, b)
		}
	}
}

// checkInvariants verifies the invariants of one footprint.
func checkInvariants(t *testing.T, f *board.Footprint) {
	t.Helper()
	if f.Pads[0].Number != "1" && f.Pads[0].Number != "A1" {
		t.Errorf("%s begins with pad %q", f.Name, f.Pads[0].Number)
	}
	through := false
	for i, p := range f.Pads {
		through = through || p.Through()
		if p.Width <= 0 || p.Height <= 0 || p.Number == "" != p.NonPlated {
			t.Errorf("%s: pad %q is %+v", f.Name, p.Number, p)
		}
		if p.Through() &&
			(min(p.Width-max(p.Drill, p.SlotW), p.Height-max(p.Drill, p.SlotH)) < 2*board.MM(.15)) {
			t.Errorf("%s: pad %s has a ring below 0.15 mm", f.Name, p.Number)
		}
		box := bounds(p).Grown(board.MM(.25))
		if union(box, f.Courtyard) != f.Courtyard {
			t.Errorf("%s: pad %s leaves the courtyard", f.Name, p.Number)
		}
		for _, q := range f.Pads[:i] {
			if Overlap(p, q) {
				t.Errorf("%s: pads %s and %s overlap", f.Name, p.Number, q.Number)
			}
		}
	}
	if through != f.Tht {
		t.Errorf("%s: Tht is %v", f.Name, f.Tht)
	}
	if union(f.Body.Grown(board.MM(.25)), f.Courtyard) != f.Courtyard {
		t.Errorf("%s: the body leaves the courtyard", f.Name)
	}
	for alias, number := range f.Aliases {
		found := false
		for _, p := range f.Pads {
			found = found || p.Number == number
			if p.Number == alias {
				t.Errorf("%s: %s is a pad and another pad's name", f.Name, alias)
			}
		}
		if !found {
			t.Errorf("%s: %s names pad %s, which is not there", f.Name, alias, number)
		}
	}
	if (f.Edge == board.NoEdge) != (f.MatingSide == board.NoEdge) {
		t.Errorf("%s: edge %v but mating side %v", f.Name, f.Edge, f.MatingSide)
	}
}

// TestHalfTurn verifies that a rotation by 180 degrees maps the pad positions of each symmetric
// package onto each other.
func TestHalfTurn(t *testing.T) {
	for _, name := range Names() {
		if !strings.ContainsAny(name[:1], "RCLF") && !strings.HasPrefix(name, "SOIC") &&
			!strings.Contains(name, "SSOP") && !strings.Contains(name, "QF") &&
			!strings.HasPrefix(name, "DIP") {
			continue
		}
		f := find(t, name)
		at := map[board.Point]bool{}
		for _, p := range f.Pads {
			at[p.At] = true
		}
		for _, p := range f.Pads {
			if !at[p.At.Rotated(180)] {
				t.Errorf("%s: pad %s has no opposite", name, p.Number)
			}
		}
	}
}

func TestPolarNames(t *testing.T) {
	for name, want := range map[string]string{"D_0805": "1", "LED_5MM": "1", "SOD-123": "1",
		"SMA": "1", "D_DO-41": "1", "CP_TANT_B": "2", "CP_RADIAL_D6.3": "2"} {
		f := find(t, name)
		if !f.Polar || f.Aliases["K"] != want || f.Aliases["A"] == want ||
			f.Aliases["+"] != f.Aliases["A"] || f.Aliases["-"] != f.Aliases["K"] {
			t.Errorf("%s: polar %v, names %v", name, f.Polar, f.Aliases)
		}
	}
	for _, name := range []string{"R_0805", "C_0402", "R_AXIAL", "C_DISC_P5.00", "CRYSTAL_HC49",
		"FB_1206"} {
		if f := find(t, name); f.Polar || len(f.Aliases) > 0 {
			t.Errorf("%s: polar %v, names %v", name, f.Polar, f.Aliases)
		}
	}
}

func TestEdges(t *testing.T) {
	for name, matingSide := range map[string]board.Edge{"USB_MICRO_B": board.BottomEdge,
		"USB_C_16P": board.BottomEdge, "BARREL_JACK": board.LeftEdge,
		"TerminalBlock_1x03": board.BottomEdge, "PinHeader_1x03": board.NoEdge,
		"R_0805": board.NoEdge} {
		f := find(t, name)
		if f.MatingSide != matingSide || (f.Edge == board.AnyEdge) != (matingSide != board.NoEdge) {
			t.Errorf("%s: edge %v, mating side %v", name, f.Edge, f.MatingSide)
		}
	}
}
