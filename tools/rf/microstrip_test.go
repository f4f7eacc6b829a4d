package rf

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tline"
	"slipstick/tools/tooltest"
)

func TestMicrostrip(t *testing.T) {
	tooltest.Examples(t, Microstrip)
	tooltest.Cases(t, Microstrip, []tooltest.Case{
		{"the highest impedance that the error of 192.2 Ω states, at w/h = 0.01",
			`{"height_mm":1,"z0_ohm":192.1}`, `{"w_over_h":0.0100}`},
		{"the lowest impedance that the error of 10 Ω states, at w/h = 10",
			`{"height_mm":1,"z0_ohm":26.92,"pair_gap_mm":1}`, `{"w_over_h":10.0}`},
		{"defaults, no frequency", `{"height_mm":1.6}`, `{"width_mm":2.9166,"er_eff":3.4261,"wavelength_eff_mm":null,"er_eff_at_freq":null,"warnings":[]}`},
		{"by hand: delay √3.4261/c, λ = c/(2.45e9 √3.4261)", `{"height_mm":1.6,"freq_mhz":2450}`,
			`{"delay_ps_per_mm":6.1742,"wavelength_eff_mm":66.108}`},
		{"Wheeler 1977 without thickness: w/h 1.845", `{"height_mm":0.8,"copper_oz":0}`,
			`{"w_over_h":1.85}`},
		{"air line: the field solution below gives 126.424 Ω at w/h = 1",
			`{"height_mm":1,"er":1,"copper_oz":0,"z0_ohm":126.424}`,
			`{"width_mm":1.000,"er_eff":1.000000,"delay_ps_per_mm":3.33564}`},
		{"Pozar 4th edition, example 3.7: alumina 9.9, 0.5 mm, 50 Ω: 0.483 mm",
			`{"height_mm":0.5,"er":9.9,"copper_oz":0,"freq_mhz":10000}`,
			`{"width_mm":0.48,"er_eff":6.6}`},
		{"IPC-2141 by hand: 5.98·1.6·exp(-30·√6.01/87)/0.8, far too narrow",
			`{"height_mm":1.6,"z0_ohm":30,"copper_oz":0}`,
			`{"width_ipc2141_mm":5.1357,"warnings":["~-2"]}`},
		{"IPC-2141 by hand: (5.98·0.2·exp(-50·√5.61/87) - 0.035)/0.8, -7 %, within 45 to 90 Ω",
			`{"height_mm":0.2,"z0_ohm":50,"er":4.2}`,
			`{"width_ipc2141_mm":0.3395,"warnings":["~-7.16 %; width_mm is by Hammerstad and Jensen, whose impedance is within 0.2 %"]}`},
		{"0.17 mm can be made, 0.015 mm not", `{"height_mm":0.1,"z0_ohm":50,"er":4.4}`,
			`{"width_mm":0.166,"warnings":["~IPC-2141"]}`},
		{"an impedance too high for the substrate", `{"height_mm":0.2,"z0_ohm":130,"er":4.4}`,
			`{"width_mm":0.0154,"warnings":["~thicker substrate","~no positive width"]}`},
		{"IPC-2141 without a solution", `{"height_mm":0.1,"z0_ohm":110,"copper_oz":1}`,
			`{"width_ipc2141_mm":null,"warnings":["~minimum trace width","~no positive width"]}`},
		{"dispersion matters", `{"height_mm":1.6,"freq_mhz":10000}`,
			`{"warnings":["~dispersion"]}`},
		{"Pozar example 3.5: 50 Ω stripline, b 3.2 mm, εr 2.2: 2.66 mm; 0.155 Np/m", `{"height_mm":1.595,"er":2.2,"structure":"stripline","copper_oz":0.2857143,"freq_mhz":10000,"loss_tangent":0.001}`, `{"width_mm":2.6,"dielectric_loss_db_m":1.35,"er_eff":2.2,"delay_ps_per_mm":4.9476,"er_eff_at_freq":null}`},
		{"by hand: zero thickness 30/√2.2 ln(1 + (8/π)²/2·1.2² ...), W/b 0.830 of Pozar 3.179",
			`{"height_mm":1.6,"er":2.2,"structure":"stripline","copper_oz":0}`,
			`{"width_mm":2.65,"width_ipc2141_mm":null,"warnings":[]}`},
		{"IPC-2141A, off centre: 80/√4.3 ln(1.9 · 0.435/0.155) (1 - 0.2/1.6) = 56.50 Ω for 0.15 mm", `{"height_mm":0.2,"height2_mm":0.4,"er":4.3,"structure":"stripline","z0_ohm":56.5}`, `{"width_mm":0.15,"er_eff":4.3,"warnings":[]}`},
		{"IPC-2141A, off centre: 53.81 Ω for 0.15 mm between 0.2 and 0.3 mm",
			`{"height_mm":0.2,"height2_mm":0.3,"er":4.3,"structure":"stripline","z0_ohm":53.81}`,
			`{"width_mm":0.15}`},
		{"IPC-2141A, off centre: 61.25 Ω for 0.12 mm of half an ounce between 0.15 and 0.45 mm", `{"height_mm":0.15,"height2_mm":0.45,"er":4,"copper_oz":0.5,"structure":"stripline","z0_ohm":61.25}`, `{"width_mm":0.12}`},
		{"M. Gaudion, si-list: turned around, an offset stripline is the same line",
			`{"height_mm":0.4,"height2_mm":0.2,"er":4.3,"structure":"stripline","z0_ohm":56.1}`,
			`{"width_mm":0.1492181}`},
		{"equal heights are the centred line",
			`{"height_mm":0.2,"height2_mm":0.2,"er":4.3,"structure":"stripline"}`,
			`{"width_mm":0.143087744}`},
		{"a wide strip far off centre",
			`{"height_mm":0.2,"height2_mm":0.8,"er":4.3,"structure":"stripline","z0_ohm":20}`,
			`{"warnings":["~ratio of 3","~twice the smaller height"]}`},
		{"Cohn: a wide gap leaves two single strips of 50 Ω", `{"height_mm":1.6,"er":2.2,"z0_ohm":100,"structure":"stripline","copper_oz":0,"pair_gap_mm":30}`, `{"width_mm":2.65,"z_even_ohm":50.00,"z_odd_ohm":50.00,"z_common_ohm":25.00}`},
		{"finite volumes of tline: 35.223 Ω odd, pair of 2 mm, 0.25 mm apart over 1 mm of εr 4.25", `{"height_mm":1,"er":4.25,"copper_oz":0,"z0_ohm":70.446,"pair_gap_mm":0.25}`, `{"width_mm":2.0,"z_odd_ohm":35.223}`},
		{"by hand: a stripline at ε_r 1 has 20/ln 10 · π f tan δ/c",
			`{"height_mm":1,"er":1,"freq_mhz":1000,"loss_tangent":0.01,"structure":"stripline"}`,
			`{"dielectric_loss_db_m":0.9102139,"warnings":[]}`},
		{"Hammerstad and Jensen in Python, ε_r to 1: filling 1/2 + (1 + 10/u)^(-a b)/2 for b = 0.564 (0.1/4)^0.053",
			`{"height_mm":1,"er":1,"copper_oz":0,"freq_mhz":1000,"loss_tangent":0.01}`,
			`{"w_over_h":4.911992,"dielectric_loss_db_m":0.726863,"warnings":["~IPC-2141"]}`},
		{"Ghione and Naldi in Python, ε_r to 1: the backed part of the capacitance",
			`{"height_mm":1,"er":1,"freq_mhz":1000,"loss_tangent":0.01,"structure":"cpwg","gap_mm":1,"copper_oz":0}`,
			`{"w_over_h":4.644655,"dielectric_loss_db_m":0.671107}`},
		{"a mask on a substrate of ε_r 1 in Python: 1 + (1 - e^-1) (1 - filling) 2.5",
			`{"height_mm":1,"er":1,"copper_oz":0,"cover_mm":0.5}`,
			`{"w_over_h":3.962959,"er_eff":1.34972,"width_ipc2141_mm":null,"warnings":[]}`},
		{"the IPC-2141 formula has no mask: nothing is compared",
			`{"height_mm":1,"er":4,"cover_mm":1}`,
			`{"width_ipc2141_mm":null,"warnings":[]}`},
		{"thick copper far apart: both modes of the single line, in Python 25.14 Ω",
			`{"height_mm":0.1,"er":10.2,"copper_oz":3,"z0_ohm":50,"pair_gap_mm":1}`,
			`{"z_odd_ohm":25.00,"z_even_ohm":25.3,"z_common_ohm":12.6}`},
		{"a pair far apart is two lines: twice 50 Ω at 2.917 mm",
			`{"height_mm":1.6,"z0_ohm":100,"pair_gap_mm":16}`, `{"width_mm":2.9,"warnings":[]}`},
		{"a mask widens the field: 1 to 3 Ω, so a narrower trace",
			`{"height_mm":0.2,"er":4.3,"cover_mm":0.025}`,
			`{"width_mm":0.33924,"z0_actual_ohm":50.0000}`},
		{"embedded deep: ε_eff is that of the substrate",
			`{"height_mm":0.2,"er":4.3,"structure":"embedded","cover_mm":2}`, `{"er_eff":4.3000}`},
		{"embedded by hand: 1 - e^-2 of the way from ε_eff to 4.3",
			`{"height_mm":0.2,"er":4.3,"structure":"embedded","cover_mm":0.2}`,
			`{"er_eff":4.1282}`},
		{"coplanar by hand: k 0.7696, K/K' 1.1457, tanh ratio",
			`{"height_mm":1.6,"er":4.5,"structure":"cpwg","gap_mm":0.3,"copper_oz":0}`,
			`{"width_mm":1.6055,"er_eff":2.8797,"warnings":[]}`},
		{"finite volumes (tline): 48.61 Ω for 0.7 mm, gap 0.21, 1 oz",
			`{"height_mm":0.525,"er":4.4,"structure":"cpwg","gap_mm":0.21,"z0_ohm":48.61}`,
			`{"width_mm":0.70,"er_eff":2.78,"warnings":[]}`},
		{"finite volumes (tline): 47.78 Ω for 1.82 mm, gap 0.35, 1 oz",
			`{"height_mm":1.61,"er":4.4,"structure":"cpwg","gap_mm":0.35,"z0_ohm":47.78}`,
			`{"width_mm":1.82,"er_eff":2.76,"warnings":[]}`},
		{"a ground far away leaves the microstrip of the contract",
			`{"height_mm":1.6,"structure":"cpwg","gap_mm":16}`,
			`{"width_mm":2.9166,"er_eff":3.4261,"warnings":[]}`},
		{"coplanar: copper thicker than the gap",
			`{"height_mm":1.6,"er":4.5,"structure":"cpwg","gap_mm":0.03}`,
			`{"warnings":["~thicker than the gap","~minimum trace width"]}`},
		{"rough copper: 1 + 2/π atan(1.4/0.6608²) = 1.8075 times the smooth 4.4199 dB/m",
			`{"height_mm":0.5,"er":9.9,"freq_mhz":10000,"roughness_um":1}`,
			`{"dielectric_loss_db_m":null,"conductor_loss_db_m":7.989}`},
		{"thin copper at 1 MHz", `{"height_mm":0.5,"freq_mhz":1,"loss_tangent":0.02}`,
			`{"conductor_loss_db_m":null,"warnings":["~three skin depths"]}`},
		{"FR-4 at 1 GHz by hand: 27.3/λ0 4.6/√3.4261 (2.4261/3.6) 0.02",
			`{"height_mm":1.6,"freq_mhz":1000,"loss_tangent":0.02}`,
			`{"dielectric_loss_db_m":3.05}`},
		{"no frequency, no loss", `{"height_mm":1.6,"loss_tangent":0.02,"gap_mm":1}`, `{"dielectric_loss_db_m":null,"warnings":["~gap_mm has no effect","~loss_tangent was ignored"]}`},
		{"wide stripline pair: elliptic integrals of Cohn with 60 digits",
			`{"height_mm":1.6,"structure":"stripline","pair_gap_mm":3.2,"z0_ohm":5,"copper_oz":0}`, `{"z_odd_ohm":2.500,"width_mm":54.7514,"z_even_ohm":2.503924,"z_common_ohm":1.251962}`},
		{"roughness without a frequency, mask without a cover",
			`{"height_mm":1.6,"roughness_um":1,"mask_er":4}`,
			`{"warnings":["~mask_er was ignored","~roughness_um was ignored"]}`},
		{"a pair has no conductor loss",
			`{"height_mm":1.6,"z0_ohm":100,"pair_gap_mm":0.5,"freq_mhz":1000,"roughness_um":1}`,
			`{"conductor_loss_db_m":null,"warnings":["~roughness_um was ignored"]}`},
		{"copper of a quarter of the gap", `{"height_mm":0.2,"z0_ohm":90,"pair_gap_mm":0.15}`,
			`{"warnings":[]}`},
		{"finite volumes (tline): 44.40 Ω odd, 69.77 Ω even below 20 µm of mask",
			`{"height_mm":0.2,"er":4.3,"z0_ohm":88.8,"pair_gap_mm":0.15,"cover_mm":0.02}`,
			`{"width_mm":0.25,"z_odd_ohm":44.4,"z_even_ohm":7.0e1,"warnings":[]}`},
		{"finite volumes (tline): 55.26 Ω odd, 98.0 Ω even below 15 µm of ε_r 3",
			`{"height_mm":0.4,"er":4.3,"copper_oz":0.5,"z0_ohm":110.5,"pair_gap_mm":0.2,"cover_mm":0.015,"mask_er":3}`,
			`{"width_mm":0.30,"z_odd_ohm":55.25,"z_even_ohm":97.3,"warnings":[]}`},
		{"a mask of air leaves the pair: 45 Ω odd at 0.28 mm as without it",
			`{"height_mm":0.2,"er":4.3,"z0_ohm":90,"pair_gap_mm":0.15,"cover_mm":0.02,"mask_er":1}`,
			`{"width_mm":0.28,"z_odd_ohm":45.0,"z_common_ohm":33.9}`},
		{"a mask on a pair with a narrow gap",
			`{"height_mm":0.5,"er":4.3,"copper_oz":0.5,"z0_ohm":80,"pair_gap_mm":0.09,"cover_mm":0.02}`,
			`{"warnings":["~below 0.2 times height_mm"]}`},
		{"by hand: 27.29/λ0 · 4.6/√3.6255 · (3.4097 - 1)/3.6 · 0.02 below a lossless mask",
			`{"height_mm":1.6,"freq_mhz":1000,"loss_tangent":0.02,"cover_mm":0.16,"mask_er":4.6}`, `{"dielectric_loss_db_m":2.94383}`},
		{"higher modes: c/(2·2.917 mm·√4.6) = 23.96 GHz", `{"height_mm":1.6,"freq_mhz":25000}`,
			`{"warnings":["~dispersion","~wavelengths high","~23960 MHz"]}`},
		{"stripline pair, in Python: Cohn's elliptic integrals, w 2, s 0.5, b 3.2",
			`{"height_mm":1.6,"er":2.2,"structure":"stripline","copper_oz":0,"z0_ohm":93.132587,"pair_gap_mm":0.5}`,
			`{"width_mm":2.0000,"z_odd_ohm":46.566,"z_even_ohm":69.47,"z_common_ohm":34.74}`},
		{"stripline pair, in Python: Cohn's elliptic integrals, w 0.3, s 0.2, b 1",
			`{"height_mm":0.5,"er":4.3,"structure":"stripline","copper_oz":0,"z0_ohm":95.225650,"pair_gap_mm":0.2}`,
			`{"width_mm":0.3,"z_odd_ohm":47.613,"z_even_ohm":75.45,"z_common_ohm":37.73}`},
		{"stripline pair, in Python: Cohn's elliptic integrals, w 0.15, s 0.15, b 0.6",
			`{"height_mm":0.3,"er":3.66,"structure":"stripline","copper_oz":0,"z0_ohm":116.223543,"pair_gap_mm":0.15}`,
			`{"width_mm":0.15,"z_odd_ohm":58.112,"z_even_ohm":87.04,"z_common_ohm":43.52}`},
		{
			"finite differences (tline): 103.05 Ω odd in air is 99.39 Ω differential for 0.1275 mm",
			`{"height_mm":0.2,"er":4.3,"structure":"stripline","copper_oz":0.5,"z0_ohm":100.5,"pair_gap_mm":0.2}`,
			`{"width_mm":0.1275,"warnings":[]}`,
		},
		{
			"finite differences (tline): 101.66 Ω odd in air is 98.05 Ω differential for 0.105 mm",
			`{"height_mm":0.2,"er":4.3,"structure":"stripline","copper_oz":1,"z0_ohm":99.4,"pair_gap_mm":0.2}`,
			`{"width_mm":0.105,"warnings":[]}`,
		},
		{"thick copper between stripline edges",
			`{"height_mm":0.2,"er":4.3,"structure":"stripline","z0_ohm":80,"pair_gap_mm":0.08}`,
			`{"warnings":["~up to 0.35 times the gap","~minimum trace width"]}`},
		{"Pozar, example 7.7, stripline coupler: 55.28 and 45.23 Ω, w 2.59, s 0.98",
			`{"height_mm":1.6,"er":2.2,"structure":"stripline","copper_oz":0,"z0_ohm":90.46,"pair_gap_mm":0.98}`,
			`{"width_mm":2.6,"z_even_ohm":55.3,"z_common_ohm":27.6}`},
		{"a mask of air is none: contract, 2.9166 mm",
			`{"height_mm":1.6,"z0_ohm":50,"er":4.6,"copper_oz":1,"cover_mm":0.16,"mask_er":1}`,
			`{"width_mm":2.917}`},
		{"grounded coplanar line of Ghione and Naldi, elliptic integrals in Python: w 1, gap 0.5",
			`{"height_mm":1.6,"er":4.5,"structure":"cpwg","gap_mm":0.5,"copper_oz":0,"z0_ohm":67.05257183}`,
			`{"width_mm":1.0000,"er_eff":2.8545}`},
		{"grounded coplanar line of Ghione and Naldi, elliptic integrals in Python: w 0.4, gap 0.2",
			`{"height_mm":0.25,"er":3.66,"structure":"cpwg","gap_mm":0.2,"copper_oz":0,"z0_ohm":56.51535968}`,
			`{"width_mm":0.4000,"er_eff":2.6453}`},
		{"smooth copper of the same line",
			`{"height_mm":0.5,"er":9.9,"freq_mhz":10000,"roughness_um":0}`,
			`{"conductor_loss_db_m":4.420}`},
		{"Hammerstad, by hand: 0.5 µm, 1 + 2/π atan(1.4 (0.5/0.6608)²) times 4.4199 dB/m",
			`{"height_mm":0.5,"er":9.9,"freq_mhz":10000,"roughness_um":0.5}`,
			`{"conductor_loss_db_m":6.321}`},
		{"a mask of the substrate is an embedded line: as in structure embedded",
			`{"height_mm":1.6,"er":4.6,"copper_oz":1,"cover_mm":0.2,"mask_er":4.6}`,
			`{"width_mm":2.7348}`},
		{"mils as millimetres", `{"height_mm":62,"er":4.5}`, `{"warnings":["~62 mil are 1.575 mm"]}`},
	})
	tooltest.InvalidCases(t, Microstrip, []tooltest.InvalidCase{
		{"an upper limit is rounded down", `{"height_mm":1,"z0_ohm":192.2}`, []string{"z0_ohm"},
			"to 192.1 Ω"},
		{"a lower limit is rounded up", `{"height_mm":1,"z0_ohm":10,"pair_gap_mm":1}`,
			[]string{"z0_ohm"}, "must be 26.92 to"},
		{"no height", `{}`, []string{"height_mm"}, "is required"},
		{"height 0", `{"height_mm":0}`, []string{"height_mm"}, "greater than 0"},
		{"three at once", `{"height_mm":1,"er":0.9,"copper_oz":-1,"z0_ohm":0}`,
			[]string{"er", "copper_oz", "z0_ohm"}, "1 to 128"},
		{"er above the model", `{"height_mm":1,"er":129}`, []string{"er"}, "1 to 128"},
		{"impedance out of reach", `{"height_mm":1.6,"z0_ohm":400}`, []string{"z0_ohm"},
			"Ω on this substrate"},
		{"impedance too low", `{"height_mm":1.6,"z0_ohm":1}`, []string{"z0_ohm"}, "must be 1."},
		{"cpwg without a gap", `{"height_mm":1.6,"structure":"cpwg"}`, []string{"gap_mm"},
			"is required"},
		{"embedded without a cover", `{"height_mm":1.6,"structure":"embedded"}`,
			[]string{"cover_mm"}, "is required"},
		{"a gap out of all proportion", `{"height_mm":1e6,"structure":"cpwg","gap_mm":1e-9}`,
			[]string{"gap_mm"}, "0.01 to 100 times"},
		{"a pair off centre, and copper too thick for the second plane",
			`{"height_mm":0.2,"height2_mm":0.06,"structure":"stripline","pair_gap_mm":0.2}`,
			[]string{"height2_mm"}, "single stripline"},
		{"thick copper between planes", `{"height_mm":0.1,"structure":"stripline","copper_oz":3}`,
			[]string{"copper_oz"}, "up to half of height_mm"},
		{"stripline pair too near", `{"height_mm":1,"structure":"stripline","pair_gap_mm":0.001}`,
			[]string{"pair_gap_mm"}, "0.01 to 100 times"},
		{"a coplanar pair", `{"height_mm":1.6,"structure":"cpwg","gap_mm":0.3,"pair_gap_mm":0.3}`,
			[]string{"pair_gap_mm"}, "only"},
		{"an embedded pair",
			`{"height_mm":0.2,"structure":"embedded","cover_mm":0.2,"pair_gap_mm":0.2}`,
			[]string{"pair_gap_mm"}, "microstrip and stripline only"},
		{"a pair outside the fit", `{"height_mm":1.6,"pair_gap_mm":0.1}`, []string{"pair_gap_mm"},
			"0.1 to 10 times"},
		{"a pair at er above 18", `{"height_mm":1.6,"pair_gap_mm":0.16,"er":19}`,
			[]string{"er"}, "1 to 18"},
		{"thick copper", `{"height_mm":1.6,"copper_oz":21}`, []string{"copper_oz"}, "0 to 20"},
	})
}

