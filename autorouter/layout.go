package autorouter

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/export"
	"slipstick/autorouter/place"
	"slipstick/autorouter/route"
)

// Progress is told the phase, how far the whole is (0 to 1) and how many of the connections
// stand (0 to 1).
type Progress func(phase string, done, completion float64)

// Result is a board with what is known about it.
type Result struct {
	Board       *board.Board
	DRC         drc.Report
	Figures     drc.Figures
	Reasons     map[int]string // net to why the router left a join open
	Passes      int
	TimeLimited bool
	PlaceTime   time.Duration
	RouteTime   time.Duration
	Runtime     time.Duration
	Warnings    []string
	Files       []export.File

	legend   *export.Legend
	inland   []int // parts that found no room at their edge
	trial    trial
	unplaced int  // parts without a lawful place
	work     int  // of the router
	open     int  // joins that are missing, and rules that our copper breaks
	again    bool // the attempt was given up
}

// Layout makes the board. The error is Faults when the request is wrong, or the context's when
// it ended; anything the engine could not finish is in the Result.
func Layout(ctx context.Context, q *Request, progress Progress) (*Result, error) {
	return LayoutUntil(ctx, q, nil, progress)
}

// LayoutUntil is Layout that makes no further attempt when enough is closed; nil is never. If a board
// is there it is the result. Else the present attempt goes on to be it, with at most wrapUp for its
// copper.
func LayoutUntil(ctx context.Context, q *Request, enough <-chan struct{}, progress Progress) (*Result, error) {
	begun := time.Now()
	l, err := newLayout(q, progress)
	if err != nil {
		return nil, err
	}
	l.until(enough)
	out, err := l.best(ctx)
	if err != nil {
		return nil, err
	}
	out.Warnings = slices.Clone(l.netlist.Warnings)
	for _, i := range out.inland {
		c := &l.netlist.Components[i]
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s could not be placed at %s", c.Ref, edgeName(c.Edge)))
	}
	if names := out.legend.Nameless; len(names) > 0 {
		out.Warnings = append(out.Warnings, "no space on the silkscreen for the reference of "+strings.Join(names, ", "))
	}
	if out.Figures, err = drc.Statistics(ctx, out.Board); err != nil {
		return nil, err
	}
	l.report("export", exportAt, out.Figures.CompletionPct/100)
	if out.Files, err = export.All(ctx, out.Board, export.Options{Name: q.Name, Formats: append([]string{}, q.Exports...), Legend: out.legend, AttributeComments: q.GerberAttributes == "comments"}); err != nil {
		return nil, err
	}
	out.Runtime = time.Since(begun)
	l.report("done", 1, out.Figures.CompletionPct/100)
	return out, nil
}

func edgeName(e board.Edge) string {
	switch e {
	case board.LeftEdge:
		return "the left edge"
	case board.RightEdge:
		return "the right edge"
	case board.TopEdge:
		return "the top edge"
	case board.BottomEdge:
		return "the bottom edge"
	}
	return "the edges"
}

// wrapUp is the time for the copper of the one attempt that there is. A hundred parts take half of it.
const wrapUp = 5 * time.Second

// until lets the clock run faster from when enough is closed, so that it is at the deadline after
// wrapUp: each phase of the router keeps its share of the time.
func (l *layout) until(enough <-chan struct{}) {
	clock := l.now
	var once sync.Once
	var since time.Time
	speed := 1.0
	l.enough = enough
	l.now = func() time.Time {
		t := clock()
		if !l.isEnough() {
			return t
		}
		once.Do(func() { since, speed = t, max(1, float64(l.deadline.Sub(t))/float64(wrapUp)) })
		return since.Add(time.Duration(speed * float64(t.Sub(since))))
	}
}

// spare is the context of an attempt without which there is a board already: it ends when no further
// one is wanted. The engine asks contexts for their Err and waits for none.
type spare struct {
	context.Context
	layout *layout
}

// Err implements context.Context.
func (s spare) Err() error {
	if s.layout.isEnough() {
		return context.Canceled
	}
	return s.Context.Err()
}

// isEnough says that no further attempt is wanted.
func (l *layout) isEnough() bool {
	select {
	case <-l.enough:
		return true
	default:
		return false
	}
}

// layout is a checked request on its way to a board.
type layout struct {
	request  *Request
	netlist  *board.Netlist
	place    place.Options    // of the first attempt
	meter    *budget.Meter    // work of all attempts
	wall     func() time.Time // the clock of the machine, for the guard alone
	begun    time.Time        // by that clock
	deadline time.Time
	now      func() time.Time // what the deadline is held against: the work as a time
	enough   <-chan struct{}
	progress Progress
	done     float64 // told so far
}

