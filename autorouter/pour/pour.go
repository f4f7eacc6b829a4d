package pour

import (
	"context"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/geom"
)

// Pin identifies a pad of a part on the board.
type Pin struct{ Part, Pad int }

// Result holds a filled pour and its connectivity.
type Result struct {
	// Islands lists the sets of pads of the poured net that its copper connects, the largest set
	// first. More than one set means that the pour is split or does not reach a pad.
	Islands [][]Pin
	Removed int // number of fragments removed because keepIsland rejects them

	net    int
	layers []*clearanceField // fields by layer; nil for layers without this pour
	// islandOf holds the island index of each fragment, by layer; -1 for a fragment that touches no
	// pad.
	islandOf [][]int32
}

// IslandAt returns the index in Islands of the filled copper at a position, or -1 if there is none.
func (r *Result) IslandAt(layer board.Layer, p board.Point) int {
	if k := r.FragmentAt(layer, p); k >= 0 {
		return int(r.islandOf[layer][k])
	}
	return -1
}

// IslandNodes calls yield with column, row and index in Islands for each lattice node in filled
// copper of a layer. Node (i, j) lies at from + (i, j)·step.
func (r *Result) IslandNodes(layer board.Layer, from board.Point, step int64, columns, rows int,
	yield func(i, j, island int)) {
	f := r.field(layer)
	if f == nil {
		return
	}
	first, last := f.samplesAround(from.X-f.min.X, step, columns, f.w)
	firstRow, lastRow := f.samplesAround(from.Y-f.min.Y, step, rows, f.h)
	islands := r.islandOf[layer]
	for j := range rows {
		j0, j1 := int(firstRow[j]), int(lastRow[j])
		if j0 < 0 {
			continue
		}
		for i := range columns {
			i0 := int(first[i])
			if i0 < 0 || !f.filled[j0*f.w+i0] {
				continue
			}
			k := f.fragmentAround(f.labels, i0, j0, int(last[i]), j1)
			if k >= 0 && islands[k] >= 0 {
				yield(i, j, int(islands[k]))
			}
		}
	}
}

// samplesAround returns the first and the last of the samples around each of n positions along an
// axis, or -1 where a position is outside the lattice of size samples. Position k lies at
// from + k·step, relative to the lattice [nm].
func (f *clearanceField) samplesAround(from, step int64, n, size int) (first, last []int32) {
	first, last = make([]int32, n), make([]int32, n)
	for k := range n {
		at := from + int64(k)*step
		first[k], last[k] = int32(at/f.pitch), int32((at+f.pitch-1)/f.pitch)
		if at < 0 || int(last[k]) >= size {
			first[k], last[k] = -1, -1
		}
	}
	return first, last
}

// FragmentAt returns the index of the zone fragment at p on a layer, or -1 if p is not in filled
// copper. Fragments that only tracks or vias connect have different indices.
func (r *Result) FragmentAt(layer board.Layer, p board.Point) int {
	f := r.field(layer)
	if f == nil {
		return -1
	}
	return f.fragmentAt(f.labels, p)
}

// fragmentAt returns the label of the fragment that fills all samples around a position, or -1 if
// there is none. The outline of the fragment contains the position.
func (f *clearanceField) fragmentAt(labels []int32, p board.Point) int {
	x, y := p.X-f.min.X, p.Y-f.min.Y
	if x < 0 || y < 0 {
		return -1
	}
	i0, j0 := int(x/f.pitch), int(y/f.pitch)
	i1, j1 := int((x+f.pitch-1)/f.pitch), int((y+f.pitch-1)/f.pitch)
	if i1 >= f.w || j1 >= f.h {
		return -1
	}
	return f.fragmentAround(labels, i0, j0, i1, j1)
}

// fragmentAround returns the label of the fragment that fills the samples at the corners (i0, j0)
// and (i1, j1) of a cell and between them, or -1 if there is none.
func (f *clearanceField) fragmentAround(labels []int32, i0, j0, i1, j1 int) int {
	label := labels[j0*f.w+i0]
	for _, k := range [4]int{j0*f.w + i0, j0*f.w + i1, j1*f.w + i0, j1*f.w + i1} {
		if !f.filled[k] || labels[k] != label {
			return -1
		}
	}
	return int(label)
}

