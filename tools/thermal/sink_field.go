package thermal

import (
	"context"
	"math"
)

// SinkField is the finite-volume solution of a sink. Temperatures are rises above ambient [K].
type SinkField struct {
	Comb *Comb
	Flow Flow // zero for natural convection

	SourceMean, Largest float64 // rises on the source face: mean and maximum
	BaseMean            float64 // mean rise on the fin face of the plate
	Outlet              float64 // mean rise of the air at the channel outlets
	Film, Radiant       float64 // mean film coefficients in the channels [W/(m²·K)]
	Convection          float64 // [W]
	Radiation           float64 // [W]
	Unbalanced          float64 // heat residual [W]
	Unsettled           float64 // relative distance of the films from their targets

	state          CombSolution
	source         []float64
	warm           FixedPoint   // film temperature for forced convection [K]
	channel, outer FixedPoint   // natural films; outer is 0 for forced convection
	radiant        []FixedPoint // for each surface
}

// smoothSizes lists the allowed numbers of slabs. Transforms are fast for lengths without a prime
// factor above 5.
var smoothSizes = []int{16, 20, 24, 30, 32, 36, 40, 48, 60, 64, 72, 80, 96, 120, 128, 144, 160, 192}

// Limits of the number of unknowns of a sink. Many closely spaced fins couple strongly to the air
// and need more steps, so they get fewer unknowns.
const (
	cellBudget     = 45000
	cellBudgetMany = 25000
	manyFins       = 50
)

// grid creates the cells of the sink. refine multiplies the number of cells along every axis.
func (s *Sink) grid(refine float64, film float64) *Comb {
	scale := func(n float64) int { return max(1, int(math.Round(n*refine))) }
	c := &Comb{Conductivity: s.Conductivity, Length: s.Length}

	// Across the fins: one column per fin, and as many per channel as its width requires.
	sx, sy := s.Source.X1-s.Source.X0, s.Source.Y1-s.Source.Y0
	widest := max(min(s.Width/40, sx/5), s.Width/100)
	each := min(max(1, math.Ceil(s.Gap()/widest)), max(1, 100/float64(s.Fins-1)))
	if s.Fins <= 30 {
		each = max(each, 2)
	}
	inChannel := scale(each)
	x := 0.0
	c.X = append(c.X, 0)
	for f := range s.Fins {
		c.Roots = append(c.Roots, len(c.X)-1)
		x = float64(f)*(s.Thickness+s.Gap()) + s.Thickness
		c.X = append(c.X, x)
		for i := range inChannel {
			if f < s.Fins-1 {
				c.X = append(c.X, x+s.Gap()*float64(i+1)/float64(inChannel))
			}
		}
	}
	c.X[len(c.X)-1] = s.Width

	// Through the plate: finer cells towards a small source.
	layers, up, budget := 4.0, 12.0, float64(cellBudget)
	if s.Fins > manyFins { // fewer layers leave the budget to the many fins
		layers, up, budget = 3, 8, cellBudgetMany
	}
	first := min(s.Base/4, min(sx, sy)/6)
	c.Z = Graded(s.Base, scale(layers), first/refine, 2)
	// Up the fins: finer cells towards the root if the temperature decays within the fin height.
	c.Fin = Graded(s.Height, scale(up), 0.3/(s.decay(film)*refine), 1.6)

	section := c.section()
	wanted := refine * min(80, max(40, 5*s.Length/sy))
	for _, n := range smoothSizes {
		if c.Slabs == 0 || float64(n) <= wanted &&
			float64(n*section) <= budget*refine*refine*refine {
			c.Slabs = n
		}
	}
	return c
}

