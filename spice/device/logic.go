package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// LogicDevice is a device with discrete states. The states are constant while the circuit is
// solved, and change between two solutions.
type LogicDevice interface {
	// Recall sets the states from the state vector that Load has written. Entries of 0 give
	// the initial states. Pending changes are dropped.
	Recall(state []float64)
	// Settle sets the states at DC for the solution l.X. If the outputs then differ from those of
	// the solution and change is set, it changes the outputs. It reports whether they differ.
	Settle(l *Load, change bool) (differ bool)
	// Begin starts a transient at 0 s from the states in the vector and the solution l.X.
	Begin(l *Load, state []float64)
	// Crossing returns the position of the first change of an input within the step to the solution
	// l.X, by linear interpolation from 0 to 1. before is the solution at the start of the step.
	Crossing(l *Load, before []float64) (at float64, found bool)
	// Accept updates the states at the accepted solution l.X at t [s] after a step of h [s].
	// Changes up to t + soon [s] begin now. changed reports a change of a state, and restart that
	// an output begins to change.
	Accept(l *Load, before []float64, t, h, soon float64) (changed, restart bool)
	// NextBreak returns the time of the first corner of an output after t [s], or +Inf.
	NextBreak(t float64) float64
}

// logicFunction is the function of a logic device.
type logicFunction uint8

const (
	logicBuffer logicFunction = iota
	logicAnd
	logicOr
	logicXor
	logicSchmitt
	logicSRFlop
	logicDFlop
	logicCounter
	logicPhaseDetector
)

// logicFunctions maps the model names of LTspice to functions.
var logicFunctions = map[string]logicFunction{"buf": logicBuffer, "and": logicAnd, "or": logicOr,
	"xor": logicXor, "schmitt": logicSchmitt, "srflop": logicSRFlop, "dflop": logicDFlop,
	"counter": logicCounter, "phasedet": logicPhaseDetector}

// Limits of the parameters of logic devices.
const (
	leastLogicOhms = 1e-6            // smallest output resistance [ohm]
	mostCycles     = 1e9             // largest number of cycles of a counter
	anyVolts       = math.MaxFloat64 // bound of a level [V]
)

// logicInputs compares inputs with a threshold.
type logicInputs struct {
	list               []logicInput
	threshold, halfGap float64 // the thresholds are threshold ± halfGap [V]
}

// logicInput is one input of a logic device.
type logicInput struct {
	terminal    int  // number of the terminal, beginning with 1
	plus, minus int  // unknowns whose difference is the input
	sampled     bool // only edges of other inputs use the input
	level       bool // level at the last accepted point
}

// volts returns the voltage of an input [V] for the unknowns x.
func (i *logicInput) volts(x []float64) float64 { return x[i.plus] - x[i.minus] }

// find returns the input at a terminal, or nil if the terminal is unused.
func (c *logicInputs) find(terminal int) *logicInput {
	for k := range c.list {
		if c.list[k].terminal == terminal {
			return &c.list[k]
		}
	}
	return nil
}

// isHigh returns the level of a terminal. An unused terminal is low.
func (c *logicInputs) isHigh(terminal int) bool {
	i := c.find(terminal)
	return i != nil && i.level
}

// count returns the number of inputs that are high.
func (c *logicInputs) count() (high int) {
	for k := range c.list {
		if c.list[k].level {
			high++
		}
	}
	return high
}

// level returns the level of an input at a voltage v [V] after the level was.
func (c *logicInputs) level(v float64, was bool) bool {
	switch {
	case v > c.threshold+c.halfGap:
		return true
	case v < c.threshold-c.halfGap || c.halfGap == 0:
		return false
	}
	return was
}

// read sets all levels for the unknowns x.
func (c *logicInputs) read(x []float64) {
	for k := range c.list {
		c.list[k].level = c.level(c.list[k].volts(x), c.list[k].level)
	}
}

