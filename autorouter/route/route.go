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

// Effort is an iteration budget.
type Effort uint8

// The efforts of the contract.
const (
	Normal Effort = iota
	Fast
	High
)

// Progress is called from the routing goroutine: the phase, how much of the work is done, and
// how many of the connections stand without conflict, both 0 to 1.
type Progress func(phase string, done, completion float64)

// Options of a run. The zero value is the normal effort without a time guard.
type Options struct {
	Effort   Effort
	Attempt  int              // another attempt at the same board takes the nets in another order
	GiveUp   func() int       // work (Result.Work) within which to stop when the nets hardly agree or joins stay open, for another attempt will be made; nil for none
	Deadline time.Time        // when to stop with the best board so far; zero for never
	Now      func() time.Time // what the deadline is held against; nil for time.Now
	Meter    *budget.Meter    // adds up the work; nil for none
	Progress Progress
}

// Unrouted is a join that could not be made.
type Unrouted struct {
	Net      int
	From, To Pin
	Distance int64 // nm between the pads' centres
	Reason   string
}

// Pin is a pad of a part on the board.
type Pin struct{ Part, Pad int }

// Result tells how it went. The copper itself is in the board.
type Result struct {
	Unrouted    []Unrouted
	Joins       int // asked for
	Passes      int
	Work        int // nodes that searches looked at: a measure of time that every machine agrees on
	TimeLimited bool
	GivenUp     bool  // the board has no tracks of this run
	Short       int   // joins that were missing, or nets in conflict, when it was given up
	Length      int64 // nm of track
}

// ErrNoBoard is returned for a board without an outline.
var ErrNoBoard = errors.New("route: the board has no outline")

type router struct {
	ctx       context.Context
	board     *board.Board
	opt       Options
	stopped   bool
	late      bool
	begun     time.Time
	until     time.Time // when the present phase has to end; zero for never
	ground    *pour.Session
	pour      pour.Result // the last
	index     *index
	stubs     []item // chosen so far, of all nets
	grid      grid
	nets      []netState
	order     []int
	poured    uint8
	bottomTax int32
	frozen    int // net that bargaining leaves as it is, NoNet for none
	work      int // nodes that searches have looked at
	metered   int // of them, those that the meter knows
	hopeless  int // how much was missing when the run was given up

	holeToHole, holeClear float64

	history []uint16
	cells   []cell
	neck    []uint32
	mark    []uint32
	queue   queue
	rows    rows
	floods  [2][]int32

	visit, neckMark, epoch uint32
	passes                 int
	phase                  string
	phaseFrom, phaseBy     float64
	toldDone               float64
	joins                  int // wanted: groups of pads less one, over all nets; at least 1
}

// Route replaces the tracks, vias and zones of a placed board. It returns the context's error when it
// was cancelled, and then leaves the board's copper as it was and tells of its work alone.
func Route(ctx context.Context, b *board.Board, opt Options) (Result, error) {
	if len(b.Outline) < 3 {
		return Result{}, ErrNoBoard
	}
	rt := &router{ctx: ctx, board: b, opt: opt, frozen: board.NoNet}
	if rt.opt.Now == nil {
		rt.opt.Now = time.Now
	}
	rt.begun = rt.opt.Now()
	rt.holeToHole, rt.holeClear = float64(b.Rules.HoleToHole), float64(b.Rules.HoleClearance)
	tracks, vias, zonesBefore := b.Tracks, b.Vias, b.Zones
	if err := rt.setup(); err != nil {
		return Result{}, err
	}
	for _, phase := range []struct {
		name string
		by   float64 // share of the work, and of the time after which it has to end
		run  func()
	}{
		{"route", 0.55, rt.negotiate},
		{"retry", 0.75, rt.settle},
		{"polish", 0.85, rt.polish},
		{"pour", 0.92, func() { rt.bondGround(true) }},
		{"finish", 1, func() { rt.finishWhole(); rt.trim() }},
	} {
		rt.limit(phase.by)
		rt.phase, rt.phaseFrom, rt.phaseBy = phase.name, rt.phaseBy, phase.by
		rt.report(0, rt.completion())
		phase.run()
		if err := ctx.Err(); err != nil {
			b.Tracks, b.Vias, b.Zones = tracks, vias, zonesBefore
			return Result{Work: rt.work}, err
		}
		if !rt.late && rt.early() && (phase.name == "retry" && rt.missing() > 0 || phase.name == "pour" && rt.missing() > afterPour) {
			rt.hopeless = rt.missing()
		}
		if rt.hopeless > 0 {
			return Result{Joins: rt.joins, Passes: rt.passes, Work: rt.work, GivenUp: true, Short: rt.hopeless}, nil
		}
	}
	zones, err := rt.pour.Zones(ctx, b)
	if err != nil {
		b.Tracks, b.Vias, b.Zones = tracks, vias, zonesBefore
		return Result{Work: rt.work}, err
	}
	b.Zones = zones
	return rt.result(), nil
}

