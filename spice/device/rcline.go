package device

import (
	"math"
	"math/cmplx"

	"slipstick/spice/diag"
	"slipstick/spice/interval"
	"slipstick/spice/netlist"
)

// rcLine is a transmission line without inductance: a series resistance with shunt capacitance,
// shunt conductance or both. The even mode has equal currents into both ports, and the odd mode
// opposite ones. With x² = ohms·(siemens + s·farads) for the whole line, their equations are
//
//	v1 + v2 = ohms·coth(x/2)/x·(i1 + i2)   coth(x/2)/x = 2/x² + sum of 4/(x² + (2·n·pi)²)
//	v1 - v2 = ohms·tanh(x/2)/x·(i1 - i2)   tanh(x/2)/x = sum of 4/(x² + ((2·n - 1)·pi)²)
//
// with n from 1. This is Foster's form, whose poles are real. Each pole is one state with
// truncation error control. From pole number firstGroup on, Gauss quadrature for the discrete
// Chebyshev weight replaces each group of adjacent poles with three poles. The largest relative
// impedance error is 4e-5. Poles too fast for the run act as a resistance.
type rcLine struct {
	e                     *netlist.Element
	ohms, siemens, farads float64 // values of the whole line [ohm], [S], [F]
	ports                 [2]port
	modes                 [2]fosterMode // even, odd
}

// fosterMode is the impedance rest + sum of weight/(s + pole) of a mode.
type fosterMode struct {
	poles, weights []float64 // poles [1/s], weights [ohm/s]
	rest           float64   // remainder [ohm]
	states         []int     // state indices of current/(s + pole) [A·s]
}

// These constants define the groups of poles and the fastest pole.
const (
	firstGroup   = 12  // number of the first pole in a group
	groupGrowth  = 0.3 // group size relative to the number of its first pole
	lastPole     = 1e8 // product of the fastest pole and the duration
	mostPoleRank = 1e8
)

func (m *fosterMode) add(pole, weight float64) {
	m.poles, m.weights = append(m.poles, pole), append(m.weights, weight)
}

// fill adds the poles ((2·n - odd)·pi)²/(ohms·farads) + siemens/farads up to fastest [1/s]. odd is
// 1 for the odd mode and 0 for the even mode.
func (d *rcLine) fill(m *fosterMode, odd, fastest float64) {
	tau, shift := d.ohms*d.farads, d.siemens/d.farads
	add := func(n, count float64) {
		k := (2*n - odd) * math.Pi
		m.add(k*k/tau+shift, count*4/d.farads)
	}
	last := math.Min(math.Sqrt(fastest*tau)/(2*math.Pi), mostPoleRank)
	for n := 1.0; n <= firstGroup || n <= last; {
		count := math.Max(1, math.Floor(n*groupGrowth))
		if n < firstGroup {
			count = 1
		}
		if count <= 3 {
			for k := range int(count) {
				add(n+float64(k), 1)
			}
		} else {
			// The nodes and weights are exact for polynomials of degree 5 over the pole numbers of
			// the group.
			second := (count*count - 1) / 12
			fourth := second * (3*count*count - 7) / 20
			off := math.Sqrt(fourth / second)
			outer := count * second / (2 * off * off)
			middle := n + (count-1)/2
			add(middle-off, outer)
			add(middle, count-2*outer)
			add(middle+off, outer)
		}
		n += count
	}
}

// newRCLine returns a line without inductance from the resistance [ohm], conductance [S] and
// capacitance [F] of the whole line.
func newRCLine(m *cardReader, ohms, siemens, farads float64) Device {
	d := &rcLine{e: m.e, ohms: ohms, siemens: siemens, farads: farads}
	tau, attenuation := ohms*farads, math.Sqrt(ohms*siemens)
	if !(tau <= 1e9) || !(attenuation <= 300) || ohms < 1e-9 || ohms > 1e15 ||
		farads > 0 && tau < 1e-25 {
		m.fail(diag.BadValue, "model %s: of the whole line, the resistance must be 1e-9 to 1e15 ohm, its product with the capacitance 1e-25 to 1e9 s and with the conductance at most 9e4, not %g ohm, %g s and %g",
			m.e.Model.Name, ohms, tau, ohms*siemens)
		return d
	}
	if farads == 0 || !m.tran.Run {
		return d
	}
	even, odd := &d.modes[0], &d.modes[1]
	even.add(siemens/farads, 2/farads)
	d.fill(even, 0, lastPole/m.tran.Stop)
	d.fill(odd, 1, lastPole/m.tran.Stop)
	// The remainder makes the sums exact at DC. In the even mode it excludes the pole of 2/x².
	even.rest, odd.rest = ohms*evenRest(attenuation), ohms*oddAtDC(attenuation)
	for k, p := range even.poles[1:] {
		even.rest -= even.weights[k+1] / p
	}
	for k, p := range odd.poles {
		odd.rest -= odd.weights[k] / p
	}
	return d
}

