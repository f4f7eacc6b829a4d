package analysis

import (
	"math"
	"strings"

	"slipstick/spice/device"
)

// variation propagates the global error e of the unknowns along with a run. The error satisfies the
// linearized equations of every step, excited by the local truncation error (K. E. Brenan, S. L.
// Campbell and L. R. Petzold, Numerical Solution of Initial-Value Problems in
// Differential-Algebraic Equations, 1989):
//
//	J·e = residual - companion currents of the errors of the charges + a0·LTE
//
// J is the Jacobian of the last Newton iteration, which is already factored. The errors of the
// charges have a separate history and use the integration formula of the step.
type variation struct {
	load    device.Load // argument of devices and storage
	charges charges
	// twoTerminal holds the nonlinear devices whose charges each depend on one difference of
	// unknowns. devices and storage hold the devices with other charges. otherCharges holds the
	// numbers of these charges.
	twoTerminal  []deviceCharges
	devices      []device.VariationalDevice
	storage      []device.ChargeStorage
	otherCharges []int
	crosses      []crossCharge
	ends         []chargeEnds
	capacitance  []float64             // [F], or negative inductance [H]; 0 for otherCharges
	offset       []float64             // charge [C] at an error of 0 V; 0 except for gate charges
	gates        []int32               // numbers of the gate charges
	halves       [gatePoints][]float64 // halves of the gate capacitances [F]
	started      bool                  // set if halves holds the values of the last point
	e, b         []float64             // errors [V or A] of the unknowns; right-hand side
	currents     []float64             // errors [A or V] of the currents of the charges
	worst        []float64             // largest error [V or A] of each output so far
	// pending holds errors above worst whose time window has not passed yet.
	pending []rowError
	// beyondLinear is set if an output has an error above linearRange, even if an allowed time
	// shift explains the error. Changes within twice jumpStep before a point do not count: a spike
	// of this length ends within it.
	beyondLinear bool
	// void is set after a jump of the solution that the linearized equations do not describe.
	void      bool
	nextCheck float64     // time [s] of the next call of tooCoarse for an autonomous circuit
	phase     *phaseError // nil if the circuit is not autonomous
}

// gatePoints is the number of points in variation.halves. They are the present point, the two
// before it, and a third one, which is required after a step is removed. The constant ringSize is a
// multiple of gatePoints, so both ring buffers have consistent indices.
const gatePoints = 4

// deviceCharges is a nonlinear device and the capacitances of its charges.
type deviceCharges struct {
	device      device.TwoTerminalCharges
	capacitance []float64
}

// crossCharge is a charge of a device that also depends on another difference of unknowns.
type crossCharge struct {
	device device.CrossCharge
	number int        // number of the charge
	ends   chargeEnds // unknowns of the other difference
}

// chargeEnds holds the unknowns whose difference determines a charge. Both are ground for the
// charges in variation.otherCharges.
type chargeEnds struct{ from, to int32 }

// voltage returns the difference [V or A] for the unknowns x.
func (c chargeEnds) voltage(x []float64) float64 { return x[c.from] - x[c.to] }

func newVariation(s *sim, outputs int) *variation {
	m, n := s.n+1, len(s.setup.Charges)
	vec := func(n int) []float64 { return make([]float64, n) }
	v := &variation{e: vec(m), b: vec(m), worst: vec(outputs),
		ends: make([]chargeEnds, n), capacitance: vec(n), offset: vec(n), currents: vec(n)}
	v.load = device.Load{X: v.e, B: v.b, Transient: true, Gmin: s.opt.Gmin,
		State: vec(s.setup.States), History: vec(s.setup.States)}
	if s.isAutonomous() {
		v.phase = &phaseError{}
		if s.job.Analysis.Start == 0 {
			v.phase.least = leastCarried / phaseMargin
		} else {
			v.phase.rows = -1 // record also stores the errors of the first row
		}
	}
	v.charges = newCharges(0, m, s.setup.Charges, v.load.History)
	v.classify(s)
	for k := range v.halves {
		v.halves[k] = vec(len(v.gates))
	}
	return v
}

