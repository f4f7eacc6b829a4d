package batch

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"slipstick/plot"
)

// filterYield returns the percentage of first-order low-pass filters whose cutoff frequency is
// within 10 % of 1 kHz. R is uniform within 5 % and C within 10 % of the nominal value. It
// integrates by the midpoint rule.
func filterYield() float64 {
	const n = 2000
	inside := 0
	for i := range n {
		for k := range n {
			r := 1 + 0.05*(2*(float64(i)+0.5)/n-1)
			c := 1 + 0.10*(2*(float64(k)+0.5)/n-1)
			if fc := 1 / (2 * math.Pi * 1590 * 100e-9 * r * c); fc >= 900 && fc <= 1100 {
				inside++
			}
		}
	}
	return 100 * float64(inside) / (n * n)
}

// TestStudies compares the results of the requests in docs/batches.md with the values in its text.
func TestStudies(t *testing.T) {
	text, err := os.ReadFile("../docs/batches.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllSubmatch(text, -1)
	check := []func(t *testing.T, p *Plan, runs []Run, s *Summary){
		func(t *testing.T, _ *Plan, _ []Run, s *Summary) {
			want := filterYield()
			if s.Yield.LowPct > want || s.Yield.HighPct < want ||
				math.Abs(s.Yield.Pct-86.75) > 0.01 {
				t.Errorf("yield %+v, want %g %%", s.Yield.Share, want)
			}
		},
		func(t *testing.T, p *Plan, runs []Run, _ *Summary) {
			r := columnOf(t, p, runs, "practical_range_km")
			if len(runs) != 25 || math.Abs(r[5]-7.91) > 0.01 || math.Abs(r[7]-13.36) > 0.01 ||
				math.Abs(r[4]-18.86) > 0.01 {
				t.Errorf("ranges %v", r)
			}
		},
		func(t *testing.T, _ *Plan, runs []Run, s *Summary) {
			x := scalar(json.RawMessage((*s.Roots)[0].Input["/dist_km"]))
			if len(*s.Roots) != 1 || math.Abs(x-427.8) > 0.1 || len(runs) != 41 {
				t.Errorf("%v after %d runs", *s.Roots, len(runs))
			}
		},
		func(t *testing.T, p *Plan, runs []Run, _ *Summary) {
			panels, ah := columnOf(t, p, runs, "panels"), columnOf(t, p, runs, "battery_ah")
			if panels[0] != 8 || panels[5] != 2 || panels[11] != 9 || ah[3] != 125 {
				t.Errorf("panels %v, %v Ah", panels, ah)
			}
		},
		func(t *testing.T, _ *Plan, _ []Run, s *Summary) {
			c, rho := s.Columns["gain"], s.RankCorrelation
			if math.Abs(*c.Min-1.45) > 0.01 || math.Abs(*c.Max-1.93) > 0.01 ||
				*rho["element:R1"]["gain"] > *rho["element:RE"]["gain"] {
				t.Errorf("%g to %g", *c.Min, *c.Max)
			}
		},
		func(t *testing.T, p *Plan, runs []Run, _ *Summary) {
			done := columnOf(t, p, runs, "completion_pct")
			if !math.IsNaN(done[0]) || !strings.Contains(runs[0].Err, "too small for J1") ||
				done[1] != 100 || done[6] != 100 {
				t.Errorf("completion %v, %q", done, runs[0].Err)
			}
		},
	}
	if len(blocks) != len(check) {
		t.Fatalf("%d requests, want %d", len(blocks), len(check))
	}
	for i, b := range blocks {
		p, runs := execute(t, string(b[1]))
		check[i](t, p, runs, p.Summarize(runs))
		if err := plot.Write(io.Discard, p.Figure(runs, ""), plot.SVG); err != nil {
			t.Errorf("study %d: %v", i, err)
		}
	}
}
