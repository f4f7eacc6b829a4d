package analysis

import (
	"math"

	"slipstick/spice/device"
)

// discontinuityControl locates the jumps of expressions, such as that of a comparison. A step with
// a jump is an event, like a step in which a switch changes its state.
type discontinuityControl struct {
	sources []discontinuousSource
	last    float64 // time [s] of the last event
	events  int     // number of successive events in rapid succession
}

// discontinuousSource is a source whose expression can jump.
type discontinuousSource struct {
	device.PulseDevice
	low, high   float64 // range of the values so far
	time, value float64 // last value and its time [s]; NaN if there is none
}

// newDiscontinuityControl returns the control of the expressions of the given devices.
func newDiscontinuityControl(devices []device.Device) (c discontinuityControl) {
	for _, d := range devices {
		if p, ok := d.(device.PulseDevice); ok && p.CanJump() {
			c.sources = append(c.sources,
				discontinuousSource{p, math.Inf(1), math.Inf(-1), math.NaN(), math.NaN()})
		}
	}
	return c
}

// locate returns the position of the first jump in a step from t0 to t1 [s], as a fraction of the
// step. before and after are the solutions at its ends, of which after may be a prediction. The
// position is at most within [s] behind the jump. found is false if no expression jumps.
func (c *discontinuityControl) locate(before, after []float64, t0, t1, within float64) (
	at float64, found bool,
) {
	if len(c.sources) == 0 || c.events > mostDiscontinuities {
		return 1, false
	}
	at = 1
	for k := range c.sources {
		s := &c.sources[k]
		if s.time != t0 {
			s.value = s.ValueBetween(before, after, t0, t1, 0)
			s.time = t0
			if !math.IsNaN(s.value) && !math.IsInf(s.value, 0) {
				s.low, s.high = min(s.low, s.value), max(s.high, s.value)
			}
		}
		last := s.ValueBetween(before, after, t0, t1, 1)
		change := math.Abs(last - s.value)
		least := discontinuitySize * (max(s.high, last) - min(s.low, last))
		if !(change > least) || math.IsInf(change, 0) {
			continue
		}
		if a, ok := s.bisect(before, after, t0, t1, last, within/(t1-t0)); ok {
			at, found = min(at, a), true
		}
	}
	return at, found
}

// bisect returns the position of a jump in a step from t0 to t1 [s], at the end of which the value
// is last. within is the largest error of the position, as a fraction of the step. found is false
// if the change in the interval decreases with its length, because the value is continuous then.
func (s *discontinuousSource) bisect(before, after []float64, t0, t1, last, within float64) (
	at float64, found bool,
) {
	low, high, from, to := 0.0, 1.0, s.value, last
	least := discontinuityPart * math.Abs(last-s.value)
	for high-low > within {
		middle := (low + high) / 2
		v := s.ValueBetween(before, after, t0, t1, middle)
		if math.Abs(v-from) >= math.Abs(to-v) {
			high, to = middle, v
		} else {
			low, from = middle, v
		}
		if !(math.Abs(to-from) > least) {
			return 1, false
		}
	}
	return high, true
}

// count counts an event at time t [s]. An event later than within [s] after the last one begins a
// new count. ended is true for the event after which jumps are no longer located.
func (c *discontinuityControl) count(t, within float64) (ended bool) {
	if c.events > mostDiscontinuities {
		return false
	}
	if c.events++; t-c.last > within {
		c.events = 0
	}
	c.last = t
	return c.events > mostDiscontinuities
}
