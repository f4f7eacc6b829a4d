package rf

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/attenuator"
	"slipstick/tools/tooltest"
)

// nodalPi returns the load's voltage and the input impedance of a pad between a source of 2 V
// behind z and a load z. Nodal analysis is independent of the formulas under test.
func nodalPi(r1, r2, r3, z float64) (out, zin float64) {
	g1, g2, g3, gz := 1/r1, 1/r2, 1/r3, 1/z
	// The nodal equations are (gz+g1+g2) v1 - g2 v2 = 2 gz and -g2 v1 + (g2+g3+gz) v2 = 0.
	a, d := gz+g1+g2, g2+g3+gz
	det := a*d - g2*g2
	v1, v2 := 2*gz*d/det, 2*gz*g2/det
	return v2, v1 / ((2 - v1) * gz)
}

// nodalTee returns the same values for a tee.
func nodalTee(r1, r2, r3, z float64) (out, zin float64) {
	in, load := 1/(z+r1), 1/(r3+z)
	middle := 2 * in / (in + 1/r2 + load)
	i := (2 - middle) * in
	return middle * load * z, (2 - i*z) / i
}

func TestPads(t *testing.T) {
	tooltest.Examples(t, AttenuatorPi)
	tooltest.Examples(t, AttenuatorTee)
	tooltest.Cases(t, AttenuatorPi, []tooltest.Case{
		{"handbook table, 3 dB in 50 Ω: 292.4 and 17.61", `{"attenuation_db":3}`,
			`{"r1_ohm":292.402,"r2_ohm":17.6148,"r3_ohm":292.402}`},
		{"by hand: 20 dB is K = 10, 50·11/9 and 50·99/20", `{"attenuation_db":20,"z0_ohm":50}`,
			`{"r1_ohm":61.1111,"r2_ohm":247.500,"topology":"pi"}`},
		{"by hand: 40 dB, 50·101/99 and 50·9999/200", `{"attenuation_db":40}`,
			`{"r1_ohm":51.0101,"r2_ohm":2499.75}`},
		{"handbook table, 6 dB in 75 Ω: 225.7 and 56.03", `{"attenuation_db":6,"z0_ohm":75}`,
			`{"r1_ohm":225.714,"r2_ohm":56.0278}`},
		{"0.001 dB keeps its digits: series of ln K = 1.151292546e-4", `{"attenuation_db":0.001}`,
			`{"r1_ohm":868588.965,"r2_ohm":0.0057564627452}`},
		{"by hand: shares of 20 dB: 9/11, (1-1/10)²·20/99, 9/11/100", `{"attenuation_db":20}`,
			`{"r1_power_pct":81.8182,"r2_power_pct":16.3636,"r3_power_pct":0.818182}`},
		{"E96 of 10 dB in 50 Ω", `{"attenuation_db":10}`,
			`{"e96_r1_ohm":95.3,"e96_r2_ohm":71.5,"e96_r3_ohm":95.3}`},
		{"above 60 dB: two pads", `{"attenuation_db":61}`, `{"warnings":["~two pads"]}`},
		{"at 60 dB: one pad", `{"attenuation_db":60}`, `{"warnings":[]}`},
	})
	tooltest.Cases(t, AttenuatorTee, []tooltest.Case{
		{"Pozar 4th edition, figure 4.9: 3 dB is 8.56 and 141.8 Ω", `{"attenuation_db":3}`,
			`{"r1_ohm":8.5499,"r2_ohm":141.926,"r3_ohm":8.5499}`},
		{"by hand: 20 dB is K = 10, 50·9/11 and 50·20/99", `{"attenuation_db":20}`,
			`{"r1_ohm":40.9091,"r2_ohm":10.1010,"topology":"tee"}`},
		{"by hand: 40 dB, 50·99/101 and 50·200/9999", `{"attenuation_db":40}`,
			`{"r1_ohm":49.0099,"r2_ohm":1.00010}`},
		{"handbook table, 1 dB in 600 Ω: 34.5 and 5200", `{"attenuation_db":1,"z0_ohm":600}`,
			`{"r1_ohm":34.5007,"r2_ohm":5200.04}`},
		{"0.001 dB keeps its digits", `{"attenuation_db":0.001}`,
			`{"r1_ohm":0.0028782313631,"r2_ohm":434294.48094}`},
		{"E96 of 10 dB in 50 Ω", `{"attenuation_db":10}`,
			`{"e96_r1_ohm":26.1,"e96_r2_ohm":34.8,"e96_r3_ohm":26.1}`},
		{"200 dB is the end", `{"attenuation_db":200}`, `{"warnings":["~60 dB"]}`},
	})
	bad := []tooltest.InvalidCase{
		{"no attenuation", `{}`, []string{"attenuation_db"}, "is required"},
		{"0 dB", `{"attenuation_db":0}`, []string{"attenuation_db"},
			"greater than 0 and at most 200"},
		{"both wrong", `{"attenuation_db":-3,"z0_ohm":0}`, []string{"attenuation_db", "z0_ohm"},
			"greater than 0"},
		{"too much", `{"attenuation_db":201}`, []string{"attenuation_db"}, "at most 200"},
		{"a list", `{"attenuation_db":[10]}`, []string{"attenuation_db"}, "an array was given"},
	}
	tooltest.InvalidCases(t, AttenuatorPi, bad)
	tooltest.InvalidCases(t, AttenuatorTee, bad)
}

