package route

import (
	"context"
	"errors"
	"math"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/pour"
)

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
	Progress      Progress
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

// ErrNoBoard is returned for a board without an outline.
var ErrNoBoard = errors.New("route: the board has no outline")

type router struct {
	ctx            context.Context
	board          *board.Board
	opt            Options
	stopped        bool
	timeLimited    bool
	start          time.Time
	phaseDeadline  time.Time // end of the present phase; zero for none
	pourSession    *pour.Session
	poured         pour.Result // the last pour
	index          *spatialIndex
	stubs          []copperItem // access tracks chosen so far, of all nets
	grid           grid
	nets           []netState
	order          []int
	pourLayers     uint8
	bottomCost     int32 // extra cost of a step on a poured bottom layer [%]
	frozen         int   // net that rip-up leaves unchanged, NoNet for none
	nodesExpanded  int   // by all searches
	nodesMetered   int   // part of them that the meter has counted
	abandonedOpens int   // opens when the run was abandoned; 0 when it was not

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

// Route replaces the tracks, vias and zones of a placed board. It returns the context's error when
// that was cancelled; the board then keeps its copper, and the Result has NodesExpanded only.
func Route(ctx context.Context, b *board.Board, opt Options) (Result, error) {
	if len(b.Outline) < 3 {
		return Result{}, ErrNoBoard
	}
	rt := &router{ctx: ctx, board: b, opt: opt, frozen: board.NoNet}
	if rt.opt.Now == nil {
		rt.opt.Now = time.Now
	}
	rt.start = rt.opt.Now()
	rt.holeToHole, rt.holeClearance = float64(b.Rules.HoleToHole), float64(b.Rules.HoleClearance)
	tracks, vias, zonesBefore := b.Tracks, b.Vias, b.Zones
	if err := rt.setup(); err != nil {
		return Result{}, err
	}
	for _, phase := range []struct {
		name string
		by   float64 // share of the work, and of the time until its deadline
		run  func()
	}{
		{"route", 0.55, rt.negotiate},
		{"retry", 0.75, rt.legalize},
		{"polish", 0.85, rt.refine},
		{"pour", 0.92, func() { rt.connectPour(true) }},
		{"finish", 1, func() { rt.smoothAndRepour(); rt.removeDangling() }},
	} {
		rt.beginPhase(phase.by)
		rt.phase, rt.phaseStart, rt.phaseEnd = phase.name, rt.phaseEnd, phase.by
		rt.report(0, rt.completion())
		phase.run()
		if err := ctx.Err(); err != nil {
			b.Tracks, b.Vias, b.Zones = tracks, vias, zonesBefore
			return Result{NodesExpanded: rt.nodesExpanded}, err
		}
		if !rt.timeLimited && rt.mayAbandon() && (phase.name == "retry" && rt.openCount() > 0 || phase.name == "pour" && rt.openCount() > maxOpensAfterPour) {
			rt.abandonedOpens = rt.openCount()
		}
		if rt.abandonedOpens > 0 {
			return Result{Connections: rt.connections, Passes: rt.passes, NodesExpanded: rt.nodesExpanded, Abandoned: true, Opens: rt.abandonedOpens}, nil
		}
	}
	zones, err := rt.poured.Zones(ctx, b)
	if err != nil {
		b.Tracks, b.Vias, b.Zones = tracks, vias, zonesBefore
		return Result{NodesExpanded: rt.nodesExpanded}, err
	}
	b.Zones = zones
	return rt.result(), nil
}

// maxOpensAfterPour is the number of open ground connections after the pour that smoothing may
// still close.
const maxOpensAfterPour = 2

// beginPhase sets the deadline of a phase at a share of the whole time. A phase may use the time
// that earlier ones left, so that every board is legalized, poured and smoothed.
func (rt *router) beginPhase(share float64) {
	rt.stopped = false
	if !rt.opt.Deadline.IsZero() {
		rt.phaseDeadline = rt.start.Add(time.Duration(share * float64(rt.opt.Deadline.Sub(rt.start))))
	}
}

// mayAbandon reports whether the run may still be abandoned.
func (rt *router) mayAbandon() bool {
	return rt.opt.AbandonBudget != nil && rt.nodesExpanded < rt.opt.AbandonBudget()
}

// cancelled reports whether the context or the phase has ended. It is called about every 0.1 ms.
func (rt *router) cancelled() bool {
	rt.opt.Meter.Add(budget.SearchNode, rt.nodesExpanded-rt.nodesMetered)
	rt.nodesMetered = rt.nodesExpanded
	if rt.stopped {
		return true
	}
	if rt.ctx.Err() != nil {
		rt.stopped = true
	} else if !rt.phaseDeadline.IsZero() && !rt.opt.Now().Before(rt.phaseDeadline) {
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

// pickPitch returns the pitch of the grid [nm]: at most 0.1 mm, and fine enough for two tracks of
// the narrowest class side by side. Boards of more than two million nodes get a coarser grid.
func (rt *router) pickPitch(area board.Rect) int64 {
	least := int64(math.MaxInt64)
	for _, c := range rt.board.Rules.Classes {
		least = min(least, c.TrackWidth+c.Clearance)
	}
	step := board.MM(0.1)
	for step > board.MM(0.05) && least < 2*step {
		step = board.MM(0.05)
	}
	for float64(area.Width())*float64(area.Height())/float64(step)/float64(step) > 2.0e6 {
		step += board.MM(0.05)
	}
	return step
}

// gridArea is the part of a board that the grid covers: the pads and a margin for detours. A large
// board with its parts in one corner has a fine grid only there.
func (rt *router) gridArea(area board.Rect) board.Rect {
	var pads []board.Point
	for i := range rt.nets {
		for k := range rt.nets[i].terms {
			pads = append(pads, rt.nets[i].terms[k].at)
		}
	}
	if len(pads) == 0 {
		return area
	}
	box := board.Polygon(pads).Bounds()
	box = box.Grown(board.MM(4) + max(box.Width(), box.Height())/16)
	return board.Rect{
		Min: board.Point{X: max(area.Min.X, box.Min.X), Y: max(area.Min.Y, box.Min.Y)},
		Max: board.Point{X: min(area.Max.X, box.Max.X), Y: min(area.Max.Y, box.Max.Y)},
	}
}

func (rt *router) setup() error {
	b := rt.board
	area := b.Outline.Bounds()
	reach := max(b.Rules.EdgeClearance, b.Rules.HoleClearance, b.Rules.HoleToHole, b.Rules.PourClearance)
	for _, c := range b.Rules.Classes {
		reach = max(reach, c.Clearance)
	}
	for _, h := range b.Holes {
		reach = max(reach, h.Keepout)
	}
	rt.index = newSpatialIndex(area, reach)
	rt.prepareNets()
	rt.addFixedItems()
	if rt.board.Rules.GroundNet != board.NoNet {
		rt.pourLayers = layerMask(b.Rules.PourLayers)
	}
	if rt.pourLayers&onBot != 0 {
		rt.bottomCost = 15
	}
	area = rt.gridArea(area)
	step := rt.pickPitch(area)
	g := &rt.grid
	g.pitch = step
	g.min = board.Point{X: floorTo(area.Min.X, step), Y: floorTo(area.Min.Y, step)}
	g.w, g.h = int((area.Max.X-g.min.X)/step)+1, int((area.Max.Y-g.min.Y)/step)+1
	g.size = g.w * g.h
	rt.prepareMaps()
	n := 2 * g.size
	rt.historyCost = make([]uint16, n)
	rt.searchNodes = make([]searchNode, n)
	rt.neckNodes, rt.marks = make([]uint32, n), make([]uint32, n)
	for i := range rt.nets {
		if len(rt.nets[i].terms) >= 2 || rt.nets[i].ground {
			groupTerminals(&rt.nets[i])
			rt.findAccess(&rt.nets[i])
			rt.order = append(rt.order, i)
			rt.connections += len(rt.nets[i].terms) - 1
		}
	}
	rt.connections = max(1, rt.connections)
	rt.sortNets()
	return rt.ctx.Err()
}

func floorTo(v, step int64) int64 {
	if v < 0 {
		return -((-v + step - 1) / step) * step
	}
	return v / step * step
}

// result writes the copper to the board and lists its open connections.
func (rt *router) result() Result {
	rt.writeCopper()
	res := Result{Connections: rt.connections, Passes: rt.passes, NodesExpanded: rt.nodesExpanded, TimeLimited: rt.timeLimited}
	for _, t := range rt.board.Tracks {
		res.Length += int64(math.Round(board.Distance(t.A, t.B)))
	}
	for i := range rt.nets {
		n := &rt.nets[i]
		for _, m := range rt.ratsnest(n) {
			res.Unrouted = append(res.Unrouted, rt.unrouted(n, m))
		}
	}
	return res
}

func (rt *router) writeCopper() {
	b := rt.board
	b.Tracks, b.Vias = nil, nil
	for i := range rt.nets {
		n := &rt.nets[i]
		copper := n.copper.deduplicated()
		for _, s := range copper.segments {
			if s.a != s.b {
				b.Tracks = append(b.Tracks, board.Track{Net: i, Layer: s.layer, A: s.a, B: s.b, Width: s.width})
			}
		}
		for _, v := range copper.vias {
			b.Vias = append(b.Vias, board.Via{Net: i, At: v, Drill: n.viaDrill, Diameter: n.viaDiameter})
		}
	}
}

func (rt *router) unrouted(n *netState, m [2]int) Unrouted {
	to := &n.terms[m[1]]
	u := Unrouted{Net: n.index, To: Pin{to.part, to.pad}, Reason: "no free path: blocked by other nets"}
	if len(to.access) == 0 {
		u.Reason = "no track can leave the pad without breaking a clearance"
	} else if rt.timeLimited {
		u.Reason = "time limit reached"
	}
	from := &n.terms[m[0]]
	u.From = Pin{from.part, from.pad}
	u.Distance = int64(math.Round(board.Distance(from.at, to.at)))
	return u
}