// crossing returns the position at which an input changes its level in a step, from 0 to 1.
func (c *logicInputs) crossing(i *logicInput, before, after []float64) (at float64, found bool) {
	from, to := i.volts(before), i.volts(after)
	level := c.level(to, i.level)
	if level == i.level || i.sampled {
		return 1, false
	}
	threshold := c.threshold - c.halfGap
	if level {
		threshold = c.threshold + c.halfGap
	}
	if at = (threshold - from) / (to - from); at >= 0 && at <= 1 {
		return at, true
	}
	return 0, true
}

// Crossing returns the position of the first change of an input.
func (c *logicInputs) Crossing(l *Load, before []float64) (at float64, found bool) {
	at = 1
	for k := range c.list {
		if a, ok := c.crossing(&c.list[k], before, l.X); ok {
			at, found = math.Min(at, a), true
		}
	}
	return at, found
}

// accept updates the levels at the end of a step. rose marks the terminals whose input has risen,
// and last is the position of the last change.
func (c *logicInputs) accept(before, after []float64) (rose [6]bool, last float64, changed bool) {
	for k := range c.list {
		i := &c.list[k]
		at, found := c.crossing(i, before, after)
		if !found {
			continue
		}
		i.level = !i.level
		rose[i.terminal] = i.level
		last, changed = math.Max(last, at), true
	}
	return rose, last, changed
}

// number reads a parameter of a logic device from least to most.
func (m *cardReader) number(name string, def, least, most float64) float64 {
	v, _ := m.param(name, def)
	if !(v >= least && v <= most) {
		m.fail(diag.BadValue, "%s: %s= must lie from %g to %g, not %g", m.e.Name, name, least,
			most, v)
	}
	return v
}

// logic implements the digital A devices of LTspice: Aname in1 in2 in3 in4 in5 inverted output
// common function. An input or output at the common node is unused. The inputs have no current.
// They are compared with a threshold when the solution of a time point is complete, and the outputs
// change td later. Each output is a voltage behind a resistance. It moves linearly between vlow and
// vhigh in trise and tfall.
type logic struct {
	logicInputs
	e                  *netlist.Element
	function           logicFunction
	com                int
	outputs            []logicOutput
	high, low          float64 // output levels [V]
	rise, fall, delay  float64 // units: [s]
	gHigh, gLow        float64 // output conductances [S]
	source, sink       float64 // output currents of the phase detector [A]
	cycles, highCycles float64 // counts of the counter, all and those with a high output
	initial            logicState

	now logicState
	// pending holds the states of the outputs that begin later, in order of time.
	pending []logicChange
	round   float64 // roundoff of the time [s]
	state   int     // index in the state vector
}

// logicState is the state of a logic device.
type logicState struct {
	on bool
	// count is the number of edges of a counter, and -1, 0 or 1 of a phase detector.
	count float64
}

// logicChange is a change of the outputs that begins at a time [s].
type logicChange struct {
	t     float64
	state logicState
}

// logicOutput is one output of a logic device. Its voltage moves from the fraction from of its
// swing, beginning at the time since [s].
type logicOutput struct {
	node     int
	inverted bool
	y        pair
	level    bool
	from     float64
	since    float64
	count    float64 // logicState.count
}