// classify assigns each device and charge to the fields of v by the unknowns that determine its
// charges. It stores the constant capacitances of linear devices.
func (v *variation) classify(s *sim) {
	number := make(map[int]int, len(s.setup.Charges)) // number of the charge at each state
	for n, k := range s.setup.Charges {
		number[k] = n
	}
	found := make([]bool, len(s.setup.Charges))
	for _, d := range s.devices {
		var list []device.TwoTerminalCharge
		t, ok := d.(device.TwoTerminalCharges)
		if ok {
			list = t.Charges()
		}
		if len(list) == 0 {
			if c, ok := d.(device.ChargeStorage); ok {
				v.storage = append(v.storage, c)
			} else if c, ok := d.(device.VariationalDevice); ok {
				v.devices = append(v.devices, c)
			}
			continue
		}
		if x, ok := d.(device.CrossCharge); ok {
			if c := x.CrossCharge(); c.State >= 0 {
				v.crosses = append(v.crosses, crossCharge{x, number[c.State],
					chargeEnds{int32(c.From), int32(c.To)}})
			}
		}
		for _, c := range list {
			n := number[c.State]
			found[n], v.ends[n] = true, chargeEnds{int32(c.From), int32(c.To)}
			if c.Gate {
				v.gates = append(v.gates, int32(n))
			}
		}
		first := number[list[0].State]
		charges := deviceCharges{t, v.capacitance[first : first+len(list)]}
		if d.Nonlinear() {
			v.twoTerminal = append(v.twoTerminal, charges)
		} else {
			t.Capacitances(charges.capacitance)
		}
	}
	v.storage = device.GroupByType(v.storage)
	for n, ok := range found {
		if !ok {
			v.otherCharges = append(v.otherCharges, n)
		}
	}
}

// advance propagates the error over a solved step of h [s] with formula f. If residual is set, s.f
// holds the residual of the solution, which excites the error too.
func (v *variation) advance(st *stepper, h float64, f integrator, residual bool) {
	if v.void {
		return
	}
	s, l, q := st.sim, &v.load, &v.charges
	q.past.points = st.charges.past.points
	v.companion(&st.charges, &st.lte, f, h)
	for _, d := range v.twoTerminal {
		d.device.Capacitances(d.capacitance)
	}
	v.addGates(&st.charges.past, s.x, h)
	b, stateIndexes := v.b, q.past.stateIndexes
	clear(b)
	v.loadCharges()
	for _, n := range v.otherCharges {
		l.History[stateIndexes[n]] = q.sum[n]
	}
	for _, d := range v.storage {
		d.LoadRHS(l)
	}
	for _, d := range v.devices {
		d.LoadHistory(l)
	}
	if residual {
		for i, r := range s.f {
			b[i] += r
		}
	}
	s.solve(b, v.e)
	v.varyCharges()
	for _, d := range v.storage {
		d.Update(l)
	}
	for _, d := range v.devices {
		d.VaryCharges(l)
	}
	for _, n := range v.otherCharges {
		q.now[n], v.currents[n] = l.State[stateIndexes[n]], l.State[stateIndexes[n]+1]
	}
	q.now, v.currents = q.past.pushCharges(q.now, v.currents, v.e, h)
}

// loadCharges adds the companion current sources of the charges, which are their currents at an
// error of 0 V, to the right-hand side v.b.
func (v *variation) loadCharges() {
	a0, ends, b := v.load.A0, v.ends, v.b
	offset, sum := v.offset[:len(ends)], v.charges.sum[:len(ends)]
	for k, c := range ends {
		i := a0*offset[k] + sum[k]
		b[c.from] -= i
		b[c.to] += i
	}
}

