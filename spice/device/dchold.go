package device

import (
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// dcHold fixes the voltage between two nodes at DC and is an open circuit otherwise. It sets the
// initial value of the integral in idt(). No netlist line creates this device directly.
type dcHold struct {
	e              *netlist.Element
	volts          float64
	a, b, i        int
	ai, bi, ia, ib mna.Slot
	ii             mna.Slot
}

func newDCHold(m *cardReader) Device {
	return &dcHold{e: m.e, volts: m.value("dc", "a voltage")}
}

func (d *dcHold) Element() *netlist.Element { return d.e }
func (d *dcHold) Nonlinear() bool           { return false }
func (d *dcHold) Temperature(Env)           {}

func (d *dcHold) Setup(s *Setup) {
	d.a, d.b, d.i = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1]), s.Branch(d.e)
	p := s.Pattern
	d.ai, d.bi, d.ia, d.ib, d.ii = p.Slot(d.a, d.i), p.Slot(d.b, d.i), p.Slot(d.i, d.a),
		p.Slot(d.i, d.b), p.Slot(d.i, d.i)
}

func (d *dcHold) Terminals() Terminals { return Terminals{Fixes: &[2]int{d.a, d.b}} }

// Load adds the equation v = volts at DC and i = 0 otherwise.
func (d *dcHold) Load(l *Load) {
	l.A[d.ai]++
	l.A[d.bi]--
	if l.A0 != 0 {
		l.A[d.ii]++
		return
	}
	l.A[d.ia]++
	l.A[d.ib]--
	d.LoadRHS(l)
}

func (d *dcHold) LoadRHS(l *Load) {
	if l.A0 == 0 {
		l.B[d.i] += d.volts
	}
}

func (d *dcHold) LoadAC(l *ACLoad) {
	l.A[d.ai]++
	l.A[d.bi]--
	l.A[d.ii]++
}
