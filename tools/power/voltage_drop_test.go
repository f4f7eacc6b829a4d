package power

import (
	"math"
	"math/cmplx"
	"testing"

	"slipstick/tools/tooltest"
)

func TestVoltageDrop(t *testing.T) {
	tooltest.Examples(t, VoltageDrop)
	tooltest.Cases(t, VoltageDrop, []tooltest.Case{
		{"a conduit of a metric size, for which table 9 has no reactance",
			`{"area_mm2":10,"current_a":5,"voltage_v":230,"system":"single_phase","length_m":10,"conduit":"steel"}`,
			`{"reactance_ohm_per_km":0.08,"warnings":["~no ampacity is known","~conduit was ignored: NEC chapter 9 table 9"]}`},
		{"a conduit of 16 AWG, which is not in table 9",
			`{"awg":16,"current_a":1,"voltage_v":230,"system":"single_phase","length_m":10,"conduit":"steel"}`,
			`{"reactance_ohm_per_km":0.08,"warnings":["~conduit was ignored: NEC chapter 9 table 9"]}`},
		{"14 AWG, which table 9 lists for copper alone",
			`{"awg":14,"material":"aluminum","current_a":1,"voltage_v":230,"system":"single_phase","length_m":10,"conduit":"steel"}`,
			`{"warnings":["~no ampacity is known","conduit was ignored: NEC chapter 9 table 9 does not list this size of aluminum"]}`},
		{"IEC 60287-1-1 by hand: 240 mm² at 75 °C, x² 1.3704, skin 0.97 %, proximity 3.12 %",
			`{"area_mm2":240,"current_a":300,"voltage_v":400,"system":"three_phase","length_m":50}`,
			`{"resistance_ohm_per_km":0.09169771,"warnings":["~no ampacity is known","~DC resistance: at 50 Hz skin and proximity effect raise it by about 4.1 %"]}`},
		{"skin and proximity effect raise 150 mm² by 1.5 % only",
			`{"area_mm2":150,"current_a":200,"voltage_v":400,"system":"three_phase","length_m":50}`,
			`{"warnings":["~no ampacity is known"]}`},
		{"no skin effect of direct current",
			`{"area_mm2":240,"current_a":300,"voltage_v":400,"length_m":50}`,
			`{"warnings":["~no ampacity is known"]}`},
		{"a steel conduit of 12 AWG: 0.068 Ω/kft of table 9",
			`{"awg":12,"current_a":1,"voltage_v":230,"system":"single_phase","length_m":10,"conduit":"steel"}`,
			`{"reactance_ohm_per_km":0.2230971,"warnings":[]}`},
		{"contract: 2.0 Ω/kft of table 9, 15 A, 200 ft of wire",
			`{"awg":"12","current_a":15,"voltage_v":120,"system":"single_phase","length_ft":100}`,
			`{"resistance_ohm_per_km":6.561680,"voltage_drop_v":6.0000000,"voltage_drop_pct":5.0000000,"load_voltage_v":114.000000,"voltage_drop_exact_v":6.000109,"power_loss_w":90.00000,"max_length_m":18.28800,"meets_target":false,"area_mm2":3.3087729,"ampacity_a":20,"warnings":["~above max_drop_pct 3"]}`},
		{"NEC Handbook 4.157 V with its rounded √3 and sine; by hand √3·100·(.16·.85+.046·.52678)·.15 = 4.16295; exact 4.165821 by root of the phasor equation", `{"awg":1,"current_a":100,"voltage_v":240,"system":"three_phase","power_factor":0.85,"conduit":"aluminum","length_ft":150}`,
			`{"voltage_drop_v":4.162949569,"voltage_drop_exact_v":4.16582073,"meets_target":true,"reactance_ohm_per_km":0.150918635,"warnings":[]}`},
		{"NEC table 9: 250 kcmil in steel at 0.85 is 0.073 Ω/kft to neutral; √3·100·(.054·.85+.052·.526783)", `{"awg":250,"current_a":100,"voltage_v":480,"system":"three_phase","power_factor":0.85,"conduit":"steel","length_ft":1000,"max_drop_pct":5}`,
			`{"voltage_drop_v":12.69467,"awg":"250 kcmil","ampacity_a":255}`},
		{"2 AWG steel at 0.8, by hand R .20/.3048, X .057/.3048, 2·80·(R·.8+X·.6)·.05; exact by root of the phasor equation", `{"awg":"2 AWG","current_a":80,"voltage_v":240,"system":"single_phase","power_factor":0.8,"conduit":"steel","length_m":50}`,
			`{"resistance_ohm_per_km":0.656167979,"reactance_ohm_per_km":0.187007874,"voltage_drop_v":5.09711286,"voltage_drop_exact_v":5.10505727,"power_loss_w":419.947507}`},
		{"IEC 60228: 16 mm² copper is 1.15 Ω/km at 20 °C; 2·50·1.15·.01",
			`{"area_mm2":16,"current_a":50,"voltage_v":48,"length_m":10,"conductor_temp_c":20}`,
			`{"resistance_ohm_per_km":1.1500000,"reactance_ohm_per_km":0,"voltage_drop_v":1.1500000,"voltage_drop_exact_v":1.1500000,"power_loss_w":57.500000,"awg":null,"ampacity_a":null,"warnings":["~no ampacity"]}`},
		{"the same at 75 °C: 1.15·(1+.00393·55)",
			`{"area_mm2":16,"current_a":50,"voltage_v":48,"length_m":10}`,
			`{"resistance_ohm_per_km":1.3985725}`},
		{"IEC 60228: 16 mm² aluminum 1.91", `{"area_mm2":16,"current_a":5,"voltage_v":48,"length_m":10,"conductor_temp_c":20,"material":"aluminum"}`, `{"resistance_ohm_per_km":1.9100000}`},
		{"an odd size is ρ/A: 28.264/7", `{"area_mm2":7,"current_a":5,"voltage_v":48,"length_m":10,"conductor_temp_c":20,"material":"aluminium"}`, `{"resistance_ohm_per_km":4.037714286}`},
		{"5 AWG is in no table: 17.241/16.7732196",
			`{"awg":5,"current_a":5,"voltage_v":48,"length_m":10,"conductor_temp_c":20}`,
			`{"resistance_ohm_per_km":1.027888527,"ampacity_a":null}`},
		{"dc is table 8 at its temperature: 1.98/.3048·(1-.00323·25)",
			`{"awg":12,"current_a":5,"voltage_v":48,"length_m":10,"conductor_temp_c":50}`,
			`{"resistance_ohm_per_km":5.971505906}`},
		{"table 9 rounds 10 AWG below its dc resistance, so 1.24 holds",
			`{"awg":10,"current_a":5,"voltage_v":240,"length_m":10,"system":"single_phase"}`,
			`{"resistance_ohm_per_km":4.068241470,"reactance_ohm_per_km":0.164041995}`},
		{"16 AWG on ac: dc resistance and 0.08 Ω/km",
			`{"awg":16,"current_a":5,"voltage_v":240,"length_m":10,"system":"single_phase"}`,
			`{"resistance_ohm_per_km":16.371391076,"reactance_ohm_per_km":0.08,"ampacity_a":10}`},
		{"two sets halve the drop and the loss: 1.15/2 V, 57.5/2 W", `{"area_mm2":16,"current_a":50,"voltage_v":48,"length_m":10,"conductor_temp_c":20,"parallel_sets":2}`, `{"voltage_drop_v":0.57500000,"power_loss_w":28.7500000}`},
		{"overloaded, and above 5 %: 2·40·1.98/.3048·.01 = 5.197 V",
			`{"awg":12,"current_a":40,"voltage_v":48,"length_m":10}`, `{"voltage_drop_v":5.196850394,"warnings":["~max_drop_pct","~5 %","~usable ampacity of 20 A"]}`},
		{"parallel conductors below 1/0",
			`{"awg":1,"current_a":1,"voltage_v":48,"length_m":1,"parallel_sets":2}`,
			`{"ampacity_a":260,"warnings":["~310.10(G)"]}`},
		{"parallel conductors of 1/0",
			`{"awg":0,"current_a":1,"voltage_v":48,"length_m":1,"parallel_sets":2}`,
			`{"awg":"1/0","ampacity_a":300,"warnings":[]}`},
		{"ac fields on dc", `{"awg":12,"current_a":1,"voltage_v":48,"length_m":1,"power_factor":0.5,"conduit":"aluminum"}`, `{"voltage_drop_v":0.0129921260,"warnings":["~power_factor","~conduit"]}`},
		{"table 310.16 and 110.14(C)(1)(a): 45 A on 8 AWG needs 75 °C terminations",
			`{"awg":8,"current_a":45,"voltage_v":240,"length_m":5}`,
			`{"ampacity_a":50,"usable_ampacity_60c_a":40,"warnings":["~terminations of 75 °C"]}`},
		{"210.19(A)(1): 16 A continuous is 20 A, the limit of 12 AWG",
			`{"awg":12,"current_a":16,"voltage_v":240,"length_m":5,"continuous":true}`,
			`{"usable_ampacity_60c_a":20,"warnings":[]}`},
		{"210.19(A)(1): 18 A continuous is 22.5 A, above it",
			`{"awg":12,"current_a":18,"voltage_v":240,"length_m":5,"continuous":true}`,
			`{"warnings":["~22.5 A (125 %"]}`},
		{"no column of 60 °C for 16 AWG", `{"awg":16,"current_a":1,"voltage_v":240,"length_m":5}`,
			`{"usable_ampacity_60c_a":null}`},
		{"IEC, table B.52.4: 16 mm² aluminium in B2 carries 48 A; by hand 3 V at 1.91 Ω/km and 20 °C", `{"area_mm2":16,"current_a":50,"voltage_v":400,"length_m":18.138,"system":"three_phase","material":"aluminium","conductor_temp_c":20,"iec_method":"B2"}`,
			`{"ampacity_a":48,"resistance_ohm_per_km":1.91,"voltage_drop_v":3.000,"usable_ampacity_60c_a":null,"warnings":["~above Iz of 48 A"]}`},
		{"IEC, table B.52.2: 2.5 mm² in B1 carries 24 A", `{"area_mm2":2.5,"current_a":16,"voltage_v":230,"length_m":20,"system":"single_phase","iec_method":"B1"}`, `{"ampacity_a":24,"warnings":[]}`},
		{"IEC, table B.52.3 and B.52.17: 10 mm² XLPE, C, two circuits, 80·0.8", `{"area_mm2":10,"current_a":16,"voltage_v":230,"length_m":20,"system":"single_phase","iec_method":"C","iec_insulation":"xlpe","iec_group_size":2}`, `{"ampacity_a":64}`},
		{"IEC: two cables of 50 mm², XLPE, C, 209 A each, that touch", `{"area_mm2":50,"current_a":300,"voltage_v":230,"length_m":20,"system":"single_phase","iec_method":"C","iec_insulation":"xlpe","parallel_sets":2}`, `{"ampacity_a":418,"warnings":["~2 circuits of iec_group_size"]}`},
		{"IEC, table B.52.2: 6 mm² in the ground (D1), 46 A at 20 °C", `{"area_mm2":6,"current_a":16,"voltage_v":230,"length_m":20,"system":"single_phase","iec_method":"D1"}`, `{"ampacity_a":46}`},
		{"IEC, table B.52.5 and B.52.17: 16 mm² XLPE, B1, three circuits, 88·0.7",
			`{"area_mm2":16,"current_a":16,"voltage_v":400,"length_m":20,"system":"three_phase","iec_method":"B1","iec_insulation":"xlpe","iec_group_size":3}`,
			`{"ampacity_a":61.60}`},
		{"IEC, table B.52.4 and B.52.17: 6 mm² PVC, B2, four circuits, 34·0.65",
			`{"area_mm2":6,"current_a":16,"voltage_v":400,"length_m":20,"system":"three_phase","iec_method":"B2","iec_group_size":4}`,
			`{"ampacity_a":22.10}`},
		{"NEC table 310.16: 8 AWG has 50 A at 75 °C, 40 A at 60 °C",
			`{"awg":8,"current_a":32,"voltage_v":240,"length_m":5,"continuous":true}`,
			`{"ampacity_a":50,"usable_ampacity_60c_a":40,"warnings":[]}`},
		{"210.19(A)(1) and table 310.16: 10 AWG, 24 A continuous is 30 A, its 60 °C value",
			`{"awg":10,"current_a":24,"voltage_v":240,"length_m":5,"continuous":true}`,
			`{"ampacity_a":30,"usable_ampacity_60c_a":30,"warnings":[]}`},
	})
	tooltest.InvalidCases(t, VoltageDrop, []tooltest.InvalidCase{
		{"a gauge by IEC", `{"awg":12,"current_a":1,"voltage_v":12,"length_m":1,"iec_method":"C"}`,
			[]string{"iec_method"}, "area_mm2"},
		{"no size of IEC",
			`{"area_mm2":5,"current_a":1,"voltage_v":12,"length_m":1,"iec_method":"C"}`,
			[]string{"area_mm2"}, "one of 1.5, 2.5, "},
		{"no size", `{"current_a":1,"voltage_v":12,"length_m":1}`, []string{"awg"},
			"exactly one of awg, area_mm2"},
		{"two sizes, no length", `{"awg":12,"area_mm2":4,"current_a":1,"voltage_v":12}`,
			[]string{"awg", "length_m"}, "awg and area_mm2"},
		{"a size that does not exist", `{"awg":"5/0","current_a":1,"voltage_v":12,"length_m":1}`,
			[]string{"awg"}, "kcmil"},
		{"drop above the supply", `{"awg":40,"current_a":10,"voltage_v":12,"length_m":10}`,
			[]string{"current_a"}, "voltage_v 12"},
		{"no load voltage solves it, though R cos φ + X sin φ stays below: 2·I·R·sin φ > V", `{"awg":12,"current_a":100,"voltage_v":120,"length_m":92,"system":"single_phase","power_factor":0.05}`, []string{"current_a"}, "cannot be delivered"},
		{"no table 9 row", `{"awg":"800 kcmil","current_a":10,"voltage_v":120,"length_m":10,"system":"single_phase"}`, []string{"awg"}, "table 9"},
		{"zero area", `{"area_mm2":0,"current_a":10,"voltage_v":120,"length_m":10}`,
			[]string{"area_mm2"}, "greater than 0"},
	})
}

