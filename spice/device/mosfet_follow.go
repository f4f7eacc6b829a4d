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
	if gate == 0 {
		return true
	}
	gate *= l.A0 * (mg + md + mb)
	for k, st := range d.qg {
		if st < 0 {
			continue
		}
		v, end := vgs, d.si
		switch k {
		case 1:
			v, end = vgs-vds, d.di
		case 2:
			v, end = vgs-vbs, d.b
		}
		if !l.allows(gate*math.Abs(v-l.Last[st+3]), d.g, end) {
			return false
		}
	}
	return true
}

// bulkHolds does the same for a bulk junction.
func (d *mosfet) bulkHolds(l *Load, k int, v float64) bool {
	j := &d.last.bulk[k]
	m := v - j.v
	lost := missed(j.v, m, j.g, d.isat[k], d.vt)
	if d.qj[k] >= 0 {
		lost += l.A0 * j.c * max(d.bottom[k].bend, d.side[k].bend) * m * m / 2
	}
	end := d.si
	if k == 0 {
		end = d.di
	}
	return l.allows(lost, d.b, end)
}

// followBulk moves the charge of a bulk junction along its tangent.
func (d *mosfet) followBulk(l *Load, k int, v float64) bool {
	j := &d.last.bulk[k]
	if !j.calm(v, d.quiet[k]) && !d.bulkHolds(l, k, v) {
		return false
	}
	if st := d.qj[k]; st >= 0 {
		l.Charge(st, j.q+j.c*(v-j.v), j.c)
	}
	return true
}

// Follow moves the charges along their tangents. Where Load would keep a tangent, it holds.
func (d *mosfet) Follow(l *Load) bool {
	x, sg, t := l.X, d.sign, &d.last
	vs := x[d.si]
	vgs, vds, vbs := sg*(x[d.g]-vs), sg*(x[d.di]-vs), sg*(x[d.b]-vs)
	if !t.calm(vgs, vds, vbs) && !d.channelHolds(l, vgs, vds, vbs) {
		return false
	}
	if !d.followBulk(l, 0, vbs-vds) || !d.joined && !d.followBulk(l, 1, vbs) {
		return false
	}
	if st := d.qg[0]; st >= 0 {
		l.gateCharge(st, t.half[0], d.over[0], vgs)
	}
	if st := d.qg[1]; st >= 0 {
		l.gateCharge(st, t.half[1], d.over[1], vgs-vds)
	}
	if st := d.qg[2]; st >= 0 {
		l.gateCharge(st, t.half[2], d.over[2], vgs-vbs)
	}
	now := l.Now[d.v:][:3]
	now[0], now[1], now[2] = vgs, vds, vbs
	return true
}
