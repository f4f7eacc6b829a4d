package pcb

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestOhmsLaw(t *testing.T) {
	tooltest.Examples(t, OhmsLaw)
	tooltest.Cases(t, OhmsLaw, []tooltest.Case{
		{"contract: 12/470 A, 144/470 W", `{"voltage_v":12,"resistance_ohm":470}`, `{"current_a":0.02553191,"power_w":0.3063830,"formula":"I = V/R, P = V²/R","warnings":["~1/4 W"]}`},
		{"contract: √800 V, √12.5 A", `{"power_w":100,"resistance_ohm":8}`,
			`{"voltage_v":28.28427,"current_a":3.535534,"formula":"V = √(P·R), I = √(P/R)"}`},
		{"by hand: 5 V, 20 mA is 250 Ω and 0.1 W", `{"voltage_v":5,"current_a":0.02}`,
			`{"resistance_ohm":250.0,"power_w":0.10000,"warnings":[]}`},
		{"60 W lamp at 230 V: 60/230 A, 230²/60 Ω", `{"voltage_v":230,"power_w":60}`,
			`{"current_a":0.2608695652,"resistance_ohm":881.6666667}`},
		{"2 A through 3 Ω: 6 V, 12 W", `{"current_a":2,"resistance_ohm":3}`,
			`{"voltage_v":6,"power_w":12,"formula":"V = I·R, P = I²·R"}`},
		{"12 W at 2 A: 6 V, 3 Ω", `{"current_a":2,"power_w":12}`,
			`{"voltage_v":6,"resistance_ohm":3}`},
		{"both negative", `{"voltage_v":-12,"current_a":-2}`, `{"resistance_ohm":6,"power_w":24}`},
		{"negative voltage, positive power", `{"voltage_v":-12,"power_w":24}`,
			`{"current_a":-2,"resistance_ohm":6}`},
		{"a quarter watt: √250 V, no warning at the limit",
			`{"power_w":0.25,"resistance_ohm":1000}`,
			`{"voltage_v":15.81138830,"current_a":0.01581138830,"warnings":[]}`},
		{"a short: no voltage, no power", `{"voltage_v":0,"current_a":-1}`,
			`{"resistance_ohm":0,"power_w":0}`},
		{"no power in 50 Ω", `{"power_w":0,"resistance_ohm":50}`, `{"voltage_v":0,"current_a":0}`},
		{"null is absent", `{"voltage_v":1,"resistance_ohm":1,"power_w":null}`, `{"current_a":1}`},
	})
	tooltest.InvalidCases(t, OhmsLaw, []tooltest.InvalidCase{
		{"one", `{"voltage_v":12}`, []string{"voltage_v"},
			"exactly two of voltage_v, current_a, resistance_ohm, power_w"},
		{"none", `{}`, []string{"voltage_v"}, "none was given"},
		{"three", `{"voltage_v":12,"current_a":1,"power_w":12}`, []string{"voltage_v"},
			"voltage_v and current_a and power_w were given"},
		{"voltage into a short", `{"voltage_v":12,"resistance_ohm":0}`, []string{"resistance_ohm"},
			"greater than 0"},
		{"power in no resistance", `{"power_w":1,"resistance_ohm":0}`, []string{"resistance_ohm"},
			"greater than 0"},
		{"power without voltage", `{"voltage_v":0,"power_w":1}`, []string{"voltage_v"}, "not be 0"},
		{"voltage without power", `{"voltage_v":1,"power_w":0}`, []string{"power_w"}, "infinite"},
		{"power without current", `{"current_a":0,"power_w":1}`, []string{"current_a"}, "not be 0"},
		{"voltage without current", `{"voltage_v":1,"current_a":0}`, []string{"current_a"},
			"not be 0"},
		{"negative resistance", `{"voltage_v":-5,"current_a":1}`, []string{"current_a"},
			"opposite signs"},
		{"negative inputs", `{"resistance_ohm":-1,"power_w":-1}`,
			[]string{"resistance_ohm", "power_w"}, "must be 0 to"},
		{"a string", `{"voltage_v":"12","current_a":1}`, []string{"voltage_v"},
			"a string was given"},
	})
}

// TestOhmsLawRoundTrips verifies that any two of the four quantities return the same four.
func TestOhmsLawRoundTrips(t *testing.T) {
	all := result(t, OhmsLaw, `{"voltage_v":12.34,"resistance_ohm":56.7}`)
	names := []string{"voltage_v", "current_a", "resistance_ohm", "power_w"}
	for i, a := range names {
		for _, b := range names[i+1:] {
			out := result(t, OhmsLaw, `{%q:%.17g,%q:%.17g}`, a, number(t, all, a), b,
				number(t, all, b))
			for _, n := range names {
				same(t, n+" from "+a+" and "+b, number(t, out, n), number(t, all, n))
			}
		}
	}
}
