package drc

import (
	"context"
	"fmt"
	"math"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

type kind uint8

const (
	padItem kind = iota
	trackItem
	viaItem
	zoneItem
)

func (k kind) String() string { return [...]string{"pad", "track", "via", "zone"}[k] }

// item is a piece of copper: a pad, a track, a via or one fragment of a zone.
type item struct {
	kind  kind
	net   int
	part  int // part index of a pad; -1 for other items
	index int // index into Part.Pads, Board.Tracks, Board.Vias or Board.Zones
	on    board.LayerSet
	shape geom.Boxed   // shape of an item other than a zone
	area  *geom.Region // region of a zone
	at    geom.Vec     // position for reports
}

// layer returns the layer name of an item, or "both" for several layers.
func (s *checker) layer(it *item) string {
	if it.on.Count() > 1 {
		return "both"
	}
	return s.copper.Names(it.on)[0]
}

// hole is a drilled hole or slot, plated or unplated.
type hole struct {
	shape  geom.Boxed
	owner  int // index of the pad or via with the plated hole; -1 for an unplated hole
	part   int // index of the part with the hole; -1 for a via or mounting hole
	name   string
	width  int64 // width of the hole or slot [nm], equal to the drill bit diameter
	margin int64 // keepout distance around the wall of a mounting hole [nm]
	// clearance is the local clearance of an unplated hole in a pad [nm]. A larger
	// Rules.HoleClearance takes precedence.
	clearance int64
}

// primitive is a convex shape of an item on a layer: the item itself, or one side of a zone
// outline.
type primitive struct {
	shape geom.Boxed
	item  int
}

// layer holds the copper of one layer and its spatial index.
type layer struct {
	primitives []primitive
	zones      []int // item indices of zones
	grid       *geom.ShapeIndex
}

// checker holds the copper of a board as items, with their connections and the pairs that are too
// close.
type checker struct {
	ctx          context.Context
	b            *board.Board
	copper       board.Stackup
	silk         []Silk
	items        []item
	holes        []hole
	layers       []layer
	outline      *geom.Region
	outlineGrid  *geom.ShapeIndex // spatial index of outlineSides
	outlineSides []geom.Boxed     // sides in the order of the outline, then of the cut-outs
	clearances   []int64          // clearance of each net [nm], by net index
	sets         geom.UnionFind   // sets of touching items
	unconnected  []Unconnected    // missing connections

	shorts, tooClose []closePair
	dropped          [2]int // numbers of pairs beyond maxKept in shorts and in tooClose
	minGap           float64
}

func newChecker(ctx context.Context, b *board.Board) (*checker, error) {
	if err := validate(b); err != nil {
		return nil, err
	}
	s := &checker{ctx: ctx, b: b, copper: b.Copper(),
		outline: geom.NewRegion(b.Outline, b.Cutouts()...),
		minGap:  math.Inf(1)}
	s.addParts()
	for i, t := range b.Tracks {
		it := item{kind: trackItem, net: t.Net, part: -1, index: i,
			shape: geom.Segment(t.A, t.B, t.Width).Boxed()}
		it.on = t.Layer.Bit()
		it.at = geom.Lerp(geom.VecOf(t.A), geom.VecOf(t.B), 0.5)
		s.items = append(s.items, it)
	}
	for i, v := range b.Vias {
		s.holes = append(s.holes, hole{shape: geom.Disc(v.At, v.Drill).Boxed(), owner: len(s.items),
			part: -1, name: s.netName(v.Net), width: v.Drill})
		s.items = append(s.items, item{kind: viaItem, net: v.Net, part: -1, index: i,
			on:    b.ViaLayers(&v),
			shape: geom.Disc(v.At, v.Diameter).Boxed(), at: geom.VecOf(v.At)})
	}
	for i, z := range b.Zones {
		for _, piece := range z.Pieces {
			if len(piece.Outline) < 3 {
				continue
			}
			it := item{kind: zoneItem, net: z.Net, part: -1, index: i,
				area: geom.NewRegion(piece.Outline, piece.Holes...),
				at:   geom.VecOf(piece.Outline[0])}
			it.on = z.Layer.Bit()
			s.items = append(s.items, it)
		}
	}
	for i, h := range b.Holes {
		s.holes = append(s.holes, hole{shape: geom.Disc(h.At, h.Diameter).Boxed(), owner: -1,
			part: -1, name: fmt.Sprintf("hole %d", i+1),
			width: h.Diameter, margin: h.Keepout})
	}
	s.index()
	for i := range b.Nets {
		s.clearances = append(s.clearances, max(b.Rules.Class(&b.Nets[i]).Clearance,
			b.Rules.MinGap))
	}
	return s, ctx.Err()
}

func (s *checker) addParts() {
	for i := range s.b.Parts {
		p := &s.b.Parts[i]
		for j := range p.Pads {
			pad := &p.Pads[j]
			owner := -1
			if pad.Layers != 0 {
				if pad.Plated {
					owner = len(s.items)
				}
				s.items = append(s.items, item{kind: padItem, net: pad.Net, part: i, index: j,
					on: pad.Layers, shape: pad.Copper(0).Boxed(), at: geom.VecOf(pad.At)})
			}
			if shape, drilled := pad.HoleShape(); drilled {
				width := pad.Drill
				if pad.SlotW > 0 && pad.SlotH > 0 {
					width = min(pad.SlotW, pad.SlotH)
				}
				s.holes = append(s.holes, hole{shape: shape.Boxed(), owner: owner, part: i,
					name: padName(p, pad), width: width})
				if owner < 0 {
					s.holes[len(s.holes)-1].clearance = pad.Clearance
				}
			}
		}
	}
}

func (s *checker) index() {
	s.sets = geom.NewUnionFind(len(s.items))
	s.layers = make([]layer, len(s.copper))
	n := make([]int, len(s.layers))
	for i := range s.items {
		sides := 1
		if it := &s.items[i]; it.kind == zoneItem {
			sides = it.area.Count
		}
		for l := range n {
			if s.items[i].on.Has(board.Layer(l)) {
				n[l] += sides
			}
		}
	}
	for l := range n {
		s.layers[l].primitives = make([]primitive, 0, n[l])
	}
	for i := range s.items {
		it := &s.items[i]
		for l := range s.layers {
			if !it.on.Has(board.Layer(l)) {
				continue
			}
			if it.kind != zoneItem {
				s.layers[l].primitives = append(s.layers[l].primitives, primitive{it.shape, i})
				continue
			}
			s.layers[l].zones = append(s.layers[l].zones, i)
			it.area.Sides(func(a, b geom.Vec) {
				s.layers[l].primitives = append(s.layers[l].primitives,
					primitive{geom.Stadium(a, b, 0).Boxed(), i})
			})
		}
	}
	for l := range s.layers {
		primitives := s.layers[l].primitives
		s.layers[l].grid = geom.NewShapeIndex(len(primitives), func(i int) *geom.Boxed {
			return &primitives[i].shape
		})
	}
	s.outline.Sides(func(a, b geom.Vec) {
		s.outlineSides = append(s.outlineSides, geom.Stadium(a, b, 0).Boxed())
	})
	s.outlineGrid = geom.NewShapeIndex(len(s.outlineSides), func(i int) *geom.Boxed {
		return &s.outlineSides[i]
	})
}

// validate rejects boards whose data cannot be checked.
func validate(b *board.Board) error {
	if len(b.Outline) < 3 {
		return fmt.Errorf("drc: the board has no outline")
	}
	if len(b.Rules.Classes) == 0 {
		return fmt.Errorf("drc: the rules have no net class")
	}
	known := func(what string, net int) error {
		if net < board.NoNet || net >= len(b.Nets) {
			return fmt.Errorf("drc: %s is on net %d of %d", what, net, len(b.Nets))
		}
		return nil
	}
	for i := range b.Parts {
		for j := range b.Parts[i].Pads {
			pad := &b.Parts[i].Pads[j]
			if err := known(padName(&b.Parts[i], pad), pad.Net); err != nil {
				return err
			}
			if math.IsNaN(pad.Rotation) || math.IsInf(pad.Rotation, 0) {
				return fmt.Errorf("drc: %s is turned by %v", padName(&b.Parts[i], pad),
					pad.Rotation)
			}
		}
	}
	for i, t := range b.Tracks {
		if int(t.Layer) >= len(b.Copper()) {
			return fmt.Errorf("drc: track %d is on layer %d", i, t.Layer)
		}
		if err := known(fmt.Sprintf("track %d", i), t.Net); err != nil {
			return err
		}
	}
	for i, v := range b.Vias {
		if err := known(fmt.Sprintf("via %d", i), v.Net); err != nil {
			return err
		}
	}
	for i, z := range b.Zones {
		if int(z.Layer) >= len(b.Copper()) {
			return fmt.Errorf("drc: zone %d is on layer %d", i, z.Layer)
		}
		if err := known(fmt.Sprintf("zone %d", i), z.Net); err != nil {
			return err
		}
	}
	return nil
}

func padName(p *board.Part, pad *board.Pad) string {
	if pad.Number == "" {
		return p.Ref
	}
	return p.Ref + "." + pad.Number
}

func (s *checker) netName(net int) string {
	if net == board.NoNet {
		return "no net"
	}
	return "net " + s.b.Nets[net].Name
}

func (s *checker) pad(it *item) *board.Pad { return &s.b.Parts[it.part].Pads[it.index] }

// name returns the name of an item for the item list of a violation.
func (s *checker) name(i int) string {
	if it := &s.items[i]; it.kind == padItem {
		return padName(&s.b.Parts[it.part], s.pad(it))
	}
	return s.netName(s.items[i].net)
}

// describe returns the name of an item for a message, such as pad U1.3 of net GND.
func (s *checker) describe(i int) string {
	it := &s.items[i]
	if it.kind == padItem {
		return "pad " + s.name(i) + " of " + s.netName(it.net)
	}
	return it.kind.String() + " of " + s.netName(it.net)
}