// FilledNear reports whether any sample within the distance reach [nm] of a position is filled.
func (r *Result) FilledNear(layer board.Layer, p board.Point, reach int64) bool {
	f := r.field(layer)
	if f == nil {
		return false
	}
	s := geom.Disc(p, 2*reach)
	i0, j0, i1, j1 := f.sampleRange(&s, 0)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			if f.filled[j*f.w+i] && s.To(f.x(i), f.y(j)) <= 0 {
				return true
			}
		}
	}
	return false
}

// Fragments returns the number of fragments on a layer.
func (r *Result) Fragments(layer board.Layer) int {
	if r.field(layer) == nil {
		return 0
	}
	return len(r.islandOf[layer])
}

// field returns the clearance field of a layer, or nil if the layer is not poured.
func (r *Result) field(layer board.Layer) *clearanceField {
	if int(layer) >= len(r.layers) {
		return nil
	}
	return r.layers[layer]
}

const (
	// basePitch is the pitch of the sampling lattice on boards of ordinary size [nm].
	basePitch  = 50 * board.Micrometre
	maxSamples = 4e6 // maximum number of samples per layer; larger boards use a coarser lattice
	// maxCachedSamples is the largest number of samples for which the field without tracks and vias
	// is cached between probes.
	maxCachedSamples  = 3e6
	simplifyTolerance = 5e3 // largest displacement of an outline by simplification [nm]
	// minWidth is the minimum width of filled copper [nm] (KiCad: min_thickness).
	minWidth = 0.2e6
	// truncation is the distance [nm] beyond the clearance up to which the field is computed.
	truncation = 0.3e6
)

// Zones returns the outlines of the pour. It returns an error only if the context is cancelled.
func (r *Result) Zones(ctx context.Context) ([]board.Zone, error) {
	var zones []board.Zone
	for layer, f := range r.layers {
		if f == nil {
			continue
		}
		pieces, err := f.trace(ctx)
		if err != nil {
			return nil, err
		}
		if len(pieces) > 0 {
			zones = append(zones, board.Zone{Net: r.net, Layer: board.Layer(layer), Pieces: pieces})
		}
	}
	return zones, nil
}

// Session probes one pour of a board on which only tracks and vias change. The field of all other
// copper is computed once, unless the lattice is too large to cache it.
type Session struct {
	Meter  *budget.Meter // counts the work of probes; nil disables counting
	board  *board.Board
	pour   board.Pour
	fields []*clearanceField // fields by layer; empty if there is nothing to pour
}

// NewSession computes the clearance fields of a pour without tracks and vias. It returns an error
// only if the context is cancelled.
func NewSession(ctx context.Context, b *board.Board, p board.Pour) (*Session, error) {
	g := &Session{board: b, pour: p}
	if p.Layers == 0 || p.Net == board.NoNet || p.Net >= len(b.Nets) || len(b.Outline) < 3 {
		return g, nil
	}
	g.fields = make([]*clearanceField, len(b.Copper()))
	for layer := range p.Layers.All() {
		f := newClearanceField(b, p.Net, layer)
		if ctx.Err() != nil { // the memory of the field may take as long as a part of its values
			return nil, ctx.Err()
		}
		if float64(len(f.clearance)) < maxCachedSamples*memoryShare(b) {
			if err := f.subtractFixed(ctx); err != nil {
				return nil, err
			}
			f.fixedClearance = slices.Clone(f.clearance)
		}
		g.fields[layer] = f
	}
	return g, nil
}

