package device

import (
	"cmp"
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// diode implements Dname anode cathode model [area], the SPICE3 junction diode (level 1) with
// series resistance, breakdown, depletion and diffusion charge. It adds the high-injection and
// recombination currents of ngspice and PSpice.
type diode struct {
	// The fields that every iteration reads come first, so they share few cache lines.
	a, internal, k      int             // anode, internal node behind rs, cathode
	v, q                int             // state indices of junction voltage and charge (or -1)
	entries             pair            // matrix entries between internal and k
	tangent             junctionTangent // last tangent; defined if valid is set
	isat, nvt, critical float64         // saturation current [A], n·kT/q [V], critical voltage [V]
	xbv                 float64         // breakdown voltage [V] adjusted to give ibv at bv
	breakVt             float64         // nbv·kT/q [V], which scales the breakdown
	tt                  float64         // transit time [s]
	highInjection       float64         // knee current IKF·area [A]; 0 disables high injection
	recombines          bool            // the model has a recombination current ISR
	isrT, nrVt, vj      float64         // ISR·area [A], NR·kT/q [V], VJ [V] at device temperature
	halfGrading         float64         // M/2
	breaks              bool            // the model has a breakdown voltage BV
	valid               bool            // the tangent was evaluated at this temperature
	dep, side           depletion       // charges of the area and of the sidewall
	sideLeaks           bool            // the sidewall has an emission coefficient of its own
	sideIsat, sideNVt   float64         // saturation current [A] of it, and NS·kT/q [V]
	tunnelIsat          float64         // saturation current [A] of the tunneling current, or 0
	tunnelVt            float64         // NTUN·kT/q [V]

	e    *netlist.Element
	area float64
	// series is the number of equal diodes in series. Voltages are those of all diodes.
	series float64

	// The model parameters are those of the diode table in the SPICE3 manual.
	is, rs, n, cjo, pb, m float64 // units: [A], [ohm], none, [F], [V], none
	eg, xti, bv, ibv, fc  float64 // units: [eV], none, [V], [A], none
	nbv                   float64 // emission coefficient of the breakdown; 0 for n
	// Changes with the temperature: bv and rs relative to their values by dT and dT² [1/K, 1/K²],
	// and bv by -tcv·dT [V/K].
	tbv1, tbv2, tcv, trs1, trs2 float64
	factorLimit
	ohms, seriesG float64 // RS/area [ohm] at the temperature, and its inverse [S]
	ikf, isr, nr  float64 // units: [A], [A], none
	// The perimeter is that of all m= diodes.
	perimeter, isw, ns   float64 // units: [m], [A/m], none
	cjsw, php, mjsw, fcs float64 // units: [F/m], [V], none, none
	// jtun and jtunsw are the saturation currents of the tunneling current. Their temperature
	// exponent is xtitun, and keg is a factor on the band gap.
	jtun, jtunsw, ntun, xtitun, keg float64 // units: [A], [A/m], none
	flickerNoise                    flickerModel
}

func newDiode(m *cardReader) Device {
	d := &diode{e: m.e, area: m.areaFactor("pj", "n")}
	if t := m.e.Model.Type; t != "d" {
		m.fail(diag.WrongModelType, "%s needs a model of type d, but %s is of type %s", m.e.Name,
			m.e.Model.Name, t)
		return d
	}
	var level, perimeter float64
	m.model(d.flickerNoise.params([]modelParam{
		{name: "is", value: &d.is, def: 1e-14}, {name: "js", value: &d.is, def: 1e-14},
		{name: "isw", value: &d.isw}, {name: "jsw", value: &d.isw}, {name: "ns", value: &d.ns},
		{name: "pj", value: &perimeter}, {name: "cjsw", value: &d.cjsw},
		{name: "cjp", value: &d.cjsw}, {name: "php", value: &d.php, def: 1, above: true},
		{name: "vjsw", value: &d.php, def: 1, above: true},
		{name: "mjsw", value: &d.mjsw, def: 0.33}, {name: "fcs", value: &d.fcs, def: 0.5},
		{name: "rs", value: &d.rs},
		{name: "n", value: &d.n, def: 1, above: true},
		{name: "tt", value: &d.tt},
		{name: "cjo", value: &d.cjo}, {name: "cj0", value: &d.cjo},
		{name: "vj", value: &d.pb, def: 1, above: true},
		{name: "m", value: &d.m, def: 0.5},
		{name: "eg", value: &d.eg, def: 1.11},
		{name: "xti", value: &d.xti, def: 3, min: -100},
		{name: "bv", value: &d.bv, above: true},
		{name: "ibv", value: &d.ibv, def: 1e-3, above: true},
		{name: "nbv", value: &d.nbv},
		{name: "tbv1", value: &d.tbv1, min: -1}, {name: "tbv2", value: &d.tbv2, min: -1},
		{name: "tcv", value: &d.tcv, min: -1e3},
		{name: "trs1", value: &d.trs1, min: -1}, {name: "trs2", value: &d.trs2, min: -1},
		{name: "fc", value: &d.fc, def: 0.5},
		{name: "ikf", value: &d.ikf}, {name: "ik", value: &d.ikf},
		{name: "isr", value: &d.isr}, {name: "nr", value: &d.nr, def: 2, above: true},
		{name: "jtun", value: &d.jtun}, {name: "jtunsw", value: &d.jtunsw},
		{name: "ntun", value: &d.ntun, def: 30, above: true},
		{name: "xtitun", value: &d.xtitun, def: 3, min: -100},
		{name: "keg", value: &d.keg, def: 1, min: -100},
		{name: "level", value: &level, def: 1},
	}))
	if level != 1 {
		m.warn(m.e.Model.Line, "model %s: the diode of level %g is computed as level 1",
			m.e.Model.Name, level)
	}
	if v, ok := m.param("pj", 0); ok {
		perimeter = v
	}
	if !(perimeter >= 0) || perimeter > 1e9 {
		m.fail(diag.BadValue, "%s: pj must not be negative, not %g", m.e.Name, perimeter)
	}
	multiplier, _ := m.param("m", 1)
	d.perimeter = perimeter * multiplier
	d.sideLeaks = d.isw*d.perimeter > 0 && d.ns > 0
	m.limit("mjsw", &d.mjsw, 0.9)
	m.limit("fcs", &d.fcs, 0.95)
	if d.series, _ = m.param("n", 1); !(d.series > 0) || d.series > 1e6 {
		m.fail(diag.BadValue, "%s: n=, the number of diodes in series, must lie from above 0 to 1e6, "+
			"not %g", m.e.Name, d.series)
	}
	d.breaks = m.given("bv")
	if d.recombines = d.isr > 0; d.recombines && !m.given("nr") {
		m.warn(m.e.Model.Line,
			"model %s has isr and no nr: nr = 2, the default of PSpice, is used "+
				"(that of ngspice is 1)", m.e.Model.Name)
	}
	d.highInjection = d.ikf * d.area
	if d.m >= 0.9999 {
		m.warn(m.e.Model.Line, "model %s: m = %g is limited to 0.9", m.e.Model.Name, d.m)
		d.m = 0.9
	}
	m.limit("fc", &d.fc, 0.95)
	return d
}

func (d *diode) Element() *netlist.Element { return d.e }
func (d *diode) Nonlinear() bool           { return true }

func (d *diode) Setup(s *Setup) {
	d.a, d.k = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1])
	d.internal = d.a
	if d.rs > 0 {
		d.internal = s.seriesResistance(d.e, "internal", d.a, &d.seriesG)
	}
	d.entries = newPair(s.Pattern, d.internal, d.k)
	d.v = s.State(1)
	d.q = -1
	if d.cjo > 0 || d.tt > 0 || d.cjsw*d.perimeter > 0 {
		d.q = s.Charge()
	}
}