// varyCharges computes the errors of the charges and their currents for the errors v.e.
func (v *variation) varyCharges() {
	a0, ends, e := v.load.A0, v.ends, v.e
	offset, sum, capacitance := v.offset[:len(ends)], v.charges.sum[:len(ends)],
		v.capacitance[:len(ends)]
	now, currents := v.charges.now[:len(ends)], v.currents[:len(ends)]
	for k, c := range ends {
		q := offset[k] + capacitance[k]*c.voltage(e)
		now[k], currents[k] = q, a0*q+sum[k]
	}
	for k := range v.crosses {
		c := &v.crosses[k]
		q := c.device.CrossCapacitance() * c.ends.voltage(e)
		now[c.number] += q
		currents[c.number] += a0 * q
	}
}

// addGates computes the capacitances and offsets of the gate charges for a step of h [s]. A gate
// charge continues from its value at the last point. main and x are the history and the solution of
// the run.
func (v *variation) addGates(main *history, x []float64, h float64) {
	own := &v.charges.past
	halves := func(n int) []float64 {
		return v.halves[(own.latest+n)%gatePoints][:len(v.gates)]
	}
	now, last, before := halves(gatePoints-1), halves(0), halves(1)
	if !v.started {
		for g, n := range v.gates {
			last[g] = v.capacitance[n]
		}
		v.started = true
	}
	e, x1, x2 := own.x(0), main.x(0), main.x(1)
	weight := 0.0
	if main.points >= 2 {
		weight = device.GateErrorWeight(h, main.h[0])
	}
	ends, charges := v.ends, own.charge(0)[:len(v.ends)]
	capacitance, offset := v.capacitance[:len(ends)], v.offset[:len(ends)]
	for g, n := range v.gates {
		c0, c1, c2 := before[g], last[g], capacitance[n]
		now[g] = c2
		c, nodes := c1+c2, ends[n]
		capacitance[n] = c
		q := charges[n] - c*nodes.voltage(e)
		if c2 != c1 || c1 != c0 {
			v1 := nodes.voltage(x1)
			q += device.GateChargeError(weight, 2*(c2-c1), 2*(c1-c0), nodes.voltage(x)-v1,
				v1-nodes.voltage(x2))
		}
		offset[n] = q
	}
}

// companion computes the companion currents of the errors for a step of h [s] with formula f and
// stores them in v.charges.sum. They are the currents of the formula minus the LTE. Unlike
// integrator.companion, it does not predict charges. q holds the charges of the run.
func (v *variation) companion(q *charges, lte *lteControl, f integrator, h float64) {
	l, p := &v.load, &v.charges.past
	n := len(p.stateIndexes)
	sum := v.charges.sum[:n]
	q1 := p.charge(0)[:n]
	if b, ok := f.(bdf); ok {
		w := p.bdfWeights(h, b.k)
		l.A0 = w[0]
		w1, w2, w3, w4 := w[1], w[2], w[3], w[4]
		q2, q3, q4 := p.charge(1)[:n], p.charge(2)[:n], p.charge(3)[:n]
		for k := range sum {
			sum[k] = w1*q1[k] + w2*q2[k] + w3*q3[k] + w4*q4[k]
		}
	} else {
		l.A0 = 2 / h
		a0 := -l.A0
		i1 := p.current(0)[:n]
		for k := range sum {
			sum[k] = a0*q1[k] - i1[k]
		}
	}
	v.subtractLTE(q, lte, h, f)
}

