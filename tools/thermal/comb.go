package thermal

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Comb is a finned plate of one material. X is the axis across the fins. Z goes through the plate
// from the source face to the fin face. Fin goes up the fins from their roots. Along the flow there
// are Slabs equal slabs. Each column of the plate is either completely below a fin (listed in
// Roots) or completely below a channel. A fin is one cell thick.
//
// The cells of the cross-section are numbered base first (column by column, source face first),
// then fins (fin by fin, root first). The unknowns of one cell in all slabs are consecutive.
type Comb struct {
	Conductivity float64
	X, Z, Fin    Cells
	Slabs        int
	Length       float64 // length along the flow [m]
	Roots        []int   // column below each fin, in ascending order
	// CapacityFlow is the product [W/K] of mass flow and specific heat of the air in one channel.
	CapacityFlow float64
	Surfaces     []Surface
}

// Surface is a set of walls that share an environment.
type Surface struct {
	Walls   []Wall
	Film    []float64 // convective film coefficient of each slab [W/(m²·K)]
	Radiant float64   // film coefficient of radiation to the surroundings [W/(m²·K)]
	// Channel is set if the air enters the first slab at ambient temperature and warms up along the
	// channel. Otherwise the air remains at ambient temperature.
	Channel bool
}

// Wall is a face of a cell of the cross-section.
type Wall struct {
	Cell  int
	Width float64 // width across the flow [m]
	// Depth is the distance from the centre of the cell to the face [m]. It is 0 for a fin, whose
	// cells are as wide as the fin.
	Depth float64
}

// BaseCell returns the number of a cell of the plate.
func (c *Comb) BaseCell(column, layer int) int { return column*c.Z.Count() + layer }

// FinCell returns the number of a cell of a fin.
func (c *Comb) FinCell(fin, layer int) int {
	return c.X.Count()*c.Z.Count() + fin*c.Fin.Count() + layer
}

// Unknowns returns the number of cells in all slabs.
func (c *Comb) Unknowns() int { return c.section() * c.Slabs }

// section returns the number of cells in the cross-section.
func (c *Comb) section() int { return c.X.Count()*c.Z.Count() + len(c.Roots)*c.Fin.Count() }

func (c *Comb) slab() float64 { return c.Length / float64(c.Slabs) }

// CombSolution is the solution of a comb. Temperatures are rises above ambient.
type CombSolution struct {
	Rise     []float64
	Surfaces []SurfaceState // same order as the comb's surfaces
	Steps    int            // number of solver steps
	// Unbalanced is the source heat [W] that does not leave through any surface.
	Unbalanced float64
}

// SurfaceState contains the heat flows and the temperature rises of a surface.
type SurfaceState struct {
	Convection, Radiation float64 // [W]
	Mean                  float64 // area-weighted mean rise of the walls [K]
	// mean rise of the air in each slab [K]; nil unless the surface is a channel
	Air    []float64
	Outlet float64     // rise of the outgoing air [K]
	Faces  [][]float64 // rise of each wall's face in each slab [K]
}

// Solve improves the temperature rises for the given sources [W]. It stops when the 2-norm of the
// heat residual of all cells is below the tolerance [W], or after the maximum number of steps.
func (c *Comb) Solve(
	ctx context.Context, rise, source []float64, tolerance float64, steps int,
) (CombSolution, error) {
	o := newCombOperator(c)
	p := newCombWaves(o).solve
	if o.marches() {
		p = newCombSlabs(o).after(p)
	}
	done, err := gmres(ctx, linear{apply: o.apply, precondition: p}, rise, source, tolerance, steps)
	if err != nil {
		return CombSolution{}, err
	}
	s := o.state(rise, source)
	s.Steps = done
	return s, nil
}

// link is a conduction path between two cells of a slab.
type link struct {
	a, b int
	g    float64 // [W/K]
}

