package device

import (
	"math"
	"math/cmplx"

	"slipstick/spice/diag"
	"slipstick/spice/interval"
)

// lineLoss is the series resistance of a transmission line, Oname port1+ port1- port2+ port2- model
// with a model of type ltra and R, L, C and LEN. The waves v + z0·i of the lossless line satisfy
// Y0·v1 - i1 = H·(Y0·v2 + i2) and the same equation with the ports exchanged. With the attenuation
// alpha = R/(2·L) [1/s] and the delay td,
//
//	Y0(s)·z0 = sqrt(s/(s + 2·alpha)) = 1 - ∫ sqrt(x/(2·alpha - x))/pi/(s + x) dx
//	H(s)     = exp(-sqrt(s·(s + 2·alpha))·td)
//	         = e^(-s·td)·(e^(-alpha·td) + ∫ e^(-x·td)·sin(td·sqrt(x·(2·alpha - x)))/pi/(s + x) dx)
//
// The integrals extend from x = 0 to 2·alpha, which is the only branch cut of both functions. J. S.
// Roychowdhury, A. R. Newton and D. O. Pederson give the same functions in the time domain
// (Algorithms for the transient simulation of lossy interconnect, IEEE Trans. CAD-13, 1994).
//
// The trapezoidal rule in u = ln(x/(2·alpha - x)) approximates each integral by a sum, whose error
// decreases exponentially with the number of terms (Trefethen and Weideman, SIAM Review 56, 2014).
// Each term is one state with truncation error control.
type lineLoss struct {
	ohms  float64 // resistance of the whole line, ohm
	alpha float64 // attenuation, 1/s
	front float64 // e^(-alpha·td)
	// poles [1/s] are the poles of the sums. admittance and transfer are the weights [1/s] of z0·Y0
	// and H.
	poles, admittance, transfer []float64
	// voltages and waves are the state indices of v/(s + pole) and wave/(s + pole) [V·s] for each
	// port.
	voltages, waves [2][]int
	slow            [2]float64 // sum of admittance·voltage at the last Update, V
}

// The limits and steps of the sums.
const (
	maxLineLoss = 20.0 // largest alpha·td, where R is 40 times z0
	lossStep    = 0.5  // step of u
	lossHigh    = 16.0 // last u: 1e-7 below 2·alpha
	lossLow     = 1e-5 // smallest pole times the duration
	maxPoles    = 400
)

func newLossyLine(m *cardReader) Device {
	d := &transmissionLine{e: m.e}
	if m.e.Model.Type != "ltra" {
		m.fail(diag.WrongModelType, "%s needs a model of type ltra, but %s is of type %s", m.e.Name,
			m.e.Model.Name, m.e.Model.Type)
		return d
	}
	var r, l, g, c, length, control float64
	list := []modelParam{{name: "r", value: &r}, {name: "l", value: &l}, {name: "g", value: &g},
		{name: "c", value: &c}, {name: "len", value: &length}}
	for _, name := range [...]string{"rel", "abs", "nosteplimit", "nocontrol", "lininterp",
		"mixedinterp", "quadinterp",
		"compactrel", "compactabs", "truncnr", "truncdontcut", "steplimit"} {
		// The parameters of ngspice's convolution have no effect.
		list = append(list, modelParam{name: name, value: &control})
	}
	m.model(list)
	if _, given := m.param("ic", 0); given {
		m.warn(m.e.Line, "%s: ic= of a lossy line is ignored; with uic it starts without waves",
			m.e.Name)
	}
	m.rejectExtraArgs(0, "ic")
	switch {
	case m.err != nil:
		return d
	case g > 0 || !(l > 0) || !(c > 0):
		m.fail(diag.NotAvailable, "not yet supported: model %s with g, or without l or c; lines with l and c, and with or without r, are computed, and U is a line of r and c", m.e.Model.Name)
		return d
	case !(length > 0):
		m.fail(diag.MissingValue, "model %s needs len above 0", m.e.Model.Name)
		return d
	}
	d.z0, d.td = math.Sqrt(l/c), length*math.Sqrt(l*c)
	if !(d.td > 0) || d.td > 1e9 || !(d.z0 > 0) || d.z0 > 1e9 {
		m.fail(diag.BadValue, "model %s: the delay len·sqrt(l·c) and the impedance sqrt(l/c) must be above 0 and at most 1e9, not %g s and %g ohm", m.e.Model.Name, d.td, d.z0)
		return d
	}
	if r == 0 {
		return d
	}
	loss := &lineLoss{ohms: r * length, alpha: r / (2 * l)}
	loss.front = math.Exp(-loss.alpha * d.td)
	if loss.alpha*d.td > maxLineLoss {
		m.fail(diag.NotAvailable, "not yet supported: the resistance %g ohm of %s is more than %g times its impedance %g ohm; U is a line of r and c",
			loss.ohms, m.e.Name, 2*maxLineLoss, d.z0)
		return d
	}
	loss.sum(d.td, m.tran.Stop)
	d.loss = loss
	return d
}

