package analysis

import (
	"math"

	"slipstick/spice/device"
)

// pulseControl finds pulses of expressions inside a step. An expression of a voltage that crosses
// two levels within the step has a pulse there, although its values at both ends are equal. SPICE3
// makes no steps longer than that of the .tran card. The resolution of the search is this step
// between limits, which bound its effort.
type pulseControl struct {
	sources    []pulseSource
	resolution float64 // [s]
}

// pulseSource is a device with the range of its values so far.
type pulseSource struct {
	device.PulseDevice
	low, high float64
}

// newPulseControl returns the control of the given devices. step and stop [s] are those of the
// .tran card.
func newPulseControl(devices []device.Device, step, stop float64) pulseControl {
	c := pulseControl{resolution: min(max(step, stop/mostPulsePoints), stop/leastPulsePoints)}
	for _, d := range devices {
		if p, ok := d.(device.PulseDevice); ok && p.CanPulse() {
			c.sources = append(c.sources, pulseSource{p, math.Inf(1), math.Inf(-1)})
		}
	}
	return c
}

// find returns the first point with a pulse in a step from t0 to t1 [s], as a fraction of the step.
// before and after are the solutions at its ends. A pulse is a value outside the range of those at
// the ends by more than pulseSize of the range so far.
func (c *pulseControl) find(before, after []float64, t0, t1 float64) (at float64, found bool) {
	points := math.Min(math.Ceil((t1-t0)/c.resolution-equalStepTolerance), maxPulsePoints)
	if points < 2 {
		return 0, false
	}
	at = 1
	for k := range c.sources {
		s := &c.sources[k]
		first := s.ValueBetween(before, after, t0, t1, 0)
		last := s.ValueBetween(before, after, t0, t1, 1)
		least, most := min(first, last), max(first, last)
		if size := most - least; math.IsNaN(size) || math.IsInf(size, 0) {
			continue
		}
		s.low, s.high = min(s.low, least), max(s.high, most)
		for j := 1.0; j < points; j++ {
			v := s.ValueBetween(before, after, t0, t1, j/points)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			s.low, s.high = min(s.low, v), max(s.high, v)
			if max(least-v, v-most) > pulseSize*(s.high-s.low) {
				at, found = min(at, j/points), true
				break
			}
		}
	}
	return at, found
}
