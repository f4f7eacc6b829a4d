package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// mosfet is Mname drain gate source bulk model [w= l= ad= as= pd= ps= nrd= nrs= m=]: the
// Shichman-Hodges transistor, SPICE3 level 1, with bulk junctions and Meyer's gate
// capacitances (Meyer, RCA Review 32, 1971).
type mosfet struct {
	// What every iteration reads stands together, for the sake of the processor's cache.
	sign             float64     // +1 nmos, -1 pmos
	g, b, di, si     int         // di, si: drain and source inside of the series resistances
	states           int         // states vgs, vds, vbs, threshold
	sourceTiedToBulk bool        // source and bulk are one node, and so are their charges and slopes
	junctionCharge   [2]int      // states of the junction charges; -1: there is none
	gateCharge       [3]int      // states of the gate charges, each charge, current, half capacitance, voltage; -1: there is none
	channelEntries   [9]mna.Slot // rows drain, gate, source; columns drain, gate, source
	bulkEntries      [7]mna.Slot // bulk column of these rows; then the bulk row: drain, gate, source, bulk
	vt               float64     // V
	isat             [2]float64  // of the drain and source junctions, A
	negligibleBelow  [2]float64  // V, below which these have no weight
	overlap          [3]float64  // constant parts of the gate capacitances, F
	cox              float64     // of the whole gate, F
	beta, tphi       float64     // at temperature
	lambda, gamma    float64
	tvbi             float64
	tangent          mosfetTangent
	bottom, side     [2]depletion

	e *netlist.Element

	w, l, ad, as, pd, ps, nrd, nrs, mult float64 // m, m², squares, -
	// Model parameters, SPICE3 manual table of the MOSFET.
	vto, kp, phi, rd, rs, cbd, cbs, is, pb        float64
	cgso, cgdo, cgbo, rsh, cj, mj, cjsw, mjsw, js float64
	tox, nsub, nss, tpg, ld, uo, fc               float64
	cbdSet, cbsSet                                bool
	flickerNoise                                  flickerModel

	tvto     float64
	critical [2]float64

	d, s            int
	entries         [2][4]mna.Slot // rows drain and source; columns drain, gate, source, bulk
	drainG, sourceG float64        // series conductances, S
	drainResistor   pair
	sourceResistor  pair
	junction        [2]pair // bulk-drain, bulk-source
	gate            [3]pair // gate-source, gate-drain, gate-bulk
}

// mosfetTangent is the last evaluation of a transistor.
type mosfetTangent struct {
	valid         bool
	vgs, vds, vbs float64
	i, g, d, b    float64 // channel current and its slopes by vgs, vds, vbs
	von           float64
	halfCap       [3]float64 // of the gate capacitances, F
	bulk          [2]junctionTangent
}

// junctionTangent is a junction's current and charge with their slopes at v.
type junctionTangent struct {
	v          float64
	i, g, q, c float64
}

// isNear tells whether all voltages are so close to those of the tangent that it holds.
func (t *mosfetTangent) isNear(vgs, vds, vbs float64) bool {
	return math.Abs(vgs-t.vgs) < bypassTolLin && math.Abs(vds-t.vds) < bypassTolLin && math.Abs(vbs-t.vbs) < bypassTolLin && (vds >= 0) == (t.vds >= 0)
}

// isNear tells whether v is so close to the voltage of the tangent that it holds. It holds
// longer below the voltage quiet, where the exponential has no weight.
func (j *junctionTangent) isNear(v, quiet float64) bool {
	m := math.Abs(v - j.v)
	return m < bypassTolExp || m < bypassTolLin && v < quiet && j.v < quiet
}

// negligibleG is the slope of an exponential, S, that has no weight: over a voltage of calm its
// tangent misses 2 fA, and 7 in 100 thousand of its own current.
const negligibleG = 1e-9

