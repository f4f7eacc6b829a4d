package rf

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestDBmConvert(t *testing.T) {
	tooltest.Examples(t, DBmConvert)
	tooltest.Cases(t, DBmConvert, []tooltest.Case{
		{"0 dBm in 50 Ω: √(0.001·50) = 223.607 mV, 106.990 dBµV", `{"dbm":0}`, `{"mw":1,"watts":0.001000,"vrms":0.2236068,"vpeak":0.3162278,"vpp":0.6324555,"dbw":-30,"dbuv":106.98970}`},
		{"0 dBm in 600 Ω: 774.597 mV, the dBu reference", `{"dbm":0,"impedance_ohm":600}`,
			`{"vrms":0.7745967}`},
		{"27 dBm is 501.187 mW", `{"dbm":27}`, `{"mw":501.18723,"watts":0.50118723,"dbw":-3}`},
		{"1 µV in 50 Ω is -107 dBm", `{"dbm":-106.9897000434}`,
			`{"vrms":1.000000e-6,"dbuv":0.000000}`},
		{"0 dBmV in 75 Ω is -48.75 dBm", `{"dbm":-48.7506126339,"impedance_ohm":75}`,
			`{"vrms":1.000000e-3,"dbuv":60.00000}`},
		{"thermal noise of 1 Hz: 3.98e-21 W", `{"dbm":-174}`,
			`{"watts":3.9811e-21,"mw":3.9811e-18,"warnings":[]}`},
		{"1000 mW as dBm: 10^97 W, and 10 log10(1000) is 30", `{"dbm":1000}`,
			`{"watts":1e97,"warnings":["~for 1000 mW send \"dbm\": 30"]}`},
		{"10^-103 W", `{"dbm":-1000}`, `{"warnings":["~usually -200 dBm"]}`},
	})
	tooltest.InvalidCases(t, DBmConvert, []tooltest.InvalidCase{
		{"no level", `{"impedance_ohm":50}`, []string{"dbm"}, "is required"},
		{"a string", `{"dbm":"30"}`, []string{"dbm"}, "a string was given"},
		{"no impedance", `{"dbm":30,"impedance_ohm":0}`, []string{"impedance_ohm"},
			"greater than 0"},
		{"absurd", `{"dbm":1e6}`, []string{"dbm"}, "-1000 to 1000"},
	})
}
