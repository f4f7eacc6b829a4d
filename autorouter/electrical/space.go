package electrical

import (
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// object is copper, a hole, an edge or a keepout that new copper must keep clear of.
type object struct {
	shape     geom.Shape
	hole      geom.Shape
	copper    bool // whether the object has copper on its layers
	hasHole   bool
	net       int
	layers    board.LayerSet
	clearance float64    // clearance to copper of other nets [nm]
	pad       *board.Pad // surface-mount pad, closed to vias of its net; nil for other objects
	keepout   *board.Keepout
}

// binSize is the side length of the bins of the spatial index [nm].
const binSize = board.Millimetre

// tolerance is added to every distance [nm] because exported files are rounded.
const tolerance = 10.0

// space finds legal positions for vias and tracks on a board.
type space struct {
	b       *board.Board
	all     board.LayerSet
	objects []object
	bins    geom.Bins
	reach   int64            // largest clearance of any rule [nm]
	fills   [][]*geom.Region // filled areas of each zone, by zone index
}

func newSpace(b *board.Board) *space {
	r := &b.Rules
	s := &space{b: b, all: b.Copper().All(), bins: geom.NewBins(b.Outline.Bounds(), binSize)}
	s.reach = max(r.EdgeClearance, r.HoleClearance, r.HoleToHole)
	for _, c := range r.Classes {
		s.reach = max(s.reach, c.Clearance)
	}
	for _, h := range b.Holes {
		s.reach = max(s.reach, h.Keepout)
	}
	for i, p := range b.Outline {
		edge := geom.Segment(p, b.Outline[(i+1)%len(b.Outline)], 0)
		s.add(object{shape: edge, net: board.NoNet, layers: s.all,
			clearance: float64(r.EdgeClearance)})
	}
	for _, h := range b.Holes {
		disc := geom.Disc(h.At, h.Diameter)
		s.add(object{shape: disc, hole: disc, hasHole: true, net: board.NoNet, layers: s.all,
			clearance: float64(max(r.HoleClearance, h.Keepout))})
	}
	for i := range b.Keepouts {
		k := &b.Keepouts[i]
		s.add(object{shape: geom.RectShape(k.Area), net: board.NoNet,
			layers: board.LayersOf(k.Layers...), keepout: k})
	}
	for i := range b.Parts {
		for k := range b.Parts[i].Pads {
			p := &b.Parts[i].Pads[k]
			o := object{shape: p.Copper(0), copper: true, net: p.Net, layers: p.Layers,
				clearance: s.clearance(p.Net)}
			o.hole, o.hasHole = p.HoleShape()
			if o.hasHole && !p.Plated {
				o.shape, o.copper, o.layers, o.clearance = o.hole, false, s.all,
					float64(r.HoleClearance)
			} else if !o.hasHole {
				o.pad = p
			}
			s.add(o)
		}
	}
	for _, t := range b.Tracks {
		s.addTrack(t)
	}
	for _, v := range b.Vias {
		s.addVia(v)
	}
	s.readZones()
	return s
}

// readZones reads the filled copper of the board's zones.
func (s *space) readZones() {
	s.fills = nil
	for _, z := range s.b.Zones {
		var pieces []*geom.Region
		for _, p := range z.Pieces {
			pieces = append(pieces, geom.NewRegion(p.Outline, p.Holes...))
		}
		s.fills = append(s.fills, pieces)
	}
}

func (s *space) clearance(net int) float64 {
	if net == board.NoNet {
		return float64(s.b.Rules.Classes[0].Clearance)
	}
	return float64(s.b.Rules.Class(&s.b.Nets[net]).Clearance)
}

func (s *space) add(o object) {
	s.objects = append(s.objects, o)
	s.bins.Add(int32(len(s.objects)-1), o.shape.Bounds())
}

func (s *space) addTrack(t board.Track) {
	s.add(object{shape: geom.Segment(t.A, t.B, t.Width), copper: true, net: t.Net,
		layers: t.Layer.Bit(), clearance: s.clearance(t.Net)})
}

func (s *space) addVia(v board.Via) {
	s.add(object{shape: geom.Disc(v.At, v.Diameter), hole: geom.Disc(v.At, v.Drill), copper: true,
		hasHole: true,
		net:     v.Net, layers: s.b.ViaLayers(&v), clearance: s.clearance(v.Net)})
}

// near calls visit for each object within the largest clearance of a shape, until visit returns
// false. It reports whether all calls returned true.
func (s *space) near(sh *geom.Shape, visit func(o *object) bool) bool {
	c0, r0, c1, r1 := s.bins.Range(sh.Bounds().Grown(s.reach + 1))
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			for _, id := range s.bins.At(col, row) {
				if !visit(&s.objects[id]) {
					return false
				}
			}
		}
	}
	return true
}

