package autorouter

import (
	"cmp"
	"context"
	"fmt"
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
	"slipstick/autorouter/pour"
	"slipstick/autorouter/route"
)

// attempt identifies one attempt of a layout. The number selects the random seed. Every second
// attempt at a board size routes the nets in reverse order.
type attempt struct {
	number      int
	sameSizeTry int // index of the attempt among those with the same board size
	growth      int // number of enlargements of the board
	// uncoupled is true if differential pairs are routed like other nets. Coupled tracks are fixed
	// and may block other nets.
	uncoupled bool
}

// An automatic board size grows by areaGrowth after an attempt with more than maxOpensAtSize
// defects. Another random seed rarely compensates for a lack of area.
const (
	areaGrowth     = 1.18 // factor by which the board area grows
	maxOpensAtSize = 5
)

// next returns the attempt that follows t. defects is the number of defects of t, tries the number
// of attempts per board size, and auto reports whether the board may grow.
func (t attempt) next(defects, tries int, auto bool) attempt {
	t.number++
	if auto && (defects > maxOpensAtSize || t.sameSizeTry+1 >= tries) {
		t.sameSizeTry, t.growth = 0, t.growth+1
	} else {
		t.sameSizeTry++
	}
	return t
}

// abandonNodesPerSecond is the abandon budget per second of time limit: attempts may be abandoned
// until all attempts together have expanded this number of search nodes. It is 40 % of the node
// rate of a machine that expands four million nodes per second. The wall clock has no influence, so
// a request yields the same board on a slow machine.
const abandonNodesPerSecond = 1.6e6

// outcome is the result of one attempt.
type outcome struct {
	Result
	attempt       attempt
	silkscreen    *export.Silkscreen
	necks         []electrical.Neck
	offEdge       []int // indices of the parts that are not at their edge
	offCorner     []int // indices of the mounting holes that are in no corner
	unplaced      []int // indices of the parts without a legal position
	nodesExpanded int   // search nodes expanded by the router
	opens         int   // number of open connections and of fixable rule violations
	abandoned     bool  // whether the router abandoned the attempt
	congested     bool  // whether the placement is congested; see place.Report
	gridBytes     int   // memory of the router's grid [bytes]
	// outlineTooSmall reports whether an automatic outline stopped growing too early.
	outlineTooSmall bool
}

// defects returns the number of open connections, violations and unplaced parts that another
// attempt might avoid.
func (o *outcome) defects() int { return o.opens + len(o.unplaced) }

// isBetter reports whether o is a better board than p. A board with fewer defects is better. If the
// defects are equal and neither attempt was abandoned, isBetter compares errors and warnings, then
// coupled pairs, and then track length and vias.
func (o *outcome) isBetter(p *outcome) bool {
	order := cmp.Compare(o.defects(), p.defects())
	if order == 0 && !o.abandoned && !p.abandoned {
		order = slices.Compare(o.quality(), p.quality())
	}
	return order < 0
}

// quality returns the criteria for boards with equal defects, the most important first. Smaller
// values are better. A via counts as the track length [nm] that the router accepts to avoid it.
// Vias for current, heat and stitching do not count, because fewer of them are no advantage. A neck
// counted by electrical.LongNecks is a fault. Every neck counts as the additional length of track
// that has the same resistance.
func (o *outcome) quality() []float64 {
	faults := o.DRC.ErrorCount + o.DRC.WarningCount + len(o.offEdge) +
		len(o.silkscreen.Unlabelled) + len(o.Electrical.Shortfalls) +
		len(electrical.PairWarnings(o.Board, o.Pairs)) + electrical.LongNecks(o.necks)
	uncoupled := 0.0
	if o.attempt.uncoupled && len(o.Board.Rules.Pairs) > 0 {
		uncoupled = 1
	}
	wire := float64(len(o.Board.Vias)-o.Electrical.Added()) * float64(route.ViaCost)
	for _, t := range o.Board.Tracks {
		wire += board.Distance(t.A, t.B)
	}
	for _, n := range o.necks {
		wire += n.Excess
	}
	return []float64{float64(faults), uncoupled, wire}
}

// measure measures the differential pairs and the necks of a board.
func (o *outcome) measure(ctx context.Context) (err error) {
	if o.Pairs, err = electrical.Pairs(ctx, o.Board); err != nil {
		return err
	}
	o.necks, err = electrical.Necks(ctx, o.Board)
	return err
}

