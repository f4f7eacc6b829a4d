package autorouter

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/budget"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/electrical"
	"slipstick/autorouter/export"
	"slipstick/autorouter/place"
	"slipstick/autorouter/route"
)

// attempt identifies one attempt of a layout. Its number determines the random numbers. Every
// second attempt at a board size routes the nets in reverse order.
type attempt struct {
	number      int
	sameSizeTry int // index of the attempt at the current board size
	growth      int // number of enlargements
	// uncoupled routes differential pairs like other nets, because fixed coupled tracks may block
	// other nets.
	uncoupled bool
}

// An automatic board size grows by areaGrowth after an attempt with more than maxOpensAtSize
// defects. Another random seed rarely compensates for a lack of area.
const (
	areaGrowth     = 1.18 // growth factor of the board area
	maxOpensAtSize = 5
)

// next returns the attempt that follows t, depending on the number of defects of t.
func (t attempt) next(defects, tries int, auto bool) attempt {
	t.number++
	if auto && (defects > maxOpensAtSize || t.sameSizeTry+1 >= tries) {
		t.sameSizeTry, t.growth = 0, t.growth+1
	} else {
		t.sameSizeTry++
	}
	return t
}

// abandonNodesPerSecond is the search-node budget, per second of time limit, within which an
// attempt may be abandoned. It is 40 % of the node rate of a machine that expands four million
// nodes per second. The wall clock has no influence, so a request gives the same board on a slow
// machine.
const abandonNodesPerSecond = 1.6e6

// outcome is the result of one attempt.
type outcome struct {
	Result
	attempt       attempt
	silkscreen    *export.Silkscreen
	offEdge       []int // parts not placed at their edge
	unplaced      int   // number of parts without a legal position
	nodesExpanded int   // search nodes expanded by the router
	opens         int   // number of open connections and of rule violations of routed copper
	abandoned     bool  // whether the router abandoned the attempt
}

// defects returns the number of faults that another attempt might avoid.
func (o *outcome) defects() int { return o.opens + o.unplaced }

