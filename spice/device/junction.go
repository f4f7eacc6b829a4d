package device

import "math"

// The physical constants are those of ngspice 39 (CODATA 2014), which makes the results comparable.
const (
	charge    = 1.6021766208e-19   // elementary charge [C]
	boltzmann = 1.38064852e-23     // Boltzmann constant [J/K]
	kOverQ    = boltzmann / charge // thermal voltage per temperature [V/K]
	refTemp   = 300.15             // reference temperature 27 °C [K]
	// Zero is the absolute temperature [K] of 0 °C.
	Zero     = 273.15
	capSlope = 4e-4                 // temperature coefficient of the junction capacitance [1/K]
	euler    = 2.718281828459045235 // Euler's number
)

// limitJunction limits the change of a junction voltage from old to v [V]. It returns the new
// voltage and whether it was limited. Above the critical voltage it damps the step logarithmically
// (L. W. Nagel, SPICE2, ERL-M520, section 4.1.1). It also limits large negative steps.
func limitJunction(v, old, vt, critical float64) (float64, bool) {
	if v > critical && math.Abs(v-old) > 2*vt {
		if old > 0 {
			d := (v - old) / vt
			if d > 0 {
				return old + vt*(2+math.Log(d-2)), true
			}
			return old - vt*(2+math.Log(2-d)), true
		}
		return vt * math.Log(v/vt), true
	}
	if v < 0 {
		floor := 2*old - 1
		if old > 0 {
			floor = -old - 1
		}
		if v < floor {
			return floor, true
		}
	}
	return v, false
}

// maxExponent is the argument above which an exponential is continued along its tangent, which
// avoids overflow in any iterate.
const maxExponent = 200.0

// junctionCurrent returns the current [A] and the conductance [S] of the SPICE diode without
// breakdown. The current is is*(exp(v/nvt)-1). Below -3 nvt it is a cubic that joins continuously
// and tends to -is.
func junctionCurrent(v, is, nvt float64) (i, g float64) {
	if v >= -3*nvt {
		i, g = tangentExp(v, is, nvt)
		return i - is, g
	}
	a := 3 * nvt / (v * euler)
	a = a * a * a
	return -is * (1 + a), is * 3 * a / v
}

// tangentExp returns is*exp(v/nvt) and its derivative. Above maxExponent it continues along the
// tangent.
func tangentExp(v, is, nvt float64) (i, g float64) {
	slope := 1 / nvt
	x := v * slope
	if x > maxExponent {
		e := is * math.Exp(maxExponent)
		return e * (1 + x - maxExponent), e * slope
	}
	i = is * exp(x)
	return i, i * slope
}

// The bypass tolerances are voltage changes [V] below which Load reuses the last tangent of a
// device. They apply only to transients; at DC every iteration evaluates the device.
const (
	// bypassTolExp applies to exponentials. The relative error (bypassTolExp/Vt)²/2 is 3e-7.
	bypassTolExp = 2e-5
	// bypassTolLin applies to all other equations.
	bypassTolLin = 3e-4
)

// tangentError bounds the error [A] of the tangent of an exponential current at v after a change of
// dv [V]. g is the conductance [S] at v and is/nvt the conductance [S] at 0 V.
func tangentError(v, dv, g, is, nvt float64) float64 {
	if dv > nvt/4 {
		if dv > 40*nvt {
			return math.Inf(1)
		}
		g = max(g, is/nvt*exp(min((v+dv)/nvt, maxExponent)))
	}
	return g * dv * dv / (2 * nvt)
}

// depletion is the charge of a junction with the capacitance c0*(1-v/vj)^-m. Above fc*vj the
// capacitance is linear in v. m can be any number >= 0.
type depletion struct {
	c0, m       float64 // capacitance at 0 V [F], grading coefficient
	inverse     float64 // reciprocal of the built-in potential vj [1/V]
	scale       float64 // vj*c0/(1-m) [C], or vj*c0 for m near 1
	linearFrom  float64 // voltage fc*vj [V]
	q1, c1      float64 // charge [C] and capacitance [F] at linearFrom
	halfSlope   float64 // half of the derivative of the capacitance above linearFrom [F/V]
	maxRelSlope float64 // largest relative derivative of the capacitance [1/V]
	half        bool    // m is 1/2, so a square root suffices
}

func newDepletion(c0, vj, m, fc float64) depletion {
	d := depletion{c0: c0, m: m, inverse: 1 / vj, scale: vj * c0 / (1 - m), linearFrom: fc * vj,
		maxRelSlope: m / (vj * (1 - fc)), half: m == 0.5}
	if nearOne(m) {
		d.scale = vj * c0
	}
	if c0 == 0 {
		return d // without capacitance no other field is used
	}
	d.q1, d.c1 = d.below(d.linearFrom)
	d.halfSlope = d.c1 * d.maxRelSlope / 2
	return d
}

// stacked returns the depletion charge of n equal junctions in series.
func (d *depletion) stacked(n float64) depletion {
	return newDepletion(d.c0/n, n/d.inverse, d.m, d.linearFrom*d.inverse)
}

// nearOne reports whether the grading coefficient m is so close to 1 that 1 - a^(1-m) suffers from
// cancellation.
func nearOne(m float64) bool { return math.Abs(1-m) < 1e-4 }