// exchange contains the conductances of a wall to the air and to the surroundings in every slab
// [W/K]. A convective and a radiative film behind the same half cell of metal form a star of three
// conductances. The equivalent triangle has a third side, from the air to the surroundings.
type exchange struct {
	cell            int
	toAir, toAround []float64
}

// duct is the air of a surface. Within a slab the walls are isothermal, so the air temperature
// approaches theirs exponentially. The heat balance is therefore exact for any air flow.
type duct struct {
	marches bool
	around  []float64 // conductance from the air to the surroundings: third sides of the triangles
	walls   []float64 // sum of all conductances to the air
	// gain is the temperature rise of the air over a slab per kelvin of difference between the
	// walls and the inlet.
	gain  []float64
	share []float64 // the same for the mean temperature rise of the air in the slab
}

type combOperator struct {
	comb      *Comb
	n         int // slabs
	links     []link
	along     []float64 // conductance of each cell to its counterpart in the next slab
	exchanges [][]exchange
	ducts     []duct
	air, mean []float64 // scratch, one value per slab
}

func newCombOperator(c *Comb) *combOperator {
	o := &combOperator{
		comb: c, n: c.Slabs, air: make([]float64, c.Slabs), mean: make([]float64, c.Slabs),
	}
	k, dy := c.Conductivity, c.slab()
	nz, nf := c.Z.Count(), c.Fin.Count()
	o.along = make([]float64, c.section())
	for i := range c.X.Count() {
		dx := c.X.Width(i)
		for l := range nz {
			dz := c.Z.Width(l)
			cell := c.BaseCell(i, l)
			o.along[cell] = k * dx * dz / dy
			if l > 0 {
				o.links = append(o.links,
					link{cell - 1, cell, k * dx * dy / (c.Z.Centre(l) - c.Z.Centre(l-1))})
			}
			if i > 0 {
				o.links = append(o.links,
					link{cell - nz, cell, k * dz * dy / (c.X.Centre(i) - c.X.Centre(i-1))})
			}
		}
	}
	for f, column := range c.Roots {
		t := c.X.Width(column)
		for l := range nf {
			cell := c.FinCell(f, l)
			o.along[cell] = k * t * c.Fin.Width(l) / dy
			if l > 0 {
				o.links = append(o.links,
					link{cell - 1, cell, k * t * dy / (c.Fin.Centre(l) - c.Fin.Centre(l-1))})
			}
		}
		distance := (c.Z.Width(nz-1) + c.Fin.Width(0)) / 2
		o.links = append(o.links, link{c.BaseCell(column, nz-1), c.FinCell(f, 0),
			k * t * dy / distance})
	}
	for _, s := range c.Surfaces {
		o.addSurface(s)
	}
	return o
}

func (o *combOperator) addSurface(s Surface) {
	c, n, dy := o.comb, o.n, o.comb.slab()
	d := duct{
		marches: s.Channel, around: make([]float64, n), walls: make([]float64, n),
		gain: make([]float64, n), share: make([]float64, n),
	}
	list := make([]exchange, len(s.Walls))
	paths := make([]float64, 2*n*len(s.Walls))
	for w, wall := range s.Walls {
		e := exchange{wall.Cell, paths[2*n*w : 2*n*w+n], paths[2*n*w+n : 2*n*w+2*n]}
		area := wall.Width * dy
		for j, h := range s.Film {
			metal := 1.0 // factor by which the metal reduces the film's conductance
			if wall.Depth > 0 {
				series := c.Conductivity / wall.Depth
				metal = series / (series + h + s.Radiant)
				d.around[j] += area * h * s.Radiant / (series + h + s.Radiant)
			}
			e.toAir[j], e.toAround[j] = area*h*metal, area*s.Radiant*metal
			d.walls[j] += e.toAir[j]
		}
		list[w] = e
	}
	for j := range n {
		d.walls[j] += d.around[j]
		if units := d.walls[j] / c.CapacityFlow; s.Channel && units > 0 {
			d.gain[j] = -math.Expm1(-units)
			d.share[j] = 1 - d.gain[j]/units
			if units < 1e-4 { // avoids cancellation in the difference
				d.share[j] = units / 2 * (1 - units/3)
			}
		}
	}
	o.exchanges = append(o.exchanges, list)
	o.ducts = append(o.ducts, d)
}

