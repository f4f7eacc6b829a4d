package device

import "math"

// meyer returns half of the intrinsic gate capacitances [F] to source, drain and bulk. The
// capacitance of a step is the sum of the halves at its two ends.
func (d *mosfet) meyer(vgs, vds float64, p *channelPoint) (c [3]float64) {
	if d.cox == 0 {
		return c
	}
	over := vgs - p.von
	sat := max(p.vdsat, 0.025)
	switch {
	case over <= -d.phi:
		c[2] = d.cox / 2
	case over <= -d.phi/2:
		c[2] = -over * d.cox / (2 * d.phi)
	case over <= 0:
		c[2] = -over * d.cox / (2 * d.phi)
		c[0] = over*d.cox/(1.5*d.phi) + d.cox/3
		if vds < sat {
			whole := 2*sat - vds
			c[1] = c[0] * (1 - sat*sat/(whole*whole))
			c[0] *= 1 - (sat-vds)*(sat-vds)/(whole*whole)
		}
	case sat <= vds:
		c[0] = d.cox / 3
	default:
		whole := 2*sat - vds
		c[1] = d.cox * (1 - sat*sat/(whole*whole)) / 3
		c[0] = d.cox * (1 - (sat-vds)*(sat-vds)/(whole*whole)) / 3
	}
	return c
}

// gateState are the states of a gate charge: charge, current, half capacitance, voltage.
type gateState [4]float64

// gateCharge stores a gate charge at state st and returns conductance and remainder. The
// capacitance of a step is half at its start plus half at its end plus overlap over; the charge
// grows by it.
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

// gateChargeError returns the error [C] that a step adds to the gate charge at state st, because
// its capacitance is the mean of those at both ends: h³/12·(c”·v' - c'·v”) for parabolas c(t) and
// v(t) through the last three points. At a kink the error is at most half the product of the
// changes.
func (l *Load) gateChargeError(st int) float64 {
	if l.Solution[2] == nil {
		return 0
	}
	now, last, before := (*gateState)(l.Solution[0][st:]), (*gateState)(l.Solution[1][st:]),
		(*gateState)(l.Solution[2][st:])
	c, c0 := 2*(now[2]-last[2]), 2*(last[2]-before[2])
	if c == 0 && c0 == 0 { // a quiet gate
		return 0
	}
	// In the differences of both derivatives the terms with c·v cancel.
	v, v0 := now[3]-last[3], last[3]-before[3]
	h, h0 := l.Steps[0], l.Steps[1]
	most := (math.Abs(c) + math.Abs(c0)) * (math.Abs(v) + math.Abs(v0)) / 2
	return min(max(h*h/(6*h0*(h+h0))*(c*v0-c0*v), -most), most)
}

// gateBypassError bounds the capacitance [F] by which the tangent of a gate charge is off after the
// changes c.
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
