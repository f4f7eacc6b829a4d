package batch

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"slipstick/internal/cputime"
	"slipstick/tools/catalog"
)

// BenchmarkOverhead reports the CPU time that a run in a batch takes in addition to the time of a
// single call with the same input. It measures a synchronous tool and a simulation with 10,000
// points.
func BenchmarkOverhead(b *testing.B) {
	netlist, err := json.Marshal(
		"rectifier\nV1 in 0 SIN(0 10 1k)\nD1 in out 1n4148\nC1 out 0 1u\nR1 out 0 1k\n" +
			".tran 2u 20m 0 2u\n.measure tran top max v(out)\n.end")
	if err != nil {
		b.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name, body string
		group      int // number of runs per clock reading
	}{
		{"fspl", `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 1000, "points": 1000}]}`, 1000},
		{"simulation",
			fmt.Sprintf(
				`{"tool": "spice_simulate", "mode": "random", "n": 1000, "input": {"netlist": %s},
			"vary": [{"field": "element:R1", "tolerance_pct": 1}], "collect": [{"name": "top", "measure": "top"}]}`, netlist), 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, err := Parse([]byte(c.body))
			if err != nil {
				b.Fatal(err)
			}
			p, err := NewPlan(all, r)
			if err != nil {
				b.Fatal(err)
			}
			var single, batched []time.Duration
			for n := 0; b.Loop(); n += c.group {
				begun := cputime.Process()
				for i := range c.group {
					if _, err := p.Tool.Run(b.Context(), p.Input((n+i)%1000)); err != nil {
						b.Fatal(err)
					}
				}
				between := cputime.Process()
				var runs []Run
				for i := range c.group {
					run, err := p.Compute(b.Context(), (n+i)%1000)
					if err != nil || run.Err != "" {
						b.Fatal(run, err)
					}
					runs = append(runs, run)
				}
				if _, _, err := EncodeRuns(runs); err != nil {
					b.Fatal(err)
				}
				single = append(single, between-begun)
				batched = append(batched, cputime.Process()-between)
			}
			slices.Sort(single)
			slices.Sort(batched)
			one, other := single[len(single)/2], batched[len(batched)/2]
			b.ReportMetric(float64((other-one).Nanoseconds())/1e3/float64(c.group), "added-µs")
			b.ReportMetric(100*(float64(other)/float64(one)-1), "added-%")
			b.ReportMetric(float64(one.Nanoseconds())/1e3/float64(c.group), "single-µs")
		})
	}
}