func (d *diode) Terminals() Terminals {
	return Terminals{Conducts: [][2]int{{d.a, d.internal}, {d.internal, d.k}}}
}

func (d *diode) Temperature(e Env) {
	d.singleDiode(e)
	if d.series == 1 {
		return
	}
	for _, v := range [...]*float64{&d.nvt, &d.breakVt, &d.nrVt, &d.sideNVt, &d.tunnelVt, &d.vj,
		&d.xbv, &d.ohms} {
		*v *= d.series
	}
	d.seriesG = inverse(d.ohms)
	d.critical = criticalVoltage(d.nvt, d.isat)
	d.dep, d.side = d.dep.stacked(d.series), d.side.stacked(d.series)
}

// singleDiode sets the temperature-dependent fields to those of one diode.
func (d *diode) singleDiode(e Env) {
	d.valid = false
	vt := kOverQ * e.Temp
	d.nvt, d.breakVt = d.n*vt, cmp.Or(d.nbv, d.n)*vt
	warmer := e.Temp - e.Tnom
	d.factorLimit = factorLimit{}
	d.ohms = d.scale(d.rs/d.area, warmer, d.trs1, d.trs2)
	d.seriesG = inverse(d.ohms)
	grow := func(n float64) float64 {
		return math.Exp((e.Temp/e.Tnom-1)*d.eg/(n*vt) + d.xti/n*math.Log(e.Temp/e.Tnom))
	}
	isat := d.area * d.is * grow(d.n)
	if d.sideLeaks {
		d.sideNVt = d.ns * vt
		d.sideIsat = clampSaturation(d.perimeter*d.isw*grow(d.ns), 1e100)
	} else {
		isat += d.perimeter * d.isw * grow(cmp.Or(d.ns, 1))
	}
	d.isat = clampSaturation(isat, 1e100)
	d.critical = criticalVoltage(d.nvt, d.isat)
	var cj, vj float64
	cj, d.vj = atTemperature(e, d.cjo*d.area, d.pb, d.m)
	d.dep = newDepletion(cj, d.vj, d.m, d.fc)
	cj, vj = atTemperature(e, d.cjsw*d.perimeter, d.php, d.mjsw)
	d.side = newDepletion(cj, vj, d.mjsw, d.fcs)
	if d.recombines {
		d.nrVt, d.halfGrading = d.nr*vt, d.m/2
		d.isrT = clampSaturation(d.area*d.isr*grow(d.nr), 1e100)
	}
	d.tunnelIsat, d.tunnelVt = 0, d.ntun*vt
	if is := d.area*d.jtun + d.perimeter*d.jtunsw; is > 0 {
		d.tunnelIsat = clampSaturation(is*math.Exp((e.Temp/e.Tnom-1)*d.keg*d.eg/vt+
			d.xtitun*math.Log(e.Temp/e.Tnom)), 1e100)
	}
	if !d.breaks {
		return
	}
	// As in SPICE3 diotemp, a fixed-point iteration solves is*(exp((bv-xbv)/nvt) - 1 + xbv/nvt) =
	// ibv for xbv.
	ibv, nvt := d.ibv*d.area, d.breakVt
	bv := max(d.bv*(1+warmer*(d.tbv1+warmer*d.tbv2))-d.tcv*warmer, 1e-3)
	d.xbv = bv
	if ibv < d.isat*bv/nvt {
		return
	}
	d.xbv = bv - nvt*math.Log(1+ibv/d.isat)
	for range 25 {
		d.xbv = bv - nvt*math.Log(ibv/d.isat+1-d.xbv/nvt)
		got := d.isat * (math.Exp((bv-d.xbv)/nvt) - 1 + d.xbv/nvt)
		if math.Abs(got-ibv) <= 1e-6*ibv {
			break
		}
	}
	if math.IsNaN(d.xbv) {
		d.xbv = bv
	}
}

