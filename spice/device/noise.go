package device

import (
	"math"

	"slipstick/spice/netlist"
)

// NoiseSource is a noise current source between two unknowns. Its one-sided spectral density at the
// frequency f [Hz] is White + Flicker/f [A²/Hz].
type NoiseSource struct {
	Name     string // name in ngspice: "thermal", "rb", "ic", "1overf", ...
	Kind     string // "thermal", "shot" or "flicker"
	From, To int
	White    float64 // density of the white noise [A²/Hz]
	Flicker  float64 // density of the flicker noise times frequency [A²]
}

// Bias is the operating point for a noise analysis.
type Bias struct {
	X    []float64 // unknowns [V or A]
	Gmin float64   // conductance [S] across every junction
	T    float64   // temperature [K]
}

// Noisy is a device with noise sources.
type Noisy interface {
	// Noise returns the noise sources at a bias. The formulas are those of SPICE3 (ngspice 39
	// manual, noise sections of the devices): 4kT·G, 2q·|I| and KF·|I|^AF/f. The noise powers of m
	// parallel devices add.
	Noise(b *Bias) []NoiseSource
}

// flickerModel holds the parameters of the flicker noise KF·|I|^AF/f.
type flickerModel struct{ kf, af float64 }

// params appends the descriptions of the card parameters to list.
func (f *flickerModel) params(list []modelParam) []modelParam {
	return append(list, modelParam{name: "kf", value: &f.kf},
		modelParam{name: "af", value: &f.af, def: 1})
}

// at returns KF·|I|^AF [A²] for a total current [A] of m parallel devices.
func (f *flickerModel) at(current, m float64) float64 {
	if f.kf == 0 || current == 0 {
		return 0
	}
	return m * f.kf * math.Pow(math.Abs(current)/m, f.af)
}

// multiplicity returns the parameter m of an element. The default is 1.
func multiplicity(e *netlist.Element) float64 {
	if p, ok := e.Param("m"); ok && p.Value > 0 {
		return p.Value
	}
	return 1
}

// thermal returns the thermal noise of a conductance [S] between the unknowns from and to. For a
// negative conductance it uses the magnitude.
func (b *Bias) thermal(name string, from, to int, conductance float64) NoiseSource {
	return NoiseSource{Name: name, Kind: "thermal", From: from, To: to,
		White: 4 * boltzmann * b.T * math.Abs(conductance)}
}

func shot(name string, from, to int, current float64) NoiseSource {
	return NoiseSource{Name: name, Kind: "shot", From: from, To: to,
		White: 2 * charge * math.Abs(current)}
}

func flicker(from, to int, numerator float64) NoiseSource {
	return NoiseSource{Name: "1overf", Kind: "flicker", From: from, To: to, Flicker: numerator}
}

// Noise returns the thermal noise of the DC resistance, as in ngspice. The parameter noisy=0
// disables it.
func (r *resistor) Noise(b *Bias) []NoiseSource {
	if r.noiseless {
		return nil
	}
	return []NoiseSource{b.thermal("thermal", r.a, r.b, r.conductance(r.ohms))}
}

// Noise returns the thermal noise of the present resistance, which noiseless of the model disables.
func (d *controlledSwitch) Noise(b *Bias) []NoiseSource {
	if d.noisy == 0 {
		return nil
	}
	return []NoiseSource{b.thermal("thermal", d.p, d.n, d.conductance())}
}

// Noise returns the noise sources of the series resistance and the junction current.
func (d *diode) Noise(b *Bias) (list []NoiseSource) {
	if d.rs > 0 {
		list = append(list, b.thermal("rs", d.a, d.internal, 1/d.ohms))
	}
	i, _ := d.current(b.X[d.internal]-b.X[d.k], b.Gmin)
	// n diodes in series have n times the noise voltage density of one, squared, and n times its
	// resistance.
	return append(list, shot("id", d.internal, d.k, i/d.series),
		flicker(d.internal, d.k, d.flickerNoise.at(i, multiplicity(d.e))/d.series))
}

