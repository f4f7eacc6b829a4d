package measure

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"sort"
	"strconv"

	"slipstick/spice/analysis"
	"slipstick/spice/netlist"
)

// series holds one value y per point x of a run. Values between points are interpolated: by
// parabolas where a transient is smooth, otherwise linearly.
type series struct {
	x, y  []float64
	phase bool // y is an angle [°] and is interpolated along the shorter arc
	// curvature holds the second divided difference of each segment, see addCurvature. It is nil
	// for straight lines.
	curvature []float64
}

var errNoPoints = errors.New("the analysis gave no points")

// series returns the series of an operand, which the caller must not modify. It caches the most
// recent operand.
func (r *run) series(o *netlist.Operand) (*series, error) {
	if r.last != nil && r.name == o.Text {
		return r.last, nil
	}
	s, err := r.compute(o)
	if err == nil {
		r.last, r.name = s, o.Text
	}
	return s, err
}

// operandTraces returns the traces of the two nodes, or of the element, of an operand. A trace is
// nil for ground and for a missing second node.
func (r *run) operandTraces(o *netlist.Operand) (parts [2]*analysis.Trace, err error) {
	for i, v := range [...]string{o.Plus, o.Minus} {
		if v == "" || o.Kind == 'v' && v == "0" {
			continue
		}
		name := string(o.Kind) + "(" + v + ")"
		if parts[i] = r.traces[name]; parts[i] == nil {
			if o.Kind != 'v' {
				return parts, fmt.Errorf("%s is not among the currents and powers of the circuit; "+
					"those of elements with two terminals are, and ic(q1) or id(m1) of "+
					"transistors; powers not in .ac", name)
			}
			if r.kind == "noise" {
				return parts, fmt.Errorf("%s is not a vector of .noise; those are v(onoise), "+
					"v(inoise), gain, and v(r1) for the part of a device that makes noise", name)
			}
			return parts, fmt.Errorf("node %s is not in the circuit", v)
		}
	}
	return parts, nil
}

func (r *run) compute(o *netlist.Operand) (*series, error) {
	if o.Expr != nil {
		return r.evaluate(o)
	}
	parts, err := r.operandTraces(o)
	if err != nil {
		return nil, err
	}
	over := parts
	if o.Over != nil {
		if over, err = r.operandTraces(o.Over); err != nil {
			return nil, err
		}
	}
	n := len(r.x)
	if n == 0 {
		if parts[0] == nil && parts[1] == nil {
			return nil, fmt.Errorf("%s is always 0", o.Text)
		}
		return nil, errNoPoints
	}
	s := &series{x: r.x, y: make([]float64, n), phase: o.Part == "p"}
	for i := range s.y {
		z := phasorAt(parts[0], i) - phasorAt(parts[1], i)
		if o.Over != nil {
			z /= phasorAt(over[0], i) - phasorAt(over[1], i)
			if cmplx.IsInf(z) || cmplx.IsNaN(z) {
				return nil, fmt.Errorf("%s divides by zero", o.Text)
			}
		}
		if r.kind != "ac" && o.Part != "db" {
			s.y[i] = real(z)
			continue
		}
		s.y[i] = netlist.PhasorPart(z, o.Part)
	}
	r.addCurvature(s)
	return s, nil
}

// evaluate computes the expression of an operand at every point. In .ac its variables are phasors.
func (r *run) evaluate(o *netlist.Operand) (*series, error) {
	n := len(o.Expr.Variables)
	at := make([]func(i int) complex128, n) // values of the variables by point
	for k, v := range o.Expr.Variables {
		switch v.Kind {
		case 't':
			at[k] = func(i int) complex128 { return complex(r.x[i], 0) }
			continue
		case 'm':
			result, err := r.result(v.Plus)
			if err != nil {
				return nil, err
			}
			at[k] = func(int) complex128 { return complex(result, 0) }
			continue
		}
		one := &netlist.Operand{Kind: v.Kind, Plus: v.Plus, Minus: v.Minus}
		if v.Kind == 'v' && v.Minus == "0" {
			one.Minus = ""
		}
		parts, err := r.operandTraces(one)
		if err != nil {
			return nil, err
		}
		at[k] = func(i int) complex128 { return phasorAt(parts[0], i) - phasorAt(parts[1], i) }
	}
	s := &series{x: r.x, y: make([]float64, len(r.x)), phase: o.Part == "p"}
	work, x := o.Expr.Program.NewStack(n), make([]float64, n)
	phasors := make([]complex128, n)
	for i := range s.y {
		for k := range at {
			phasors[k] = at[k](i)
			x[k] = real(phasors[k])
		}
		if r.kind != "ac" {
			s.y[i], _ = o.Expr.Program.Value(work, x)
			continue
		}
		s.y[i] = netlist.PhasorPart(o.Expr.Program.Phasor(phasors), o.Part)
		if math.IsNaN(s.y[i]) || math.IsInf(s.y[i], 0) {
			return nil, fmt.Errorf("%s is not finite at %s Hz", o.Text, number(r.x[i]))
		}
	}
	r.addCurvature(s)
	return s, nil
}