// openWidth returns the w/h of an open microstrip for an impedance [Ω].
func openWidth(l tline.Microstrip, z0 float64) float64 {
	return section{at: l.At, minU: tline.MinWOverH, maxU: tline.MaxWOverH}.width(z0)
}

// TestMicrostripSynthesis verifies that the analysis of a synthesized width returns
// the requested impedance. Impedance falls with the width, so the width is unique.
func TestMicrostripSynthesis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tline.Microstrip{
			Er:        rapid.Float64Range(1, 128).Draw(t, "er"),
			Thickness: rapid.SampledFrom([]float64{0, 1e-6, 0.02, 0.3, 10, 1e6}).Draw(t, "t/h"),
		}
		u := math.Exp(rapid.Float64Range(math.Log(tline.MinWOverH*1.01),
			math.Log(tline.MaxWOverH/1.01)).Draw(t, "log w/h"))
		z, e := l.At(u)
		if !(e >= 1-1e-12 && e <= l.Er+1e-12) {
			t.Fatalf("effective permittivity %v of %v", e, l.Er)
		}
		if wider, _ := l.At(u * 1.001); wider >= z {
			t.Fatalf("impedance rises from %v to %v with the width", z, wider)
		}
		found, _ := l.At(openWidth(l, z))
		if math.Abs(found-z) > 1e-9 {
			t.Fatalf("%v Ω at w/h %v is found again as %v Ω", z, u, found)
		}
	})
}

