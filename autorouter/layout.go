package autorouter

import (
	"context"
	"slices"
	"sync"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/drc"
	"slipstick/autorouter/electrical"
	"slipstick/autorouter/export"
	"slipstick/autorouter/place"
	"slipstick/autorouter/route"
)

// Progress is a callback that receives the name of the phase, the overall progress, and the
// fraction of completed connections. Both numbers are in the range 0 to 1.
type Progress func(phase string, done, completion float64)

// Router routes a placed board and modifies it in place. Package route implements Router; other
// implementations use the Options and Result of that package.
type Router interface {
	Route(ctx context.Context, b *board.Board, opt route.Options) (route.Result, error)
}

// Result is a finished board with its rule check, statistics and files.
type Result struct {
	Board       *board.Board
	DRC         drc.Report
	Figures     drc.Figures
	Reasons     []string // reason for each connection of DRC.Unrouted, "" if unknown
	Passes      int
	TimeLimited bool
	PlaceTime   time.Duration
	RouteTime   time.Duration
	Runtime     time.Duration
	Electrical  electrical.Report
	Pairs       []electrical.Pair
	Lengths     []electrical.LengthGroup
	Warnings    []string
	Files       []export.File
}

// Layout places, routes, checks and exports a board on one core. The error is InvalidFields for an
// invalid request, or the error of the context. An incomplete board is a Result without an error.
func Layout(ctx context.Context, q *Request, progress Progress) (*Result, error) {
	return LayoutUntil(ctx, q, nil, 1, progress)
}

// LayoutUntil is like Layout but starts no attempt after stop is closed. It then returns the best
// board so far. A nil stop disables this. Without a board, the current attempt continues for at
// most finishTime. Up to cores attempts run in parallel; their goroutines have ended when
// LayoutUntil returns. The board does not depend on cores. Calls of progress do not overlap.
func LayoutUntil(ctx context.Context, q *Request, stop <-chan struct{}, cores int,
	progress Progress) (*Result, error) {
	begun := time.Now()
	l, err := newLayout(q, progress)
	if err != nil {
		return nil, err
	}
	l.schedule.stop, l.cores = stop, cores
	best, err := l.bestOutcome(ctx)
	if err != nil {
		return nil, err
	}
	out := &best.Result
	out.Warnings = append(slices.Clone(l.netlist.Warnings), best.warnings(l.netlist)...)
	for _, warnings := range []func(context.Context, *board.Board) ([]string, error){
		electrical.InnerWarnings, electrical.IsolationWarnings, electrical.OpenPadWarnings,
	} {
		list, err := warnings(ctx, out.Board)
		if err != nil {
			return nil, err
		}
		out.Warnings = append(out.Warnings, list...)
	}
	out.Warnings = append(out.Warnings, electrical.PairWarnings(out.Board, out.Pairs)...)
	out.Lengths = electrical.LengthGroups(out.Board)
	out.Warnings = append(out.Warnings, electrical.LengthWarnings(out.Board, out.Lengths)...)
	out.Warnings = append(out.Warnings, q.panelWarnings(out.Board)...)
	out.Warnings = append(out.Warnings, q.reelWarnings(out.Board)...)
	if out.Figures, err = drc.Statistics(ctx, out.Board); err != nil {
		return nil, err
	}
	l.report("export", exportAt, out.Figures.CompletionPct/100)
	if out.Files, err = export.All(ctx, out.Board, export.Options{
		Name: q.Name, Formats: append([]string{}, q.Exports...), Silkscreen: best.silkscreen,
		AttributeComments: q.GerberAttributes == "comments", Fab: q.FabProfile,
		Panel: q.panelOf(out.Board),
	}); err != nil {
		return nil, err
	}
	out.Runtime = time.Since(begun)
	l.report("done", 1, out.Figures.CompletionPct/100)
	return out, nil
}

// layout is the state of a valid request while its attempts run.
type layout struct {
	request      *Request
	netlist      *board.Netlist
	place        place.Options // placement options of the first attempt
	router       Router
	schedule     *schedule
	cores        int
	mutex        sync.Mutex // guards the progress state of parallel attempts
	progress     Progress
	progressDone float64 // last reported progress
}

func newLayout(q *Request, progress Progress) (*layout, error) {
	copper, err := q.stackup()
	if err != nil {
		return nil, err
	}
	rules, invalid := q.rules(copper)
	nl := q.netlistOf(&invalid)
	outline := q.outline(&invalid)
	ground := placementAreaOf(outline)
	holes, keepouts := q.obstacles(copper, ground, &invalid)
	if nl == nil {
		return nil, invalid.err()
	}
	rules.GroundNet = q.groundNet(nl, &invalid)
	if rules.GroundNet == board.NoNet {
		rules.PourLayers = nil
	}
	planes, warnings := q.planes(copper, nl, rules.GroundNet, &invalid)
	rules.Planes = planes
	nl.Warnings = append(nl.Warnings, warnings...)
	nl.Warnings = append(nl.Warnings, q.groundWarnings(nl, rules.GroundNet)...)
	q.checkPanel(&invalid)
	rules.Pairs = q.pairs(nl, &rules, &invalid)
	rules.LengthGroups = q.lengthGroups(nl, &rules, &invalid)
	placements := q.initialPlacements(nl, ground, &invalid)
	q.checkArea(nl, copper, ground.Polygon, holes, keepouts, placements, &invalid)
	if err := invalid.err(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string, float64, float64) {}
	}
	l := &layout{request: q, netlist: nl, router: route.Grid{}, progress: progress}
	l.schedule = newSchedule(time.Duration(q.TimeLimitS * float64(time.Second)))
	l.place = place.Options{
		Name: q.Name, Outline: outline, Utilization: q.UtilizationPct / 100, Stackup: copper,
		Rules:      rules,
		Placements: placements, Holes: holes, Keepouts: keepouts, AllowBottom: q.AllowBottom,
		Seed: uint64(q.Seed), Effort: placeEffort(q.Effort), Meter: l.schedule.meter,
	}
	return l, nil
}

// Points on the progress scale from 0 to 1. exportAt is the overall progress after all attempts.
// placedAt and routedAt are on the scale of one attempt.
const (
	exportAt = 0.95
	placedAt = 0.25
	routedAt = 0.95
)

// report calls Progress with an overall progress that never decreases.
func (l *layout) report(phase string, done, completion float64) {
	l.progressDone = max(l.progressDone, done)
	l.progress(phase, l.progressDone, completion)
}
