package analysis

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"sort"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// PolesAndZeros holds the poles and zeros [rad/s] of a transfer function, sorted by magnitude. A
// pole that a zero cancels appears in both lists. A list that was not requested is nil.
type PolesAndZeros struct{ Poles, Zeros []complex128 }

// poleZeroCard holds the parameters of .pz in+ in- out+ out- vol|cur pol|zer|pz.
type poleZeroCard struct {
	nodes        [4]string
	current      bool // set if the input is a current instead of a voltage
	poles, zeros bool
}

// readPoleZero parses .pz in+ in- out+ out- vol|cur pol|zer|pz.
func readPoleZero(c *netlist.CardReader, a *netlist.Analysis) (err error) {
	var card poleZeroCard
	for k, name := range [...]string{"first input node", "second input node",
		"first output node", "second output node"} {
		if card.nodes[k], err = c.Node(name); err != nil {
			return err
		}
	}
	switch w, err := c.Word("kind of input, cur or vol"); {
	case err != nil:
		return err
	case w == "cur":
		card.current = true
	case w != "vol":
		return c.Fail(diag.Syntax, "the input must be cur or vol, not %q", w)
	}
	switch w, err := c.Word("word pol, zer or pz"); {
	case err != nil:
		return err
	case w == "pol":
		card.poles = true
	case w == "zer":
		card.zeros = true
	case w == "pz":
		card.poles, card.zeros = true, true
	default:
		return c.Fail(diag.Syntax, "the last word must be pol, zer or pz, not %q", w)
	}
	a.Params = card
	return nil
}

// Natural frequencies are searched in bands of two decades from 0 to topFrequency [rad/s].
const (
	firstBand    = 0.0317
	band         = 100
	topFrequency = 3e16
)

// distributedName describes d for an error message: a transmission line, or the source with freq or
// delay().
func distributedName(d device.Device) string {
	e := d.Element()
	if e.Frequency != nil {
		return "freq of " + e.Name
	}
	if e.BSource != nil {
		return "hertz of " + e.Name
	}
	if owner, _, found := strings.Cut(e.Name, "#"); found && e.Internal {
		return "delay() of " + owner
	}
	return "transmission line " + e.Name
}

