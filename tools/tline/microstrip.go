// Package tline computes planar transmission lines from their cross-sections: impedance and
// effective permittivity of microstrip, stripline, coplanar waveguide and pairs, and their losses.
package tline

import "math"

// eta0 is the impedance of free space, µ0 c [Ω].
const eta0 = 376.730313668

// Microstrip is a strip over a ground plane. Lengths are in units of the substrate height.
type Microstrip struct {
	Er        float64
	Thickness float64 // of the strip
}

// Range of w/h in which the model is valid.
const (
	MinWOverH = 0.01
	MaxWOverH = 100.0
)

// At returns the impedance [Ω] and effective permittivity of a strip of width u = w/h (Hammerstad
// and Jensen, equations 6 to 9). The thickness increases the effective width, but less with a high
// permittivity.
func (l Microstrip) At(u float64) (z0, erEff float64) { return l.widened(u, 1) }

// widened returns the impedance [Ω] and effective permittivity of a strip of width u. share is the
// part of the increase of the effective width by the thickness that applies.
func (l Microstrip) widened(u, share float64) (z0, erEff float64) {
	inAir, inDielectric := u, u
	if t := l.Thickness; t > 0 {
		coth := 1 / math.Tanh(math.Sqrt(6.517*u))
		wider := share * t / math.Pi * math.Log1p(4*math.E/(t*coth*coth))
		inAir += wider
		inDielectric += wider / 2 * (1 + 1/math.Cosh(math.Sqrt(l.Er-1)))
	}
	z := airImpedance(inDielectric)
	e := staticEr(l.Er, inDielectric)
	ratio := airImpedance(inAir) / z
	return z / math.Sqrt(e), e * ratio * ratio
}

// airImpedance returns the impedance without dielectric (equations 1 and 2).
func airImpedance(u float64) float64 {
	f := 6 + (2*math.Pi-6)*math.Exp(-math.Pow(30.666/u, 0.7528))
	return eta0 / (2 * math.Pi) * math.Log(f/u+math.Sqrt(1+4/(u*u)))
}

// staticEr returns the effective permittivity of an infinitely thin strip (equations 3 to 5).
func staticEr(er, u float64) float64 {
	u2 := u * u
	u4 := u2 * u2
	a := 1 + math.Log((u4+u2/(52*52))/(u4+0.432))/49 + math.Log1p(u2*u/(18.1*18.1*18.1))/18.7
	b := 0.564 * math.Pow((er-0.9)/(er+3), 0.053)
	return (er+1)/2 + (er-1)/2*math.Pow(1+10/u, -a*b)
}

// Dispersion returns the effective permittivity at frequency times height fn [GHz·mm] (Kirschning
// and Jansen, equations 1 and 2). It increases from the static value to er.
func Dispersion(er, static, u, fn float64) float64 {
	p1 := 0.27488 + u*(0.6315+0.525/math.Pow(1+0.0157*fn, 20)) - 0.065683*math.Exp(-8.7513*u)
	p2 := 0.33622 * -math.Expm1(-0.03442*er)
	p3 := 0.0363 * math.Exp(-4.6*u) * -math.Expm1(-math.Pow(fn/38.7, 4.97))
	p4 := 1 + 2.751*-math.Expm1(-math.Pow(er/15.916, 8))
	p := p1 * p2 * math.Pow((0.1844+p3*p4)*fn, 1.5763)
	return er - (er-static)/(1+p)
}

// Covered returns the impedance [Ω] and effective permittivity of a strip of width u below a
// dielectric layer of thickness cover. Both lengths are in units of the height. The permittivity
// increases with 1 - exp(-2 cover) to the value for a thick layer. This follows B. C. Wadell,
// Transmission Line Design Handbook (1991), section 3.5.3, for a cover of the substrate material.
// The fill factor of the open line accounts for other materials.
func (l Microstrip) Covered(u, cover, coverEr float64) (z0, erEff float64) {
	z0, erEff = l.At(u)
	fill := FillingFactor(l.Er, func(er float64) float64 {
		_, e := Microstrip{Er: er, Thickness: l.Thickness}.At(u)
		return e
	})
	return covered(z0, erEff, coverEr, 2*cover, fill)
}
