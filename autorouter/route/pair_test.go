package route_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/route"
)

// row returns a footprint with n surface pads of w by h mm along x, numbered from the left. The
// pitch is in mm.
func row(n int, pitch, w, h float64) *board.Footprint {
	f := &board.Footprint{Name: fmt.Sprintf("ROW-%d", n)}
	for i := range n {
		x := (float64(i) - float64(n-1)/2) * pitch
		f.Pads = append(f.Pads, land(fmt.Sprint(i+1), x, 0, w, h))
	}
	return closed(f, float64(n)*pitch, h)
}

// placedPart is a part of a pairBoard, with its position [mm] and rotation [degrees].
type placedPart struct {
	ref      string
	f        *board.Footprint
	x, y     float64
	rotation float64
	nets     map[string]int // net index by pad number
}

// pairBoard returns a board of w by h mm with the nets D+, D-, A, B, C and D.
func pairBoard(w, h float64, parts ...placedPart) *board.Board {
	b := &board.Board{Outline: board.Polygon{{}, at(w, 0), at(w, h), at(0, h)}, Rules: rules()}
	b.Rules.PourLayers = nil
	for _, name := range []string{"D+", "D-", "A", "B", "C", "D"} {
		b.Nets = append(b.Nets, board.Net{Name: name, Class: "default"})
	}
	for i, p := range parts {
		b.Parts = append(b.Parts, board.Place(board.Component{Ref: p.ref, Footprint: p.f},
			board.Placement{At: at(p.x, p.y), Rotation: p.rotation}, func(pad string) int {
				n, ok := p.nets[pad]
				if !ok {
					return board.NoNet
				}
				b.Nets[n].Pins = append(b.Nets[n].Pins, board.PinRef{Component: i, Pad: pad})
				return n
			}))
	}
	b.Rules.Pairs = b.Rules.NamedPairs(b.Nets, func(int) bool { return false })
	return b
}

// pairFigures returns the lengths of D+ and D- [mm], with 1.6 mm per via, and the coupled share of
// D+ (0 to 1). A piece of D+ is coupled if its distance to D- equals apart [mm] within 10 µm.
func pairFigures(b *board.Board, apart float64) (lengths [2]float64, coupled float64) {
	for _, t := range b.Tracks {
		if t.Net > 1 {
			continue
		}
		long := math.Hypot(float64(t.B.X-t.A.X), float64(t.B.Y-t.A.Y)) / 1e6
		lengths[t.Net] += long
		if t.Net != 0 {
			continue
		}
		n := int(long/0.05) + 1
		for k := range n {
			f := (float64(k) + 0.5) / float64(n)
			p := board.Point{X: t.A.X + int64(f*float64(t.B.X-t.A.X)),
				Y: t.A.Y + int64(f*float64(t.B.Y-t.A.Y))}
			nearest := math.Inf(1)
			for _, o := range b.Tracks {
				if o.Net == 1 && o.Layer == t.Layer {
					nearest = min(nearest, pointTo(p, o.A, o.B)/1e6)
				}
			}
			if math.Abs(nearest-apart) < 0.01 {
				coupled += long / float64(n)
			}
		}
	}
	coupled /= lengths[0]
	for _, v := range b.Vias {
		lengths[v.Net] += 1.6
	}
	return lengths, coupled
}

