package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/interval"
	"slipstick/spice/mna"
)

// epitaxial is the lightly doped collector region of a bipolar transistor in quasi-saturation,
// between the nodes cx and ci (G. M. Kull, L. W. Nagel, S. W. Lee et al., A unified circuit model
// for bipolar transistors including quasi-saturation effects, IEEE Trans. ED-32, 1985). The base
// floods the region with carriers as far as a base-collector junction there is forward-biased.
//
// The factor (1 + K)/2 with K(v) = √(1 + γ·e^(v/vt)) of the conductance 1/RCO is a function of the
// local junction voltage v. The current is the integral of the conductance from vbcx to vbc, the
// voltages at the two ends, divided by 1 + |vbc - vbcx|/VO for the saturation of the drift
// velocity. The charge QCO·(K - 1) is stored at each end; that at ci is part of the base-collector
// charge.
type epitaxial struct {
	params                     epitaxialParams
	siemens, gamma, voInv, qco float64 // 1/RCO [S], GAMMA, 1/VO [1/V] and QCO [C] at temperature
	vt                         float64
	cx                         int            // node of the outer end
	vbcx                       int            // state index of the junction voltage at cx
	q                          int            // state index of the charge at cx; -1 without QCO
	entries                    [2][3]mna.Slot // rows cx and ci; columns cx, bi and ci
	store                      pair           // base to cx
	tangent                    epitaxialPoint // last evaluation
	tangentValid               bool
}

// epitaxialParams holds the parameters of the .model card. QUASIMOD other than 0 enables the
// dependence on the temperature.
type epitaxialParams struct{ rco, vo, gamma, qco, quasimod, cn, d, vg float64 }

// epitaxialPoint is the current [A] from cx to ci and the charge [C] between the base and cx at the
// junction voltages vbc and vbcx [V], with the derivatives [S, F].
type epitaxialPoint struct {
	vbc, vbcx    float64
	i, gBC, gBCX float64
	q, c         float64
	slope        float64 // largest derivative of the current [S] without velocity saturation
}

// params appends the descriptions of the card parameters to list. The temperature coefficients of
// the mobility and of the drift velocity depend on the carriers, which are electrons in an npn.
func (p *epitaxialParams) params(list []modelParam, npn bool) []modelParam {
	cn, d := 2.42, 0.87
	if !npn {
		cn, d = 2.2, 0.52
	}
	return append(list,
		modelParam{name: "rco", value: &p.rco},
		modelParam{name: "vo", value: &p.vo, def: 10},
		modelParam{name: "gamma", value: &p.gamma, def: 1e-11},
		modelParam{name: "qco", value: &p.qco},
		modelParam{name: "quasimod", value: &p.quasimod},
		modelParam{name: "cn", value: &p.cn, def: cn},
		modelParam{name: "d", value: &p.d, def: d},
		modelParam{name: "vg", value: &p.vg, def: 1.206})
}

// temperature computes the quantities at the temperature of e for the area factor area. VO is the
// product of the drift velocity, which falls with T^-D, and of RCO, which rises with T^CN. GAMMA
// follows the square of the intrinsic carrier density (PSpice reference manual, BJT).
func (r *epitaxial) temperature(e Env, area float64) {
	p := &r.params
	r.tangentValid = false
	r.vt = kOverQ * e.Temp
	rco, vo, gamma := p.rco, p.vo, p.gamma
	if p.quasimod != 0 {
		t := e.Temp / e.Tnom
		rco *= math.Pow(t, p.cn)
		vo *= math.Pow(t, p.cn-p.d)
		gamma *= t * t * t * math.Exp(p.vg/r.vt*(t-1))
	}
	r.siemens, r.voInv, r.gamma = area/rco, 1/vo, clampSaturation(gamma, 1e100)
	r.qco = p.qco * area
}

// modulation returns K - 1 and the derivative of K [1/V] at the junction voltage v [V].
func (r *epitaxial) modulation(v float64) (above, slope float64) {
	e, g := tangentExp(v, r.gamma, r.vt)
	k := math.Sqrt(1 + e)
	return e / (1 + k), g / (2 * k)
}

// integral returns the integral of (1 + K)/2 over the junction voltage up to v [V] and its
// derivative, from the value K - 1 and the derivative [1/V] of K at v. The integral is
// v + vt·(K - ln(1 + K)) apart from a constant.
func (r *epitaxial) integral(v, above, slope float64) (f, df float64) {
	k := 1 + above
	return v + r.vt*(above-math.Log1p(above/2)), 1 + r.vt*slope*k/(1+k)
}