// TestExactDropClosesTheCircuit verifies that load voltage plus the drop across the impedance has
// the magnitude of the source.
func TestExactDropClosesTheCircuit(t *testing.T) {
	for _, c := range []struct {
		system      string
		pf, v, i, m float64
		sets        int
	}{
		{"single_phase", 0.8, 240, 60, 120, 1}, {"single_phase", 0.3, 120, 15, 200, 2},
		{"three_phase", 0.9, 480, 150, 300, 1}, {"three_phase", 0.6, 208, 40, 90, 3},
	} {
		out := result(t, VoltageDrop, `{"awg":4,"current_a":%g,"voltage_v":%g,"system":%q,"power_factor":%g,"length_m":%g,"parallel_sets":%d}`, c.i, c.v, c.system, c.pf, c.m, c.sets)
		scale, wires := 1.0, 2.0
		if c.system == "three_phase" {
			scale, wires = math.Sqrt(3), 1
		}
		z := complex(number(t, out, "resistance_ohm_per_km"),
			number(t, out, "reactance_ohm_per_km")) * complex(c.m/1000*wires/float64(c.sets), 0)
		load := (c.v - number(t, out, "voltage_drop_exact_v")) / scale
		source := complex(load, 0) + complex(c.i, 0)*cmplx.Exp(complex(0, -math.Acos(c.pf)))*z
		same(t, c.system, cmplx.Abs(source)*scale, c.v)
	}
}
