package autorouter

import (
	"context"
	"math"
	"time"

	"slipstick/autorouter/board"
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
}

// Share of the whole that each phase takes, for progress.
const (
	placedAt = 0.25
	routedAt = 0.90
)

// Layout makes the board. The error is Faults when the request is wrong, or the context's when
// it ended; anything the engine could not finish is in the Result.
func Layout(ctx context.Context, q *Request, progress Progress) (*Result, error) {
	if progress == nil {
		progress = func(string, float64, float64) {}
	}
	begun := time.Now()
	rules, faults := q.rules()
	nl := q.netlistOf(&faults)
	outline := q.outline(&faults)
	holes, keepouts := q.obstacles(outline, &faults)
	if nl == nil {
		return nil, faults.err()
	}
	rules.GroundNet = q.groundNet(nl, &faults)
	if rules.GroundNet == board.NoNet {
		rules.PourLayers = nil
	}
	wanted := q.wanted(nl, outline, &faults)
	if len(outline) > 0 {
		roomy(nl, outline, &faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	out := &Result{Warnings: nl.Warnings, Reasons: map[int]string{}}
	deadline := begun.Add(time.Duration(q.TimeLimitS * float64(time.Second)))

	utilization := q.UtilizationPct / 100
	for attempt := 0; ; attempt++ {
		b, report, err := place.Place(ctx, nl, place.Options{
			Name: q.Name, Outline: outline, Utilization: utilization, Rules: rules, Wanted: wanted, Holes: holes, Keepouts: keepouts,
			AllowBottom: q.AllowBottom, Seed: uint64(q.Seed), Effort: placeEffort(q.Effort),
			Progress: func(done float64) { progress("placement", placedAt*done, 0) },
		})
		if err != nil {
			return nil, err
		}
		out.PlaceTime += time.Since(begun) - out.PlaceTime - out.RouteTime
		routing := time.Now()
		r, err := route.Route(ctx, b, route.Options{
			Effort: routeEffort(q.Effort), Seed: uint64(q.Seed), Deadline: deadline,
			Progress: func(phase string, done, completion float64) {
				progress(phase, placedAt+(routedAt-placedAt)*done, completion)
			},
		})
		if err != nil {
			return nil, err
		}
		out.RouteTime += time.Since(routing)
		out.Board, out.Passes, out.TimeLimited = b, r.Passes, r.TimeLimited
		clear(out.Reasons)
		for _, u := range r.Unrouted {
			out.Reasons[u.Net] = u.Reason
		}
		progress("rule check", 0.95, 1)
		if out.DRC, err = drc.CheckWithSilk(ctx, b, export.Legend(b)); err != nil {
			return nil, err
		}
		// A size that was ours to choose and turned out too small is enlarged.
		finished := out.DRC.Passed && len(report.Unplaced) == 0
		if finished || len(outline) > 0 || attempt == maxAttempts || time.Now().After(deadline) {
			break
		}
		utilization *= 0.8
	}
	var err error
	if out.Figures, err = drc.Statistics(out.Board); err != nil {
		return nil, err
	}
	progress("export", 0.98, out.Figures.CompletionPct/100)
	if out.Files, err = export.All(out.Board, export.Options{Name: q.Name, Formats: append([]string{}, q.Exports...)}); err != nil {
		return nil, err
	}
	out.Runtime = time.Since(begun)
	progress("done", 1, out.Figures.CompletionPct/100)
	return out, nil
}

// maxAttempts is how often a board whose size is found is enlarged.
const maxAttempts = 2

// roomy refuses a board on which the parts cannot fit at all.
func roomy(nl *board.Netlist, outline board.Polygon, f *Faults) {
	bounds := outline.Bounds()
	parts := 0.0
	for i := range nl.Components {
		c := &nl.Components[i]
		w, h := c.Footprint.Courtyard.Width(), c.Footprint.Courtyard.Height()
		parts += float64(w) * float64(h)
		if min(w, h) > min(bounds.Width(), bounds.Height()) || max(w, h) > max(bounds.Width(), bounds.Height()) {
			f.add("width_mm", 0, "the board of %g by %g mm is too small for %s, whose courtyard has %g by %g mm",
				board.ToMM(bounds.Width()), board.ToMM(bounds.Height()), c.Ref, board.ToMM(w), board.ToMM(h))
		}
	}
	if have := math.Abs(area(outline)); parts > have {
		f.add("width_mm", 0, "the board has %.4g mm², the courtyards of the parts need %.4g mm²", have/1e12, parts/1e12)
	}
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
