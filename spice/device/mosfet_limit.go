package device

import "math"

// limitGate limits the change of a gate voltage from old to v [V] near the threshold von (SPICE2
// fetlim). It returns the new voltage.
func limitGate(v, old, von float64) float64 {
	high := math.Abs(2*(old-von)) + 2
	low := high/2 + 2
	full := von + 3.5
	step := v - old
	switch {
	case old >= full && step <= 0 && v >= full:
		return max(v, old-low)
	case old >= full && step <= 0:
		return max(v, von+2)
	case old >= full:
		return min(v, old+high)
	case old >= von && step <= 0:
		return max(v, von-0.5)
	case old >= von:
		return min(v, von+4)
	case step <= 0:
		return max(v, old-high)
	case v <= von+0.5:
		return min(v, old+low)
	}
	return von + 0.5
}

// limitDrain limits the change of a drain voltage from old to v [V] (SPICE2 limvds). It returns the
// new voltage.
func limitDrain(v, old float64) float64 {
	switch {
	case old >= 3.5 && v > old:
		return min(v, 3*old+2)
	case old >= 3.5 && v < 3.5:
		return max(v, 2)
	case old >= 3.5:
		return v
	case v > old:
		return min(v, 4)
	}
	return max(v, -0.5)
}

// limitVoltages returns the voltages vgs, vds and vbs [V] at which Load linearizes. It sets
// l.Limited if they differ from the arguments.
func (d *mosfet) limitVoltages(l *Load, vgs, vds, vbs float64) (float64, float64, float64) {
	o := l.State[d.states : d.states+4]
	g, s, b := vgs, vds, vbs
	gd := g - s
	if o[1] >= 0 {
		g = limitGate(g, o[0], o[3])
		s = limitDrain(g-gd, o[1])
	} else {
		gd = limitGate(gd, o[0]-o[1], o[3])
		s = -limitDrain(-(g - gd), -o[1])
		g = gd + s
	}
	if s >= 0 {
		b, _ = limitJunction(b, o[2], d.vt, d.critical[1])
	} else {
		bd, _ := limitJunction(vbs-vds, o[2]-o[1], d.vt, d.critical[0])
		b = bd + s
	}
	const slack = 1e-12
	if math.Abs(g-vgs)+math.Abs(s-vds)+math.Abs(b-vbs) > slack*(1+math.Abs(vgs)+math.Abs(vds)) {
		l.Limited = true
		return g, s, b
	}
	return vgs, vds, vbs
}
