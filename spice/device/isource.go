package device

import (
	"math"
	"math/cmplx"

	"slipstick/spice/netlist"
)

// currentSource implements Iname + - [dc] [ac] [waveform] [m=]. The current flows from + through
// the source to -. All values are multiplied by m=.
type currentSource struct {
	e    *netlist.Element
	p, n int
	src  source
}

func newCurrentSource(m *cardReader) Device {
	return &currentSource{e: m.e, src: m.source()}
}

func (d *currentSource) Element() *netlist.Element { return d.e }
func (d *currentSource) Nonlinear() bool           { return false }
func (d *currentSource) Temperature(Env)           {}

func (d *currentSource) Setup(s *Setup) {
	d.p, d.n = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1])
}

func (d *currentSource) Terminals() Terminals { return Terminals{Injects: &[2]int{d.p, d.n}} }

func (d *currentSource) Load(l *Load) { d.LoadRHS(l) }

func (d *currentSource) LoadRHS(l *Load) {
	i := l.SourceScale * d.src.at(l)
	l.B[d.p] -= i
	l.B[d.n] += i
}

func (d *currentSource) LoadAC(l *ACLoad) {
	i := cmplx.Rect(d.src.mag, d.src.phase*math.Pi/180)
	l.B[d.p] -= i
	l.B[d.n] += i
}

func (d *currentSource) At(t float64) float64 {
	return d.src.at(&Load{Transient: true, Time: t})
}
func (d *currentSource) NextBreak(t float64) float64 { return d.src.nextBreak(t) }
func (d *currentSource) MaxStep() float64            { return d.src.maxStep() }
func (d *currentSource) Value() float64              { return d.src.dcValue() }
func (d *currentSource) SetValue(v float64)          { d.src.dc, d.src.dcSet = v, true }

// UnitExcitation returns the right-hand side for 1 A from + through the source to -.
func (d *currentSource) UnitExcitation() []RHSEntry { return []RHSEntry{{d.p, -1}, {d.n, 1}} }