// newLogic reads a digital A device. The netlist contains its output capacitance as an element.
func newLogic(m *cardReader) Device {
	f := logicFunctions[m.e.Model.Name]
	d := &logic{e: m.e, function: f}
	known := []string{"tripdt", "cout", "tau", "ic", "vhigh", "vlow", "td", "trise", "tfall", "m"}
	d.high = m.number("vhigh", 1, -anyVolts, anyVolts)
	d.low = m.number("vlow", 0, -anyVolts, anyVolts)
	middle, span := d.low+(d.high-d.low)/2, math.Abs(d.high-d.low)
	d.delay, d.rise = m.number("td", 0, 0, 1e9), m.number("trise", 0, 0, 1e9)
	d.fall = m.number("tfall", d.rise, 0, 1e9)
	if f == logicSchmitt {
		known = append(known, "vt", "vh")
		d.threshold = m.number("vt", middle, -1e15, 1e15)
		d.halfGap = m.number("vh", 0.05*span, 0, 1e15)
	} else {
		known = append(known, "ref")
		d.threshold = m.number("ref", middle, -1e15, 1e15)
	}
	if f == logicPhaseDetector {
		known = append(known, "iout", "isource", "isink", "rclamp", "rout")
		iout := m.number("iout", 10e-6, 0, 1e9)
		_, up := m.param("isource", 0)
		_, down := m.param("isink", 0)
		if _, both := m.param("iout", 0); !both && !(up && down) {
			m.warn(m.e.Line, "%s: iout= is not given; the output current is 10 uA", m.e.Name)
		}
		d.source = math.Abs(m.number("isource", iout, -1e9, 1e9))
		d.sink = math.Abs(m.number("isink", -iout, -1e9, 1e9))
	} else {
		known = append(known, "rout", "rhigh", "rlow")
		if !(span <= 1e9) {
			m.fail(diag.BadValue, "%s: vhigh= and vlow= may differ by up to 1e9 V, not %g",
				m.e.Name, span)
		}
		ohms := m.number("rout", 1, 0, 1e30)
		d.gHigh = 1 / math.Max(m.number("rhigh", ohms, 0, 1e30), leastLogicOhms)
		d.gLow = 1 / math.Max(m.number("rlow", ohms, 0, 1e30), leastLogicOhms)
		for _, name := range [...]string{"isource", "isrc", "isink", "iout"} {
			if _, given := m.param(name, 0); given {
				m.fail(diag.NotAvailable, "not yet supported: %s with %s=; rout, rhigh and rlow "+
					"limit the output current of a gate", m.e.Name, name)
			}
		}
	}
	ic, _ := m.param("ic", 0)
	d.initial.on = ic > 0.5
	if f == logicPhaseDetector {
		d.initial.on = false
	}
	if f == logicCounter {
		known = append(known, "cycles", "duty")
		if d.cycles = m.number("cycles", 2, 1, mostCycles); d.cycles != math.Trunc(d.cycles) {
			m.fail(diag.BadValue, "%s: cycles= must be a whole number from 1, not %g", m.e.Name,
				d.cycles)
		}
		d.highCycles = math.Floor(d.cycles*m.number("duty", 0.5, 0, 1) + 0.5)
		d.highCycles = min(max(d.highCycles, 1), max(d.cycles-1, 1))
		d.initial.on = true
	}
	m.rejectExtraArgs(0, known...)
	d.round = 4e-16 * m.tran.Stop
	return d
}

func (d *logic) Element() *netlist.Element { return d.e }
func (d *logic) Nonlinear() bool           { return true }
func (d *logic) Temperature(Env)           {}

func (d *logic) Setup(s *Setup) {
	nodes := d.e.Nodes
	d.com = s.Node(nodes[7])
	d.list, d.outputs = nil, nil
	for k, name := range nodes[:5] {
		switch {
		case name == nodes[7]:
		case d.function == logicSchmitt && k == 1:
			// The second input of a Schmitt trigger is the negative one.
			if i := d.find(1); i != nil {
				i.minus = s.Node(name)
			} else {
				d.list = append(d.list, logicInput{terminal: 1, plus: d.com, minus: s.Node(name)})
			}
		default:
			d.list = append(d.list, logicInput{terminal: k + 1, plus: s.Node(name), minus: d.com,
				sampled: d.function == logicDFlop && k == 0})
		}
	}
	for k, inverted := range [...]bool{true, false} {
		if name := nodes[5+k]; name != nodes[7] {
			n := s.Node(name)
			o := logicOutput{node: n, inverted: inverted}
			if d.function != logicPhaseDetector {
				o.y = newPair(s.Pattern, n, d.com)
			}
			d.outputs = append(d.outputs, o)
		}
	}
	d.state = s.State(2)
	d.reset(d.initial)
}

