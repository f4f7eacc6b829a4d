package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// inductor implements Lname a b henries [ic=amperes m= tc1= tc2=]. Its current is an unknown with
// the branch row v(a) - v(b) - d(flux)/dt = 0. At DC the inductor is a short circuit. Negative
// values are allowed without coupling.
type inductor struct {
	e              *netlist.Element
	a, b, i        int
	nominal        float64 // inductance [H] at the nominal temperature
	henries        float64 // inductance [H] at the circuit temperature
	tempco         tempco
	loopOhms       float64 // series resistance [ohm] at DC, set by LimitLoop; 0 otherwise
	ic             float64 // initial current [A]
	fluxState      int
	ai, bi, ia, ib mna.Slot
	ii             mna.Slot
	mutual         []mutual   // mutual inductances of K elements
	im             []mna.Slot // entries of the coupled currents, by index in mutual
}

func newInductor(m *cardReader) Device {
	l := &inductor{e: m.e}
	l.henries = m.value("l", "an inductance in henries")
	l.ic, _ = m.param("ic", 0)
	l.henries /= m.parallel()
	l.tempco = m.tempco()
	m.rejectExtraArgs(1, "l", "ic", "m", "tc", "tc1", "tc2")
	if math.Abs(l.henries) > 1e12 {
		m.fail(diag.BadValue, "%s: an inductance of %g H is out of range (-1e12 to 1e12)",
			m.e.Name, l.henries)
	}
	l.nominal = l.henries
	return l
}

func (d *inductor) Element() *netlist.Element { return d.e }
func (d *inductor) Nonlinear() bool           { return false }

// Temperature scales the self and mutual inductances. The coupling factors remain constant.
func (d *inductor) Temperature(e Env) {
	d.henries = d.nominal * d.tempco.factor(e)
	for k := range d.mutual {
		m := &d.mutual[k]
		m.henries = m.nominal * math.Sqrt(d.tempco.factor(e)*m.other.tempco.factor(e))
	}
}

// LimitLoop sets a DC series resistance [ohm]. Without it the current in a loop of inductors and
// voltage sources is not unique.
func (d *inductor) LimitLoop(ohms float64) { d.loopOhms = ohms }

func (d *inductor) Setup(s *Setup) {
	d.a, d.b = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1])
	d.i = s.Branch(d.e)
	p := s.Pattern
	d.ai, d.bi, d.ia, d.ib = p.Slot(d.a, d.i), p.Slot(d.b, d.i), p.Slot(d.i, d.a), p.Slot(d.i, d.b)
	d.ii = p.Slot(d.i, d.i)
	d.fluxState = s.Flux(d.nominal)
	s.inductors[d.e.Name] = d
}

// couple adds the mutual inductance henries [H] with the inductor other.
func (d *inductor) couple(s *Setup, other *inductor, henries float64) {
	d.mutual = append(d.mutual, mutual{other, henries, henries})
	d.im = append(d.im, s.Pattern.Slot(d.i, other.i))
}

func (d *inductor) Terminals() Terminals { return Terminals{Fixes: &[2]int{d.a, d.b}} }

func (d *inductor) Load(l *Load) {
	l.A[d.ai]++
	l.A[d.bi]--
	l.A[d.ia]++
	l.A[d.ib]--
	l.A[d.ii] -= l.A0 * d.henries
	if l.A0 == 0 {
		l.A[d.ii] -= d.loopOhms
	}
	for k, m := range d.mutual {
		l.A[d.im[k]] -= l.A0 * m.henries
	}
	d.LoadRHS(l)
}

func (d *inductor) LoadRHS(l *Load) {
	l.B[d.i] += l.history(d.fluxState)
}

func (d *inductor) Update(l *Load) {
	flux := d.henries * l.X[d.i]
	for _, m := range d.mutual {
		flux += m.henries * l.X[m.other.i]
	}
	l.Charge(d.fluxState, flux, d.henries)
}

func (d *inductor) Initial(l *Load) {
	l.X[d.i] = d.ic
	flux := d.henries * d.ic
	for _, m := range d.mutual {
		flux += m.henries * m.other.ic
	}
	l.State[d.fluxState], l.State[d.fluxState+1] = flux, 0
}

func (d *inductor) LoadAC(l *ACLoad) {
	l.A[d.ai]++
	l.A[d.bi]--
	l.A[d.ia]++
	l.A[d.ib]--
	l.A[d.ii] -= complex(0, l.Omega*d.henries)
	for k, m := range d.mutual {
		l.A[d.im[k]] -= complex(0, l.Omega*m.henries)
	}
}

// inductors groups all inductors of a circuit into one ChargeStorage.
type inductors []*inductor

func (g inductors) Load(l *Load) {
	for _, d := range g {
		d.Load(l)
	}
}

func (g inductors) LoadRHS(l *Load) {
	for _, d := range g {
		d.LoadRHS(l)
	}
}

func (g inductors) Update(l *Load) {
	for _, d := range g {
		d.Update(l)
	}
}

func (g inductors) Initial(l *Load) {
	for _, d := range g {
		d.Initial(l)
	}
}
