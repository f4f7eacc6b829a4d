package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// capacitor implements Cname a b farads [ic=volts m= tc1= tc2=]. Negative values are allowed.
type capacitor struct {
	e           *netlist.Element
	a, b        int
	ends        [1][2]int // a and b
	nominal     float64   // capacitance [F] at the nominal temperature
	farads      float64   // capacitance [F] at the circuit temperature
	tempco      tempco
	ic          float64 // initial voltage [V] of a run with uic
	icSet       bool
	chargeState int // index of the charge in the state vector
	y           pair
}

func newCapacitor(m *cardReader) Device {
	c := &capacitor{e: m.e}
	c.farads = m.value("c", "a capacitance in farads")
	c.ic, c.icSet = m.param("ic", 0)
	c.farads *= m.parallel()
	c.tempco = m.tempco()
	m.rejectExtraArgs(1, "c", "ic", "m", "tc", "tc1", "tc2")
	if math.Abs(c.farads) > 1e12 {
		m.fail(diag.BadValue, "%s: a capacitance of %g F is out of range (-1e12 to 1e12)",
			m.e.Name, c.farads)
	}
	c.nominal = c.farads
	return c
}

func (c *capacitor) Element() *netlist.Element { return c.e }
func (c *capacitor) Nonlinear() bool           { return false }
func (c *capacitor) Temperature(e Env)         { c.farads = c.nominal * c.tempco.factor(e) }

func (c *capacitor) Setup(s *Setup) {
	c.a, c.b = s.Node(c.e.Nodes[0]), s.Node(c.e.Nodes[1])
	c.ends[0] = [2]int{c.a, c.b}
	c.y = newPair(s.Pattern, c.a, c.b)
	c.chargeState = s.Charge()
}

func (c *capacitor) Terminals() Terminals {
	t := Terminals{Couples: c.ends[:]}
	if c.farads != 0 {
		t.Stores = t.Couples
	}
	return t
}

func (c *capacitor) Load(l *Load) {
	c.y.add(l.A, l.A0*c.farads)
	c.LoadRHS(l)
}

func (c *capacitor) LoadRHS(l *Load) {
	i := l.history(c.chargeState)
	if c.a != 0 {
		l.B[c.a] -= i
	}
	if c.b != 0 {
		l.B[c.b] += i
	}
}

func (c *capacitor) Update(l *Load) {
	l.Charge(c.chargeState, c.farads*(l.X[c.a]-l.X[c.b]), c.farads)
}

func (c *capacitor) Roundoff(x []float64) (state int, coulombs float64) {
	return c.chargeState, math.Abs(c.farads) * max(math.Abs(x[c.a]), math.Abs(x[c.b]))
}

func (c *capacitor) Initial(l *Load) {
	v := l.X[c.a] - l.X[c.b]
	if c.icSet {
		v = c.ic
	}
	l.State[c.chargeState], l.State[c.chargeState+1] = c.farads*v, 0
}

func (c *capacitor) LoadAC(l *ACLoad) { c.y.addAC(l.A, complex(0, l.Omega*c.farads)) }

// capacitors groups all capacitors of a circuit into one ChargeStorage.
type capacitors []*capacitor

func (g capacitors) Load(l *Load) {
	for _, c := range g {
		c.Load(l)
	}
}

func (g capacitors) LoadRHS(l *Load) {
	for _, c := range g {
		c.LoadRHS(l)
	}
}

func (g capacitors) Update(l *Load) {
	for _, c := range g {
		c.Update(l)
	}
}

func (g capacitors) Initial(l *Load) {
	for _, c := range g {
		c.Initial(l)
	}
}
