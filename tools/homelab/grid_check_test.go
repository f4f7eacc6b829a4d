package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"slipstick/tools"
)

// TestGridCheck verifies upper limits on the reported change between two grids, which are larger
// for smaller sources. It also verifies that a source near the cell size causes a warning. Without
// grid_check, the change must be absent and the maximum temperature the same.
func TestGridCheck(t *testing.T) {
	board := `{` + pcbBoard + `, "grid_check": %v, "components": [{"x_mm": 50, "y_mm": 40, "width_mm": %g, "height_mm": %g, "power_w": 1}]}`
	sink := `{` + naturalSink + `, "grid_check": %v, "source_width_mm": %g, "source_length_mm": %g}`
	for _, c := range []struct {
		tool        *tools.Tool
		body        string
		width, high float64
		most        float64 // [%]
		warns       bool
	}{
		{PCBThermal, board, 100, 80, 1e-3, false},
		{PCBThermal, board, 10, 10, 0.5, false},
		{PCBThermal, board, 1.2, 1.2, 30, true},
		{HeatsinkCFD, sink, 100, 100, 0.2, false},
		{HeatsinkCFD, sink, 20, 20, 1.5, false},
		{HeatsinkCFD, sink, 4, 4, 10, true},
	} {
		run := func(check bool) map[string]any {
			raw, err := c.tool.Run(context.Background(), fmt.Appendf(nil, c.body, check,
				c.width, c.high))
			if err != nil {
				t.Fatal(err)
			}
			var out map[string]any
			if err := json.Unmarshal(raw, &out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		plain, checked := run(false), run(true)
		change, _ := checked["grid_change_pct"].(float64)
		if plain["grid_change_pct"] != nil || math.Abs(change) > c.most ||
			plain["max_temperature_c"] != checked["max_temperature_c"] {
			t.Errorf("%s, %g mm: change %v and %v, %v and %v °C", c.tool.Name, c.width,
				plain["grid_change_pct"], change, plain["max_temperature_c"],
				checked["max_temperature_c"])
		}
		if got := strings.Contains(fmt.Sprint(checked["warnings"]),
			"cells twice as long"); got != c.warns {
			t.Errorf("%s, %g mm: warnings %v", c.tool.Name, c.width, checked["warnings"])
		}
	}
}
