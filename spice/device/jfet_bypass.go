package device

import "math"

// jfetTangent is the last evaluation of a JFET.
type jfetTangent struct {
	vgs, vds, i, gm, gds float64            // channel voltages, current and derivatives
	junction             [2]junctionTangent // gate-source and gate-drain junctions
}

// Bypass evaluates the currents at l.X and compares them with the tangents, because an evaluation
// is cheaper than an error bound. It updates the charges along their tangents. It returns false if
// an error exceeds l.RowTol.
func (d *jfet) Bypass(l *Load) bool {
	x, sg, t := l.X, d.sign, &d.tangent
	vgs, vgd := sg*(x[d.g]-x[d.si]), sg*(x[d.g]-x[d.di])
	vds := vgs - vgd
	i, _, _ := d.evaluate(vgs, vds)
	if !l.withinRowTol(math.Abs(i-t.i-t.gm*(vgs-t.vgs)-t.gds*(vds-t.vds)), d.di, d.si) {
		return false
	}
	for k, v := range [2]float64{vgs, vgd} {
		j := &t.junction[k]
		m := v - j.v
		i, _ := d.junction(v, l.Gmin)
		tangentError := math.Abs(i - j.i - j.g*m)
		if d.hasQ {
			q, _ := d.dep[k].at(v)
			tangentError += l.A0 * math.Abs(q-j.q-j.c*m)
		}
		if !l.withinRowTol(tangentError, d.g, [2]int{d.si, d.di}[k]) {
			return false
		}
		if d.hasQ {
			l.Charge(d.q[k], j.q+j.c*m, j.c)
		}
	}
	l.State[d.v], l.State[d.v+1] = vgs, vgd
	return true
}
