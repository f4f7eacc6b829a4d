package device

import (
	"math"

	"slipstick/spice/diag"
)

// lineLoss holds the series resistance and the shunt conductance of a transmission line. The card
// is Oname port1+ port1- port2+ port2- model, where the model is of type ltra with R, L, G, C and
// LEN. The waves are v + z0·i, as in the lossless line. The equation of port 1 is Y0·v1 - i1 =
// H·(Y0·v2 + i2), and that of port 2 is its mirror image. low is the smaller of R/L and G/C, alpha
// is half the magnitude of their difference, and p = s + low [1/s]. For the delay td and R/L above
// G/C,
//
//	Y0(s)·z0 = sqrt(p/(p + 2·alpha)) = 1 - ∫ sqrt(x/(2·alpha - x))/pi/(p + x) dx
//	H(s)     = exp(-sqrt(p·(p + 2·alpha))·td)
//	         = e^(-p·td)·(e^(-alpha·td) + ∫ e^(-x·td)·sin(td·sqrt(x·(2·alpha - x)))/pi/(p + x) dx)
//
// with x from 0 to 2·alpha, the only branch cut of both functions. J. S. Roychowdhury, A. R. Newton
// and D. O. Pederson (Algorithms for the transient simulation of lossy interconnect, IEEE Trans.
// CAD-13, 1994) give the same functions in the time domain. For G/C above R/L the first function is
// 1/(Y0·z0), and the port equation is v1 - i1/Y0 = H·(v2 + i2/Y0).
//
// The trapezoidal rule in u = ln(x/(2·alpha - x)) replaces each integral by a sum, whose error
// decreases exponentially with the number of terms. See Trefethen and Weideman, SIAM Review 56,
// 2014. Each term is one state with truncation error control.
type lineLoss struct {
	ohms, siemens float64 // of the whole line: resistance [ohm], conductance [S]
	alpha, low    float64 // half difference and minimum of R/L and G/C [1/s]
	shunt         bool    // G/C > R/L: the sum approximates 1/(z0·Y0) instead of z0·Y0
	front         float64 // e^(-(low + alpha)·td)
	// poles [1/s] are the poles of the sums. admittance and transfer are the weights [1/s] of z0·Y0
	// and H.
	poles, admittance, transfer []float64
	// inputs and waves are the states input/(s + pole) and wave/(s + pole) of each port [V·s]. The
	// input is the voltage, or z0 times the current if shunt is set.
	inputs, waves [2][]int
	slow          [2]float64 // sum of admittance·input/(s + pole) [V] at the last Update, by port
}

// These are the limits and the step of the sums.
const (
	maxLineLoss = 20.0 // largest alpha·td, where R of the line is 40·z0 or G is 40/z0
	lossStep    = 0.5  // step of u
	lossHigh    = 16.0 // last u, where x is 2·alpha·(1 - 1e-7)
	lossLow     = 1e-5 // product of the smallest pole and the duration
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
	name := m.e.Model.Name
	switch {
	case m.err != nil:
		return d
	case !(length > 0):
		m.fail(diag.MissingValue, "model %s needs len above 0", name)
		return d
	case r == 0 && l == 0:
		m.fail(diag.BadValue, "model %s has neither r nor l, so both ports are one node; use a capacitor and a resistor across it instead of the line", name)
		return d
	case g == 0 && c == 0:
		m.fail(diag.BadValue, "model %s has neither c nor g, so the line is a series element; use a resistor of r·len and an inductor of l·len instead", name)
		return d
	case l == 0:
		return newRCLine(m, r*length, g*length, c*length)
	case c == 0:
		m.fail(diag.NotAvailable, "not yet supported: model %s with l and g but without c; give the line its c, or use sections of inductors and resistors", name)
		return d
	}
	d.z0, d.td = math.Sqrt(l/c), length*math.Sqrt(l*c)
	if !(d.td > 0) || d.td > 1e9 || !(d.z0 > 0) || d.z0 > 1e9 {
		m.fail(diag.BadValue, "model %s: the delay len·sqrt(l·c) and the impedance sqrt(l/c) must be above 0 and at most 1e9, not %g s and %g ohm", name, d.td, d.z0)
		return d
	}
	if r == 0 && g == 0 {
		return d
	}
	loss := &lineLoss{ohms: r * length, siemens: g * length, alpha: math.Abs(r/l-g/c) / 2,
		low: min(r/l, g/c), shunt: g/c > r/l}
	loss.front = math.Exp(-(loss.low + loss.alpha) * d.td)
	switch above := loss.alpha*d.td > maxLineLoss; {
	case above && loss.shunt:
		m.fail(diag.NotAvailable, "not yet supported: the conductance %g S of %s is more than %g times that of its impedance, %g ohm; use sections of inductors and resistors",
			loss.siemens, m.e.Name, 2*maxLineLoss, d.z0)
		return d
	case above:
		m.fail(diag.NotAvailable, "not yet supported: the resistance %g ohm of %s is more than %g times its impedance %g ohm; without l the line is computed as one of r, g and c",
			loss.ohms, m.e.Name, 2*maxLineLoss, d.z0)
		return d
	}
	if loss.alpha > 0 && m.tran.Run {
		loss.sum(d.td, m.tran.Stop)
	}
	d.loss = loss
	return d
}

