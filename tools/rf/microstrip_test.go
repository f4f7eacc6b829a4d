package rf

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestMicrostrip(t *testing.T) {
	tooltest.Examples(t, Microstrip)
	tooltest.Cases(t, Microstrip, []tooltest.Case{
		{"defaults, no frequency", `{"height_mm":1.6}`, `{"width_mm":2.9166,"er_eff":3.4261,"wavelength_eff_mm":null,"er_eff_at_freq":null,"warnings":[]}`},
		{"by hand: delay √3.4261/c, λ = c/(2.45e9 √3.4261)", `{"height_mm":1.6,"freq_mhz":2450}`, `{"delay_ps_per_mm":6.1742,"wavelength_eff_mm":66.108}`},
		{"Wheeler 1977 without thickness: w/h 1.845", `{"height_mm":0.8,"copper_oz":0}`, `{"w_over_h":1.85}`},
		{"air line: the field solution below gives 126.424 Ω at w/h = 1", `{"height_mm":1,"er":1,"copper_oz":0,"z0_ohm":126.424}`, `{"width_mm":1.000,"er_eff":1.000000,"delay_ps_per_mm":3.33564}`},
		{"Pozar 4th edition, example 3.7: alumina 9.9, 0.5 mm, 50 Ω: 0.483 mm", `{"height_mm":0.5,"er":9.9,"copper_oz":0,"freq_mhz":10000}`, `{"width_mm":0.48,"er_eff":6.6}`},
		{"IPC-2141 by hand: 5.98·1.6·exp(-30·√6.01/87)/0.8, far too narrow", `{"height_mm":1.6,"z0_ohm":30,"copper_oz":0}`, `{"width_ipc2141_mm":5.1357,"warnings":["~-2"]}`},
		{"IPC-2141 without an answer", `{"height_mm":0.1,"z0_ohm":110,"copper_oz":1}`, `{"width_ipc2141_mm":null,"warnings":["~no positive width"]}`},
		{"dispersion matters", `{"height_mm":1.6,"freq_mhz":10000}`, `{"warnings":["~dispersion"]}`},
		{"higher modes: c/(2·2.917 mm·√4.6) = 23.96 GHz", `{"height_mm":1.6,"freq_mhz":25000}`, `{"warnings":["~dispersion","~wavelengths high","~2.396e+04 MHz"]}`},
	})
	tooltest.InvalidCases(t, Microstrip, []tooltest.InvalidCase{
		{"no height", `{}`, []string{"height_mm"}, "is required"},
		{"height 0", `{"height_mm":0}`, []string{"height_mm"}, "greater than 0"},
		{"three at once", `{"height_mm":1,"er":0.9,"copper_oz":-1,"z0_ohm":0}`, []string{"er", "copper_oz", "z0_ohm"}, "1 to 128"},
		{"er above the model", `{"height_mm":1,"er":129}`, []string{"er"}, "1 to 128"},
		{"impedance out of reach", `{"height_mm":1.6,"z0_ohm":400}`, []string{"z0_ohm"}, "Ω on this substrate"},
		{"impedance too low", `{"height_mm":1.6,"z0_ohm":1}`, []string{"z0_ohm"}, "must be 1."},
		{"thick copper", `{"height_mm":1.6,"copper_oz":21}`, []string{"copper_oz"}, "0 to 20"},
	})
}

// The width that synthesis finds has, analysed, the impedance asked for; and impedance falls
// as the trace widens, so that width is the only one.
func TestMicrostripSynthesisInvertsAnalysis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := microstripLine{
			er:        rapid.Float64Range(1, 128).Draw(t, "er"),
			thickness: rapid.SampledFrom([]float64{0, 1e-6, 0.02, 0.3, 10, 1e6}).Draw(t, "t/h"),
		}
		u := math.Exp(rapid.Float64Range(math.Log(minWOverH*1.01), math.Log(maxWOverH/1.01)).Draw(t, "log w/h"))
		z, e := l.at(u)
		if !(e >= 1-1e-12 && e <= l.er+1e-12) {
			t.Fatalf("effective permittivity %v of %v", e, l.er)
		}
		if wider, _ := l.at(u * 1.001); wider >= z {
			t.Fatalf("impedance rises from %v to %v with the width", z, wider)
		}
		found, _ := l.at(l.width(z))
		if math.Abs(found-z) > 1e-9 {
			t.Fatalf("%v Ω at w/h %v is found again as %v Ω", z, u, found)
		}
	})
}

// wheeler is the impedance by H. A. Wheeler (1977) in the form of IPC-2141A (2004), all in units of h.
func wheeler(er, w, t float64) float64 {
	if t > 0 {
		dw := t / math.Pi * math.Log(4*math.E/math.Sqrt(t*t+math.Pow(1/math.Pi/(w/t+1.1), 2)))
		w += dw * (1 + 1/er) / 2
	}
	k := (14 + 8/er) / 11 * 4 / w
	return 376.730313668 / (2 * math.Sqrt2 * math.Pi * math.Sqrt(er+1)) *
		math.Log(1+4/w*(k+math.Sqrt(k*k+(1+1/er)/2*math.Pi*math.Pi)))
}