// clampSaturation limits a saturation current x [A] to the range from 1e-200 A to hi, so that it is
// positive and finite at any temperature.
func clampSaturation(x, hi float64) float64 { return min(max(x, 1e-200), hi) }

// current returns the static current [A] of the junction at v [V] and its conductance [S]. gmin [S]
// is connected across the junction.
func (d *diode) current(v, gmin float64) (i, g float64) {
	if d.breaks && v < -d.xbv {
		x := -(d.xbv + v) / d.breakVt
		e := d.isat * exp(min(x, maxExponent))
		i, g = -e, e/d.breakVt
		if x > maxExponent {
			i *= 1 + x - maxExponent
		}
	} else {
		i, g = junctionCurrent(v, d.isat, d.nvt)
	}
	if d.recombines {
		ir, gr := d.recombination(v)
		i, g = i+ir, g+gr
	}
	if d.sideLeaks {
		side, gs := junctionCurrent(v, d.sideIsat, d.sideNVt)
		i, g = i+side, g+gs
	}
	if d.tunnelIsat > 0 {
		it, gt := d.tunneling(v)
		i, g = i+it, g+gt
	}
	if d.highInjection > 0 && i > 0 {
		// High injection follows ngspice: i/(1 + sqrt(i/ikf)).
		root := math.Sqrt(i / d.highInjection)
		i, g = i/(1+root), g*(1+root/2)/((1+root)*(1+root))
	}
	return i + gmin*v, g + gmin
}

