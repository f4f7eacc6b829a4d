package route

import (
	"context"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/pour"
)

func (rt *router) openCount() int {
	total := 0
	for _, i := range rt.order {
		total += len(rt.nets[i].copper.open)
	}
	return total
}

// completion returns the completed connections divided by all connections, 0 to 1.
func (rt *router) completion() float64 {
	return 1 - float64(rt.openCount())/float64(rt.connections)
}

// Effort selects the iteration limits.
type Effort uint8

// Effort levels of a request; Normal is the zero value.
const (
	Normal Effort = iota
	Fast
	High
)

// Progress is a callback that the routing goroutine calls with the phase and two fractions from 0
// to 1. The fraction done is the progress of the run. The fraction completion is the share of nets
// without conflicts during negotiation, and the share of completed connections afterwards.
type Progress func(phase string, done, completion float64)

// Options configure a run. The zero value selects the normal effort without a deadline.
type Options struct {
	Effort  Effort
	Attempt int // an odd attempt reverses the net order
	// AbandonBudget returns the number of expanded search nodes (Result.NodesExpanded) below which
	// the run may be abandoned in favour of another attempt. If it is nil, the run is never
	// abandoned.
	AbandonBudget func() int
	// Provisional abandons the run if a connection has no path even through other nets. It also
	// does so if more than a fifth of at least 60 nets are in conflict after six iterations.
	Provisional bool
	// AbandonConflicts abandons a run of at least 60 nets if more than 40 % of them are in conflict
	// after three iterations. A run with Congested then follows.
	AbandonConflicts bool
	// time at which the run ends with its best board; the zero time sets no limit
	Deadline time.Time
	Now      func() time.Time // clock for the deadline; nil selects time.Now
	Meter    *budget.Meter    // counts the work done; nil disables counting
	// MaxNodes limits the nodes of the grid over all layers; 0 applies only the limit per layer.
	MaxNodes int
	Progress Progress
	// Reserved holds vias that the caller adds after the run. Other nets keep clear of them and of
	// the fill of their net's pour around them.
	Reserved []board.Via
	// Congested reports that the nets need a large share of the track area. The layers then have
	// preferred directions until all connections are made, and pour islands take part in the
	// negotiation.
	Congested bool
	// LongNegotiation gives the negotiation of a congested board 70 % of the time limit. Conflicts
	// cost more, the heuristic includes the preferred directions, and the grid is coarser if that
	// fits the track spacing.
	LongNegotiation bool
}

// ViaCost is the length of track that equals a via when boards are compared [nm].
const ViaCost = viaCostRefine

// Unrouted is an open connection of the finished board.
type Unrouted struct {
	Net      int
	From, To Pin
	Distance int64 // distance between the pad centres [nm]
	Reason   string
}

// Pin identifies a pad of a part on the board.
type Pin struct{ Part, Pad int }

// Reason returns the reason for an open connection between two pads of a net, given as REF.PAD. The
// rule check may pair other pads of the same pieces of copper than the router. Without the same
// pair, the reason is that of a connection with one of the pads, or else the first of the net.
func (r *Result) Reason(b *board.Board, net int, from, to string) string {
	name := func(p Pin) string {
		part := &b.Parts[p.Part]
		return part.Ref + "." + part.Pads[p.Pad].Number
	}
	reason, best := "", 0
	for _, u := range r.Unrouted {
		if u.Net != net {
			continue
		}
		fit := 1
		for _, p := range []string{name(u.From), name(u.To)} {
			if p == from || p == to {
				fit++
			}
		}
		if fit > best {
			reason, best = u.Reason, fit
		}
	}
	return reason
}

// Result describes a run; the copper itself is stored in the board.
type Result struct {
	Unrouted      []Unrouted
	Connections   int   // requested connections
	Passes        int   // negotiation iterations and rip-up turns
	NodesExpanded int   // expanded search nodes, a machine-independent measure of time
	TimeLimited   bool  // true if a phase reached its deadline
	Abandoned     bool  // true if the board has no tracks from this run
	Opens         int   // open connections or conflicting nets of an abandoned run
	Conflicts     bool  // whether nets in conflict were the reason to abandon the run
	Length        int64 // total track length [nm]
	GridBytes     int   // memory of the grid and its occupancy maps [bytes]
	// Pours holds a session for each pour in the order of board.Rules.Pours, nil for a pour that
	// was not filled. It can fill the pours again after changes of tracks and vias.
	Pours []*pour.Session
}