func newLayout(q *Request, progress Progress) (*layout, error) {
	rules, faults := q.rules()
	nl := q.netlistOf(&faults)
	outline := q.outline(&faults)
	ground := groundOf(outline)
	holes, keepouts := q.obstacles(ground, &faults)
	if nl == nil {
		return nil, faults.err()
	}
	rules.GroundNet = q.groundNet(nl, &faults)
	if rules.GroundNet == board.NoNet {
		rules.PourLayers = nil
	}
	wanted := q.wanted(nl, ground, &faults)
	q.roomy(nl, ground.Polygon, holes, keepouts, wanted, &faults)
	if err := faults.err(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, float64, float64) {}
	}
	l := &layout{request: q, netlist: nl, meter: &budget.Meter{}, wall: time.Now, begun: time.Now(), progress: progress, place: place.Options{
		Name: q.Name, Outline: outline, Utilization: q.UtilizationPct / 100, Rules: rules, Placements: wanted, Holes: holes, Keepouts: keepouts,
		AllowBottom: q.AllowBottom, Seed: uint64(q.Seed), Effort: placeEffort(q.Effort),
	}}
	l.deadline, l.now, l.place.Meter = workEpoch.Add(l.limit()), l.workClock, l.meter
	return l, nil
}

// workEpoch is where the clock of the work begins.
var workEpoch = time.Unix(0, 0)

// The guard by the clock of the machine: a layout ends when it has taken this many times the time limit, at
// least leastWall and at most mostWall. It is for machines on which the processor is hardly to be had; the
// answer still has to come before the caller gives up.
const (
	guardFactor = 10
	leastWall   = time.Minute
	mostWall    = 4 * time.Minute
)

// limit is the work that a layout may do, as the time that it takes on a typical core.
func (l *layout) limit() time.Duration {
	return time.Duration(l.request.TimeLimitS * float64(time.Second))
}

// workClock is the time on a typical core of the work done. The clock of the machine counts only
// when the guard has passed: a share of it before would make the result depend on the load.
func (l *layout) workClock() time.Time {
	spent := l.meter.Spent()
	if limit := l.limit(); limit > 0 {
		guard := min(max(guardFactor*limit, leastWall), mostWall)
		if l.wall().Sub(l.begun) >= guard {
			spent = max(spent, limit)
		}
	}
	return workEpoch.Add(spent)
}

// Share of the whole at which the attempts are over and the files are written; and share of an
// attempt after which the parts stand, and the copper.
const (
	exportAt = 0.95
	placedAt = 0.25
	routedAt = 0.95
)

// report tells the progress, which never goes back.
func (l *layout) report(phase string, done, completion float64) {
	l.done = max(l.done, done)
	l.progress(phase, l.done, completion)
}

// trial is which attempt one is: each has its own random numbers, and every other at one size lays
// the nets in the opposite order.
type trial struct {
	number   int
	repeat   int // at the same size
	enlarged int // times
}

// A board whose size is ours to choose is enlarged by this after an attempt with more open joins than
// few: other random numbers rarely make up for a lack of room.
const (
	enlargement = 1.18 // of the area
	few         = 5
)

// next is the trial after one that left a number of faults.
func (t trial) next(faults, repeats int, auto bool) trial {
	t.number++
	if auto && (faults > few || t.repeat+1 >= repeats) {
		t.repeat, t.enlarged = 0, t.enlarged+1
	} else {
		t.repeat++
	}
	return t
}

// An attempt may be given up within this many nodes of the searches of all attempts for each second of the
// time limit. It stands for two fifths of the time on a machine that looks at four million a second, but
// the clock of the machine has no say in it: the same request gives the same board on a slow one.
const givingUp = 1.6e6

// best makes attempts until one board is finished, and gives the one with the fewest faults. The
// next attempt places the parts from other random numbers, on a larger board where that may be. An
// attempt whose router finds no way for all joins is given up while there is work left for others, and made
// again in full when none is better; when there is no time left for that, a whole board with more faults may be.
func (l *layout) best(ctx context.Context) (*Result, error) {
	repeats := map[string]int{"fast": 1, "normal": 3, "high": 6}[l.request.Effort]
	auto, total := len(l.place.Outline) == 0, repeats
	if auto {
		total += 2
	}
	left := 0 // work within which an attempt may be given up
	if total > 1 {
		left = int(l.request.TimeLimitS * givingUp)
	}
	var best, whole *Result // whole is the best that was not given up
	var sum Result
	from, span := 0.0, exportAt*0.6
	faults := 0 // of the last attempt
	try := func(t trial, giveUp int) (bool, error) {
		attemptCtx := ctx
		if best != nil && !best.again {
			attemptCtx = spare{ctx, l}
		}
		r, err := l.attempt(attemptCtx, t, giveUp, func(phase string, done, completion float64) {
			l.report(phase, from+span*done, completion)
		})
		if err != nil && ctx.Err() == nil && l.isEnough() {
			sum.TimeLimited = true
			return true, nil
		}
		if err != nil {
			return false, err
		}
		sum.PlaceTime, sum.RouteTime, sum.Passes = sum.PlaceTime+r.PlaceTime, sum.RouteTime+r.RouteTime, sum.Passes+r.Passes
		faults, left = r.faults(), max(0, left-r.work)
		finished := !r.again && faults == 0
		late := !l.now().Before(l.deadline) || l.isEnough()
		sum.TimeLimited = sum.TimeLimited || r.TimeLimited || late && !finished // the next attempt is not made
		if best == nil || faults < best.faults() || best.again && (best.trial == t || l.isEnough()) {
			best = r
		}
		if !r.again && (whole == nil || faults < whole.faults()) {
			whole = r
		}
		from, span = from+span, (exportAt-from-span)*0.6
		return finished || late, nil
	}
	done := false
	var err error
	for t := (trial{}); t.number < total && !done && err == nil; t = t.next(faults, repeats, auto) {
		done, err = try(t, left)
	}
	if err == nil && best.again {
		_, err = try(best.trial, 0)
	}
	if err != nil {
		return nil, err
	}
	if whole != nil && whole.faults() < best.faults() {
		best = whole
	}
	best.PlaceTime, best.RouteTime, best.Passes, best.TimeLimited = sum.PlaceTime, sum.RouteTime, sum.Passes, sum.TimeLimited
	return best, nil
}

