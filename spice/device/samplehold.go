package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// sampleHold implements the A device SAMPLEHOLD of LTspice. The input is the voltage between the
// terminals 1 and 2. While terminal 4 is high, the output at terminal 7 follows the input.
// Otherwise a rising edge at terminal 3 takes a sample. The output is limited to vlow and vhigh and
// is behind a resistance. Terminal 6 has the negative voltage.
type sampleHold struct {
	logicInputs
	e           *netlist.Element
	plus, minus int
	com         int
	outputs     []sampleOutput
	high, low   float64 // limits of the output [V]
	g           float64 // output conductance [S]
	initial     float64 // initial sample [V]
	value       float64 // sample [V]
	tracking    bool
	state       int // index in the state vector
}

// sampleOutput is an output of a sample and hold.
type sampleOutput struct {
	node   int
	sign   float64
	y      pair
	inputs pair // entries of the input in the rows of the output
}

func newSampleHold(m *cardReader) Device {
	d := &sampleHold{e: m.e}
	d.high, d.low = m.number("vhigh", 10, -anyVolts, anyVolts),
		m.number("vlow", -10, -anyVolts, anyVolts)
	if d.high < d.low {
		m.fail(diag.BadValue, "%s: vhigh= %g is below vlow= %g", m.e.Name, d.high, d.low)
	}
	d.threshold = m.number("ref", 0.5, -1e15, 1e15)
	d.g = 1 / math.Max(m.number("rout", 1e3, 0, 1e30), leastLogicOhms)
	if m.number("td", 0, 0, 1e9) > 0 {
		m.fail(diag.NotAvailable, "not yet supported: %s with td=; a sample has no delay: leave "+
			"td= out or delay the clock", m.e.Name)
	}
	for _, name := range [...]string{"trise", "tfall"} {
		if _, given := m.param(name, 0); given {
			m.warn(m.e.Line, "%s: %s= of a sample and hold is ignored; tau= or cout= give a slope",
				m.e.Name, name)
		}
	}
	ic, _ := m.param("ic", 0)
	d.initial = min(max(ic, d.low), d.high)
	m.rejectExtraArgs(0, "vhigh", "vlow", "ref", "rout", "td", "trise", "tfall", "ic", "tripdt",
		"cout", "tau", "m")
	return d
}

func (d *sampleHold) Element() *netlist.Element { return d.e }
func (d *sampleHold) Nonlinear() bool           { return true }
func (d *sampleHold) Temperature(Env)           {}

func (d *sampleHold) Setup(s *Setup) {
	n := d.e.Nodes
	d.plus, d.minus, d.com = s.Node(n[0]), s.Node(n[1]), s.Node(n[7])
	d.list, d.outputs = nil, nil
	for k := 2; k < 4; k++ {
		if n[k] != n[7] {
			d.list = append(d.list, logicInput{terminal: k + 1, plus: s.Node(n[k]), minus: d.com})
		}
	}
	for k, sign := range [...]float64{-1, 1} {
		if n[5+k] == n[7] {
			continue
		}
		o := sampleOutput{node: s.Node(n[5+k]), sign: sign}
		o.y = newPair(s.Pattern, o.node, d.com)
		o.inputs = pair{s.Pattern.Slot(o.node, d.plus), s.Pattern.Slot(o.node, d.minus),
			s.Pattern.Slot(d.com, d.plus), s.Pattern.Slot(d.com, d.minus)}
		d.outputs = append(d.outputs, o)
	}
	d.state = s.State(2)
	d.value, d.tracking = d.initial, false
}

// Terminals reports the output resistances.
func (d *sampleHold) Terminals() (t Terminals) {
	for _, o := range d.outputs {
		t.Conducts = append(t.Conducts, [2]int{o.node, d.com})
	}
	return t
}

// input returns the limited input [V] for the unknowns x and its derivative, which is 1 or 0.
func (d *sampleHold) input(x []float64) (v, slope float64) {
	v = x[d.plus] - x[d.minus]
	if v > d.low && v < d.high {
		return v, 1
	}
	return min(max(v, d.low), d.high), 0
}

