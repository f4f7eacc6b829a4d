package certify

import (
	"errors"
	"fmt"
	"math"

	"slipstick/spice/device"
	"slipstick/spice/interval"
)

// vertexTree computes the range of an output of a linear circuit over a box of conductances and
// source values.
//
// Let A0 be the matrix at nominal values and U the incidence matrix of the toleranced resistors, so
// A = A0 + U·D·Uᵗ with D = diag(g - g0). The Sherman-Morrison-Woodbury formula reduces the circuit
// to M = Uᵗ·A0⁻¹·U, W = Uᵗ·A0⁻¹·b per source, and the output rows Z = e_out·A0⁻¹·U and y. Each is
// bounded once, to nearly full precision.
//
// det A and the numerators of Cramer's rule are affine in each conductance. If det A has the same
// sign at all corners, it has this sign in the whole box. The output is then a monotone Möbius
// function of each conductance, and its extremes are at corners.
//
// The corners form a binary tree. Level j sets conductance j to one end and then to the other, by a
// rank-one update of the levels below. All 2^m corners take about 6·2^m operations, and rounding
// accumulates over at most m updates. det A/det A0 is the product of the pivots 1 + delta·M_jj.
// Every prefix belongs to a point of the box, so the sign of det A is constant if and only if all
// pivots are positive.
type vertexTree struct {
	s      *system
	params []int           // indices of the toleranced resistors in s.params, one per level
	ends   [][2]interval.I // change of conductance g - g0 [S] at the low and the high resistance
	// source holds the factors of the columns of W: 1 for all fixed sources, then the value of each
	// toleranced source.
	source  []interval.I
	levels  []level
	corner  []bool // for each level, whether the present corner has the high resistance
	corners int

	low, high       interval.I // lowest and highest output [V] so far
	atLow, atHigh   []bool     // resistances at the corners of the lowest and highest output
	signLow, signUp []int      // signs of the source influences at these corners
}

// level is the reduced circuit after the resistances of all levels above are set.
type level struct {
	m *interval.Matrix // matrix M, m × m
	w *interval.Matrix // matrix W, m × number of sources
	z interval.Vector  // output row Z of length m
	y interval.Vector  // output y for each source
}

// poleError reports that the determinant may vanish in the box. name is the element whose change
// shows it.
type poleError struct{ name string }

func (e poleError) Error() string {
	return fmt.Sprintf("the determinant of the circuit may vanish within the tolerances (seen on changing %s): the output is not bounded, or it cannot be shown to be", e.name)
}

// enumerate computes the exact range of the output of a linear circuit. The output is the unknown
// with index out.
func (t *Tolerance) enumerate(s *system, out int) error {
	h, err := s.newVertexTree(out)
	if err != nil {
		return err
	}
	if err := h.enumerate(0); err != nil {
		return err
	}
	t.WorstLow, t.WorstHigh = s.corner(h.values(h.atLow, h.signLow, false)),
		s.corner(h.values(h.atHigh, h.signUp, true))
	return t.finish(interval.Of(h.low.Lo, h.high.Hi), "vertex enumeration")
}

