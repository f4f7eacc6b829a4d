package device

import "math"

// bypassesPerEdge is the number of successive bypasses whose errors of a gate charge may add up to
// RowTol. Unlike other charges, a gate charge continues from its value at the last point, so its
// errors accumulate over an edge. With one bypass the delay of a chain of 49 inverters can be
// 3e-4 off and its error eight times the estimate. Ten cost 6 to 17 % more iterations.
const bypassesPerEdge = 10

// canBypassChannel reports whether the tangents of the channel and the gate are accurate within
// RowTol at the given voltages [V]. The error bound uses the curvature of the channel current and
// the slopes of the gate capacitances.
func (d *mosfet) canBypassChannel(l *Load, vgs, vds, vbs float64) bool {
	t := &d.tangent
	c := t.change(vgs, vds, vbs)
	if !l.withinRowTol(d.channel.bypassError(t, c), d.di, d.si) {
		return false
	}
	gate := d.gateBypassError(c)
	if gate == 0 {
		return true
	}
	gate *= bypassesPerEdge * l.A0 * (c.vgs + c.vds + c.vbs)
	last := (*mosfetStates)(l.PrevState[d.states:])
	for k, stores := range d.gateCharge {
		if !stores {
			continue
		}
		v, end := vgs, d.si
		switch k {
		case 1:
			v, end = vgs-vds, d.di
		case 2:
			v, end = vgs-vbs, d.b
		}
		if !l.withinRowTol(gate*math.Abs(v-last.gate(k)[3]), d.g, end) {
			return false
		}
	}
	return true
}

// canBypassBulk reports whether the tangent of bulk junction k (0 drain, 1 source) is accurate
// within RowTol at v [V].
func (d *mosfet) canBypassBulk(l *Load, k int, v float64) bool {
	j := &d.tangent.bulk[k]
	m := v - j.v
	lost := tangentError(j.v, m, j.g, d.isat[k], d.vt)
	if d.junctionCharge[k] {
		lost += l.A0 * j.c * max(d.bottom[k].maxRelSlope, d.side[k].maxRelSlope) * m * m / 2
	}
	end := d.si
	if k == 0 {
		end = d.di
	}
	return l.withinRowTol(lost, d.b, end)
}

// bypassBulk updates the charge of bulk junction k (0 drain, 1 source) along its tangent. It
// reports whether the tangent is accurate at v [V].
func (d *mosfet) bypassBulk(l *Load, k int, v float64) bool {
	j := &d.tangent.bulk[k]
	if !j.isNear(v, d.negligibleBelow[k]) && !d.canBypassBulk(l, k, v) {
		return false
	}
	if d.junctionCharge[k] {
		l.Charge(d.states+junctionStates+2*k, j.q+j.c*(v-j.v), j.c)
	}
	return true
}

// Bypass updates the charges along their tangents. It returns false if the transistor must be
// evaluated. Bypass always succeeds at voltages at which Load reuses a tangent.
func (d *mosfet) Bypass(l *Load) bool {
	x, sg, t := l.X, d.sign, &d.tangent
	vs := x[d.si]
	vgs, vds, vbs := sg*(x[d.g]-vs), sg*(x[d.di]-vs), sg*(x[d.b]-vs)
	if !t.isNear(vgs, vds, vbs) && !d.canBypassChannel(l, vgs, vds, vbs) {
		return false
	}
	if !d.bypassBulk(l, 0, vbs-vds) || !d.sourceTiedToBulk && !d.bypassBulk(l, 1, vbs) {
		return false
	}
	now := (*mosfetStates)(l.State[d.states:])
	d.storeGateCharges(l, now, vgs, vgs-vds, vgs-vbs)
	now[0], now[1], now[2] = vgs, vds, vbs
	return true
}