// faults counts what another attempt might do better.
func (r *Result) faults() int { return r.open + r.unplaced }

// attempt places and routes once.
func (l *layout) attempt(ctx context.Context, t trial, giveUp int, progress Progress) (*Result, error) {
	out := &Result{Reasons: map[int]string{}, trial: t}
	options := l.place
	options.Utilization /= math.Pow(enlargement, float64(t.enlarged))
	options.Seed += uint64(t.number) << 32 // beyond every seed of a request
	begun := time.Now()
	options.Progress = func(done float64) { progress("placement", placedAt*done, 0) }
	left := l.deadline.Sub(l.now())
	until := l.now().Add(time.Duration(placementShare * float64(left)))
	options.Work = max(1, time.Duration(placementShare*float64(left)))
	options.Stop = func() bool { return !l.now().Before(until) }
	b, placed, err := place.Place(ctx, l.netlist, options)
	if err != nil {
		return nil, err
	}
	out.PlaceTime, out.unplaced, out.inland = time.Since(begun), len(placed.Unplaced), placed.OffEdge
	begun = time.Now()
	r, err := route.Route(ctx, b, route.Options{
		Effort: routeEffort(l.request.Effort), Attempt: t.repeat, AbandonBudget: func() int {
			if l.isEnough() { // this one is the board
				return 0
			}
			return giveUp
		}, Deadline: l.deadline, Now: l.now, Meter: l.meter,
		Progress: func(phase string, done, completion float64) {
			progress(phase, placedAt+(routedAt-placedAt)*done, completion)
		},
	})
	if err != nil {
		return nil, err
	}
	out.RouteTime = time.Since(begun)
	out.Board, out.Passes, out.TimeLimited, out.work = b, r.Passes, r.TimeLimited, r.NodesExpanded
	if r.Abandoned {
		out.open, out.again = r.Opens, true
		return out, nil
	}
	for _, u := range r.Unrouted {
		out.Reasons[u.Net] = u.Reason
	}
	progress("rule check", routedAt, 1-float64(len(r.Unrouted))/float64(max(1, r.Connections)))
	l.meter.Add(budget.CopperItem, copperItems(b))
	if out.legend, err = export.Draw(ctx, b); err != nil {
		return nil, err
	}
	if out.DRC, err = drc.CheckWithSilk(ctx, b, out.legend.Strokes); err != nil {
		return nil, err
	}
	out.open = len(out.DRC.Unrouted) + ourErrors(&out.DRC)
	return out, nil
}

// placementShare is the share of what is left of the limit that an attempt may use to place the parts.
const placementShare = 0.4

// copperItems counts the pads, tracks and vias of a board.
func copperItems(b *board.Board) int {
	n := len(b.Tracks) + len(b.Vias)
	for i := range b.Parts {
		n += len(b.Parts[i].Pads)
	}
	return n
}

// ourErrors counts the broken rules that another attempt might keep: those with a track, a via or a
// zone, and not pads or parts alone.
func ourErrors(r *drc.Report) int {
	n := 0
	for _, v := range r.Violations {
		if v.Severity == drc.Error && v.Rule != "unrouted" && slices.ContainsFunc(v.Items, func(i string) bool { return strings.HasPrefix(i, "net ") }) {
			n++
		}
	}
	return n
}

func placeEffort(name string) place.Effort {
	switch name {
	case "fast":
		return place.Fast
	case "high":
		return place.High
	}
	return place.Normal
}

func routeEffort(name string) route.Effort {
	switch name {
	case "fast":
		return route.Fast
	case "high":
		return route.High
	}
	return route.Normal
}
