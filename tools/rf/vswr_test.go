package rf

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestVSWR(t *testing.T) {
	tooltest.Examples(t, VSWR)
	tooltest.Cases(t, VSWR, []tooltest.Case{
		{"by hand: 2 is Γ 1/3, 20 log10 3, -10 log10 8/9", `{"vswr":2}`, `{"reflection_coefficient":0.3333333,"return_loss_db":9.542425,"mismatch_loss_db":0.5115252,"power_reflected_pct":11.11111,"power_transmitted_pct":88.88889}`},
		{"by hand: 3 is Γ 1/2", `{"reflection_coefficient":0.5}`, `{"vswr":3.000000,"return_loss_db":6.0206,"mismatch_loss_db":1.249387,"power_reflected_pct":25.0000}`},
		{"by hand: 20 dB is Γ 0.1 and 1.1/0.9", `{"return_loss_db":20}`, `{"vswr":1.222222,"return_loss_db":20,"reflection_coefficient":0.100000,"mismatch_loss_db":0.0436481,"power_transmitted_pct":99.0000}`},
		{"3 dB, table of every handbook: 5.848", `{"return_loss_db":3}`,
			`{"vswr":5.848044,"reflection_coefficient":0.7079458}`},
		{"a perfect match", `{"vswr":1}`, `{"return_loss_db":null,"reflection_coefficient":0,"mismatch_loss_db":0,"power_reflected_pct":0,"power_transmitted_pct":100,"warnings":["~infinite"]}`},
		{"a perfect match by Γ", `{"reflection_coefficient":0}`,
			`{"vswr":1,"return_loss_db":null}`},
		{"total reflection", `{"reflection_coefficient":1}`, `{"vswr":null,"mismatch_loss_db":null,"return_loss_db":0,"power_reflected_pct":100,"power_transmitted_pct":0,"warnings":["~infinite"]}`},
		{"no return loss is total reflection", `{"return_loss_db":0}`,
			`{"vswr":null,"reflection_coefficient":1,"power_transmitted_pct":0}`},
		{"all three, rounded as people write them",
			`{"vswr":1.5,"return_loss_db":13.98,"reflection_coefficient":0.2}`,
			`{"vswr":1.5,"reflection_coefficient":0.200000}`},
		{"a third in three digits", `{"vswr":2,"reflection_coefficient":0.333}`, `{"vswr":2}`},
		{"nulls are absent", `{"vswr":1.5,"return_loss_db":null,"reflection_coefficient":null}`,
			`{"return_loss_db":13.9794}`},
		{"near a match the loss is 10 Γ²/ln 10, Γ 5e-5/1.00005", `{"vswr":1.0001}`,
			`{"mismatch_loss_db":1.0856276406e-8}`},
		{"100 dB is Γ 1e-5, and 1e-10/(0.1 ln 10) of loss", `{"return_loss_db":100}`,
			`{"mismatch_loss_db":4.342944819e-10}`},
		{"where 1 - Γ² is 1: Γ²/(0.1 ln 10)", `{"reflection_coefficient":1e-10}`,
			`{"mismatch_loss_db":4.3429448190e-20}`},
		{"a huge one keeps its digits: mismatch -10 log10(4e-15)", `{"vswr":1e15}`,
			`{"mismatch_loss_db":143.97940,"power_transmitted_pct":4.00000e-13}`},
	})
	tooltest.InvalidCases(t, VSWR, []tooltest.InvalidCase{
		{"none", `{}`, []string{""}, "vswr, return_loss_db and reflection_coefficient"},
		{"all null", `{"vswr":null,"return_loss_db":null,"reflection_coefficient":null}`,
			[]string{""}, "is needed"},
		{"out of range, each", `{"vswr":0.9,"return_loss_db":-10,"reflection_coefficient":1.1}`,
			[]string{"vswr", "return_loss_db", "reflection_coefficient"}, "at least 1"},
		{"two contradict", `{"vswr":1.5,"return_loss_db":20}`, []string{"vswr", "return_loss_db"},
			"0.1 %"},
		{"all contradict", `{"vswr":1.5,"return_loss_db":20,"reflection_coefficient":0.5}`,
			[]string{"vswr", "return_loss_db", "reflection_coefficient"}, "contradicts"},
		{"a match against a reflection", `{"vswr":1,"reflection_coefficient":0.01}`,
			[]string{"vswr", "reflection_coefficient"}, "contradicts"},
	})
}

// TestVSWRRoundTrip verifies that each of the three results, as input, returns the same mismatch.
func TestVSWRRoundTrip(t *testing.T) {
	run := func(t *rapid.T, in vswrIn) vswrOut {
		out, err := vswr(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		v := 1 + math.Pow(10, rapid.Float64Range(-6, 9).Draw(t, "log10(vswr - 1)"))
		a := run(t, vswrIn{VSWR: &v})
		for _, in := range []vswrIn{{ReturnLoss: a.ReturnLoss}, {Reflection: &a.Reflection},
			{VSWR: a.VSWR, ReturnLoss: a.ReturnLoss, Reflection: &a.Reflection}} {
			b := run(t, in)
			if b.VSWR == nil || math.Abs(*b.VSWR/v-1) > 1e-14*v+1e-14 {
				text, _ := json.Marshal(b)
				t.Fatalf("vswr %v came back as %s", v, text)
			}
			if math.Abs(b.ReflectedPct+b.TransmittedPct-100) > 1e-12 {
				t.Fatalf("the shares add up to %v", b.ReflectedPct+b.TransmittedPct)
			}
		}
	})
}
