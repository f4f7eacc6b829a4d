package pcb

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestLoadedMachine verifies that the load of the processor does not change a board. It covers a
// sufficient time limit and a limit that ends the routing early. The load consists of goroutines
// that share the one processor of the test with the layout.
func TestLoadedMachine(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, c := range []struct {
		name    string
		body    []byte
		limited bool
	}{
		{"within the limit", generated(t, 50, 2, map[string]any{"time_limit_s": 1}), false},
		{"ended by the limit", generated(t, 110, 2, map[string]any{"time_limit_s": 1}), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			quiet := layout(t, c.body)
			var done atomic.Bool
			for range 2 {
				go func() {
					for !done.Load() {
					}
				}()
			}
			loaded := layout(t, c.body)
			done.Store(true)
			s := quiet.Statistics
			t.Logf("%.0f ms quiet, %.0f ms loaded; %.1f %% complete, time limited %v", s.RuntimeMS,
				loaded.Statistics.RuntimeMS, s.Completion, s.TimeLimited)
			if s.TimeLimited != c.limited || loaded.Statistics.TimeLimited != c.limited {
				t.Errorf("time limited: quiet %v, loaded %v", s.TimeLimited,
					loaded.Statistics.TimeLimited)
			}
			if !bytes.Equal(copper(t, quiet), copper(t, loaded)) {
				t.Errorf("two boards: %.1f %% complete on a quiet machine, %.1f %% on a loaded one",
					s.Completion, loaded.Statistics.Completion)
			}
		})
	}
}