// evenRest returns coth(x/2)/x - 2/x².
func evenRest(x float64) float64 {
	if x < 0.05 {
		return (1 - x*x/60) / 6 // the next term of the series is below 1e-9
	}
	return (1/math.Tanh(x/2) - 2/x) / x
}

// oddAtDC returns tanh(x/2)/x.
func oddAtDC(x float64) float64 {
	if x < 1e-6 {
		return 0.5
	}
	return math.Tanh(x/2) / x
}

func (d *rcLine) Element() *netlist.Element { return d.e }
func (d *rcLine) Nonlinear() bool           { return false }
func (d *rcLine) Temperature(Env)           {}

func (d *rcLine) Setup(s *Setup) {
	d.ports = newPorts(s, d.e)
	for k := range d.modes {
		m := &d.modes[k]
		for range m.poles {
			m.states = append(m.states, s.Charge())
		}
	}
}

// Terminals reports the series resistance, and the conductance and the capacitance of the ports.
func (d *rcLine) Terminals() Terminals {
	a, b := &d.ports[0], &d.ports[1]
	t := Terminals{Conducts: [][2]int{{a.p, b.p}, {a.n, b.n}}}
	across := [][2]int{{a.p, a.n}, {b.p, b.n}}
	if d.siemens > 0 {
		t.Conducts = append(t.Conducts, across...)
	}
	if d.farads > 0 {
		t.Couples, t.Stores = across, across
	}
	return t
}

// addModes adds the equations a·(v1 + v2) = b·(i1 + i2) and v1 - v2 = c·(i1 - i2).
func addModes[T float64 | complex128](ports *[2]port, m []T, a, b, c T) {
	p, q := &ports[0], &ports[1]
	m[p.ip] += a
	m[p.in] -= a
	m[p.jp] += a
	m[p.jn] -= a
	m[p.ii] -= b
	m[p.ij] -= b
	m[q.jp]++
	m[q.jn]--
	m[q.ip]--
	m[q.in]++
	m[q.ij] -= c
	m[q.ii] += c
}

// addWaves adds the equation v1 - z·i1 = h·(v2 + z·i2) and the same equation with the ports
// exchanged.
func addWaves[T float64 | complex128](ports *[2]port, m []T, z, h T) {
	for k := range ports {
		p := &ports[k]
		m[p.ip]++
		m[p.in]--
		m[p.ii] -= z
		m[p.jp] -= h
		m[p.jn] += h
		m[p.ij] -= h * z
	}
}

// addAtDC adds the equations of a line with a series resistance [ohm] and a shunt conductance [S].
// The wave form is more accurate at high attenuation, the mode form at low attenuation. scale [ohm]
// multiplies the even-mode equation.
func addAtDC(ports *[2]port, m []float64, ohms, siemens, scale float64) {
	x := math.Sqrt(ohms * siemens)
	if x > 1 {
		addWaves(ports, m, math.Sqrt(ohms/siemens), math.Exp(-x))
		return
	}
	t := oddAtDC(x)
	addModes(ports, m, scale*siemens*t, scale, ohms*t)
}

// addAC adds the equations of a line with series impedance [ohm] and shunt admittance [S].
func addAC(ports *[2]port, m []complex128, impedance, admittance complex128) {
	x := cmplx.Sqrt(impedance) * cmplx.Sqrt(admittance)
	z := cmplx.Sqrt(impedance) / cmplx.Sqrt(admittance)
	if cmplx.Abs(x) > 1 {
		addWaves(ports, m, z, cmplx.Exp(-x))
		return
	}
	t := cmplx.Tanh(x / 2)
	addModes(ports, m, t, z, z*t)
}

func (d *rcLine) addPorts(m []float64) {
	for k := range d.ports {
		m[d.ports[k].pi]++
		m[d.ports[k].ni]--
	}
}