// warnings returns the warnings about parts without space, and about parts that are not at their
// edge or in a corner. They also concern references without space on the silkscreen, missing vias,
// and tracks too narrow for their current.
func (o *outcome) warnings(nl *board.Netlist) []string {
	var out []string
	if box := o.Board.Outline.Bounds(); o.outlineTooSmall {
		out = append(out, fmt.Sprintf("the automatic outline of %g x %g mm is too small for the parts",
			board.ToMM(box.Width()), board.ToMM(box.Height())))
	} else if names := o.references(o.unplaced); len(names) > 0 {
		out = append(out, "no space on the board for "+strings.Join(names, ", ")+
			": these parts overlap others or leave the outline")
	}
	for _, i := range o.offEdge {
		c := &nl.Components[i]
		out = append(out, c.Ref+" could not be placed at "+edgeName(c.Edge))
	}
	if names := o.references(o.offCorner); len(names) > 0 {
		out = append(out, "no free corner of the board for the mounting holes "+
			strings.Join(names, ", ")+": placements can give their positions")
	}
	out = append(out, edgeLineWarnings(o.Board, o.offEdge)...)
	if names := o.silkscreen.Unlabelled; len(names) > 0 {
		out = append(out, "no space on the silkscreen for the reference of "+strings.Join(names,
			", "))
	}
	out = append(out, o.Electrical.Shortfalls...)
	return append(out, electrical.NeckWarnings(o.Board, o.necks)...)
}