// abandonReason is the reason why a run ends without tracks.
type abandonReason uint8

const (
	notAbandoned    abandonReason = iota
	openConnections               // connections are or will remain open
	netConflicts                  // too many nets are in conflict
)

// leastCosts holds lower bounds of the step costs, for the A* heuristic.
type leastCosts struct {
	straight [2]int32 // cost of a horizontal and of a vertical step on the cheapest layer
	diagonal int32    // cost of a diagonal step on the cheapest layer
	// excess is the amount by which a horizontal and a vertical step on a layer cost more than on
	// the cheapest layer. It is 0 except in a long negotiation with preferred directions.
	excess [][2]int32
}

type router struct {
	ctx            context.Context
	board          *board.Board
	opt            Options
	stopped        bool
	contextEnded   bool
	timeLimited    bool
	comparedPads   int // number of pads compared by closestPad
	start          time.Time
	phaseDeadline  time.Time // end of the current phase; the zero time sets no limit
	pours          []poured
	index          *spatialIndex
	stubs          []copperItem // stubs of all nets that findAccess has chosen so far
	grid           grid
	nets           []netState
	order          []int
	numbers        layerNumbers
	layers         board.LayerSet // layers of the board
	stepCosts      [][8]int32     // costs of a step, by layer and direction
	leastCosts     leastCosts
	reducingVias   bool // whether all searches use refineViaCost
	frozen         int  // index of the net that rip-up excludes; NoNet excludes none
	nodesExpanded  int  // expanded by all searches
	nodesMetered   int  // portion of nodesExpanded already reported to the meter
	abandonedOpens int  // open connections or conflicting nets of an abandoned run
	abandonReason  abandonReason

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
	// requestIslands adds connections between pour islands to the negotiation, at a present cost [%
	// of the step cost]; nil without congestion
	requestIslands func(presFac int64)
	progressDone   float64
	// number of terminals minus one, summed over the nets; at least 1
	connections int
}

// beginPhase sets the deadline of a phase to the given fraction (0 to 1) of the total time. A phase
// may use the time left by earlier phases. The phase limits ensure that every board is legalized,
// poured and smoothed.
func (rt *router) beginPhase(share float64) {
	rt.stopped = false
	if !rt.opt.Deadline.IsZero() {
		rt.phaseDeadline = rt.start.Add(
			time.Duration(share * float64(rt.opt.Deadline.Sub(rt.start))))
	}
}

// mayAbandon reports whether the number of expanded nodes is within the abandon budget.
func (rt *router) mayAbandon() bool {
	return rt.opt.AbandonBudget != nil && rt.nodesExpanded < rt.opt.AbandonBudget()
}

// ended reports whether the context has ended. Loops that must not stop at the deadline of a phase
// call it instead of cancelled.
func (rt *router) ended() bool {
	if !rt.contextEnded && rt.ctx.Err() != nil {
		rt.contextEnded, rt.stopped = true, true
	}
	return rt.contextEnded
}

// cancelled reports whether the context has ended or the phase has reached its deadline. It also
// reports the newly expanded nodes to the meter. It is called about every 0.1 ms.
func (rt *router) cancelled() bool {
	rt.opt.Meter.Add(budget.SearchNode, rt.nodesExpanded-rt.nodesMetered)
	rt.nodesMetered = rt.nodesExpanded
	if rt.stopped || rt.ended() { // a new phase resets stopped only
		return true
	}
	if !rt.phaseDeadline.IsZero() && !rt.opt.Now().Before(rt.phaseDeadline) {
		rt.stopped, rt.timeLimited = true, true
	}
	return rt.stopped
}

// report passes the current phase, the progress of the whole run (never decreasing) and the
// fraction of completed connections to the callback. done is the progress within the phase.
func (rt *router) report(done, completion float64) {
	rt.progressDone = max(rt.progressDone, rt.phaseStart+(rt.phaseEnd-rt.phaseStart)*done)
	if rt.opt.Progress != nil {
		rt.opt.Progress(rt.phase, rt.progressDone, completion)
	}
}