// evaluateIfNeeded makes the tangents those at the given voltages. With keep a part that the last
// tangent describes well enough is not evaluated again.
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
	if d.junctionCharge[k] >= 0 {
		q, c := d.bottom[k].at(v)
		q2, c2 := d.side[k].at(v)
		j.q, j.c = q+q2, c+c2
	}
}

func newMosfet(m *cardReader) Device {
	d := &mosfet{e: m.e, sign: 1}
	switch t := m.e.Model.Type; t {
	case "nmos":
	case "pmos":
		d.sign = -1
	default:
		m.fail(diag.WrongModelType, "%s needs a model of type nmos or pmos, but %s is of type %s", m.e.Name, m.e.Model.Name, t)
		return d
	}
	var level, width, length float64 // m, of the model, for elements without w= and l=
	given := m.model(append([]modelParam{
		{name: "level", value: &level, def: 1},
		{name: "vto", value: &d.vto, min: -1e6}, {name: "vt0", value: &d.vto, min: -1e6},
		{name: "kp", value: &d.kp, def: 2e-5, above: true}, {name: "gamma", value: &d.gamma},
		{name: "phi", value: &d.phi, def: 0.6, above: true}, {name: "lambda", value: &d.lambda},
		{name: "rd", value: &d.rd}, {name: "rs", value: &d.rs}, {name: "cbd", value: &d.cbd}, {name: "cbs", value: &d.cbs},
		{name: "is", value: &d.is, def: 1e-14}, {name: "pb", value: &d.pb, def: 0.8, above: true},
		{name: "cgso", value: &d.cgso}, {name: "cgdo", value: &d.cgdo}, {name: "cgbo", value: &d.cgbo},
		{name: "rsh", value: &d.rsh}, {name: "cj", value: &d.cj}, {name: "mj", value: &d.mj, def: 0.5},
		{name: "cjsw", value: &d.cjsw}, {name: "mjsw", value: &d.mjsw, def: 0.5}, {name: "js", value: &d.js},
		{name: "tox", value: &d.tox}, {name: "nsub", value: &d.nsub}, {name: "nss", value: &d.nss}, {name: "tpg", value: &d.tpg, def: 1, min: -1},
		{name: "ld", value: &d.ld, min: -1}, {name: "uo", value: &d.uo, def: 600, above: true}, {name: "u0", value: &d.uo, def: 600, above: true},
		{name: "fc", value: &d.fc, def: 0.5},
		{name: "w", value: &width, def: 1e-4, above: true}, {name: "l", value: &length, def: 1e-4, above: true},
	}, d.flickerNoise.params()...))
	if level != 1 {
		m.fail(diag.NotAvailable, "not yet supported: model %s of level %g; only level 1 is", m.e.Model.Name, level)
	}
	d.cbdSet, d.cbsSet = given["cbd"], given["cbs"]
	m.limit("fc", &d.fc, 0.95)
	m.limit("mj", &d.mj, 10)
	m.limit("mjsw", &d.mjsw, 10)
	for _, p := range [...]struct {
		name string
		into *float64
		def  float64
	}{{"w", &d.w, width}, {"l", &d.l, length}, {"ad", &d.ad, 0}, {"as", &d.as, 0}, {"pd", &d.pd, 0}, {"ps", &d.ps, 0}, {"nrd", &d.nrd, 1}, {"nrs", &d.nrs, 1}, {"m", &d.mult, 1}} {
		if *p.into, _ = m.param(p.name, p.def); *p.into < 0 || *p.into > 1e9 {
			m.fail(diag.BadValue, "%s: %s must not be negative, not %g", m.e.Name, p.name, *p.into)
		}
	}
	m.rejectExtraArgs(0, "w", "l", "ad", "as", "pd", "ps", "nrd", "nrs", "m")
	if d.l-2*d.ld <= 0 || d.w <= 0 || d.mult <= 0 {
		m.fail(diag.BadValue, "%s: width, multiplier and length less twice ld must be above 0", m.e.Name)
	}
	d.deriveFromProcess(m, given)
	return d
}

