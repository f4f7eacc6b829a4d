package power

import (
	"testing"

	"slipstick/tools/tooltest"
)

func TestWireGauge(t *testing.T) {
	tooltest.Examples(t, WireGauge)
	tooltest.Cases(t, WireGauge, []tooltest.Case{
		{"NM-B by the voltage drop alone: 334.104 begins at 14 AWG",
			`{"current_a":0.1,"voltage_v":120,"length_m":5,"cable_type":"nm_b","ampacity_check":false}`,
			`{"awg":"24","warnings":["~made from 14 AWG (NEC 334.104), and 24 AWG is smaller"]}`},
		{"NM-B of aluminum by the voltage drop alone: 334.104 begins at 12 AWG",
			`{"current_a":0.1,"voltage_v":120,"length_m":5,"cable_type":"nm_b","material":"aluminum","ampacity_check":false}`,
			`{"warnings":["~small aluminum conductors","~made from 12 AWG (NEC 334.104), and 24 AWG is smaller: use 12 AWG aluminum, or"]}`},
		{"contract example to the last digit", `{"current_a":20,"voltage_v":12,"length_m":5}`,
			`{"awg":"6","area_mm2":13.301768,"metric_equivalent_mm2":16,"awg_by_voltage_drop":"6","awg_by_ampacity":"12","limiting_factor":"voltage_drop","voltage_drop_v":0.322178,"voltage_drop_pct":2.68482,"load_voltage_v":11.677822,"required_ampacity_a":20,"power_loss_w":6.44357,"max_length_m":5.586965,"ampacity_a":65,"warnings":[]}`},
		{"the same in feet: 5 m = 16.40419948 ft",
			`{"current_a":20,"voltage_v":12,"length_ft":16.40419948}`,
			`{"awg":"6","voltage_drop_v":0.322178}`},
		{"by hand: 100 A three-phase is ampacity; 1 AWG Cu, R .154/.3048, X .046/.3048, √3·100·(R·.85+X·.52678)·.06", `{"current_a":100,"voltage_v":400,"length_m":60,"system":"three_phase","power_factor":0.85,"continuous":true}`,
			`{"awg":"1","awg_by_ampacity":"1","limiting_factor":"ampacity","voltage_drop_v":5.2893014,"voltage_drop_pct":1.322325355,"power_loss_w":909.448819,"ampacity_a":130,"required_ampacity_a":125}`},
		{"by hand: aluminum in steel; 250 A needs 350 kcmil at 75 °C (250 A), the drop 2.057 % allows 300", `{"current_a":200,"voltage_v":480,"length_m":100,"system":"three_phase","power_factor":0.9,"conduit":"steel","material":"aluminum","continuous":true,"max_drop_pct":2.1}`,
			`{"awg":"350 kcmil","awg_by_voltage_drop":"300 kcmil","awg_by_ampacity":"350 kcmil","limiting_factor":"ampacity","voltage_drop_v":8.92102710,"voltage_drop_pct":1.858547312,"ampacity_a":250}`},
		{"drop only, by hand: 20 AWG is 0.162 V, 18 AWG 2·7.95/.3048·.002 = 0.10433 V of 0.15",
			`{"current_a":1,"voltage_v":5,"length_m":2,"ampacity_check":false}`,
			`{"awg":"18","awg_by_ampacity":null,"limiting_factor":"voltage_drop","voltage_drop_v":0.104330709,"max_length_m":2.875471698,"ampacity_a":7,"metric_equivalent_mm2":1}`},
		{"drop only, by hand: 24 AWG, 1000·.017241/.20473·1.21615 = 102.4159 Ω/km, 0.732 m",
			`{"current_a":1,"voltage_v":5,"length_m":0.7,"ampacity_check":false}`,
			`{"awg":"24","max_length_m":0.732308048811,"ampacity_a":null,"metric_equivalent_mm2":0.5}`},
		{"drop only, aluminum at 14 AWG: 5.17/.3048 Ω/km, 2·1·16.96194·.005 = 0.1696194 V", `{"current_a":1,"voltage_v":6,"length_m":5,"ampacity_check":false,"material":"aluminium"}`,
			`{"awg":"14","voltage_drop_v":0.169619423,"warnings":["~aluminum of 14"]}`},
		{"14 AWG would do for the drop, 2·20·3.14/.3048·.007 = 2.885 V of 3, but 240.4(D) gives it 15 A", `{"current_a":20,"voltage_v":100,"length_m":7}`, `{"awg":"12","awg_by_voltage_drop":"14","limiting_factor":"ampacity"}`},
		{"both ask for 12 AWG: 14 AWG drops 4.12 V, 12 AWG 2.598 V of 3",
			`{"current_a":20,"voltage_v":100,"length_m":10}`, `{"awg":"12","awg_by_voltage_drop":"12","awg_by_ampacity":"12","limiting_factor":"both","warnings":[]}`},
		{"aluminum of 2 AWG is common: 90 A at 75 °C",
			`{"current_a":85,"voltage_v":480,"length_m":10,"material":"aluminum"}`, `{"awg":"2","ampacity_a":90,"metric_equivalent_mm2":35,"awg_60c_terminals":"1","warnings":["~2 AWG needs terminations of 75 °C"]}`},
		{"110.14(C)(1)(a), table 310.16: 50 A is 8 AWG at 75 °C, 6 AWG at 60 °C; table 250.122: 10 AWG to 60 A", `{"current_a":50,"voltage_v":240,"length_m":10}`,
			`{"awg":"8","awg_60c_terminals":"6","ocpd_a":50,"egc_awg":"10","conductor_ampacity_a":50,"warnings":["~on equipment not listed for that use 6 AWG"]}`},
		{"Jensen Hughes Academy, conductor selection: 95 A continuous is 119 A, 125 A device, 1 AWG at 75 °C", `{"current_a":95,"voltage_v":480,"length_m":5,"system":"three_phase","continuous":true}`,
			`{"awg":"1","ocpd_a":125,"egc_awg":"6","required_ampacity_a":118.75,"warnings":[]}`},
		{"the same source: 95 A at 60 °C terminations is 2 AWG, at 75 °C 3 AWG",
			`{"current_a":95,"voltage_v":480,"length_m":5,"system":"three_phase"}`,
			`{"awg":"3","awg_60c_terminals":"2","egc_awg":"8"}`},
		{"EC&M, code question 2013: 20 A from 12 to 6 AWG takes the grounding conductor from 12 to 6 AWG", `{"current_a":20,"voltage_v":12,"length_m":5}`, `{"awg":"6","awg_by_ampacity":"12","ocpd_a":20,"egc_awg":"6"}`},
		{"NEC Handbook, commentary to 250.122(B): 300 A device, 250 to 350 kcmil, 4 AWG × 1.4 = 58 436 cmil: 2 AWG", `{"current_a":255,"voltage_v":240,"length_m":52,"system":"single_phase","max_drop_pct":1.5}`,
			`{"awg":"350 kcmil","awg_by_ampacity":"250 kcmil","ocpd_a":300,"egc_awg":"2","awg_60c_terminals":"350 kcmil","warnings":[]}`},
		{"NEC 334.80: NM-B is the 60 °C column, 50 A needs 6 AWG",
			`{"current_a":50,"voltage_v":240,"length_m":10,"cable_type":"nm_b"}`,
			`{"awg":"6","awg_60c_terminals":"6","ampacity_a":55,"warnings":[]}`},
		{"NEC 334.104: NM-B ends at 2 AWG, 95 A at 60 °C",
			`{"current_a":100,"voltage_v":240,"length_m":10,"cable_type":"nm_b"}`,
			`{"awg":"1","warnings":["~334.104"]}`},
		{"NEC 240.4(C): 820 A in two sets of 600 kcmil (840 A) may not have a 1000 A device",
			`{"current_a":820,"voltage_v":480,"length_m":5,"parallel_sets":2}`,
			`{"awg":"600 kcmil","ocpd_a":1000,"conductor_ampacity_a":840,"egc_awg":"2/0","warnings":["~240.4(C)"]}`},
		{"by drop alone there is no device",
			`{"current_a":1,"voltage_v":5,"length_m":2,"ampacity_check":false}`, `{"awg_60c_terminals":null,"ocpd_a":null,"egc_awg":null,"conductor_ampacity_a":null}`},
		{"parallel sets start at 1/0: 2·150 A at 75 °C",
			`{"current_a":250,"voltage_v":480,"length_m":10,"parallel_sets":2}`, `{"awg":"1/0","ampacity_a":300,"awg_by_voltage_drop":"1/0","limiting_factor":"both"}`},
		{"no size is enough", `{"current_a":2000,"voltage_v":12,"length_m":10}`,
			`{"awg":null,"area_mm2":null,"metric_equivalent_mm2":null,"awg_by_voltage_drop":null,"awg_by_ampacity":null,"voltage_drop_v":null,"max_length_m":null,"limiting_factor":"both","warnings":["~parallel_sets"]}`},
		{"ampacity alone fails: 2000 kcmil has 665 A",
			`{"current_a":700,"voltage_v":1000,"length_m":1}`, `{"awg":null,"awg_by_voltage_drop":null,"limiting_factor":"ampacity","warnings":["~ampacity"]}`},
		{"no metric size above 630 mm²: 1250 kcmil is 633 mm²",
			`{"current_a":590,"voltage_v":1000,"length_m":1}`,
			`{"awg":"1250 kcmil","metric_equivalent_mm2":null}`},
		{"limits hold to 1e-9: 2·15·1.98/.3048·L = 3 V",
			`{"current_a":15,"voltage_v":100,"length_m":15.393939393939393}`,
			`{"awg":"12","voltage_drop_pct":3.000000000}`},
		{"small aluminum, cool conductor, ac fields on dc", `{"current_a":15,"voltage_v":120,"length_m":2,"material":"aluminum","conductor_temp_c":50,"power_factor":0.9,"conduit":"steel"}`,
			`{"awg":"12","metric_equivalent_mm2":10,"warnings":["~aluminum of 12","~below 60","~power_factor","~conduit"]}`},
		{"IEC, table B.52.4: 32 A three-phase in B2 needs 6 mm² (34 A)",
			`{"current_a":32,"voltage_v":400,"length_m":5,"system":"three_phase","iec_method":"B2"}`, `{"iec_area_mm2":6,"iec_capacity_a":34}`},
		{"IEC 60364-4-43, 433.1: 2.5 mm² in B1 has 24 A, but no breaker between 21 and 24 A", `{"current_a":21,"voltage_v":230,"length_m":5,"system":"single_phase","iec_method":"B1"}`, `{"iec_area_mm2":4,"iec_capacity_a":32}`},
		{"IEC, by voltage drop, at 20 °C: 2·16·0.05·4.61 = 7.38 V of 230 V, 3.2 %; 6 mm² 2.1 %", `{"current_a":16,"voltage_v":230,"length_m":50,"system":"single_phase","iec_method":"C","conductor_temp_c":20}`,
			`{"iec_area_mm2":6,"iec_capacity_a":46}`},
		{"IEC: two parallel cables are two circuits, 2·0.8·403", `{"current_a":600,"voltage_v":400,"length_m":10,"system":"three_phase","iec_method":"C","iec_group_size":2,"parallel_sets":2}`,
			`{"iec_area_mm2":240,"iec_capacity_a":644.8,"warnings":["~iec_area_mm2 is computed with the DC resistance"]}`},
		{"IEC: nothing is enough; two cables that touch", `{"current_a":2000,"voltage_v":400,"length_m":10,"system":"three_phase","iec_method":"C","parallel_sets":2}`,
			`{"iec_area_mm2":null,"iec_capacity_a":null,"warnings":["~no single size","~no size of IEC","~2 circuits"]}`},
		{"IEC, table B.52.11: 100 A three-phase of aluminium on a tray (E): 50 mm² has 117 A, 35 mm² 96 A", `{"current_a":100,"voltage_v":400,"length_m":5,"system":"three_phase","material":"aluminum","iec_method":"E"}`, `{"iec_area_mm2":50,"iec_capacity_a":117}`},
		{"NEC 334.80 and 240.4(D): NM-B at 20 A is 12 AWG",
			`{"current_a":20,"voltage_v":120,"length_m":5,"cable_type":"nm_b"}`,
			`{"awg":"12","ocpd_a":20,"conductor_ampacity_a":20,"egc_awg":"12"}`},
		{"IEC, table B.52.5: 40 A three-phase of XLPE clipped direct (C) is 4 mm²",
			`{"current_a":40,"voltage_v":230,"length_m":3,"system":"three_phase","iec_method":"C","iec_insulation":"xlpe"}`,
			`{"iec_area_mm2":4,"iec_capacity_a":40}`},
		{"IEC, table B.52.5 and B.52.17: XLPE in B2, two circuits, 10 mm² has 60·0.8",
			`{"current_a":40,"voltage_v":230,"length_m":3,"system":"three_phase","iec_method":"B2","iec_insulation":"xlpe","iec_group_size":2}`,
			`{"iec_area_mm2":10,"iec_capacity_a":48.0}`},
		{"IEC, table B.52.3 and B.52.17: XLPE in B1, three circuits, 4 mm² has 42·0.7",
			`{"current_a":25,"voltage_v":230,"length_m":3,"system":"single_phase","iec_method":"B1","iec_insulation":"xlpe","iec_group_size":3}`,
			`{"iec_area_mm2":4,"iec_capacity_a":29.40}`},
	})
	tooltest.InvalidCases(t, WireGauge, []tooltest.InvalidCase{
		{"aluminum in A1, two loaded",
			`{"current_a":20,"voltage_v":12,"length_m":5,"material":"aluminum","iec_method":"A1"}`, []string{"iec_method"}, "one of B2, C, D1, D2, E"},
		{"nothing", `{}`, []string{"current_a", "voltage_v"}, "is required"},
		{"no length", `{"current_a":1,"voltage_v":12}`, []string{"length_m"},
			"exactly one of length_m, length_ft"},
		{"two lengths", `{"current_a":1,"voltage_v":12,"length_m":1,"length_ft":3}`,
			[]string{"length_m"}, "length_m and length_ft"},
		{"hot",
			`{"current_a":1,"voltage_v":12,"length_m":1,"ambient_c":57,"insulation_rating_c":60}`, []string{"ambient_c"}, "insulation_rating_c"},
		{"NM-B of 75 °C", `{"current_a":1,"voltage_v":12,"length_m":1,"cable_type":"nm_b","insulation_rating_c":75}`, []string{"insulation_rating_c"}, "334.112"},
		{"odd ratings", `{"current_a":1,"voltage_v":12,"length_m":1,"insulation_rating_c":80,"terminal_rating_c":70}`, []string{"insulation_rating_c", "terminal_rating_c"}, "60, 75 or 90"},
		{"ranges", `{"current_a":0,"voltage_v":-1,"length_m":0,"max_drop_pct":51,"power_factor":1.1,"parallel_sets":13,"conductor_temp_c":151,"current_carrying_conductors":0}`,
			[]string{"current_a", "voltage_v", "length_m", "max_drop_pct", "power_factor",
				"parallel_sets", "conductor_temp_c", "current_carrying_conductors"}, ""},
		{"half a set", `{"current_a":1,"voltage_v":12,"length_m":1,"parallel_sets":1.5}`,
			[]string{"parallel_sets"}, "whole number"},
		{"unknown words", `{"current_a":1,"voltage_v":12,"length_m":1,"material":"silver","system":"ac","conduit":"PVC"}`, []string{"material", "system", "conduit"}, "copper, aluminum"},
	})
}