// subtractLTE subtracts the LTE of a step of h [s] with formula f from the companion currents. q
// holds the charges of the run.
func (v *variation) subtractLTE(q *charges, lte *lteControl, h float64, f integrator) {
	p, sum := &q.past, v.charges.sum
	// the LTE of the first step is known only at the second step
	first := p.points == 2 && f.order() > 1
	if !first && p.points <= f.order() {
		return
	}
	formula, part := f, 1.0
	if first {
		formula, part = bdf{k: 1}, p.h[0]*p.h[0]/(h*h)
	}
	c, now, predicted := formula.lte(h, q)
	c *= v.load.A0 * part
	now, predicted = now[:len(sum)], predicted[:len(sum)]
	if formula.order() == 1 {
		for k := range sum {
			sum[k] -= c * (now[k] - predicted[k])
		}
		return
	}
	// At a kink the differences do not approximate the derivatives, and the LTE is larger. The
	// prediction errors of the formula's order and of order 1 then have similar magnitudes.
	ahead := h / p.h[0]
	last, before, least := p.charge(0)[:len(sum)], p.charge(1)[:len(sum)], lte.least[:len(sum)]
	small := 0.01 * v.load.A0 / c // threshold relative to the tolerance
	for k := range sum {
		d := now[k] - predicted[k]
		i := c * d
		if math.Abs(d) > small*least[k] {
			kink := d / (now[k] - last[k] - ahead*(last[k]-before[k]))
			if kink *= kink; !(kink < 1) {
				kink = 1
			}
			i += kinkGain * i * kink
		}
		sum[k] -= i
	}
}

// invalidate makes the carried error void and frees its memory. The errors of rows that have been
// removed from the result cannot be judged.
func (v *variation) invalidate() {
	v.void, v.pending = true, nil
	if v.phase != nil {
		v.phase.errors, v.phase.shift = nil, nil
	}
}

// judge records the errors of the outputs at time t [s] that may become the largest. A value may be
// shifted in time by the window around t.
func (v *variation) judge(st *stepper, t float64) {
	v.settle(st, t)
	p := &st.charges.past
	for k, i := range st.chord.outputs {
		e := math.Abs(v.e[i])
		if e <= v.worst[k] {
			continue
		}
		if t > settled*st.stop && e > linearRange*st.chord.span(k, p.x(0)[i]) &&
			e > rangeWithin(p, i, 2*jumpStep*st.stop) {
			v.beyondLinear = true
		}
		if !(e <= largest) {
			v.void = true
			return
		}
		if e-rangeWithin(p, i, st.window(t)) > v.worst[k] {
			v.pending = append(v.pending, rowError{int32(st.out.rows()), int32(k + 1), e})
		}
	}
}

// window returns the time [s] by which a value at time t [s] may be shifted.
func (st *stepper) window(t float64) float64 {
	return max(st.eventTolerance()*t, jumpStep*st.stop)
}

// settle processes the pending errors whose window has passed at time t [s]. It reduces each error
// by the range of the output within the window.
func (v *variation) settle(st *stepper, t float64) {
	out, n := st.out, 0
	for _, e := range v.pending {
		if int(e.row) >= out.rows() {
			break // the run ended early
		}
		at := out.data[int(e.row)*out.width]
		window := st.window(at)
		if at+window >= t {
			break
		}
		if k := e.column - 1; e.size > v.worst[k] {
			v.worst[k] = max(v.worst[k], out.outsideWindow(int(e.row), int(e.column),
				window, e.size, v.worst[k]))
		}
		n++
	}
	if n > 0 {
		v.pending = v.pending[:copy(v.pending, v.pending[n:])]
	}
}

// dropRow removes the errors of the last row of the result.
func (v *variation) dropRow(out *table) {
	n := len(v.pending)
	for n > 0 && int(v.pending[n-1].row) >= out.rows()-1 {
		n--
	}
	v.pending = v.pending[:n]
}

// rangeWithin returns the range [V or A] of unknown i within window [s] before the last point, as
// far as the history reaches.
func rangeWithin(p *history, i int, window float64) float64 {
	now := p.x(0)[i]
	lo, hi := now, now
	for n := 0; n < min(historyDepth, p.points-1) && window > 0; n++ {
		from := p.x(n)[i]
		to := p.x(n + 1)[i]
		if part := window / p.h[n]; part < 1 {
			to = from + part*(to-from)
		}
		lo, hi = min(lo, to), max(hi, to)
		window -= p.h[n]
	}
	return hi - lo
}