const (
	epsOxide         = 3.9 * 8.854214871e-12 // F/m
	epsSilicon       = 11.7 * 8.854214871e-12
	intrinsicDensity = 1.45e16 // carriers in silicon, 1/m³
)

// bandGap of silicon, eV.
func bandGap(t float64) float64 { return 1.16 - 7.02e-4*t*t/(t+1108) }

// deriveFromProcess fills electrical parameters from the process: oxide and doping (SPICE3 mos1temp).
func (d *mosfet) deriveFromProcess(m *cardReader, given map[string]bool) {
	if d.tox <= 0 {
		return
	}
	cox := epsOxide / d.tox
	if !given["kp"] {
		d.kp = d.uo * 1e-4 * cox
	}
	n := d.nsub * 1e6
	if n == 0 {
		return
	}
	if n <= intrinsicDensity {
		m.fail(diag.BadValue, "model %s: nsub must be above 1.45e10 per cm³", m.e.Model.Name)
		return
	}
	vt := kOverQ * refTemp
	if !given["phi"] {
		d.phi = max(0.1, 2*vt*math.Log(n/intrinsicDensity))
	}
	if !given["gamma"] {
		d.gamma = math.Sqrt(2*epsSilicon*charge*n) / cox
	}
	if !given["vto"] && !given["vt0"] {
		fermis := d.sign * 0.5 * d.phi
		work := 3.2
		if d.tpg != 0 {
			work = 3.25 + 0.5*bandGap(refTemp) - d.sign*d.tpg*0.5*bandGap(refTemp)
		}
		wkfngs := work - (3.25 + 0.5*bandGap(refTemp) + fermis)
		flatBand := wkfngs - d.nss*1e4*charge/cox
		d.vto = flatBand + d.sign*(d.gamma*math.Sqrt(d.phi)+d.phi)
	}
}

func (d *mosfet) Element() *netlist.Element { return d.e }
func (d *mosfet) Nonlinear() bool           { return true }

func (d *mosfet) Setup(s *Setup) {
	n := d.e.Nodes
	d.d, d.g, d.s, d.b = s.Node(n[0]), s.Node(n[1]), s.Node(n[2]), s.Node(n[3])
	d.di, d.si = d.d, d.s
	series := func(r, squares float64) float64 {
		if r == 0 {
			r = d.rsh * squares
		}
		return inverse(r) * d.mult
	}
	if d.drainG = series(d.rd, d.nrd); d.drainG > 0 {
		d.di = s.Internal(d.e, "drain", d.d)
		d.drainResistor = newPair(s.Pattern, d.d, d.di)
	}
	if d.sourceG = series(d.rs, d.nrs); d.sourceG > 0 {
		d.si = s.Internal(d.e, "source", d.s)
		d.sourceResistor = newPair(s.Pattern, d.s, d.si)
	}
	in := [4]int{d.di, d.g, d.si, d.b}
	for i, row := range [2]int{d.di, d.si} {
		for j, col := range in {
			d.entries[i][j] = s.Pattern.Slot(row, col)
		}
	}
	d.sourceTiedToBulk = d.b == d.si
	d.states = s.State(4)
	for k, end := range [2]int{d.di, d.si} {
		d.junction[k] = newPair(s.Pattern, d.b, end)
		if d.junctionCharge[k] = -1; end != d.b && d.stores(k) {
			d.junctionCharge[k] = s.Charge()
		}
	}
	d.gateCharge = [3]int{-1, -1, -1}
	for k, end := range [3]int{d.si, d.di, d.b} {
		if end == d.g || d.tox <= 0 && [3]float64{d.cgso, d.cgdo, d.cgbo}[k] == 0 {
			continue
		}
		d.gate[k] = newPair(s.Pattern, d.g, end)
		if k == 2 && d.sourceTiedToBulk {
			d.gate[0], k = d.gate[2], 0
		}
		if d.gateCharge[k] < 0 {
			d.gateCharge[k] = s.Charge()
			s.State(2)
		}
	}
	drain, source, g, j := &d.entries[0], &d.entries[1], &d.gate, &d.junction
	d.channelEntries = [9]mna.Slot{drain[0], drain[1], drain[2], g[1].ab, s.Pattern.Slot(d.g, d.g), g[0].ab, source[0], source[1], source[2]}
	d.bulkEntries = [7]mna.Slot{drain[3], g[2].ab, source[3], j[0].ab, g[2].ba, j[1].ab, j[0].aa}
}

