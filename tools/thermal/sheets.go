package thermal

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Sheets is a pair of thin parallel plates divided into the same NX by NY cells. Cell (i, j) of
// sheet s has the number 2(j NX + i) + s.
type Sheets struct {
	NX, NY  int
	DX, DY  float64    // cell size [m]
	Lateral [2]float64 // in-plane conductivity times thickness of each sheet [W/K]
	Link    []float64  // conductance between the sheets per cell [W/K]
	Film    []float64  // conductance to the surroundings per cell of each sheet [W/K]
}

// Index returns the number of a cell of a sheet.
func (s *Sheets) Index(i, j, sheet int) int { return 2*(j*s.NX+i) + sheet }

// Unknowns returns the number of cells of both sheets.
func (s *Sheets) Unknowns() int { return 2 * s.NX * s.NY }

// Solve improves the temperature rises [K] for the given sources [W]. It ends when the 2-norm of
// the heat residual of all cells is below the tolerance [W].
func (s *Sheets) Solve(ctx context.Context, rise, source []float64, tolerance float64) error {
	m := newMultigrid(s)
	top := m.levels[0]
	return conjugateGradients(ctx, linear{
		apply:        func(dst, src []float64) { top.residual(dst, nil, src) },
		precondition: m.cycle,
	}, rise, source, tolerance, 60)
}

// multigrid is a symmetric V-cycle. It merges cells in pairs along one axis or both until few are
// left, and solves these directly. If the number of cells is odd, the last cell remains single and
// counts as a pair. This slightly slows convergence but does not affect accuracy. Red-black
// smoothing solves each pair of stacked cells together, so vias of any conductance do not slow it
// down.
type multigrid struct {
	levels []*level
	direct blas64.TriangularBand
	packed []float64 // scratch space of the direct solver
}

// level is a grid of the cycle.
type level struct {
	nx, ny     int
	cx, cy     [2]float64 // conductances to the neighbours along x and y
	link, film []float64
	inverse    []float64 // inverse of the 2 by 2 block of a cell: elements 11, 12, 22
	x, b, r    []float64
	px, py     bool // whether the next level merges cells along x, y
}

// coarsest is the number of cells per side below which merging stops.
const coarsest = 7

func newMultigrid(s *Sheets) *multigrid {
	m := &multigrid{}
	l := &level{nx: s.NX, ny: s.NY, link: s.Link, film: s.Film}
	for k, c := range s.Lateral {
		l.cx[k], l.cy[k] = c*s.DY/s.DX, c*s.DX/s.DY
	}
	for {
		l.prepare()
		m.levels = append(m.levels, l)
		// Smoothing is effective only along strong couplings, so only these are merged.
		l.px = l.nx > coarsest && l.cx[0]*4 > l.cy[0]
		l.py = l.ny > coarsest && l.cy[0]*4 > l.cx[0]
		if !l.px && !l.py {
			break
		}
		l = l.coarser()
	}
	m.factorize(l)
	return m
}

func (l *level) prepare() {
	n := 2 * l.nx * l.ny
	l.x, l.b, l.r = make([]float64, n), make([]float64, n), make([]float64, n)
	l.inverse = make([]float64, 3*l.nx*l.ny)
	for c, g := range l.link {
		a, d := l.diagonal(c)
		det := a*d - g*g
		l.inverse[3*c], l.inverse[3*c+1], l.inverse[3*c+2] = d/det, g/det, a/det
	}
}

// diagonal returns the sums of conductances of the upper and lower cell at index c.
func (l *level) diagonal(c int) (upper, lower float64) {
	i, j := c%l.nx, c/l.nx
	alongX, alongY := 2.0, 2.0
	if i == 0 {
		alongX--
	}
	if i == l.nx-1 {
		alongX--
	}
	if j == 0 {
		alongY--
	}
	if j == l.ny-1 {
		alongY--
	}
	upper = l.film[2*c] + l.link[c] + alongX*l.cx[0] + alongY*l.cy[0]
	lower = l.film[2*c+1] + l.link[c] + alongX*l.cx[1] + alongY*l.cy[1]
	return upper, lower
}