// powerIntegral returns the integral of x^-m from a to 1 for m near 1, where l = log(a). It is (1 -
// a^(1-m))/(1 - m), or -l for m = 1.
func powerIntegral(l, m float64) float64 {
	k := 1 - m
	if k == 0 {
		return -l
	}
	return -math.Expm1(k*l) / k
}

// at returns the charge [C] and the capacitance [F] at v [V].
func (d *depletion) at(v float64) (q, c float64) {
	if d.c0 == 0 {
		return 0, 0
	}
	if v < d.linearFrom {
		return d.below(v)
	}
	above := v - d.linearFrom
	step := above * d.halfSlope
	return d.q1 + above*(d.c1+step), d.c1 + 2*step
}

// below returns the charge [C] and the capacitance [F] at v <= linearFrom.
func (d *depletion) below(v float64) (q, c float64) {
	a := 1 - v*d.inverse
	if d.half {
		root := math.Sqrt(a)
		return d.scale * (1 - root), d.c0 / root
	}
	l := log(a)
	s := exp(-d.m * l)
	if nearOne(d.m) {
		return d.scale * powerIntegral(l, d.m), d.c0 * s
	}
	return d.scale * (1 - a*s), d.c0 * s
}

// potentialShift returns the shift [V] of a built-in potential at the temperature t [K]. It follows
// from the band gap of silicon, 1.16 - 7.02e-4 T²/(T+1108) eV (SPICE3 diotemp, bjttemp).
func potentialShift(t float64) float64 {
	vt := t * kOverQ
	gap := 1.16 - 7.02e-4*t*t/(t+1108)
	arg := -gap/(2*boltzmann/charge*t) + 1.1150877/(2*kOverQ*refTemp)
	return -2 * vt * (1.5*math.Log(t/refTemp) + arg)
}

// leastPotential is the smallest built-in potential [V] to which the temperature reduces that of a
// junction.
const leastPotential = 0.05

// atTemperature converts a junction capacitance c0 [F] and potential vj [V] from the nominal
// temperature to e.Temp. m is the grading coefficient. The results are limited to 0 and to
// leastPotential. A nominal potential below leastPotential is a fit of a capacitance curve, for
// which the law of silicon has no meaning. It does not depend on the temperature.
func atTemperature(e Env, c0, vj, m float64) (c, v float64) {
	if vj < leastPotential {
		return c0 * (1 + m*capSlope*(e.Temp-e.Tnom)), vj
	}
	f1, f2 := e.Tnom/refTemp, e.Temp/refTemp
	po := (vj - potentialShift(e.Tnom)) / f1
	old := (vj - po) / po
	c = c0 / (1 + m*(capSlope*(e.Tnom-refTemp)-old))
	v = f2*po + potentialShift(e.Temp)
	c *= 1 + m*(capSlope*(e.Temp-refTemp)-(v-po)/po)
	return max(c, 0), max(v, leastPotential)
}

// criticalVoltage returns the voltage [V] at which the curve of a junction current has its smallest
// radius of curvature.
func criticalVoltage(vt, is float64) float64 {
	return vt * math.Log(vt/(math.Sqrt2*is))
}

// junctionTangent holds the current [A] and the charge [C] of a junction and their derivatives at v
// [V].
type junctionTangent struct {
	v          float64
	i, g, q, c float64
}

// isNear reports whether v is within the bypass tolerance of j.v. The tolerance is bypassTolLin if
// both voltages are below negligible [V], where the exponential is negligible. Otherwise it is
// bypassTolExp.
func (j *junctionTangent) isNear(v, negligible float64) bool {
	m := math.Abs(v - j.v)
	return m < bypassTolExp || m < bypassTolLin && v < negligible && j.v < negligible
}

// load returns the companion conductance g [S] and the current source r [A] of the junction at v
// [V]. It stores the charge at state st, unless st is -1.
func (j *junctionTangent) load(l *Load, st int, v float64) (g, r float64) {
	g, r = j.g, j.g*j.v-j.i
	if st >= 0 {
		i, c := l.Charge(st, j.q+j.c*(v-j.v), j.c)
		g, r = g+c, r+(c*v-i)
	}
	return g, r
}

// negligibleG is the conductance [S] below which an exponential is negligible. The error of its
// tangent over bypassTolLin is 2 fA, or 7e-5 of the current.
const negligibleG = 1e-9

// chargeTangent holds a depletion charge q [C] and its capacitance c [F] at v [V].
type chargeTangent struct {
	v, q, c float64
	valid   bool
}

// load stores the charge at v [V] in a state. It returns the current [A] and the companion
// conductance [S]. Within bypassTolLin it reuses the last tangent.
func (o *chargeTangent) load(l *Load, state int, d *depletion, v float64) (i, g float64) {
	if !o.valid || l.A0 == 0 || math.Abs(v-o.v) >= bypassTolLin {
		o.q, o.c = d.at(v)
		o.v, o.valid = v, true
	}
	return l.Charge(state, o.q+o.c*(v-o.v), o.c)
}

// bypass updates the charge along its tangent and reports whether the error is within RowTol of the
// nodes a and b.
func (o *chargeTangent) bypass(l *Load, state int, d *depletion, v float64, a, b int) bool {
	m := v - o.v
	l.Charge(state, o.q+o.c*m, o.c)
	return math.Abs(m) < bypassTolLin || l.withinRowTol(l.A0*o.c*d.maxRelSlope*m*m/2, a, b)
}