// march computes the mean rise of a surface's air in every slab. It returns the rise at the outlet.
func (o *combOperator) march(s int, rise, air []float64) float64 {
	d := &o.ducts[s]
	clear(air)
	if !d.marches {
		return 0
	}
	for _, e := range o.exchanges[s] {
		x := rise[e.cell*o.n : (e.cell+1)*o.n]
		for j, g := range e.toAir {
			air[j] += g * x[j]
		}
	}
	in := 0.0
	for j := range air {
		wall := in
		if d.walls[j] > 0 {
			wall = air[j] / d.walls[j]
		}
		air[j] = in + d.share[j]*(wall-in)
		in += d.gain[j] * (wall - in)
	}
	return in
}

// apply sets dst to the heat that leaves each cell for the given rises.
func (o *combOperator) apply(dst, rise []float64) {
	n := o.n
	for c, g := range o.along {
		x, y := rise[c*n:(c+1)*n], dst[c*n:(c+1)*n]
		y[0] = 0
		for j := 1; j < n; j++ {
			q := g * (x[j] - x[j-1])
			y[j-1] -= q
			y[j] = q
		}
	}
	for _, l := range o.links {
		xa, xb := rise[l.a*n:(l.a+1)*n], rise[l.b*n:(l.b+1)*n]
		ya, yb := dst[l.a*n:(l.a+1)*n], dst[l.b*n:(l.b+1)*n]
		for j, a := range xa {
			q := l.g * (a - xb[j])
			ya[j] += q
			yb[j] -= q
		}
	}
	for s, list := range o.exchanges {
		o.march(s, rise, o.air)
		for _, e := range list {
			x, y := rise[e.cell*n:(e.cell+1)*n], dst[e.cell*n:(e.cell+1)*n]
			for j, g := range e.toAir {
				y[j] += g*(x[j]-o.air[j]) + e.toAround[j]*x[j]
			}
		}
	}
}

// state computes the heat flows of the surfaces.
func (o *combOperator) state(rise, source []float64) CombSolution {
	out := CombSolution{Rise: rise, Unbalanced: floats.Sum(source)}
	for s, surface := range o.comb.Surfaces {
		air := make([]float64, o.n)
		st := SurfaceState{Outlet: o.march(s, rise, air)}
		for j, g := range o.ducts[s].around {
			st.Convection -= g * air[j]
			st.Radiation += g * air[j]
		}
		area, sum := 0.0, 0.0
		for w, e := range o.exchanges[s] {
			x := rise[e.cell*o.n : (e.cell+1)*o.n]
			wall, face := surface.Walls[w], x
			if wall.Depth > 0 {
				face = make([]float64, o.n)
				metal := o.comb.Conductivity / wall.Depth
				for j, v := range x {
					face[j] = (metal*v + surface.Film[j]*air[j]) / (metal + surface.Film[j] +
						surface.Radiant)
				}
			}
			st.Faces = append(st.Faces, face)
			for j, v := range x {
				st.Convection += e.toAir[j] * (v - air[j])
				st.Radiation += e.toAround[j] * v
				sum += wall.Width * face[j]
			}
			area += wall.Width * float64(o.n)
		}
		if area > 0 {
			st.Mean = sum / area
		}
		if surface.Channel {
			st.Air = air
		}
		out.Unbalanced -= st.Convection + st.Radiation
		out.Surfaces = append(out.Surfaces, st)
	}
	return out
}

