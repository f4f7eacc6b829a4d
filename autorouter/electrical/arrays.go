package electrical

import (
	"fmt"
	"math"

	"slipstick/autorouter/board"
)

// arrayReach is the largest distance between adjacent vias of one via array [nm].
const arrayReach = 3 * board.Millimetre

// addArrays adds parallel vias where the current exceeds the rating of a single via.
func (c *completion) addArrays() {
	s := c.space
	for net := range s.b.Nets {
		n := &s.b.Nets[net]
		if n.Current <= 0 || c.ctx.Err() != nil {
			continue
		}
		class := s.b.Rules.Class(n)
		if parallelVias(class, n.Current, c.riseC) < 2 {
			continue
		}
		var graph *copper
		seen := map[int]bool{}
		for i := range len(s.b.Vias) {
			if s.b.Vias[i].Net != net || seen[i] {
				continue
			}
			if graph == nil {
				graph = c.copperOf(net)
			}
			array := s.arrayAt(i)
			without := map[int]bool{}
			for _, k := range array {
				seen[k], without[k] = true, true
			}
			current := graph.current(without, n.Current)
			at, have, want := s.b.Vias[i].At, len(array), parallelVias(class, current, c.riseC)
			for have < want {
				added := s.extend(array, class)
				if added < 0 {
					break
				}
				array, have = append(array, added), have+1
				c.report.ArrayVias++
			}
			if have < want {
				c.report.Shortfalls = append(c.report.Shortfalls, fmt.Sprintf(
					"net %s: %d of %d vias for %.3g A fit at %.4g, %.4g mm", n.Name, have,
					want, current,
					board.ToMM(at.X), board.ToMM(at.Y)))
			}
		}
	}
}

// arrayAt returns the indices of all vias in the same array as via first, including first.
func (s *space) arrayAt(first int) []int {
	array, in := []int{first}, map[int]bool{first: true}
	for k := 0; k < len(array); k++ {
		for i := range s.b.Vias {
			if !in[i] && s.b.Vias[i].Net == s.b.Vias[first].Net && board.Distance(s.b.Vias[i].At,
				s.b.Vias[array[k]].At) < float64(arrayReach) {
				in[i] = true
				array = append(array, i)
			}
		}
	}
	return array
}

// extend adds a via next to a via of an array and returns its index, or -1 if no via fits. On each
// layer where the adjacent via is connected, the new via lies in the same pour or gets a track to
// the adjacent via.
func (s *space) extend(array []int, class board.Class) int {
	pitch := float64(max(class.ViaDiameter, class.ViaDrill+s.b.Rules.HoleToHole) +
		50*board.Micrometre)
	for _, factor := range []float64{1, 1.4, 1.9, 2.5} {
		for _, k := range array {
			base := s.b.Vias[k]
			for step := range 24 {
				sin, cos := math.Sincos(float64(step) * math.Pi / 12)
				v := base
				v.At = base.At.Add(board.Point{X: int64(math.Round(factor * pitch * cos)),
					Y: int64(math.Round(factor * pitch * sin))})
				if !s.fitsVia(v, nil) {
					continue
				}
				links, ok := s.links(base, v, class.TrackWidth)
				if !ok {
					continue
				}
				for _, t := range links {
					s.lay(t)
				}
				s.place(v)
				return len(s.b.Vias) - 1
			}
		}
	}
	return -1
}

// links returns the tracks from the new via v to the existing via base. There is one for each layer
// on which base is connected and no pour joins the two. ok is false if a track does not fit.
func (s *space) links(base, v board.Via, width int64) (out []board.Track, ok bool) {
	for l := range s.all.All() {
		if !s.connected(base, l) {
			continue
		}
		if s.filled(base.Net, l, v.At, v.Diameter) && s.filled(base.Net, l, base.At, 0) {
			continue
		}
		t := board.Track{Net: base.Net, Layer: l, A: base.At, B: v.At, Width: width}
		if !s.fitsTrack(t) {
			return nil, false
		}
		out = append(out, t)
	}
	return out, true
}

// connected reports whether a via touches a pour, track or surface-mount pad of its net on a layer.
func (s *space) connected(v board.Via, l board.Layer) bool {
	if s.filled(v.Net, l, v.At, 0) {
		return true
	}
	return !s.near(discOf(v), func(o *object) bool {
		return o.net != v.Net || !o.layers.Has(l) || o.hasHole || !o.copper || !overlap(o, v)
	})
}