// phasorAt returns the value of a trace at point i. A nil trace is 0.
func phasorAt(t *analysis.Trace, i int) complex128 {
	switch {
	case t == nil:
		return 0
	case t.Imag == nil:
		return complex(t.Real[i], 0)
	}
	return complex(t.Real[i], t.Imag[i])
}

// wrap maps an angle [°] to the range (-180, 180].
func wrap(a float64) float64 {
	a = math.Mod(a, 360)
	switch {
	case a > 180:
		a -= 360
	case a <= -180:
		a += 360
	}
	return a
}

// number formats a value with six significant digits for a message.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// segment returns the index i of the segment that contains x, which lies between points i-1 and i.
// For x outside the series it is the first or last segment. The series must have at least two
// points.
func (s *series) segment(x float64) int {
	return min(max(sort.SearchFloat64s(s.x, x), 1), len(s.x)-1)
}

// increment returns the change of y from point i-1 to point i. An angle changes along the shorter
// arc.
func (s *series) increment(i int) float64 {
	d := s.y[i] - s.y[i-1]
	if s.phase {
		d = wrap(d)
	}
	return d
}

// checkRange returns an error if x is outside the run by more than a rounding error.
func (s *series) checkRange(x float64) error {
	first, last := s.x[0], s.x[len(s.x)-1]
	slack := 1e-9 * math.Max(math.Abs(first), math.Abs(last))
	if x < first-slack || x > last+slack || math.IsNaN(x) {
		return fmt.Errorf("%s lies outside the analysis, which covers %s to %s", number(x),
			number(first), number(last))
	}
	return nil
}

// at returns the value at x by interpolation, or an error if x is outside the run.
func (s *series) at(x float64) (float64, error) {
	if err := s.checkRange(x); err != nil {
		return 0, err
	}
	return s.value(x), nil
}

func (s *series) value(x float64) float64 {
	if len(s.x) == 1 {
		return s.y[0]
	}
	i := s.segment(x)
	f := math.Min(math.Max((x-s.x[i-1])/(s.x[i]-s.x[i-1]), 0), 1)
	switch f {
	case 0:
		return s.y[i-1]
	case 1:
		return s.y[i]
	}
	v := s.y[i-1] + f*s.increment(i) + s.bend(i)*f*(f-1)
	if s.phase {
		v = wrap(v)
	}
	return v
}

// slope returns the derivative at x of the parabola through the three nearest points. At an end of
// the run it returns the slope of the last segment at that end.
func (s *series) slope(x float64) (float64, error) {
	if err := s.checkRange(x); err != nil {
		return 0, err
	}
	if len(s.x) < 2 {
		return 0, errors.New("a derivative needs two points")
	}
	i := s.segment(x)
	chord := func(i int) float64 { return s.increment(i) / (s.x[i] - s.x[i-1]) }
	middle := func(i int) float64 { return (s.x[i] + s.x[i-1]) / 2 }
	d, m := chord(i), middle(i)
	// The slope of a chord equals the derivative of the parabola at the midpoint of the chord.
	// Interpolate to x with the adjacent chord.
	j := i + 1
	if x < m {
		j = i - 1
	}
	if j < 1 || j >= len(s.x) {
		return d, nil
	}
	return d + (chord(j)-d)*(x-m)/(middle(j)-m), nil
}