// sum selects the poles for a delay td and a duration stop [s]. The weights are scaled to make both
// functions exact at s = 0.
func (q *lineLoss) sum(td, stop float64) {
	low := math.Max(lossLow/(stop*2*q.alpha), 1e-30)
	first := math.Log(low)
	count := max(1, min(int((lossHigh-first)/lossStep)+1, maxPoles))
	step := (lossHigh - first) / float64(count)
	fixed := math.Exp(-q.low * td)
	var atZero, passed float64
	for k := range count + 1 {
		u := first + float64(k)*step
		part := 1 / (1 + math.Exp(-u)) // fraction of 2·alpha
		rest := 1 / (1 + math.Exp(u))
		x, dx := 2*q.alpha*part, step/math.Pi*2*q.alpha*part*rest
		a := dx * math.Sqrt(part/rest)
		b := fixed * dx * math.Exp(-x*td) * math.Sin(2*q.alpha*td*math.Sqrt(part*rest))
		q.poles, q.admittance, q.transfer = append(q.poles, x+q.low), append(q.admittance, a),
			append(q.transfer, b)
		atZero, passed = atZero+a/(x+q.low), passed+b/(x+q.low)
	}
	root := math.Sqrt(q.low * (q.low + 2*q.alpha))
	scaleTo(q.admittance, atZero, 1-math.Sqrt(q.low/(q.low+2*q.alpha)))
	scaleTo(q.transfer, passed,
		q.front*math.Expm1(td*q.alpha*q.alpha/(q.low+q.alpha+root)))
}

// scaleTo multiplies weights by wanted/sum. If wanted is at most 1e-12 or the factor is not between
// 0.5 and 2, rounding errors dominate the ratio. It then leaves them unchanged.
func scaleTo(weights []float64, sum, wanted float64) {
	if f := wanted / sum; wanted > 1e-12 && f > 0.5 && f < 2 {
		for k := range weights {
			weights[k] *= f
		}
	}
}

// setup reserves the states.
func (q *lineLoss) setup(s *Setup) {
	for port := range 2 {
		for range q.poles {
			q.inputs[port] = append(q.inputs[port], s.Charge())
			q.waves[port] = append(q.waves[port], s.Charge())
		}
	}
}

// slopes returns the factors of the voltage and of the current [ohm] in the port equation. a0 [1/s]
// is the coefficient of the integration formula and z0 [ohm] the impedance.
func (q *lineLoss) slopes(a0, z0 float64) (volts, amperes float64) {
	c := 1.0
	for k, x := range q.poles {
		c -= q.admittance[k] / (a0 + x)
	}
	if q.shunt {
		return 1, c * z0
	}
	return c, z0
}

// rhs returns the right-hand side of a port equation [V]: the arriving wave and the contribution of
// previous time points. late is the wave that left the other port one delay ago.
func (q *lineLoss) rhs(l *Load, port int, late float64) float64 {
	sign := -1.0
	if q.shunt {
		sign = 1
	}
	b := q.front * late
	for k, x := range q.poles {
		b += (q.transfer[k]*(late-l.history(q.waves[port][k])) +
			sign*q.admittance[k]*l.history(q.inputs[port][k])) / (l.A0 + x)
	}
	return b
}

// store writes the state x that satisfies x' = input - pole·x, and returns it.
func store(l *Load, at int, input, pole float64) float64 {
	past := l.history(at)
	x := (input - past) / (l.A0 + pole)
	l.State[at], l.State[at+1] = x, l.A0*x+past
	return x
}

// updatePort writes the states of a port's input. volts is the port voltage [V], and current is
// z0·i [V].
func (q *lineLoss) updatePort(l *Load, port int, volts, current float64) {
	input := volts
	if q.shunt {
		input = current
	}
	q.slow[port] = 0
	for k, x := range q.poles {
		q.slow[port] += q.admittance[k] * store(l, q.inputs[port][k], input, x)
	}
}

// updateWave writes the states of the wave late [V] that arrives at a port.
func (q *lineLoss) updateWave(l *Load, port int, late float64) {
	for k, x := range q.poles {
		store(l, q.waves[port][k], late, x)
	}
}

// clear sets the states to 0.
func (q *lineLoss) clear(l *Load) {
	q.slow = [2]float64{}
	for port := range 2 {
		for k := range q.poles {
			for _, at := range [2]int{q.inputs[port][k], q.waves[port][k]} {
				l.State[at], l.State[at+1] = 0, 0
			}
		}
	}
}