// newVertexTree bounds the reduced circuit for the output, which is the unknown with index out.
func (s *system) newVertexTree(out int) (*vertexTree, error) {
	f, err := s.precondition(s.bias.X, nil)
	if err != nil {
		return nil, err
	}
	h := &vertexTree{s: s, source: []interval.I{interval.Point(1)}}
	// At x = 0 only the sources remain.
	fixed, _ := s.at(region{x: pointIntervals(make([]float64, s.n+1))}, nil)
	columns := [][]device.IntervalTerm{nil}
	for i := range s.params {
		p := &s.params[i]
		switch p.kind {
		case 'r':
			h.params = append(h.params, i)
			bounds := s.bias.Devices[p.dev].(interface{ Ohms(interval.I) interval.I })
			g0 := interval.WideOf(bounds.Ohms(interval.Point(p.nominal))).Recip()
			var ends [2]interval.I
			for k := range ends {
				g := bounds.Ohms(p.ends[k])
				if g.Sign() == 0 {
					return nil, errors.New(p.name + " may reach 0 ohm")
				}
				ends[k] = interval.WideOf(g).Recip().Sub(g0).Interval()
			}
			h.ends = append(h.ends, ends)
		default:
			h.source = append(h.source, p.box)
			// The term of a source is -V in its branch row, or I between its nodes.
			unit := device.IntervalTerm{P: p.a, N: p.b, Value: interval.WidePoint(1)}
			if p.kind == 'v' {
				unit.Value.H = -1
			}
			columns = append(columns, []device.IntervalTerm{unit})
			fixed[p.branch].Value = interval.Wide{}
		}
	}
	columns[0] = fixed
	for _, i := range h.params {
		p := &s.params[i]
		columns = append(columns,
			[]device.IntervalTerm{{P: p.a, N: p.b, Value: interval.WidePoint(-1)}})
	}
	q, m := len(h.source), len(h.params)
	h.levels = make([]level, m+1)
	for j := range h.levels {
		h.levels[j] = level{interval.NewMatrix(m, m), interval.NewMatrix(m, q),
			make(interval.Vector, m), make(interval.Vector, q)}
	}
	top := &h.levels[0]
	for c, column := range columns {
		x, err := f.solve(column)
		if err != nil {
			return nil, err
		}
		for j, i := range h.params {
			p := &s.params[i]
			v := x[p.a].Sub(x[p.b]).Interval()
			if c < q {
				*top.w.At(j, c) = v
			} else {
				*top.m.At(j, c-q) = v
			}
		}
		if c < q {
			top.y[c] = x[out].Interval()
		} else {
			top.z[c-q] = x[out].Interval()
		}
	}
	h.corner = make([]bool, m)
	h.low, h.high = interval.Point(math.MaxFloat64), interval.Point(-math.MaxFloat64)
	return h, nil
}

// solve encloses the solution of A·x + terms = 0 for terms without controls. It combines a
// floating-point solution, corrections, and an error bound from the contraction |I - C·A|.
func (f *preconditioned) solve(terms []device.IntervalTerm) ([]interval.Wide, error) {
	s := f.s
	x := make([]float64, s.n+1)
	w := make([]float64, s.size())
	var all []device.IntervalTerm
	var step interval.Vector
	for round := 0; ; round++ {
		if err := s.checkDeadline(); err != nil {
			return nil, err
		}
		matrix, _ := s.at(region{x: pointIntervals(x)}, nil)
		all = all[:0]
		for b := range matrix {
			if matrix[b].Count > 0 {
				all = append(all, matrix[b])
			}
		}
		for b := range terms {
			all = append(all, device.IntervalTerm{P: terms[b].P, N: terms[b].N,
				Value: terms[b].Value})
		}
		step = f.newtonStep(all)
		if round == 3 || s.isRounding(step, x) {
			break // step is the correction for this x
		}
		for i := 1; i <= s.n; i++ {
			x[i] -= step[i].Mid()
		}
	}
	for i := 1; i < len(w); i++ {
		w[i] = 1e-300 + step[i].Mag()
	}
	matrix, _ := s.at(region{x: pointIntervals(x)}, nil)
	d := f.slopeSpread(matrix)
	// The weights give a small contraction factor: they are the error propagated twice by |E|.
	for range 2 {
		for i, v := range f.contraction(matrix, d, w) {
			if i > 0 {
				w[i] = math.Max(w[i], 4*v)
			}
		}
	}
	theta, beta := 0.0, 0.0
	for i, v := range f.contraction(matrix, d, w) {
		if i > 0 {
			theta = max(theta, interval.DivUp(v, w[i]))
			beta = max(beta, interval.DivUp(step[i].Mag(), w[i]))
		}
	}
	if !(theta < 1) {
		if err := s.checkDeadline(); err != nil {
			return nil, err
		}
		return nil, errSingular
	}
	// The error bound is |x* - (x - step)| <= theta/(1 - theta)·beta·w.
	tail := interval.DivUp(interval.MulUp(theta, beta), interval.SubDown(1, theta))
	out := make([]interval.Wide, s.n+1)
	for i := 1; i <= s.n; i++ {
		r := interval.MulUp(tail, w[i])
		out[i] = interval.Wide{H: x[i], L: step[i].Neg().Add(interval.Of(-r, r))}
	}
	return out, nil
}

