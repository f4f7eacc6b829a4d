package device

import (
	"slipstick/spice/interval"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// idealOpAmp implements Ename + - opamp in+ in-, the ideal operational amplifier of HSPICE. Its
// output has the voltage at which v(in+,in-) is 0.
type idealOpAmp struct {
	e               *netlist.Element
	p, n, cp, cn, i int
	pi, ni, ic, id  mna.Slot
}

func (d *idealOpAmp) Element() *netlist.Element { return d.e }
func (d *idealOpAmp) Nonlinear() bool           { return false }
func (d *idealOpAmp) Temperature(Env)           {}

func (d *idealOpAmp) Setup(s *Setup) {
	n := d.e.Nodes
	d.p, d.n, d.cp, d.cn = s.Node(n[0]), s.Node(n[1]), s.Node(n[2]), s.Node(n[3])
	d.i = s.Branch(d.e)
	p := s.Pattern
	d.pi, d.ni = p.Slot(d.p, d.i), p.Slot(d.n, d.i)
	d.ic, d.id = p.Slot(d.i, d.cp), p.Slot(d.i, d.cn)
}

func (d *idealOpAmp) Terminals() Terminals { return Terminals{Fixes: &[2]int{d.p, d.n}} }

func (d *idealOpAmp) Load(l *Load) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ic]++
	l.A[d.id]--
}

func (d *idealOpAmp) LoadAC(l *ACLoad) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ic]++
	l.A[d.id]--
}

func (d *idealOpAmp) LoadInterval(l *IntervalLoad) {
	one := interval.WidePoint(1)
	l.linear(d.p, d.n, d.i, 0, one)
	l.linear(d.i, 0, d.cp, d.cn, one)
}
