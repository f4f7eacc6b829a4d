// Package budget measures the work of the autorouter in machine-independent operations. A time
// limit therefore stops a request at the same point on every machine.
package budget

import "time"

// Operation identifies a kind of work to be counted.
type Operation uint8

// Operations that take nearly all of the computing time.
const (
	SearchNode     Operation = iota // node removed from the queue of a path search
	FloodNode                       // node flooded by the test for enclosed pads
	GridNode                        // node of an occupancy map marked or freed
	PourSample                      // lattice sample of a pour
	ClearanceCheck                  // pair of copper items measured
	PlacementMove                   // annealing move
	PlacementTrial                  // part position tested by the construction
	CopperItem                      // pad, track or via checked and drawn
	operations
)

// nanoseconds holds the time of each operation on a typical core [ns], including the work around
// it. The ratios are a least-squares fit to the processor times of BenchmarkBoards, with errors
// within a third. FloodNode and ClearanceCheck are estimates because they are too rare in that
// benchmark for a fit. In this unit, a limit of 20 s is 20 s of processor time on a virtual core
// with other load, about 15 s without.
var nanoseconds = [operations]int64{
	SearchNode: 75, FloodNode: 105, GridNode: 23, PourSample: 30, ClearanceCheck: 70,
	PlacementMove: 440, PlacementTrial: 28, CopperItem: 17_500,
}

// Cost returns the time of n operations of one kind on a typical core.
func Cost(op Operation, n int) time.Duration { return time.Duration(nanoseconds[op] * int64(n)) }

// Meter accumulates work. A nil Meter is valid and counts nothing. A Meter is not safe for
// concurrent use.
type Meter struct{ spent time.Duration }

// Add counts n operations of one kind.
func (m *Meter) Add(op Operation, n int) {
	if m != nil {
		m.spent += Cost(op, n)
	}
}

// AddSpent adds the work of another meter, given as time on a typical core.
func (m *Meter) AddSpent(d time.Duration) {
	if m != nil {
		m.spent += d
	}
}

// Spent returns the accumulated work as time on a typical core.
func (m *Meter) Spent() time.Duration {
	if m == nil {
		return 0
	}
	return m.spent
}
