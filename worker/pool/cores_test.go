package pool

import (
	"runtime"
	"testing"
)

// TestCoreShare verifies the division of four cores among computations that begin and end.
func TestCoreShare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var s coreShare
	for k, want := range []int{4, 2, 1, 1, 1} {
		if got := s.begin(); got != want {
			t.Errorf("computation %d has %d cores, want %d", k, got, want)
		}
	}
	for range 4 {
		s.end()
	}
	if got := s.begin(); got != 2 {
		t.Errorf("beside one other computation: %d cores, want 2", got)
	}
}
