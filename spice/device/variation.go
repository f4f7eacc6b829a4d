package device

import "math"

// TwoTerminalCharges is a device whose charges [C] or fluxes [Wb] each depend on the difference of
// two unknowns. The variational equation, which is the circuit equation linearized for a small
// change of the solution, needs only their derivatives.
type TwoTerminalCharges interface {
	// Charges returns the charges in the order in which Setup reserved them. It returns none if a
	// charge depends on further unknowns, other than that of a CrossCharge.
	Charges() []TwoTerminalCharge
	// Capacitances stores in c the capacitance [F] of each charge at the tangent of the last Load.
	// For a flux it stores the negative inductance [H]. For a gate charge it stores half of the
	// capacitance, which Load adds to the half at the last point.
	Capacitances(c []float64)
}

// TwoTerminalCharge is a charge [C] or flux [Wb] that depends on the difference of the unknowns
// From and To. Its current [A] or voltage [V] leaves row From and enters row To.
type TwoTerminalCharge struct {
	State    int  // index of the charge in the state vector
	From, To int  // indices of the unknowns; 0 is ground
	Gate     bool // whether the charge accumulates over the steps, as in Load.gateCharge
}

// signedCharge returns a charge that increases with sign·(v(a) - v(b)).
func signedCharge(state int, sign float64, a, b int) TwoTerminalCharge {
	if sign < 0 {
		a, b = b, a
	}
	return TwoTerminalCharge{State: state, From: a, To: b}
}

// CrossCharge is a device with a charge in TwoTerminalCharges that also depends on another
// difference.
type CrossCharge interface {
	// CrossCharge returns the charge and the other difference. State is -1 if there is none.
	CrossCharge() TwoTerminalCharge
	// CrossCapacitance returns the derivative [F] of the charge with respect to the other
	// difference at the tangent of the last Load.
	CrossCapacitance() float64
}

// VariationalDevice is a nonlinear device with other charges that supports the variational
// equation. Both methods use the tangent of the last Load.
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

// Charges returns the charge of the capacitor.
func (c *capacitor) Charges() []TwoTerminalCharge {
	return []TwoTerminalCharge{signedCharge(c.chargeState, 1, c.a, c.b)}
}

// Capacitances stores the capacitance.
func (c *capacitor) Capacitances(into []float64) { into[0] = c.farads }

// Charges returns the flux, unless it depends on the currents of coupled inductors.
func (d *inductor) Charges() (list []TwoTerminalCharge) {
	if len(d.mutual) == 0 {
		list = append(list, signedCharge(d.fluxState, -1, d.i, 0))
	}
	return list
}

// Capacitances stores the negative inductance [H]. The flux is the inductance times the current,
// and the difference of the unknowns is the negative current.
func (d *inductor) Capacitances(c []float64) { c[0] = -d.henries }

// Charges returns the junction charge.
func (d *diode) Charges() (list []TwoTerminalCharge) {
	if d.q >= 0 {
		list = append(list, signedCharge(d.q, 1, d.internal, d.k))
	}
	return list
}

// Capacitances stores the capacitance of the junction.
func (d *diode) Capacitances(c []float64) {
	if d.q >= 0 {
		c[0] = d.tangent.c
	}
}

// Charges returns the charges of the gate junctions.
func (d *jfet) Charges() (list []TwoTerminalCharge) {
	if d.hasQ {
		list = append(list, signedCharge(d.q[0], d.sign, d.g, d.si),
			signedCharge(d.q[1], d.sign, d.g, d.di))
	}
	return list
}

// Capacitances stores the capacitances of the gate junctions.
func (d *jfet) Capacitances(c []float64) {
	if d.hasQ {
		c[0], c[1] = d.tangent.junction[0].c, d.tangent.junction[1].c
	}
}

// Charges returns the junction charges. The states of excess phase depend on other unknowns.
func (d *bipolar) Charges() (list []TwoTerminalCharge) {
	if d.delay > 0 {
		return nil
	}
	for _, c := range [...]TwoTerminalCharge{signedCharge(d.qbe, d.sign, d.bi, d.ei),
		signedCharge(d.qbc, d.sign, d.bi, d.ci), signedCharge(d.qbx, d.sign, d.baseNode, d.ci),
		signedCharge(d.qcs, d.sign*d.model.subs, d.substrate, d.substrateTo),
		signedCharge(d.outerState(), d.sign, d.bi, d.collectorEnd())} {
		if c.State >= 0 {
			list = append(list, c)
		}
	}
	return list
}