// wheeler returns the impedance by H. A. Wheeler (1977) in the form of IPC-2141A (2004). Lengths
// are in units of the substrate height.
func wheeler(er, w, t float64) float64 {
	if t > 0 {
		dw := t / math.Pi * math.Log(4*math.E/math.Sqrt(t*t+math.Pow(1/math.Pi/(w/t+1.1), 2)))
		w += dw * (1 + 1/er) / 2
	}
	k := (14 + 8/er) / 11 * 4 / w
	return 376.730313668 / (2 * math.Sqrt2 * math.Pi * math.Sqrt(er+1)) *
		math.Log(1+4/w*(k+math.Sqrt(k*k+(1+1/er)/2*math.Pi*math.Pi)))
}

// TestMicrostripWheeler verifies that the width deviates from Wheeler's by less than 1 %
// for the same impedance.
func TestMicrostripWheeler(t *testing.T) {
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
				l := tline.Microstrip{Er: er, Thickness: thickness}
				if got := openWidth(l, z0); math.Abs(got/lo-1) > 0.01 {
					t.Errorf("εr %v, t/h %.3f, %v Ω: w/h %.4f, Wheeler %.4f (%+.2f %%)", er,
						thickness, z0, got, lo, 100*(got/lo-1))
				}
			}
		}
	}
}