// surfaces creates the surfaces. They are one per channel (its fins, then its floor), the two outer
// faces with the edges of the plate below them, and the tips.
func (s *Sink) surfaces(c *Comb) {
	top, depth := c.Z.Count()-1, c.Z.Width(c.Z.Count()-1)/2
	side := func(f int) []Wall {
		walls := make([]Wall, c.Fin.Count())
		for l := range walls {
			walls[l] = Wall{Cell: c.FinCell(f, l), Width: c.Fin.Width(l)}
		}
		return walls
	}
	for f := range s.Fins - 1 {
		walls := append(side(f), side(f+1)...)
		for i := c.Roots[f] + 1; i < c.Roots[f+1]; i++ {
			walls = append(walls, Wall{c.BaseCell(i, top), c.X.Width(i), depth})
		}
		c.Surfaces = append(c.Surfaces, Surface{Walls: walls, Channel: s.Stream != nil})
	}
	for _, f := range []int{0, s.Fins - 1} {
		walls := side(f)
		for l := range c.Z.Count() {
			walls = append(walls, Wall{c.BaseCell(c.Roots[f], l), c.Z.Width(l), s.Thickness / 2})
		}
		c.Surfaces = append(c.Surfaces, Surface{Walls: walls})
	}
	tips := make([]Wall, s.Fins)
	for f, column := range c.Roots {
		tips[f] = Wall{Cell: c.FinCell(f, c.Fin.Count()-1), Width: c.X.Width(column)}
	}
	c.Surfaces = append(c.Surfaces, Surface{Walls: tips})
}

// Limits of the work on one sink: the iterations of films and temperatures, and the product of
// cells and steps summed over all iterations. The latter takes about half a second. Metal sinks
// need a twentieth of it.
const (
	sinkRounds = 25
	sinkWork   = 8e6
)

// Field solves the sink on a grid. refine is 1 for the usual grid; 2 halves the cell size. The
// closed form of the sink is the initial value.
func (s *Sink) Field(ctx context.Context, closed Closed, refine float64) (*SinkField, error) {
	c := s.grid(refine, closed.Film+closed.Radiant)
	s.surfaces(c)
	f := &SinkField{Comb: c, source: s.sources(c), radiant: make([]FixedPoint, len(c.Surfaces))}
	f.state.Rise = make([]float64, c.Unknowns())
	for i := range f.state.Rise {
		f.state.Rise[i] = closed.Walls
	}
	plate := c.X.Count() * c.Z.Count() * c.Slabs
	for i := range f.state.Rise[:plate] {
		f.state.Rise[i] = closed.Base
	}
	f.state.Surfaces = make([]SurfaceState, len(c.Surfaces))
	for i := range f.state.Surfaces {
		f.state.Surfaces[i].Mean = closed.Walls
	}
	f.BaseMean = closed.Base
	air := closed.Air
	tolerance := 1e-4
	steps := int(sinkWork / float64(c.Unknowns()) * max(1, refine*refine*refine))
	for round := range sinkRounds {
		change := s.films(f, air)
		if round > 0 {
			f.Unsettled = change
			if change < 1e-6 && tolerance <= 1e-7 {
				break
			}
			tolerance = max(1e-7, min(1e-6, change*1e-2))
		}
		if steps <= 0 {
			break
		}
		state, err := c.Solve(ctx, f.state.Rise, f.source, tolerance*s.Power, steps)
		if err != nil {
			return nil, err
		}
		f.state = state
		steps -= state.Steps
		s.sum(f)
		air = 0
		for _, st := range f.state.Surfaces[:s.Fins-1] {
			for _, a := range st.Air {
				air += a / float64(len(st.Air)*(s.Fins-1))
			}
		}
	}
	return f, nil
}

// films updates the films for the present temperatures and returns their relative change.
func (s *Sink) films(f *SinkField, air float64) float64 {
	c := f.Comb
	change := 0.0
	if s.Stream != nil {
		change = f.warm.Step(s.Ambient + max(0, f.BaseMean+air)/2)
		f.Flow = s.Flow(f.warm.Value)
		c.CapacityFlow = f.Flow.OneChannel
		f.Film = f.Flow.Film()
	} else {
		channel, outer := s.NaturalFilms(max(0, f.BaseMean))
		change = max(f.channel.Step(channel), f.outer.Step(outer))
		f.Film = f.channel.Value
	}
	inside, outside, none := even(f.Film, c.Slabs), even(f.outer.Value, c.Slabs), even(0, c.Slabs)
	if s.Stream != nil {
		inside = f.Flow.Films(c.Slabs)
	}
	f.Radiant = 0
	for i := range c.Surfaces {
		surface, radiant := &c.Surfaces[i], &f.radiant[i]
		mean := max(0, f.state.Surfaces[i].Mean)
		switch {
		case i < s.Fins-1:
			surface.Film = inside
			change = max(change, radiant.Step(s.radiantChannel(mean)))
			f.Radiant += radiant.Value / float64(s.Fins-1)
		case i < s.Fins+1:
			surface.Film = outside
			change = max(change, radiant.Step(s.radiantOpen(mean)))
		default: // the tips
			surface.Film = none
			change = max(change, radiant.Step(s.radiantOpen(mean)))
		}
		surface.Radiant = radiant.Value
	}
	return change
}

