package electrical

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// neck is the narrowest track near a pad.
type neck struct {
	pad   string // reference and number, such as F1.1
	width int64  // width of the track [nm]
}

// NeckWarnings names the nets with tracks narrower than their current requires by IPC-2221, and
// the pads nearest to these tracks. Tracks within a pad or a wide enough track carry no current of
// their own and do not count.
func NeckWarnings(b *board.Board) []string {
	necks := map[int][]neck{}
	for _, t := range b.Tracks {
		if t.Net == board.NoNet || b.Nets[t.Net].Current <= 0 ||
			t.Width+board.Micrometre >= b.Nets[t.Net].Width ||
			isCovered(b, t, b.Nets[t.Net].Width) {
			continue
		}
		copper := geom.Segment(t.A, t.B, t.Width)
		nearest, name := math.Inf(1), ""
		for i := range b.Parts {
			for k := range b.Parts[i].Pads {
				p := &b.Parts[i].Pads[k]
				if p.Net != t.Net {
					continue
				}
				pad := p.Copper(0)
				if d := geom.Distance(&copper, &pad); d < nearest {
					nearest, name = d, b.Parts[i].Ref+"."+p.Number
				}
			}
		}
		necks[t.Net] = withNeck(necks[t.Net], neck{name, t.Width})
	}
	const maxPads = 6
	var out []string
	for net := range b.Nets {
		all := necks[net]
		if len(all) == 0 {
			continue
		}
		sort.Slice(all, func(i, k int) bool {
			return all[i].width < all[k].width ||
				all[i].width == all[k].width && all[i].pad < all[k].pad
		})
		var pads []string
		for _, one := range all[:min(len(all), maxPads)] {
			pads = append(pads, fmt.Sprintf("%.2f mm at %s", board.ToMM(one.width), one.pad))
		}
		if more := len(all) - maxPads; more > 0 {
			pads = append(pads, fmt.Sprintf("and %d more", more))
		}
		out = append(out, fmt.Sprintf("net %s: %.3g A needs %.2f mm by IPC-2221, tracks have %s",
			b.Nets[net].Name, b.Nets[net].Current, requiredMM(float64(b.Nets[net].Width)),
			strings.Join(pads, ", ")))
	}
	return out
}

// isCovered reports whether the centre line of a track lies in pads of its net and in tracks of at
// least the given width [nm].
func isCovered(b *board.Board, t board.Track, width int64) bool {
	const step = 20 * board.Micrometre // distance of the points tested
	var covers []geom.Shape
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			if p := &b.Parts[i].Pads[k]; p.Net == t.Net && p.Layers.Has(t.Layer) {
				covers = append(covers, p.Copper(0))
			}
		}
	}
	for _, o := range b.Tracks {
		if o.Net == t.Net && o.Layer == t.Layer && o.Width+board.Micrometre >= width {
			covers = append(covers, geom.Segment(o.A, o.B, o.Width))
		}
	}
	n := int(board.Distance(t.A, t.B)/float64(step)) + 1
	for k := range n + 1 {
		at := geom.Lerp(geom.VecOf(t.A), geom.VecOf(t.B), float64(k)/float64(n))
		if !slices.ContainsFunc(covers, func(s geom.Shape) bool { return s.To(at.X, at.Y) <= 0 }) {
			return false
		}
	}
	return true
}

// withNeck adds a neck to a list that holds the narrowest neck of each pad.
func withNeck(all []neck, one neck) []neck {
	for i := range all {
		if all[i].pad == one.pad {
			all[i].width = min(all[i].width, one.width)
			return all
		}
	}
	return append(all, one)
}
