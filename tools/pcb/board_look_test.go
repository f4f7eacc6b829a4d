package pcb

import (
	"math"
	"regexp"
	"testing"
)

// TestDecouplersStandByTheirPins verifies that every decoupling capacitor of 100 nF has its supply
// pad within 5 mm of a pin of an IC on that supply. Microchip AN2519 (AVR microcontroller hardware
// design considerations, section 2) and other data sheets require such capacitors as close to the
// pins as possible.
func TestDecouplersStandByTheirPins(t *testing.T) {
	on := func(p padOut, net string) bool { return p.Net != nil && *p.Net == net }
	circuit, seen := regexp.MustCompile(`^U\d`), 0
	eachExample(t, func(t *testing.T, _ string, _ []byte, out pcbLayoutOut) {
		for _, c := range out.Placements {
			if c.Value != "100n" || len(c.Pads) != 2 {
				continue
			}
			hot, ground := c.Pads[0], c.Pads[1]
			if on(hot, "GND") {
				hot, ground = ground, hot
			}
			if hot.Net == nil || !on(ground, "GND") {
				continue
			}
			nearest := math.Inf(1)
			for _, u := range out.Placements {
				for _, p := range u.Pads {
					if circuit.MatchString(u.Ref) && on(p, *hot.Net) {
						nearest = min(nearest, math.Hypot(p.X-hot.X, p.Y-hot.Y))
					}
				}
			}
			if math.IsInf(nearest, 1) {
				continue // a filter
			}
			seen++
			if nearest > 5 {
				t.Errorf("%s on %s is %.1f mm from the nearest pin", c.Ref, *hot.Net, nearest)
			}
		}
	})
	if seen < 20 && !t.Failed() {
		t.Errorf("only %d capacitors looked at", seen)
	}
}

// TestNoStairs verifies that no track is a staircase of many short segments instead of a straight
// track with a bend.
func TestNoStairs(t *testing.T) {
	const step, most = 0.7, 8 // maximum length [mm] and number of successive steps of a staircase
	type spot struct {
		x, y  float64
		layer string
	}
	eachExample(t, func(t *testing.T, _ string, _ []byte, out pcbLayoutOut) {
		ends := map[spot][]int{}
		at := func(x, y float64, layer string) spot {
			return spot{math.Round(x * 1e4), math.Round(y * 1e4), layer}
		}
		for i, k := range out.Tracks {
			for _, e := range []spot{at(k.X1, k.Y1, k.Layer), at(k.X2, k.Y2, k.Layer)} {
				ends[e] = append(ends[e], i)
			}
		}
		short := func(i int) bool {
			k := out.Tracks[i]
			return math.Hypot(k.X2-k.X1, k.Y2-k.Y1) < step
		}
		done := make([]bool, len(out.Tracks))
		for i := range out.Tracks {
			steps, todo := 0, []int{i}
			for len(todo) > 0 {
				k := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if done[k] || !short(k) {
					continue
				}
				done[k] = true
				steps++
				track := out.Tracks[k]
				for _, e := range []spot{at(track.X1, track.Y1, track.Layer),
					at(track.X2, track.Y2, track.Layer)} {
					if near := ends[e]; len(near) == 2 &&
						out.Tracks[near[0]].Width == out.Tracks[near[1]].Width {
						todo = append(todo, near...)
					}
				}
			}
			if steps > most {
				t.Errorf("%s goes by %d short steps in a row near %.1f, %.1f mm", out.Tracks[i].Net,
					steps, out.Tracks[i].X1, out.Tracks[i].Y1)
			}
		}
	})
}