// stripCapacitance solves the field of an infinitely thin strip of width u on a dielectric of
// height 1 over ground. The result is in units of ε0 per length. It uses Galerkin's method in the
// spectral domain (T. Itoh, R. Mittra, IEEE Trans. MTT-21 (1973) 496) with charge T_2n(x)/√(1-x²).
func stripCapacitance(u, er float64) float64 {
	const basis = 4
	a := u / 2
	var m [basis][basis]float64
	// Simpson's rule integrates J2m(ka) J2n(ka) / (k (1 + εr coth k)), over ln k below 1 and over k
	// above. Beyond the end it adds the mean of the Bessel functions' tail.
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
	// Gaussian elimination solves m c = e0; the charge is π c0 for a strip at 1 V.
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

// TestMicrostripFieldSolution compares the closed form with the field solution. The
// authors state 0.2 % for the permittivity. The deviation is 0.21 % at the far corner of this table
// and lower elsewhere.
func TestMicrostripFieldSolution(t *testing.T) {
	if testing.Short() {
		t.Skip("the field solution takes a second")
	}
	for _, u := range []float64{0.1, 0.5, 1, 2, 5} {
		air := stripCapacitance(u, 1)
		for _, er := range []float64{1, 2.2, 4.6, 9.8} {
			c := stripCapacitance(u, er)
			z0, e := tline.Microstrip{Er: er}.At(u)
			fieldZ0, fieldE := 376.730313668/math.Sqrt(c*air), c/air
			if math.Abs(z0/fieldZ0-1) > 2.5e-3 || math.Abs(e/fieldE-1) > 2.5e-3 {
				t.Errorf("w/h %v, εr %v: %.3f Ω and %.4f, the field gives %.3f Ω and %.4f", u, er,
					z0, e, fieldZ0, fieldE)
			}
		}
	}
}

// TestDispersionLimits verifies that the effective permittivity rises with frequency, from the
// static value at 0 Hz to the permittivity of the substrate.
func TestDispersionLimits(t *testing.T) {
	for _, u := range []float64{0.1, 1, 10} {
		_, static := tline.Microstrip{Er: 4.6}.At(u)
		if got := tline.Dispersion(4.6, static, u, 1e-6); math.Abs(got-static) > 1e-6 {
			t.Errorf("at 0 Hz %v, static %v", got, static)
		}
		last := static
		for fn := 0.1; fn < 1e9; fn *= 2 {
			e := tline.Dispersion(4.6, static, u, fn)
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