// stores tells whether bulk junction k, 0 at the drain and 1 at the source, has a capacitance.
func (d *mosfet) stores(k int) bool {
	bottom := d.cj * [2]float64{d.ad, d.as}[k]
	if [2]bool{d.cbdSet, d.cbsSet}[k] {
		bottom = [2]float64{d.cbd, d.cbs}[k]
	}
	return bottom > 0 || d.cjsw*[2]float64{d.pd, d.ps}[k] > 0
}

func (d *mosfet) Terminals() Terminals {
	t := Terminals{Conducts: [][2]int{{d.d, d.di}, {d.s, d.si}, {d.di, d.si}, {d.b, d.di}, {d.b, d.si}}}
	t.Couples = [][2]int{{d.g, d.si}, {d.g, d.di}}
	if d.tox > 0 || d.cgso+d.cgdo+d.cgbo > 0 {
		t.Stores = [][2]int{{d.g, d.si}} // drain, source and bulk are joined by junctions
	}
	return t
}

func (d *mosfet) Temperature(e Env) {
	d.tangent.valid = false
	d.vt = kOverQ * e.Temp
	vtnom := kOverQ * e.Tnom
	ratio := e.Temp / e.Tnom
	leff := d.l - 2*d.ld
	d.beta = d.kp / (ratio * math.Sqrt(ratio)) * d.w / leff * d.mult
	po := (d.phi - potentialShift(e.Tnom)) / (e.Tnom / refTemp)
	d.tphi = max(0.05, e.Temp/refTemp*po+potentialShift(e.Temp))
	d.tvbi = d.vto - d.sign*d.gamma*math.Sqrt(d.phi) + 0.5*(bandGap(e.Tnom)-bandGap(e.Temp)) + d.sign*0.5*(d.tphi-d.phi)
	d.tvto = d.tvbi + d.sign*d.gamma*math.Sqrt(d.tphi)
	grow := math.Exp(-bandGap(e.Temp)/d.vt + bandGap(e.Tnom)/vtnom)
	area, edge := [2]float64{d.ad, d.as}, [2]float64{d.pd, d.ps}
	for k := range area {
		d.isat[k] = d.is * grow * d.mult
		if d.js > 0 && d.ad > 0 && d.as > 0 {
			d.isat[k] = d.js * grow * area[k] * d.mult
		}
		d.isat[k] = clampSaturation(d.isat[k], 1e50)
		d.critical[k] = criticalVoltage(d.vt, d.isat[k])
		d.negligibleBelow[k] = d.vt * math.Log(negligibleG*d.vt/d.isat[k])
		c := d.cj * area[k]
		if k == 0 && d.cbdSet {
			c = d.cbd
		} else if k == 1 && d.cbsSet {
			c = d.cbs
		}
		cj, v := atTemperature(e, c*d.mult, d.pb, d.mj)
		d.bottom[k] = newDepletion(max(cj, 0), max(v, 0.05), d.mj, d.fc)
		cs, v := atTemperature(e, d.cjsw*edge[k]*d.mult, d.pb, d.mjsw)
		d.side[k] = newDepletion(max(cs, 0), max(v, 0.05), d.mjsw, d.fc)
	}
	d.overlap = [3]float64{d.cgso * d.w * d.mult, d.cgdo * d.w * d.mult, d.cgbo * leff * d.mult}
	if d.sourceTiedToBulk {
		d.overlap[0] += d.overlap[2]
	}
	d.cox = 0
	if d.tox > 0 {
		d.cox = epsOxide / d.tox * leff * d.w * d.mult
	}
}

