package pour

import (
	"context"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

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
	hole, hasHole := p.HoleShape()
	if hasHole && (p.Net != f.net || !p.Plated) {
		f.subtract(&hole, float64(max(f.b.Rules.HoleClearance, p.Clearance)))
	}
	if p.Net != f.net && f.onLayer(p) {
		s := p.Copper(0)
		f.subtract(&s, max(f.netClearance(p.Net), float64(p.Clearance)))
	}
}