// carriesError reports whether the variational equation describes the circuit. The circuit must
// have nonlinear devices and charges, and no device may be discontinuous or have a delay. Every
// nonlinear device with charges must implement TwoTerminalCharges. Switches are allowed if diodes
// are the only other nonlinear devices, or if sources alone control the switches; see judgeEvent.
func (s *sim) carriesError() bool {
	if len(s.nonlinear) == 0 || len(s.setup.Charges) == 0 || s.discontinuous || len(s.delayed) > 0 {
		return false
	}
	return len(s.eventDevices) == 0 || s.hasOnlyDiodes() || s.switchesFollowSources()
}

// isPassive reports whether no device amplifies. It allows only R, L, C, K, D and independent
// sources.
func (s *sim) isPassive() bool {
	for _, d := range s.devices {
		if e := d.Element(); e.BSource != nil || !strings.ContainsRune("rlckdvi", rune(e.Kind)) {
			return false
		}
	}
	return true
}

// hasOnlyDiodes reports whether all nonlinear devices are switches or diodes.
func (s *sim) hasOnlyDiodes() bool {
	for _, d := range s.nonlinear {
		if _, ok := d.(device.EventDevice); !ok && d.Element().Kind != 'd' {
			return false
		}
	}
	return true
}

// hasOnlyFETs reports whether all nonlinear devices are field-effect transistors.
func (s *sim) hasOnlyFETs() bool {
	for _, d := range s.nonlinear {
		if !strings.ContainsRune("mjz", rune(d.Element().Kind)) {
			return false
		}
	}
	return true
}

// switchesFollowSources reports whether independent sources to ground control every switch. The
// times of all events then have no error.
func (s *sim) switchesFollowSources() bool {
	fixed := map[string]bool{"0": true}
	for _, d := range s.devices {
		if e := d.Element(); e.Kind == 'v' && (e.Nodes[0] == "0" || e.Nodes[1] == "0") {
			fixed[e.Nodes[0]], fixed[e.Nodes[1]] = true, true
		}
	}
	for _, d := range s.nonlinear {
		e := d.Element()
		if _, ok := d.(device.EventDevice); !ok {
			continue
		}
		if e.Kind != 's' || !fixed[e.Nodes[2]] || !fixed[e.Nodes[3]] {
			return false
		}
	}
	return true
}

// judgeEvent is called after a step with an event. If sources alone control all switches, the time
// of the event has no error. Otherwise the error jumps, and the estimate becomes void.
func (v *variation) judgeEvent(st *stepper) {
	for _, d := range st.eventDevices {
		if e := d.Control(v.e); math.Abs(e) > controlError*math.Abs(d.Control(st.x)) {
			v.void = true
		}
	}
}

// controlError is the largest relative error of a control signal that counts as exact. It is above
// the roundoff of double precision.
const controlError = 1e-12

// carriedError returns the propagated error of the run, relative to each vector's peak-to-peak
// value or to the period. ok is false if the linearized equations do not describe the error well or
// rows of the result were removed.
func (st *stepper) carriedError() (estimate float64, ok bool) {
	v := st.variation
	if v == nil || v.void || st.out.bound != nil {
		return 0, false
	}
	if ok = true; v.phase != nil {
		estimate, ok = v.phase.estimate(st.out, st.chord.smallestRanges(), true)
		estimate *= phaseMargin
	} else {
		v.settle(st, math.Inf(1))
		estimate = v.estimate(st.out.significantSpans(st.chord.smallestRanges()), nil)
	}
	return estimate, ok && estimate < linearRange && !v.beyondLinear
}

// trustedError returns the carried error or the error estimate of radau, but at least leastCarried.
// ok is false for regenerative circuits and for an invalid carried error.
func (st *stepper) trustedError() (estimate float64, ok bool) {
	if st.radau != nil {
		return max(st.radau.estimate(st.out, &st.chord), leastCarried), true
	}
	estimate, ok = st.carriedError()
	return max(estimate, leastCarried), ok && !st.isRegenerative()
}

// isRegenerative reports whether the result has edges far steeper than those of the sources. During
// such an edge positive feedback amplifies errors more than the linearized steps show. Schmitt
// triggers, flip-flops and comparators are therefore checked by a comparison of runs. Switches and
// the reverse recovery of diodes cause fast edges without positive feedback.
func (st *stepper) isRegenerative() bool {
	return st.variation != nil && st.variation.phase == nil && len(st.eventDevices) == 0 &&
		!st.isPassive() && st.edgeGain() > fastEdge
}

