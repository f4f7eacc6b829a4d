package device

import "math"

// meyer returns half of the intrinsic gate capacitances [F] to source, drain and bulk. The
// capacitance of a step is the sum of the halves at its two ends. over is vgs minus the threshold
// voltage, vds >= 0, and vdsat is the saturation voltage [V].
func (d *mosfet) meyer(over, vds, vdsat float64) (source, drain, bulk float64) {
	if d.cox == 0 {
		return 0, 0, 0
	}
	sat := max(vdsat, 0.025)
	switch {
	case over <= -d.phi:
		return 0, 0, d.cox / 2
	case over <= 0:
		bulk = -over * d.cox / (2 * d.phi)
		if over <= -d.phi/2 {
			return 0, 0, bulk
		}
		source = d.cox/3 - bulk*(4.0/3)
	default:
		source = d.cox / 3
	}
	if vds < sat {
		whole := 2*sat - vds
		part := 1 / (whole * whole)
		rest := sat - vds
		drain = source * (1 - sat*sat*part)
		source *= 1 - rest*rest*part
	}
	return source, drain, bulk
}

// gateState holds the states of a gate charge: charge [C], current [A], half capacitance [F] and
// voltage [V].
type gateState [4]float64

// mosfetStates holds the states of a transistor. The order is vgs, vds, vbs, threshold, and a
// gateState each for source, drain and bulk. The charge and the current of the drain and source
// junctions follow. An array of constant length needs only one bounds check.
type mosfetStates [20]float64

// These are the offsets of the gate and junction states in mosfetStates.
const (
	gateStates     = 4
	junctionStates = 16
)

// gate returns the states of gate charge k: 0 for the source, 1 for the drain, 2 for the bulk.
func (s *mosfetStates) gate(k int) *gateState { return (*gateState)(s[gateStates+4*k:]) }

// gateStep is Load.gateCharge for a transient with the integration coefficient a0 [1/s]. history
// [A] is the contribution of previous time points to the companion current of the gate charge.
func gateStep(now, last *gateState, a0, history, half, over, v float64) (g, r float64) {
	c := half + last[2] + over
	q := last[0] + c*(v-last[3])
	i := a0*q + history
	// Assigning the whole array would copy it through memory.
	now[0], now[1], now[2], now[3] = q, i, half, v
	g = a0 * c
	return g, g*v - i
}

// storeGateCharges stores the gate charges of the tangent at the given voltages [V]. It returns the
// companion conductances [S] and current sources [A] of the charges to source, drain and bulk,
// which are 0 at DC.
func (d *mosfet) storeGateCharges(l *Load, now *mosfetStates, vgs, vgd,
	vgb float64) (gs, rs, gd, rd, gb, rb float64) {
	t := &d.tangent
	if l.A0 == 0 || l.NoCharges {
		for k, v := range [3]float64{vgs, vgd, vgb} {
			if d.gateCharge[k] && !l.NoCharges {
				l.gateCharge(d.states+gateStates+4*k, t.halfCap[k], d.overlap[k], v)
			}
		}
		return gs, rs, gd, rd, gb, rb
	}
	last := (*mosfetStates)(l.PrevState[d.states:])
	history := (*mosfetStates)(l.History[d.states:])
	a0 := l.A0
	if d.gateCharge[0] {
		gs, rs = gateStep(now.gate(0), last.gate(0), a0, history[gateStates], t.halfCap[0],
			d.overlap[0], vgs)
	}
	if d.gateCharge[1] {
		gd, rd = gateStep(now.gate(1), last.gate(1), a0, history[gateStates+4], t.halfCap[1],
			d.overlap[1], vgd)
	}
	if d.gateCharge[2] {
		gb, rb = gateStep(now.gate(2), last.gate(2), a0, history[gateStates+8], t.halfCap[2],
			d.overlap[2], vgb)
	}
	return gs, rs, gd, rd, gb, rb
}

// gateCharge stores the gate charge at v [V] in state st and returns its companion conductance and
// current source. As in SPICE, half is half the Meyer capacitance [F]; over is the overlap
// capacitance [F]. The capacitance of a step is the sum of half at its start, half at its end, and
// over. The charge increases by this capacitance times the voltage change.
func (l *Load) gateCharge(st int, half, over, v float64) (g, r float64) {
	now, last := (*gateState)(l.State[st:]), (*gateState)(l.PrevState[st:])
	now[2], now[3] = half, v
	if l.A0 == 0 {
		now[0], now[1] = (2*half+over)*v, 0
		return 0, 0
	}
	c := half + last[2] + over
	q := last[0] + c*(v-last[3])
	i := l.A0*q + l.History[st]
	now[0], now[1] = q, i
	g = l.A0 * c
	return g, g*v - i
}

// gateBypassError bounds the slopes [F/V] of the gate capacitances over the voltage changes c.
func (d *mosfet) gateBypassError(c mosfetChange) float64 {
	switch {
	case c.cutoff:
		if c.overdrive+c.reach > -d.phi {
			return d.cox
		}
		return 0
	case c.saturated:
		if c.overdrive < c.reach {
			return d.cox
		}
		return 0
	}
	return d.cox / max(math.Abs(c.overdrive), 0.2)
}
