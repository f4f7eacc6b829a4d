package pcb

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"slipstick/tools/tooltest"
)

// body returns a request with the parts R1, R2 and J1, changed by the given fields.
func body(t *testing.T, change map[string]any) string {
	t.Helper()
	request := map[string]any{
		"components": []any{
			map[string]any{"ref": "R1", "footprint": "R_0805"},
			map[string]any{"ref": "R2", "footprint": "R_0805"},
			map[string]any{"ref": "J1", "footprint": "PinHeader_1x04"}},
		"nets": []any{
			map[string]any{"name": "A", "pins": []string{"R1.1", "R2.1", "J1.1"}},
			map[string]any{"name": "B", "pins": []string{"R1.2", "J1.2"}},
			map[string]any{"name": "GND", "pins": []string{"R2.2", "J1.4"}}},
	}
	for k, v := range change {
		if v == nil {
			delete(request, k)
			continue
		}
		request[k] = v
	}
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// one returns a request for a single part with its own fields.
func one(t *testing.T, part map[string]any, change map[string]any) string {
	all := map[string]any{"components": []any{part},
		"nets": []any{map[string]any{"name": "A", "pins": []string{"R1.1"}}}}
	for k, v := range change {
		all[k] = v
	}
	return body(t, all)
}

// TestBadBoards verifies that an invalid board is rejected with a message that names the field, the
// error and, if possible, the allowed values.
func TestBadBoards(t *testing.T) {
	many := make([]any, 151)
	for i := range many {
		many[i] = map[string]any{"ref": fmt.Sprintf("R%d", i), "footprint": "R_0402"}
	}
	huge := make([]any, 150) // 40.5 by 40.5 mm each, 246,000 mm² in total
	for i := range huge {
		huge[i] = map[string]any{"ref": fmt.Sprintf("J%d", i), "footprint": "HUGE"}
	}
	keepout := func(x, y, w, h float64) []any {
		return []any{map[string]any{"x_mm": x, "y_mm": y, "width_mm": w, "height_mm": h}}
	}
	net := func(name string) map[string]any {
		return map[string]any{"nets": []any{map[string]any{"name": name, "pins": []string{"R1.1"}}}}
	}
	pair := func(positive, negative string, gap any) map[string]any {
		return map[string]any{"differential_pairs": []any{map[string]any{
			"positive": positive, "negative": negative, "gap_mm": gap}}}
	}
	group := func(nets ...string) map[string]any {
		return map[string]any{"length_groups": []any{map[string]any{"nets": nets}}}
	}
	text := func(s string) string {
		return body(t, map[string]any{"components": nil, "nets": nil, "netlist": s})
	}
	tooltest.InvalidCases(t, PCBLayout, []tooltest.InvalidCase{
		{"references that differ in case only",
			body(t,
				map[string]any{"components": []any{map[string]any{"ref": "R1",
					"footprint": "R_0402"}, map[string]any{"ref": "r1", "footprint": "R_0402"}},
					"nets": []any{}}),
			[]string{"components[1].ref"}, `"r1" is used twice, before by components[0]`},
		{"151 parts", body(t, map[string]any{"components": many}), []string{"components"},
			"at most 150 entries, has 151"},
		{"five parts on 5 x 5 mm", body(t, map[string]any{"width_mm": 5, "height_mm": 5}),
			[]string{"width_mm"}, "the board has 25 mm², the courtyards of the parts need"},
		{"a header on 5 x 5 mm", one(t, map[string]any{"ref": "R1", "footprint": "PinHeader_1x08"},
			map[string]any{"width_mm": 5, "height_mm": 5}), []string{"width_mm"},
			"too small for R1"},
		{"a track width below zero", body(t, map[string]any{"track_width_mm": -1}),
			[]string{"track_width_mm"}, "greater than 0 and at most 5 mm, got -1"},
		{"a clearance of 1e300 mm", body(t, map[string]any{"clearance_mm": 1e300}),
			[]string{"clearance_mm"}, "at most 5"},
		{"a clearance in words", body(t, map[string]any{"clearance_mm": "wide"}),
			[]string{"clearance_mm"}, `must be a number (a string was given), got "wide"`},
		{"tracks that nobody can etch", body(t, map[string]any{"track_width_mm": 0.01}),
			[]string{"track_width_mm"}, "below the 0.1 mm that fab profile generic can make"},
		{"a panel of a board with round corners", body(t, map[string]any{"width_mm": 30,
			"height_mm": 30, "corner_radius_mm": 2, "panel": map[string]any{}}), []string{"panel"},
			"square corners"},
		{"tabs on sides of 4 mm", body(t, map[string]any{"width_mm": 30, "height_mm": 30,
			"corner_radius_mm": 13, "panel": map[string]any{"separation": "tabs"}}),
			[]string{"panel"}, "needs 5 mm of straight side for a tab"},
		{"a panel of 400 boards", body(t, map[string]any{
			"panel": map[string]any{"columns": 20, "rows": 20}}), []string{"panel"},
			"has 400 boards; at most 100 are possible"},
		{"a rail without space for a fiducial", body(t, map[string]any{
			"panel": map[string]any{"rail_mm": 3}}), []string{"panel.rail_mm"}, "5 to 20"},
		{"a pair of a net that is not there", body(t, pair("A", "X", nil)),
			[]string{"differential_pairs[0].negative"}, `"X" is no net of this netlist`},
		{"a pair of one net", body(t, pair("A", "A", nil)),
			[]string{"differential_pairs[0].negative"}, "A is in a pair already"},
		{"a pair with the ground", body(t, pair("A", "GND", nil)),
			[]string{"differential_pairs[0].negative"}, "GND has a pour"},
		{"a pair below the clearance", body(t, pair("A", "B", 0.1)),
			[]string{"differential_pairs[0].gap_mm"}, "is 0.1 mm, below the clearance of 0.2 mm"},
		{"a length group of one net", body(t, group("A")), []string{"length_groups[0].nets"},
			"a group needs two nets or more"},
		{"a length group of a net that is not there", body(t, group("A", "X")),
			[]string{"length_groups[0].nets[1]"}, `"X" is no net of this netlist`},
		{"a length group of a net twice", body(t, group("A", "A")),
			[]string{"length_groups[0].nets[1]"}, "A is in a length group already"},
		{"a length group with the ground", body(t, group("A", "GND")),
			[]string{"length_groups[0].nets[1]"}, "GND has a pour"},
		{"a ring that nobody can drill",
			body(t, map[string]any{"via_drill_mm": 0.5, "via_diameter_mm": 0.6}),
			[]string{"via_diameter_mm"}, "leaves a ring of 0.05 mm"},
		{"a line break in a reference", one(t, map[string]any{"ref": "R\n1", "footprint": "R_0805"},
			map[string]any{"nets": []any{}}), []string{"components[0].ref"},
			"must be a letter and up to 15 letters, digits or underscores"},
		{"a bell in a net name", body(t, net("A\a")), []string{"nets[0].name"},
			"printable ASCII without spaces and commas"},
		{"a comma in a net name", body(t, net("A,B")), []string{"nets[0].name"},
			"printable ASCII without spaces and commas"},
		{"a line break in a footprint name",
			one(t, map[string]any{"ref": "R1", "footprint": "R_08\n05"}, nil),
			[]string{"components[0].footprint"}, "a list of pads; did you mean R_0805"},
		{"a quote in a pin name",
			one(t, map[string]any{"ref": "R1", "footprint": "R_0805",
				"pins": map[string]any{"A\n\"": "1"}}, nil), []string{"components[0].pins"},
			"printable ASCII"},
		{"a line break in a pad name", one(t, map[string]any{"ref": "R1", "footprint": "X"},
			map[string]any{"custom_footprints": []any{map[string]any{"name": "X",
				"pads": []any{map[string]any{"pad": "1\n", "x_mm": 0, "y_mm": 0, "width_mm": 1,
					"height_mm": 1}}}}}),
			[]string{"custom_footprints[0].pads[0].pad"}, "letters, digits and _ . + ~ -"},
		{"a line break in a class name",
			body(t,
				map[string]any{"net_classes": []any{map[string]any{"name": "x\ny",
					"nets": []string{"A"}}}}), []string{"net_classes[0].name"}, "printable ASCII"},
		{"a slot of one length",
			body(t,
				map[string]any{"custom_footprints": []any{map[string]any{"name": "X",
					"pads": []any{map[string]any{"pad": "1", "x_mm": 0, "y_mm": 0, "width_mm": 2,
						"height_mm": 2, "slot_mm": []float64{1}}}}}}),
			[]string{"custom_footprints[0].pads[0].slot_mm"},
			"needs a width and a height, two numbers, not 1"},
		{"a body of one length",
			body(t,
				map[string]any{"custom_footprints": []any{map[string]any{"name": "X",
					"body_mm": []float64{1},
					"pads": []any{map[string]any{"pad": "1", "x_mm": 0, "y_mm": 0, "width_mm": 2,
						"height_mm": 2}}}}}),
			[]string{"custom_footprints[0].body_mm"}, "needs a width and a height"},
		{"a pour nearer than can be etched", body(t, map[string]any{"pour_clearance_mm": 0.05}),
			[]string{"pour_clearance_mm"}, "below the 0.1 mm that fab profile generic can make"},
		{"a thermal gap that cannot be etched",
			body(t, map[string]any{"thermal_gap_mm": 0.14, "fab_profile": "oshpark"}),
			[]string{"thermal_gap_mm"}, "below the 0.152 mm that fab profile oshpark can make"},
		{"spokes that cannot be etched",
			body(t, map[string]any{"thermal_spoke_mm": 0.12, "fab_profile": "jlcpcb"}),
			[]string{"thermal_spoke_mm"}, "below the 0.127 mm that fab profile jlcpcb can make"},
		{"a part left of every board",
			body(t,
				map[string]any{"placements": []any{map[string]any{"ref": "R1", "x_mm": -3,
					"y_mm": 3}}}), []string{"placements[0]"}, "R1 at -3, 3 mm is off the board"},
		{"a part beyond every board",
			body(t,
				map[string]any{"placements": []any{map[string]any{"ref": "R1", "x_mm": 3,
					"y_mm": 401}}}), []string{"placements[0]"},
			"found between 0, 0 and 400, 400 mm"},
		{"a hole below every board",
			body(t, map[string]any{"mounting_holes": []any{map[string]any{"x_mm": 3, "y_mm": -3}}}),
			[]string{"mounting_holes[0]"}, "at 3, -3 mm is off the board"},
		{"a keepout left of every board",
			body(t,
				map[string]any{"keepouts": []any{map[string]any{"x_mm": -9, "y_mm": 3,
					"width_mm": 5, "height_mm": 5}}}), []string{"keepouts[0]"},
			"from -9, 3 mm is off the board"},
		{"parts for more than the largest board",
			body(t, map[string]any{"components": huge, "nets": []any{},
				"custom_footprints": []any{map[string]any{"name": "HUGE",
					"body_mm": []float64{40, 40},
					"pads": []any{map[string]any{"pad": "1", "x_mm": 0, "y_mm": 0, "width_mm": 2,
						"height_mm": 2}}}}}), []string{"width_mm"},
			"the board has 160000 mm², the courtyards of the parts need"},
		{"a keepout of parts over all of the board",
			body(t, map[string]any{"width_mm": 20, "height_mm": 20,
				"keepouts": keepout(0, 0, 20, 20)}), []string{"width_mm"},
			"the board has 0 mm² beside its keepouts and holes"},
		{"keepouts that leave 20 mm²",
			body(t, map[string]any{"width_mm": 20, "height_mm": 20,
				"keepouts": append(keepout(0, 0, 15, 20), keepout(-5, -5, 25, 21)...)}),
			[]string{"width_mm"}, "the board has 20 mm² beside its keepouts and holes, the courtyards of the parts need"},
		{"a hole that takes all of the board",
			body(t, map[string]any{"width_mm": 20, "height_mm": 20,
				"mounting_holes": []any{map[string]any{"x_mm": 10, "y_mm": 10, "diameter_mm": 20,
					"keepout_mm": 5}}}), []string{"width_mm"},
			"the board has 0 mm² beside its keepouts and holes"},
		{"three layers", body(t, map[string]any{"layers": 3}), []string{"layers"},
			"is 3; a board has 2 or 4 copper layers"},
		{"six layers", body(t, map[string]any{"layers": 6}), []string{"layers"},
			"must be 2 to 4, got 6"},
		{"a plane on two layers",
			body(t, map[string]any{"planes": map[string]string{"in1": "GND"}}),
			[]string{"planes"}, `"in1" is no inner layer of a board with 2 copper layers`},
		{"a plane on the bottom",
			body(t, map[string]any{"layers": 4, "planes": map[string]string{"bottom": "GND"}}),
			[]string{"planes"}, `"bottom" is no inner layer of a board with 4 copper layers`},
		{"a plane of no net",
			body(t, map[string]any{"layers": 4, "planes": map[string]string{"in2": "+5V"}}),
			[]string{"planes"}, `in2: "+5V" is no net of this netlist`},
		{"a keepout on a missing layer", body(t, map[string]any{"keepouts": []any{map[string]any{
			"x_mm": 1, "y_mm": 1, "width_mm": 2, "height_mm": 2, "layers": []string{"in1"}}}}),
			[]string{"keepouts[0].layers"}, "in1 is not a layer of a board with 2 copper layers"},
		{"a keepout on no layer", body(t, map[string]any{"keepouts": []any{map[string]any{
			"x_mm": 1, "y_mm": 1, "width_mm": 2, "height_mm": 2, "layers": []string{}}}}),
			[]string{"keepouts[0].layers"}, "needs at least 1 entry, has 0"},
		{"a path for a name", body(t, map[string]any{"name": "../../etc/passwd"}), []string{"name"},
			"^[A-Za-z0-9_-]{1,32}$"},
		{"a netlist of more than 1 MB", text(strings.Repeat("x", 1_000_001)), []string{"netlist"},
			"at most 1000000 characters, has 1000001"},
		{"900 kB of brackets", text(strings.Repeat("(", 900_000)), []string{"netlist"},
			"nested more than 50 deep"},
		{"900 kB of the same resistor",
			text("t\n" + strings.Repeat("R1 a b 1k\n", 90_000) + ".end\n"), []string{"netlist"},
			"r1 is already defined on line 2"},
		{"900 kB of resistors", text("t\n" + resistors(40_000) + ".end\n"),
			[]string{"netlist"}, "150"},
		{"twenty thousand parts",
			body(t, map[string]any{"components": append(many, make([]any, 20_000)...)}),
			[]string{"components"}, "at most 150"},
	})
}

func resistors(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "R%d a%d b 1k\n", i, i)
	}
	return b.String()
}