// Terminals reports the output resistances. A phase detector is a current source.
func (d *logic) Terminals() (t Terminals) {
	for _, o := range d.outputs {
		if d.function == logicPhaseDetector {
			t.Injects = &[2]int{d.com, o.node}
		} else {
			t.Conducts = append(t.Conducts, [2]int{o.node, d.com})
		}
	}
	return t
}

// reset sets the state and the outputs and drops pending changes.
func (d *logic) reset(s logicState) {
	d.now, d.pending = s, d.pending[:0]
	for k := range d.outputs {
		o := &d.outputs[k]
		o.level, o.since, o.count, o.from = s.on != o.inverted, 0, s.count, 0
		if o.level {
			o.from = 1
		}
	}
}

// Recall reads the state from the vector.
func (d *logic) Recall(state []float64) {
	if at := state[d.state:]; at[0] != 0 {
		d.reset(logicState{at[0] > 0, at[1]})
	} else {
		d.reset(d.initial)
	}
}

// record writes the state to the vector.
func (d *logic) record(state []float64) {
	state[d.state], state[d.state+1] = -1, d.now.count
	if d.now.on {
		state[d.state] = 1
	}
}

// position returns the fraction of the swing at t [s].
func (o *logicOutput) position(t, rise, fall float64) float64 {
	elapsed := math.Max(t-o.since, 0)
	switch {
	case o.level && elapsed >= (1-o.from)*rise:
		return 1
	case o.level:
		return o.from + elapsed/rise
	case elapsed >= o.from*fall:
		return 0
	}
	return o.from - elapsed/fall
}

// advance begins a change.
func (o *logicOutput) advance(c logicChange, rise, fall float64) {
	o.count = c.state.count
	if level := c.state.on != o.inverted; level != o.level {
		o.from = o.position(c.t, rise, fall)
		o.level, o.since = level, c.t
	}
}

// Load adds the outputs. They depend on the time and the states, but not on l.X.
func (d *logic) Load(l *Load) {
	if l.Time == 0 {
		d.record(l.State)
	}
	for k := range d.outputs {
		o := d.outputs[k] // a copy
		for _, c := range d.pending {
			if !(c.t < l.Time-d.round) {
				break
			}
			o.advance(c, d.rise, d.fall)
		}
		var i float64
		if d.function == logicPhaseDetector {
			i = d.current(o.count)
		} else {
			g := d.conductance(o.level)
			o.y.add(l.A, g)
			i = g * (d.low + (d.high-d.low)*o.position(l.Time, d.rise, d.fall))
		}
		l.B[o.node] += i * l.SourceScale
		l.B[d.com] -= i * l.SourceScale
	}
}

// conductance returns the conductance of an output [S].
func (d *logic) conductance(level bool) float64 {
	if level {
		return d.gHigh
	}
	return d.gLow
}

// current returns the output current of a phase detector [A].
func (d *logic) current(count float64) float64 {
	switch {
	case count > 0:
		return d.source
	case count < 0:
		return -d.sink
	}
	return 0
}

// Bypass reports that Load does not depend on the iterate.
func (d *logic) Bypass(*Load) bool { return true }

// LoadAC adds the output resistances. The outputs are constant.
func (d *logic) LoadAC(l *ACLoad) {
	if d.function == logicPhaseDetector {
		return
	}
	for k := range d.outputs {
		d.outputs[k].y.addAC(l.A, complex(d.conductance(d.outputs[k].level), 0))
	}
}

// Report returns the state, and the voltage of the output.
func (d *logic) Report(l *Load) (region string, q []Quantity) {
	if len(d.outputs) == 0 {
		return "", nil
	}
	v := Quantity{"v", "V", l.X[d.outputs[len(d.outputs)-1].node] - l.X[d.com]}
	if d.function == logicPhaseDetector {
		return "", []Quantity{v, {"i", "A", d.current(d.now.count)}}
	}
	return map[bool]string{true: "high", false: "low"}[d.now.on], []Quantity{v}
}

