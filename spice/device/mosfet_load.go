package device

import "math"

// evaluateIfNeeded updates the tangents to the given voltages [V]. If keep is set, it retains
// tangents within the bypass tolerance.
func (d *mosfet) evaluateIfNeeded(l *Load, keep bool, vgs, vds, vbs float64) {
	t := &d.tangent
	if !keep || !t.isNear(vgs, vds, vbs) {
		d.evaluate(vgs, vds, vbs, t)
	}
	if v := vbs - vds; !keep || !t.bulk[0].isNear(v, d.negligibleBelow[0]) {
		d.evaluateBulk(l, 0, v)
	}
	if !keep || !t.bulk[1].isNear(vbs, d.negligibleBelow[1]) {
		if d.sourceTiedToBulk {
			t.bulk[1].v = vbs
		} else {
			d.evaluateBulk(l, 1, vbs)
		}
	}
	t.valid = true
}

func (d *mosfet) evaluateBulk(l *Load, k int, v float64) {
	j := &d.tangent.bulk[k]
	j.v = v
	j.i, j.g = d.bulk(k, v, l.Gmin)
	if d.junctionCharge[k] && !l.NoCharges {
		q, c := d.bottom[k].at(v)
		q2, c2 := d.side[k].at(v)
		j.q, j.c = q+q2, c+c2
	}
}

// bulk returns the current [A] and the conductance [S] of bulk junction k (0 drain, 1 source) at v
// [V].
func (d *mosfet) bulk(k int, v, gmin float64) (i, g float64) {
	if v <= -3*d.vt {
		return gmin*v - d.isat[k], gmin
	}
	i, g = tangentExp(v, d.isat[k], d.vt)
	return i - d.isat[k] + gmin*v, g + gmin
}

// evaluate sets t to the channel and the gate capacitances for either sign of vds. The derivatives
// are with respect to the source-referred voltages.
func (d *mosfet) evaluate(vgs, vds, vbs float64, t *mosfetTangent) {
	t.vgs, t.vds, t.vbs = vgs, vds, vbs
	var source, drain, bulk float64
	if vds >= 0 {
		id, von, vdsat := d.channel.at(vgs, vds, vbs)
		t.i, t.g, t.d, t.b, t.von = id.v, id.d0, id.d1, id.d2, von
		source, drain, bulk = d.meyer(vgs-von, vds, vdsat)
	} else {
		id, von, vdsat := d.channel.at(vgs-vds, -vds, vbs-vds)
		t.i, t.g, t.d, t.b, t.von = -id.v, -id.d0, id.d0+id.d1+id.d2, -id.d2, von
		drain, source, bulk = d.meyer(vgs-vds-von, -vds, vdsat)
	}
	if d.sourceTiedToBulk {
		source += bulk
	}
	t.halfCap[0], t.halfCap[1], t.halfCap[2] = source, drain, bulk
}

