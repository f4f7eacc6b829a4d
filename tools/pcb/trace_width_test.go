package pcb

import (
	"testing"

	"slipstick/tools/ipc"
	"slipstick/tools/tooltest"
)

func TestTraceWidth(t *testing.T) {
	tooltest.Examples(t, TraceWidth)
	tooltest.Cases(t, TraceWidth, []tooltest.Case{
		{"the IPC-2152 fit needs 2.1720 mm, rounded up",
			`{"current_a":4,"temp_rise_c":15}`, `{"warnings":["~use 2.18 mm"]}`},
		{"the width of that warning meets the fit",
			`{"current_a":4,"temp_rise_c":15,"width_mm":2.18}`,
			`{"ok":true,"warnings":["~8.912 °C is outside the IPC-2221 chart"]}`},
		{"0.048 · 10^0.44 · 28.84^0.725 is 1.51258 A, rounded down",
			`{"current_a":8.110196951812913,"width_mm":0.5315897334612483}`,
			`{"ok":false,"warnings":["~chart","~this trace carries 1.512 A","~Preece","~FR-4"]}`},
		{"the current of that warning", `{"current_a":1.512,"width_mm":0.5315897334612483}`,
			`{"ok":true}`},
		{"contract: 3 A outside", `{"current_a":3,"length_mm":50}`, `{"width_mm":1.367032,"width_mil":53.82016,"area_mil2":74.16164,"thickness_mm":0.035,"resistance_ohm":0.01907814,"voltage_drop_v":0.05723441,"power_loss_w":0.1717032,"temp_rise_c":10,"max_current_a":3.000000000,"ok":null,"ipc2152_temp_rise_c":14.3703,"ipc2152_width_mm":1.8737,"warnings":["~use 1.88 mm"]}`},
		{"contract: 3 A inside", `{"current_a":3,"layer":"internal"}`,
			`{"width_mm":3.556252,"resistance_ohm":null,"voltage_drop_v":null,"power_loss_w":null}`},
		{"contract: 10 mil at 20 °C", `{"width_mm":0.254,"temp_rise_c":20}`,
			`{"max_current_a":1.201266,"width_mil":10.0000000,"ok":null,"temp_rise_c":20}`},
		{"1 A, 10 °C, 1 oz: the 11.8 mil of the usual calculators", `{"current_a":1}`,
			`{"area_mil2":16.2960013,"width_mil":11.8262410,"width_mm":0.300386521}`},
		{"10 A, 20 °C, 2 oz", `{"current_a":10,"temp_rise_c":20,"copper_oz":2}`,
			`{"area_mil2":256.269741,"width_mm":2.36192838,"thickness_mm":0.070}`},
		{"3 A through 1 mm: 16.7 °C, 53.5 mΩ in 100 mm at 41.7 °C",
			`{"current_a":3,"width_mm":1,"length_mm":100}`,
			`{"area_mil2":54.2501085,"max_current_a":2.39156220,"temp_rise_c":16.7388765,"ok":false,"current_density_a_mm2":85.7142857,"resistance_ohm":0.0534653670,"voltage_drop_v":0.160396101,"power_loss_w":0.481188303,"warnings":["~exceeds the 10 °C allowed"]}`},
		{"2.3 A through 1 mm is fine", `{"current_a":2.3,"width_mm":1}`,
			`{"ok":true,"warnings":["~outside the IPC-2221 chart, 10 to 100","~fit to IPC-2152 gives a rise of 12.1"]}`},
		{"KiCad, test of the IPC-2152 fit: 20 mil of 1.378 mil outside carry 1.41643 A at 10 °C",
			`{"width_mm":0.508,"current_a":1.4164291}`, `{"ipc2152_max_current_a":1.4164,"ipc2152_width_mm":0.508,"ipc2152_temp_rise_c":1.00e1}`},
		{"KiCad: 1 oz inside carry 1.51312 A", `{"width_mm":0.508,"current_a":1.5131244,"layer":"internal"}`,
			`{"ipc2152_max_current_a":1.5131,"ipc2152_width_mm":0.508,"ipc2152_temp_rise_c":1.00e1}`},
		{"KiCad: 2 oz inside carry 2.20874 A", `{"width_mm":0.508,"current_a":2.2087361,"layer":"internal","copper_oz":2}`,
			`{"ipc2152_max_current_a":2.2087,"ipc2152_width_mm":0.508,"ipc2152_temp_rise_c":1.00e1}`},
		{"1 A: the width by IPC-2221, 0.3004 mm, exceeds that by IPC-2152, 10.917 mil", `{"current_a":1}`,
			`{"width_mm":0.3004,"ipc2152_width_mm":0.27729,"warnings":[]}`},
		{"3 oz inside as outside", `{"width_mm":0.508,"layer":"internal","copper_oz":3}`,
			`{"ipc2152_max_current_a":2.453,"ipc2152_width_mm":null,"ipc2152_temp_rise_c":null}`},
		{"beyond the chart everywhere",
			`{"current_a":40,"width_mm":11,"copper_oz":4,"temp_rise_c":200,"ambient_c":140}`,
			`{"warnings":["~ends at 35 A","~10.16 mm","~0.5 to 3 oz","~130 °C"]}`},
		{"a rise beyond the chart", `{"width_mm":1,"temp_rise_c":150}`,
			`{"warnings":["~10 to 100 °C","~130 °C"]}`},
		{"18 A inside, too narrow to etch",
			`{"current_a":18,"layer":"internal","width_mm":0.09,"temp_rise_c":100}`, `{"ok":false,"warnings":["~17.5 A","~rise","~below the minimum trace width","~exceeds","~melts","~Onderdonk","~130"]}`},
		{"5 mil of 1 oz: Onderdonk 1.28 A for 1 s, Preece 1.65 A by hand, 0.388 · 6.89^0.75",
			`{"width_mm":0.127}`,
			`{"fusing_current_a":1.28,"fusing_current_steady_a":1.65,"warnings":[]}`},
		{"a fusing time beside a current", `{"current_a":1,"fusing_time_s":2}`,
			`{"warnings":["~(Onderdonk) is below"]}`},
		{"for 0.1 s it is above", `{"width_mm":0.127,"fusing_time_s":0.1}`, `{"warnings":[]}`},
		{"pcbinsider.com, fusing table: 10 mil of 1 oz, 1 s, 2.6 A", `{"width_mm":0.254}`,
			`{"fusing_current_a":2.6}`},
		{"pcbinsider.com: 50 mil, 12.8 A", `{"width_mm":1.27}`, `{"fusing_current_a":12.8}`},
		{"pcbinsider.com: 100 mil, 25.7 A", `{"width_mm":2.54}`, `{"fusing_current_a":25.7}`},
		{"by hand: a hundredth of the time is ten times the current",
			`{"width_mm":2.54,"fusing_time_s":0.01}`, `{"fusing_current_a":2.57e2}`},
		{"Ness Engineering, Preece's table: 50 A melts 0.0288 inch, 651.4 mil²",
			`{"width_mm":12.0078}`, `{"fusing_current_steady_a":5.0e1}`},
		{"Ness Engineering: 10 A melts 0.0098 inch, 75.43 mil²", `{"width_mm":1.39036}`,
			`{"fusing_current_steady_a":1.0e1}`},
		{"Ness Engineering: 100 A melts 0.0457 inch, 1640.3 mil²", `{"width_mm":30.2355}`,
			`{"fusing_current_steady_a":1.00e2}`},
		{"a current that melts the trace", `{"width_mm":0.254,"current_a":6}`,
			`{"ok":false,"warnings":["~rise","~exceeds","~melts","~Onderdonk","~130"]}`},
		{"Onderdonk, by hand: √(1/5) of the current for 5 s",
			`{"width_mm":2.54,"fusing_time_s":5}`,
			`{"fusing_current_a":11.479}`},
		{"Onderdonk, by hand: √10 of the current for 0.1 s",
			`{"width_mm":0.254,"fusing_time_s":0.1}`,
			`{"fusing_current_a":8.117}`},
	})
	tooltest.InvalidCases(t, TraceWidth, []tooltest.InvalidCase{
		{"neither", `{}`, []string{"current_a"}, "width_mm"},
		{"not positive", `{"current_a":0,"width_mm":-1}`, []string{"current_a", "width_mm"},
			"greater than 0"},
		{"no rise", `{"current_a":1,"temp_rise_c":0}`, []string{"temp_rise_c"}, "greater than 0"},
		{"thick copper", `{"current_a":1,"copper_oz":11}`, []string{"copper_oz"}, "0.1 to 10"},
		{"outer layer by another name", `{"current_a":1,"layer":"outer"}`, []string{"layer"},
			"external, internal"},
	})
}

