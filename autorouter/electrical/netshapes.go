package electrical

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// netShape is a pad, a track or a via of a net.
type netShape struct {
	geom.Boxed
	kind   shapeKind
	layers board.LayerSet
	index  int    // of a track in Board.Tracks
	width  int64  // of a track [nm]
	pad    string // reference and number of a pad, such as F1.1
}

type shapeKind int

const (
	padShape shapeKind = iota
	trackShape
	viaShape
)

// netShapes is a spatial index of the pads, tracks and vias of a net.
type netShapes struct {
	shapes []netShape // pads first, then tracks in the order of the board, then vias
	box    geom.Box   // of all shapes
	index  *geom.ShapeIndex
}

// shapesOfNets returns the shapes of each net with a current, by net. Other nets have none.
func shapesOfNets(b *board.Board) []netShapes {
	nets := make([]netShapes, len(b.Nets))
	add := func(net int, s netShape) {
		if net != board.NoNet && b.Nets[net].Current > 0 {
			nets[net].shapes = append(nets[net].shapes, s)
		}
	}
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			p := &b.Parts[i].Pads[k]
			add(p.Net, netShape{Boxed: p.Copper(0).Boxed(), kind: padShape, layers: p.Layers,
				pad: b.Parts[i].Ref + "." + p.Number})
		}
	}
	for i, t := range b.Tracks {
		add(t.Net, netShape{Boxed: geom.Segment(t.A, t.B, t.Width).Boxed(), kind: trackShape,
			layers: t.Layer.Bit(), index: i, width: t.Width})
	}
	for _, v := range b.Vias {
		add(v.Net, netShape{Boxed: geom.Disc(v.At, v.Diameter).Boxed(), kind: viaShape,
			layers: b.ViaLayers(&v)})
	}
	for i := range nets {
		shapes := nets[i].shapes
		nets[i].box = geom.EmptyBox()
		for k := range shapes {
			nets[i].box = nets[i].box.Union(shapes[k].Box)
		}
		nets[i].index = geom.NewShapeIndex(len(shapes), func(k int) *geom.Boxed {
			return &shapes[k].Boxed
		})
	}
	return nets
}

// uncovered returns the length of a track [nm] whose centre line lies outside of the pads of its
// net and of its tracks of at least the given width [nm].
func (n *netShapes) uncovered(t board.Track, width int64) float64 {
	const step = 20 * board.Micrometre // distance of the points tested
	length := board.Distance(t.A, t.B)
	spaces := int(length/float64(step)) + 1
	s := newSamples(t, spaces+1, spaces, 0)
	center := geom.Segment(t.A, t.B, 0).Boxed()
	n.index.Near(&center, 0, func(id int) {
		o := &n.shapes[id]
		if o.layers.Has(t.Layer) && (o.kind == padShape ||
			o.kind == trackShape && o.width+board.Micrometre >= width) {
			s.mark(o.Box, func(at geom.Vec) bool { return o.To(at.X, at.Y) <= 0 })
		}
	})
	return length * (1 - s.share())
}

// isCovered reports whether the centre of a via is in a pad of the net, or in a track of at least
// the given width [nm].
func (n *netShapes) isCovered(via *netShape, width int64) bool {
	x, y := (via.Box.X0+via.Box.X1)/2, (via.Box.Y0+via.Box.Y1)/2
	covered := false
	n.index.Near(&via.Boxed, 0, func(id int) {
		o := &n.shapes[id]
		isWide := o.kind == padShape || o.kind == trackShape && o.width+board.Micrometre >= width
		covered = covered || isWide && o.layers&via.layers != 0 && o.To(x, y) <= 0
	})
	return covered
}

// nearestPad returns the pad of the net that is nearest to a track, and the distance [nm]. It
// returns an empty name and an infinite distance if the net has no pads. The track must belong to
// the net.
func (n *netShapes) nearestPad(t board.Track) (name string, nearest float64) {
	copper := geom.Segment(t.A, t.B, t.Width).Boxed()
	for reach := float64(board.Millimetre); ; reach *= 4 {
		first := len(n.shapes)
		nearest = math.Inf(1)
		n.index.Near(&copper, reach, func(id int) {
			o := &n.shapes[id]
			if o.kind != padShape {
				return
			}
			d := geom.Distance(&copper.Shape, &o.Shape)
			if d < nearest || d == nearest && id < first {
				name, nearest, first = o.pad, d, id
			}
		})
		if nearest <= reach || reach > n.box.X1-n.box.X0+n.box.Y1-n.box.Y0 {
			return name, nearest
		}
	}
}

// samples are evenly spaced points on the centre line of a track. Each of them may be marked.
type samples struct {
	a, b   geom.Vec
	spaces float64 // number of spaces between points on the track
	offset float64 // distance of the first point from the start of the track, in spaces
	marked []bool  // by point
	count  int     // number of marked points
}

func newSamples(t board.Track, points, spaces int, offset float64) *samples {
	return &samples{a: geom.VecOf(t.A), b: geom.VecOf(t.B), spaces: float64(spaces),
		offset: offset, marked: make([]bool, points)}
}

// share returns the fraction of the points that are marked.
func (s *samples) share() float64 { return float64(s.count) / float64(len(s.marked)) }

// mark marks the points in a box for which inside returns true. Its time grows with the number of
// points in the box, not with the length of the track.
func (s *samples) mark(box geom.Box, inside func(at geom.Vec) bool) {
	lo, hi := 0.0, 1.0 // fractions of the track in the box
	for _, axis := range [2]struct{ a, b, min, max float64 }{
		{s.a.X, s.b.X, box.X0 - 1, box.X1 + 1}, {s.a.Y, s.b.Y, box.Y0 - 1, box.Y1 + 1},
	} {
		d := axis.b - axis.a
		if d == 0 {
			if axis.a < axis.min || axis.a > axis.max {
				return
			}
			continue
		}
		from, to := (axis.min-axis.a)/d, (axis.max-axis.a)/d
		lo, hi = max(lo, min(from, to)), min(hi, max(from, to))
	}
	last := min(len(s.marked)-1, int(math.Ceil(hi*s.spaces-s.offset)))
	for k := max(0, int(math.Floor(lo*s.spaces-s.offset))); k <= last; k++ {
		if !s.marked[k] &&
			inside(geom.Lerp(s.a, s.b, (float64(k)+s.offset)/s.spaces)) {
			s.marked[k] = true
			s.count++
		}
	}
}
