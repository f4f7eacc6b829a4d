package device

import "slipstick/spice/interval"

// IntervalModel is a device with rigorous bounds on its DC equations for the proofs of package
// certify. The bounds hold in exact arithmetic for the equations and parameters that Load uses.
type IntervalModel interface {
	LoadInterval(l *IntervalLoad)
}

// PartialIntervalModel is an IntervalModel that lacks bounds for some parameters.
type PartialIntervalModel interface {
	// IntervalUnsupported returns the reason why the device has no bounds, or "" if it has them.
	IntervalUnsupported() string
}

// IntervalLoad collects bounds on the DC equations over a box of unknowns.
type IntervalLoad struct {
	X    []interval.I // bounds of the unknowns [V or A]; index 0 is ground, with the bounds 0
	Gmin float64      // conductance [S] across every junction
	// Value, if not nil, replaces the principal value [ohm, V, A] of the next R, V or I element.
	Value *interval.I
	// Spans holds bounds on differences x[p]-x[n] that are tighter than those implied by the box.
	Spans    map[[2]int]interval.I
	Branches []IntervalTerm
	// Kink is the reason why the equations are not differentiable in the box, or "" if they are.
	Kink string
}

// IntervalTerm is one term of the equations. Value leaves row P and enters row N. In the branch row
// of a voltage source or inductor, P is the branch and N is 0.
type IntervalTerm struct {
	P, N     int
	Value    interval.Wide // bounds [A], or [V] in a branch row
	Controls [interval.Vars]Control
	Count    int // number of controls in use
	// Curvature bounds the second derivatives with respect to the controls, in the order 00, 01,
	// 02, 11, 12, 22. All are 0 for linear terms.
	Curvature [6]interval.I
}

// Control is a difference x[P]-x[N] on which a term depends. Slope bounds the derivative of the
// term with respect to this difference.
type Control struct {
	P, N  int
	Slope interval.I
}

// kink records the first kink or discontinuity of the equations. e names the element and where
// describes the point.
func (l *IntervalLoad) kink(e string, where string) {
	if l.Kink == "" {
		l.Kink = e + " " + where
	}
}

// diff bounds x[p] - x[n]. The bound is exact if the box is a point.
func (l *IntervalLoad) diff(p, n int) interval.Wide {
	if p == n {
		return interval.Wide{}
	}
	if v, ok := l.Spans[[2]int{p, n}]; ok {
		return interval.WideOf(v)
	}
	return interval.WideOf(l.X[p]).Sub(interval.WideOf(l.X[n]))
}

// across bounds sign·(x[p] - x[n]).
func (l *IntervalLoad) across(sign float64, p, n int) interval.I {
	return l.diff(p, n).Interval().Scale(sign)
}

// linear adds the current g·(x[cp] - x[cn]) from p to n.
func (l *IntervalLoad) linear(p, n, cp, cn int, g interval.Wide) {
	b := IntervalTerm{P: p, N: n, Value: g.Mul(l.diff(cp, cn)), Count: 1}
	b.Controls[0] = Control{cp, cn, g.Interval()}
	l.Branches = append(l.Branches, b)
}

// pairs holds the node pairs that control a nonlinear term.
type pairs [interval.Vars][2]int

// nonlinear adds the current sign·f(sign·u) from p to n. j bounds f, and u consists of the first
// count controls.
func (l *IntervalLoad) nonlinear(p, n int, sign float64, j interval.Jet, count int,
	controls pairs) {
	b := IntervalTerm{P: p, N: n, Value: interval.WideOf(j.V.Scale(sign)), Count: count}
	for i := range count {
		b.Controls[i] = Control{controls[i][0], controls[i][1], j.D[i]}
	}
	for i := range b.Curvature {
		b.Curvature[i] = j.H[i].Scale(sign)
	}
	l.Branches = append(l.Branches, b)
}

// principal returns l.Value if it is set. Otherwise it returns own, the principal value of an R, V
// or I element.
func (l *IntervalLoad) principal(own float64) interval.I {
	if l.Value != nil {
		return *l.Value
	}
	return interval.Point(own)
}

// LoadInterval adds the conductance 1/(ohms·factor). The bounds include the temperature factor, so
// the result holds for the resistance in the netlist.
func (r *resistor) LoadInterval(l *IntervalLoad) {
	l.linear(r.a, r.b, r.a, r.b, interval.WideOf(r.Ohms(l.principal(r.ohms))).Recip())
}

// Ohms bounds the resistance of all m= parallel resistors for the nominal resistance [ohm] of each.
// A value of 0 ohm is replaced as in the simulation.
func (r *resistor) Ohms(nominal interval.I) interval.I {
	if nominal.Lo == 0 && nominal.Hi == 0 {
		nominal = interval.Point(minOhms)
	} else if r.factor != 1 {
		d := interval.Point(r.deltaT)
		f := interval.Point(r.tempco.tc1).Add(d.Scale(r.tempco.tc2)).Mul(d).AddF(1)
		if r.tempco.exponential {
			f = interval.Point(exponentialBase).Pow(d.Scale(r.tempco.tce))
		}
		nominal = nominal.Mul(f)
	}
	if r.mult == 1 {
		return nominal
	}
	return nominal.Div(interval.Point(r.mult))
}

// LoadInterval adds nothing, because the current is 0 at DC.
func (c *capacitor) LoadInterval(*IntervalLoad) {}

// short adds the current of branch i from p to n and the voltage x[p] - x[n] in the branch row.
func (l *IntervalLoad) short(p, n, i int) {
	one := interval.WidePoint(1)
	l.linear(p, n, i, 0, one)
	l.linear(i, 0, p, n, one)
}

// LoadInterval adds a short circuit, or the resistance of LimitLoop.
func (d *inductor) LoadInterval(l *IntervalLoad) {
	l.short(d.a, d.b, d.i)
	if d.loopOhms != 0 {
		l.linear(d.i, 0, d.i, 0, interval.WidePoint(-d.loopOhms))
	}
}

func (d *voltageSource) LoadInterval(l *IntervalLoad) {
	l.short(d.p, d.n, d.i)
	l.Branches = append(l.Branches,
		IntervalTerm{P: d.i, Value: interval.WideOf(l.principal(d.src.dcValue())).Neg()})
}

func (d *currentSource) LoadInterval(l *IntervalLoad) {
	l.Branches = append(l.Branches,
		IntervalTerm{P: d.p, N: d.n, Value: interval.WideOf(l.principal(d.src.dcValue()))})
}

func (d *vcvs) LoadInterval(l *IntervalLoad) {
	l.short(d.p, d.n, d.i)
	l.linear(d.i, 0, d.cp, d.cn, interval.WidePoint(-d.gain))
}

func (d *vccs) LoadInterval(l *IntervalLoad) {
	l.linear(d.p, d.n, d.cp, d.cn, interval.WidePoint(d.gain))
}