// warnings returns a warning for parts that are not at their edge and for references that did not
// fit on the silkscreen.
func (o *outcome) warnings(nl *board.Netlist) []string {
	var out []string
	for _, i := range o.offEdge {
		c := &nl.Components[i]
		out = append(out, c.Ref+" could not be placed at "+edgeName(c.Edge))
	}
	if names := o.silkscreen.Unlabelled; len(names) > 0 {
		out = append(out, "no space on the silkscreen for the reference of "+strings.Join(names,
			", "))
	}
	return append(out, o.Electrical.Shortfalls...)
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

// attempts runs the sequence of attempts of a layout and keeps the best outcomes.
type attempts struct {
	*layout
	best          *outcome
	bestComplete  *outcome // best outcome among attempts that were not abandoned
	defects       int      // defects of the last attempt
	abandonBudget int      // remaining search nodes within which an attempt may be abandoned
	from, span    float64  // progress interval of the current attempt
	sum           Result   // accumulated times and passes of all attempts
}

// bestOutcome makes attempts until a board has no defects, and returns the outcome with the fewest.
// Each further attempt uses other random numbers and, with an automatic size, may use a larger
// board. An attempt whose router predicts open connections is abandoned while the budget lasts. If
// no other attempt is better, it is rerun in full. Without time for the rerun, the best complete
// board is returned even if it has more defects.
func (l *layout) bestOutcome(ctx context.Context) (*outcome, error) {
	tries := map[string]int{"fast": 1, "normal": 3, "high": 6}[l.request.Effort]
	auto, total := len(l.place.Outline) == 0, tries
	if auto {
		total += 2
	}
	a := &attempts{layout: l, span: exportAt * progressShare}
	if total > 1 {
		a.abandonBudget = int(l.request.TimeLimitS * abandonNodesPerSecond)
	}
	done := false
	var err error
	for t := (attempt{}); t.number < total && !done && err == nil; t = t.next(a.defects,
		tries, auto) {
		t.uncoupled = total > 1 && t.number == total-1
		done, err = a.make(ctx, t, a.abandonBudget)
	}
	if err == nil && a.best.abandoned {
		_, err = a.make(ctx, a.best.attempt, 0)
	}
	if err != nil {
		return nil, err
	}
	best := a.best
	if a.bestComplete != nil && a.bestComplete.defects() < best.defects() {
		best = a.bestComplete
	}
	best.PlaceTime, best.RouteTime = a.sum.PlaceTime, a.sum.RouteTime
	best.Passes, best.TimeLimited = a.sum.Passes, a.sum.TimeLimited
	return best, nil
}

// progressShare is the ratio of the remaining progress scale that each attempt covers.
const progressShare = 0.6

// make runs an attempt, stores the outcome if it is the best, and reports whether no further
// attempt is needed.
func (a *attempts) make(ctx context.Context, t attempt, abandonBudget int) (done bool, err error) {
	attemptCtx, release := ctx, func() {}
	if a.best != nil && !a.best.abandoned {
		attemptCtx, release = a.schedule.optional(ctx)
	}
	defer release()
	o, err := a.run(attemptCtx, t, abandonBudget, func(phase string, done, completion float64) {
		a.report(phase, a.from+a.span*done, completion)
	})
	if err != nil && ctx.Err() == nil && attemptCtx.Err() != nil {
		a.sum.TimeLimited = true
		return true, nil
	}
	if err != nil {
		return false, err
	}
	a.sum.PlaceTime, a.sum.RouteTime = a.sum.PlaceTime+o.PlaceTime, a.sum.RouteTime+o.RouteTime
	a.sum.Passes += o.Passes
	a.defects, a.abandonBudget = o.defects(), max(0, a.abandonBudget-o.nodesExpanded)
	finished, timeUp := !o.abandoned && a.defects == 0, a.schedule.timeUp()
	// The time limit ended the search if defects remain and no further attempt follows.
	a.sum.TimeLimited = a.sum.TimeLimited || o.TimeLimited || timeUp && !finished
	rerun := a.best != nil && a.best.abandoned && (a.best.attempt == t ||
		a.schedule.stopRequested())
	if a.best == nil || a.defects < a.best.defects() || rerun {
		a.best = o
	}
	if !o.abandoned && (a.bestComplete == nil || a.defects < a.bestComplete.defects()) {
		a.bestComplete = o
	}
	a.from, a.span = a.from+a.span, (exportAt-a.from-a.span)*progressShare
	return finished || timeUp, nil
}

// run places and routes the board once.
func (l *layout) run(ctx context.Context, t attempt, abandonBudget int,
	progress Progress) (*outcome, error) {
	out := &outcome{Result: Result{Reasons: map[int]string{}}, attempt: t}
	options := l.place
	options.Utilization /= math.Pow(areaGrowth, float64(t.growth))
	options.Seed += uint64(t.number) << 32 // outside the range of request seeds
	begun := time.Now()
	options.Progress = func(done float64) { progress("placement", placedAt*done, 0) }
	share := time.Duration(placementShare * float64(l.schedule.left()))
	until := l.schedule.now().Add(share)
	options.Work = max(1, share)
	options.Stop = func() bool { return !l.schedule.now().Before(until) }
	b, placed, err := place.Place(ctx, l.netlist, options)
	if err != nil {
		return nil, err
	}
	b.Keepouts = append(slices.Clone(b.Keepouts), b.Copper().PartKeepouts(b.Parts)...)
	electrical.ConnectPads(b)
	out.PlaceTime, out.unplaced, out.offEdge = time.Since(begun), len(placed.Unplaced),
		placed.OffEdge
	begun = time.Now()
	pairs := b.Rules.Pairs
	if t.uncoupled {
		b.Rules.Pairs = nil
	}
	r, err := l.router.Route(ctx, b, route.Options{
		Effort: routeEffort(l.request.Effort), Attempt: t.sameSizeTry, AbandonBudget: func() int {
			if l.schedule.stopRequested() { // the current attempt is the final result
				return 0
			}
			return abandonBudget
		}, MaxNodes: maxGridNodes, Deadline: l.schedule.deadline, Now: l.schedule.now,
		Meter: l.schedule.meter,
		Progress: func(phase string, done, completion float64) {
			progress(phase, placedAt+(routedAt-placedAt)*done, completion)
		},
	})
	b.Rules.Pairs = pairs
	if err != nil {
		return nil, err
	}
	out.RouteTime = time.Since(begun)
	out.Board, out.Passes, out.TimeLimited, out.nodesExpanded = b, r.Passes, r.TimeLimited,
		r.NodesExpanded
	if r.Abandoned {
		out.opens, out.abandoned = r.Opens, true
		return out, nil
	}
	for _, u := range r.Unrouted {
		out.Reasons[u.Net] = u.Reason
	}
	progress("rule check", routedAt, 1-float64(len(r.Unrouted))/float64(max(1, r.Connections)))
	return out, l.complete(ctx, out)
}

// complete adds the vias for current and heat and checks the board. It undoes the additions if they
// increase defects or warnings.
func (l *layout) complete(ctx context.Context, out *outcome) (err error) {
	b := out.Board
	tracks, vias, zones := b.Tracks, b.Vias, b.Zones
	opt := electrical.Options{RiseC: l.request.TempRiseC, CopperOz: l.request.CopperOz,
		Meter: l.schedule.meter}
	if out.Electrical, err = electrical.Complete(ctx, b, opt); err != nil {
		return err
	}
	if err = l.check(ctx, out); err != nil || out.Electrical.Added() == 0 ||
		out.opens+out.DRC.WarningCount == 0 {
		return err
	}
	completed := *out
	moreTracks, moreVias, moreZones := b.Tracks, b.Vias, b.Zones
	b.Tracks, b.Vias, b.Zones = tracks, vias, zones
	if err = l.check(ctx, out); err != nil {
		return err
	}
	if out.opens+out.DRC.WarningCount < completed.opens+completed.DRC.WarningCount {
		out.Electrical = electrical.Report{
			Shortfalls: []string{
				"vias for current, heat and stitching would have split the pour and are left out"}}
		return nil
	}
	*out = completed
	b.Tracks, b.Vias, b.Zones = moreTracks, moreVias, moreZones
	return nil
}

// check draws the silkscreen and runs the design rule check.
func (l *layout) check(ctx context.Context, out *outcome) (err error) {
	l.schedule.meter.Add(budget.CopperItem, copperItems(out.Board))
	if out.silkscreen, err = export.Draw(ctx, out.Board); err != nil {
		return err
	}
	if out.DRC, err = drc.CheckWithSilk(ctx, out.Board, out.silkscreen.Strokes); err != nil {
		return err
	}
	out.opens = len(out.DRC.Unrouted) + fixableErrors(&out.DRC)
	return nil
}

// maxGridNodes limits the memory of the router's grid, about 25 bytes per node.
const maxGridNodes = 6e6

// placementShare is the fraction of the remaining time limit that placement may use in one attempt.
const placementShare = 0.4

// copperItems returns the number of pads, tracks and vias of a board.
func copperItems(b *board.Board) int {
	n := len(b.Tracks) + len(b.Vias)
	for i := range b.Parts {
		n += len(b.Parts[i].Pads)
	}
	return n
}

// fixableErrors returns the number of violations that another attempt might avoid: those involving
// a track, a via or a zone.
func fixableErrors(r *drc.Report) int {
	n := 0
	for _, v := range r.Violations {
		if v.Severity == drc.Error && v.Rule != "unrouted" && slices.ContainsFunc(v.Items,
			func(i string) bool {
				return strings.HasPrefix(i, "net ")
			}) {
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