// afterPour is how many joins of the ground may be missing after the pour for the finish to make them.
const afterPour = 2

// limit gives a phase its time: all of them may use what is left up to a share of the whole, so
// that a board whose bargaining takes too long is still made lawful, poured and straightened.
func (rt *router) limit(share float64) {
	rt.stopped = false
	if !rt.opt.Deadline.IsZero() {
		rt.until = rt.begun.Add(time.Duration(share * float64(rt.opt.Deadline.Sub(rt.begun))))
	}
}

// early reports whether the run may still be given up.
func (rt *router) early() bool { return rt.opt.GiveUp != nil && rt.work < rt.opt.GiveUp() }

// cancelled looks at the context and the clock. It is called about every tenth of a millisecond.
func (rt *router) cancelled() bool {
	rt.opt.Meter.Add(budget.SearchNode, rt.work-rt.metered)
	rt.metered = rt.work
	if rt.stopped {
		return true
	}
	if rt.ctx.Err() != nil {
		rt.stopped = true
	} else if !rt.until.IsZero() && !rt.opt.Now().Before(rt.until) {
		rt.stopped, rt.late = true, true
	}
	return rt.stopped
}

// report tells how much of the present phase is done, which never goes back, and how many of the
// joins stand.
func (rt *router) report(done, completion float64) {
	rt.toldDone = max(rt.toldDone, rt.phaseFrom+(rt.phaseBy-rt.phaseFrom)*done)
	if rt.opt.Progress != nil {
		rt.opt.Progress(rt.phase, rt.toldDone, completion)
	}
}

// pickStep chooses the pitch of the grid [nm]: at most 0.1 mm, such that two tracks of the
// narrowest class fit side by side with little waste, and coarser on boards so large that the
// grid would not fit in memory.
func (rt *router) pickStep(area board.Rect) int64 {
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

// window is the part of a board that the grid covers: where the pads are and room to go round
// them. A large board with its parts in one corner has a fine grid there and none elsewhere.
func (rt *router) window(area board.Rect) board.Rect {
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
	rt.index = newIndex(area, reach)
	rt.prepareNets()
	rt.standing()
	if rt.board.Rules.GroundNet != board.NoNet {
		rt.poured = layerMask(b.Rules.PourLayers)
	}
	if rt.poured&onBot != 0 {
		rt.bottomTax = 15
	}
	area = rt.window(area)
	step := rt.pickStep(area)
	g := &rt.grid
	g.step = step
	g.min = board.Point{X: floorTo(area.Min.X, step), Y: floorTo(area.Min.Y, step)}
	g.w, g.h = int((area.Max.X-g.min.X)/step)+1, int((area.Max.Y-g.min.Y)/step)+1
	g.size = g.w * g.h
	rt.preparePlanes()
	n := 2 * g.size
	rt.history = make([]uint16, n)
	rt.cells = make([]cell, n)
	rt.neck, rt.mark = make([]uint32, n), make([]uint32, n)
	for i := range rt.nets {
		if len(rt.nets[i].terms) >= 2 || rt.nets[i].ground {
			groupTerminals(&rt.nets[i])
			rt.findAccess(&rt.nets[i])
			rt.order = append(rt.order, i)
			rt.joins += len(rt.nets[i].terms) - 1
		}
	}
	rt.joins = max(1, rt.joins)
	rt.sortOrder()
	return rt.ctx.Err()
}

func floorTo(v, step int64) int64 {
	if v < 0 {
		return -((-v + step - 1) / step) * step
	}
	return v / step * step
}

// result writes the copper to the board and lists what is missing in it.
func (rt *router) result() Result {
	rt.writeCopper()
	res := Result{Joins: rt.joins, Passes: rt.passes, Work: rt.work, TimeLimited: rt.late}
	for _, t := range rt.board.Tracks {
		res.Length += int64(math.Round(board.Distance(t.A, t.B)))
	}
	for i := range rt.nets {
		n := &rt.nets[i]
		for _, m := range rt.open(n) {
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
		copper := n.copper.distinct()
		for _, s := range copper.segs {
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
	u := Unrouted{Net: n.index, To: Pin{to.part, to.pad}, Reason: "no way left between the other tracks"}
	if len(to.access) == 0 {
		u.Reason = "no track can leave the pad without breaking a clearance"
	} else if rt.late {
		u.Reason = "the time was up"
	}
	from := &n.terms[m[0]]
	u.From = Pin{from.part, from.pad}
	u.Distance = int64(math.Round(board.Distance(from.at, to.at)))
	return u
}
