package autorouter

import (
	"context"
	"testing"
	"time"
)

// The time is up between two attempts: the second, which the open join calls for, is not made, and the
// layout says that its time was limited. With time for all attempts it is not.
func TestTimeUpBetweenAttempts(t *testing.T) {
	for _, late := range []bool{true, false} {
		// Copper may not be anywhere, so that the join stays open.
		side := 20.0
		q := &Request{
			NetlistFormat: "auto", SourceConnector: "header", DefaultPackage: "0805", Name: "board", UtilizationPct: 45,
			HoleClearanceMM: 0.25, HoleToHoleMM: 0.3, NeckLengthMM: 3, CopperOz: 1, TempRiseC: 10, PourClearanceMM: 0.25,
			FabProfile: "generic", Effort: "normal", TimeLimitS: 60, Seed: 1, WidthMM: &side, HeightMM: &side,
			Components: []Component{{Ref: "R1", Footprint: "R_0805"}, {Ref: "R2", Footprint: "R_0805"}},
			Nets:       []Net{{Name: "A", Pins: []string{"R1.1", "R2.1"}}},
			Keepouts:   []Keepout{{WidthMM: 20, HeightMM: 20, Layers: []string{"top", "bottom"}, Tracks: true, Vias: true}},
		}
		l, err := newLayout(q, nil)
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