// fitsVia reports whether a via satisfies every rule. The via may lie in the surface-mount pad own,
// but in no other surface-mount pad of its net, because solder would flow into its hole.
func (s *space) fitsVia(v board.Via, own *board.Pad) bool {
	if !s.b.Outline.Contains(v.At) {
		return false
	}
	r := &s.b.Rules
	copper, hole := geom.Disc(v.At, v.Diameter), geom.Disc(v.At, v.Drill)
	clear := s.clearance(v.Net)
	return s.near(&copper, func(o *object) bool {
		gap := geom.Distance(&copper, &o.shape) - tolerance
		switch {
		case o.keepout != nil:
			return !o.keepout.Vias && !o.keepout.Copper || gap > 0
		case o.hasHole && geom.Distance(&hole, &o.hole) < float64(r.HoleToHole)+tolerance:
			return false
		case !o.copper:
			return gap >= o.clearance
		case o.net == v.Net:
			return o.pad == nil || o.pad == own || gap > float64(r.MaskExpansion)
		}
		return gap >= max(clear, o.clearance) &&
			geom.Distance(&hole, &o.shape) >= float64(r.HoleClearance)+tolerance &&
			(!o.hasHole || geom.Distance(&copper, &o.hole) >= float64(r.HoleClearance)+tolerance)
	})
}

// fitsTrack reports whether a track satisfies every rule.
func (s *space) fitsTrack(t board.Track) bool {
	if s.b.Rules.PlaneLayers().Has(t.Layer) {
		return false
	}
	r := &s.b.Rules
	copper := geom.Segment(t.A, t.B, t.Width)
	clear := s.clearance(t.Net)
	return s.near(&copper, func(o *object) bool {
		if !o.layers.Has(t.Layer) {
			return !o.hasHole || o.net == t.Net ||
				geom.Distance(&copper, &o.hole) >= float64(r.HoleClearance)+tolerance
		}
		gap := geom.Distance(&copper, &o.shape) - tolerance
		switch {
		case o.keepout != nil:
			return !o.keepout.Tracks && !o.keepout.Copper || gap > 0
		case !o.copper:
			return gap >= o.clearance
		case o.net == t.Net:
			return true
		}
		return gap >= max(clear, o.clearance) &&
			(!o.hasHole || geom.Distance(&copper, &o.hole) >= float64(r.HoleClearance)+tolerance)
	})
}

// filled reports whether a disc lies in the filled copper of a net on a layer.
func (s *space) filled(net int, layer board.Layer, at board.Point, diameter int64) bool {
	for i := range s.b.Zones {
		if z := &s.b.Zones[i]; z.Net == net && z.Layer == layer {
			for _, piece := range s.fills[i] {
				if contains(piece, at, diameter) {
					return true
				}
			}
		}
	}
	return false
}

// contains reports whether the centre and eight points on the circumference of a disc lie in a
// region.
func contains(r *geom.Region, at board.Point, diameter int64) bool {
	c, d := geom.VecOf(at), float64(diameter)/2
	if !r.Contains(c) {
		return false
	}
	for eighth := range 8 {
		sin, cos := math.Sincos(float64(eighth) * math.Pi / 4)
		if !r.Contains(c.Add(geom.Vec{X: cos * d, Y: sin * d})) {
			return false
		}
	}
	return true
}

// place adds a via to the board and the index.
func (s *space) place(v board.Via) {
	s.b.Vias = append(s.b.Vias, v)
	s.addVia(v)
}

// lay adds a track to the board and the index.
func (s *space) lay(t board.Track) {
	s.b.Tracks = append(s.b.Tracks, t)
	s.addTrack(t)
}
