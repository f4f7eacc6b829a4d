package catalog

import (
	"context"
	"testing"
)

// solvers are the tools that solve a field problem, simulate or optimize, with a description of the
// work. All other tools evaluate closed forms, so TestAllocations bounds their allocations.
var solvers = map[string]string{
	"spice_simulate":    "simulates a circuit",
	"pcb_layout":        "places and routes a board",
	"thermal_enclosure": "solves two temperature nodes for a curve of powers",
	"heatsink_cfd":      "solves a temperature field",
	"pcb_thermal":       "solves a temperature field",
}

// rows are tools whose examples return hundreds of rows, each of which needs allocations.
var rows = map[string]bool{"loan_amortization": true}

// TestAllocations verifies that an example of a closed-form tool needs at most 100 allocations,
// including validation and encoding. The count is the same on every machine.
func TestAllocations(t *testing.T) {
	const limit = 100
	for _, e := range mustCatalog(t).All() {
		if solvers[e.Name] != "" || rows[e.Name] {
			continue
		}
		for _, x := range e.Examples {
			in := []byte(x.In)
			n := testing.AllocsPerRun(20, func() {
				if _, err := e.Run(context.Background(), in); err != nil {
					t.Fatal(err)
				}
			})
			if n > limit {
				t.Errorf("%s, %s: %.0f allocations, at most %d are wanted", e.Name,
					x.Title, n, limit)
			}
		}
	}
}

// BenchmarkExamples runs every worked example of every tool.
func BenchmarkExamples(b *testing.B) {
	for _, e := range mustCatalog(b).All() {
		for _, x := range e.Examples {
			b.Run(e.Name+"/"+x.Title, func(b *testing.B) {
				in := []byte(x.In)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Run(context.Background(), in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
