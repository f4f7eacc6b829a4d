package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// vcvs implements Ename + - control+ control- gain, a voltage-controlled voltage source with v(+,-)
// = gain·v(control+,control-).
type vcvs struct {
	e                      *netlist.Element
	p, n, cp, cn, i        int
	gain                   float64
	response               *netlist.FrequencyTable // frequency response; nil for a constant gain
	pi, ni, ip, in, ic, id mna.Slot
}

// vccs implements Gname + - control+ control- siemens, a voltage-controlled current source. The
// current siemens·v(control+,control-) flows from + through the source to -.
type vccs struct {
	e              *netlist.Element
	p, n, cp, cn   int
	gain           float64
	response       *netlist.FrequencyTable // frequency response; nil for a constant gain
	pc, pd, nc, nd mna.Slot
}

func newVCVS(m *cardReader) Device {
	if t := m.e.Frequency; t != nil {
		m.rejectFrequencyInTran()
		return &vcvs{e: m.e, gain: t.DC(), response: t}
	}
	if len(m.e.Args) > 0 && m.e.Args[0].Text == "opamp" {
		m.rejectExtraArgs(1)
		return &idealOpAmp{e: m.e}
	}
	return &vcvs{e: m.e, gain: m.gain("voltage gain")}
}

func newVCCS(m *cardReader) Device {
	if t := m.e.Frequency; t != nil {
		m.rejectFrequencyInTran()
		return &vccs{e: m.e, gain: t.DC(), response: t}
	}
	return &vccs{e: m.e, gain: m.gain("transconductance in siemens")}
}

// rejectFrequencyInTran reports an error if a transient analysis is requested, because a frequency
// table has no time-domain form.
func (m *cardReader) rejectFrequencyInTran() {
	if m.tran.Run {
		m.fail(diag.NotAvailable, "%s: freq is available in .op, .dc, .ac and .noise, not in .tran; use laplace with a rational function of s, such as laplace {v(in)} {1/(1+s*1m)}, and delay() for a delay", m.e.Name)
	}
}

// gainAt returns the value of response at the angular frequency omega [rad/s], or gain if response
// is nil.
func gainAt(gain float64, response *netlist.FrequencyTable, omega float64) complex128 {
	if response == nil {
		return complex(gain, 0)
	}
	return response.At(omega / (2 * math.Pi))
}

// InfinitePoles reports whether the gain is a frequency table, which is not a rational function of
// s.
func (d *vcvs) InfinitePoles() bool { return d.response != nil }

// InfinitePoles reports whether the gain is a frequency table, which is not a rational function of
// s.
func (d *vccs) InfinitePoles() bool { return d.response != nil }

func (d *vcvs) Element() *netlist.Element { return d.e }
func (d *vcvs) Nonlinear() bool           { return false }
func (d *vcvs) Temperature(Env)           {}

func (d *vcvs) Setup(s *Setup) {
	n := d.e.Nodes
	d.p, d.n, d.cp, d.cn = s.Node(n[0]), s.Node(n[1]), s.Node(n[2]), s.Node(n[3])
	d.i = s.Branch(d.e)
	p := s.Pattern
	d.pi, d.ni, d.ip, d.in = p.Slot(d.p, d.i), p.Slot(d.n, d.i), p.Slot(d.i, d.p), p.Slot(d.i, d.n)
	d.ic, d.id = p.Slot(d.i, d.cp), p.Slot(d.i, d.cn)
}

func (d *vcvs) Terminals() Terminals { return Terminals{Fixes: &[2]int{d.p, d.n}} }

func (d *vcvs) Load(l *Load) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ip]++
	l.A[d.in]--
	l.A[d.ic] -= d.gain
	l.A[d.id] += d.gain
}

func (d *vcvs) LoadAC(l *ACLoad) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ip]++
	l.A[d.in]--
	gain := gainAt(d.gain, d.response, l.Omega)
	l.A[d.ic] -= gain
	l.A[d.id] += gain
}

func (d *vccs) Element() *netlist.Element { return d.e }
func (d *vccs) Nonlinear() bool           { return false }
func (d *vccs) Temperature(Env)           {}

func (d *vccs) Setup(s *Setup) {
	n := d.e.Nodes
	d.p, d.n, d.cp, d.cn = s.Node(n[0]), s.Node(n[1]), s.Node(n[2]), s.Node(n[3])
	p := s.Pattern
	d.pc, d.pd, d.nc, d.nd = p.Slot(d.p, d.cp), p.Slot(d.p, d.cn), p.Slot(d.n, d.cp),
		p.Slot(d.n, d.cn)
}

// Terminals reports a transconductance controlled by the voltage across its output as a
// conductance.
func (d *vccs) Terminals() Terminals {
	if d.p == d.cp && d.n == d.cn || d.p == d.cn && d.n == d.cp {
		return Terminals{Conducts: [][2]int{{d.p, d.n}}}
	}
	return Terminals{Injects: &[2]int{d.p, d.n}}
}

func (d *vccs) Load(l *Load) {
	l.A[d.pc] += d.gain
	l.A[d.pd] -= d.gain
	l.A[d.nc] -= d.gain
	l.A[d.nd] += d.gain
}

func (d *vccs) LoadAC(l *ACLoad) {
	g := gainAt(d.gain, d.response, l.Omega)
	l.A[d.pc] += g
	l.A[d.pd] -= g
	l.A[d.nc] -= g
	l.A[d.nd] += g
}
