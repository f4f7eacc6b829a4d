package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// minOhms replaces 0 ohm to keep the conductance finite, as in ngspice.
const minOhms = 1e-3

// resistor implements Rname a b ohms [ac= m= noisy= tc1= tc2= tce= scale=]. Negative values are
// allowed.
type resistor struct {
	e         *netlist.Element
	a, b      int
	ends      [1][2]int // a and b
	ohms      float64
	acOhms    float64 // resistance [ohm] in .ac if acSet
	acSet     bool
	mult      float64 // number of resistors in parallel
	tempco    tempco
	factor    float64 // temperature factor
	deltaT    float64 // difference from the nominal temperature [K]
	y         pair
	noiseless bool // noisy=0 disables the thermal noise
}

func newResistor(m *cardReader) Device {
	r := &resistor{e: m.e, factor: 1}
	r.ohms = m.value("r", "a resistance in ohms")
	r.tempco = m.tempco()
	r.tempco.tce, r.tempco.exponential = m.param("tce", 0)
	r.mult = m.parallel()
	r.acOhms, r.acSet = m.param("ac", 0)
	if scale, ok := m.param("scale", 1); ok {
		r.ohms, r.acOhms = scale*r.ohms, scale*r.acOhms
	}
	if noisy, given := m.param("noisy", 1); given {
		r.noiseless = noisy == 0
	}
	m.rejectExtraArgs(1, "r", "ac", "m", "noisy", "scale", "tc", "tc1", "tc2",
		"tce")
	for _, v := range [...]float64{r.ohms, r.acOhms} {
		if math.Abs(v) > 1e30 || v != 0 && math.Abs(v) < 1e-15 {
			m.fail(diag.BadValue, "%s: a resistance of %g ohm is out of range (1e-15 to 1e30)",
				m.e.Name, v)
		}
	}
	if r.ohms == 0 {
		m.warn(m.e.Line, "%s has 0 ohm; %g ohm is used", m.e.Name, minOhms)
	}
	if r.acSet && r.acOhms == 0 {
		m.warn(m.e.Line, "%s has ac=0; %g ohm is used", m.e.Name, minOhms)
	}
	return r
}

func (r *resistor) Element() *netlist.Element { return r.e }
func (r *resistor) Nonlinear() bool           { return false }

func (r *resistor) Setup(s *Setup) {
	r.a, r.b = s.Node(r.e.Nodes[0]), s.Node(r.e.Nodes[1])
	r.ends[0] = [2]int{r.a, r.b}
	r.y = newPair(s.Pattern, r.a, r.b)
}

func (r *resistor) Terminals() Terminals { return Terminals{Conducts: r.ends[:]} }

func (r *resistor) Temperature(e Env) {
	r.deltaT = e.Temp - e.Tnom
	r.factor = r.tempco.factor(e)
}

// tempco describes the temperature dependence of R, C and L, 1 + tc1·dT + tc2·dT², where dT is
// relative to the nominal temperature. That of R with tce is 1.01^(tce·dT) (ngspice user's manual,
// 3.3; PSpice reference guide, resistor).
type tempco struct {
	tc1, tc2    float64 // units: [1/K], [1/K²]
	tce         float64 // [%/K]
	exponential bool    // tce is given
}

// exponentialBase is the base of the dependence by tce.
const exponentialBase = 1.01

// tempco reads tc1= (or tc=) and tc2=.
func (m *cardReader) tempco() (d tempco) {
	d.tc1, _ = m.param("tc1", 0)
	if v, ok := m.param("tc", 0); ok {
		d.tc1 = v
	}
	d.tc2, _ = m.param("tc2", 0)
	return d
}

func (d tempco) factor(e Env) float64 {
	dt := e.Temp - e.Tnom
	if d.exponential {
		// The bounds keep resistance and conductance finite.
		return min(max(math.Pow(exponentialBase, d.tce*dt), 1e-12), 1e12)
	}
	if f := 1 + dt*(d.tc1+dt*d.tc2); f != 0 {
		return f
	}
	return 1e-12
}

// conductance returns the total conductance [S] of the parallel resistors, each with the resistance
// ohms.
func (r *resistor) conductance(ohms float64) float64 {
	v := ohms * r.factor
	if ohms == 0 {
		v = minOhms
	}
	return r.mult / v
}

func (r *resistor) Load(l *Load) { r.y.add(l.A, r.conductance(r.ohms)) }

func (r *resistor) LoadAC(l *ACLoad) { r.y.addAC(l.A, complex(r.Conductance(true), 0)) }

// Conductance returns the total conductance [S] of all m= resistors. If ac is set, it uses the
// resistance of ac=, if given.
func (r *resistor) Conductance(ac bool) float64 {
	if ac && r.acSet {
		return r.conductance(r.acOhms)
	}
	return r.conductance(r.ohms)
}

func (r *resistor) Value() float64 { return r.ohms }

func (r *resistor) SetValue(v float64) { r.ohms = v }

// Report returns the voltage, the current from the first node to the second, and the power.
func (r *resistor) Report(l *Load) (string, []Quantity) {
	v := l.X[r.a] - l.X[r.b]
	i := v * r.conductance(r.ohms)
	return "", []Quantity{{"v", "V", v}, {"i", "A", i}, {"power_w", "W", v * i}}
}
