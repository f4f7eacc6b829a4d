package kicad

import (
	"cmp"
	"slices"
	"strings"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/geom"
	"slipstick/autorouter/sexpr"
	"slipstick/internal/text"
)

// zone is a copper zone; lengths are in [nm].
type zone struct {
	net     int
	layers  board.LayerSet
	outline board.Polygon // outline in board coordinates [nm]
	windows bool          // whether the outline has holes
	// pads is the mode of connect_pads: "" for thermal reliefs, yes, no or thru_hole_only.
	pads                    string
	clearance, width        int64 // clearance to other copper and minimum copper width
	thermalGap, thermalSpan int64
}

// fillMargin is added to the clearance of a pour [nm]. KiCad rounds outlines with its own
// approximation and leaves out necks that are barely wide enough.
const fillMargin = 30e3

// edgeToleranceMM is the largest distance [mm] from the board edge to the edge of a zone that
// counts as covering the board.
const edgeToleranceMM = 1.5

// readZone converts a rule area to keepouts. It appends a copper zone to b.zones and marks its
// fills, and teardrops, for removal.
func (b *builder) readZone(n *sexpr.Node) error {
	layers := b.design.layersOf(itemLayers(n)...)
	rules := n.First("keepout")
	if attr := n.First("attr"); attr != nil && attr.First("teardrop") != nil {
		b.removed = append(b.removed, n)
		return nil
	}
	if layers == 0 {
		return nil
	}
	if rules == nil {
		b.removed = append(b.removed, n.Each("filled_polygon")...)
		b.removed = append(b.removed, n.Each("fill_segments")...)
	}
	areas := n.Each("polygon")
	if len(areas) == 0 {
		return nil
	}
	points, _, err := footprint.ReadShape(areas[0], "poly")
	if err != nil {
		return asError(err)
	}
	if len(points) > maxCorners {
		return bad(n, "a zone has %d corners; at most %d are read", len(points), maxCorners)
	}
	if rules != nil {
		forbids := func(what string) bool { v, _ := rules.Text(what); return v == "not_allowed" }
		b.keepout(b.moved(points), board.Keepout{
			Layers: slices.Collect(layers.All()), Tracks: forbids("tracks"), Vias: forbids("vias"),
			Pour: forbids("copperpour"),
		})
		return nil
	}
	z := zone{layers: layers, outline: b.moved(points).Simple(), windows: len(areas) > 1}
	if z.net, err = b.design.net(n); err != nil {
		return err
	}
	if connect := n.First("connect_pads"); connect != nil {
		if w := connect.At(1); w != "" {
			z.pads = w
		}
		if z.clearance, err = lengthOf(connect, "clearance"); err != nil {
			return err
		}
	}
	if z.width, err = lengthOf(n, "min_thickness"); err != nil {
		return err
	}
	if fill := n.First("fill"); fill != nil {
		if z.thermalGap, err = lengthOf(fill, "thermal_gap"); err != nil {
			return err
		}
		if z.thermalSpan, err = lengthOf(fill, "thermal_bridge_width"); err != nil {
			return err
		}
	}
	b.zones = append(b.zones, z)
	return nil
}

// Limits of the strips that approximate a non-rectangular keepout.
const (
	stripHeight = 250e3 // height of a strip [nm], unless this requires more than maxStrips strips
	maxStrips   = 200
)

// keepout adds keepouts with the properties of k that cover the polygon g: one rectangle, or
// horizontal strips.
func (b *builder) keepout(g board.Polygon, k board.Keepout) {
	if !k.Tracks && !k.Vias && !k.Pour {
		return
	}
	height := g.Bounds().Height()
	if b.countSteps(len(g) * int(min(maxStrips, 1+height/stripHeight))); b.fail != nil {
		return
	}
	for _, k.Area = range g.Strips(stripHeight, maxStrips) {
		b.count(1)
		b.Keepouts = append(b.Keepouts, k)
	}
}