// isRounding reports whether the correction step is below the rounding error of x.
func (s *system) isRounding(step interval.Vector, x []float64) bool {
	for i := 1; i <= s.n; i++ {
		if step[i].Mag() > 1e-15*math.Abs(x[i])+1e-290 {
			return false
		}
	}
	return true
}

// enumerate visits the corners below level j.
func (h *vertexTree) enumerate(j int) error {
	if j == len(h.params) {
		return h.visitCorner()
	}
	from, to := &h.levels[j], &h.levels[j+1]
	m, q := len(h.params), len(h.source)
	for k, delta := range h.ends[j] {
		h.corner[j] = k == 1
		pivot := from.m.At(j, j).Mul(delta).AddF(1)
		if pivot.Lo <= 0 || !pivot.Finite() {
			return poleError{h.s.params[h.params[j]].name}
		}
		factor := delta.Div(pivot)
		for a := j + 1; a < m; a++ {
			up := from.m.At(a, j).Mul(factor)
			for b := j + 1; b < m; b++ {
				*to.m.At(a, b) = from.m.At(a, b).Sub(up.Mul(*from.m.At(j, b)))
			}
			for c := range q {
				*to.w.At(a, c) = from.w.At(a, c).Sub(up.Mul(*from.w.At(j, c)))
			}
		}
		up := from.z[j].Mul(factor)
		for b := j + 1; b < m; b++ {
			to.z[b] = from.z[b].Sub(up.Mul(*from.m.At(j, b)))
		}
		for c := range q {
			to.y[c] = from.y[c].Sub(up.Mul(*from.w.At(j, c)))
		}
		if err := h.enumerate(j + 1); err != nil {
			return err
		}
	}
	return nil
}

// visitCorner compares a corner with the extremes so far. The output is linear in the sources, so
// the sign of its derivative selects the extreme end of each source interval.
func (h *vertexTree) visitCorner() error {
	if h.corners++; h.corners%256 == 0 {
		if err := h.s.checkDeadline(); err != nil {
			return err
		}
	}
	y := h.levels[len(h.params)].y
	low, high := interval.I{}, interval.I{}
	for c, v := range y {
		all := v.Mul(h.source[c])
		low, high = low.Add(interval.Point(all.Lo)), high.Add(interval.Point(all.Hi))
	}
	if low.Lo < h.low.Lo {
		h.low, h.atLow, h.signLow = low, append(h.atLow[:0], h.corner...), signs(h.signLow, y)
	}
	if high.Hi > h.high.Hi {
		h.high, h.atHigh, h.signUp = high, append(h.atHigh[:0], h.corner...), signs(h.signUp, y)
	}
	return nil
}

func signs(into []int, y interval.Vector) []int {
	into = into[:0]
	for _, v := range y {
		if v.Mid() < 0 {
			into = append(into, -1)
		} else {
			into = append(into, 1)
		}
	}
	return into
}

// values returns the parameter values of a corner. pick states whether each resistor has its high
// value. sign holds the signs of the source influences. high selects the highest output.
func (h *vertexTree) values(pick []bool, sign []int, high bool) []float64 {
	out := make([]float64, len(h.s.params))
	r, q := 0, 1
	for i, p := range h.s.params {
		up := false
		if p.kind == 'r' {
			up = pick[r]
			r++
		} else {
			up = (sign[q] > 0) == high
			q++
		}
		out[i] = p.lo
		if up {
			out[i] = p.hi
		}
	}
	return out
}
