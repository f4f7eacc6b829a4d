package device

import (
	"slipstick/spice/diag"
	"slipstick/spice/interval"
	"slipstick/spice/netlist"
)

// These are the states of a switch. The state 0 means undecided.
const (
	switchOff = -1.0
	switchOn  = 1.0
)

// controlledSwitch implements Sname + - control+ control- model [on|off], controlled by a voltage,
// and Wname + - source model [on|off], controlled by a current. Its resistance is ron above the
// threshold vt + vh and roff below vt - vh (it + ih and it - ih for W). Between the thresholds the
// state does not change; on or off sets the initial state. There is no hysteresis if vh or ih is 0.
type controlledSwitch struct {
	e      *netlist.Element
	p, n   int
	cp, cn int
	y      pair

	threshold, width float64 // units: [V] or [A]
	gOn, gOff        float64 // conductances [S] of the two states
	offset           float64 // voltage [V] of LTspice's VSER in series with the resistance
	initial          float64 // initial state
	noisy            float64 // 0 disables the thermal noise

	state int // index of the switch state in the state vector
	on    bool
}

func newSwitch(m *cardReader) Device {
	d := &controlledSwitch{e: m.e, initial: switchOff}
	typ, at, width := "sw", "vt", "vh"
	if m.e.Kind == 'w' {
		typ, at, width = "csw", "it", "ih"
	}
	if t := m.e.Model.Type; t != typ {
		m.fail(diag.WrongModelType, "%s needs a model of type %s, but %s is of type %s", m.e.Name,
			typ, m.e.Model.Name, t)
		return d
	}
	var ron, roff, inductance float64 // inductance is an element of its own (package netlist)
	m.model([]modelParam{
		{name: at, value: &d.threshold, min: -1e15},
		{name: width, value: &d.width},
		{name: "ron", value: &ron, def: 1, above: true},
		{name: "roff", value: &roff, def: 1e12, above: true},
		{name: "vser", value: &d.offset, min: -1e6}, {name: "lser", value: &inductance},
		{name: "noisy", value: &d.noisy, def: 1},
	})
	for _, a := range m.e.Args {
		switch a.Text {
		case "on":
			d.initial = switchOn
		case "off":
			d.initial = switchOff
		default:
			m.fail(diag.Syntax, "%s: unexpected %q; on or off may follow the model",
				m.e.Name, a.Text)
		}
	}
	m.rejectExtraArgs(len(m.e.Args))
	if m.err == nil && (ron < 1e-12 || roff > 1e30) {
		m.fail(diag.BadValue, "model %s: ron must be at least 1e-12 ohm and roff at most 1e30 ohm",
			m.e.Model.Name)
	}
	d.gOn, d.gOff = 1/ron, 1/roff
	return d
}

func (d *controlledSwitch) Element() *netlist.Element { return d.e }
func (d *controlledSwitch) Nonlinear() bool           { return true }
func (d *controlledSwitch) Temperature(Env)           {}

func (d *controlledSwitch) Setup(s *Setup) {
	n := d.e.Nodes
	d.p, d.n = s.Node(n[0]), s.Node(n[1])
	if d.e.Kind == 's' {
		d.cp, d.cn = s.Node(n[2]), s.Node(n[3])
	}
	d.y = newPair(s.Pattern, d.p, d.n)
	d.state = s.State(1)
}

// Link finds the unknown of the controlling current of a W element.
func (d *controlledSwitch) Link(s *Setup) (err error) {
	if d.e.Kind == 'w' {
		d.cp, err = s.current(d.e, d.e.Refs[0])
	}
	return err
}

func (d *controlledSwitch) Terminals() Terminals {
	return Terminals{Conducts: [][2]int{{d.p, d.n}}}
}

// nextState returns the state for a control value, given the state of the previous iteration. Once
// a switch has changed its state within a time step, it keeps the new state between the thresholds.
// Without this rule a switch that discharges its own control capacitor has no consistent state. The
// step control then shortens the step with the event.
func (d *controlledSwitch) nextState(control, was float64) float64 {
	switch {
	case control > d.threshold+d.width:
		return switchOn
	case control < d.threshold-d.width || d.width == 0:
		return switchOff
	case was == 0:
		return d.initial
	}
	return was
}

func (d *controlledSwitch) Load(l *Load) {
	state := d.initial
	if !l.InitJunctions {
		state = d.nextState(l.X[d.cp]-l.X[d.cn], l.State[d.state])
	}
	l.State[d.state] = state
	d.on = state == switchOn
	g := d.conductance()
	d.y.add(l.A, g)
	if d.offset != 0 {
		i := l.SourceScale * g * d.offset
		l.B[d.p] += i
		l.B[d.n] -= i
	}
}

// Event compares the states at both ends of the step. If the event itself moves the control back
// across the threshold, interpolation is impossible, and Event returns the middle of the step.
func (d *controlledSwitch) Event(l *Load, before []float64) (at float64, jumped bool) {
	state := l.State[d.state]
	if l.PrevState[d.state] == state {
		return 1, false
	}
	from, to := before[d.cp]-before[d.cn], l.X[d.cp]-l.X[d.cn]
	if at = (d.threshold + state*d.width - from) / (to - from); at > 0 && at < 1 {
		return at, true
	}
	return 0.5, true
}

// Control returns the controlling voltage [V] or current [A] at the solution x.
func (d *controlledSwitch) Control(x []float64) float64 { return x[d.cp] - x[d.cn] }

func (d *controlledSwitch) conductance() float64 {
	if d.on {
		return d.gOn
	}
	return d.gOff
}

func (d *controlledSwitch) LoadAC(l *ACLoad) { d.y.addAC(l.A, complex(d.conductance(), 0)) }

// LoadInterval adds the conductance of the present state. The bound holds while the control remains
// on one side of both thresholds. Between the thresholds both states satisfy the equations.
func (d *controlledSwitch) LoadInterval(l *IntervalLoad) {
	control := l.diff(d.cp, d.cn).Interval()
	low := interval.Point(d.threshold).AddF(-d.width).Lo
	high := interval.Point(d.threshold).AddF(d.width).Hi
	switch {
	case control.Lo > high && d.on || control.Hi < low && !d.on:
	case d.width > 0:
		l.kink(d.e.Name, "is at or between its thresholds, where it can be on and off")
	default:
		l.kink(d.e.Name, "is at its threshold, where its resistance jumps")
	}
	g := d.conductance()
	l.linear(d.p, d.n, d.p, d.n, interval.WidePoint(g))
	if d.offset != 0 {
		l.Branches = append(l.Branches, IntervalTerm{P: d.p, N: d.n,
			Value: interval.WideOf(interval.Point(-g).Scale(d.offset))})
	}
}

// Report returns the state, the voltage, the current from the first node to the second, and the
// power.
func (d *controlledSwitch) Report(l *Load) (string, []Quantity) {
	v := l.X[d.p] - l.X[d.n]
	i := (v - d.offset) * d.conductance()
	return map[bool]string{true: "on", false: "off"}[d.on], []Quantity{{"v", "V", v}, {"i", "A", i},
		{"power_w", "W", v * i}}
}

// Bypass reports whether the state is unchanged. A switch is linear between two events.
func (d *controlledSwitch) Bypass(l *Load) bool {
	return d.nextState(l.X[d.cp]-l.X[d.cn], l.State[d.state]) == l.State[d.state]
}
