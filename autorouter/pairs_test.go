package autorouter

import (
	"testing"

	"slipstick/autorouter/board"
)

// TestPairCurrent verifies that nets with the names of a pair are no pair if they carry the current
// of an amplifier. The current of a signal does not matter.
func TestPairCurrent(t *testing.T) {
	rules := board.Rules{Classes: []board.Class{{Name: "default", PairWidth: 2, PairGap: 3}}}
	for _, c := range []struct {
		current float64 // [A]
		pairs   int
	}{{0, 1}, {0.02, 1}, {1.2, 0}} {
		nl := &board.Netlist{Nets: []board.Net{{Name: "OUT+", Current: c.current}, {Name: "OUT-"}}}
		q := Request{AutoPairs: true}
		if got := q.pairs(nl, &rules, nil); len(got) != c.pairs {
			t.Errorf("%g A: %d pairs, want %d", c.current, len(got), c.pairs)
		}
	}
}