func (l *level) coarser() *level {
	fx, fy := 1, 1
	if l.px {
		fx = 2
	}
	if l.py {
		fy = 2
	}
	c := &level{nx: (l.nx + fx - 1) / fx, ny: (l.ny + fy - 1) / fy}
	for s := range 2 {
		c.cx[s] = l.cx[s] * float64(fy) / float64(fx)
		c.cy[s] = l.cy[s] * float64(fx) / float64(fy)
	}
	c.link, c.film = make([]float64, c.nx*c.ny), make([]float64, 2*c.nx*c.ny)
	for j := range l.ny {
		for i := range l.nx {
			fine, coarse := j*l.nx+i, j/fy*c.nx+i/fx
			c.link[coarse] += l.link[fine]
			c.film[2*coarse] += l.film[2*fine]
			c.film[2*coarse+1] += l.film[2*fine+1]
		}
	}
	return c
}

// factorize creates the direct solver of the coarsest level, a band matrix with the bandwidth of
// the shorter side.
func (m *multigrid) factorize(l *level) {
	n := 2 * l.nx * l.ny
	m.packed = make([]float64, n)
	a := mat.NewSymBandDense(n, min(2*min(l.nx, l.ny), n-1), nil)
	for c, g := range l.link {
		upper, lower := l.diagonal(c)
		at := l.packed(c)
		a.SetSymBand(at, at, upper)
		a.SetSymBand(at+1, at+1, lower)
		a.SetSymBand(at, at+1, -g)
		for s := range 2 {
			if c%l.nx > 0 {
				a.SetSymBand(at+s, l.packed(c-1)+s, -l.cx[s])
			}
			if c >= l.nx {
				a.SetSymBand(at+s, l.packed(c-l.nx)+s, -l.cy[s])
			}
		}
	}
	m.direct, _ = lapack64.Pbtrf(a.RawSymBand()) // diagonally dominant: cannot fail
}

// packed returns the number of the upper cell at index c when counting along the shorter side.
func (l *level) packed(c int) int {
	if l.nx <= l.ny {
		return 2 * c
	}
	return 2 * (c%l.nx*l.ny + c/l.nx)
}

// solve solves the coarsest level.
func (m *multigrid) solve(l *level) {
	for c := range l.link {
		copy(m.packed[l.packed(c):], l.b[2*c:2*c+2])
	}
	lapack64.Pbtrs(m.direct, blas64.General{Rows: len(m.packed), Cols: 1, Stride: 1,
		Data: m.packed})
	for c := range l.link {
		at := l.packed(c)
		copy(l.x[2*c:], m.packed[at:at+2])
	}
}

// cycle sets dst to the result of one V-cycle for src.
func (m *multigrid) cycle(dst, src []float64) {
	copy(m.levels[0].b, src)
	m.descend(0)
	copy(dst, m.levels[0].x)
}

func (m *multigrid) descend(k int) {
	l := m.levels[k]
	if k == len(m.levels)-1 {
		m.solve(l)
		return
	}
	clear(l.x)
	l.smooth(0)
	l.smooth(1)
	l.residual(l.r, l.b, l.x)
	next := m.levels[k+1]
	l.restrict(next.b)
	m.descend(k + 1)
	l.prolong(next.x)
	l.smooth(1)
	l.smooth(0)
}

