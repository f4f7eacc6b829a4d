package device

// VariationalDevice is a nonlinear device with charges that supports the variational equation. This
// equation is the circuit equation linearized for a small change of the solution. Both methods use
// the tangent of the last Load.
type VariationalDevice interface {
	// LoadHistory adds the companion currents l.History of the charges to the right-hand side l.B.
	LoadHistory(l *Load)
	// VaryCharges stores in l.State the charge changes [C] and their currents [A] for the change
	// l.X of the unknowns.
	VaryCharges(l *Load)
}

// loadHistory subtracts the companion current of the charge at state k from row a and adds it to
// row b. The charge increases with sign·(v(a) - v(b)).
func (l *Load) loadHistory(k int, sign float64, a, b int) {
	i := sign * l.History[k]
	l.B[a] -= i
	l.B[b] += i
}

// LoadHistory adds the companion current of the junction charge.
func (d *diode) LoadHistory(l *Load) {
	if d.q >= 0 {
		l.loadHistory(d.q, 1, d.internal, d.k)
	}
}

// VaryCharges stores the change of the junction charge.
func (d *diode) VaryCharges(l *Load) {
	if d.q >= 0 {
		l.Charge(d.q, d.tangent.c*(l.X[d.internal]-l.X[d.k]), 0)
	}
}

// LoadHistory adds the companion currents of the gate junctions.
func (d *jfet) LoadHistory(l *Load) {
	if d.hasQ {
		l.loadHistory(d.q[0], d.sign, d.g, d.si)
		l.loadHistory(d.q[1], d.sign, d.g, d.di)
	}
}

// VaryCharges stores the changes of the gate junction charges.
func (d *jfet) VaryCharges(l *Load) {
	if d.hasQ {
		for k, end := range [2]int{d.si, d.di} {
			l.Charge(d.q[k], d.sign*d.tangent.junction[k].c*(l.X[d.g]-l.X[end]), 0)
		}
	}
}

// LoadHistory adds the companion currents of all charges and the change of the collector current by
// excess phase.
func (d *bipolar) LoadHistory(l *Load) {
	if d.qbe >= 0 {
		l.loadHistory(d.qbe, d.sign, d.bi, d.ei)
	}
	if d.qbc >= 0 {
		l.loadHistory(d.qbc, d.sign, d.bi, d.ci)
	}
	if d.qbx >= 0 {
		l.loadHistory(d.qbx, d.sign, d.baseNode, d.ci)
	}
	if d.qcs >= 0 {
		l.loadHistory(d.qcs, d.sign*d.model.subs, d.substrate, d.substrateTo)
	}
	if d.delay > 0 {
		late, _ := d.excessPhase(l, 0)
		l.B[d.ci] -= d.sign * late
		l.B[d.ei] += d.sign * late
	}
}

// VaryCharges stores the changes of all charges.
func (d *bipolar) VaryCharges(l *Load) {
	x, sg, pt := l.X, d.sign, &d.tangent
	vbe, vbc := sg*(x[d.bi]-x[d.ei]), sg*(x[d.bi]-x[d.ci])
	if d.delay > 0 {
		d.excessPhase(l, pt.fwBE*vbe+pt.fwBC*vbc)
	}
	if d.qbe >= 0 {
		l.Charge(d.qbe, pt.cbe*vbe+pt.cbeBC*vbc, 0)
	}
	if d.qbc >= 0 {
		l.Charge(d.qbc, pt.cbc*vbc, 0)
	}
	if d.qbx >= 0 {
		l.Charge(d.qbx, d.collectorChargeTangent.c*sg*(x[d.baseNode]-x[d.ci]), 0)
	}
	if d.qcs >= 0 {
		v := sg * d.model.subs * (x[d.substrate] - x[d.substrateTo])
		l.Charge(d.qcs, d.substrateChargeTangent.c*v, 0)
	}
}

// LoadHistory adds the companion currents of the bulk junctions and of the gate charges.
func (d *mosfet) LoadHistory(l *Load) {
	sg, b := d.sign, l.B
	history, last := (*mosfetStates)(l.History[d.states:]), (*mosfetStates)(l.PrevState[d.states:])
	if d.junctionCharge[0] {
		i := sg * history[junctionStates]
		b[d.b] -= i
		b[d.di] += i
	}
	if d.junctionCharge[1] {
		i := sg * history[junctionStates+2]
		b[d.b] -= i
		b[d.si] += i
	}
	d.setGateErrors(l)
	for k, end := range d.gateEnd {
		if d.gateCharge[k] {
			// The charge variation continues from its value at the last time point.
			last := last.gate(k)
			c := d.tangent.halfCap[k] + last[2] + d.overlap[k]
			q := last[0] - c*last[3] + d.gateError[k]
			i := sg * (l.A0*q + history.gate(k)[0])
			b[d.g] -= i
			b[end] += i
		}
	}
}

// setGateErrors computes the errors [C] that the last step added to the gate charges. They are 0 if
// the states two points earlier are unknown.
func (d *mosfet) setGateErrors(l *Load) {
	if l.Solution[2] == nil {
		d.gateError = [3]float64{}
		return
	}
	now, last, before := (*mosfetStates)(l.Solution[0][d.states:]),
		(*mosfetStates)(l.Solution[1][d.states:]), (*mosfetStates)(l.Solution[2][d.states:])
	for k := range d.gateError {
		if d.gateCharge[k] {
			d.gateError[k] = gateChargeError(now.gate(k), last.gate(k), before.gate(k), l.Steps)
		}
	}
}

// VaryCharges stores the changes of the bulk junction charges and the gate charges. As in Newton's
// method, the gate capacitance is treated as constant within a step.
func (d *mosfet) VaryCharges(l *Load) {
	x, sg, t := l.X, d.sign, &d.tangent
	now, last := (*mosfetStates)(l.State[d.states:]), (*mosfetStates)(l.PrevState[d.states:])
	history := (*mosfetStates)(l.History[d.states:])
	if d.junctionCharge[0] {
		q := t.bulk[0].c * sg * (x[d.b] - x[d.di])
		*now.charge(0) = [2]float64{q, l.A0*q + history[junctionStates]}
	}
	if d.junctionCharge[1] {
		q := t.bulk[1].c * sg * (x[d.b] - x[d.si])
		*now.charge(1) = [2]float64{q, l.A0*q + history[junctionStates+2]}
	}
	vg := x[d.g]
	for k, end := range d.gateEnd {
		if d.gateCharge[k] {
			last := last.gate(k)
			half, v := t.halfCap[k], sg*(vg-x[end])
			q := last[0] + (half+last[2]+d.overlap[k])*(v-last[3]) + d.gateError[k]
			*now.gate(k) = gateState{q, l.A0*q + history.gate(k)[0], half, v}
		}
	}
}

// LoadHistory adds the companion currents of the gate charges and the body diode.
func (d *vdmos) LoadHistory(l *Load) {
	d.body.LoadHistory(l)
	l.loadHistory(d.q[0], d.sign, d.gi, d.si)
	l.loadHistory(d.q[1], d.sign, d.gi, d.di)
}

// VaryCharges stores the changes of the charges of the gate and the body diode.
func (d *vdmos) VaryCharges(l *Load) {
	d.body.VaryCharges(l)
	l.Charge(d.q[0], d.sign*d.mult*d.cgs*(l.X[d.gi]-l.X[d.si]), 0)
	l.Charge(d.q[1], d.sign*d.gdCap*(l.X[d.gi]-l.X[d.di]), 0)
}