// TestPairs verifies that pairs have equal lengths and are coupled at the smallest distance that
// the rules allow. That distance is 0.45 mm for 0.25 mm tracks with 0.2 mm clearance.
func TestPairs(t *testing.T) {
	own := map[string]int{"2": 0, "3": 1}
	swapped := map[string]int{"2": 1, "3": 0}
	wall := func(x, y, w, h float64) placedPart {
		return placedPart{ref: fmt.Sprintf("W%g", x), f: row(1, 1, w, h), x: x, y: y}
	}
	usb := func(x, y, turn float64, nets map[string]int) placedPart {
		return placedPart{"J1", row(4, 0.65, 0.4, 1.4), x, y, turn, nets}
	}
	chip := func(x, y, turn float64, nets map[string]int) placedPart {
		return placedPart{"U1", row(4, 0.8, 0.5, 1.5), x, y, turn, nets}
	}
	// The pads of two parts that face each other have opposite orders, as seen along the tracks.
	for _, c := range []struct {
		name    string
		w, h    float64
		parts   []placedPart
		vias    int
		coupled float64 // smallest coupled share
	}{
		{"straight", 20, 30, []placedPart{usb(10, 4, 0, own), chip(10, 26, 180, swapped)}, 0, 0.8},
		{"beside", 30, 30, []placedPart{usb(6, 4, 0, own), chip(22, 26, 180, swapped)}, 0, 0.8},
		{"corner", 40, 30, []placedPart{usb(6, 4, 0, own), chip(34, 24, 90, swapped)}, 0, 0.8},
		{"diagonal part", 40, 40, []placedPart{usb(6, 4, 0, own), chip(30, 30, 135, swapped)}, 0,
			0.8},
		{"around a wall", 30, 30, []placedPart{usb(15, 4, 0, own), chip(15, 26, 180, swapped),
			wall(15, 15, 14, 2)}, 0, 0.8},
		{"below a wall", 30, 30, []placedPart{usb(15, 4, 0, own), chip(15, 26, 180, swapped),
			wall(15.01, 15, 28.6, 2)}, 4, 0.7},
		{"the other order", 30, 36, []placedPart{usb(15, 4, 0, own), chip(15, 26, 180, own)}, 0,
			0.6},
		{"between walls in the other order", 30, 36, []placedPart{usb(15, 4, 0, own),
			chip(15, 26, 180, own), wall(9, 4, 8, 6), wall(21, 4, 8, 6), wall(9.01, 26, 8, 6),
			wall(21.01, 26, 8, 6)}, 2, 0.25},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := pairBoard(c.w, c.h, c.parts...)
			res := mustRoute(t, b, route.Options{})
			if len(res.Unrouted) > 0 {
				t.Fatalf("open: %v", res.Unrouted)
			}
			lengths, coupled := pairFigures(b, 0.45)
			t.Logf("%.3f and %.3f mm, %.0f %% coupled, %d vias", lengths[0], lengths[1],
				100*coupled, len(b.Vias))
			if d := math.Abs(lengths[0] - lengths[1]); d > 0.1 {
				t.Errorf("lengths %.3f and %.3f mm", lengths[0], lengths[1])
			}
			if coupled < c.coupled {
				t.Errorf("%.0f %% coupled", 100*coupled)
			}
			if len(b.Vias) > c.vias {
				t.Errorf("%d vias", len(b.Vias))
			}
		})
	}
}

// TestPairOutside verifies that pads outside the outline or in the same position do not make the
// routing fail.
func TestPairOutside(t *testing.T) {
	nets := map[string]int{"1": 0, "2": 1}
	for _, far := range []float64{-30, 60, 10} {
		b := pairBoard(20, 20, placedPart{"J1", row(2, 0.65, 0.4, 1.4), 10, 10, 0, nets},
			placedPart{"U1", row(2, 0.65, 0.4, 1.4), far, 10, 0, nets})
		if _, err := route.Route(t.Context(), b, route.Options{}); err != nil {
			t.Errorf("at %g mm: %v", far, err)
		}
	}
}

// TestPairKept verifies that a net of a pair gets no track if existing copper already connects it.
func TestPairKept(t *testing.T) {
	nets := map[string]int{"1": 0, "2": 1}
	kept := &board.Footprint{Name: "kept", Pads: []board.FootprintPad{ // from J1.1 around to U1.1
		land("1", -0.325, -11, 0.25, 6), land("1", -7.7, -14, 15, 0.25),
		land("1", -15, 0, 0.25, 28), land("1", -7.7, 14, 15, 0.25), land("1", -0.325, 11, 0.25, 6)}}
	b := pairBoard(40, 40, placedPart{"J1", row(2, 0.65, 0.4, 1.4), 20, 12, 0, nets},
		placedPart{"U1", row(2, 0.65, 0.4, 1.4), 20, 28, 0, nets},
		placedPart{"W1", closed(kept, 31, 29), 20, 20, 0, nets})
	if res := mustRoute(t, b, route.Options{}); len(res.Unrouted) > 0 {
		t.Errorf("open: %v", res.Unrouted)
	}
	for _, track := range b.Tracks {
		if track.Net == 0 {
			t.Fatalf("track %v of a net that is connected", track)
		}
	}
}

// TestPairManyPads verifies that two nets of a pair with 1000 pads each are routed without matching
// all combinations of their pads.
func TestPairManyPads(t *testing.T) {
	nets := map[string]int{}
	f := &board.Footprint{Name: "many"}
	for i := range 2000 { // 1000 pads per net: a million combinations
		pad := fmt.Sprint(i)
		f.Pads, nets[pad] = append(f.Pads, land(pad, float64(i%2), 0, 0.4, 0.4)), i%2
	}
	b := pairBoard(20, 20, placedPart{"J1", closed(f, 2, 1), 10, 10, 0, nets})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := route.Route(t.Context(), b, route.Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 100e6 {
		t.Errorf("%d bytes", n)
	}
}
