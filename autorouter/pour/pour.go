package pour

import (
	"context"
	"math"
	"slices"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/route/shape"
)

// Pin is a pad of a part on the board.
type Pin struct{ Part, Pad int }

// Result tells what the zones reach.
type Result struct {
	// Islands are the pads of the poured net in sets that its copper joins, the largest set first.
	// More than one means that the pour is split or does not reach a pad.
	Islands [][]Pin
	Removed int // islands of copper taken away because they touched nothing

	layers [2]*field
	member [2][]int32 // island of each piece of a layer, -1 when it touches no pad
}

// IslandAt is the index in Islands of the poured copper at a place, -1 where there is none.
func (r *Result) IslandAt(layer board.Layer, p board.Point) int {
	if k := r.PieceAt(layer, p); k >= 0 {
		return int(r.member[layer][k])
	}
	return -1
}

// Islanded calls yield for the nodes of a lattice that lie in poured copper of a layer, column, row and the
// index in Islands: node (i, j) lies at from + (i, j)·step.
func (r *Result) Islanded(layer board.Layer, from board.Point, step int64, columns, rows int, yield func(i, j, island int)) {
	if r.layers[layer] == nil {
		return
	}
	for j := range rows {
		for i := range columns {
			if k := r.IslandAt(layer, board.Point{X: from.X + int64(i)*step, Y: from.Y + int64(j)*step}); k >= 0 {
				yield(i, j, k)
			}
		}
	}
}

// PieceAt numbers the pieces of poured copper of a layer as they are without tracks and vias between
// them; -1 where there is none.
func (r *Result) PieceAt(layer board.Layer, p board.Point) int {
	f := r.layers[layer]
	if f == nil {
		return -1
	}
	i, j := int((p.X-f.min.X+f.pitch/2)/f.pitch), int((p.Y-f.min.Y+f.pitch/2)/f.pitch)
	if i < 0 || j < 0 || i >= f.w || j >= f.h || !f.kept[j*f.w+i] {
		return -1
	}
	return int(f.labels[j*f.w+i])
}

// Near reports whether there is poured copper within reach of a place, by the samples there.
func (r *Result) Near(layer board.Layer, p board.Point, reach int64) bool {
	f := r.layers[layer]
	if f == nil {
		return false
	}
	s := shape.Disc(p, 2*reach)
	i0, j0, i1, j1 := f.window(&s, 0)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			if f.kept[j*f.w+i] && s.To(f.x(i), f.y(j)) <= 0 {
				return true
			}
		}
	}
	return false
}

// Pieces is how many numbers PieceAt has for a layer.
func (r *Result) Pieces(layer board.Layer) int { return len(r.member[layer]) }

const (
	finest     = 50 * board.Micrometre // pitch of the sampling lattice on boards of ordinary size
	most       = 4e6                   // samples; larger boards take a coarser lattice
	remembered = 3e6                   // samples; of larger lattices the room without tracks and vias is computed anew each time
	thinBy     = 5e3                   // nm an outline may move when its points are thinned
	waist      = 0.2e6                 // nm, the least width of poured copper
	band       = 0.3e6                 // nm beyond the rule up to which distances are known
)

// Fill pours the ground net of the rules on the layers they name and replaces the board's zones.
func Fill(ctx context.Context, b *board.Board) (Result, error) {
	b.Zones = nil
	res, err := Look(ctx, b)
	if err != nil {
		return Result{}, err
	}
	zones, err := res.Zones(ctx, b)
	if err != nil {
		return Result{}, err
	}
	b.Zones = zones
	return res, nil
}

// Zones are the outlines of what was poured on a board.
func (r *Result) Zones(ctx context.Context, b *board.Board) ([]board.Zone, error) {
	var zones []board.Zone
	for _, layer := range b.Rules.PourLayers {
		if f := r.layers[layer]; f != nil {
			pieces, err := f.trace(ctx)
			if err != nil {
				return nil, err
			}
			if len(pieces) > 0 {
				zones = append(zones, board.Zone{Net: f.net, Layer: layer, Pieces: pieces})
			}
		}
	}
	return zones, nil
}

