package device

import (
	"slipstick/spice/interval"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// multiplier stands at a pin of a subcircuit with m=, between the node outside and the one
// inside: both have one voltage, and the current that leaves the outer node is m times the one
// that enters the inner node. m identical instances in parallel are so computed as one.
type multiplier struct {
	e                       *netlist.Element
	outer, inner, i         int
	mult                    float64
	outI, inI, iOut, iInner mna.Slot
}

func newMultiplier(m *cardReader) Device {
	return &multiplier{e: m.e, mult: m.value("m", "number of instances")}
}

func (d *multiplier) Element() *netlist.Element { return d.e }
func (d *multiplier) Nonlinear() bool           { return false }
func (d *multiplier) Temperature(Env)           {}

func (d *multiplier) Setup(s *Setup) {
	d.outer, d.inner = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1])
	d.i = s.Branch(d.e)
	p := s.Pattern
	d.outI, d.inI = p.Slot(d.outer, d.i), p.Slot(d.inner, d.i)
	d.iOut, d.iInner = p.Slot(d.i, d.outer), p.Slot(d.i, d.inner)
}

func (d *multiplier) Terminals() Terminals { return Terminals{Fixes: &[2]int{d.outer, d.inner}} }

func (d *multiplier) Load(l *Load) {
	l.A[d.outI] += d.mult
	l.A[d.inI]--
	l.A[d.iOut]++
	l.A[d.iInner]--
}

func (d *multiplier) LoadAC(l *ACLoad) {
	l.A[d.outI] += complex(d.mult, 0)
	l.A[d.inI]--
	l.A[d.iOut]++
	l.A[d.iInner]--
}

// LoadInterval adds the two currents and the row of the voltages.
func (d *multiplier) LoadInterval(l *IntervalLoad) {
	l.linear(d.outer, 0, d.i, 0, interval.WidePoint(d.mult))
	l.linear(d.inner, 0, d.i, 0, interval.WidePoint(-1))
	l.linear(d.i, 0, d.outer, d.inner, interval.WidePoint(1))
}