// The acceptance check: Wheeler's width for the same impedance is within 1 %.
func TestMicrostripAgreesWithWheeler(t *testing.T) {
	for _, er := range []float64{3.8, 4.2, 4.6, 6, 10} {
		for _, thickness := range []float64{0, 0.035 / 1.6} {
			for _, z0 := range []float64{30, 40, 50, 60, 75, 90} {
				lo, hi := 0.01, 100.0
				for range 100 {
					if w := math.Sqrt(lo * hi); wheeler(er, w, thickness) > z0 {
						lo = w
					} else {
						hi = w
					}
				}
				l := microstripLine{er: er, thickness: thickness}
				if got := l.width(z0); math.Abs(got/lo-1) > 0.01 {
					t.Errorf("εr %v, t/h %.3f, %v Ω: w/h %.4f, Wheeler %.4f (%+.2f %%)", er, thickness, z0, got, lo, 100*(got/lo-1))
				}
			}
		}
	}
}

// stripCapacitance solves the field of an infinitely thin strip of width u on a dielectric of
// height 1 over ground: Galerkin's method in the spectral domain (T. Itoh, R. Mittra, IEEE
// Trans. MTT-21 (1973) 496) with charge T_2n(x)/√(1-x²). In units of ε0 per length.
func stripCapacitance(u, er float64) float64 {
	const basis = 4
	a := u / 2
	var m [basis][basis]float64
	// The integral of J2m(ka) J2n(ka) / (k (1 + εr coth k)) by Simpson's rule over ln k below 1
	// and over k above; beyond the end the mean of the Bessel functions' tail.
	end := math.Max(50, 3000/a)
	add := func(k, weight float64) {
		g := weight / (k * (1 + er/math.Tanh(k)))
		var j [basis]float64
		for n := range j {
			j[n] = math.Jn(2*n, k*a)
		}
		for p := range m {
			for q := range m {
				m[p][q] += g * j[p] * j[q]
			}
		}
	}
	simpson := func(i, n int) float64 {
		switch {
		case i == 0 || i == n:
			return 1.0 / 3
		case i%2 == 1:
			return 4.0 / 3
		}
		return 2.0 / 3
	}
	const below = 400
	h := math.Log(1e9) / below
	for i := 0; i <= below; i++ {
		k := math.Exp(-math.Log(1e9) + h*float64(i))
		add(k, h*k*simpson(i, below))
	}
	above := 2 * int(math.Ceil(end*math.Max(a, 1)*4))
	h = (end - 1) / float64(above)
	for i := 0; i <= above; i++ {
		add(1+h*float64(i), h*simpson(i, above))
	}
	for p := range m {
		for q := range m {
			sign := 1 - 2*float64((p+q)%2)
			m[p][q] = sign*m[p][q] + 1/(math.Pi*a*(1+er)*end)
		}
	}
	// m c = e0 by Gauss elimination; the charge is π c0 for a strip at 1 V.
	c := [basis]float64{1}
	for i := range m {
		for r := i + 1; r < basis; r++ {
			f := m[r][i] / m[i][i]
			for k := range m {
				m[r][k] -= f * m[i][k]
			}
			c[r] -= f * c[i]
		}
	}
	for i := basis - 1; i >= 0; i-- {
		for k := i + 1; k < basis; k++ {
			c[i] -= m[i][k] * c[k]
		}
		c[i] /= m[i][i]
	}
	return math.Pi * c[0]
}

// The closed form against the field itself. The authors promise 0.2 % for the permittivity;
// it is 0.21 % at the far corner of this table and below elsewhere.
func TestMicrostripAgreesWithAFieldSolution(t *testing.T) {
	if testing.Short() {
		t.Skip("the field solution takes a second")
	}
	for _, u := range []float64{0.1, 0.5, 1, 2, 5} {
		air := stripCapacitance(u, 1)
		for _, er := range []float64{1, 2.2, 4.6, 9.8} {
			c := stripCapacitance(u, er)
			z0, e := microstripLine{er: er}.at(u)
			fieldZ0, fieldE := 376.730313668/math.Sqrt(c*air), c/air
			if math.Abs(z0/fieldZ0-1) > 2.5e-3 || math.Abs(e/fieldE-1) > 2.5e-3 {
				t.Errorf("w/h %v, εr %v: %.3f Ω and %.4f, the field gives %.3f Ω and %.4f", u, er, z0, e, fieldZ0, fieldE)
			}
		}
	}
}

// Dispersion runs from the static permittivity at 0 Hz to that of the substrate.
func TestDispersionLimits(t *testing.T) {
	for _, u := range []float64{0.1, 1, 10} {
		_, static := microstripLine{er: 4.6}.at(u)
		if got := dispersion(4.6, static, u, 1e-6); math.Abs(got-static) > 1e-6 {
			t.Errorf("at 0 Hz %v, static %v", got, static)
		}
		last := static
		for fn := 0.1; fn < 1e9; fn *= 2 {
			e := dispersion(4.6, static, u, fn)
			if e < last || e > 4.6 {
				t.Errorf("w/h %v: %v after %v", u, e, last)
			}
			last = e
		}
		if math.Abs(last-4.6) > 1e-3 {
			t.Errorf("far up %v", last)
		}
	}
}