func (d *sampleHold) Load(l *Load) {
	if l.Time == 0 {
		d.record(l.State)
	}
	v, slope := d.value*l.SourceScale, 0.0
	if d.tracking {
		v, slope = d.input(l.X)
		v -= slope * (l.X[d.plus] - l.X[d.minus])
	}
	for k := range d.outputs {
		o := &d.outputs[k]
		o.y.add(l.A, d.g)
		g := o.sign * d.g
		o.addInputs(func(slot mna.Slot, sign float64) { l.A[slot] += sign * slope * g })
		l.B[o.node] += g * v
		l.B[d.com] -= g * v
	}
}

// addInputs calls add for the entries of the input, with the sign of their conductance.
func (o *sampleOutput) addInputs(add func(slot mna.Slot, sign float64)) {
	add(o.inputs.aa, -1)
	add(o.inputs.ab, 1)
	add(o.inputs.ba, 1)
	add(o.inputs.bb, -1)
}

// Bypass reports whether the output is the sample or the input itself.
func (d *sampleHold) Bypass(l *Load) bool {
	if !d.tracking {
		return true
	}
	_, slope := d.input(l.X)
	return slope == 1
}

// LoadAC adds the output resistances and the gain while the output follows the input.
func (d *sampleHold) LoadAC(l *ACLoad) {
	slope := 0.0
	if d.tracking {
		_, slope = d.input(l.X)
	}
	for k := range d.outputs {
		o := &d.outputs[k]
		o.y.addAC(l.A, complex(d.g, 0))
		o.addInputs(func(slot mna.Slot, sign float64) {
			l.A[slot] += complex(sign*slope*o.sign*d.g, 0)
		})
	}
}

// Report returns the mode and the sample.
func (d *sampleHold) Report(l *Load) (string, []Quantity) {
	v := d.value
	if d.tracking {
		v, _ = d.input(l.X)
	}
	return map[bool]string{true: "track", false: "hold"}[d.tracking], []Quantity{{"v", "V", v}}
}

// record writes the state to the vector.
func (d *sampleHold) record(state []float64) {
	state[d.state], state[d.state+1] = 1, d.value
	if d.tracking {
		state[d.state] = 2
	}
}

// Recall reads the state from the vector.
func (d *sampleHold) Recall(state []float64) {
	d.value, d.tracking = d.initial, false
	if at := state[d.state:]; at[0] != 0 {
		d.value, d.tracking = at[1], at[0] == 2
	}
}

// Settle sets the mode at DC.
func (d *sampleHold) Settle(l *Load, change bool) (differ bool) {
	d.read(l.X)
	differ = d.tracking != d.isHigh(4)
	if d.tracking && d.isHigh(4) {
		d.value, _ = d.input(l.X)
	}
	if change {
		d.tracking = d.isHigh(4)
	}
	d.record(l.State)
	return differ
}

// Begin starts a transient.
func (d *sampleHold) Begin(l *Load, state []float64) {
	d.Recall(state)
	d.read(l.X)
	d.setMode(l.X)
}

// setMode changes between both modes. At the end of the track mode the sample is the input.
func (d *sampleHold) setMode(x []float64) (changed bool) {
	track := d.isHigh(4)
	if changed = track != d.tracking; changed && !track {
		d.value, _ = d.input(x)
	}
	d.tracking = track
	return changed
}

// Accept takes a sample at an edge and changes the mode.
func (d *sampleHold) Accept(l *Load, before []float64, _, _, _ float64) (changed, restart bool) {
	rose, last, changed := d.accept(before, l.X)
	if !changed {
		return false, false
	}
	restart = d.setMode(l.X)
	if rose[3] && !d.tracking {
		from, _ := d.input(before)
		to, _ := d.input(l.X)
		d.value, restart = from+last*(to-from), true
	}
	return true, restart
}

// NextBreak returns +Inf, because the output has no corners that are known in advance.
func (d *sampleHold) NextBreak(float64) float64 { return math.Inf(1) }
