package route

import (
	"context"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
)

func (rt *router) openCount() int {
	total := 0
	for _, i := range rt.order {
		total += len(rt.nets[i].copper.open)
	}
	return total
}

// completion returns the share of the connections that are made.
func (rt *router) completion() float64 {
	return 1 - float64(rt.openCount())/float64(rt.connections)
}

// Effort selects the iteration limits.
type Effort uint8

// The efforts of a request. Normal is the zero value.
const (
	Normal Effort = iota
	Fast
	High
)

// Progress is called from the routing goroutine with the phase, the share of the work done and the
// share of the connections without conflict, both 0 to 1.
type Progress func(phase string, done, completion float64)

// Options configure a run. The zero value is the normal effort without a deadline.
type Options struct {
	Effort  Effort
	Attempt int // odd attempts route the nets in the opposite order
	// AbandonBudget returns the search nodes (Result.NodesExpanded) within which the run may be
	// abandoned, because another attempt follows; nil never abandons.
	AbandonBudget func() int
	Deadline      time.Time        // stops with the best board so far; zero for none
	Now           func() time.Time // clock of the deadline; nil for time.Now
	Meter         *budget.Meter    // counts the work; nil for none
	// of the grid, all layers together; 0 for no limit but that per layer
	MaxNodes int
	Progress Progress
}

// Unrouted is a connection that was not made.
type Unrouted struct {
	Net      int
	From, To Pin
	Distance int64 // nm between the pads' centres
	Reason   string
}

// Pin is a pad of a part on the board.
type Pin struct{ Part, Pad int }

// Result describes a run. The copper itself is in the board.
type Result struct {
	Unrouted      []Unrouted
	Connections   int   // requested
	Passes        int   // negotiation iterations and rip-up turns
	NodesExpanded int   // search nodes: a measure of time that is equal on every machine
	TimeLimited   bool  // a phase ended at its deadline
	Abandoned     bool  // the board has no tracks of this run
	Opens         int   // open connections, or conflicting nets, of an abandoned run
	Length        int64 // of all tracks [nm]
}

type router struct {
	ctx            context.Context
	board          *board.Board
	opt            Options
	stopped        bool
	contextEnded   bool
	timeLimited    bool
	start          time.Time
	phaseDeadline  time.Time // end of the present phase; zero for none
	pours          []poured
	index          *spatialIndex
	stubs          []copperItem // access tracks chosen so far, of all nets
	grid           grid
	nets           []netState
	order          []int
	numbers        layerNumbers
	layers         board.LayerSet // of the board
	stepCosts      [][2]int32     // of a straight and a diagonal step, by layer
	frozen         int            // net that rip-up leaves unchanged, NoNet for none
	nodesExpanded  int            // by all searches
	nodesMetered   int            // part of them that the meter has counted
	abandonedOpens int            // opens when the run was abandoned; 0 when it was not

	holeToHole, holeClearance float64

	historyCost []uint16
	searchNodes []searchNode
	neckNodes   []uint32
	marks       []uint32
	queue       queue
	spans       spanSet
	floods      [2][]int32

	searchID, neckStamp, epoch uint32
	passes                     int
	phase                      string
	phaseStart, phaseEnd       float64
	progressDone               float64
	connections                int // requested: pad groups less one, over all nets; at least 1
}

// beginPhase sets the deadline of a phase at a share of the whole time. A phase may use the time
// left by earlier phases. The shares ensure that every board is legalized, poured and smoothed.
func (rt *router) beginPhase(share float64) {
	rt.stopped = false
	if !rt.opt.Deadline.IsZero() {
		rt.phaseDeadline = rt.start.Add(
			time.Duration(share * float64(rt.opt.Deadline.Sub(rt.start))))
	}
}

// mayAbandon reports whether the run may still be abandoned.
func (rt *router) mayAbandon() bool {
	return rt.opt.AbandonBudget != nil && rt.nodesExpanded < rt.opt.AbandonBudget()
}

// ended reports whether the context has ended. Loops without an end by the phase's deadline call
// it.
func (rt *router) ended() bool {
	if !rt.contextEnded && rt.ctx.Err() != nil {
		rt.contextEnded, rt.stopped = true, true
	}
	return rt.contextEnded
}

// cancelled reports whether the context or the phase has ended. It is called about every 0.1 ms.
func (rt *router) cancelled() bool {
	rt.opt.Meter.Add(budget.SearchNode, rt.nodesExpanded-rt.nodesMetered)
	rt.nodesMetered = rt.nodesExpanded
	if rt.stopped {
		return true
	}
	if !rt.ended() && !rt.phaseDeadline.IsZero() && !rt.opt.Now().Before(rt.phaseDeadline) {
		rt.stopped, rt.timeLimited = true, true
	}
	return rt.stopped
}

// report passes on the share done of the present phase, which never decreases, and the share of the
// connections made.
func (rt *router) report(done, completion float64) {
	rt.progressDone = max(rt.progressDone, rt.phaseStart+(rt.phaseEnd-rt.phaseStart)*done)
	if rt.opt.Progress != nil {
		rt.opt.Progress(rt.phase, rt.progressDone, completion)
	}
}
