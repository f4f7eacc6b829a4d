package electrical

import (
	"cmp"
	"context"
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
	Excess float64 // length of track of the required width with the resistance that they add [nm]
	far    float64 // distance to the nearest pad [nm]
}

// maxNeck is the length of a neck, and its excess [nm], above which it counts as a defect of a
// board. A neck of a fine-pitch pad is shorter; a longer one carries the current of a whole
// connection. At half of the required width, the excess equals the length.
const maxNeck = 2 * board.Millimetre

// Necks returns the tracks narrower than their current requires by IPC-2221. Tracks within a pad or
// a wide enough track carry no current of their own and do not count. Connected tracks are one
// neck, also through a via, but not through one in a pad or in a wide enough track. Necks returns
// the error of the context if that ends first.
func Necks(ctx context.Context, b *board.Board) ([]Neck, error) {
	var out []Neck
	for net, shapes := range shapesOfNets(b) {
		more, err := shapes.necks(ctx, b, net)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// necks returns the necks of a net in the order of their first tracks.
func (n *netShapes) necks(ctx context.Context, b *board.Board, net int) ([]Neck, error) {
	required := b.Nets[net].Width
	necks := map[int]*Neck{} // by shape
	for i := range n.shapes {
		s := &n.shapes[i]
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s.kind != trackShape || s.width+board.Micrometre >= required {
			continue
		}
		t := b.Tracks[s.index]
		if length := n.uncovered(t, required); length > 0 {
			pad, far := n.nearestPad(t)
			necks[i] = &Neck{Net: net, Pad: pad, Width: s.width, Widest: s.width,
				Length: int64(math.Round(length)), far: far,
				Excess: length * (float64(required)/float64(s.width) - 1)}
		}
	}
	runs := geom.NewUnionFind(len(n.shapes))
	for i := range n.shapes {
		if necks[i] == nil {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := &n.shapes[i]
		n.index.Near(&s.Boxed, 0, func(k int) {
			o := &n.shapes[k]
			joins := necks[k] != nil || o.kind == viaShape && !n.isCovered(o, required)
			if joins && o.layers&s.layers != 0 && geom.Distance(&s.Shape, &o.Shape) <= 0 {
				runs.Union(i, k)
			}
		})
	}
	var order []*Neck
	first := map[int]*Neck{} // by run
	for i := range n.shapes {
		neck := necks[i]
		if neck == nil {
			continue
		}
		f := first[runs.Find(i)]
		if f == nil {
			first[runs.Find(i)] = neck
			order = append(order, neck)
			continue
		}
		f.Width, f.Widest = min(f.Width, neck.Width), max(f.Widest, neck.Widest)
		f.Length, f.Excess = f.Length+neck.Length, f.Excess+neck.Excess
		if neck.far < f.far {
			f.Pad, f.far = neck.Pad, neck.far
		}
	}
	var out []Neck
	for _, neck := range order {
		out = append(out, *neck)
	}
	return out, nil
}

// LongNecks returns the number of necks whose length and excess are both above 2 mm.
func LongNecks(necks []Neck) int {
	n := 0
	for _, one := range necks {
		if one.Length > maxNeck && one.Excess > float64(maxNeck) {
			n++
		}
	}
	return n
}

// NeckWarnings returns a warning for each net with necks. It states their widths, their lengths and
// the nearest pads, the narrowest first. The necks are those of Necks.
func NeckWarnings(b *board.Board, necks []Neck) []string {
	byNet := map[int][]Neck{}
	for _, n := range necks {
		byNet[n.Net] = append(byNet[n.Net], n)
	}
	const maxPads = 6
	var out []string
	for net := range b.Nets {
		all := byNet[net]
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