// TestWireGaugeVoltageDrop verifies that wire_gauge and voltage_drop have the same
// results for the selected wire. It also verifies that the drop at the maximum length is the
// permitted one.
func TestWireGaugeVoltageDrop(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit float64
	}{
		{`"current_a":20,"voltage_v":12`, 3},
		{`"current_a":90,"voltage_v":400,"system":"three_phase","power_factor":0.8,"conduit":"steel"`, 3},
		{`"current_a":30,"voltage_v":230,"system":"single_phase","material":"aluminum","max_drop_pct":2`, 2},
		{`"current_a":400,"voltage_v":480,"system":"three_phase","parallel_sets":2`, 3},
	} {
		g := result(t, WireGauge, `{%s,"length_m":8}`, c.in)
		d := result(t, VoltageDrop, `{%s,"length_m":8,"awg":%q}`, c.in, g["awg"])
		for _, field := range []string{"voltage_drop_v", "voltage_drop_pct", "load_voltage_v",
			"power_loss_w", "max_length_m", "area_mm2", "ampacity_a"} {
			same(t, c.in+" "+field, number(t, g, field), number(t, d, field))
		}
		far := result(t, VoltageDrop, `{%s,"length_m":%.17g,"awg":%q}`, c.in,
			number(t, d, "max_length_m"), g["awg"])
		same(t, c.in+" at the longest length", number(t, far, "voltage_drop_pct"), c.limit)
		if far["meets_target"] != true {
			t.Errorf("%s: the longest length does not meet the target", c.in)
		}
	}
}