// TestTraceWidthRoundTrips verifies that the three solutions of one equation agree, and that twice
// the copper thickness halves the width.
func TestTraceWidthRoundTrips(t *testing.T) {
	for _, layer := range []string{"external", "internal"} {
		w := number(t, result(t, TraceWidth, `{"current_a":2.5,"temp_rise_c":15,"layer":%q}`,
			layer), "width_mm")
		i := result(t, TraceWidth, `{"width_mm":%.17g,"temp_rise_c":15,"layer":%q}`, w, layer)
		same(t, "current", number(t, i, "max_current_a"), 2.5)
		both := result(t, TraceWidth,
			`{"width_mm":%.17g,"current_a":2.5,"temp_rise_c":15,"layer":%q}`, w, layer)
		same(t, "rise", number(t, both, "temp_rise_c"), 15)
		if both["ok"] != true {
			t.Error("the width for a current is not enough for it")
		}
		thick := result(t, TraceWidth,
			`{"current_a":2.5,"temp_rise_c":15,"copper_oz":2,"layer":%q}`, layer)
		same(t, "half the width", 2*number(t, thick, "width_mm"), w)
	}
}

func TestIPC2221(t *testing.T) {
	// According to the constants, an internal track carries half the current of an external one
	// with the same cross-section.
	same(t, "half", 2*ipc.Current(ipc.Constant("internal"), 20, 100),
		ipc.Current(ipc.Constant("external"), 20, 100))
	same(t, "at 20 °C", ipc.ResistanceFactor(20), 1)
	same(t, "0.393 % a kelvin", ipc.ResistanceFactor(120), 1.393)
}
