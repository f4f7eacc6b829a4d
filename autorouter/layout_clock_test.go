package autorouter

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/export"
)

// openBoard returns a request whose keepout forbids all tracks and vias, so that its connection
// stays open.
func openBoard() *Request {
	side := 20.0
	return &Request{
		NetlistFormat: "auto", SourceConnector: "header", DefaultPackage: "0805", Name: "board",
		UtilizationPct:  45,
		HoleClearanceMM: 0.25, HoleToHoleMM: 0.3, NeckLengthMM: 3, CopperOz: 1, TempRiseC: 10,
		PourClearanceMM: 0.25, ThermalGapMM: 0.3, ThermalSpokeMM: 0.4,
		FabProfile: "generic", Effort: "normal", TimeLimitS: 60, Seed: 1, WidthMM: &side,
		HeightMM:   &side,
		Components: []Component{{Ref: "R1", Footprint: "R_0805"}, {Ref: "R2", Footprint: "R_0805"}},
		Nets:       []Net{{Name: "A", Pins: []string{"R1.1", "R2.1"}}},
		Keepouts: []Keepout{{WidthMM: 20, HeightMM: 20, Layers: []string{"top", "bottom"},
			Tracks: true, Vias: true}},
	}
}

// TestTimeUpBetweenAttempts verifies that no second attempt starts after the time limit, although a
// connection is open. The result is then marked as time-limited. It is not marked if the time
// suffices for all attempts.
func TestTimeUpBetweenAttempts(t *testing.T) {
	for _, late := range []bool{true, false} {
		l, err := newLayout(openBoard(), nil)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(0, 0)
		l.schedule.deadline, l.schedule.clock = now.Add(time.Hour), func() time.Time { return now }
		attempts := 0
		l.progress = func(phase string, _, _ float64) {
			if phase == "rule check" {
				attempts++
				if late {
					now = now.Add(2 * time.Hour)
				}
			}
		}
		r, err := l.bestOutcome(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("late %v: %d attempts ended, %d open", late, attempts, r.opens)
		if r.opens == 0 || r.TimeLimited != late {
			t.Errorf("late %v: %d connections open, time limited %v", late, r.opens, r.TimeLimited)
		}
	}
}

// TestTimeUpBeforeTheBestIsRerun verifies the result if time runs out before the best attempt,
// which was abandoned, is rerun. The result must be the best board of the other attempts, not a
// board without copper.
func TestTimeUpBeforeTheBestIsRerun(t *testing.T) {
	q := openBoard()
	q.Components = append(q.Components, Component{Ref: "R3", Footprint: "R_0805"},
		Component{Ref: "R4", Footprint: "R_0805"})
	q.Nets = append(q.Nets, Net{Name: "B", Pins: []string{"R3.1", "R4.1"}})
	// Only R1 lies in the area that forbids tracks.
	q.Keepouts[0].WidthMM, q.Keepouts[0].HeightMM, q.Keepouts[0].Components = 6, 6, true
	q.Placements = []Placement{{Ref: "R1", XY: XY{X: 3, Y: 3}, Side: "top", Fixed: true}}
	l, err := newLayout(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	l.schedule.deadline, l.schedule.clock = now.Add(time.Hour), func() time.Time { return now }
	first, err := l.run(context.Background(), l.schedule, attempt{}, 1<<40,
		func(string, float64, float64) {})
	if err != nil || !first.abandoned {
		t.Fatalf("the first attempt is not abandoned: %v, %+v", err, first)
	}
	// The budget suffices to abandon the first attempt but not the second one.
	l.request.TimeLimitS = 1.5 * float64(first.nodesExpanded) / abandonNodesPerSecond
	whole := 0
	l.progress = func(phase string, _, _ float64) {
		if phase == "rule check" {
			whole++
			now = now.Add(2 * time.Hour)
		}
	}
	r, err := l.bestOutcome(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if whole != 2 || !r.TimeLimited {
		t.Fatalf("%d whole attempts, time limited %v", whole, r.TimeLimited)
	}
	if r.opens != 1 || len(r.Board.Tracks) == 0 || r.silkscreen == nil {
		t.Errorf("%d connections open, %d tracks, legend %v", r.opens, len(r.Board.Tracks),
			r.silkscreen != nil)
	}
}

// TestSlowMachine verifies that the speed of the machine does not influence the board. The wall
// clock stands still, or it advances by eight times the time that the work takes on a typical core.
// Both cases must yield equal attempts and progress reports. The wall-clock guard ends the layout
// only if the processor is nearly unavailable.
func TestSlowMachine(t *testing.T) {
	type run struct {
		full, told int
		limited    bool
	}
	layoutAt := func(slowness time.Duration) (out run) {
		q := openBoard()
		q.TimeLimitS = 1
		q.Effort = "high"
		l, err := newLayout(q, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.schedule.wall = func() time.Time {
			return l.schedule.start.Add(slowness * l.schedule.meter.Spent())
		}
		l.progress = func(phase string, _, _ float64) {
			out.told++
			if phase == "rule check" {
				out.full++
			}
		}
		r, err := l.bestOutcome(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.opens == 0 {
			t.Errorf("nothing is open")
		}
		if out.limited = r.TimeLimited; out.limited != (slowness > minWallGuard/time.Second) {
			t.Errorf("%d times slower: time limited %v after %v of work", slowness, out.limited,
				l.schedule.meter.Spent())
		}
		return out
	}
	quick, slow, hopeless := layoutAt(0), layoutAt(8), layoutAt(10000)
	if quick != slow {
		t.Errorf("quick %+v, slow %+v", quick, slow)
	}
	if hopeless.told >= quick.told {
		t.Errorf("with the guard %+v, without %+v", hopeless, quick)
	}
}

// TestPlacementKeepsToTheLimit verifies that the placement uses at most its share of the time
// limit, by making fewer moves.
func TestPlacementKeepsToTheLimit(t *testing.T) {
	q := openBoard()
	q.Components, q.Nets = nil, nil
	side := 90.0
	q.WidthMM, q.HeightMM, q.Effort, q.Keepouts = &side, &side, "high", nil
	for i := range 60 {
		q.Components = append(q.Components, Component{Ref: fmt.Sprintf("R%d", i+1),
			Footprint: "R_0805"})
		q.Nets = append(q.Nets, Net{Name: fmt.Sprintf("N%d", i+1),
			Pins: []string{fmt.Sprintf("R%d.1", i+1), fmt.Sprintf("R%d.2", (7*i+3)%60+1)}})
	}
	for _, limit := range []float64{0.2, 60} {
		q.TimeLimitS = limit
		l, err := newLayout(q, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.schedule.wall = func() time.Time { return l.schedule.start }
		var placed time.Duration
		l.progress = func(phase string, _, _ float64) {
			if phase == "placement" {
				placed = l.schedule.meter.Spent()
			}
		}
		if _, err := l.run(context.Background(), l.schedule, attempt{}, 0, l.report); err != nil {
			t.Fatal(err)
		}
		share := placed.Seconds() / limit
		t.Logf("limit %g s: placed after %v of work", limit, placed)
		if share > placementShare*1.05 || limit == 60 && share > placementShare/2 {
			t.Errorf("limit %g s: the placement took %.0f %%", limit, 100*share)
		}
	}
}

// TestStopEarly verifies that no attempt starts after a stop and that the result is marked as
// time-limited. A first attempt still has finishTime to complete its copper. During a later
// attempt, the best board so far is returned at once.
func TestStopEarly(t *testing.T) {
	for _, c := range []struct {
		during  int  // number of the attempt, from 1, during which the stop comes; 0 for no stop
		patient bool // whether no attempt is abandoned
		placed  int  // number of placements, or the minimum number without a stop
		ended   int  // number of completed attempts
	}{{1, false, 1, 1}, {3, false, 3, 1}, {3, true, 3, 2}, {0, false, 5, 1}, {0, true, 5, 6}} {
		q := openBoard()
		q.Effort = "high"
		if c.patient {
			q.TimeLimitS = 0
		}
		l, err := newLayout(q, nil)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(0, 0)
		l.schedule.deadline, l.schedule.clock = now.Add(time.Hour), func() time.Time { return now }
		stop := make(chan struct{})
		l.schedule.stop = stop
		placed, routed, ended, before := 0, 0, 0, ""
		l.progress = func(phase string, _, _ float64) {
			if phase == "placement" && before != phase {
				placed++
			}
			if phase == "rule check" {
				ended++
			}
			if before == "placement" && phase != before {
				if routed++; routed == c.during {
					close(stop)
					before := l.schedule.left()
					now = now.Add(finishTime / 2)
					if left := l.schedule.left(); left != before/2 {
						t.Errorf("%v of %v is left", left, before)
					}
				}
			}
			before = phase
		}
		r, err := l.bestOutcome(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: placed %d times, %d ended, %d open, trial %d", c, placed, ended, r.opens,
			r.attempt.number)
		if ended != c.ended {
			t.Errorf("%+v: %d attempts ended", c, ended)
		}
		if r.opens == 0 || r.TimeLimited != (c.during > 0) || r.silkscreen == nil {
			t.Errorf("in attempt %d: %d connections open, time limited %v, legend %v", c.during,
				r.opens, r.TimeLimited, r.silkscreen != nil)
		}
		if c.during > 0 && placed != c.placed || placed < c.placed {
			t.Errorf("in attempt %d: placed %d times, want %d", c.during, placed, c.placed)
		}
	}
}

// TestPlacementWarnings verifies three warnings. An automatic outline stopped growing before all
// parts fit, a given outline lacks space for parts, and a mounting hole is in no corner. The rule
// check reports fixed parts.
func TestPlacementWarnings(t *testing.T) {
	part := func(ref string, fixed bool) board.Part {
		return board.Part{Component: board.Component{Ref: ref, Footprint: &board.Footprint{}},
			Placement: board.Placement{Fixed: fixed}}
	}
	b := &board.Board{Outline: board.Polygon{{}, {X: 64e6}, {X: 64e6, Y: 46e6}, {Y: 46e6}},
		Parts: []board.Part{part("U1", false), part("J1", true), part("H1", false)}}
	for _, c := range []struct {
		outcome outcome
		want    []string
	}{
		{outcome{}, nil},
		{outcome{outlineTooSmall: true, unplaced: []int{0}},
			[]string{"the automatic outline of 64 x 46 mm is too small for the parts"}},
		{outcome{unplaced: []int{0, 1, 2}}, []string{"no space on the board for U1, H1: " +
			"these parts overlap others or leave the outline"}},
		{outcome{unplaced: []int{1}}, nil},
		{outcome{offCorner: []int{2}}, []string{"no free corner of the board for the mounting " +
			"holes H1: placements can give their positions"}},
	} {
		c.outcome.Board, c.outcome.silkscreen = b, &export.Silkscreen{}
		if got := c.outcome.warnings(&board.Netlist{}); !slices.Equal(got, c.want) {
			t.Errorf("warnings %q, want %q", got, c.want)
		}
	}
}
