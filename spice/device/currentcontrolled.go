package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/interval"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// cccs implements Fname + - source gain, a current-controlled current source. The current from +
// through the element to - is gain times the current of the source.
type cccs struct {
	e       *netlist.Element
	p, n, c int
	gain    float64
	pc, nc  mna.Slot
}

// ccvs implements Hname + - source ohms, a current-controlled voltage source. v(+,-) is ohms times
// the current of the source.
type ccvs struct {
	e              *netlist.Element
	p, n, i, c     int
	ohms           float64
	pi, ni, ip, in mna.Slot
	ic             mna.Slot
}

func newCCCS(m *cardReader) Device { return &cccs{e: m.e, gain: m.gain("current gain")} }
func newCCVS(m *cardReader) Device { return &ccvs{e: m.e, ohms: m.gain("transresistance in ohms")} }

func (d *cccs) Element() *netlist.Element { return d.e }
func (d *cccs) Nonlinear() bool           { return false }
func (d *cccs) Temperature(Env)           {}

func (d *cccs) Setup(s *Setup) { d.p, d.n = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1]) }

// Link finds the unknown of the controlling current.
func (d *cccs) Link(s *Setup) (err error) {
	d.c, err = s.current(d.e, d.e.Refs[0])
	d.pc, d.nc = s.Pattern.Slot(d.p, d.c), s.Pattern.Slot(d.n, d.c)
	return err
}

func (d *cccs) Terminals() Terminals { return Terminals{Injects: &[2]int{d.p, d.n}} }

func (d *cccs) Load(l *Load) {
	l.A[d.pc] += d.gain
	l.A[d.nc] -= d.gain
}

func (d *cccs) LoadAC(l *ACLoad) {
	l.A[d.pc] += complex(d.gain, 0)
	l.A[d.nc] -= complex(d.gain, 0)
}

func (d *cccs) LoadInterval(l *IntervalLoad) {
	l.linear(d.p, d.n, d.c, 0, interval.WidePoint(d.gain))
}

func (d *ccvs) Element() *netlist.Element { return d.e }
func (d *ccvs) Nonlinear() bool           { return false }
func (d *ccvs) Temperature(Env)           {}

func (d *ccvs) Setup(s *Setup) {
	d.p, d.n = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1])
	d.i = s.Branch(d.e)
	p := s.Pattern
	d.pi, d.ni, d.ip, d.in = p.Slot(d.p, d.i), p.Slot(d.n, d.i), p.Slot(d.i, d.p), p.Slot(d.i, d.n)
}

// Link finds the unknown of the controlling current.
func (d *ccvs) Link(s *Setup) (err error) {
	d.c, err = s.current(d.e, d.e.Refs[0])
	d.ic = s.Pattern.Slot(d.i, d.c)
	return err
}

func (d *ccvs) Terminals() Terminals { return Terminals{Fixes: &[2]int{d.p, d.n}} }

func (d *ccvs) Load(l *Load) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ip]++
	l.A[d.in]--
	l.A[d.ic] -= d.ohms
}

func (d *ccvs) LoadAC(l *ACLoad) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ip]++
	l.A[d.in]--
	l.A[d.ic] -= complex(d.ohms, 0)
}

func (d *ccvs) LoadInterval(l *IntervalLoad) {
	l.short(d.p, d.n, d.i)
	l.linear(d.i, 0, d.c, 0, interval.WidePoint(-d.ohms))
}

// current returns the index of the unknown for the current of the element called name. The error
// refers to the element user.
func (s *Setup) current(user *netlist.Element, name string) (int, error) {
	for i, u := range s.Unknowns {
		if u.Branch && u.Name == name {
			return i, nil
		}
	}
	return 0, diag.On(diag.UnknownSource, user.Line, user.Name,
		"%s uses the current of %s, which is no element of the circuit with two terminals; "+
			"the current into a terminal of a transistor is ic(q1) or id(m1)", user.Name, name)
}

// gain reads the gain of a controlled source, which error messages call what. The gain of a current
// source is multiplied by m=.
func (m *cardReader) gain(what string) float64 {
	v := m.value("gain", "a "+what)
	if m.e.Kind == 'f' || m.e.Kind == 'g' {
		if n := m.parallel(); n != 1 {
			v *= n
			what += " times m="
		}
		m.rejectExtraArgs(1, "gain", "m")
	} else {
		m.rejectExtraArgs(1, "gain")
	}
	if math.Abs(v) > 1e15 {
		m.fail(diag.BadValue, "%s: the %s must be from -1e15 to 1e15, not %g", m.e.Name, what, v)
	}
	return v
}
