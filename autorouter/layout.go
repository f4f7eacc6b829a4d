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

// Progress is called with the phase, the share of the whole that is done and the share of the
// connections made, both 0 to 1.
type Progress func(phase string, done, completion float64)

// Result is a board with its check, statistics and files.
type Result struct {
	Board       *board.Board
	DRC         drc.Report
	Figures     drc.Figures
	Reasons     map[int]string // net to the reason of its open connection
	Passes      int
	TimeLimited bool
	PlaceTime   time.Duration
	RouteTime   time.Duration
	Runtime     time.Duration
	Warnings    []string
	Files       []export.File

	legend        *export.Legend
	offEdge       []int // parts that found no place at their edge
	attempt       attempt
	unplaced      int  // parts without a legal place
	nodesExpanded int  // of the router
	opens         int  // open connections, and rules that routed copper breaks
	abandoned     bool // the router abandoned the attempt
}

// Layout makes the board. The error is InvalidFields for an invalid request, or that of the
// context; an incomplete board is in the Result.
func Layout(ctx context.Context, q *Request, progress Progress) (*Result, error) {
	return LayoutUntil(ctx, q, nil, progress)
}

// LayoutUntil is Layout that makes no further attempt once stop is closed; nil never stops. The
// result is the best board so far. Without one the present attempt continues, with at most
// finishTime left.
func LayoutUntil(ctx context.Context, q *Request, stop <-chan struct{}, progress Progress) (*Result, error) {
	begun := time.Now()
	l, err := newLayout(q, progress)
	if err != nil {
		return nil, err
	}
	l.finishEarly(stop)
	out, err := l.bestResult(ctx)
	if err != nil {
		return nil, err
	}
	out.Warnings = slices.Clone(l.netlist.Warnings)
	for _, i := range out.offEdge {
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

// finishTime is the time left for the present attempt after a stop. A hundred parts take half of
// it.
const finishTime = 5 * time.Second

// finishEarly compresses the remaining schedule to finishTime once stop is closed: each phase of the
// router keeps its share of the time.
func (l *layout) finishEarly(stop <-chan struct{}) {
	clock := l.now
	var once sync.Once
	var since time.Time
	speed := 1.0
	l.stopSignal = stop
	l.now = func() time.Time {
		t := clock()
		if !l.stopRequested() {
			return t
		}
		once.Do(func() { since, speed = t, max(1, float64(l.deadline.Sub(t))/float64(finishTime)) })
		return since.Add(time.Duration(speed * float64(t.Sub(since))))
	}
}

// optional is the context of an attempt that is not needed for a result: it ends when no further one is
// wanted. The engine calls Err only and does not wait for Done.
type optional struct {
	context.Context
	layout *layout
}

// Err implements context.Context.
func (s optional) Err() error {
	if s.layout.stopRequested() {
		return context.Canceled
	}
	return s.Context.Err()
}

// stopRequested reports whether no further attempt is wanted.
func (l *layout) stopRequested() bool {
	select {
	case <-l.stopSignal:
		return true
	default:
		return false
	}
}

// layout is a valid request during its attempts.
type layout struct {
	request      *Request
	netlist      *board.Netlist
	place        place.Options    // of the first attempt
	meter        *budget.Meter    // work of all attempts
	wall         func() time.Time // the clock of the machine, for the guard alone
	start        time.Time        // by that clock
	deadline     time.Time
	now          func() time.Time // clock of the deadline: the work as a time
	stopSignal   <-chan struct{}
	progress     Progress
	progressDone float64 // last reported
}

func newLayout(q *Request, progress Progress) (*layout, error) {
	rules, invalid := q.rules()
	nl := q.netlistOf(&invalid)
	outline := q.outline(&invalid)
	ground := placementAreaOf(outline)
	holes, keepouts := q.obstacles(ground, &invalid)
	if nl == nil {
		return nil, invalid.err()
	}
	rules.GroundNet = q.groundNet(nl, &invalid)
	if rules.GroundNet == board.NoNet {
		rules.PourLayers = nil
	}
	placements := q.initialPlacements(nl, ground, &invalid)
	q.checkArea(nl, ground.Polygon, holes, keepouts, placements, &invalid)
	if err := invalid.err(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, float64, float64) {}
	}
	l := &layout{request: q, netlist: nl, meter: &budget.Meter{}, wall: time.Now, start: time.Now(), progress: progress, place: place.Options{
		Name: q.Name, Outline: outline, Utilization: q.UtilizationPct / 100, Rules: rules, Placements: placements, Holes: holes, Keepouts: keepouts,
		AllowBottom: q.AllowBottom, Seed: uint64(q.Seed), Effort: placeEffort(q.Effort),
	}}
	l.deadline, l.now, l.place.Meter = workEpoch.Add(l.limit()), l.workClock, l.meter
	return l, nil
}

// workEpoch is the origin of workClock.
var workEpoch = time.Unix(0, 0)

// The wall-clock guard ends a layout after guardFactor times the time limit, at least minWallGuard
// and at most maxWallGuard. It serves machines without free processors, so that the answer comes
// before the caller's timeout.
const (
	guardFactor  = 10
	minWallGuard = time.Minute
	maxWallGuard = 4 * time.Minute
)

// limit returns the work that a layout may do, as its time on a typical core.
func (l *layout) limit() time.Duration {
	return time.Duration(l.request.TimeLimitS * float64(time.Second))
}

// workClock returns the time of the work done on a typical core. The wall clock counts only after its
// guard: earlier it would make the result depend on the load.
func (l *layout) workClock() time.Time {
	spent := l.meter.Spent()
	if limit := l.limit(); limit > 0 {
		guard := min(max(guardFactor*limit, minWallGuard), maxWallGuard)
		if l.wall().Sub(l.start) >= guard {
			spent = max(spent, limit)
		}
	}
	return workEpoch.Add(spent)
}

// Shares of the progress: of the whole after all attempts, and of one attempt after placement and
// after routing.
const (
	exportAt = 0.95
	placedAt = 0.25
	routedAt = 0.95
)

// report passes on the progress, which never decreases.
func (l *layout) report(phase string, done, completion float64) {
	l.progressDone = max(l.progressDone, done)
	l.progress(phase, l.progressDone, completion)
}

// attempt numbers an attempt: each has its own random numbers, and every other one at one size
// routes the nets in the opposite order.
type attempt struct {
	number      int
	sameSizeTry int // at the present size
	growth      int // number of enlargements
}

// An automatic board grows by areaGrowth after an attempt with more than maxOpensAtSize defects:
// other random numbers rarely make up for a lack of area.
const (
	areaGrowth     = 1.18 // of the area
	maxOpensAtSize = 5
)

// next returns the attempt after one with a number of defects.
func (t attempt) next(defects, tries int, auto bool) attempt {
	t.number++
	if auto && (defects > maxOpensAtSize || t.sameSizeTry+1 >= tries) {
		t.sameSizeTry, t.growth = 0, t.growth+1
	} else {
		t.sameSizeTry++
	}
	return t
}

// abandonNodesPerSecond is the search-node budget per second of time limit within which an attempt
// may be abandoned. It is two fifths of the nodes of a machine that expands four million per
// second. The wall clock has no influence: a request gives the same board on a slow machine.
const abandonNodesPerSecond = 1.6e6

// bestResult makes attempts until a board has no defects, and returns the one with the fewest. The next
// attempt uses other random numbers and, with an automatic size, may use a larger board. An attempt
// whose router predicts open connections is abandoned while the budget lasts, and rerun in full when
// none is better. Without time for that the result is the best complete board, even with more defects.
func (l *layout) bestResult(ctx context.Context) (*Result, error) {
	tries := map[string]int{"fast": 1, "normal": 3, "high": 6}[l.request.Effort]
	auto, total := len(l.place.Outline) == 0, tries
	if auto {
		total += 2
	}
	abandonBudget := 0 // search nodes within which an attempt may be abandoned
	if total > 1 {
		abandonBudget = int(l.request.TimeLimitS * abandonNodesPerSecond)
	}
	var best, bestComplete *Result // bestComplete is the best that was not abandoned
	var sum Result
	from, span := 0.0, exportAt*0.6
	defects := 0 // of the last attempt
	try := func(t attempt, maxNodes int) (bool, error) {
		attemptCtx := ctx
		if best != nil && !best.abandoned {
			attemptCtx = optional{ctx, l}
		}
		r, err := l.runAttempt(attemptCtx, t, maxNodes, func(phase string, done, completion float64) {
			l.report(phase, from+span*done, completion)
		})
		if err != nil && ctx.Err() == nil && l.stopRequested() {
			sum.TimeLimited = true
			return true, nil
		}
		if err != nil {
			return false, err
		}
		sum.PlaceTime, sum.RouteTime, sum.Passes = sum.PlaceTime+r.PlaceTime, sum.RouteTime+r.RouteTime, sum.Passes+r.Passes
		defects, abandonBudget = r.defects(), max(0, abandonBudget-r.nodesExpanded)
		finished := !r.abandoned && defects == 0
		timeUp := !l.now().Before(l.deadline) || l.stopRequested()
		sum.TimeLimited = sum.TimeLimited || r.TimeLimited || timeUp && !finished // no further attempt follows
		if best == nil || defects < best.defects() || best.abandoned && (best.attempt == t || l.stopRequested()) {
			best = r
		}
		if !r.abandoned && (bestComplete == nil || defects < bestComplete.defects()) {
			bestComplete = r
		}
		from, span = from+span, (exportAt-from-span)*0.6
		return finished || timeUp, nil
	}
	done := false
	var err error
	for t := (attempt{}); t.number < total && !done && err == nil; t = t.next(defects, tries, auto) {
		done, err = try(t, abandonBudget)
	}
	if err == nil && best.abandoned {
		_, err = try(best.attempt, 0)
	}
	if err != nil {
		return nil, err
	}
	if bestComplete != nil && bestComplete.defects() < best.defects() {
		best = bestComplete
	}
	best.PlaceTime, best.RouteTime, best.Passes, best.TimeLimited = sum.PlaceTime, sum.RouteTime, sum.Passes, sum.TimeLimited
	return best, nil
}

// defects counts the faults that another attempt might avoid.
func (r *Result) defects() int { return r.opens + r.unplaced }

// runAttempt places and routes once.
func (l *layout) runAttempt(ctx context.Context, t attempt, abandonBudget int, progress Progress) (*Result, error) {
	out := &Result{Reasons: map[int]string{}, attempt: t}
	options := l.place
	options.Utilization /= math.Pow(areaGrowth, float64(t.growth))
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
	out.PlaceTime, out.unplaced, out.offEdge = time.Since(begun), len(placed.Unplaced), placed.OffEdge
	begun = time.Now()
	r, err := route.Route(ctx, b, route.Options{
		Effort: routeEffort(l.request.Effort), Attempt: t.sameSizeTry, AbandonBudget: func() int {
			if l.stopRequested() { // this attempt is the result
				return 0
			}
			return abandonBudget
		}, Deadline: l.deadline, Now: l.now, Meter: l.meter,
		Progress: func(phase string, done, completion float64) {
			progress(phase, placedAt+(routedAt-placedAt)*done, completion)
		},
	})
	if err != nil {
		return nil, err
	}
	out.RouteTime = time.Since(begun)
	out.Board, out.Passes, out.TimeLimited, out.nodesExpanded = b, r.Passes, r.TimeLimited, r.NodesExpanded
	if r.Abandoned {
		out.opens, out.abandoned = r.Opens, true
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
	out.opens = len(out.DRC.Unrouted) + fixableErrors(&out.DRC)
	return out, nil
}

// placementShare is the share of the remaining limit that an attempt may use for placement.
const placementShare = 0.4

// copperItems counts the pads, tracks and vias of a board.
func copperItems(b *board.Board) int {
	n := len(b.Tracks) + len(b.Vias)
	for i := range b.Parts {
		n += len(b.Parts[i].Pads)
	}
	return n
}

// fixableErrors counts the violations that another attempt might avoid: those of a track, a via or
// a zone, and not of pads or parts alone.
func fixableErrors(r *drc.Report) int {
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
