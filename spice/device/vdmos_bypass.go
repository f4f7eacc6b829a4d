package device

import "math"

// vdmosTangent is the last evaluation of a vdmos.
type vdmosTangent struct {
	vgs, vds, i, gm, gds float64 // channel voltages, current and derivatives
	vgd, qgd, cgd        float64 // gate-drain voltage, charge and capacitance
	// voltage across the drain resistance, outer drain-source voltage, current and derivatives
	drop, outer, drainI, drainG, drainSlope float64
}

// Bypass evaluates the currents and charges at l.X and compares them with the tangents, because an
// evaluation is cheaper than an error bound. It updates the charges along their tangents. It
// returns false if an error exceeds l.RowTol.
func (d *vdmos) Bypass(l *Load) bool {
	t := &d.tangent
	vgs, vds := d.voltages(l.X)
	i, _, _ := d.evaluate(vgs, vds)
	tangentError := math.Abs(i - t.i - t.gm*(vgs-t.vgs) - t.gds*(vds-t.vds))
	if !l.withinRowTol(tangentError, d.di, d.si) {
		return false
	}
	vgd := vgs - vds
	q, _ := d.drainCharge(vgd)
	followed := t.qgd + t.cgd*(vgd-t.vgd)
	if !l.withinRowTol(l.A0*math.Abs(q-followed), d.gi, d.di) {
		return false
	}
	if d.rq > 0 {
		drop, outer := l.X[d.d]-l.X[d.di], l.X[d.d]-l.X[d.s]
		g, _ := d.drain(l.X)
		tangentError := g*drop - t.drainI - t.drainG*(drop-t.drop) - t.drainSlope*(outer-t.outer)
		if !l.withinRowTol(math.Abs(tangentError), d.d, d.di) {
			return false
		}
	}
	if !d.body.Bypass(l) {
		return false
	}
	l.Charge(d.q[0], d.mult*d.cgs*vgs, d.mult*d.cgs)
	l.Charge(d.q[1], followed, t.cgd)
	l.State[d.states], l.State[d.states+1] = vgs, vds
	return true
}