// channelPoint is the channel in the frame of an n-channel transistor with vds >= 0.
type channelPoint struct{ id, gm, gds, gmb, von, vdsat float64 }

func (d *mosfet) channelCurrent(vgs, vds, vbs float64) (p channelPoint) {
	root := math.Sqrt(d.tphi)
	// Below a forward-biased bulk SPICE3 takes the tangent of the square root at 0. The
	// slope here is that of the tangent; SPICE3's own is gamma/(2s) and not quite one.
	s, slope := 0.0, 1/(2*root)
	if vbs <= 0 {
		s = math.Sqrt(d.tphi - vbs)
		slope = 1 / (2 * s)
	} else if s = root - vbs/(2*root); s <= 0 {
		s, slope = 0, 0
	}
	p.von = d.sign*d.tvbi + d.gamma*s
	body := d.gamma * slope
	over := vgs - p.von
	p.vdsat = max(over, 0)
	if over <= 0 {
		return p
	}
	b := d.beta * (1 + d.lambda*vds)
	if over <= vds {
		p.id = b * over * over / 2
		p.gm = b * over
		p.gds = d.lambda * d.beta * over * over / 2
	} else {
		p.id = b * vds * (over - vds/2)
		p.gm = b * vds
		p.gds = b*(over-vds) + d.lambda*d.beta*vds*(over-vds/2)
	}
	p.gmb = p.gm * body
	return p
}

// bulk is a bulk junction's current with its slope.
func (d *mosfet) bulk(k int, v, gmin float64) (i, g float64) {
	if v <= -3*d.vt {
		return gmin*v - d.isat[k], gmin
	}
	x := min(v/d.vt, maxExponent)
	e := d.isat[k] * math.Exp(x)
	return e*(1+v/d.vt-x) - d.isat[k] + gmin*v, e/d.vt + gmin
}

// evaluate makes t the channel in the frame of drain and source as named, with current and
// slopes against the source, and the gate capacitances. p is the channel in its own frame.
func (d *mosfet) evaluate(vgs, vds, vbs float64, t *mosfetTangent) (p channelPoint) {
	t.vgs, t.vds, t.vbs = vgs, vds, vbs
	if vds >= 0 {
		p = d.channelCurrent(vgs, vds, vbs)
		t.i, t.g, t.d, t.b = p.id, p.gm, p.gds, p.gmb
		t.halfCap = d.meyer(vgs, vds, &p)
	} else {
		p = d.channelCurrent(vgs-vds, -vds, vbs-vds)
		t.i, t.g, t.d, t.b = -p.id, -p.gm, p.gm+p.gds+p.gmb, -p.gmb
		t.halfCap = d.meyer(vgs-vds, -vds, &p)
		t.halfCap[0], t.halfCap[1] = t.halfCap[1], t.halfCap[0]
	}
	if d.sourceTiedToBulk {
		t.halfCap[0] += t.halfCap[2]
	}
	t.von = p.von
	return p
}