// Noise returns the noise sources of the series resistances and of the collector and base currents.
func (d *bipolar) Noise(b *Bias) (list []NoiseSource) {
	var pt bipolarPoint
	vbe, vbc := d.sign*(b.X[d.bi]-b.X[d.ei]), d.sign*(b.X[d.bi]-b.X[d.ci])
	d.evaluate(vbe, vbc, b.Gmin, &pt)
	if d.model.rc > 0 {
		list = append(list, b.thermal("rc", d.collector, d.collectorEnd(), d.temp.gc))
	}
	if d.hasRB {
		list = append(list, b.thermal("rb", d.baseNode, d.bi, pt.gx))
	}
	if d.model.re > 0 {
		list = append(list, b.thermal("re", d.emitter, d.ei, d.temp.ge))
	}
	return append(list, shot("ic", d.ci, d.ei, pt.ic), shot("ib", d.bi, d.ei, pt.ib),
		flicker(d.bi, d.ei, d.model.flickerNoise.at(pt.ib, multiplicity(d.e))))
}

// channelNoise is the thermal noise of a channel in saturation, relative to that of a conductance
// gm. See van der Ziel, Noise in Solid State Devices and Circuits, 1986. SPICE3 uses it in all
// regions.
const channelNoise = 2.0 / 3

// Noise returns the noise sources of the drain and source resistances and of the channel.
func (d *jfet) Noise(b *Bias) (list []NoiseSource) {
	vgs, vgd := d.voltages(b.X)
	i, gm, _ := d.evaluate(vgs, vgs-vgd)
	if d.nlev >= 3 {
		gm = d.noiseConductance(vgs, vgd)
	}
	// The drain current includes the current of the gate-drain junction.
	gate, _ := d.junction(vgd, b.Gmin)
	return d.noise(b, gm, i-gate)
}

// noiseConductance returns the conductance [S] that replaces gm in the channel noise of nlev=3
// (HSPICE and ngspice manuals, JFET noise equations). At vds = 0, where gm is 0, the noise is that
// of the conductance of the channel for gdsnoi=2.
func (d *jfet) noiseConductance(vgs, vgd float64) float64 {
	over := max(vgs, vgd) - d.threshold
	if over <= 0 {
		return 0
	}
	a := max(0, 1-math.Abs(vgs-vgd)/over)
	return d.gdsnoi * d.k * over * (1 + a + a*a) / (1 + a)
}

// defaultNoiseOxide is the oxide thickness [m] for flicker noise in a model without TOX, as in
// SPICE3.
const defaultNoiseOxide = 1e-7

// Noise returns the noise sources of the drain and source resistances and of the channel. The
// flicker noise is KF·|Id|^AF/(f·W·Leff·Cox²) (SPICE3 mos1noi).
func (d *mosfet) Noise(b *Bias) (list []NoiseSource) {
	if d.drainG > 0 {
		list = append(list, b.thermal("rd", d.d, d.di, d.drainG))
	}
	if d.sourceG > 0 {
		list = append(list, b.thermal("rs", d.s, d.si, d.sourceG))
	}
	x, sg := b.X, d.sign
	id, _, _ := d.current(sg*(x[d.g]-x[d.si]), sg*(x[d.di]-x[d.si]), sg*(x[d.b]-x[d.si]))
	cox := epsOxide / defaultNoiseOxide
	if d.model.tox > 0 {
		cox = epsOxide / d.model.tox
	}
	size := d.w * d.leff() * cox * cox
	return append(list, b.thermal("id", d.di, d.si, channelNoise*id.d0),
		flicker(d.di, d.si, d.model.flickerNoise.at(id.v, d.mult)/size))
}

// Noise returns the noise sources of the resistances, the channel and the body diode.
func (d *vdmos) Noise(b *Bias) (list []NoiseSource) {
	drainG := d.drainG
	if d.rq > 0 {
		drainG, _ = d.drain(b.X)
	}
	for _, r := range [3]struct {
		name   string
		g      float64
		on, in int
	}{{"rd", drainG, d.d, d.di}, {"rg", d.gateG, d.g, d.gi}, {"rs", d.sourceG, d.s, d.si}} {
		if r.g > 0 {
			list = append(list, b.thermal(r.name, r.on, r.in, r.g))
		}
	}
	i, gm, _ := d.evaluate(d.voltages(b.X))
	list = append(list, b.thermal("id", d.di, d.si, channelNoise*gm),
		flicker(d.di, d.si, d.flickerNoise.at(i, d.mult)))
	i, _ = d.body.current(b.X[d.body.internal]-b.X[d.body.k], b.Gmin)
	return append(list, shot("body", d.body.internal, d.body.k, i))
}
