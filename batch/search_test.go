package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// evaluateWith returns an Evaluate that applies a function to the values of each point.
func evaluateWith(f func(x []float64) float64) Evaluate {
	return func(_ context.Context, points [][]Value) ([]Run, error) {
		runs := make([]Run, len(points))
		for i, p := range points {
			x := make([]float64, len(p))
			for e := range p {
				x[e] = scalar(json.RawMessage(p[e]))
			}
			runs[i] = Run{Values: p, Collected: []float64{f(x)}}
		}
		return runs, nil
	}
}

// searchPlan returns the plan of a search over one or two fields (entries), each in the range from
// low to high.
func searchPlan(t *testing.T, mode string, low, high float64, entries, n int, extra string) *Plan {
	t.Helper()
	vary := []string{}
	for _, f := range []string{"/freq_mhz", "/dist_km"}[:entries] {
		vary = append(vary, fmt.Sprintf(`{"field": %q, "from": %g, "to": %g}`, f, low, high))
	}
	request := fmt.Sprintf(`{"tool": "fspl", "mode": %q, "vary": [%s], "collect": ["fspl_db"]%s`,
		mode, strings.Join(vary, ","), extra)
	if mode == Solve {
		request += `, "target": {"name": "fspl_db", "value": 0}`
	} else {
		request += `, "objective": "fspl_db"`
	}
	if n > 0 {
		request += fmt.Sprintf(`, "n": %d`, n)
	}
	request += "}"
	return newPlan(t, request)
}