// setZones converts the zones that cover the board to planes and to one pour, which gets the net
// with the most pads. It also excludes tracks from layers of type power.
func (b *builder) setZones() error {
	for i, l := range b.design.Layers {
		if l.Power {
			b.Keepouts = append(b.Keepouts, board.Keepout{
				Area: b.Outline.Bounds(), Layers: []board.Layer{board.Layer(i)}, Tracks: true,
			})
		}
	}
	poured, first, named := b.pouredNets()
	planes := b.planeLayers()
	r := &b.Rules
	for i := range b.Nets {
		for l := range poured[i].All() {
			b.limitPour(i, l)
		}
		if b.fail != nil {
			return b.fail
		}
		for l := range (poured[i] & planes).All() {
			r.Planes = append(r.Planes, board.Plane{Layer: l, Net: i})
			delete(named, b.Nets[i].Name)
		}
	}
	ground := board.NoNet
	for i := range b.Nets {
		poured[i] &^= planes
		most := ground == board.NoNet || len(b.Nets[i].Pins) > len(b.Nets[ground].Pins)
		if poured[i] != 0 && most {
			ground = i
		}
	}
	if ground != board.NoNet {
		r.GroundNet = ground
		r.PourLayers = slices.Collect(poured[ground].All())
		delete(named, b.Nets[ground].Name)
	}
	for _, p := range r.Pours() {
		b.setPourRules(first[p.Net])
	}
	if len(b.zones) > 0 {
		b.warn("fills of copper zones are removed: fill them in KiCad (Edit > Fill All Zones, B)")
	}
	b.warnOfZones(named)
	return nil
}

// pouredNets returns the layers that the zones of each net cover alone, and the first of these
// zones of each net. named holds the names of all nets that have zones and two or more pads.
func (b *builder) pouredNets() (poured map[int]board.LayerSet, first map[int]*zone,
	named map[string]bool) {
	owner, used := b.zoneOwners()
	poured, first, named = map[int]board.LayerSet{}, map[int]*zone{}, map[string]bool{}
	for i := range b.zones {
		z := &b.zones[i]
		if z.net == board.NoNet || len(b.Nets[z.net].Pins) < 2 {
			continue
		}
		named[b.Nets[z.net].Name] = true
		if z.windows || z.pads == "no" || !b.covers(z.outline) {
			continue
		}
		free := z.layers
		for l := range z.layers.All() {
			if used.Has(l) && owner[l] != z.net {
				free &^= l.Bit()
			}
		}
		if free != 0 {
			poured[z.net] |= free
			if first[z.net] == nil {
				first[z.net] = z
			}
		}
	}
	return poured, first, named
}

// zoneOwners returns the net of all zones that overlap the board, by layer, and the layers that
// have such zones. The net of a layer with zones of different nets is none of them.
func (b *builder) zoneOwners() (owner []int, used board.LayerSet) {
	const several = board.NoNet - 1
	owner = make([]int, len(b.Stackup))
	for i := range b.zones {
		z := &b.zones[i]
		if !z.outline.Bounds().Overlaps(b.Outline.Bounds()) {
			continue
		}
		for l := range z.layers.All() {
			if used.Has(l) && owner[l] != z.net {
				owner[l] = several
			} else {
				owner[l] = z.net
			}
		}
		used |= z.layers
	}
	return owner, used
}

// setPourRules widens the rules of pours to those of a zone.
func (b *builder) setPourRules(z *zone) {
	r := &b.Rules
	// Copper of a pour is at least 0.2 mm wide. A larger minimum width of the zone increases the
	// clearance on both sides instead.
	wider := max(0, z.width-board.MM(0.2))/2 + fillMargin
	clearance := max(z.clearance, r.Classes[0].Clearance) + wider
	r.PourClearance = max(r.PourClearance, clearance)
	r.KiCadSpokes = true
	r.ThermalRelief = r.ThermalRelief || z.pads != "yes"
	r.ThermalGap = max(r.ThermalGap, cmp.Or(z.thermalGap, board.MM(0.5))+wider)
	r.ThermalSpoke = max(r.ThermalSpoke, z.thermalSpan)
	if r.ThermalSpoke == 0 {
		r.ThermalSpoke = board.MM(0.5)
	}
}

// warnOfZones warns of nets whose zones become neither a plane nor a pour.
func (b *builder) warnOfZones(nets map[string]bool) {
	names := make([]string, 0, len(nets))
	for name := range nets {
		names = append(names, text.Word(name))
	}
	slices.Sort(names)
	if n := len(names) - maxListed; n > 0 {
		names = append(names[:maxListed], "more nets")
	}
	if len(names) > 0 {
		b.warn("tracks connect the pads of %s, whose zones are not taken into account",
			strings.Join(names, ", "))
	}
}