// even returns a list with the same film coefficient for every slab.
func even(film float64, slabs int) []float64 {
	h := make([]float64, slabs)
	for j := range h {
		h[j] = film
	}
	return h
}

// sources distributes the power over the cells of the source face by exact overlap.
func (s *Sink) sources(c *Comb) []float64 {
	q := make([]float64, c.Unknowns())
	y := Uniform(s.Length, c.Slabs)
	for i := range c.X.Count() {
		dx := c.X.Overlap(i, s.Source.X0, s.Source.X1)
		for j := range c.Slabs {
			q[c.BaseCell(i, 0)*c.Slabs+j] = s.Power * dx * y.Overlap(j, s.Source.Y0,
				s.Source.Y1) / s.Source.Area()
		}
	}
	return q
}

// sum computes the summary values of the field.
func (s *Sink) sum(f *SinkField) {
	c, n := f.Comb, f.Comb.Slabs
	top := c.Z.Count() - 1
	f.SourceMean, f.Largest, f.BaseMean = 0, 0, 0
	for i := range c.X.Count() {
		for j := range n {
			face := f.SourceFace(i, j)
			f.SourceMean += face * f.source[c.BaseCell(i, 0)*n+j] / s.Power
			f.Largest = max(f.Largest, face)
		}
	}
	weight := func(column int) float64 { return c.X.Width(column) / (s.Width * float64(n)) }
	for fin, column := range c.Roots {
		below, above := c.BaseCell(column, top)*n, c.FinCell(fin, 0)*n
		zb, zf := c.Z.Width(top), c.Fin.Width(0)
		for j := range n {
			f.BaseMean += weight(column) * (f.state.Rise[below+j]*zf + f.state.Rise[above+j]*zb) /
				(zf + zb)
		}
		if fin == s.Fins-1 {
			break
		}
		for i, face := range f.state.Surfaces[fin].Faces[2*c.Fin.Count():] {
			for _, v := range face {
				f.BaseMean += weight(column+1+i) * v
			}
		}
	}
	f.Convection, f.Radiation, f.Outlet = 0, 0, 0
	for _, st := range f.state.Surfaces {
		f.Convection += st.Convection
		f.Radiation += st.Radiation
		f.Outlet += st.Outlet / float64(s.Fins-1)
	}
	f.Unbalanced = f.state.Unbalanced
}

// SourceFace returns the rise of the source face at column i in slab j.
func (f *SinkField) SourceFace(i, j int) float64 {
	c := f.Comb
	at := c.BaseCell(i, 0)*c.Slabs + j
	flux := f.source[at] / (c.X.Width(i) * c.slab())
	return f.state.Rise[at] + flux*c.Z.Width(0)/2/c.Conductivity
}

// Fin returns the rises in a fin, by layer from the root, then by slab.
func (f *SinkField) Fin(fin int) [][]float64 {
	c, n := f.Comb, f.Comb.Slabs
	out := make([][]float64, c.Fin.Count())
	for l := range out {
		at := c.FinCell(fin, l) * n
		out[l] = f.state.Rise[at : at+n]
	}
	return out
}

// Air returns the mean rise of the air in each slab of a channel, or nil for natural convection.
func (f *SinkField) Air(channel int) []float64 { return f.state.Surfaces[channel].Air }

// FinMean returns the rise of a fin in each slab, averaged over its height.
func (f *SinkField) FinMean(fin int) []float64 {
	c := f.Comb
	mean := make([]float64, c.Slabs)
	for l, layer := range f.Fin(fin) {
		for j, v := range layer {
			mean[j] += v * c.Fin.Width(l) / c.Fin[c.Fin.Count()]
		}
	}
	return mean
}

// SourceCells returns the number of heated cells along the length or the width of the source,
// whichever has fewer.
func (f *SinkField) SourceCells() int {
	c, n := f.Comb, f.Comb.Slabs
	columns, slabs := 0, make([]bool, n)
	for i := range c.X.Count() {
		warm := false
		for j := range n {
			if f.source[c.BaseCell(i, 0)*n+j] > 0 {
				warm, slabs[j] = true, true
			}
		}
		if warm {
			columns++
		}
	}
	rows := 0
	for _, s := range slabs {
		if s {
			rows++
		}
	}
	return min(columns, rows)
}
