package batch_test

import (
	"strings"
	"testing"

	"slipstick/batch"
	"slipstick/tools"
	"slipstick/tools/catalog"
)

// TestGuessed verifies that a name of the base input that a single call would not accept is an
// error with a corrected request. Otherwise the runs would lack its value.
func TestGuessed(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	const vary = `,"vary":[{"field":"/dist_km","values":[1,2]}]`
	for _, c := range []struct{ tool, request, message, corrected string }{
		{"fspl", `"input":{"freq_mhz":915}` + vary, "", ""},
		{"fspl", `"input":{"freq_mhz":915,"comment":"first"}` + vary, "", ""},
		{"link_budget", `"input":{"tx_power":20,"freq_mhz":915}` + vary,
			"input.tx_power: unknown; was tx_dbm meant", `"input":{"freq_mhz":915,"tx_dbm":20}`},
		{"fspl", `"input":{"frequency":900}` + vary, "input.frequency: unknown; was freq_mhz meant",
			`"input":{"freq_mhz":900}`},
		{"fspl", `"input":{"freq_mhz":2.4,"freq_unit":"GHz"}` + vary,
			"input.freq_unit: freq_mhz is in MHz", `"input":{"freq_mhz":2400}`},
		{"fspl", `"input":{"freq_mhz":900,"dist_km":7,"modle":"hata"}` + vary,
			"input.modle: unknown; was model meant",
			`"input":{"dist_km":7,"freq_mhz":900,"model":"hata"}`},
		{"fspl", `"mode":"list","input":{"frequency":900},"inputs":[{"dist_km":1}]`,
			"was freq_mhz meant", `"input":{"freq_mhz":900}`},
		// The conversion of the base input would not convert the values.
		{"fspl", `"input":{"dist_km":1,"freq_unit":"GHz"},"vary":[{"field":"/freq_mhz","values":[1,2]}]`,
			"input.freq_unit: freq_mhz is in MHz", ""},
		// A name or an invalid value of one run is none of the base input.
		{"fspl", `"mode":"list","input":{"dist_km":1},"inputs":[{"frequency":900},{"frequency":1800}]`,
			"", ""},
		{"fspl", `"mode":"list","input":{"dist_km":1},"inputs":[{"freq_mhz":-1},{"freq_mhz":1}]`,
			"", ""},
		{"fspl", `"input":{"freq_mhz":900},"vary":[{"field":"/dist_km","values":[-1,2]}]`, "", ""},
		{"fspl", `"input":{"freq_mhz":900},"vary":[{"field":"/dist_km","from":-5,"to":-1,"points":3}]`,
			"", ""},
		// The runs have no use for the value that they vary.
		{"noise_figure_cascade", `"input":{"stages":[{"nf_db":-2,"gain_db":10}]},` +
			`"vary":[{"field":"/stages/0/nf_db","values":[1,2]}]`, "", ""},
		// An error of the runs, which the plan states.
		{"fspl", `"input":{"freq_mhz":"x"}` + vary, "", ""},
	} {
		entry, err := all.Find(c.tool)
		if err != nil {
			t.Fatal(err)
		}
		err = batch.Guessed(entry.Tool, []byte(`{"tool":"`+c.tool+`",`+c.request+`}`))
		in := tools.AsInputError(err)
		if c.message == "" {
			if err != nil {
				t.Errorf("%s: %v", c.request, err)
			}
			continue
		}
		if in == nil || !strings.Contains(in.Error(), c.message) ||
			!strings.Contains(string(in.Corrected), c.corrected) ||
			(c.corrected == "") != (in.Corrected == nil) {
			t.Errorf("%s: %v %+v", c.request, err, in)
		}
	}
}