// residual sets dst to b - A x, or to A x if b is nil.
func (l *level) residual(dst, b, x []float64) {
	nx, last := l.nx, l.nx*(l.ny-1)
	for c, g := range l.link {
		i := c % nx
		u, v := x[2*c], x[2*c+1]
		between := g * (u - v)
		up, low := l.film[2*c]*u+between, l.film[2*c+1]*v-between
		if i > 0 {
			up += l.cx[0] * (u - x[2*c-2])
			low += l.cx[1] * (v - x[2*c-1])
		}
		if i < nx-1 {
			up += l.cx[0] * (u - x[2*c+2])
			low += l.cx[1] * (v - x[2*c+3])
		}
		if c >= nx {
			up += l.cy[0] * (u - x[2*(c-nx)])
			low += l.cy[1] * (v - x[2*(c-nx)+1])
		}
		if c < last {
			up += l.cy[0] * (u - x[2*(c+nx)])
			low += l.cy[1] * (v - x[2*(c+nx)+1])
		}
		if b == nil {
			dst[2*c], dst[2*c+1] = up, low
		} else {
			dst[2*c], dst[2*c+1] = b[2*c]-up, b[2*c+1]-low
		}
	}
}

// smooth solves the cells of one colour for the present values of the other colour.
func (l *level) smooth(colour int) {
	nx, x := l.nx, l.x
	for j := range l.ny {
		for i := (j + colour) % 2; i < nx; i += 2 {
			c := j*nx + i
			up, low := l.b[2*c], l.b[2*c+1]
			if i > 0 {
				up += l.cx[0] * x[2*c-2]
				low += l.cx[1] * x[2*c-1]
			}
			if i < nx-1 {
				up += l.cx[0] * x[2*c+2]
				low += l.cx[1] * x[2*c+3]
			}
			if j > 0 {
				up += l.cy[0] * x[2*(c-nx)]
				low += l.cy[1] * x[2*(c-nx)+1]
			}
			if j < l.ny-1 {
				up += l.cy[0] * x[2*(c+nx)]
				low += l.cy[1] * x[2*(c+nx)+1]
			}
			in := l.inverse[3*c : 3*c+3 : 3*c+3]
			x[2*c], x[2*c+1] = in[0]*up+in[1]*low, in[1]*up+in[2]*low
		}
	}
}

// stencil returns the coarse cell that contains fine cell i of an axis, its weight, and the nearest
// other coarse cell. Interpolation is linear between centres and constant at the edge.
func stencil(joined bool, i, coarse int) (near, far int, wNear, wFar float64) {
	if !joined {
		return i, i, 1, 0
	}
	near = i / 2
	far = near + 2*(i%2) - 1
	if far < 0 || far >= coarse {
		return near, near, 1, 0
	}
	return near, far, 0.75, 0.25
}

// each calls f for every pair of fine and coarse cells that interpolation connects.
func (l *level) each(f func(fine, coarse int, weight float64)) {
	cnx, cny := l.nx, l.ny
	if l.px {
		cnx = (cnx + 1) / 2
	}
	if l.py {
		cny = (cny + 1) / 2
	}
	for j := range l.ny {
		jn, jf, wjn, wjf := stencil(l.py, j, cny)
		for i := range l.nx {
			in, ifar, win, wif := stencil(l.px, i, cnx)
			c := j*l.nx + i
			f(c, jn*cnx+in, wjn*win)
			if wif > 0 {
				f(c, jn*cnx+ifar, wjn*wif)
			}
			if wjf > 0 {
				f(c, jf*cnx+in, wjf*win)
				if wif > 0 {
					f(c, jf*cnx+ifar, wjf*wif)
				}
			}
		}
	}
}

// restrict transfers the residual to the coarse level. It is the transpose of prolong and therefore
// conserves heat.
func (l *level) restrict(b []float64) {
	clear(b)
	l.each(func(fine, coarse int, w float64) {
		b[2*coarse] += w * l.r[2*fine]
		b[2*coarse+1] += w * l.r[2*fine+1]
	})
}

// prolong adds the coarse correction.
func (l *level) prolong(x []float64) {
	l.each(func(fine, coarse int, w float64) {
		l.x[2*fine] += w * x[2*coarse]
		l.x[2*fine+1] += w * x[2*coarse+1]
	})
}