// Load sums the contributions of channel, junctions and capacitances to each entry before adding
// them to the matrix. It omits the junction between bulk and source if they are the same node.
func (d *mosfet) Load(l *Load) {
	x, sg, t := l.X, d.sign, &d.tangent
	vs := x[d.si]
	vgs, vds, vbs := sg*(x[d.g]-vs), sg*(x[d.di]-vs), sg*(x[d.b]-vs)
	now := (*mosfetStates)(l.State[d.states:])
	if l.InitJunctions {
		vgs, vds, vbs = sg*d.vto, 0, -1
		l.Limited = true
	} else if !(math.Abs(vgs-now[0]) < d.vt && math.Abs(vds-now[1]) < d.vt &&
		math.Abs(vbs-now[2]) < d.vt) {
		// Limiting never changes steps below Vt.
		vgs, vds, vbs = d.limitVoltages(l, vgs, vds, vbs)
	}
	if keep := t.valid && l.A0 != 0; !keep || !t.isNear(vgs, vds, vbs) ||
		!t.bulk[0].isNear(vbs-vds, d.negligibleBelow[0]) ||
		!t.bulk[1].isNear(vbs, d.negligibleBelow[1]) {
		d.evaluateIfNeeded(l, keep, vgs, vds, vbs)
	}
	now[0], now[1], now[2], now[3] = vgs, vds, vbs, t.von

	r := t.g*t.vgs + t.d*t.vds + t.b*t.vbs - t.i
	gj, rj := d.loadBulk(l, 0, vbs-vds)
	gs, rs, gd, rd, gb, rb := d.storeGateCharges(l, now, vgs, vgs-vds, vgs-vbs)
	a, b, c := l.A, l.B, &d.channelEntries
	a[c[0]] += t.d + gd + gj
	a[c[1]] += t.g - gd
	a[c[3]] -= gd
	b[d.di] += sg * (r - rj - rd)
	if d.sourceTiedToBulk {
		a[c[4]] += gd + gs
		b[d.g] += sg * (rs + rd)
		if d.si == 0 {
			return
		}
		a[c[2]] -= t.d + t.g + gj
		a[c[5]] -= gs
		a[c[6]] -= t.d + gj
		a[c[7]] -= t.g + gs
		a[c[8]] += t.d + t.g + gj + gs
		b[d.si] -= sg * (r - rj + rs)
		return
	}
	gi, ri := d.loadBulk(l, 1, vbs)
	a[c[2]] -= t.d + t.g + t.b
	a[c[4]] += gd + gs + gb
	a[c[5]] -= gs
	a[c[6]] -= t.d
	a[c[7]] -= t.g + gs
	a[c[8]] += t.d + t.g + t.b + gs + gi
	b[d.g] += sg * (rs + rd + rb)
	b[d.si] -= sg * (r + ri + rs)
	e := &d.bulkEntries
	a[e[0]] += t.b - gj
	a[e[2]] -= t.b + gi
	if d.b == 0 {
		return
	}
	a[e[1]] -= gb
	a[e[3]] -= gj
	a[e[4]] -= gb
	a[e[5]] -= gi
	a[e[6]] += gj + gi + gb
	b[d.b] += sg * (rj + ri - rb)
}

// loadBulk returns the companion conductance g [S] and current source r [A] of bulk junction k at v
// [V] and stores its charge.
func (d *mosfet) loadBulk(l *Load, k int, v float64) (g, r float64) {
	st := -1
	if d.junctionCharge[k] && !l.NoCharges {
		st = d.states + junctionStates + 2*k
	}
	return d.tangent.bulk[k].load(l, st, v)
}

func (d *mosfet) LoadAC(l *ACLoad) {
	x, sg := l.X, d.sign
	vgs, vds, vbs := sg*(x[d.g]-x[d.si]), sg*(x[d.di]-x[d.si]), sg*(x[d.b]-x[d.si])
	var t mosfetTangent
	d.evaluate(vgs, vds, vbs, &t)
	gg, gdd, gb := t.g, t.d, t.b
	for k, w := range [2]float64{1, -1} {
		s := &d.entries[k]
		l.A[s[0]] += complex(w*gdd, 0)
		l.A[s[1]] += complex(w*gg, 0)
		l.A[s[2]] -= complex(w*(gg+gdd+gb), 0)
		l.A[s[3]] += complex(w*gb, 0)
	}
	for k, v := range [2]float64{vbs - vds, vbs} {
		_, g := d.bulk(k, v, l.Gmin)
		_, c := d.bottom[k].at(v)
		_, c2 := d.side[k].at(v)
		d.junction[k].addAC(l.A, complex(g, l.Omega*(c+c2)))
	}
	for k, stores := range d.gateCharge {
		if stores {
			d.gate[k].addAC(l.A, complex(0, l.Omega*(2*t.halfCap[k]+d.overlap[k])))
		}
	}
}