// limitPour adds pour keepouts so that the pour of a net on layer l stays within the zones of the
// net. The zones may leave a strip at an edge or a corner of the board free. Areas within the edge
// clearance need no keepout.
func (b *builder) limitPour(net int, l board.Layer) {
	box := b.Outline.Bounds()
	var zones []board.Polygon
	for i := range b.zones {
		if z := &b.zones[i]; z.net == net && z.layers.Has(l) && z.outline.Bounds().Overlaps(box) {
			zones = append(zones, z.outline)
		}
	}
	near := b.Rules.EdgeClearance + stripHeight
	inner := board.Rect{
		Min: box.Min.Add(board.Point{X: near, Y: near}),
		Max: box.Max.Sub(board.Point{X: near, Y: near}),
	}
	n := min(maxStrips, 1+box.Height()/stripHeight)
	for i := range n {
		low := max(inner.Min.Y, box.Min.Y+box.Height()*i/n)
		high := min(inner.Max.Y, box.Min.Y+box.Height()*(i+1)/n)
		if low >= high {
			continue
		}
		var filled [][2]float64
		for _, g := range zones {
			filled = append(filled, within(g, float64(low), float64(high))...)
			if b.countSteps(2 * len(g)); b.fail != nil {
				return
			}
		}
		slices.SortFunc(filled, func(p, q [2]float64) int { return cmp.Compare(p[0], q[0]) })
		from := float64(inner.Min.X)
		for _, s := range append(filled, [2]float64{float64(inner.Max.X), float64(inner.Max.X)}) {
			if to := min(s[0], float64(inner.Max.X)); to > from+1 {
				b.count(1)
				b.Keepouts = append(b.Keepouts, board.Keepout{
					Layers: []board.Layer{l}, Pour: true, Area: board.Rect{
						Min: board.Point{X: int64(from), Y: low},
						Max: board.Point{X: int64(to), Y: high},
					},
				})
			}
			from = max(from, s[1])
		}
	}
}

// within returns the x intervals [nm] that a polygon covers for every y from low to high.
func within(g board.Polygon, low, high float64) [][2]float64 {
	var cuts []float64
	var sides [][2]float64 // x intervals of the polygon sides between low and high
	middle := (low + high) / 2
	for i, p := range g {
		a, c := geom.VecOf(p), geom.VecOf(g[(i+1)%len(g)])
		if a.Y > c.Y {
			a, c = c, a
		}
		if c.Y < low || a.Y > high {
			continue
		}
		at := func(y float64) float64 {
			return a.X + (c.X-a.X)*(max(a.Y, min(c.Y, y))-a.Y)/max(1, c.Y-a.Y)
		}
		x0, x1 := at(low), at(high)
		if c.Y == a.Y {
			x0, x1 = a.X, c.X
		}
		sides = append(sides, [2]float64{min(x0, x1), max(x0, x1)})
		if (a.Y > middle) != (c.Y > middle) {
			cuts = append(cuts, at(middle))
		}
	}
	slices.Sort(cuts)
	slices.SortFunc(sides, func(p, q [2]float64) int { return cmp.Compare(p[0], q[0]) })
	var out [][2]float64
	for i := 0; i+1 < len(cuts); i += 2 {
		from, to := cuts[i], cuts[i+1]
		for _, s := range sides {
			if s[1] < from || s[0] > to {
				continue
			}
			if s[0] > from {
				out = append(out, [2]float64{from, s[0]})
			}
			from = max(from, s[1])
		}
		if from < to {
			out = append(out, [2]float64{from, to})
		}
	}
	return out
}

// planeLayers returns the inner layers that can be planes. These are the layers of type power and
// the layers without tracks in the file.
func (b *builder) planeLayers() board.LayerSet {
	out := b.Copper().All() &^ (board.Top.Bit() | board.Layer(len(b.Stackup)-1).Bit())
	for _, n := range b.design.root.List[1:] {
		if n.Head() != "segment" && n.Head() != "arc" {
			continue
		}
		for l := range b.design.layersOf(itemLayers(n)...).All() {
			if !b.design.Layers[l].Power {
				out &^= l.Bit()
			}
		}
	}
	return out
}

// maxListed is the maximum number of names in a warning.
const maxListed = 5

// covers reports whether a polygon covers the board, except for a margin of edgeToleranceMM at the
// board edge.
func (b *builder) covers(g board.Polygon) bool {
	b.countSteps(len(g) * len(b.Outline))
	return b.fail == nil && g.Covers(b.Outline, edgeToleranceMM*1e6)
}