// CrossCharge returns the base-emitter charge with the nodes of the base-collector junction. The
// charge depends on the voltage of this junction by the base charge qb (Early effect) and by VTF.
func (d *bipolar) CrossCharge() TwoTerminalCharge {
	return signedCharge(d.qbe, d.sign, d.bi, d.ci)
}

// CrossCapacitance returns the derivative [F] of the base-emitter charge with respect to the
// voltage of the base-collector junction.
func (d *bipolar) CrossCapacitance() float64 { return d.tangent.cbeBC }

// Capacitances stores the capacitances of the junctions.
func (d *bipolar) Capacitances(c []float64) {
	n := 0
	if d.qbe >= 0 {
		c[n] = d.tangent.cbe
		n++
	}
	if d.qbc >= 0 {
		c[n] = d.tangent.cbc
		n++
	}
	if d.qbx >= 0 {
		c[n] = d.collectorChargeTangent.c
		n++
	}
	if d.qcs >= 0 {
		c[n] = d.substrateChargeTangent.c
		n++
	}
	if d.outerState() >= 0 {
		c[n] = d.epitaxial.tangent.c
	}
}

// Charges returns the charges of the gate and of the body diode.
func (d *vdmos) Charges() []TwoTerminalCharge {
	return append([]TwoTerminalCharge{signedCharge(d.q[0], d.sign, d.gi, d.si),
		signedCharge(d.q[1], d.sign, d.gi, d.di)}, d.body.Charges()...)
}

// Capacitances stores the capacitances of the gate and of the body diode.
func (d *vdmos) Capacitances(c []float64) {
	c[0], c[1] = d.mult*d.cgs, d.tangent.cgd
	d.body.Capacitances(c[2:])
}

// Charges returns the charges of the bulk junctions and of the gate.
func (d *mosfet) Charges() (list []TwoTerminalCharge) {
	for k, end := range [2]int{d.di, d.si} {
		if d.junctionCharge[k] {
			list = append(list, signedCharge(d.states+junctionStates+2*k, d.sign, d.b, end))
		}
	}
	for k, end := range d.gateEnd {
		if d.gateCharge[k] {
			c := signedCharge(d.states+gateStates+4*k, d.sign, d.g, end)
			c.Gate = true
			list = append(list, c)
		}
	}
	return list
}

// Capacitances stores the capacitances of the bulk junctions and half the gate capacitances.
func (d *mosfet) Capacitances(c []float64) {
	t, n := &d.tangent, 0
	for k := range d.junctionCharge {
		if d.junctionCharge[k] {
			c[n] = t.bulk[k].c
			n++
		}
	}
	for k := range d.gateCharge {
		if d.gateCharge[k] {
			c[n] = t.halfCap[k] + d.overlap[k]/2
			n++
		}
	}
}

// GateChargeError returns the error [C] of a gate charge in one step, which results from averaging
// the capacitances at both ends. c and v are the changes of the capacitance [F] and of the voltage
// [V] in the step. c0 and v0 are those in the previous step. For parabolas through these points the
// error is h³/12·(c₂·v₁ - c₁·v₂) with the first derivatives c₁ and v₁ and the second derivatives c₂
// and v₂. At a kink the error is limited to half the product of the changes. weight is the result
// of GateErrorWeight for the two steps.
func GateChargeError(weight, c, c0, v, v0 float64) float64 {
	// In c₂·v₁ - c₁·v₂ the terms in c·v and c0·v0 cancel; only c·v0 - c0·v remains.
	limit := (math.Abs(c) + math.Abs(c0)) * (math.Abs(v) + math.Abs(v0)) / 2
	return min(max(weight*(c*v0-c0*v), -limit), limit)
}

// GateErrorWeight returns the weight (dimensionless) in GateChargeError for a step of h [s] after
// one of h0 [s].
func GateErrorWeight(h, h0 float64) float64 { return h * h / (6 * h0 * (h + h0)) }

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
	if q := d.outerState(); q >= 0 {
		l.loadHistory(q, d.sign, d.bi, d.collectorEnd())
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
	if q := d.outerState(); q >= 0 {
		l.Charge(q, d.epitaxial.tangent.c*d.outerVoltage(x), 0)
	}
}
