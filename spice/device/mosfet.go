package device

import (
	"math"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// mosfet implements Mname drain gate source bulk model [w= l= ad= as= pd= ps= nrd= nrs= m=]. It has
// a channel selected by LEVEL, two bulk junctions and the gate capacitances of J. E. Meyer (RCA
// Review 32, 1971).
type mosfet struct {
	// The fields that every iteration reads come first, so they share few cache lines.
	sign             float64     // +1 for nmos, -1 for pmos
	g, b, di, si     int         // di and si are the drain and source behind the series resistances
	states           int         // index of mosfetStates in the state vector
	sourceTiedToBulk bool        // source and bulk are the same node and share charges
	junctionCharge   [2]bool     // whether the drain and source junctions store charge
	gateCharge       [3]bool     // whether the gate stores charge with source, drain and bulk
	gateEnd          [3]int      // nodes of source, drain and bulk
	channelEntries   [9]mna.Slot // rows and columns: drain, gate, source
	// bulkEntries holds the bulk column of the drain, gate and source rows. The bulk row follows
	// with the columns drain, gate, source and bulk.
	bulkEntries     [7]mna.Slot
	vt              float64    // kT/q [V]
	isat            [2]float64 // saturation currents [A] of the drain and source junctions
	negligibleBelow [2]float64 // junction voltages [V] below which the slope is under negligibleG
	overlap         [3]float64 // constant parts [F] of the gate capacitances
	cox             float64    // oxide capacitance [F] of the whole gate
	phi             float64    // surface potential [V]
	channel         channel
	tangent         mosfetTangent
	bottom, side    [2]depletion // area and perimeter charge of the drain and source junctions

	e *netlist.Element

	w, l, ad, as, pd, ps, nrd, nrs, mult float64 // lengths [m], areas [m²], nrd and nrs in squares
	model                                mosfetModel

	offsets  channelOffsets
	vto      float64 // threshold voltage [V] at zero bias
	critical [2]float64

	d, s            int
	entries         [2][4]mna.Slot // rows drain, source; columns drain, gate, source, bulk
	drainG, sourceG float64        // series conductances [S]
	junction        [2]pair        // bulk-drain, bulk-source
	gate            [3]pair        // gate-source, gate-drain, gate-bulk
}

func newMosfet(m *cardReader) Device {
	d, _ := m.old.(*mosfet)
	if d == nil {
		d = new(mosfet)
	}
	*d = mosfet{e: m.e, sign: 1}
	switch t := m.e.Model.Type; t {
	case "nmos":
	case "pmos":
		d.sign = -1
	default:
		m.fail(diag.WrongModelType, "%s needs a model of type nmos or pmos, but %s is of type %s",
			m.e.Name, m.e.Model.Name, t)
		return d
	}
	level := m.level()
	var supported bool
	d.channel, supported = newChannel(level)
	p := &d.model
	var width, length float64 // defaults [m] of the model for elements without w= and l=
	var resistor float64      // rg and rds are elements of their own (package netlist)
	var list [48]modelParam
	m.model(append(append(p.params(list[:0]), d.channel.params(p)...), []modelParam{
		{name: "level", value: &level, def: 1},
		{name: "rg", value: &resistor}, {name: "rds", value: &resistor},
		{name: "w", value: &width, def: 1e-4, above: true}, {name: "l", value: &length, def: 1e-4,
			above: true},
	}...))
	if !supported {
		m.fail(diag.NotAvailable,
			"not yet supported: model %s has level %g; only levels %s are supported. "+
				"For BSIM models use one of these with the vto, kp and tox of the process",
			m.e.Model.Name, level, MOSFETLevels())
	}
	p.cbdSet, p.cbsSet = m.given("cbd"), m.given("cbs")
	m.limit("fc", &p.fc, 0.95)
	m.limit("mj", &p.mj, 10)
	m.limit("mjsw", &p.mjsw, 10)
	for _, q := range [...]struct {
		name string
		into *float64
		def  float64
	}{{"w", &d.w, width}, {"l", &d.l, length}, {"ad", &d.ad, 0}, {"as", &d.as, 0}, {"pd", &d.pd, 0},
		{"ps", &d.ps, 0}, {"nrd", &d.nrd, 1}, {"nrs", &d.nrs, 1}, {"m", &d.mult, 1}} {
		if *q.into, _ = m.param(q.name, q.def); *q.into < 0 || *q.into > 1e9 {
			m.fail(diag.BadValue, "%s: %s must not be negative, not %g", m.e.Name, q.name, *q.into)
		}
	}
	m.initialState(m.e.Args, "w", "l", "ad", "as", "pd", "ps", "nrd", "nrs", "m")
	d.offsets = d.channel.offsets()
	d.w += d.offsets.width
	if d.leff() <= 0 || d.w <= 0 || d.mult <= 0 {
		m.fail(diag.BadValue, "%s: width, multiplier and length less twice ld must be above 0",
			m.e.Name)
	}
	p.scaledDensity = level == 3
	p.deriveFromProcess(m)
	return d
}

// leff returns the effective channel length [m].
func (d *mosfet) leff() float64 { return d.l - 2*d.model.ld + d.offsets.length }

func (d *mosfet) Element() *netlist.Element { return d.e }
func (d *mosfet) Nonlinear() bool           { return true }

func (d *mosfet) Setup(s *Setup) {
	n := d.e.Nodes
	d.d, d.g, d.s, d.b = s.Node(n[0]), s.Node(n[1]), s.Node(n[2]), s.Node(n[3])
	d.di, d.si = d.d, d.s
	series := func(r, squares float64) float64 {
		if r == 0 {
			r = d.model.rsh * squares
		}
		return inverse(r) * d.mult
	}
	if d.drainG = series(d.model.rd, d.nrd); d.drainG > 0 {
		d.di = s.seriesResistance(d.e, "drain", d.d, &d.drainG)
	}
	if d.sourceG = series(d.model.rs, d.nrs); d.sourceG > 0 {
		d.si = s.seriesResistance(d.e, "source", d.s, &d.sourceG)
	}
	in := [4]int{d.di, d.g, d.si, d.b}
	for i, row := range [2]int{d.di, d.si} {
		for j, col := range in {
			d.entries[i][j] = s.Pattern.Slot(row, col)
		}
	}
	d.sourceTiedToBulk = d.b == d.si
	d.states = s.State(len(mosfetStates{}))
	for k, end := range [2]int{d.di, d.si} {
		d.junction[k] = newPair(s.Pattern, d.b, end)
		if d.junctionCharge[k] = end != d.b && d.stores(k); d.junctionCharge[k] {
			s.ChargeAt(d.states + junctionStates + 2*k)
		}
	}
	d.gateCharge, d.gateEnd = [3]bool{}, [3]int{d.si, d.di, d.b}
	for k, end := range d.gateEnd {
		if end == d.g || d.model.tox <= 0 && [3]float64{d.model.cgso, d.model.cgdo,
			d.model.cgbo}[k] == 0 {
			continue
		}
		d.gate[k] = newPair(s.Pattern, d.g, end)
		if k == 2 && d.sourceTiedToBulk {
			d.gate[0], k = d.gate[2], 0
		}
		if !d.gateCharge[k] {
			d.gateCharge[k] = true
			s.ChargeAt(d.states + gateStates + 4*k)
		}
	}
	drain, source, g, j := &d.entries[0], &d.entries[1], &d.gate, &d.junction
	d.channelEntries = [9]mna.Slot{drain[0], drain[1], drain[2], g[1].ab, s.Pattern.Slot(d.g, d.g),
		g[0].ab, source[0], source[1], source[2]}
	d.bulkEntries = [7]mna.Slot{drain[3], g[2].ab, source[3], j[0].ab, g[2].ba, j[1].ab, j[0].aa}
}

// stores reports whether a bulk junction has a capacitance. k is 0 at the drain and 1 at the
// source.
func (d *mosfet) stores(k int) bool {
	m := &d.model
	bottom := m.cj * [2]float64{d.ad, d.as}[k]
	if [2]bool{m.cbdSet, m.cbsSet}[k] {
		bottom = [2]float64{m.cbd, m.cbs}[k]
	}
	return bottom > 0 || m.cjsw*[2]float64{d.pd, d.ps}[k] > 0
}

func (d *mosfet) Terminals() Terminals {
	t := Terminals{Conducts: [][2]int{{d.d, d.di}, {d.s, d.si}, {d.di, d.si}, {d.b, d.di},
		{d.b, d.si}}}
	t.Couples = [][2]int{{d.g, d.si}, {d.g, d.di}}
	if m := &d.model; m.tox > 0 || m.cgso+m.cgdo+m.cgbo > 0 {
		// one pair suffices, because junctions connect drain, source and bulk
		t.Stores = [][2]int{{d.g, d.si}}
	}
	return t
}

// Report returns the region of operation, the terminal voltages, the threshold voltage, the drain
// current and its derivatives.
func (d *mosfet) Report(l *Load) (string, []Quantity) {
	x, sg := l.X, d.sign
	vgs, vds, vbs := sg*(x[d.g]-x[d.si]), sg*(x[d.di]-x[d.si]), sg*(x[d.b]-x[d.si])
	i, von, vdsat := d.current(vgs, vds, vbs)
	region := "cutoff"
	switch {
	case vdsat > 0 && math.Abs(vds) >= vdsat:
		region = "saturation"
	case vdsat > 0:
		region = "linear"
	}
	id := sg * i.v
	return region, []Quantity{{"vgs", "V", x[d.g] - x[d.s]}, {"vds", "V", x[d.d] - x[d.s]},
		{"vth", "V", sg * von},
		{"id", "A", id}, {"gm", "S", i.d0}, {"gds", "S", i.d1},
		{"power_w", "W", id * (x[d.d] - x[d.s])}}
}

// current returns the drain current [A], the threshold voltage and the saturation voltage [V] for
// either sign of vds. If vds < 0, drain and source are exchanged in the derivatives [S].
func (d *mosfet) current(vgs, vds, vbs float64) (id dual, von, vdsat float64) {
	if vds >= 0 {
		return d.channel.at(vgs, vds, vbs)
	}
	id, von, vdsat = d.channel.at(vgs-vds, -vds, vbs-vds)
	id.v = -id.v
	return id, von, vdsat
}
