package batch

import (
	"strings"
	"testing"
)

// TestReportWithoutNumbers verifies that a report names the objective that no run has, and that it
// has no heading without a line below.
func TestReportWithoutNumbers(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "mode": "minimize", "objective": "fspl_db",
		"vary": [{"field": "/dist_km", "from": 1, "to": 2}], "collect": ["fspl_db"]}`)
	var b strings.Builder
	failed := []Run{p.failedRun([]Value{Value("1")}, "invalid")}
	if err := p.WriteAnalysis(&b, p.Summarize(failed)); err != nil ||
		b.String() != "\nno run has a number for fspl_db\n" {
		t.Errorf("%v: %q", err, b.String())
	}
	b.Reset()
	if err := p.WriteSummary(&b, &Summary{}); err != nil || b.Len() > 0 {
		t.Errorf("without a summary: %v: %q", err, b.String())
	}
	p = newPlan(t, `{"tool": "fspl", "mode": "random", "n": 20, "input": {"freq_mhz": 915},
		"vary": [{"field": "/dist_km", "distribution": "uniform", "min": 1, "max": 2}],
		"collect": [{"name": "a", "pointer": "fspl_db"}]}`)
	runs := make([]Run, 20)
	for i := range runs {
		runs[i] = Run{Values: p.Values(i), Collected: []float64{7}}
	}
	b.Reset()
	if err := p.WriteSummary(&b, p.Summarize(runs)); err != nil ||
		strings.Contains(b.String(), "rank correlation") ||
		strings.Count(b.String(), "median") != 1 {
		t.Errorf("constant results: %v: %q", err, b.String())
	}
}
