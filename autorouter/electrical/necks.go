package electrical

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// Neck is a run of connected tracks that are narrower than the current of their net requires.
type Neck struct {
	Net    int
	Pad    string  // reference and number of the nearest pad, such as F1.1
	Width  int64   // smallest width [nm]
	Widest int64   // largest width [nm]
	Length int64   // length of the tracks outside of pads and wide enough tracks [nm]
	far    float64 // distance to the nearest pad [nm]
}

// maxNeck is the length of a neck [nm] above which it counts as a defect of a board. A neck of a
// fine-pitch pad is shorter; a longer one carries the current of a whole connection.
const maxNeck = 2 * board.Millimetre

// Necks returns the tracks narrower than their current requires by IPC-2221. Tracks within a pad or
// a wide enough track carry no current of their own and do not count.
func Necks(b *board.Board) []Neck {
	var narrow []board.Track
	var necks []Neck
	for _, t := range b.Tracks {
		if t.Net == board.NoNet || b.Nets[t.Net].Current <= 0 ||
			t.Width+board.Micrometre >= b.Nets[t.Net].Width {
			continue
		}
		if length := uncovered(b, t, b.Nets[t.Net].Width); length > 0 {
			pad, far := nearestPad(b, t)
			narrow = append(narrow, t)
			necks = append(necks,
				Neck{t.Net, pad, t.Width, t.Width, int64(math.Round(length)), far})
		}
	}
	runs := geom.NewUnionFind(len(narrow))
	for i, t := range narrow {
		for k, o := range narrow[:i] {
			a, c := geom.Segment(t.A, t.B, t.Width), geom.Segment(o.A, o.B, o.Width)
			if t.Net == o.Net && t.Layer == o.Layer && geom.Distance(&a, &c) <= 0 {
				runs.Union(i, k)
			}
		}
	}
	var out []Neck
	for i := range necks {
		run := runs.Find(i)
		if run == i { // the first track of a run
			continue
		}
		first, n := &necks[run], &necks[i]
		first.Width, first.Widest = min(first.Width, n.Width), max(first.Widest, n.Widest)
		first.Length += n.Length
		if n.far < first.far {
			first.Pad, first.far = n.Pad, n.far
		}
	}
	for i := range necks {
		if runs.Find(i) == i {
			out = append(out, necks[i])
		}
	}
	return out
}

// LongNecks returns the number of necks that are longer than 2 mm.
func LongNecks(necks []Neck) int {
	n := 0
	for _, one := range necks {
		if one.Length > maxNeck {
			n++
		}
	}
	return n
}

// nearestPad returns the reference and number of the pad of its net that is nearest to a track, and
// the distance [nm].
func nearestPad(b *board.Board, t board.Track) (name string, nearest float64) {
	copper := geom.Segment(t.A, t.B, t.Width)
	nearest = math.Inf(1)
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
	return name, nearest
}

// NeckWarnings returns a warning for each net with necks. It states their widths, their lengths and
// the nearest pads, the narrowest first.
func NeckWarnings(b *board.Board) []string {
	necks := map[int][]Neck{}
	for _, n := range Necks(b) {
		necks[n.Net] = append(necks[n.Net], n)
	}
	const maxPads = 6
	var out []string
	for net := range b.Nets {
		all := necks[net]
		if len(all) == 0 {
			continue
		}
		slices.SortStableFunc(all, func(a, b Neck) int {
			return cmp.Or(cmp.Compare(a.Width, b.Width), cmp.Compare(b.Length, a.Length),
				cmp.Compare(a.Pad, b.Pad))
		})
		var pads []string
		for _, one := range all[:min(len(all), maxPads)] {
			width := fmt.Sprintf("%.2f", board.ToMM(one.Width))
			if widest := fmt.Sprintf("%.2f", board.ToMM(one.Widest)); widest != width {
				width += " to " + widest
			}
			pads = append(pads, fmt.Sprintf("%s mm over %.1f mm at %s", width,
				board.ToMM(one.Length), one.Pad))
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

// uncovered returns the length of a track [nm] whose centre line lies outside of the pads of its
// net and of its tracks of at least the given width [nm].
func uncovered(b *board.Board, t board.Track, width int64) float64 {
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
	length := board.Distance(t.A, t.B)
	n := int(length/float64(step)) + 1
	outside := 0
	for k := range n + 1 {
		at := geom.Lerp(geom.VecOf(t.A), geom.VecOf(t.B), float64(k)/float64(n))
		if !slices.ContainsFunc(covers, func(s geom.Shape) bool { return s.To(at.X, at.Y) <= 0 }) {
			outside++
		}
	}
	return length * float64(outside) / float64(n+1)
}
