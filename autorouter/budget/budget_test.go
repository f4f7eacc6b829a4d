package budget

import (
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	var m Meter
	var none *Meter
	want := time.Duration(0)
	for op := range operations {
		if Cost(op, 1) <= 0 {
			t.Errorf("operation %d costs %v", op, Cost(op, 1))
		}
		m.Add(op, 3)
		none.Add(op, 3)
		want += 3 * Cost(op, 1)
	}
	if m.Spent() != want || none.Spent() != 0 {
		t.Errorf("spent %v, want %v; without a meter %v", m.Spent(), want, none.Spent())
	}
	// The cost of ten hours does not overflow for the cheapest and the most expensive operation.
	for _, op := range []Operation{GridNode, CopperItem} {
		if n := int(10 * time.Hour / Cost(op, 1)); Cost(op, n) <= 0 {
			t.Errorf("operation %d: %v", op, Cost(op, n))
		}
	}
}
