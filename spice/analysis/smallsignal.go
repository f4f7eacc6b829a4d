package analysis

import (
	"math"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// smallSignal is the circuit linearized at the operating point s.x.
type smallSignal struct {
	s       *sim
	devices []device.Device
	// conductance and capacitance hold the sum of the stamps that device.FixedAC describes, by
	// slot. Both are nil before the first call of fill. variable lists the other devices.
	conductance, capacitance []float64
	variable                 []device.Device
	x                        []complex128 // for the solution at one frequency
	load                     device.ACLoad
	lu                       *mna.ComplexLU
	driven                   bool // set if a source has an AC value
	// atNodes is that of seriesResistances for the last matrix. It is the same for all frequencies
	// if sameUnknowns is set.
	atNodes      []bool
	sameUnknowns bool
}

// smallSignal prepares the small-signal equations at the operating point.
func (s *sim) smallSignal() *smallSignal {
	p := s.setup.Pattern
	return &smallSignal{s: s, devices: s.devices, x: make([]complex128, s.n+1),
		atNodes: make([]bool, len(s.series.list)), lu: mna.NewComplexLU(p),
		load: device.ACLoad{A: make([]complex128, p.Slots()), B: make([]complex128, s.n+1), X: s.x,
			Gmin: s.opt.Gmin}}
}

// at assembles and factors the small-signal equations at the frequency hz [Hz].
func (l *smallSignal) at(hz float64) error {
	l.fill(hz)
	for _, b := range l.load.B[1:] {
		l.driven = l.driven || b != 0
	}
	return l.lu.Factor(l.load.A)
}

// fill assembles the small-signal equations at the frequency hz [Hz]. Their unknowns are those of
// Newton's method.
func (l *smallSignal) fill(hz float64) {
	if l.conductance == nil {
		l.separate()
	}
	clear(l.load.B)
	omega := 2 * math.Pi * hz
	l.load.Omega = omega
	capacitance := l.capacitance[:len(l.conductance)]
	for k, g := range l.conductance {
		l.load.A[k] = complex(g, omega*capacitance[k])
	}
	for _, d := range l.variable {
		d.LoadAC(&l.load)
	}
	l.s.series.assembleAC(l.load.A, l.atNodes, l.sameUnknowns)
}

// solve solves the small-signal equations for a right-hand side b. x contains the node voltages.
func (l *smallSignal) solve(b, x []complex128) {
	l.lu.Solve(b, x)
	toNodes(&l.s.series, x, l.atNodes)
}

// separate computes the stamps that do not depend on the frequency except for the factor ω.
func (l *smallSignal) separate() {
	clear(l.load.A)
	l.load.Omega = 1
	for _, d := range l.devices {
		if device.FixedAC(d) {
			d.LoadAC(&l.load)
		} else {
			l.variable = append(l.variable, d)
		}
	}
	for _, n := range l.s.acShunts {
		l.load.A[l.s.nodeDiag[n]] += shuntConductance
	}
	n := len(l.load.A)
	room := make([]float64, 2*n)
	l.conductance, l.capacitance = room[:n:n], room[n:]
	for k, y := range l.load.A {
		l.conductance[k], l.capacitance[k] = real(y), imag(y)
	}
}

// output returns the unknowns whose difference is the output of a small-signal analysis. They are
// two nodes, or the current of an element and 0.
func (s *sim) output(o *netlist.Operand) (plus, minus int, err error) {
	line, card := s.job.Analysis.Line, "."+s.job.Analysis.Kind
	if o.Kind == 'i' {
		if plus = s.unknownOf("i(" + o.Plus + ")"); plus == 0 {
			return 0, 0, diag.At(diag.UnknownSource, line,
				"%s: %s is not among the currents of the circuit; "+
					"those of voltage sources, inductors, E and H elements are", card, o.Text)
		}
		return plus, 0, nil
	}
	for i, name := range [...]string{o.Plus, o.Minus} {
		if name == "" || name == "0" {
			continue
		}
		n := s.unknownOf("v(" + name + ")")
		if n == 0 {
			err := diag.At(diag.UnknownNode, line, "%s: node %s is not in the circuit", card, name)
			err.Node = name
			return 0, 0, err
		}
		if i == 0 {
			plus = n
		} else {
			minus = n
		}
	}
	if plus == minus {
		return 0, 0, diag.At(diag.BadValue, line, "%s: %s is always 0", card, o.Text)
	}
	return plus, minus, nil
}

// input returns the right-hand side entries for an independent source of 1 V or 1 A. kind is the
// letter of the element: v or i.
func (s *sim) input(name string) (entries []device.RHSEntry, kind byte, err error) {
	for _, d := range s.devices {
		if d.Element().Name != name {
			continue
		}
		if in, ok := d.(device.SmallSignalInput); ok {
			return in.UnitExcitation(), d.Element().Kind, nil
		}
	}
	return nil, 0, diag.At(diag.UnknownSource, s.job.Analysis.Line,
		".%s: %s is no independent voltage or current source of the circuit",
		s.job.Analysis.Kind, name)
}

// readOutputAndInput parses v(out) and the name of a source.
func readOutputAndInput(c *netlist.CardReader, a *netlist.Analysis) (err error) {
	if a.Output, err = c.Output(); err != nil {
		return err
	}
	if next := c.Peek(); next == "v" || next == "i" {
		// SpicePy writes the source as v(V1).
		if o, err := c.Output(); err == nil && o.Minus == "" {
			c.Warn(o.Text + " is read as the source " + o.Plus)
			a.Input = o.Plus
			return nil
		}
	}
	a.Input, err = c.Word("input source")
	return err
}
