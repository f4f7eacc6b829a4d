package device

import (
	"math"
	"math/cmplx"

	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// voltageSource implements Vname + - [dc] [ac] [waveform]. Its current is an unknown and flows from
// + through the source to -.
type voltageSource struct {
	e              *netlist.Element
	p, n, i        int
	src            source
	pi, ni, ip, in mna.Slot
}

func newVoltageSource(m *cardReader) Device {
	return &voltageSource{e: m.e, src: m.source()}
}

func (d *voltageSource) Element() *netlist.Element { return d.e }
func (d *voltageSource) Nonlinear() bool           { return false }
func (d *voltageSource) Temperature(Env)           {}

func (d *voltageSource) Setup(s *Setup) {
	d.p, d.n = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1])
	d.i = s.Branch(d.e)
	d.pi, d.ni = s.Pattern.Slot(d.p, d.i), s.Pattern.Slot(d.n, d.i)
	d.ip, d.in = s.Pattern.Slot(d.i, d.p), s.Pattern.Slot(d.i, d.n)
}

func (d *voltageSource) Terminals() Terminals { return Terminals{Fixes: &[2]int{d.p, d.n}} }

func (d *voltageSource) Load(l *Load) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ip]++
	l.A[d.in]--
	d.LoadRHS(l)
}

func (d *voltageSource) LoadRHS(l *Load) { l.B[d.i] += l.SourceScale * d.src.at(l) }

func (d *voltageSource) LoadAC(l *ACLoad) {
	l.A[d.pi]++
	l.A[d.ni]--
	l.A[d.ip]++
	l.A[d.in]--
	l.B[d.i] += cmplx.Rect(d.src.mag, d.src.phase*math.Pi/180)
}

func (d *voltageSource) At(t float64) float64 {
	return d.src.at(&Load{Transient: true, Time: t})
}
func (d *voltageSource) NextBreak(t float64) float64 { return d.src.nextBreak(t) }
func (d *voltageSource) MaxStep() float64            { return d.src.maxStep() }
func (d *voltageSource) Value() float64              { return d.src.dcValue() }
func (d *voltageSource) SetValue(v float64)          { d.src.dc, d.src.dcSet = v, true }

// Report returns the current into the positive terminal and the dissipated power. Both are negative
// for a source that supplies power.
func (d *voltageSource) Report(l *Load) (string, []Quantity) {
	v, i := l.X[d.p]-l.X[d.n], l.X[d.i]
	return "", []Quantity{{"v", "V", v}, {"i", "A", i}, {"power_w", "W", v * i}}
}

// UnitExcitation returns the right-hand side for 1 V, an entry in the branch row.
func (d *voltageSource) UnitExcitation() []RHSEntry { return []RHSEntry{{d.i, 1}} }