// references returns the reference designators of those among the given parts that are not fixed.
func (o *outcome) references(parts []int) []string {
	var out []string
	for _, i := range parts {
		if p := &o.Board.Parts[i]; !p.Fixed {
			out = append(out, p.Ref)
		}
	}
	return out
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

// attempts runs the sequence of attempts of a layout and stores the best outcomes.
type attempts struct {
	*layout
	tries, total  int  // maximum number of attempts at one board size and in total
	auto          bool // whether the board may grow
	best          *outcome
	bestComplete  *outcome // best outcome of the attempts that were not abandoned
	last          attempt
	defects       int     // number of defects of the last attempt
	abandonBudget int     // remaining abandon budget [search nodes]
	from, span    float64 // start and length of the progress interval of the current attempt
	sum           Result  // times and passes, summed over all attempts
	gridBytes     int     // memory of the largest router grid so far [bytes]
	congested     bool    // whether the last attempt had a congested placement
	ended         bool    // whether no further attempt may start
}

// bestOutcome makes attempts and returns the best board. After a board without defects, further
// attempts must fit into improvementBudget. Every attempt uses another random seed and, if the
// board size is automatic, possibly a larger board. An attempt whose router predicts open
// connections is abandoned while the budget lasts. If an abandoned attempt is the best one in the
// end, it is rerun in full. Without time for that, the result is the best board of the attempts
// that were not abandoned. The first attempt runs alone because its result determines the later
// attempts, which run in parallel.
func (l *layout) bestOutcome(ctx context.Context) (*outcome, error) {
	tries := map[string]int{"fast": 1, "normal": 3, "high": 6}[l.request.Effort]
	a := &attempts{layout: l, tries: tries, total: tries, auto: len(l.place.Outline) == 0,
		span: exportAt * progressShare}
	if a.auto {
		a.total += 2
	}
	if a.total > 1 {
		a.abandonBudget = int(l.request.TimeLimitS * abandonNodesPerSecond)
	}
	for list := []attempt{{}}; len(list) > 0; list = a.following() {
		if err := a.batch(ctx, list); err != nil {
			return nil, err
		}
	}
	if a.best.abandoned {
		a.abandonBudget = 0
		if err := a.batch(ctx, []attempt{a.best.attempt}); err != nil {
			return nil, err
		}
	}
	best := a.best
	if a.bestComplete != nil && a.bestComplete.defects() < best.defects() {
		best = a.bestComplete
	}
	best.PlaceTime, best.RouteTime = a.sum.PlaceTime, a.sum.RouteTime
	best.Passes, best.TimeLimited = a.sum.Passes, a.sum.TimeLimited
	return best, nil
}

// following returns the attempts at one board size that may follow the last attempt, or none if the
// sequence ends.
func (a *attempts) following() []attempt {
	var out []attempt
	t := a.last.next(a.defects, a.tries, a.auto)
	for growth := t.growth; t.number < a.total && t.growth == growth &&
		a.follows(t); t = t.next(0, a.tries, a.auto) {
		t.uncoupled = t.number == a.total-1
		out = append(out, t)
	}
	return out[:min(len(out), a.affordable())]
}

// affordable returns the number of attempts that may share the remaining time, at least 1. On a
// congested board each of them has at least as much time as the earlier attempts had on average. A
// board with too little time has many open connections.
func (a *attempts) affordable() int {
	if !a.congested {
		return a.total
	}
	mean := a.schedule.meter.Spent() / time.Duration(a.last.number+1)
	return max(1, int(a.schedule.left()/max(1, mean)))
}

// follows reports whether attempt t may follow the last attempt. The result depends only on the
// work of earlier attempts, and not on the number of attempts that ran in parallel.
func (a *attempts) follows(t attempt) bool {
	if a.ended || t.growth != a.last.next(a.defects, a.tries, a.auto).growth {
		return false
	}
	if !a.complete() {
		return true
	}
	if t.growth > a.best.attempt.growth || t.uncoupled && len(a.best.Board.Rules.Pairs) > 0 {
		return false
	}
	spent := a.schedule.meter.Spent()
	mean := spent / time.Duration(a.last.number+1)
	return spent+mean*time.Duration(t.number-a.last.number) <= a.improvementBudget()
}

// attemptLimit returns the time limit of each further attempt, or 0 for no limit. After a board
// without defects it is a multiple of the mean work of the attempts so far. An attempt that needs
// much longer rarely completes its board.
func (a *attempts) attemptLimit() time.Duration {
	if !a.complete() {
		return 0
	}
	mean := a.schedule.meter.Spent() / time.Duration(a.last.number+1)
	return max(1, improvementFactor*mean)
}

// complete reports whether the best board has no defects.
func (a *attempts) complete() bool {
	return a.best != nil && !a.best.abandoned && a.best.defects() == 0
}

// improvementBudget returns the total work, as time, within which attempts may follow a complete
// board.
func (a *attempts) improvementBudget() time.Duration {
	share := improvementShare
	if a.request.Effort == "high" {
		share = highImprovementShare
	}
	return time.Duration(share * float64(a.schedule.limit))
}

// Fractions of the time limit within which attempts may follow a complete board. With the maximum
// time limit of 60 s, the fraction at normal effort is 0.72 s. This suffices for three attempts on
// boards of up to about 15 parts. Three attempts on larger boards save 3 % of the vias at three
// times the work.
const (
	improvementShare     = 0.72 / 60
	highImprovementShare = 1.0 / 4
)

// improvementFactor is the time limit of an attempt after a complete board, as a multiple of the
// mean work of the earlier attempts.
const improvementFactor = 3

// progressShare is the fraction of the remaining progress interval that each attempt covers.
const progressShare = 0.6

// commit records the outcome of an attempt and updates the best boards. Attempts are committed in
// their order.
func (a *attempts) commit(r *attemptRun) error {
	if r.err != nil {
		return r.err
	}
	a.mutex.Lock() // a parallel attempt may be reporting its progress
	defer a.mutex.Unlock()
	o, complete := r.outcome, a.complete()
	a.schedule.join(r.schedule)
	a.sum.PlaceTime, a.sum.RouteTime = a.sum.PlaceTime+o.PlaceTime, a.sum.RouteTime+o.RouteTime
	a.sum.Passes += o.Passes
	a.last, a.defects, a.congested = r.attempt, o.defects(), o.congested
	a.abandonBudget = max(0, a.abandonBudget-o.nodesExpanded)
	a.gridBytes = max(a.gridBytes, o.gridBytes)
	rerun := a.best != nil && a.best.abandoned && (a.best.attempt == r.attempt ||
		a.schedule.stopRequested())
	if a.best == nil || o.isBetter(a.best) || rerun {
		a.best = o
	}
	if !o.abandoned && (a.bestComplete == nil || o.isBetter(a.bestComplete)) {
		a.bestComplete = o
	}
	timeUp := a.schedule.timeUp()
	if timeUp && (!a.complete() || o.TimeLimited || len(a.following()) > 0) ||
		o.TimeLimited && !complete {
		a.sum.TimeLimited = true
	}
	a.ended = timeUp
	a.from, a.span = a.from+a.span, (exportAt-a.from-a.span)*progressShare
	return nil
}

// run places and routes the board once. It does not modify l, so several runs may execute in
// parallel. abandonBudget is the number of search nodes within which the router may abandon the
// attempt.
func (l *layout) run(ctx context.Context, sch *schedule, t attempt, abandonBudget int,
	progress Progress) (*outcome, error) {
	out := &outcome{attempt: t}
	options := l.place
	options.Utilization /= math.Pow(areaGrowth, float64(t.growth))
	options.Seed += uint64(t.number) << 32 // keeps the seed outside of the range of request seeds
	begun := time.Now()
	options.Progress = func(done float64) { progress("placement", placedAt*done, 0) }
	share := time.Duration(placementShare * float64(sch.left()))
	until := sch.now().Add(share)
	options.Work, options.Meter = max(1, share), sch.meter
	options.Stop = func() bool { return !sch.now().Before(until) }
	b, placed, err := place.Place(ctx, l.netlist, options)
	if err != nil {
		return nil, err
	}
	b.Keepouts = append(slices.Clone(b.Keepouts), b.Copper().PartKeepouts(b.Parts,
		board.StripHeight, board.StripRows)...)
	b.Keepouts = append(b.Keepouts,
		b.Copper().CutoutKeepouts(b.Parts, b.Rules.EdgeClearance)...)
	electrical.ConnectPads(b)
	out.PlaceTime, out.unplaced = time.Since(begun), placed.Unplaced
	out.offEdge, out.offCorner = placed.OffEdge, placed.OffCorner
	begun = time.Now()
	pairs := b.Rules.Pairs
	if t.uncoupled {
		b.Rules.Pairs = nil
	}
	if out.congested = placed.Congested; out.congested {
		abandonBudget = 0 // the prediction of open connections is unreliable on congested boards
	}
	r, err := l.router.Route(ctx, b, route.Options{
		Congested: placed.Congested, LongNegotiation: placed.Congested,
		Effort: routeEffort(l.request.Effort), Attempt: t.sameSizeTry, AbandonBudget: func() int {
			if sch.stopRequested() { // the current attempt is the final result
				return 0
			}
			return abandonBudget
		}, MaxNodes: maxGridNodes, Deadline: sch.deadline, Now: sch.now,
		Meter: sch.meter, Reserved: electrical.ThermalSites(b),
		Progress: func(phase string, done, completion float64) {
			progress(phase, placedAt+(routedAt-placedAt)*done, completion)
		},
	})
	b.Rules.Pairs = pairs
	if err != nil {
		return nil, err
	}
	out.RouteTime = time.Since(begun)
	out.Board, out.Passes, out.nodesExpanded = b, r.Passes, r.NodesExpanded
	out.TimeLimited, out.outlineTooSmall = r.TimeLimited || placed.TimeLimited,
		placed.OutlineTooSmall
	out.gridBytes = r.GridBytes
	if r.Abandoned {
		out.opens, out.abandoned = r.Opens, true
		return out, nil
	}
	progress("rule check", routedAt, 1-float64(len(r.Unrouted))/float64(max(1, r.Connections)))
	if err := l.complete(ctx, sch.meter, r.Pours, out); err != nil {
		return nil, err
	}
	if err := out.measure(ctx); err != nil {
		return nil, err
	}
	for _, u := range out.DRC.Unrouted {
		out.Reasons = append(out.Reasons, r.Reason(b, u.Net, u.From, u.To))
	}
	return out, nil
}

// complete adds the vias for current and heat and checks the board. It undoes the additions if they
// increase the number of defects and warnings. The sessions pours belong to the pours of the board.
func (l *layout) complete(ctx context.Context, meter *budget.Meter, pours []*pour.Session,
	out *outcome) (err error) {
	b := out.Board
	tracks, vias, zones := b.Tracks, b.Vias, b.Zones
	opt := electrical.Options{RiseC: l.request.TempRiseC, CopperOz: l.request.CopperOz,
		Meter: meter, Pours: pours}
	if out.Electrical, err = electrical.Complete(ctx, b, opt); err != nil {
		return err
	}
	if err = l.check(ctx, meter, out); err != nil || out.Electrical.Added() == 0 ||
		out.opens+out.DRC.WarningCount == 0 {
		return err
	}
	completed := *out
	moreTracks, moreVias, moreZones := b.Tracks, b.Vias, b.Zones
	b.Tracks, b.Vias, b.Zones = tracks, vias, zones
	if err = l.check(ctx, meter, out); err != nil {
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

// check draws the silkscreen, runs the design rule check and sets out.opens.
func (l *layout) check(ctx context.Context, meter *budget.Meter, out *outcome) (err error) {
	meter.Add(budget.CopperItem, copperItems(out.Board))
	if out.silkscreen, err = export.Draw(ctx, out.Board); err != nil {
		return err
	}
	if out.DRC, err = drc.CheckWithSilk(ctx, out.Board, out.silkscreen.Strokes); err != nil {
		return err
	}
	out.opens = len(out.DRC.Unrouted) + fixableErrors(&out.DRC)
	return nil
}

// maxGridNodes limits the number of nodes of the router's grid, which needs about 25 bytes per
// node.
const maxGridNodes = 6e6

// placementShare is the fraction of the remaining time that the placement may use in one attempt.
const placementShare = 0.4

// copperItems returns the number of pads, tracks and vias of a board.
func copperItems(b *board.Board) int {
	n := len(b.Tracks) + len(b.Vias)
	for i := range b.Parts {
		n += len(b.Parts[i].Pads)
	}
	return n
}

// fixableErrors returns the number of errors, except open connections, that another attempt might
// avoid. These involve a track, a via or a zone.
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