// combWaves solves the comb with every film replaced by its mean along the flow and all air at
// ambient temperature. Cosines with zero slope at both ends then decouple, and each wave has its
// own cross-section problem. Fins are eliminated from their tips, and the plate becomes a band
// matrix.
type combWaves struct {
	o         *combOperator
	transform *fourier.QuarterWaveFFT
	pivot     []float64 // pivots of the fin elimination, wave by wave for each fin cell
	climb     []float64 // conductance of a fin cell to the cell below; of a root to the plate [W/K]
	base      []blas64.TriangularBand
	plate     []float64 // scratch for one wave of the plate
	waves     []float64 // scratch for the transform of all cells
}

func newCombWaves(o *combOperator) *combWaves {
	c, n := o.comb, o.n
	nz, nf := c.Z.Count(), c.Fin.Count()
	plate := c.X.Count() * nz
	w := &combWaves{
		o: o, transform: fourier.NewQuarterWaveFFT(n), pivot: make([]float64, len(c.Roots)*nf*n),
		climb: make([]float64, c.section()),
		base:  make([]blas64.TriangularBand, n),
		plate: make([]float64, plate), waves: make([]float64, c.Unknowns()),
	}
	diagonal := make([]float64, c.section())
	for _, list := range o.exchanges {
		for _, e := range list {
			diagonal[e.cell] += (floats.Sum(e.toAir) + floats.Sum(e.toAround)) / float64(n)
		}
	}
	for _, l := range o.links {
		diagonal[l.a] += l.g
		diagonal[l.b] += l.g
		if l.b >= plate { // fin links lead upwards
			w.climb[l.b] = l.g
		}
	}
	for m := range n {
		band := mat.NewSymBandDense(plate, min(nz, plate-1), nil)
		sine := math.Sin(math.Pi * float64(m) / float64(2*n))
		wave := 4 * sine * sine // 2 - 2 cos, without cancellation
		for cell := range plate {
			band.SetSymBand(cell, cell, diagonal[cell]+wave*o.along[cell])
		}
		for f, column := range c.Roots {
			carried := 0.0
			for l := nf - 1; l >= 0; l-- {
				cell := c.FinCell(f, l)
				p := diagonal[cell] + wave*o.along[cell] - carried
				w.pivot[(cell-plate)*n+m] = p
				carried = w.climb[cell] * w.climb[cell] / p
			}
			root := c.BaseCell(column, nz-1)
			band.SetSymBand(root, root, band.At(root, root)-carried)
		}
		for _, l := range o.links {
			if l.b < plate {
				band.SetSymBand(l.a, l.b, -l.g)
			}
		}
		// LAPACK is called directly because mat.BandCholesky would also estimate a condition
		// number, which takes longer than everything else. The matrix is diagonally dominant, so
		// this cannot fail.
		w.base[m], _ = lapack64.Pbtrf(band.RawSymBand())
	}
	return w
}

func (w *combWaves) solve(dst, src []float64) {
	c, n := w.o.comb, w.o.n
	nz, nf := c.Z.Count(), c.Fin.Count()
	section, plate := c.section(), c.X.Count()*nz
	x := w.waves
	for cell := range section {
		w.transform.CosSequence(x[cell*n:(cell+1)*n], src[cell*n:(cell+1)*n])
	}
	// From the tips down, the heat that a cell does not dissipate flows to the cell below.
	for f, column := range c.Roots {
		for l := nf - 1; l >= 0; l-- {
			cell := c.FinCell(f, l)
			below := cell - 1
			if l == 0 {
				below = c.BaseCell(column, nz-1)
			}
			from, to := x[cell*n:(cell+1)*n], x[below*n:(below+1)*n]
			pivot := w.pivot[(cell-plate)*n : (cell-plate+1)*n]
			g := w.climb[cell]
			for m, p := range pivot {
				from[m] /= p
				to[m] += g * from[m]
			}
		}
	}
	for m, band := range w.base {
		for cell := range plate {
			w.plate[cell] = x[cell*n+m]
		}
		lapack64.Pbtrs(band, blas64.General{Rows: plate, Cols: 1, Stride: 1, Data: w.plate})
		for cell := range plate {
			x[cell*n+m] = w.plate[cell]
		}
	}
	for f, column := range c.Roots {
		for l := range nf {
			cell := c.FinCell(f, l)
			below := cell - 1
			if l == 0 {
				below = c.BaseCell(column, nz-1)
			}
			to, from := x[cell*n:(cell+1)*n], x[below*n:(below+1)*n]
			pivot := w.pivot[(cell-plate)*n : (cell-plate+1)*n]
			g := w.climb[cell]
			for m, p := range pivot {
				to[m] += g / p * from[m]
			}
		}
	}
	scale := 1 / float64(4*n)
	for cell := range section {
		y := dst[cell*n : (cell+1)*n]
		w.transform.CosCoefficients(y, x[cell*n:(cell+1)*n])
		floats.Scale(scale, y)
	}
}

