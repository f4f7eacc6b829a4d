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

// gateCharge stores a gate charge at state st and returns conductance and remainder. The
// capacitance of a step is half at its start plus half at its end plus overlap over; the charge
// grows by it.
func (l *Load) gateCharge(st int, half, over, v float64) (g, r float64) {
	now, last := l.State[st:st+4], l.PrevState[st:st+4]
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
	now, last, before := l.Solution[0][st:st+4], l.Solution[1][st:st+4], l.Solution[2][st:st+4]
	h, h0 := l.Steps[0], l.Steps[1]
	c, v := 2*(now[2]-last[2]), now[3]-last[3]
	c0, v0 := 2*(last[2]-before[2]), last[3]-before[3]
	bendC, bendV := (c/h-c0/h0)/(h+h0), (v/h-v0/h0)/(h+h0) // half of the second derivatives
	most := (math.Abs(c) + math.Abs(c0)) * (math.Abs(v) + math.Abs(v0)) / 2
	return min(max(h*h/6*(bendC*v-bendV*c), -most), most)
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