// Load sums what channel, junctions and capacitances add to every entry before it touches
// the matrix. What ends where it begins, as a junction between bulk and source when these
// are one node, is left out.
func (d *mosfet) Load(l *Load) {
	x, sg, t := l.X, d.sign, &d.tangent
	vs := x[d.si]
	vgs, vds, vbs := sg*(x[d.g]-vs), sg*(x[d.di]-vs), sg*(x[d.b]-vs)
	now := l.State[d.states : d.states+4]
	if l.InitJunctions {
		vgs, vds, vbs = sg*d.tvto, 0, -1
		l.Limited = true
	} else if !(math.Abs(vgs-now[0]) < d.vt && math.Abs(vds-now[1]) < d.vt && math.Abs(vbs-now[2]) < d.vt) {
		// No rule of limit touches a smaller step.
		vgs, vds, vbs = d.limitVoltages(l, vgs, vds, vbs)
	}
	if keep := t.valid && l.A0 != 0; !keep || !t.isNear(vgs, vds, vbs) || !t.bulk[0].isNear(vbs-vds, d.negligibleBelow[0]) || !t.bulk[1].isNear(vbs, d.negligibleBelow[1]) {
		d.evaluateIfNeeded(l, keep, vgs, vds, vbs)
	}
	now[0], now[1], now[2], now[3] = vgs, vds, vbs, t.von

	r := t.g*t.vgs + t.d*t.vds + t.b*t.vbs - t.i
	gj, rj := t.bulk[0].load(l, d.junctionCharge[0], vbs-vds)
	var gs, rs, gd, rd float64 // of the gate
	if k := d.gateCharge[0]; k >= 0 {
		gs, rs = l.gateCharge(k, t.halfCap[0], d.overlap[0], vgs)
	}
	if k := d.gateCharge[1]; k >= 0 {
		gd, rd = l.gateCharge(k, t.halfCap[1], d.overlap[1], vgs-vds)
	}
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
	gi, ri := t.bulk[1].load(l, d.junctionCharge[1], vbs)
	var gb, rb float64
	if k := d.gateCharge[2]; k >= 0 {
		gb, rb = l.gateCharge(k, t.halfCap[2], d.overlap[2], vgs-vbs)
	}
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

// LoadLinear adds the series resistances.
func (d *mosfet) LoadLinear(l *Load) {
	if d.drainG > 0 {
		d.drainResistor.add(l.A, d.drainG)
	}
	if d.sourceG > 0 {
		d.sourceResistor.add(l.A, d.sourceG)
	}
}

// load gives conductance and remainder of the junction at v and stores its charge,
// at state st.
func (j *junctionTangent) load(l *Load, st int, v float64) (g, r float64) {
	g, r = j.g, j.g*j.v-j.i
	if st >= 0 {
		i, c := l.Charge(st, j.q+j.c*(v-j.v), j.c)
		g, r = g+c, r+(c*v-i)
	}
	return g, r
}

// gateCharge stores a gate charge at state st: a step's capacitance is the sum of the halves
// at its two ends, besides the constant part over, and the charge grows by it. It gives
// conductance and remainder.
func (l *Load) gateCharge(st int, half, over, v float64) (g, r float64) {
	now, last := l.State[st:st+4], l.PrevState[st:st+4]
	now[2], now[3] = half, v
	if l.A0 == 0 {
		now[0], now[1] = (2*half+over)*v, 0
		return 0, 0
	}
	c := half + last[2] + over
	q := last[0] + c*(v-last[3])
	i := l.A0*q + l.History[st]
	now[0], now[1] = q, i
	g = l.A0 * c
	return g, g*v - i
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
	for k, st := range d.gateCharge {
		if st >= 0 {
			d.gate[k].addAC(l.A, complex(0, l.Omega*(2*t.halfCap[k]+d.overlap[k])))
		}
	}
	if d.drainG > 0 {
		d.drainResistor.addAC(l.A, complex(d.drainG, 0))
	}
	if d.sourceG > 0 {
		d.sourceResistor.addAC(l.A, complex(d.sourceG, 0))
	}
}

// Report gives currents into the drain, voltages at the terminals.
func (d *mosfet) Report(l *Load) (string, []Quantity) {
	x, sg := l.X, d.sign
	vgs, vds, vbs := sg*(x[d.g]-x[d.si]), sg*(x[d.di]-x[d.si]), sg*(x[d.b]-x[d.si])
	var t mosfetTangent
	p := d.evaluate(vgs, vds, vbs, &t)
	region := "cutoff"
	switch {
	case p.vdsat > 0 && math.Abs(vds) >= p.vdsat:
		region = "saturation"
	case p.vdsat > 0:
		region = "linear"
	}
	id := sg * t.i
	return region, []Quantity{{"vgs", "V", x[d.g] - x[d.s]}, {"vds", "V", x[d.d] - x[d.s]}, {"vth", "V", sg * p.von},
		{"id", "A", id}, {"gm", "S", p.gm}, {"gds", "S", p.gds}, {"power_w", "W", id * (x[d.d] - x[d.s])}}
}
