// Package budget measures the work of the board maker in operations that every machine counts
// alike, so that a time limit stops the same request at the same place on a fast, a slow and a
// loaded machine.
package budget

import "time"

// Operation is a kind of work that a phase spends its time on.
type Operation uint8

// The operations that nearly all of the time goes into.
const (
	SearchNode     Operation = iota // node that a path search takes from its queue
	FloodNode                       // node that the test for shut-in pads looks around
	GridNode                        // node of an occupancy layer that is marked or freed
	PourSample                      // sample of the lattice of a pour
	ClearanceCheck                  // pair of copper items that is measured
	PlacementMove                   // move of the annealing
	PlacementTrial                  // place that the construction looks at for a part
	CopperItem                      // pad, track or via of a board that is checked and drawn
	operations
)

// nanoseconds is what an operation takes on a typical core, with what goes along with it: one that
// routes at four million search nodes per second, all phases of the router together. The
// proportions are a least-squares fit to the processor time of the boards of BenchmarkBoards, which
// they give to within a third; FloodNode and ClearanceCheck, too few there for a fit, are
// estimates.
var nanoseconds = [operations]int64{
	SearchNode: 105, FloodNode: 150, GridNode: 32, PourSample: 42, ClearanceCheck: 100,
	PlacementMove: 630, PlacementTrial: 40, CopperItem: 25_000,
}

// Cost is the time of a number of operations on a typical core.
func Cost(op Operation, n int) time.Duration { return time.Duration(nanoseconds[op] * int64(n)) }

// Meter adds up work. The nil Meter counts nothing. It is for one goroutine.
type Meter struct{ spent time.Duration }

// Add counts operations of a kind.
func (m *Meter) Add(op Operation, n int) {
	if m != nil {
		m.spent += Cost(op, n)
	}
}

// Spent is the time that the work so far takes on a typical core.
func (m *Meter) Spent() time.Duration {
	if m == nil {
		return 0
	}
	return m.spent
}