// evaluate stores the current and the charge at the junction voltages vbc and vbcx [V] in pt.
func (r *epitaxial) evaluate(vbc, vbcx float64, pt *epitaxialPoint) {
	above, slope := r.modulation(vbc)
	f, df := r.integral(vbc, above, slope)
	above, slope = r.modulation(vbcx)
	fx, dfx := r.integral(vbcx, above, slope)
	damping := 1 / (1 + math.Abs(vbc-vbcx)*r.voInv)
	ohmic := r.siemens * damping
	i := ohmic * (f - fx)
	bend := math.Abs(i) * damping * r.voInv
	*pt = epitaxialPoint{vbc: vbc, vbcx: vbcx, i: i, gBC: ohmic*df - bend, gBCX: bend - ohmic*dfx,
		q: r.qco * above, c: r.qco * slope, slope: r.siemens * max(df, dfx)}
}

// setupEpitaxial reserves the entries and the junction voltage of the region.
func (d *bipolar) setupEpitaxial(s *Setup) {
	r := d.epitaxial
	for j, column := range [3]int{r.cx, d.bi, d.ci} {
		r.entries[0][j] = s.Pattern.Slot(r.cx, column)
		r.entries[1][j] = s.Pattern.Slot(d.ci, column)
	}
	r.vbcx, r.q = s.State(1), -1
	if r.params.qco > 0 {
		r.q = s.Charge()
		r.store = newPair(s.Pattern, d.bi, r.cx)
	}
}

// readEpitaxial creates the region for RCO above 0, without which its other parameters have no
// effect.
func (d *bipolar) readEpitaxial(m *cardReader, p *epitaxialParams) {
	if p.rco > 0 {
		if p.vo == 0 {
			m.fail(diag.BadValue, "model %s: vo must be above 0 with rco, not 0", m.e.Model.Name)
		}
		d.epitaxial = &epitaxial{params: *p}
		return
	}
	for _, q := range p.params(nil, d.sign > 0) { // cards of PSpice list the defaults as well
		if q.name != "rco" && *q.value != q.def {
			m.warn(m.e.Model.Line, "model %s: %s has no effect without rco", m.e.Model.Name, q.name)
		}
	}
}

// outerState returns the state index of the charge at the node cx, or -1 if there is none.
func (d *bipolar) outerState() int {
	if d.epitaxial == nil {
		return -1
	}
	return d.epitaxial.q
}

// collectorEnd returns the node behind the collector resistance RC.
func (d *bipolar) collectorEnd() int {
	if d.epitaxial != nil {
		return d.epitaxial.cx
	}
	return d.ci
}

// outerVoltage returns the junction voltage vbcx [V] for the unknowns x.
func (d *bipolar) outerVoltage(x []float64) float64 {
	return d.sign * (x[d.bi] - x[d.epitaxial.cx])
}

// loadEpitaxial adds the current and the charge of the region. vbc [V] is the junction voltage at
// which the transistor is linearized.
func (d *bipolar) loadEpitaxial(l *Load, vbc float64) {
	r, t := d.epitaxial, &d.epitaxial.tangent
	vbcx, limited := 0.0, l.InitJunctions
	if !l.InitJunctions {
		vbcx, limited = limitJunction(d.outerVoltage(l.X), l.State[r.vbcx], d.temp.vt,
			d.temp.critical)
	}
	l.Limited = l.Limited || limited
	l.State[r.vbcx] = vbcx
	if !r.tangentValid || l.A0 == 0 || math.Abs(vbc-t.vbc) >= bypassTolExp ||
		math.Abs(vbcx-t.vbcx) >= bypassTolExp {
		r.evaluate(vbc, vbcx, t)
		r.tangentValid = true
	}
	r.stamp(l.A, t.gBC, t.gBCX)
	i := d.sign * (t.gBC*t.vbc + t.gBCX*t.vbcx - t.i)
	l.B[r.cx] += i
	l.B[d.ci] -= i
	if r.q >= 0 && !l.NoCharges {
		i, g := l.Charge(r.q, t.q+t.c*(vbcx-t.vbcx), t.c)
		r.store.add(l.A, g)
		i = d.sign * (g*vbcx - i)
		l.B[d.bi] += i
		l.B[r.cx] -= i
	}
}

// stamp adds the derivatives [S] of the current to the matrix a.
func (r *epitaxial) stamp(a []float64, gBC, gBCX float64) {
	for k, w := range [2]float64{1, -1} {
		s := &r.entries[k]
		a[s[0]] -= w * gBCX
		a[s[1]] += w * (gBC + gBCX)
		a[s[2]] -= w * gBC
	}
}

