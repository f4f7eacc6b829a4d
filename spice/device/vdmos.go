package device

import (
	"math"
	"strings"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// vdmos implements Mname drain gate source [source] model [m=] with a model of type vdmos. It is
// the vertical power MOSFET of LTspice with the equations of ngspice (manual of ngspice 39, chapter
// VDMOS). The channel follows level 1 with a logarithmic overdrive for the subthreshold current.
// The gate-drain capacitance varies between cgdmax and cgdmin, and a body diode conducts from
// source to drain.
//
// With rq and vq the drain resistance increases with the outer drain-source voltage vds above 0
// (quasi-saturation): it is rd + rq·vds/(vds + |vq|). This is a simplification of V. d'Alessandro,
// F. Frisina and N. Rinaldi, A new SPICE model of VDMOS transistors including thermal and
// quasi-saturation effects, EPE 2001.
type vdmos struct {
	e    *netlist.Element
	sign float64 // +1 for n-channel, -1 for p-channel
	mult float64
	body *diode

	vto, kp, lambda, theta           float64 // units: [V], [A/V²], [1/V], [1/V]
	rd, rs, rg, rds                  float64 // resistances [ohm]
	rq, vq, texp1                    float64 // [ohm], [V], none; rq is 0 unless both are given
	drainR, quasiR                   float64 // rd and rq [ohm] at the temperature, scaled by m
	mtriode, ksubthres, subshift     float64 // units: none, [V], [V]
	cgdmin, cgdmax, a, cgs           float64 // units: [F], [F], [1/V], [F]
	tcvth, vtotc, mu                 float64 // units: [V/K], [V/K], none
	texp0, trd1, trd2, trg1, trg2    float64
	trs1, trs2, tksubthr1, tksubthr2 float64
	factorLimit
	hasTexp0               bool
	flickerNoise           flickerModel
	vth, beta, slope       float64 // at the temperature, beta times m: [V], [A/V²], [V]
	drainG, gateG, sourceG float64 // series conductances [S]
	d, g, s, di, gi, si    int
	states                 int // state index of vgs; vds follows
	q                      [2]int
	tangent                vdmosTangent
	entries                nodalEntries3 // rows and columns: drain, gate, source
	gate                   [2]pair       // gate-source, gate-drain
	quasi                  nodalEntries3 // drain, internal drain, source
	leak                   pair
}

// bodyDiode maps the vdmos parameters of the body diode to the names in the diode model.
var bodyDiode = map[string]string{"is": "is", "n": "n", "tt": "tt", "cjo": "cjo", "cj0": "cjo",
	"vj": "vj", "m": "m",
	"fc": "fc", "eg": "eg", "xti": "xti", "bv": "bv", "ibv": "ibv", "rb": "rs"}

func newVDMOS(m *cardReader) Device {
	d := &vdmos{e: m.e, sign: 1, mult: m.parallel()}
	m.initialState(m.e.Args, "m")
	pchan, nchan := false, false
	for _, p := range m.e.Model.Params {
		pchan, nchan = pchan || p.Name == "pchan", nchan || p.Name == "nchan"
	}
	if pchan {
		d.sign = -1
	}
	if pchan && nchan {
		m.fail(diag.BadValue, "model %s has both nchan and pchan", m.e.Model.Name)
	}
	body := netlist.Model{Name: m.e.Model.Name, Type: "d", Line: m.e.Model.Line,
		Params: []netlist.Param{{Name: "cjo", Value: 5e-10}, {Name: "vj", Value: 0.8},
			{Name: "ibv", Value: 1e-10}}}
	own := netlist.Model{Name: m.e.Model.Name, Type: "vdmos", Line: m.e.Model.Line}
	given := map[string]bool{}
	for _, p := range m.e.Model.Params {
		given[p.Name] = true
		if name, ok := bodyDiode[p.Name]; ok {
			p.Name = name
			body.Params = append(body.Params, p)
		} else {
			own.Params = append(own.Params, p)
		}
	}
	var missing []string
	for _, name := range [...]string{"vto", "kp", "cgs", "cgdmin", "cgdmax", "cjo"} {
		if !given[name] && !(name == "vto" && given["vth0"]) && !(name == "cjo" && given["cj0"]) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		m.warn(m.e.Model.Line, "model %s has no %s: the values of ngspice for a vdmos are used, of an irf540 or irf9540; those of LTspice differ",
			m.e.Model.Name, strings.Join(missing, ", "))
	}
	d.readModel(m, own)
	e := *m.e
	e.Kind, e.Model, e.Args, e.Params = 'd', &body, nil, nil
	e.Nodes = []string{e.Nodes[2], e.Nodes[0]}
	if d.sign < 0 {
		e.Nodes[0], e.Nodes[1] = e.Nodes[1], e.Nodes[0]
	}
	e.Params = []netlist.Param{{Name: "m", Value: d.mult, Line: e.Line}}
	if n := m.e.Nodes; len(n) == 4 && n[3] != n[2] {
		m.fail(diag.BadValue, "%s: the bulk of a vdmos is its source, so node 4 must be %s, not %s",
			m.e.Name, n[2], n[3])
	}
	r := &cardReader{e: &e}
	d.body = newDiode(r).(*diode)
	if m.err == nil {
		m.err = r.err
	}
	m.warnings = append(m.warnings, r.warnings...)
	return d
}

// readModel reads the parameters that do not belong to the body diode.
func (d *vdmos) readModel(m *cardReader, own netlist.Model) {
	e := *m.e
	e.Model = &own
	r := &cardReader{e: &e}
	var rating float64 // receives ratings of LTspice models, which have no effect
	r.model(d.flickerNoise.params([]modelParam{
		{name: "vto", value: &d.vto, def: 3 * d.sign, min: -1e6},
		{name: "vth0", value: &d.vto, def: 3 * d.sign, min: -1e6},
		{name: "kp", value: &d.kp, def: 15 + 5*d.sign, above: true},
		{name: "lambda", value: &d.lambda}, {name: "theta", value: &d.theta},
		{name: "rd", value: &d.rd}, {name: "rs", value: &d.rs}, {name: "rg", value: &d.rg},
		{name: "rds", value: &d.rds, def: 1e15, above: true},
		{name: "mtriode", value: &d.mtriode, def: 1, above: true},
		{name: "ksubthres", value: &d.ksubthres, def: 0.1, above: true},
		{name: "subshift", value: &d.subshift, min: -1e6},
		{name: "cgdmin", value: &d.cgdmin, def: 2e-11}, {name: "cgdmax", value: &d.cgdmax,
			def: 2e-9}, {name: "a", value: &d.a, def: 1, above: true},
		{name: "cgs", value: &d.cgs, def: 1.4e-9}, {name: "tcvth", value: &d.tcvth, min: -1},
		{name: "vtotc", value: &d.vtotc, min: -1},
		{name: "mu", value: &d.mu, def: -1.5, min: -100},
		{name: "bex", value: &d.mu, def: -1.5, min: -100},
		{name: "texp0", value: &d.texp0, def: 1.5, min: -100},
		{name: "rq", value: &d.rq}, {name: "vq", value: &d.vq, min: -1e6},
		{name: "texp1", value: &d.texp1, def: 0.3, min: -100},
		{name: "trd1", value: &d.trd1, min: -1}, {name: "trd2", value: &d.trd2, min: -1},
		{name: "trg1", value: &d.trg1, min: -1}, {name: "trg2", value: &d.trg2, min: -1},
		{name: "trs1", value: &d.trs1, min: -1}, {name: "trs2", value: &d.trs2, min: -1},
		{name: "tksubthres1", value: &d.tksubthr1, min: -1},
		{name: "tksubthres2", value: &d.tksubthr2, min: -1},
		{name: "nchan", value: &rating}, {name: "pchan", value: &rating},
		{name: "vds", value: &rating, min: -1e6}, {name: "ron", value: &rating, min: -1e6},
		{name: "qg", value: &rating, min: -1e6},
	}))
	d.hasTexp0 = r.given("texp0")
	d.vq = math.Abs(d.vq)
	switch name := m.e.Model.Name; {
	case !r.given("rq") && !r.given("vq"):
	case !r.given("rq") || !r.given("vq"):
		d.rq = 0
		r.warn(own.Line, "model %s: rq and vq have an effect only together; the drain resistance stays rd",
			name)
	case d.rq > 0 && d.rd == 0:
		d.rq = 0
		r.warn(own.Line, "model %s: rq and vq have no effect without rd, as in ngspice; give rd above 0, such as rd=1u",
			name)
	case d.vq == 0:
		m.fail(diag.BadValue, "model %s (line %d): vq must not be 0; for a constant resistance add rq to rd",
			name, own.Line)
	}
	if m.err == nil {
		m.err = r.err
	}
	m.warnings = append(m.warnings, r.warnings...)
}

func (d *vdmos) Element() *netlist.Element { return d.e }
func (d *vdmos) Nonlinear() bool           { return true }

func (d *vdmos) Setup(s *Setup) {
	n := d.e.Nodes
	d.d, d.g, d.s = s.Node(n[0]), s.Node(n[1]), s.Node(n[2])
	behind := func(r float64, suffix string, node int, siemens *float64) int {
		if r == 0 {
			return node
		}
		return s.seriesResistance(d.e, suffix, node, siemens)
	}
	if d.rq > 0 { // the drain resistance is not constant
		d.di = s.Internal(d.e, "drain", d.d)
		d.quasi = newNodalEntries3(s.Pattern, [3]int{d.d, d.di, d.s})
	} else {
		d.di = behind(d.rd, "drain", d.d, &d.drainG)
	}
	d.gi = behind(d.rg, "gate", d.g, &d.gateG)
	d.si = behind(d.rs, "source", d.s, &d.sourceG)
	d.leak = newPair(s.Pattern, d.d, d.s)
	d.entries = newNodalEntries3(s.Pattern, [3]int{d.di, d.gi, d.si})
	d.gate = [2]pair{newPair(s.Pattern, d.gi, d.si), newPair(s.Pattern, d.gi, d.di)}
	d.states = s.State(2)
	d.q = [2]int{s.Charge(), s.Charge()}
	d.body.Setup(s)
}

func (d *vdmos) Terminals() Terminals {
	t := d.body.Terminals()
	t.Conducts = append(t.Conducts, [2]int{d.d, d.di}, [2]int{d.g, d.gi}, [2]int{d.s, d.si},
		[2]int{d.di, d.si}, [2]int{d.d, d.s})
	t.Couples = [][2]int{{d.gi, d.si}, {d.gi, d.di}}
	if d.cgs > 0 {
		t.Stores = t.Couples[:1]
	}
	return t
}

func (d *vdmos) Temperature(e Env) {
	d.body.Temperature(e)
	dt, ratio := e.Temp-e.Tnom, e.Temp/e.Tnom
	d.factorLimit = factorLimit{}
	poly := func(r, t1, t2 float64) float64 { return d.scale(r, dt, t1, t2) }
	// tcvth of ngspice lowers the threshold, whereas vtotc of LTspice is added to vto.
	d.vth = d.sign*(d.vto+d.vtotc*dt) - d.tcvth*dt
	d.beta = d.kp * d.mult * math.Pow(ratio, d.mu)
	d.slope = poly(d.ksubthres, d.tksubthr1, d.tksubthr2)
	rd := poly(d.rd, d.trd1, d.trd2)
	if d.hasTexp0 {
		rd = d.rd * math.Pow(ratio, d.texp0)
	}
	d.drainR, d.quasiR = rd/d.mult, d.rq*math.Pow(ratio, d.texp1)/d.mult
	d.drainG, d.gateG, d.sourceG = d.mult*inverse(rd), d.mult*inverse(poly(d.rg, d.trg1, d.trg2)),
		d.mult*inverse(poly(d.rs, d.trs1, d.trs2))
}

// channel returns the drain current [A] for vds >= 0 and its derivatives [S] with respect to vgs
// and vds.
func (d *vdmos) channel(vgs, vds float64) dual {
	g, x := dualOf(0, vgs).plus(-d.vth), dualOf(1, vds)
	beta := x.scale(d.lambda).plus(1).scale(d.beta).div(g.max(dual{}).scale(d.theta).plus(1))
	over := g.plus(-d.subshift)
	if u := over.v / d.slope; u < 40 { // above 40, log(1 + e^u) equals u
		e := math.Exp(u)
		over = over.chain(d.slope*math.Log1p(e), e/(1+e))
	}
	across := x.scale(d.mtriode).min(over)
	return beta.mul(across).mul(over.sub(across.scale(0.5)))
}

// evaluate returns the drain current [A] for either sign of vds and its derivatives [S] with
// respect to vgs and vds.
func (d *vdmos) evaluate(vgs, vds float64) (i, gm, gds float64) {
	if vds >= 0 {
		c := d.channel(vgs, vds)
		return c.v, c.d0, c.d1
	}
	c := d.channel(vgs-vds, -vds)
	return -c.v, -c.d0, c.d0 + c.d1
}

// drainCharge returns the charge [C] and the gate-drain capacitance [F] at the gate-drain voltage v
// [V]. The capacitance is s·tanh(a·v) + y above 0 and s·atan(a·v) + y below.
func (d *vdmos) drainCharge(v float64) (q, c float64) {
	s := d.mult * (d.cgdmax - d.cgdmin) / (1 + math.Pi/2)
	y := d.mult*d.cgdmax - s
	u := d.a * v
	if v > 0 {
		// The logarithm of cosh u is computed without overflow.
		return s/d.a*(u+math.Log1p(math.Exp(-2*u))-math.Ln2) + y*v, s*math.Tanh(u) + y
	}
	return s/d.a*(u*math.Atan(u)-math.Log1p(u*u)/2) + y*v, s*math.Atan(u) + y
}

// voltages returns the gate-source and drain-source voltages [V] of the channel.
func (d *vdmos) voltages(x []float64) (vgs, vds float64) {
	return d.sign * (x[d.gi] - x[d.si]), d.sign * (x[d.di] - x[d.si])
}

func (d *vdmos) Load(l *Load) {
	d.body.Load(l)
	d.leak.add(l.A, d.mult/d.rds)
	vgs, vds := d.voltages(l.X)
	now := l.State[d.states:][:2]
	if l.InitJunctions {
		vgs, vds = d.vth+0.1, 0
		l.Limited = true
	} else {
		vgs, vds = d.limit(l, vgs, vds, now[0], now[1])
	}
	now[0], now[1] = vgs, vds
	t := &d.tangent
	i, gm, gds := d.evaluate(vgs, vds)
	t.vgs, t.vds, t.i, t.gm, t.gds = vgs, vds, i, gm, gds
	r := d.sign * (gm*vgs + gds*vds - i)
	addChannel(&d.entries, l.A, gm, gds)
	l.B[d.di] += r
	l.B[d.si] -= r
	if d.rq > 0 {
		g, slope := d.drain(l.X)
		addQuasi(&d.quasi, l.A, g, slope)
		// The linearized current includes slope·vds. The right-hand side holds its value at the
		// iterate.
		t.drop, t.outer = l.X[d.d]-l.X[d.di], l.X[d.d]-l.X[d.s]
		t.drainI, t.drainG, t.drainSlope = g*t.drop, g, slope
		r := slope * t.outer
		l.B[d.d] += r
		l.B[d.di] -= r
	}
	for k, end := range [2]int{d.si, d.di} {
		v, q, c := vgs, d.mult*d.cgs*vgs, d.mult*d.cgs
		if k == 1 {
			v = vgs - vds
			q, c = d.drainCharge(v)
			t.vgd, t.qgd, t.cgd = v, q, c
		}
		i, g := l.Charge(d.q[k], q, c)
		d.gate[k].add(l.A, g)
		r := d.sign * (g*v - i)
		l.B[d.gi] += r
		l.B[end] -= r
	}
}

// limit returns vgs and vds [V], limited as in the other MOSFET models. It sets l.Limited if they
// change.
func (d *vdmos) limit(l *Load, vgs, vds, oldGS, oldDS float64) (float64, float64) {
	if math.Abs(vgs-oldGS) < 0.05 && math.Abs(vds-oldDS) < 0.05 {
		return vgs, vds
	}
	g, gd := vgs, vgs-vds
	var s float64
	if oldDS >= 0 {
		g = limitGate(g, oldGS, d.vth)
		s = limitDrain(g-gd, oldDS)
	} else {
		gd = limitGate(gd, oldGS-oldDS, d.vth)
		s = -limitDrain(-(g - gd), -oldDS)
		g = gd + s
	}
	if math.Abs(g-vgs)+math.Abs(s-vds) > 1e-12*(1+math.Abs(vgs)+math.Abs(vds)) {
		l.Limited = true
		return g, s
	}
	return vgs, vds
}

// drain returns the drain conductance [S] with quasi-saturation. slope is the derivative [S] of the
// drain current with respect to the outer drain-source voltage at a constant voltage drop. For a
// voltage of at most 0 V the conductance is that of rd alone, and slope is 0.
func (d *vdmos) drain(x []float64) (g, slope float64) {
	vds := d.sign * (x[d.d] - x[d.s])
	if vds <= 0 {
		return 1 / d.drainR, 0
	}
	g = 1 / (d.drainR + d.quasiR*vds/(vds+d.vq))
	growth := d.quasiR * d.vq / ((vds + d.vq) * (vds + d.vq)) // ohm/V
	return g, -g * g * growth * d.sign * (x[d.d] - x[d.di])
}

// addQuasi adds the current g·v(drain, internal drain) and its derivative slope with respect to
// v(drain, source).
func addQuasi[T float64 | complex128](e *nodalEntries3, a []T, g, slope T) {
	from, to := &e[0], &e[1]
	a[from[0]] += g + slope
	a[from[1]] -= g
	a[from[2]] -= slope
	a[to[0]] -= g + slope
	a[to[1]] += g
	a[to[2]] += slope
}

func (d *vdmos) LoadAC(l *ACLoad) {
	d.body.LoadAC(l)
	vgs, vds := d.voltages(l.X)
	_, gm, gds := d.evaluate(vgs, vds)
	addChannel(&d.entries, l.A, complex(gm, 0), complex(gds, 0))
	_, cgd := d.drainCharge(vgs - vds)
	d.gate[0].addAC(l.A, complex(0, l.Omega*d.mult*d.cgs))
	d.gate[1].addAC(l.A, complex(0, l.Omega*cgd))
	d.leak.addAC(l.A, complex(d.mult/d.rds, 0))
	if d.rq > 0 {
		g, slope := d.drain(l.X)
		addQuasi(&d.quasi, l.A, complex(g, 0), complex(slope, 0))
	}
}

// Report returns the channel current, without the body diode current, and the terminal voltages.
func (d *vdmos) Report(l *Load) (string, []Quantity) {
	x := l.X
	vgs, vds := d.voltages(x)
	i, gm, gds := d.evaluate(vgs, vds)
	region := "cutoff"
	if over := max(vgs, vgs-vds) - d.vth; over > 0 {
		region = "linear"
		if math.Abs(vds)*d.mtriode >= over {
			region = "saturation"
		}
	}
	id := d.sign * i
	return region, []Quantity{{"vgs", "V", x[d.g] - x[d.s]}, {"vds", "V", x[d.d] - x[d.s]},
		{"vth", "V", d.sign * d.vth},
		{"id", "A", id}, {"gm", "S", math.Abs(gm)}, {"gds", "S", gds},
		{"power_w", "W", id * (x[d.d] - x[d.s])}}
}
