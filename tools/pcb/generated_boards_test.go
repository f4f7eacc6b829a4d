package pcb

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestProcessorsDoNotMatter verifies that the same request returns the same bytes on one processor
// and on four. It uses a board that is completed and a congested board with too short a time limit.
func TestProcessorsDoNotMatter(t *testing.T) {
	for _, c := range []struct {
		name     string
		body     []byte
		complete bool
	}{
		{"20 parts", generated(t, 20, 4, nil), true},
		{"congested", scattered(t, 60, 4, 0.7, map[string]any{"time_limit_s": 3}), false},
	} {
		t.Run(c.name, func(t *testing.T) { processorsDoNotMatter(t, c.body, c.complete) })
	}
}

func processorsDoNotMatter(t *testing.T, body []byte, complete bool) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := layout(t, body)
	runtime.GOMAXPROCS(4)
	four := layout(t, body)
	if complete && (one.Statistics.TimeLimited || four.Statistics.TimeLimited) {
		t.Skip("SKIPPED: the machine is so busy that a layout of 20 parts took a minute")
	}
	if !bytes.Equal(copper(t, one), copper(t, four)) {
		t.Error("two boards")
	}
	if complete && (one.Status != "complete" || !one.DRC.Passed) {
		t.Errorf("%s, %v, %v", one.Status, one.Unrouted, one.DRC.Violations)
	}
}

// TestSizes verifies that a board of the maximum size with many parts is laid out within bounded
// memory. For an outline that the parts fill to 70 %, it verifies that the board has no violations
// and reports everything that is missing.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name     string
		parts    int
		with     map[string]any
		complete bool
	}{
		{"400 by 400 mm", 150, map[string]any{"width_mm": 400, "height_mm": 400, "effort": "fast",
			"seed": 2}, true},
		{"70 % full", 30, map[string]any{"width_mm": 30, "height_mm": 23, "effort": "fast"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			debug.FreeOSMemory()
			resetPeak()
			o := layout(t, generated(t, c.parts, 1, c.with))
			s := o.Statistics
			t.Logf("%.0f %% used, %.1f %% done, %d errors, %d vias, %.3f over the tree, %.0f ms, peak %.0f MB", s.Utilization, s.Completion, o.DRC.ErrorCount, s.ViaCount, s.Ratio, s.RuntimeMS, peakMB())
			if mb := peakMB(); mb > 300 { // the limit includes the test program
				t.Errorf("%.0f MB", mb)
			}
			unrouted := 0
			for _, v := range o.DRC.Violations {
				if v.Rule == "unrouted" {
					unrouted++
				} else if v.Severity == "error" {
					t.Errorf("%s", v.Message)
				}
			}
			if unrouted != len(o.Unrouted) || s.Connections-s.Routed != len(o.Unrouted) {
				t.Errorf(
					"%d joins reported as open, %d by the rule check, %d of %d counted as routed", len(o.Unrouted), unrouted, s.Routed, s.Connections)
			}
			if c.complete && o.Status != "complete" && !s.TimeLimited {
				t.Errorf("%s: %v", o.Status, o.Unrouted)
			}
		})
	}
}