// poleZero runs the .pz analysis of the equations (G + s·C)·x = b. The poles are the finite
// eigenvalues of the pencil. The zeros are the finite eigenvalues of the pencil bordered with the
// input and the output (Haley, IEEE Trans. CAS-35, 1988). With a shift σ, s = σ - 1/μ for every
// eigenvalue μ of (G + σ·C)⁻¹·C.
//
// A separate shift per band preserves the precision of poles that lie ten decades apart. Rounding
// turns a multiple eigenvalue at infinity into finite values that depend on the shift. A root is
// therefore accepted only if three shifts agree.
func (s *sim) poleZero() (*Output, error) {
	for _, d := range s.devices {
		if t, ok := d.(device.Distributed); ok && t.InfinitePoles() {
			return nil, diag.On(diag.NotAvailable, s.job.Analysis.Line, d.Element().Name,
				".pz is not available with %s, which is no rational function with a finite number of poles; .ac shows the response, and lumped sections and laplace have poles", distributedName(d))
		}
	}
	card, _ := s.job.Analysis.Params.(poleZeroCard)
	line := s.job.Analysis.Line
	var at [4]int
	for k, name := range card.nodes {
		if name == "0" {
			continue
		}
		if at[k] = s.unknownOf("v(" + name + ")"); at[k] == 0 {
			err := diag.At(diag.UnknownNode, line, ".pz: node %s is not in the circuit", name)
			err.Node = name
			return nil, err
		}
	}
	if at[0] == at[1] || at[2] == at[3] {
		return nil, diag.At(diag.BadValue, line,
			".pz: the two nodes of the input, and of the output, must differ")
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	p, err := s.pencil()
	if err != nil {
		return nil, err
	}
	input := make([]float64, p.n)
	between := func(row []float64, plus, minus int) {
		for k, n := range [2]int{plus, minus} {
			if n > 0 {
				row[n-1] += float64(1 - 2*k)
			}
		}
	}
	source := s.sourceBetween(at[0], at[1])
	switch {
	case source == 0:
		between(input, at[0], at[1])
		if !card.current {
			// Add a voltage source at the input, whose current is one more unknown.
			p = p.bordered(input, input)
			input = make([]float64, p.n)
			input[p.n-1] = 1
		}
	case card.current:
		return nil, diag.At(diag.BadValue, line, ".pz: a voltage source connects the nodes of the "+
			"input, so a current into them has no effect; write vol")
	default:
		input[source-1] = 1
	}
	r := &PolesAndZeros{}
	if card.poles {
		if r.Poles, err = s.naturalFrequencies(p); err != nil {
			return nil, err
		}
	}
	if card.zeros {
		output := make([]float64, p.n)
		between(output, at[2], at[3])
		if r.Zeros, err = s.naturalFrequencies(p.bordered(input, output)); err != nil {
			return nil, err
		}
	}
	return &Output{Vectors: s.solution(), Points: s.devicePoints(), Detail: r}, nil
}

// sourceBetween returns the index of the branch current of an independent voltage source between
// nodes a and b, in either direction. It returns 0 if there is none.
func (s *sim) sourceBetween(a, b int) int {
	for _, d := range s.devices {
		in, ok := d.(device.SmallSignalInput)
		if e := d.Element(); ok && e.Kind == 'v' {
			p, n := s.setup.Node(e.Nodes[0]), s.setup.Node(e.Nodes[1])
			if p == a && n == b || p == b && n == a {
				return in.UnitExcitation()[0].Row
			}
		}
	}
	return 0
}

// pencil is the matrix pencil G + s·C, stored by rows. columns holds the indices of the nonzero
// columns of C.
type pencil struct {
	n       int
	g, c    []float64
	columns []int
}

// pencil assembles the small-signal equations at the operating point as a matrix pencil.
func (s *sim) pencil() (*pencil, error) {
	n, pattern := s.n, s.setup.Pattern
	p := &pencil{n: n, g: make([]float64, n*n), c: make([]float64, n*n)}
	linear := s.smallSignal()
	// The equations form a pencil only if they are linear in ω; three frequencies verify this.
	fill := func(omega float64) []complex128 {
		linear.fill(omega / (2 * math.Pi))
		return append([]complex128(nil), linear.load.A...)
	}
	const far = 1e9 // verification frequency [rad/s]
	atZero := fill(0)
	linear.sameUnknowns = true
	atOne, atFar := fill(1), fill(far)
	used := make([]bool, n)
	for slot := 1; slot < len(atZero); slot++ {
		g, c := real(atZero[slot]), imag(atOne[slot])
		if d := atFar[slot] - complex(g, far*c); cmplx.Abs(d) > 1e-6*(math.Abs(g)+far*math.Abs(c)) {
			return nil, diag.At(diag.NotAvailable, s.job.Analysis.Line,
				"not yet supported: .pz of a transistor with excess phase (ptf), "+
					"which has no finite number of poles")
		}
		row, col := pattern.Position(slot)
		p.g[(row-1)*n+col-1] += g
		p.c[(row-1)*n+col-1] += c
		used[col-1] = used[col-1] || c != 0
	}
	for k, u := range used {
		if u {
			p.columns = append(p.columns, k)
		}
	}
	return p, nil
}

// bordered returns the pencil extended by a column and a row of G. The new diagonal entry is 0.
func (p *pencil) bordered(column, row []float64) *pencil {
	n := p.n + 1
	q := &pencil{n: n, g: make([]float64, n*n), c: make([]float64, n*n), columns: p.columns}
	for i := range p.n {
		copy(q.g[i*n:], p.g[i*p.n:(i+1)*p.n])
		copy(q.c[i*n:], p.c[i*p.n:(i+1)*p.n])
		q.g[i*n+p.n] = column[i]
		q.g[p.n*n+i] = row[i]
	}
	return q
}

// naturalFrequencies returns the natural frequencies of a pencil: its finite eigenvalues, sorted by
// magnitude.
func (s *sim) naturalFrequencies(p *pencil) ([]complex128, error) {
	list := []complex128{}
	if len(p.columns) == 0 {
		return list, nil
	}
	low, solved, solver := 0.0, false, newEigenSolver(p)
	for high := firstBand; low < topFrequency; low, high = high, high*band {
		s.progress("pz", math.Log(high/firstBand)/math.Log(topFrequency/firstBand))
		if err := s.checkDeadline(); errors.Is(err, errBudget) && low > 0 {
			s.warn(fmt.Sprintf(".pz stopped below %.3g rad/s: %s; roots above are missing",
				low, s.limit()))
			break
		} else if err != nil {
			return nil, err
		}
		shift := high / math.Sqrt(band)
		values, ok := p.near(solver, shift, high)
		solved = solved || ok
		var inside []complex128
		for _, v := range values {
			if m := cmplx.Abs(v); m >= low && m < high {
				inside = append(inside, v)
			}
		}
		origin := countBelow(inside, atOrigin*shift)
		for _, factor := range [...]float64{1.9, 1 / 1.7} {
			if len(inside) > 0 {
				others, _ := p.near(solver, shift*factor, math.Inf(1))
				inside = agreeing(inside, others)
				origin = min(origin, countBelow(others, atOrigin*shift))
			}
		}
		list = append(list, inside...)
		for range origin - countBelow(inside, atOrigin*shift) {
			list = append(list, 0)
		}
	}
	if !solved {
		return nil, diag.At(diag.Singular, s.job.Analysis.Line,
			".pz: the transfer function is 0 or has no value at any frequency")
	}
	sort.SliceStable(list, func(i, k int) bool {
		if a, b := cmplx.Abs(list[i]), cmplx.Abs(list[k]); math.Abs(a-b) > 1e-9*b {
			return a < b
		}
		return imag(list[i]) > imag(list[k])
	})
	return list, nil
}

// agreement is the largest relative difference of a root between two shifts. Roundoff moves a
// fourfold root by 1e-4.
const agreement = 1e-3

// atOrigin is the largest magnitude of a root that counts as 0 if it differs between the shifts. It
// is relative to the shift of the first band. Roundoff moves a fourfold root at 0 by 1e-4 of the
// shift.
const atOrigin = 3e-4

// countBelow returns the number of values with a magnitude of at most limit.
func countBelow(values []complex128, limit float64) (n int) {
	for _, v := range values {
		if cmplx.Abs(v) <= limit {
			n++
		}
	}
	return n
}

// agreeing returns the values that match an entry of others. Each entry matches at most once.
func agreeing(values, others []complex128) (kept []complex128) {
	taken := make([]bool, len(others))
	for _, v := range values {
		best, nearest := -1, agreement*cmplx.Abs(v)
		for k, o := range others {
			if d := cmplx.Abs(o - v); !taken[k] && d <= nearest {
				best, nearest = k, d
			}
		}
		if best >= 0 || v == 0 {
			kept = append(kept, v)
		}
		if best >= 0 {
			taken[best] = true
		}
	}
	return kept
}

// eigenSolver holds the memory of pencil.near for repeated calls with one pencil.
type eigenSolver struct {
	lapack       gonum.Implementation
	a, b, square []float64
	pivots       []int
	re, im, work []float64
}

// newEigenSolver returns a solver for a pencil.
func newEigenSolver(p *pencil) *eigenSolver {
	n, m := p.n, len(p.columns)
	e := &eigenSolver{a: make([]float64, n*n), b: make([]float64, n*m),
		square: make([]float64, m*m), pivots: make([]int, n), re: make([]float64, m),
		im: make([]float64, m), work: make([]float64, 1)}
	e.eigenvalues(-1)
	e.work = make([]float64, int(e.work[0]))
	return e
}

// eigenvalues computes the eigenvalues of the matrix square and overwrites it. A negative length of
// the work array requests only its best length. ok is false without convergence.
func (e *eigenSolver) eigenvalues(length int) (ok bool) {
	m := len(e.re)
	return e.lapack.Dgeev(lapack.LeftEVNone, lapack.RightEVNone, m, e.square, m, e.re, e.im, nil, 1,
		nil, 1, e.work, length) == 0
}

// norm returns the lesser of the largest row sum and the largest column sum of the matrix square.
func (e *eigenSolver) norm() float64 {
	m := len(e.re)
	return min(e.lapack.Dlange(lapack.MaxRowSum, m, m, e.square, m, e.work),
		e.lapack.Dlange(lapack.MaxColumnSum, m, m, e.square, m, e.work))
}

// near returns the eigenvalues of a pencil, accurate near the shift [rad/s]. It may return none if
// none has a magnitude below limit [rad/s]. ok is false if the pencil is singular at the shift.
func (p *pencil) near(e *eigenSolver, shift, limit float64) (values []complex128, ok bool) {
	n, m := p.n, len(p.columns)
	for i := range n {
		// Scaling the rows to equal magnitude makes the choice of pivots independent of the units.
		largest := 0.0
		row, g, c := e.a[i*n:(i+1)*n], p.g[i*n:(i+1)*n], p.c[i*n:(i+1)*n]
		for j := range row {
			v := g[j] + shift*c[j]
			row[j] = v
			largest = max(largest, math.Abs(v))
		}
		if largest == 0 {
			return nil, false
		}
		for j := range row {
			row[j] /= largest
		}
		for k, j := range p.columns {
			e.b[i*m+k] = c[j] / largest
		}
	}
	// The comparison of shifts rejects bad roots of an ill-conditioned matrix.
	if !e.lapack.Dgetrf(n, n, e.a, n, e.pivots) {
		return nil, false
	}
	e.lapack.Dgetrs(blas.NoTrans, n, m, e.a, n, e.pivots, e.b, m)
	for i, row := range p.columns {
		for k, x := range e.b[row*m : (row+1)*m] {
			v := shift * x
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false
			}
			e.square[i*m+k] = v
		}
	}
	// No |μ| exceeds a norm, and |s| < limit requires 1/|μ| = |1 - s/shift| < 1 + limit/shift. The
	// factor leaves room for roundoff.
	if norm := e.norm(); norm*(1+limit/shift) < 0.99 {
		return nil, true
	}
	if !e.eigenvalues(len(e.work)) {
		return nil, false
	}
	for k, re := range e.re {
		if mu := complex(re, e.im[k]); mu != 0 {
			values = append(values, complex(shift, 0)*(1-1/mu))
		}
	}
	return values, true
}