// recombination returns the recombination current [A] of the depletion region and its conductance
// [S]. The current is isr*(exp(v/(nr*Vt)) - 1) times the generation factor ((1 - v/vj)² +
// 0.005)^(m/2) (PSpice reference guide, diode). In reverse bias its magnitude increases with the
// depletion width.
func (d *diode) recombination(v float64) (i, g float64) {
	i, g = tangentExp(v, d.isrT, d.nrVt)
	i -= d.isrT
	a := 1 - v/d.vj
	t := a*a + 0.005
	factor := exp(d.halfGrading * math.Log(t))
	g = g*factor - i*2*d.halfGrading*a*factor/(t*d.vj)
	return i * factor, g
}

// depletion returns the depletion charge [C] of area and sidewall and the capacitance [F] at v [V].
func (d *diode) depletion(v float64) (q, c float64) {
	q, c = d.dep.at(v)
	if d.side.c0 > 0 {
		qs, cs := d.side.at(v)
		q, c = q+qs, c+cs
	}
	return q, c
}

// charge returns the stored charge [C] and the capacitance [F] at v [V].
func (d *diode) charge(v, gmin float64) (q, c float64) {
	q, c = d.depletion(v)
	if d.tt > 0 {
		i, g := d.current(v, gmin)
		q += d.tt * i
		c += d.tt * g
	}
	return q, c
}

func (d *diode) Load(l *Load) {
	v := l.X[d.internal] - l.X[d.k]
	old := l.State[d.v]
	switch {
	case l.InitJunctions:
		v = d.critical
		l.Limited = true
	case math.Abs(v-old) < min(d.nvt, d.breakVt): // limitJunction never limits steps below n·Vt
	case d.breaks && v < min(0, -d.xbv+10*d.breakVt):
		// In breakdown the exponential is mirrored, so the mirrored voltage is limited.
		m, limited := limitJunction(-(v + d.xbv), -(old + d.xbv), d.breakVt,
			criticalVoltage(d.breakVt, d.isat))
		if limited {
			v = -(m + d.xbv)
			l.Limited = true
		}
	case d.tunnelIsat > 0 && v < min(0, old):
		m, cut := limitJunction(-v, -old, d.tunnelVt, criticalVoltage(d.tunnelVt, d.tunnelIsat))
		if v = -m; cut {
			l.Limited = true
		}
	default:
		var limited bool
		if v, limited = limitJunction(v, old, d.nvt, d.critical); limited {
			l.Limited = true
		}
	}
	l.State[d.v] = v
	t := &d.tangent
	if !d.valid || l.A0 == 0 || math.Abs(v-t.v) >= bypassTolExp {
		t.i, t.g = d.current(v, l.Gmin)
		if d.q >= 0 && !l.NoCharges {
			t.q, t.c = d.depletion(v)
			t.q += d.tt * t.i
			t.c += d.tt * t.g
		}
		t.v, d.valid = v, true
	}
	// The remainder of the tangent i + g*(v - t.v) is independent of v.
	g, r := t.g, t.g*t.v-t.i
	if d.q >= 0 && !l.NoCharges {
		i, c := l.Charge(d.q, t.q+t.c*(v-t.v), t.c)
		g, r = g+c, r+(c*v-i)
	}
	d.entries.add(l.A, g)
	l.B[d.internal] += r
	l.B[d.k] -= r
}

