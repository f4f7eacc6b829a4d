package pcb

import (
	"encoding/json"
	"strings"
	"testing"

	"slipstick/tools/tooltest"
)

// twoPads is a board file with a net of two pads, 10 mm apart.
const twoPads = `(kicad_pcb (version 20221018)
  (layers (0 "F.Cu" signal) (31 "B.Cu" signal) (44 "Edge.Cuts" user))
  (net 0 "") (net 1 "A")
  (footprint "P" (layer "F.Cu") (at 105 105) (fp_text reference "R1" (at 0 0) (layer "F.Fab"))
    (pad "1" smd circle (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (footprint "P" (layer "F.Cu") (at 115 105) (fp_text reference "R2" (at 0 0) (layer "F.Fab"))
    (pad "1" smd circle (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (gr_rect (start 100 100) (end 120 110) (layer "Edge.Cuts") (width 0.1))
)
`

func designBody(t *testing.T, fields map[string]any) string {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestRouteDesign(t *testing.T) {
	tooltest.Examples(t, RouteDesign)
	project :=
		`{"net_settings": {"classes": [{"name": "Default", "track_width": 0.4, "clearance": 0.2}]}}`
	wall := strings.Replace(twoPads, "\n)\n", `
  (zone (net 0) (net_name "") (layers "F&B.Cu") (keepout (tracks not_allowed) (vias not_allowed))
    (polygon (pts (xy 110 99) (xy 111 99) (xy 111 111) (xy 110 111)))))`, 1)
	tooltest.Cases(t, RouteDesign, []tooltest.Case{
		{"by hand: a straight track",
			designBody(t, map[string]any{"design": twoPads, "project": project}),
			`{"format": "kicad_pcb", "status": "complete", "connections_total": 1, "connections_routed": 1, "track_count": 1,
			  "via_count": 0, "wirelength_mm": 10.0, "unrouted": [], "violations": [], "own_violations": 0, "warnings": []}`},
		{"by hand: a rule area across the board leaves no path",
			designBody(t, map[string]any{"design": wall, "project": project, "effort": "fast"}),
			`{"status": "partial", "connections_total": 1, "connections_routed": 0, "track_count": 0}`},
		{"the same width from the project of another format",
			designBody(t, map[string]any{"design": twoPads, "format": "kicad_pcb"}),
			`{"status": "complete", "wirelength_mm": 10.0, "warnings": ["~no net class Default"]}`},
		{"by hand: a track of 0.4 mm needs 0.2 mm on each side of its centre, 0.1 mm is left",
			designBody(t, map[string]any{"design": twoPads, "project": project,
				"edge_clearance_mm": 4.9, "effort": "fast"}),
			`{"status": "partial", "connections_routed": 0}`},
		{"a locked track that makes the connection stays",
			designBody(t, map[string]any{"project": project,
				"design": strings.Replace(twoPads, "\n)\n",
					`(segment locked (start 105 105) (end 115 105) (width 0.3) (layer "F.Cu") (net 1)))`,
					1)}),
			`{"status": "complete", "connections_routed": 1, "track_count": 0, "wirelength_mm": 0}`},
	})
	out := result(t, RouteDesign, "%s",
		designBody(t, map[string]any{"design": twoPads, "project": project}))
	file, _ := out["file"].(string)
	if !strings.HasPrefix(file, twoPads[:len(twoPads)-3]) ||
		!strings.Contains(file, `(width 0.4) (layer "F.Cu") (net 1)`) {
		t.Errorf("the file is\n%s", file)
	}
	stacked := strings.Replace(twoPads, "\n)\n",
		"(footprint P (layer F.Cu) (at 105 105)"+strings.Repeat(
			"(pad 1 thru_hole rect (at 0 0) (size 3 3) (drill 1) (layers *.Cu) (net 1))\n",
			9000)+"))", 1)
	tooltest.InvalidCases(t, RouteDesign, []tooltest.InvalidCase{
		{"9000 pads on each other",
			designBody(t, map[string]any{"design": stacked, "time_limit_s": 1, "effort": "fast"}),
			[]string{"time_limit_s"}, "up to 240 s are valid"},
		{"larger than a request",
			designBody(t, map[string]any{"design": twoPads + strings.Repeat(" ", 1<<20)}),
			[]string{"design"}, "1048576"},
		{"no design", `{}`, []string{"design"}, "is required"},
		{"newer file",
			designBody(t, map[string]any{"design": strings.Replace(twoPads, "20221018", "20990101",
				1)}), []string{"design"}, "newer than that of KiCad 9"},
		{"another format", `{"design": "(module x)"}`, []string{"design"}, "begins with (pcb"},
		{"format", designBody(t, map[string]any{"design": twoPads, "format": "dsn"}),
			[]string{"design"}, "begins with (pcb"},
		{"session without its fixed tracks", `{"design": "(pcb x)", "keep": "none"}`,
			[]string{"keep"}, "use locked or all"},
		{"project of a session", `{"design": "(pcb x)", "project": "{}"}`, []string{"project"},
			"is for kicad_pcb"},
		{"project", designBody(t, map[string]any{"design": twoPads, "project": "{"}),
			[]string{"project"}, "unexpected end"},
		{"time", designBody(t, map[string]any{"design": twoPads, "time_limit_s": 0}),
			[]string{"time_limit_s"}, "1"},
		{"not nested", designBody(t, map[string]any{"design": strings.Repeat("(", 1000)}),
			[]string{"design"}, "nested"},
	})
}
