package autorouter

import (
	"context"
	"testing"
	"time"
)

// openBoard may have copper nowhere, so that its join stays open.
func openBoard() *Request {
	side := 20.0
	return &Request{
		NetlistFormat: "auto", SourceConnector: "header", DefaultPackage: "0805", Name: "board", UtilizationPct: 45,
		HoleClearanceMM: 0.25, HoleToHoleMM: 0.3, NeckLengthMM: 3, CopperOz: 1, TempRiseC: 10, PourClearanceMM: 0.25, ThermalGapMM: 0.3, ThermalSpokeMM: 0.4,
		FabProfile: "generic", Effort: "normal", TimeLimitS: 60, Seed: 1, WidthMM: &side, HeightMM: &side,
		Components: []Component{{Ref: "R1", Footprint: "R_0805"}, {Ref: "R2", Footprint: "R_0805"}},
		Nets:       []Net{{Name: "A", Pins: []string{"R1.1", "R2.1"}}},
		Keepouts:   []Keepout{{WidthMM: 20, HeightMM: 20, Layers: []string{"top", "bottom"}, Tracks: true, Vias: true}},
	}
}

// The time is up between two attempts: the second, which the open join calls for, is not made, and the
// layout says that its time was limited. With time for all attempts it is not.
func TestTimeUpBetweenAttempts(t *testing.T) {
	for _, late := range []bool{true, false} {
		l, err := newLayout(openBoard(), nil)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(0, 0)
		l.deadline, l.now = now.Add(time.Hour), func() time.Time { return now }
		attempts := 0
		l.progress = func(phase string, _, _ float64) {
			if phase == "rule check" {
				attempts++
				if late {
					now = now.Add(2 * time.Hour)
				}
			}
		}
		r, err := l.best(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("late %v: %d attempts ended, %d open", late, attempts, r.open)
		if r.open == 0 || r.TimeLimited != late {
			t.Errorf("late %v: %d joins open, time limited %v", late, r.open, r.TimeLimited)
		}
	}
}

// The best attempt was given up, and the time is up before it can be made again: the result is the best of
// the boards that are there, and not one without copper.
func TestTimeUpBeforeTheBestIsMadeAgain(t *testing.T) {
	q := openBoard()
	q.Components = append(q.Components, Component{Ref: "R3", Footprint: "R_0805"}, Component{Ref: "R4", Footprint: "R_0805"})
	q.Nets = append(q.Nets, Net{Name: "B", Pins: []string{"R3.1", "R4.1"}})
	// R1 alone lies where no track may be.
	q.Keepouts[0].WidthMM, q.Keepouts[0].HeightMM, q.Keepouts[0].Components = 6, 6, true
	q.Placements = []Placement{{Ref: "R1", XY: XY{X: 3, Y: 3}, Side: "top", Fixed: true}}
	l, err := newLayout(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	l.deadline, l.now = now.Add(time.Hour), func() time.Time { return now }
	first, err := l.attempt(context.Background(), trial{}, 1<<40, func(string, float64, float64) {})
	if err != nil || !first.again {
		t.Fatalf("the first attempt is not given up: %v, %+v", err, first)
	}
	l.request.TimeLimitS = 1.5 * float64(first.work) / givingUp // for the first attempt and not for the second
	whole := 0
	l.progress = func(phase string, _, _ float64) {
		if phase == "rule check" {
			whole++
			now = now.Add(2 * time.Hour)
		}
	}
	r, err := l.best(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if whole != 2 || !r.TimeLimited {
		t.Fatalf("%d whole attempts, time limited %v", whole, r.TimeLimited)
	}
	if r.open != 1 || len(r.Board.Tracks) == 0 || r.legend == nil {
		t.Errorf("%d joins open, %d tracks, legend %v", r.open, len(r.Board.Tracks), r.legend != nil)
	}
}

// Which attempts are given up does not depend on how fast the machine is, as long as the time lasts: one
// whose clock stands still and one that has used nearly all of the time make the same attempts.
func TestSlowMachine(t *testing.T) {
	var full, told []int
	for _, slow := range []bool{false, true} {
		l, err := newLayout(openBoard(), nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Unix(0, 0)
		ended, reports := 0, 0
		l.deadline, l.now = begun.Add(time.Hour), func() time.Time {
			if slow && reports > 0 { // the parts are being placed
				return begun.Add(59 * time.Minute)
			}
			return begun
		}
		l.progress = func(phase string, _, _ float64) {
			reports++
			if phase == "rule check" {
				ended++
			}
		}
		r, err := l.best(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.TimeLimited || r.open == 0 {
			t.Errorf("slow %v: time limited %v, %d open", slow, r.TimeLimited, r.open)
		}
		full, told = append(full, ended), append(told, reports)
	}
	if full[0] != full[1] || told[0] != told[1] {
		t.Errorf("%v attempts were made in full, %v reports", full, told)
	}
	if full[0] != 1 {
		t.Errorf("%d attempts in full: the first ones are to be given up", full[0])
	}
}

// A caller has had enough: no further attempt is made, and the layout says that its time was limited.
// While the first attempt is routed, wrapUp is left for its copper; while a later one is made, the board
// that is there is the result at once.
func TestEnough(t *testing.T) {
	for _, c := range []struct {
		during  int  // which attempt, 0 for none
		patient bool // no attempt is given up before its end
		placed  int  // at least, without an end
		ended   int  // attempts
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
		l.deadline, l.now = now.Add(time.Hour), func() time.Time { return now }
		enough := make(chan struct{})
		l.until(enough)
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
					close(enough)
					before := l.deadline.Sub(l.now())
					now = now.Add(wrapUp / 2)
					if left := l.deadline.Sub(l.now()); left != before/2 {
						t.Errorf("%v of %v is left", left, before)
					}
				}
			}
			before = phase
		}
		r, err := l.best(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: placed %d times, %d ended, %d open, trial %d", c, placed, ended, r.open, r.trial.number)
		if ended != c.ended {
			t.Errorf("%+v: %d attempts ended", c, ended)
		}
		if r.open == 0 || r.TimeLimited != (c.during > 0) || r.legend == nil {
			t.Errorf("in attempt %d: %d joins open, time limited %v, legend %v", c.during, r.open, r.TimeLimited, r.legend != nil)
		}
		if c.during > 0 && placed != c.placed || placed < c.placed {
			t.Errorf("in attempt %d: placed %d times, want %d", c.during, placed, c.placed)
		}
	}
}
