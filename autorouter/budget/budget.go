// Package budget measures the work of the board maker in machine-independent operations, so a time
// limit stops a request at the same point on every machine.
package budget

import "time"

// Operation is a kind of work.
type Operation uint8

// The operations that take nearly all of the time.
const (
	SearchNode     Operation = iota // node that a path search takes from its queue
	FloodNode                       // node that the test for enclosed pads floods
	GridNode                        // node of an occupancy map that is marked or freed
	PourSample                      // sample of the lattice of a pour
	ClearanceCheck                  // pair of copper items that is measured
	PlacementMove                   // move of the annealing
	PlacementTrial                  // position that the construction tests for a part
	CopperItem                      // pad, track or via of a board that is checked and drawn
	operations
)

// nanoseconds is the time of an operation on a typical core, with the work around it. A typical
// core expands four million search nodes per second, all phases of the router together. The
// proportions are a least-squares fit to the processor time of the boards of BenchmarkBoards,
// within a third. FloodNode and ClearanceCheck, too few there for a fit, are estimates.
var nanoseconds = [operations]int64{
	SearchNode: 105, FloodNode: 150, GridNode: 32, PourSample: 42, ClearanceCheck: 100,
	PlacementMove: 630, PlacementTrial: 40, CopperItem: 25_000,
}

// Cost returns the time of a number of operations on a typical core.
func Cost(op Operation, n int) time.Duration { return time.Duration(nanoseconds[op] * int64(n)) }

// Meter sums up work. The nil Meter is valid and counts no work. It is not safe for concurrent use.
type Meter struct{ spent time.Duration }

// Add counts operations of a kind.
func (m *Meter) Add(op Operation, n int) {
	if m != nil {
		m.spent += Cost(op, n)
	}
}

// Spent returns the time of the work so far on a typical core.
func (m *Meter) Spent() time.Duration {
	if m == nil {
		return 0
	}
	return m.spent
}
