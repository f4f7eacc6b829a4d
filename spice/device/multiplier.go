package device

import (
	"slipstick/spice/interval"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// multiplier is a pin of a subcircuit with m=, connected between the outer and the inner node. Both
// nodes have the same voltage. The current out of the outer node is m times the current into the
// inner node, so one instance represents m parallel instances.
type multiplier struct {
	e                       *netlist.Element
	outer, inner, i         int
	mult                    float64
	outI, inI, iOut, iInner mna.Slot
}

func newMultiplier(m *cardReader) Device {
	return &multiplier{e: m.e, mult: m.value("m", "a number of instances")}
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

// LoadInterval adds both currents and the branch row.
func (d *multiplier) LoadInterval(l *IntervalLoad) {
	l.linear(d.outer, 0, d.i, 0, interval.WidePoint(d.mult))
	l.linear(d.inner, 0, d.i, 0, interval.WidePoint(-1))
	l.linear(d.i, 0, d.outer, d.inner, interval.WidePoint(1))
}