// next returns the state after a change of the inputs. rose marks the terminals whose input has
// risen, and data is the level of terminal 1 at that time.
func (d *logic) next(rose [6]bool, data bool) logicState {
	s := d.now
	switch d.function {
	case logicBuffer:
		s.on = len(d.list) > 0 && d.list[0].level
	case logicAnd:
		s.on = len(d.list) > 0 && d.count() == len(d.list)
	case logicOr, logicSchmitt:
		s.on = d.count() > 0
	case logicXor:
		s.on = d.count() == 1
	case logicSRFlop:
		if d.isHigh(1) || d.isHigh(2) {
			s.on = !d.isHigh(2)
		}
	case logicDFlop:
		switch {
		case d.isHigh(4) || d.isHigh(5):
			s.on = !d.isHigh(5)
		case rose[3]:
			s.on = data
		}
	case logicCounter:
		switch {
		case d.isHigh(2):
			s.count = 0
		case rose[1]:
			s.count = math.Mod(s.count+1, d.cycles)
		}
		s.on = s.count < d.highCycles
	case logicPhaseDetector:
		switch {
		case rose[1] && !rose[2]:
			s.count = min(s.count+1, 1)
		case rose[2] && !rose[1]:
			s.count = max(s.count-1, -1)
		}
	}
	return s
}

// read sets the levels of the inputs for the unknowns x. Between the thresholds the level is that
// of the state.
func (d *logic) read(x []float64) {
	if i := d.find(1); i != nil && d.function == logicSchmitt {
		i.level = d.now.on
	}
	d.logicInputs.read(x)
}

// Settle sets the state at DC, where edges have no effect.
func (d *logic) Settle(l *Load, change bool) (differ bool) {
	d.read(l.X)
	s := d.next([6]bool{}, false)
	if s == d.now {
		return false
	}
	if change {
		d.reset(s)
		d.record(l.State)
	}
	return true
}

// Begin starts a transient. An output that contradicts the inputs, as in a ring oscillator, begins
// to change after the delay.
func (d *logic) Begin(l *Load, state []float64) {
	d.Recall(state)
	d.read(l.X)
	if s := d.next([6]bool{}, false); s != d.now {
		d.schedule(s, d.delay)
	}
}

// schedule changes the state to s. The outputs follow at t [s].
func (d *logic) schedule(s logicState, t float64) {
	d.now = s
	d.pending = append(d.pending, logicChange{t, s})
}

// Accept updates the inputs, the state and the outputs.
func (d *logic) Accept(l *Load, before []float64, t, h, soon float64) (changed, restart bool) {
	var rose [6]bool
	var last float64
	if rose, last, changed = d.accept(before, l.X); changed {
		data := false
		if i := d.find(1); i != nil && rose[3] {
			v := i.volts(before)
			data = v+last*(i.volts(l.X)-v) > d.threshold
		}
		s := d.next(rose, data)
		if s.on != d.now.on || s.count != d.now.count && d.function == logicPhaseDetector {
			d.schedule(s, math.Max(t-h+last*h+d.delay, t))
		}
		d.now = s
	}
	n := 0
	for ; n < len(d.pending) && d.pending[n].t <= t+soon; n++ {
		for k := range d.outputs {
			d.outputs[k].advance(d.pending[n], d.rise, d.fall)
		}
		changed, restart = true, true
	}
	d.pending = d.pending[n:]
	return changed, restart
}

// NextBreak returns the first start or end of a transition after t [s].
func (d *logic) NextBreak(t float64) float64 {
	next := math.Inf(1)
	for k := range d.outputs {
		o := &d.outputs[k]
		end := o.since + o.from*d.fall
		if o.level {
			end = o.since + (1-o.from)*d.rise
		}
		if end > t {
			next = math.Min(next, end)
		}
	}
	for _, c := range d.pending {
		if c.t > t {
			return math.Min(next, c.t)
		}
	}
	return next
}
