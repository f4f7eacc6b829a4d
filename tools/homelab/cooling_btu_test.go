package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestCoolingBTU(t *testing.T) {
	tooltest.Examples(t, CoolingBTU)
	tooltest.Cases(t, CoolingBTU, []tooltest.Case{
		{"contract: 10 kW, UPS of 20 kW, 40 m², two people",
			`{"it_load_w":10000,"ups_rating_w":20000,"floor_area_m2":40,"people":2}`,
			`{"total_heat_w":12761.2,"btu_per_hour":43543.0,"tons":3.62859,"design_tons":4.35430,"design_btu_per_hour":52251.6,"airflow_m3_h":3413.283835,"airflow_cfm":2008.983018,
			"breakdown":{"it_w":10000,"ups_w":1300,"distribution_w":400,"lighting_w":861.2,"people_w":200,"other_w":0}}`},
		{"by hand: no UPS, no losses", `{"it_load_w":1000}`, `{"total_heat_w":1000,"btu_per_hour":3412.141633,"airflow_m3_h":267.47357888,"breakdown":{"ups_w":0,"distribution_w":0}}`},
		{"a ton of refrigeration is 3516.85 W", `{"it_load_w":3516.85,"safety_margin_pct":0}`,
			`{"tons":1.00000,"design_tons":1.00000}`},
		{"handbook: 3.16 CFM for each W per °F at sea level: 158 for 1 kW and 20 °F",
			`{"it_load_w":1000,"air_delta_t_k":11.111111,"supply_temperature_c":21.5}`,
			`{"airflow_cfm":1.58e2}`},
		{"independently: at 1500 m and 18 °C", `{"it_load_w":10000,"ups_rating_w":20000,"floor_area_m2":40,"people":2,"altitude_m":1500,"supply_temperature_c":18}`,
			`{"airflow_m3_h":4062.295679,"airflow_cfm":2390.976967}`},
		{"an idle UPS loses 5 % of its rating",
			`{"it_load_w":0,"ups_rating_w":10000,"other_w":500}`, `{"total_heat_w":1000}`},
		{"an overloaded UPS", `{"it_load_w":5000,"ups_rating_w":3000}`,
			`{"total_heat_w":5500,"warnings":["~overloaded"]}`},
	})
	tooltest.InvalidCases(t, CoolingBTU, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"it_load_w"}, "is required"},
		{"negative", `{"it_load_w":-1,"floor_area_m2":-1}`, []string{"it_load_w", "floor_area_m2"},
			"0 to"},
		{"no warming of the air", `{"it_load_w":1,"air_delta_t_k":0}`, []string{"air_delta_t_k"},
			"0.1"},
		{"half a person, in space", `{"it_load_w":1,"people":0.5,"altitude_m":100000}`,
			[]string{"people", "altitude_m"}, "whole"},
	})
}

// TestCoolingLaws verifies that heat is the sum of its parts, and that twice the temperature rise
// needs half the airflow.
func TestCoolingLaws(t *testing.T) {
	run := func(in string) (out coolingOut) {
		raw, err := CoolingBTU.Run(context.Background(), []byte(in))
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, w := range []float64{0, 17, 4321, 1e6} {
		in := fmt.Sprintf(`{"it_load_w":%g,"ups_rating_w":5000,"floor_area_m2":12.5,"people":3,"other_w":77,"air_delta_t_k":`, w)
		a, b := run(in+`8}`), run(in+`16}`)
		p := a.Breakdown
		if sum := p.IT + p.UPS + p.Distribution + p.Lighting + p.People +
			p.Other; math.Abs(sum-a.Total) > 1e-9 {
			t.Errorf("%g W: parts %g, total %g", w, sum, a.Total)
		}
		// 1 CFM is 1.699010796 m³/h.
		if math.Abs(a.Airflow-2*b.Airflow) > 1e-9*a.Airflow ||
			math.Abs(a.CFM*1.699010796-a.Airflow) > 1e-8*a.Airflow {
			t.Errorf("%g W: %g and %g m³/h, %g CFM", w, a.Airflow, b.Airflow, a.CFM)
		}
	}
}
