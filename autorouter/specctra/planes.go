package specctra

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/internal/text"
)

// keepout adds an area that excludes tracks, vias or both. An area that excludes both becomes
// copper on no net, which tracks avoid by their clearance. Any other area becomes rectangular
// keepouts that cover it.
func (b *builder) keepout(k *keepout, at frame) {
	layers := b.design.layersOf(k.layer)
	if at.back {
		layers = b.mirrored(layers)
	}
	if layers == 0 {
		return
	}
	if k.tracks && k.vias {
		b.obstacleAt(k.shape, layers, at)
		return
	}
	var on []board.Layer
	for l := range layers.All() {
		on = append(on, l)
	}
	for _, p := range b.pieces(k.shape, at, board.Point{X: math.MinInt64}) {
		c := p.Copper(0)
		b.count(1)
		b.Keepouts = append(
			b.Keepouts,
			board.Keepout{Area: c.Bounds(), Layers: on, Tracks: k.tracks, Vias: k.vias},
		)
	}
}

// obstacleAt adds a shape as copper on no net. The frame at transforms the shape to design
// coordinates.
func (b *builder) obstacleAt(s shape, layers board.LayerSet, at frame) {
	for _, p := range b.pieces(s, at, board.Point{X: math.MinInt64}) {
		p.Net, p.Layers = board.NoNet, layers
		b.count(1)
		b.obstacle.Pads = append(b.obstacle.Pads, p)
	}
}

// setPlanes converts the planes that cover the board to board planes and to one pour. It also
// excludes tracks from layers of type power.
func (b *builder) setPlanes() {
	box := b.Outline.Bounds()
	for i, l := range b.design.Layers {
		if l.Power {
			b.Keepouts = append(
				b.Keepouts,
				board.Keepout{Area: box, Layers: []board.Layer{board.Layer(i)}, Tracks: true},
			)
		}
	}
	poured, order, ignored := b.planeNets()
	ground := board.NoNet
	plane := map[int]bool{}
	for _, i := range order {
		for l := range poured[i].All() {
			if b.design.Layers[l].Power && !b.Rules.PlaneLayers().Has(l) {
				b.Rules.Planes = append(b.Rules.Planes, board.Plane{Layer: l, Net: i})
				poured[i] &^= l.Bit()
				plane[i] = true
			}
		}
		if poured[i] == 0 {
			continue
		}
		if ground == board.NoNet || len(b.Nets[i].Pins) > len(b.Nets[ground].Pins) {
			ground = i
		}
	}
	for _, i := range order {
		if i != ground && !plane[i] {
			ignored[b.Nets[i].Name] = true
		}
	}
	if ground != board.NoNet {
		delete(ignored, b.Nets[ground].Name)
		b.Rules.GroundNet = ground
		for l := range poured[ground].All() {
			b.Rules.PourLayers = append(b.Rules.PourLayers, l)
		}
	}
	b.warnOfPlanes(ignored)
}

// planeNets returns the layers of the planes that cover the board by net, and these nets in the
// order of the design. ignored has the names of the nets of other planes.
func (b *builder) planeNets() (poured map[int]board.LayerSet, order []int,
	ignored map[string]bool) {
	poured, ignored = map[int]board.LayerSet{}, map[string]bool{}
	for _, p := range b.design.planes {
		i, ok := b.nets[p.net]
		ok = ok && len(b.Nets[i].Pins) > 0
		if !ok || p.windows || !b.covers(p.outline) {
			if ok {
				ignored[p.net] = true
			}
			continue
		}
		if poured[i] == 0 {
			order = append(order, i)
		}
		poured[i] |= b.design.layersOf(p.outline.layer)
	}
	return poured, order, ignored
}

// warnOfPlanes adds a warning that names the nets whose planes are not filled.
func (b *builder) warnOfPlanes(ignored map[string]bool) {
	names := make([]string, 0, len(ignored))
	for name := range ignored {
		names = append(names, text.Word(name))
	}
	slices.Sort(names)
	if n := len(names) - maxListed; n > 0 {
		names = append(names[:maxListed], fmt.Sprintf("%d more nets", n))
	}
	if len(names) > 0 {
		b.warn(
			"the planes of %s are not filled here: tracks connect their pins",
			strings.Join(names, ", "),
		)
	}
}

// covers reports whether a plane covers the board, except for a margin of edgeToleranceMM at the
// board edge.
func (b *builder) covers(s shape) bool {
	if !s.filled {
		return false
	}
	var g board.Polygon
	for _, p := range s.points {
		g = append(g, b.point(p))
	}
	return b.countSteps(len(g)*len(b.Outline)) && g.Covers(b.Outline, edgeToleranceMM*1e6)
}
