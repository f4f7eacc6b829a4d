package analysis

import (
	"fmt"
	"math"
	"testing"

	"slipstick/spice/device"
)

// TestSwitchEvent closes a switch with a ramp at 0.6 ms. A capacitor then charges as 1 - exp(-(t -
// 0.6 ms)/tau). The event must be located within 1 ns, a millionth of the duration. The time
// constants range from a thousandth to a millionth of the duration.
func TestSwitchEvent(t *testing.T) {
	const close, instant = 0.6e-3, 1e-9
	for _, tau := range []float64{1e-6, 1e-7, 1e-9} {
		for _, maxord := range []int{1, 2, 3, 4} {
			out := run(t, fmt.Sprintf("V1 in 0 1\nVC c 0 PWL(0 0 1m 1)\nS1 in out c 0 s\nC1 out 0 %g\n.model s sw(vt=0.5 vh=0.1 ron=1k roff=1e15)\n.options maxord=%d\n.tran 1u 1m uic", tau/1e3, maxord))
			at := map[string][]float64{}
			for _, v := range out.Vectors {
				at[v.Name] = v.Values
			}
			behind := 0
			for k, now := range at["time"] {
				charged := func(t float64) float64 {
					return 1 - math.Exp(-math.Max(0, t-close)/tau)
				}
				low, high := charged(now-instant)-5e-3, charged(now+instant)+5e-3
				if v := at["v(out)"][k]; v < low || v > high {
					t.Errorf("tau %g s, maxord %d: %g V at %.12g s, expected from %g to %g", tau,
						maxord, v, now, low, high)
				}
				if now > close && now < close+5*tau {
					behind++
				}
			}
			if behind < 10 {
				t.Errorf("tau %g s, maxord %d: only %d points draw the charging", tau,
					maxord, behind)
			}
		}
	}
}

// crossing is a device with an event at a fixed fraction of every step, or without an event if the
// fraction is above 1.
type crossing float64

func (c crossing) Event(*device.Load, []float64) (float64, bool) { return float64(c), c <= 1 }

func (c crossing) Control([]float64) float64 { return float64(c) }

// TestEventControl verifies that locate returns the first of several events and that limit ends
// steps just before the event.
func TestEventControl(t *testing.T) {
	c := newEventControl([]device.EventDevice{crossing(0.7), crossing(0.4), crossing(2)},
		1, 1e-3, 1e-15)
	if at, found := c.locate(nil, nil); !found || at != 0.4 {
		t.Errorf("event at %g, found %v, want 0.4", at, found)
	}
	// For a stop time of 1 ms, the step with an event is 1 ns long and begins 1/32 ns before the
	// event.
	c.next, c.certain = 0.5e-3, true
	for _, k := range []struct {
		t, h, want float64
		event      bool
	}{
		{0.1e-3, 0.1e-3, 0.1e-3, false},                // the step ends far before the event
		{0.45e-3, 0.1e-3, 0.05e-3 - 1e-9/32, false},    // the step ends one lead before the event
		{0.5e-3 - 1e-9/32, 0.1e-3, 1e-9, true},         // the step contains the event
		{0.5e-3 + 2e-9, 0.1e-3, 0.1e-3, false},         // the step starts after the event
		{0.5e-3 - 1.5e-9/32, 0.5e-10, 0.5e-10, true},   // the step is already short enough
		{0.5e-3 - 1e-9/32 + 1e-12, 1e-10, 1e-10, true}, // the step is already short enough
		// the gap before the lead is too short for a step
		{0.5e-3 - 1e-9/32 - 1e-12, 0.1e-3, 1.0e-9, true},
	} {
		got, event := c.limit(k.t, k.h)
		if math.Abs(got-k.want) > 1e-15 || event != k.event {
			t.Errorf("step %g s at %.12g s: %g s, event %v, want %g s, %v", k.h, k.t, got, event,
				k.want, k.event)
		}
	}
}