// TestOddBoards verifies that unusual boards are laid out as far as possible. It also verifies that
// the report of an incomplete board, or of one with violations, agrees with the copper.
func TestOddBoards(t *testing.T) {
	var parts, all []any
	var pins []string
	for i := range 150 {
		parts = append(parts, map[string]any{"ref": fmt.Sprintf("R%d", i+1), "footprint": "R_0402"})
		pins = append(pins, fmt.Sprintf("R%d.1", i+1))
	}
	all = append(all, map[string]any{"name": "ALL", "pins": pins})
	for name, request := range map[string]string{
		"150 parts on one net": body(t, map[string]any{"components": parts,
			"nets": all, "effort": "fast", "time_limit_s": 10}),
		"nets that differ in case only": body(t,
			map[string]any{"nets": []any{map[string]any{"name": "Vcc",
				"pins": []string{"R1.1", "R2.1"}}, map[string]any{"name": "VCC",
				"pins": []string{"R1.2", "R2.2"}}}}),
		"one small part on 5 x 5 mm": one(t,
			map[string]any{"ref": "R1", "footprint": "R_0402"},
			map[string]any{"width_mm": 5, "height_mm": 5}),
		"tracks of 5 mm":      body(t, map[string]any{"track_width_mm": 5}),
		"a clearance of 5 mm": body(t, map[string]any{"clearance_mm": 5}),
		"an edge clearance of 10 mm": body(t, map[string]any{"edge_clearance_mm": 10,
			"width_mm": 22, "height_mm": 22}),
		"vias of 8 mm": body(t, map[string]any{"via_drill_mm": 5,
			"via_diameter_mm": 8}),
		"a mask that opens 1 mm": body(t, map[string]any{"mask_expansion_mm": 1,
			"mask_web_mm": 1}),
		"every length at its upper limit": body(t, map[string]any{"track_width_mm": 5,
			"clearance_mm": 5, "edge_clearance_mm": 10, "via_drill_mm": 5, "via_diameter_mm": 8,
			"hole_clearance_mm": 5, "hole_to_hole_mm": 5, "pour_clearance_mm": 5,
			"thermal_gap_mm": 5, "thermal_spoke_mm": 5, "width_mm": 20, "height_mm": 20}),
		"values that a spreadsheet would run": body(t,
			map[string]any{"components": []any{map[string]any{"ref": "R1", "footprint": "R_0805",
				"value": "=1+1"}, map[string]any{"ref": "R2", "footprint": "R_0805",
				"value": "\x01\"\\@SUM(A1)\r\n=2"}, map[string]any{"ref": "J1",
				"footprint": "PinHeader_1x04", "value": "%*,)<&>"}}}),
	} {
		t.Run(name, func(t *testing.T) {
			out := layout(t, []byte(request))
			if (out.Status == "complete") != (len(out.Unrouted) == 0) || out.Status != "complete" &&
				out.DRC.Passed {
				t.Errorf("%s with %d unrouted, passed %v", out.Status, len(out.Unrouted),
					out.DRC.Passed)
			}
			if out.DRC.Passed {
				verifyCopper(t, out)
			}
			rows, err := csv.NewReader(strings.NewReader(out.Files["board-bom.csv"])).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				for _, cell := range row {
					if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
						t.Errorf("a spreadsheet would run %q", cell)
					}
				}
			}
		})
	}
}