// edgeGain returns the largest slope of a node voltage divided by the largest slope of a source.
// Both slopes are relative to the peak-to-peak value.
func (st *stepper) edgeGain() float64 {
	out, w := st.out, st.out.width
	fastest := 0.0 // largest slope [1/s] of a source
	for _, d := range st.timed {
		last := d.At(out.data[0])
		lo, hi, slope := last, last, 0.0
		for r := 1; r < out.rows(); r++ {
			v := d.At(out.data[r*w])
			lo, hi = min(lo, v), max(hi, v)
			if h := out.data[r*w] - out.data[(r-1)*w]; h > 0 {
				slope = max(slope, math.Abs(v-last)/h)
			}
			last = v
		}
		if hi > lo {
			fastest = max(fastest, slope/(hi-lo))
		}
	}
	spans, edge := out.spans(), 0.0
	for c := 1; c < w; c++ {
		if st.branch[st.chord.outputs[c-1]] || spans[c] < leastEdge {
			spans[c] = math.Inf(1)
		}
	}
	for r := 1; r < out.rows(); r++ {
		last, row := out.data[(r-1)*w:r*w], out.data[r*w:(r+1)*w]
		h := row[0] - last[0]
		if h <= 0 {
			continue
		}
		least := max(chordTolerance, edge*h)
		for c := 1; c < w; c++ {
			if move := math.Abs(row[c] - last[c]); move > least*spans[c] {
				least = move / spans[c]
				edge = least / h
			}
		}
	}
	if edge == 0 {
		return 0
	}
	return edge / fastest
}

// judgeStep adds the step of h [s] that ends at time t [s] to the carried error of the result.
func (v *variation) judgeStep(st *stepper, t, h float64) {
	if st.events.isolated {
		v.judgeEvent(st)
	}
	if t < st.job.Analysis.Start-st.minStep {
		return
	}
	switch {
	case st.out.bound != nil:
		v.invalidate()
	case v.phase != nil:
		v.split(st, t, h)
		v.record(st)
	default:
		v.judge(st, t)
	}
}

// tooCoarse reports whether the carried error at time t [s] of a first run exceeds the goal and the
// budget allows a finer run. In this case it sets st.aborted and st.finerLimit.
func (st *stepper) tooCoarse(t float64) bool {
	v := st.variation
	if !st.mayAbort || v == nil || v.void || t < abortAfter*st.stop || t < v.nextCheck {
		return false
	}
	all := float64(st.stats.NewtonIterations) * st.stop / t * finerEffort
	if v.phase != nil {
		// The iterations so far do not predict the total while an oscillation is still growing.
		all = min(float64(st.total.Newton), st.refineEffort()/st.effort()) / finerEffort
	}
	if all*st.effort() > st.refineEffort() || !st.allowsIterations(all) {
		return false
	}
	c := &st.chord
	if v.phase != nil {
		v.nextCheck = t + abortInterval*st.stop
		if e, ok := v.phase.estimate(st.out, c.smallestRanges(), false); ok {
			st.aborted = phaseMargin * e
		}
	}
	for k, e := range v.worst {
		st.aborted = max(st.aborted, e/max(c.high[k]-c.low[k], c.smallestRange(k)))
	}
	if st.aborted < abortError {
		st.aborted = 0
	}
	st.finerLimit = int(all)
	return st.aborted > 0
}

// estimate returns the largest error of the outputs, relative to the peak-to-peak value span [V or
// A] of each column. lines holds relative errors that are added to those of the columns; it may be
// nil.
func (v *variation) estimate(span, lines []float64) (worst float64) {
	for k, e := range v.worst {
		e /= span[k+1]
		if lines != nil {
			e += lines[k+1]
		}
		worst = max(worst, e)
	}
	return worst
}