// TestPadsAttenuateAndMatch verifies by nodal analysis that both pads have the requested
// attenuation and the input impedance of the line. It also verifies the E96 results, and that the
// power shares of the pad and the load sum to 100 %.
func TestPadsAttenuateAndMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := attenuator.Input{
			AttenuationDB: rapid.Float64Range(0.01, 80).Draw(t, "dB"),
			Z0Ohm:         math.Pow(10, rapid.Float64Range(0, 4).Draw(t, "log10 Z0")),
		}
		pi, err := attenuatorPi(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		tee, err := attenuatorTee(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			name       string
			r1, r2, r3 float64
			attenuator.Output
			solve func(r1, r2, r3, z float64) (out, zin float64)
		}{
			{"pi", pi.R1Ohm, pi.R2Ohm, pi.R3Ohm, pi.Output, nodalPi},
			{"tee", tee.R1Ohm, tee.R2Ohm, tee.R3Ohm, tee.Output, nodalTee},
		} {
			// A source of 2 V behind z drives a matched load with 1 V.
			out, zin := p.solve(p.r1, p.r2, p.r3, in.Z0Ohm)
			if db := -20 * math.Log10(out); math.Abs(db-in.AttenuationDB) > 1e-9 {
				t.Fatalf("%s attenuates %v dB", p.name, db)
			}
			if math.Abs(zin/in.Z0Ohm-1) > 1e-9 {
				t.Fatalf("%s shows %v Ω", p.name, zin)
			}
			if sum := p.R1Pct + p.R2Pct + p.R3Pct + 100*math.Pow(10,
				-in.AttenuationDB/10); math.Abs(sum-100) > 1e-9 {
				t.Fatalf("%s: the shares add up to %v %%", p.name, sum)
			}
			out, zin = p.solve(p.E96R1, p.E96R2, p.E96R3, in.Z0Ohm)
			if db := -20 * math.Log10(out); math.Abs(db-p.E96DB) > 1e-9 {
				t.Fatalf("%s in E96 attenuates %v dB, said %v", p.name, db, p.E96DB)
			}
			gamma := math.Abs((zin - in.Z0Ohm) / (zin + in.Z0Ohm))
			if p.E96ReturnDB != nil && math.Abs(math.Pow(10, -*p.E96ReturnDB/20)-gamma) > 1e-9 {
				t.Fatalf("%s in E96 reflects %v, said %v dB", p.name, gamma, *p.E96ReturnDB)
			}
		}
	})
}