// loadEpitaxialAC adds the small-signal conductances and the capacitance of the region.
func (d *bipolar) loadEpitaxialAC(l *ACLoad) {
	r := d.epitaxial
	var t epitaxialPoint
	r.evaluate(d.sign*(l.X[d.bi]-l.X[d.ci]), d.outerVoltage(l.X), &t)
	for k, w := range [2]float64{1, -1} {
		s := &r.entries[k]
		l.A[s[0]] -= complex(w*t.gBCX, 0)
		l.A[s[1]] += complex(w*(t.gBC+t.gBCX), 0)
		l.A[s[2]] -= complex(w*t.gBC, 0)
	}
	if r.q >= 0 {
		r.store.addAC(l.A, complex(0, l.Omega*t.c))
	}
}

// bypassEpitaxial reports whether the tangent is accurate within RowTol at the junction voltage vbc
// [V] and at l.X. It then updates the charge. The second derivative (K² - 1)/(4·vt·K) of the
// integral is at most (K - 1)/(2·vt), and γ/(4·vt) below 0 V. That of the charge is at most its
// derivative divided by vt, and QCO·γ/(2·vt²) below 0 V.
func (d *bipolar) bypassEpitaxial(l *Load, vbc float64) bool {
	r, t := d.epitaxial, &d.epitaxial.tangent
	vbcx := d.outerVoltage(l.X)
	m, mx := vbc-t.vbc, vbcx-t.vbcx
	if math.Abs(m) >= bypassTolExp || math.Abs(mx) >= bypassTolExp {
		curve, store := (t.slope-r.siemens)/r.vt, t.c/r.vt
		if max(vbc, vbcx, t.vbc, t.vbcx) < 0 {
			curve, store = r.siemens*r.gamma/(4*r.vt), r.qco*r.gamma/(2*r.vt*r.vt)
		} else if max(m, mx) > r.vt/4 {
			return false
		}
		square, span := m*m+mx*mx, m-mx
		lost := curve*square + 1.5*t.slope*r.voInv*span*span
		if !l.withinRowTol(lost, r.cx, d.ci) ||
			!l.withinRowTol(l.A0*store*square, d.bi, r.cx) ||
			!l.withinRowTol(l.A0*store*square, d.bi, d.ci) {
			return false
		}
	}
	l.State[r.vbcx] = vbcx
	if r.q >= 0 {
		l.Charge(r.q, t.q+t.c*mx, t.c)
	}
	return true
}

// loadEpitaxialInterval adds the current of the region as a nonlinear term of both junction
// voltages.
func (d *bipolar) loadEpitaxialInterval(l *IntervalLoad) {
	r, one := d.epitaxial, interval.Point(1)
	inner, outer := l.across(d.sign, d.bi, d.ci), l.across(d.sign, d.bi, r.cx)
	integral := func(k int, v interval.I) interval.Jet {
		c := r.intervalIntegral(v)
		return interval.Variable(k, v).Chain(c.f, c.f1, c.f2)
	}
	v := l.across(d.sign, r.cx, d.ci)
	size := interval.Jet{V: v.Abs()} // its derivative jumps at 0, where the current is 0
	switch v.Sign() {
	case 1:
		size.D[0] = one
	case -1:
		size.D[0] = one.Neg()
	default:
		size.D[0] = interval.Of(-1, 1)
	}
	size.D[1] = size.D[0].Neg()
	damping := size.Scale(interval.Point(r.voInv)).Shift(one).Recip()
	current := integral(0, inner).Sub(integral(1, outer)).Scale(interval.Point(r.siemens))
	l.nonlinear(r.cx, d.ci, d.sign, current.Mul(damping), 2,
		pairs{{d.bi, d.ci}, {d.bi, r.cx}})
}

// intervalIntegral bounds the result of integral for the junction voltage v [V].
func (r *epitaxial) intervalIntegral(v interval.I) intervalCurve {
	e := intervalExp(v, r.gamma, r.vt)
	vt, k := interval.Point(r.vt), e.f.AddF(1).Sqrt()
	above := e.f.Div(k.AddF(1))
	f := v.Add(vt.Mul(above.Sub(above.Scale(0.5).AddF(1).Log())))
	twice := k.AddF(1).Scale(2)
	f1 := vt.Mul(e.f1).Div(twice).AddF(1)
	// The second derivative is vt·(e'' - e'²/(2K·(1+K)))/(2·(1+K)).
	f2 := vt.Mul(e.f2.Sub(e.f1.Sqr().Div(k.Mul(twice)))).Div(twice)
	return intervalCurve{f, f1, f2}
}
