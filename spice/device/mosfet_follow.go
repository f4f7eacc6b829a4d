package device

import "math"

// channelHolds tells whether the tangent is good enough at other voltages, by the curvature of the channel current and the slopes of
// the gate capacitances.
func (d *mosfet) channelHolds(l *Load, vgs, vds, vbs float64) bool {
	t := &d.last
	mg, md, mb := math.Abs(vgs-t.vgs), math.Abs(vds-t.vds), math.Abs(vbs-t.vbs)
	over, reach := t.vgs-t.von, mg+mb
	if t.vds < 0 {
		over, reach = over-t.vds, reach+md
	}
	var channel, gate float64
	switch {
	case over+reach <= 0: // stays cut off
		if over+reach > -d.tphi {
			gate = d.cox
		}
	case t.vds >= 0 && over+reach < t.vds-md: // stays saturated
		channel = d.beta * (reach*reach/2 + d.lambda*(over+reach)*md)
		if over < reach {
			gate = d.cox
		}
	default:
		reach = mg + md + mb
		channel = d.beta * (1 + d.lambda*math.Abs(t.vds)) * reach * reach / 2
		gate = d.cox / max(math.Abs(over), 0.2)
	}
	if !l.allows(channel, d.di, d.si) {
		return false
	}
	if !d.hasGate || gate == 0 {
		return true
	}
	gate *= l.A0 * (mg + md + mb)
	st := &d.qg
	return l.allows(gate*math.Abs(vgs-l.Last[st[0]+3]), d.g, d.si) &&
		l.allows(gate*math.Abs(vgs-vds-l.Last[st[1]+3]), d.g, d.di) &&
		l.allows(gate*math.Abs(vgs-vbs-l.Last[st[2]+3]), d.g, d.b)
}

// bulkHolds does the same for a bulk junction.
func (d *mosfet) bulkHolds(l *Load, k int, v float64) bool {
	j := &d.last.bulk[k]
	m := v - j.v
	lost := missed(j.v, m, j.g, d.isat[k], d.vt)
	if d.hasQ {
		lost += l.A0 * j.c * max(d.bottom[k].bend, d.side[k].bend) * m * m / 2
	}
	end := d.si
	if k == 0 {
		end = d.di
	}
	return l.allows(lost, d.b, end)
}

// Follow moves the charges along their tangents.
func (d *mosfet) Follow(l *Load) bool {
	x, sg, t := l.X, d.sign, &d.last
	vgs, vds, vbs := sg*(x[d.g]-x[d.si]), sg*(x[d.di]-x[d.si]), sg*(x[d.b]-x[d.si])
	if !d.channelHolds(l, vgs, vds, vbs) {
		return false
	}
	for k, v := range [2]float64{vbs - vds, vbs} {
		if !d.bulkHolds(l, k, v) {
			return false
		}
		if d.hasQ {
			j := &t.bulk[k]
			l.Charge(d.qj[k], j.q+j.c*(v-j.v), j.c)
		}
	}
	if d.hasGate {
		d.gateCharge(l, 0, vgs)
		d.gateCharge(l, 1, vgs-vds)
		d.gateCharge(l, 2, vgs-vbs)
	}
	now := l.Now[d.v : d.v+4]
	now[0], now[1], now[2] = vgs, vds, vbs
	return true
}