// Probe fills the pour and computes its connectivity, without tracing outlines or modifying the
// board. It invalidates the result of the previous probe, because both use the same lattice.
func (g *Session) Probe(ctx context.Context) (Result, error) {
	b := g.board
	res := Result{net: g.pour.Net}
	if len(g.fields) == 0 {
		return res, nil
	}
	j, err := newConnectivity(ctx, b, g.pour.Net)
	if err != nil {
		return Result{}, err
	}
	layers := len(g.fields)
	res.layers, res.islandOf = make([]*clearanceField, layers), make([][]int32, layers)
	touched := make([][][]int, layers)
	for layer := range g.pour.Layers.All() {
		f := g.fields[layer]
		g.Meter.Add(budget.PourSample, len(f.clearance))
		if err := f.subtractRoutes(ctx); err != nil {
			return Result{}, err
		}
		if err := f.dropSpokes(ctx); err != nil {
			return Result{}, err
		}
		if err := f.open(ctx); err != nil {
			return Result{}, err
		}
		labels, n, err := f.label(ctx)
		if err != nil {
			return Result{}, err
		}
		touch, err := f.contacts(ctx, j, labels, n)
		if err != nil {
			return Result{}, err
		}
		res.layers[layer], touched[layer] = f, touch
		keep, areas := make([]bool, n), f.areas(n)
		for i := range keep {
			keep[i] = keepIsland(touch[i], areas[i])
			if !keep[i] {
				res.Removed++
			}
		}
		for i, v := range labels {
			if v >= 0 && !keep[v] {
				f.filled[i] = false
			}
		}
		for i := range touch {
			if keep[i] {
				j.unionAll(touch[i])
			}
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
	}
	var index map[int]int
	res.Islands, index = j.islands()
	for layer, touch := range touched {
		res.islandOf[layer] = make([]int32, len(touch))
		for i, items := range touch {
			res.islandOf[layer][i] = -1
			if len(items) > 0 {
				if k, ok := index[j.sets.Find(items[0])]; ok {
					res.islandOf[layer][i] = int32(k)
				}
			}
		}
	}
	return res, nil
}

// keepIsland reports whether a fragment stays, given the items that it touches and its area [mm²].
// Fragments that touch no copper of the net are removed. Slivers, which could peel off the board,
// are also removed: up to 2 mm² with a single contact, and up to 0.25 mm² with more contacts.
func keepIsland(touches []int, area float64) bool {
	return len(touches) > 1 && area > 0.25 || len(touches) == 1 && area > 2
}

// clearanceField is a signed distance field of one layer, sampled on a lattice. A value is the
// distance from all copper of other nets minus the required clearance [nm], negative where copper
// is not allowed.
type clearanceField struct {
	b     *board.Board
	net   int
	layer board.Layer
	min   board.Point
	pitch int64
	// margin is added to every clearance for interpolation and simplification [nm].
	margin         float64
	w, h           int
	fixedClearance []float32 // field without tracks and vias; nil if not cached
	clearance      []float32
	// spokes marks the samples in thermal spokes. It is nil unless spokes may be narrower than
	// minWidth.
	spokes []bool
	// reliefs holds the distance of each sample from the thermal gaps, if KiCad's rules for spokes
	// apply.
	reliefs []reliefDistance
	filled  []bool
	labels  []int32
}

// reliefDistance is the distance from the nearest thermal gap [µm], rounded down. It is at most
// farFromRelief, and 0 in a gap.
type reliefDistance uint8

const (
	// innerSpoke is the half of a spoke next to its pad. Two spokes are connected if one ends in
	// the inner half of the other. KiCad also connects spokes of pads up to twice as far apart,
	// depending on the clearance that the pour adds to the gap.
	innerSpoke    reliefDistance = 255
	farFromRelief reliefDistance = 254
)

func newClearanceField(b *board.Board, net int, layer board.Layer) *clearanceField {
	box := b.Outline.Bounds()
	f := &clearanceField{b: b, net: net, layer: layer, pitch: latticePitch(b)}
	f.margin = simplifyTolerance + 3e3*float64(f.pitch*f.pitch)/float64(basePitch*basePitch)
	f.min = box.Min.Sub(board.Point{X: f.pitch, Y: f.pitch})
	f.w, f.h = int(box.Width()/f.pitch)+4, int(box.Height()/f.pitch)+4
	f.clearance = make([]float32, f.w*f.h)
	if r := &b.Rules; r.ThermalRelief && f.spokeClearance() < minWidth/2 {
		f.spokes = make([]bool, f.w*f.h)
	}
	if b.Rules.ThermalRelief && b.Rules.KiCadSpokes {
		f.reliefs = slices.Repeat([]reliefDistance{farFromRelief}, f.w*f.h)
	}
	f.filled, f.labels = make([]bool, f.w*f.h), make([]int32, f.w*f.h)
	return f
}

// latticePitch returns the pitch of the sampling lattice of a board [nm].
func latticePitch(b *board.Board) int64 {
	box, pitch := b.Outline.Bounds(), basePitch
	most := maxSamples * memoryShare(b)
	for float64(box.Width())*float64(box.Height()) > most*float64(pitch)*float64(pitch) {
		pitch += basePitch / 2
	}
	return pitch
}

// NarrowestSpoke returns the least width of thermal spokes that the fill of a board keeps at any
// position on the lattice [nm]. Spokes as wide as Rules.ThermalSpoke are always kept.
func NarrowestSpoke(b *board.Board) int64 {
	kept := minWidth + math.Sqrt2*float64(latticePitch(b))
	return min(b.Rules.ThermalSpoke, int64(math.Ceil(kept)))
}

// memoryShare returns the factor for the sample limits of each layer. It is 1 for one or two poured
// layers. With more layers, the limits of all layers add up to those of one and a half layers.
func memoryShare(b *board.Board) float64 {
	n := 0
	for _, p := range b.Rules.Pours() {
		n += p.Layers.Count()
	}
	if n < 3 {
		return 1
	}
	return 1.5 / float64(n)
}

func (f *clearanceField) x(i int) float64 { return float64(f.min.X + int64(i)*f.pitch) }
func (f *clearanceField) y(j int) float64 { return float64(f.min.Y + int64(j)*f.pitch) }

// sampleRange returns the first and last columns and rows of the samples within dist [nm] of a
// shape.
func (f *clearanceField) sampleRange(s *geom.Shape, dist float64) (i0, j0, i1, j1 int) {
	box := s.Bounds().Grown(int64(dist))
	i0, j0 = int((box.Min.X-f.min.X)/f.pitch), int((box.Min.Y-f.min.Y)/f.pitch)
	i1, j1 = int((box.Max.X-f.min.X)/f.pitch)+1, int((box.Max.Y-f.min.Y)/f.pitch)+1
	return max(0, i0), max(0, j0), min(f.w-1, i1), min(f.h-1, j1)
}

// subtract lowers the field around a shape so that the pour keeps at least the distance clear [nm]
// from the shape.
func (f *clearanceField) subtract(s *geom.Shape, clear float64) {
	clear += f.margin
	// At small clearances the outline around a corner has a smaller radius, so chords between
	// samples cut off more.
	clear += max(0, 0.3*float64(f.pitch*f.pitch)/clear-(f.margin-simplifyTolerance))
	i0, j0, i1, j1 := f.sampleRange(s, clear+truncation)
	if s.N == 2 {
		f.subtractSegment(s, clear, i0, j0, i1, j1)
		return
	}
	for j := j0; j <= j1; j++ {
		y := f.y(j)
		row := f.clearance[j*f.w : (j+1)*f.w]
		for i := i0; i <= i1; i++ {
			row[i] = min(row[i], float32(s.To(f.x(i), y)-clear))
		}
	}
}

// subtractSegment implements subtract for a track. It visits only the strip around the track,
// because the bounding box of a long diagonal is large.
func (f *clearanceField) subtractSegment(s *geom.Shape, clear float64, i0, j0, i1, j1 int) {
	a, b := s.P[0], s.P[1]
	r := s.R + clear + truncation
	dx, dy := b.X-a.X, b.Y-a.Y
	l := math.Hypot(dx, dy)
	squared := float64(dx*dx) + float64(dy*dy)
	for j := j0; j <= j1; j++ {
		y := f.y(j)
		from, to := i0, i1
		if math.Abs(dy) > 1 {
			// In this row, samples closer than r to the track are within half [nm] of x.
			x := a.X + dx*max(0, min(1, (y-a.Y)/dy))
			half := r * l / math.Abs(dy)
			from = max(i0, int((x-half-float64(f.min.X))/float64(f.pitch)))
			to = min(i1, int((x+half-float64(f.min.X))/float64(f.pitch))+1)
		}
		row, up := f.clearance[j*f.w:(j+1)*f.w], float64((y-a.Y)*dy)
		for i := from; i <= to; i++ {
			// This is s.To(x, y), which takes twice as long as a call.
			x, near := f.x(i), a
			switch t := (float64((x-a.X)*dx) + up) / squared; {
			case t <= 0:
			case t >= 1:
				near = b
			default:
				near.X, near.Y = a.X+float64(t*dx), a.Y+float64(t*dy)
			}
			ex, ey := x-near.X, y-near.Y
			row[i] = min(row[i], float32(math.Sqrt(float64(ex*ex)+float64(ey*ey))-s.R-clear))
		}
	}
}

// subtractFixed computes the field of the outline, the holes, the keepouts and the pads of other
// nets. Pads of the poured net get thermal gaps unless they connect solidly.
func (f *clearanceField) subtractFixed(ctx context.Context) error {
	b, r := f.b, &f.b.Rules
	if err := f.subtractOutline(ctx); err != nil {
		return err
	}
	for _, h := range b.Holes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s := geom.Disc(h.At, h.Diameter)
		f.subtract(&s, float64(max(r.HoleClearance, h.Keepout)))
	}
	for _, k := range b.Keepouts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, l := range k.Layers {
			if (k.Copper || k.Pour) && l == f.layer {
				s := geom.RectShape(k.Area)
				// a smaller clearance than the pitch would cut the corners of the area
				f.subtract(&s, float64(f.pitch))
			}
		}
	}
	for pi := range b.Parts {
		for i := range b.Parts[pi].Pads {
			p := &b.Parts[pi].Pads[i]
			f.foreignPad(p)
			if r.ThermalRelief && !p.Solid && p.Net == f.net && f.onLayer(p) {
				f.thermalRelief(p)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// subtractRoutes copies the fixed field, subtracts the tracks and vias of other nets, and marks the
// samples that the pour may fill.
func (f *clearanceField) subtractRoutes(ctx context.Context) error {
	b, r := f.b, &f.b.Rules
	if f.fixedClearance == nil {
		if err := f.subtractFixed(ctx); err != nil {
			return err
		}
	}
	copy(f.clearance, f.fixedClearance)
	for i, t := range b.Tracks {
		if t.Net != f.net && t.Layer == f.layer {
			s := geom.Segment(t.A, t.B, t.Width)
			f.subtract(&s, f.netClearance(t.Net))
		}
		if i&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for i, v := range b.Vias {
		if i&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if v.Net != f.net {
			s := geom.Disc(v.At, v.Diameter)
			f.subtract(&s,
				max(f.netClearance(v.Net), float64(r.HoleClearance)-float64(v.Diameter-v.Drill)/2))
		}
	}
	for i, v := range f.clearance {
		f.filled[i] = v >= 0
	}
	return nil
}

// netClearance returns the clearance between the pour and the copper of another net [nm].
func (f *clearanceField) netClearance(net int) float64 {
	r, nets := &f.b.Rules, f.b.Nets
	c := max(r.PourClearance, r.Class(&nets[f.net]).Clearance)
	if net != board.NoNet {
		c = max(c, r.Class(&nets[net]).Clearance)
	}
	return float64(c)
}

func (f *clearanceField) onLayer(p *board.Pad) bool {
	return p.On(f.layer)
}

func (f *clearanceField) foreignPad(p *board.Pad) {
	bore, hasBore := p.HoleShape()
	if hasBore && (p.Net != f.net || !p.Plated) {
		f.subtract(&bore, float64(max(f.b.Rules.HoleClearance, p.Clearance)))
	}
	if p.Net != f.net && f.onLayer(p) {
		s := p.Copper(0)
		f.subtract(&s, max(f.netClearance(p.Net), float64(p.Clearance)))
	}
}

// thermalRelief leaves a gap around a pad of the net. Four spokes along the pad's axes bridge the
// gap and extend to the pad's centre.
func (f *clearanceField) thermalRelief(p *board.Pad) {
	gap, half := float64(f.b.Rules.ThermalGap), f.halfSpoke(p)
	s, centre := p.Copper(0), geom.VecOf(p.CopperAt())
	sin, cos := math.Sincos(f.spokeAngle(p) * math.Pi / 180)
	i0, j0, i1, j1 := f.sampleRange(&s, gap+truncation)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			x, y := f.x(i), f.y(j)
			dx, dy := x-centre.X, y-centre.Y
			u, v := math.Abs(dx*cos+dy*sin), math.Abs(dy*cos-dx*sin)
			off, spoke := s.To(x, y)-gap, half-min(u, v)
			if f.spokes != nil && off < 0 && spoke >= 0 {
				f.spokes[j*f.w+i] = true
			}
			if f.reliefs != nil {
				k := j*f.w + i
				switch {
				case spoke >= 0 && off < -gap/2:
					f.reliefs[k] = innerSpoke
				case f.reliefs[k] != innerSpoke && off < float64(farFromRelief)*1e3:
					f.reliefs[k] = min(f.reliefs[k], reliefDistance(max(0, off/1e3)))
				}
			}
			open := max(off, spoke)
			f.clearance[j*f.w+i] = min(f.clearance[j*f.w+i], float32(open))
		}
	}
}

// halfSpoke returns half the width of a pad's spokes [nm]. KiCad's spokes are at most as wide as
// their pad (pcbnew/zone_filler.cpp, buildThermalSpokes).
func (f *clearanceField) halfSpoke(p *board.Pad) float64 {
	width := max(p.Spoke, f.b.Rules.ThermalSpoke)
	if f.b.Rules.KiCadSpokes {
		width = min(width, p.Width, p.Height)
	}
	return float64(width) / 2
}

// spokeAngle returns the direction of a pad's spokes [degrees].
func (f *clearanceField) spokeAngle(p *board.Pad) float64 {
	if f.b.Rules.KiCadSpokes && p.Shape == board.Circle {
		return p.Rotation + 45
	}
	return p.Rotation
}

// dropSpokes removes each spoke whose end does not lie in the pour as filled without the spoke.
// KiCad creates no spoke there, even if the side of the spoke would touch copper
// (pcbnew/zone_filler.cpp, fillCopperZone).
func (f *clearanceField) dropSpokes(ctx context.Context) error {
	r := &f.b.Rules
	if !r.KiCadSpokes || !r.ThermalRelief {
		return nil
	}
	gap := float64(r.ThermalGap)
	for pi := range f.b.Parts {
		for i := range f.b.Parts[pi].Pads {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p := &f.b.Parts[pi].Pads[i]
			if p.Net != f.net || p.Solid || !f.onLayer(p) {
				continue
			}
			s, half := p.Copper(0), f.halfSpoke(p)+float64(f.pitch)
			at := geom.VecOf(p.CopperAt())
			for quarter := range 4 {
				sin, cos := math.Sincos((f.spokeAngle(p) + 90*float64(quarter)) * math.Pi / 180)
				reach := 0.0 // distance from the centre to the end of the spoke [nm]
				for step := float64(f.pitch); step > 1e3; step /= 4 {
					for s.To(at.X+cos*(reach+step), at.Y+sin*(reach+step)) < gap+spokeExtension {
						reach += step
					}
				}
				if f.meetsPour(at.X+cos*reach, at.Y+sin*reach) {
					continue
				}
				i0, j0, i1, j1 := f.sampleRange(&s, gap)
				for j := j0; j <= j1; j++ {
					for i := i0; i <= i1; i++ {
						dx, dy := f.x(i)-at.X, f.y(j)-at.Y
						to := s.To(f.x(i), f.y(j))
						along, across := dx*cos+dy*sin, math.Abs(dy*cos-dx*sin)
						if to > 0 && to < gap && along > 0 && across < half {
							k := j*f.w + i
							f.clearance[k] = min(f.clearance[k], -float32(f.pitch))
							f.filled[k] = false
						}
					}
				}
			}
		}
	}
	return nil
}

// spokeExtension is the distance from a thermal gap to the end of a KiCad spoke [nm].
const spokeExtension = 40e3

// discMargin reduces the reach, and increases the clearance, of the disc that must contain the end
// of a spoke [nm]. KiCad chamfers the corners of the areas that it shrinks.
const discMargin = 5e3

// meetsPour reports whether the pour, filled without spokes, or the spoke of another pad covers
// (x, y), the end of a spoke. The pour covers it if a disc of the minimum copper width contains
// the end and lies outside the gaps around the pads.
func (f *clearanceField) meetsPour(x, y float64) bool {
	i := int(math.Round((x - float64(f.min.X)) / float64(f.pitch)))
	j := int(math.Round((y - float64(f.min.Y)) / float64(f.pitch)))
	if i >= 0 && j >= 0 && i < f.w && j < f.h && f.reliefs[j*f.w+i] == innerSpoke {
		return true
	}
	const rings, directions = 6, 16
	for ring := range rings + 1 {
		r := (minWidth/2 - discMargin) * float64(ring) / rings
		for d := range directions {
			sin, cos := math.Sincos(2 * math.Pi * float64(d) / directions)
			if f.hasDisc(x+r*cos, y+r*sin) {
				return true
			}
		}
	}
	return false
}

// hasDisc reports whether the pour, filled without spokes, contains a disc of the minimum copper
// width at (x, y). It interpolates between the samples.
func (f *clearanceField) hasDisc(x, y float64) bool {
	u, v := (x-float64(f.min.X))/float64(f.pitch), (y-float64(f.min.Y))/float64(f.pitch)
	if u < 0 || v < 0 || u >= float64(f.w-1) || v >= float64(f.h-1) {
		return false
	}
	i, j := int(u), int(v)
	u, v = u-float64(i), v-float64(j)
	clearance, relief := 0.0, 0.0
	for n, weight := range [4]float64{(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v} {
		k := (j+n/2)*f.w + i + n%2
		if f.reliefs[k] == innerSpoke {
			return false
		}
		clearance += weight * float64(f.clearance[k])
		relief += weight * float64(f.reliefs[k]) * 1e3
	}
	return min(clearance, relief) >= minWidth/2+discMargin
}

// spokeClearance returns the field value [nm] that at least one sample across a spoke reaches, at
// any position of the spoke on the lattice.
func (f *clearanceField) spokeClearance() float64 {
	return (float64(f.b.Rules.ThermalSpoke) - math.Sqrt2*float64(f.pitch)) / 2
}

// subtractOutline sets the field to the distance from the board edge minus the edge clearance.
// Samples beyond the truncation distance get a large positive value inside the board and a large
// negative value outside.
func (f *clearanceField) subtractOutline(ctx context.Context) error {
	const far = 1e9
	for j := range f.h {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row := f.clearance[j*f.w : (j+1)*f.w]
		for i := range row {
			row[i] = far
		}
	}
	g := f.b.Outline
	for i, a := range g {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s := geom.Segment(a, g[(i+1)%len(g)], 0)
		f.subtract(&s, float64(max(f.b.Rules.EdgeClearance, f.pitch)))
	}
	for j := range f.h {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row := f.clearance[j*f.w : (j+1)*f.w]
		for i := 0; i < f.w; {
			if row[i] < 0 {
				i++
				continue
			}
			// Between two bands along the edge, a row is entirely inside or entirely outside.
			start := i
			for i < f.w && row[i] >= 0 {
				i++
			}
			if !g.Contains(board.Point{X: f.min.X + int64(start)*f.pitch,
				Y: f.min.Y + int64(j)*f.pitch}) {
				for k := start; k < i; k++ {
					row[k] = -far
				}
			}
		}
	}
	return nil
}
