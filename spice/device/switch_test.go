package device

import (
	"math"
	"testing"
)

// TestSwitchEvent verifies the events of a switch with the thresholds 0.8 V and 1.2 V. The expected
// positions in the step follow from linear interpolation.
func TestSwitchEvent(t *testing.T) {
	k := part(t, "S1 p 0 c 0 s\n.model s sw(vt=1 vh=.2 ron=2 roff=1meg)", 27)
	d := k.d.(*controlledSwitch)
	k.at() // allocates the matrix
	for _, c := range []struct {
		was, from, to float64
		at            float64
		jumped        bool
	}{
		{switchOff, 0, 1.1, 1, false},
		{switchOff, 0, 1.6, 0.75, true},
		{switchOff, 1, 1.6, 1. / 3, true},
		{switchOn, 2, 0.9, 1, false},
		{switchOn, 2, 0, 0.6, true},
		{switchOn, 0.9, 0.5, 0.25, true},
	} {
		l := k.l
		clear(l.State)
		clear(l.X)
		l.PrevState[d.state], l.State[d.state] = c.was, c.was
		before := append([]float64(nil), l.X...)
		before[d.cp], l.X[d.cp] = c.from, c.to
		d.Load(l)
		if at, jumped := d.Event(l, before); jumped != c.jumped || math.Abs(at-c.at) > 1e-12 {
			t.Errorf("from %g to %g V: %g, %v, expected %g, %v", c.from, c.to, at, jumped,
				c.at, c.jumped)
		}
	}
	// The switch itself has moved its control back between the thresholds.
	l := k.l
	l.PrevState[d.state], l.State[d.state] = switchOff, switchOn
	before := append([]float64(nil), l.X...)
	before[d.cp], l.X[d.cp] = 1, 1.1
	if at, jumped := d.Event(l, before); !jumped || at != 0.5 {
		t.Errorf("%g, %v", at, jumped)
	}
}