// marches reports whether the air of any surface warms up along the flow.
func (o *combOperator) marches() bool {
	for _, d := range o.ducts {
		if d.marches {
			return true
		}
	}
	return false
}

// combSlabs is the comb with one temperature per slab. It includes the heat that air carries from
// slab to slab, which combWaves neglects. This effect dominates in a long sink with little air
// flow.
type combSlabs struct {
	o             *combOperator
	lu            mat.LU
	left          []float64 // scratch: the residual of combWaves
	slabs, raised *mat.VecDense
}

func newCombSlabs(o *combOperator) *combSlabs {
	n := o.n
	a := mat.NewDense(n, n, nil)
	along := floats.Sum(o.along)
	for j := 1; j < n; j++ {
		a.Set(j, j, a.At(j, j)+along)
		a.Set(j-1, j-1, a.At(j-1, j-1)+along)
		a.Set(j, j-1, -along)
		a.Set(j-1, j, -along)
	}
	walls := make([]float64, n)
	for s, list := range o.exchanges {
		clear(walls)
		for _, e := range list {
			floats.Add(walls, e.toAir)
			for j, g := range e.toAround {
				a.Set(j, j, a.At(j, j)+g)
			}
		}
		for j, g := range walls {
			a.Set(j, j, a.At(j, j)+g)
		}
		d := &o.ducts[s]
		if !d.marches {
			continue
		}
		for j := range n { // a rise of 1 K in slab j warms the air there and downstream
			in := 0.0
			for i := j; i < n; i++ {
				wall := 0.0
				if i == j && d.walls[i] > 0 {
					wall = walls[i] / d.walls[i]
				}
				a.Set(i, j, a.At(i, j)-walls[i]*(in+d.share[i]*(wall-in)))
				in += d.gain[i] * (wall - in)
			}
		}
	}
	c := &combSlabs{
		o: o, left: make([]float64, o.comb.Unknowns()), slabs: mat.NewVecDense(n, nil),
		raised: mat.NewVecDense(n, nil),
	}
	c.lu.Factorize(a)
	return c
}

// after returns a preconditioner that combines two. It applies the given one, then this
// preconditioner to the residual.
func (c *combSlabs) after(first func(dst, src []float64)) func(dst, src []float64) {
	return func(dst, src []float64) {
		first(dst, src)
		c.o.apply(c.left, dst)
		sums, n := c.slabs.RawVector().Data, c.o.n
		clear(sums)
		for at := 0; at < len(src); at += n {
			for j := range n {
				sums[j] += src[at+j] - c.left[at+j]
			}
		}
		if err := c.lu.SolveVecTo(c.raised, false, c.slabs); err != nil {
			return // singular or nearly singular; only the first preconditioner is used
		}
		for at := 0; at < len(dst); at += n {
			floats.Add(dst[at:at+n], c.raised.RawVector().Data)
		}
	}
}