// Load adds the equations of the modes, or those of addAtDC at DC.
func (d *rcLine) Load(l *Load) {
	d.addPorts(l.A)
	if l.A0 == 0 || d.farads == 0 {
		addAtDC(&d.ports, l.A, d.ohms, d.siemens, d.ohms)
		return
	}
	addModes(&d.ports, l.A, 1, d.modes[0].impedance(l.A0), d.modes[1].impedance(l.A0))
	d.LoadRHS(l)
}

// impedance returns the impedance [ohm] of the mode at the integration coefficient a0 [1/s],
// without the contribution of previous time points.
func (m *fosterMode) impedance(a0 float64) float64 {
	z := m.rest
	for k, p := range m.poles {
		z += m.weights[k] / (a0 + p)
	}
	return z
}

// LoadRHS adds the mode voltages caused by previous time points.
func (d *rcLine) LoadRHS(l *Load) {
	if l.A0 == 0 || d.farads == 0 {
		return
	}
	for k := range d.modes {
		m := &d.modes[k]
		for n, p := range m.poles {
			l.B[d.ports[k].i] -= m.weights[n] * l.history(m.states[n]) / (l.A0 + p)
		}
	}
}

// Update writes the states, which satisfy x' = current - pole·x. At DC the first state of the even
// mode follows from the voltage, because a line without conductance carries no even-mode current.
func (d *rcLine) Update(l *Load) {
	a, b := &d.ports[0], &d.ports[1]
	v1, v2 := l.X[a.p]-l.X[a.n], l.X[b.p]-l.X[b.n]
	for k, current := range [2]float64{l.X[a.i] + l.X[b.i], l.X[a.i] - l.X[b.i]} {
		m := &d.modes[k]
		rest := v1 + v2 - m.rest*current
		for n := len(m.poles) - 1; n >= 0; n-- {
			at := m.states[n]
			past := l.history(at)
			x := (current - past) / (l.A0 + m.poles[n])
			if l.A0 == 0 && k == 0 && n == 0 {
				x = rest / m.weights[0]
			}
			rest -= m.weights[n] * x
			l.State[at], l.State[at+1] = x, l.A0*x+past
		}
	}
}

// Initial discharges the line for a run with uic.
func (d *rcLine) Initial(l *Load) {
	for k := range d.modes {
		for _, at := range d.modes[k].states {
			l.State[at], l.State[at+1] = 0, 0
		}
	}
}

func (d *rcLine) LoadAC(l *ACLoad) {
	for k := range d.ports {
		l.A[d.ports[k].pi]++
		l.A[d.ports[k].ni]--
	}
	addAC(&d.ports, l.A, complex(d.ohms, 0), complex(d.siemens, l.Omega*d.farads))
}

// InfinitePoles reports whether the transfer function is not rational.
func (d *rcLine) InfinitePoles() bool { return d.farads > 0 }

// IntervalUnsupported rejects a line with shunt conductance.
func (d *rcLine) IntervalUnsupported() string { return shuntUnsupported(d.siemens) }

func shuntUnsupported(siemens float64) string {
	if siemens > 0 {
		return "has a shunt conductance g, which cannot be certified"
	}
	return ""
}

// LoadInterval bounds the equations at DC.
func (d *rcLine) LoadInterval(l *IntervalLoad) {
	intervalSeries(l, &d.ports, d.ohms, d.ohms)
}

// intervalSeries bounds the equations of addAtDC without shunt conductance. scale [ohm] multiplies
// the even-mode equation.
func intervalSeries(l *IntervalLoad, ports *[2]port, ohms, scale float64) {
	p, q := &ports[0], &ports[1]
	one, z, half := interval.WidePoint(1), interval.WidePoint(-scale), interval.WidePoint(ohms/2)
	l.linear(p.p, p.n, p.i, 0, one)
	l.linear(q.p, q.n, q.i, 0, one)
	l.linear(p.i, 0, p.i, 0, z)
	l.linear(p.i, 0, q.i, 0, z)
	l.linear(q.i, 0, p.p, p.n, one)
	l.linear(q.i, 0, q.p, q.n, one.Neg())
	l.linear(q.i, 0, p.i, 0, half.Neg())
	l.linear(q.i, 0, q.i, 0, half)
}

// Report returns the voltage and the current of the first port.
func (d *rcLine) Report(l *Load) (string, []Quantity) { return "", d.ports[0].report(l) }