// sum selects the poles for a delay td and a duration stop [s]. The weights are scaled to make both
// functions exact at s = 0.
func (q *lineLoss) sum(td, stop float64) {
	low := math.Max(lossLow/(stop*2*q.alpha), 1e-30)
	first := math.Log(low)
	count := min(int((lossHigh-first)/lossStep)+1, maxPoles)
	step := (lossHigh - first) / float64(count)
	var atZero, passed float64
	for k := range count + 1 {
		u := first + float64(k)*step
		part := 1 / (1 + math.Exp(-u)) // fraction of 2·alpha
		rest := 1 / (1 + math.Exp(u))
		x, dx := 2*q.alpha*part, step/math.Pi*2*q.alpha*part*rest
		a := dx * math.Sqrt(part/rest)
		b := dx * math.Exp(-x*td) * math.Sin(2*q.alpha*td*math.Sqrt(part*rest))
		q.poles, q.admittance, q.transfer = append(q.poles, x), append(q.admittance, a),
			append(q.transfer, b)
		atZero, passed = atZero+a/x, passed+b/x
	}
	for k := range q.poles {
		q.admittance[k] /= atZero
		q.transfer[k] *= (1 - q.front) / passed
	}
}

// setup reserves the states.
func (q *lineLoss) setup(s *Setup) {
	for port := range 2 {
		for range q.poles {
			q.voltages[port] = append(q.voltages[port], s.Charge())
			q.waves[port] = append(q.waves[port], s.Charge())
		}
	}
}

// slope returns the coefficient of the present voltage in z0·Y0 for the integration formula.
func (q *lineLoss) slope(a0 float64) float64 {
	c := 1.0
	for k, x := range q.poles {
		c -= q.admittance[k] / (a0 + x)
	}
	return c
}

// rhs returns the wave [V] that arrives at a port, minus the contribution of previous points to
// z0·Y0·v. late is the wave that left the other port one delay ago.
func (q *lineLoss) rhs(l *Load, port int, late float64) float64 {
	b := q.front * late
	for k, x := range q.poles {
		b += (q.transfer[k]*(late-l.history(q.waves[port][k])) -
			q.admittance[k]*l.history(q.voltages[port][k])) / (l.A0 + x)
	}
	return b
}

// update stores the states of a port, which satisfy x' = input - pole·x.
func (q *lineLoss) update(l *Load, port int, volts, late float64) {
	store := func(at int, input, pole float64) float64 {
		past := l.history(at)
		x := (input - past) / (l.A0 + pole)
		l.State[at], l.State[at+1] = x, l.A0*x+past
		return x
	}
	q.slow[port] = 0
	for k, x := range q.poles {
		q.slow[port] += q.admittance[k] * store(q.voltages[port][k], volts, x)
		store(q.waves[port][k], late, x)
	}
}

// clear sets the states to 0.
func (q *lineLoss) clear(l *Load) {
	q.slow = [2]float64{}
	for port := range 2 {
		for k := range q.poles {
			for _, at := range [2]int{q.voltages[port][k], q.waves[port][k]} {
				l.State[at], l.State[at+1] = 0, 0
			}
		}
	}
}

// loadDC adds the DC equations v1 - v2 = ohms·i1 and i1 + i2 = 0.
func (d *transmissionLine) loadDC(l *Load) {
	p, other := &d.ports[0], &d.ports[1]
	l.A[p.ip]++
	l.A[p.in]--
	l.A[p.jp]--
	l.A[p.jn]++
	l.A[p.ii] -= d.loss.ohms
	l.A[other.ii] += d.z0
	l.A[other.ij] += d.z0
}

// intervalDC bounds the equations of loadDC.
func (d *transmissionLine) intervalDC(l *IntervalLoad) {
	p, other := &d.ports[0], &d.ports[1]
	one, z0 := interval.WidePoint(1), interval.WidePoint(d.z0)
	l.short(p.p, p.n, p.i)
	l.linear(p.i, 0, other.p, other.n, one.Neg())
	l.linear(p.i, 0, p.i, 0, interval.WidePoint(-d.loss.ohms))
	l.linear(other.p, other.n, other.i, 0, one)
	l.linear(other.i, 0, p.i, 0, z0)
	l.linear(other.i, 0, other.i, 0, z0)
}

// propagation returns z0·Y0 and H at an angular frequency [rad/s].
func (d *transmissionLine) propagation(omega float64) (admittance, transfer complex128) {
	if d.loss == nil {
		return 1, cmplx.Rect(1, -omega*d.td)
	}
	s := complex(0, omega)
	return cmplx.Sqrt(s / (s + complex(2*d.loss.alpha, 0))),
		cmplx.Exp(-cmplx.Sqrt(s*(s+complex(2*d.loss.alpha, 0))) * complex(d.td, 0))
}
