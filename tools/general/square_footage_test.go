package general

import (
	"encoding/json"
	"testing"

	"slipstick/tools/tooltest"
)

func TestSquareFootage(t *testing.T) {
	tooltest.Examples(t, SquareFootage)
	tooltest.Cases(t, SquareFootage, []tooltest.Case{
		{"5 by 4 m: 20/0.09290304", `{"length":5,"width":4,"unit":"m"}`,
			`{"area_sq_m":20,"area_sq_ft":215.278208334,"total_cost":null,"boxes_needed":null}`},
		{"an acre: 660 by 66 ft", `{"length":660,"width":66}`,
			`{"area_acres":1,"area_sq_yd":4840,"warnings":["~above 10000"]}`},
		{"inches: 144 by 12", `{"length":144,"width":12,"unit":"in"}`,
			`{"area_sq_ft":12,"area_sq_in":1728}`},
		{"yards: 3 by 3", `{"length":3,"width":3,"unit":"yd"}`, `{"area_sq_ft":81,"area_sq_yd":9}`},
		{"centimetres: 250 by 400", `{"length":250,"width":400,"unit":"cm"}`, `{"area_sq_m":10}`},
		{"ellipse π/4 · 8 · 4 = 25.13274123, trapezoid (3 + 5)/2 · 2 = 8, circle of diameter 2", `{"areas":[{"shape":"ellipse","length":8,"width":4},{"shape":"trapezoid","base":3,"base2":5,"height":2},{"shape":"circle","diameter":2}]}`,
			`{"area_sq_ft":36.27433388,"items":[{"shape":"ellipse","area_sq_ft":25.13274123},{"shape":"trapezoid","area_sq_ft":8},{"shape":"circle","area_sq_ft":3.14159265}]}`},
		{"mixed units: 1 m² and 1 ft²",
			`{"areas":[{"length":1,"width":1,"unit":"m"},{"length":1,"width":1}]}`,
			`{"area_sq_m":1.09290304000000,"area_sq_ft":11.7639104167}`},
		{"taken away", `{"areas":[{"length":10,"width":10},{"length":2,"width":3,"subtract":true,"quantity":2}]}`, `{"area_sq_ft":88,"items":[{"shape":"rectangle","area_sq_ft":100},{"shape":"rectangle","area_sq_ft":-12}]}`},
		{"feet, inches and a fraction: (10 + 6.5/12) × 2", `{"length":"10' 6 1/2\"","width":"2'"}`,
			`{"area_sq_ft":21.0833333333333}`},
		{"inches alone: 6 by 18 inches", `{"length":"6\"","width":"1'-6\""}`,
			`{"area_sq_ft":0.75,"warnings":[]}`},
		{"fourteen inches in a string: 25 + 2 = 3'2\" more", `{"length":"2'14\"","width":3}`,
			`{"area_sq_ft":9.50000000000000,"warnings":["~14 inches"]}`},
		{"boxes exactly full: 3 × 0.1 by 1 over 0.1",
			`{"areas":[{"length":0.1,"width":1,"quantity":3}],"coverage_per_box_sq_ft":0.1}`,
			`{"boxes_needed":3,"warnings":["~waste_pct is 0"]}`},
		{"10 m² at 30 with 5 %: 315",
			`{"length":5,"width":2,"unit":"m","price_per_sq_m":30,"waste_pct":5}`,
			`{"total_cost":315.00000000000}`},
		{"a field of another shape", `{"areas":[{"length":1,"width":1,"radius":3}]}`,
			`{"area_sq_ft":1,"warnings":["~areas[0].radius is ignored"]}`},
	})
	tooltest.InvalidCases(t, SquareFootage, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"length", "width"}, "or give areas"},
		{"no width", `{"length":3}`, []string{"width"}, "is required"},
		{"both forms", `{"length":3,"areas":[{"length":1,"width":1}]}`, []string{"length"},
			"contradicts areas"},
		{"zero", `{"length":0,"width":1}`, []string{"length"}, "greater than 0"},
		{"negative inches", `{"length":"-6\"","width":1}`, []string{"length"}, "feet and inches"},
		{"unreadable", `{"length":"twelve","width":"12"}`, []string{"length", "width"},
			"feet and inches"},
		{"a fraction of nothing", `{"length":"1' 1/0\"","width":1}`, []string{"length"},
			"feet and inches"},
		{"a boolean", `{"length":true,"width":1}`, []string{"length"}, "must be a number"},
		{"feet in metres", `{"length":"3'","width":1,"unit":"m"}`, []string{"length"},
			"for the unit ft"},
		{"unknown shape", `{"areas":[{"shape":"hexagon"}]}`, []string{"areas[0].shape"},
			"rectangle"},
		{"half a triangle", `{"areas":[{"shape":"triangle","base":1}]}`,
			[]string{"areas[0].height"}, "triangle"},
		{"radius and diameter", `{"areas":[{"shape":"circle","radius":1,"diameter":2}]}`,
			[]string{"areas[0].radius", "areas[0].diameter"}, "exactly one"},
		{"nothing left",
			`{"areas":[{"length":1,"width":1},{"length":1,"width":1,"subtract":true}]}`,
			[]string{"areas"}, "must be positive"},
		{"unknown unit", `{"length":1,"width":1,"unit":"rod"}`, []string{"unit"}, "ft, in, yd"},
		{"two prices", `{"length":1,"width":1,"price_per_sq_ft":1,"price_per_sq_m":1}`,
			[]string{"price_per_sq_ft", "price_per_sq_m"}, "not both"},
	})
}

func TestDimensionIsGivenBack(t *testing.T) {
	for _, raw := range []string{`12.5`, `"12'6\""`} {
		var d dimension
		if err := d.DecodeField([]byte(raw)); err != nil {
			t.Fatal(err)
		}
		if back, err := json.Marshal(d); err != nil || string(back) != raw || d.value != 12.5 {
			t.Errorf("%s: %s, %g, %v", raw, back, d.value, err)
		}
	}
}