// Look pours without drawing the outlines, which tells what is joined and leaves the board as it
// is.
func Look(ctx context.Context, b *board.Board) (Result, error) {
	g, err := NewGround(ctx, b)
	if err != nil {
		return Result{}, err
	}
	return g.Look(ctx)
}

// Ground looks again and again at a board of which only the tracks and vias change: the room that
// the rest leaves is computed once.
type Ground struct {
	Meter  *budget.Meter // adds up the work of looks; nil for none
	board  *board.Board
	fields [2]*field
}

// NewGround computes the room that a board without tracks and vias leaves for its ground.
func NewGround(ctx context.Context, b *board.Board) (*Ground, error) {
	g := &Ground{board: b}
	net := b.Rules.GroundNet
	if net == board.NoNet || net >= len(b.Nets) || len(b.Outline) < 3 {
		return g, nil
	}
	for _, layer := range b.Rules.PourLayers {
		f := newField(b, net, layer)
		if len(f.room) < remembered {
			if err := f.standing(ctx); err != nil {
				return nil, err
			}
			f.empty = slices.Clone(f.room)
		}
		g.fields[layer] = f
	}
	return g, nil
}

// Look is as the function of this name. The result of the look before does not hold after it: both use the
// same lattice.
func (g *Ground) Look(ctx context.Context) (Result, error) {
	b := g.board
	var res Result
	if g.fields == [2]*field{} {
		return res, nil
	}
	j, err := newJoiner(ctx, b, b.Rules.GroundNet)
	if err != nil {
		return Result{}, err
	}
	var touched [2][][]int
	for _, layer := range b.Rules.PourLayers {
		f := g.fields[layer]
		g.Meter.Add(budget.PourSample, len(f.room))
		if err := f.build(ctx); err != nil {
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
			keep[i] = worthKeeping(touch[i], areas[i])
			if !keep[i] {
				res.Removed++
			}
		}
		for i, v := range labels {
			if v >= 0 && !keep[v] {
				f.kept[i] = false
			}
		}
		for i := range touch {
			if keep[i] {
				j.joinAll(touch[i])
			}
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
	}
	var index map[int]int
	res.Islands, index = j.islands()
	for layer, touch := range touched {
		res.member[layer] = make([]int32, len(touch))
		for i, items := range touch {
			res.member[layer][i] = -1
			if len(items) > 0 {
				if k, ok := index[j.root(items[0])]; ok {
					res.member[layer][i] = int32(k)
				}
			}
		}
	}
	return res, nil
}

// worthKeeping drops copper that touches nothing, crumbs [mm²] that serve a single pad, and those so small that they
// come off the board rather than join anything.
func worthKeeping(touches []int, area float64) bool {
	return len(touches) > 1 && area > 0.25 || len(touches) == 1 && area > 2
}

// field is the room left for copper on one layer, sampled on a lattice: room is by how much a
// place is farther from everything foreign than the rules ask [nm], negative where copper must
// not be.
type field struct {
	b      *board.Board
	net    int
	layer  board.Layer
	min    board.Point
	pitch  int64
	slack  float64 // nm kept beyond each rule, spent by interpolation and thinning
	w, h   int
	empty  []float32 // the room without tracks and vias, nil when it is not remembered
	room   []float32
	spokes []bool // samples in spokes narrower than the waist, nil when none is
	kept   []bool
	labels []int32
}

func newField(b *board.Board, net int, layer board.Layer) *field {
	box := b.Outline.Bounds()
	f := &field{b: b, net: net, layer: layer, pitch: finest}
	for float64(box.Width())*float64(box.Height()) > most*float64(f.pitch)*float64(f.pitch) {
		f.pitch += finest / 2
	}
	f.slack = thinBy + 3e3*float64(f.pitch*f.pitch)/float64(finest*finest)
	f.min = box.Min.Sub(board.Point{X: f.pitch, Y: f.pitch})
	f.w, f.h = int(box.Width()/f.pitch)+4, int(box.Height()/f.pitch)+4
	f.room = make([]float32, f.w*f.h)
	if r := &b.Rules; r.ThermalRelief && f.spokeRoom() < waist/2 {
		f.spokes = make([]bool, f.w*f.h)
	}
	f.kept, f.labels = make([]bool, f.w*f.h), make([]int32, f.w*f.h)
	return f
}

func (f *field) x(i int) float64 { return float64(f.min.X + int64(i)*f.pitch) }
func (f *field) y(j int) float64 { return float64(f.min.Y + int64(j)*f.pitch) }

// window is the range of samples within dist of a shape.
func (f *field) window(s *shape.Shape, dist float64) (i0, j0, i1, j1 int) {
	box := s.Bounds().Grown(int64(dist))
	i0, j0 = int((box.Min.X-f.min.X)/f.pitch), int((box.Min.Y-f.min.Y)/f.pitch)
	i1, j1 = int((box.Max.X-f.min.X)/f.pitch)+1, int((box.Max.Y-f.min.Y)/f.pitch)+1
	return max(0, i0), max(0, j0), min(f.w-1, i1), min(f.h-1, j1)
}

// keepOff lowers the room around a shape that copper must stay clear of.
func (f *field) keepOff(s *shape.Shape, clear float64) {
	clear += f.slack
	// The nearer a corner is passed, the rounder the border around it, and the more chords between the samples cut off.
	clear += max(0, 0.3*float64(f.pitch*f.pitch)/clear-(f.slack-thinBy))
	i0, j0, i1, j1 := f.window(s, clear+band)
	if s.N == 2 {
		f.keepOffSegment(s, clear, i0, j0, i1, j1)
		return
	}
	for j := j0; j <= j1; j++ {
		y := f.y(j)
		row := f.room[j*f.w : (j+1)*f.w]
		for i := i0; i <= i1; i++ {
			row[i] = min(row[i], float32(s.To(f.x(i), y)-clear))
		}
	}
}

// keepOffSegment looks only at the stripe around a track: a long diagonal has a large box.
func (f *field) keepOffSegment(s *shape.Shape, clear float64, i0, j0, i1, j1 int) {
	a, b := s.P[0], s.P[1]
	r := s.R + clear + band
	dx, dy := b.X-a.X, b.Y-a.Y
	l := math.Hypot(dx, dy)
	for j := j0; j <= j1; j++ {
		y := f.y(j)
		from, to := i0, i1
		if math.Abs(dy) > 1 {
			// The line's x at this height, give or take the stripe's half width.
			x := a.X + dx*max(0, min(1, (y-a.Y)/dy))
			half := r * l / math.Abs(dy)
			from = max(i0, int((x-half-float64(f.min.X))/float64(f.pitch)))
			to = min(i1, int((x+half-float64(f.min.X))/float64(f.pitch))+1)
		}
		row := f.room[j*f.w : (j+1)*f.w]
		for i := from; i <= to; i++ {
			row[i] = min(row[i], float32(s.To(f.x(i), y)-clear))
		}
	}
}

// standing computes the room from the outline, the holes, the keepouts and the foreign pads, with the
// thermal gaps around the net's own pads.
func (f *field) standing(ctx context.Context) error {
	b, r := f.b, &f.b.Rules
	if err := f.outline(ctx); err != nil {
		return err
	}
	for _, h := range b.Holes {
		s := shape.Disc(h.At, h.Diameter)
		f.keepOff(&s, float64(max(r.HoleClearance, h.Keepout)))
	}
	for _, k := range b.Keepouts {
		for _, l := range k.Layers {
			if k.Copper && l == f.layer {
				s := shape.Box(k.Area)
				f.keepOff(&s, float64(f.pitch)) // nearer the lattice would cut the corners of the area
			}
		}
	}
	for pi := range b.Parts {
		for i := range b.Parts[pi].Pads {
			p := &b.Parts[pi].Pads[i]
			f.foreignPad(p)
			if r.ThermalRelief && p.Net == f.net && f.on(p) {
				f.relieve(p)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// build takes the foreign tracks and vias off the standing room.
func (f *field) build(ctx context.Context) error {
	b, r := f.b, &f.b.Rules
	if f.empty == nil {
		if err := f.standing(ctx); err != nil {
			return err
		}
	}
	copy(f.room, f.empty)
	for i, t := range b.Tracks {
		if t.Net != f.net && t.Layer == f.layer {
			s := shape.Segment(t.A, t.B, t.Width)
			f.keepOff(&s, f.clear(t.Net))
		}
		if i&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for _, v := range b.Vias {
		if v.Net != f.net {
			s := shape.Disc(v.At, v.Diameter)
			f.keepOff(&s, max(f.clear(v.Net), float64(r.HoleClearance)-float64(v.Diameter-v.Drill)/2))
		}
	}
	for i, v := range f.room {
		f.kept[i] = v >= 0
	}
	return nil
}

// clear is the clearance to copper of another net.
func (f *field) clear(net int) float64 {
	r, nets := &f.b.Rules, f.b.Nets
	c := max(r.PourClearance, r.Class(&nets[f.net]).Clearance)
	if net != board.NoNet {
		c = max(c, r.Class(&nets[net]).Clearance)
	}
	return float64(c)
}

func (f *field) on(p *board.Pad) bool {
	return f.layer == board.Top && p.OnTop || f.layer == board.Bottom && p.OnBot
}

func (f *field) foreignPad(p *board.Pad) {
	bore, hasBore := shape.Bore(p)
	if hasBore && (p.Net != f.net || !p.Plated) {
		f.keepOff(&bore, float64(f.b.Rules.HoleClearance))
	}
	if p.Net != f.net && f.on(p) {
		s := shape.Pad(p)
		f.keepOff(&s, f.clear(p.Net))
	}
}

// relieve leaves a gap around one of the net's own pads, bridged by four spokes along the pad's
// axes that run to its centre.
func (f *field) relieve(p *board.Pad) {
	gap, half := float64(f.b.Rules.ThermalGap), float64(f.b.Rules.ThermalSpoke)/2
	s := shape.Pad(p)
	sin, cos := math.Sincos(p.Rotation * math.Pi / 180)
	i0, j0, i1, j1 := f.window(&s, gap+band)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			x, y := f.x(i), f.y(j)
			dx, dy := x-float64(p.At.X), y-float64(p.At.Y)
			u, v := math.Abs(dx*cos+dy*sin), math.Abs(dy*cos-dx*sin)
			off, spoke := s.To(x, y)-gap, half-min(u, v)
			if f.spokes != nil && off < 0 && spoke >= 0 {
				f.spokes[j*f.w+i] = true
			}
			open := max(off, spoke)
			f.room[j*f.w+i] = min(f.room[j*f.w+i], float32(open))
		}
	}
}

// spokeRoom is the room that some sample across a spoke has, however the spoke lies on the lattice.
func (f *field) spokeRoom() float64 {
	return (float64(f.b.Rules.ThermalSpoke) - math.Sqrt2*float64(f.pitch)) / 2
}

// outline sets the room to the distance from the edge less its rule, within the band.
func (f *field) outline(ctx context.Context) error {
	const far = 1e9
	for i := range f.room {
		f.room[i] = far
	}
	g := f.b.Outline
	for i, a := range g {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s := shape.Segment(a, g[(i+1)%len(g)], 0)
		f.keepOff(&s, float64(max(f.b.Rules.EdgeClearance, f.pitch)))
	}
	for j := range f.h {
		if j&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := f.room[j*f.w : (j+1)*f.w]
		for i := 0; i < f.w; {
			if row[i] < 0 {
				i++
				continue
			}
			// Between two bands along the edge a row is all inside or all outside.
			start := i
			for i < f.w && row[i] >= 0 {
				i++
			}
			if !inside(g, f.x(start), f.y(j)) {
				for k := start; k < i; k++ {
					row[k] = -far
				}
			}
		}
	}
	return nil
}

func inside(g board.Polygon, x, y float64) bool {
	in := false
	for i, p := range g {
		q := g[(i+1)%len(g)]
		if (float64(p.Y) > y) != (float64(q.Y) > y) && x < float64(p.X)+(y-float64(p.Y))/float64(q.Y-p.Y)*float64(q.X-p.X) {
			in = !in
		}
	}
	return in
}