// canBypass reports whether the tangent is accurate within RowTol at v [V]. The error bound uses
// the curvatures of the exponential and of the depletion charge.
func (d *diode) canBypass(l *Load, v float64) bool {
	t := &d.tangent
	from, m := t.v, v-t.v
	if math.Abs(m) < bypassTolExp {
		return true // Load also reuses the tangent below this change
	}
	if d.recombines || d.sideLeaks || d.tunnelIsat > 0 {
		return false // their curvatures have no bound here
	}
	nvt := d.nvt
	if d.breaks && v < -d.xbv/2 {
		from, m, nvt = -(from + d.xbv), -m, d.breakVt
	}
	lost := tangentError(from, m, t.g, d.isat, nvt)
	if d.q >= 0 {
		slope := d.dep.maxRelSlope
		if d.side.c0 > 0 {
			slope = max(slope, d.side.maxRelSlope)
		}
		lost += l.A0 * (d.tt*lost + t.c*slope*m*m/2)
	}
	return l.withinRowTol(lost, d.internal, d.k)
}

// Bypass updates the charge along its tangent. It returns false if the diode must be evaluated.
func (d *diode) Bypass(l *Load) bool {
	v, t := l.X[d.internal]-l.X[d.k], &d.tangent
	if !d.canBypass(l, v) {
		return false
	}
	l.State[d.v] = v
	if d.q >= 0 {
		l.Charge(d.q, t.q+t.c*(v-t.v), t.c)
	}
	return true
}

func (d *diode) LoadAC(l *ACLoad) {
	v := l.X[d.internal] - l.X[d.k]
	_, g := d.current(v, l.Gmin)
	_, c := d.charge(v, l.Gmin)
	d.entries.addAC(l.A, complex(g, l.Omega*c))
}

// tunneling returns the tunneling current [A] at v [V] and its conductance [S]. It rises
// exponentially in reverse (HSPICE diode level 3; ngspice).
func (d *diode) tunneling(v float64) (i, g float64) {
	i, g = tangentExp(-v, d.tunnelIsat, d.tunnelVt)
	return d.tunnelIsat - i, g
}

// Report returns the region of operation and the main quantities. The region is "on" above half the
// critical voltage. It is "tunneling" if the tunneling current is larger than the junction current
// at half the critical voltage.
func (d *diode) Report(l *Load) (string, []Quantity) {
	v := l.X[d.internal] - l.X[d.k]
	i, g := d.current(v, l.Gmin)
	tunneling, _ := d.tunneling(v)
	threshold, _ := junctionCurrent(d.critical/2, d.isat, d.nvt)
	region := "off"
	switch {
	case d.breaks && v < -d.xbv:
		region = "breakdown"
	case v > d.critical/2:
		region = "on"
	case math.Abs(tunneling) > threshold:
		region = "tunneling"
	}
	return region, []Quantity{{"vd", "V", l.X[d.a] - l.X[d.k]}, {"id", "A", i}, {"gd", "S", g},
		{"power_w", "W", (l.X[d.a] - l.X[d.k]) * i}}
}

// nodalEntries3 holds the nine matrix entries between three nodes, by row and column.
type nodalEntries3 [3][3]mna.Slot

func newNodalEntries3(p *mna.Pattern, n [3]int) (s nodalEntries3) {
	for i := range n {
		for j := range n {
			s[i][j] = p.Slot(n[i], n[j])
		}
	}
	return s
}
