package analysis

import (
	"math"

	"slipstick/spice/device"
)

// eventControl locates the events of a transient, such as the switching of a switch. No integration
// formula is valid across an event. A separate short step covers it and restarts the integration.
// See Shampine and Thompson, Event location for ordinary differential equations, Computers and
// Mathematics with Applications 39, 2000.
type eventControl struct {
	devices []device.EventDevice
	step    float64 // longest step [s] that may contain an event
	// lead is the time [s] from the start of the step to the event. The whole step uses the state
	// after the event, so a longer lead would shift the event.
	lead     float64
	next     float64 // time [s] of the expected event; a past time if no event is expected
	certain  bool    // next is the time of a jump that was located by bisection
	isolated bool    // set if the last step contained an event
}

// newEventControl returns the control of events up to the stop time [s]. scale is a factor on the
// longest step with an event, which is at least minStep [s].
func newEventControl(devices []device.EventDevice, scale, stop, minStep float64) eventControl {
	c := eventControl{devices: devices}
	c.setStep(scale, stop, minStep)
	return c
}

// setStep sets the longest step with an event, as newEventControl does, and forgets the expected
// event.
func (c *eventControl) setStep(scale, stop, minStep float64) {
	c.step = math.Max(scale*eventStep*stop, minStep)
	c.lead, c.next, c.certain = math.Max(c.step*eventLead, minStep), 0, false
}

// limit shortens a step h [s] that starts at time t [s]. The step ends just before the expected
// event, or it is a short step that contains the event. In the latter case event is true if the
// time of the event is certain.
func (c *eventControl) limit(t, h float64) (step float64, event bool) {
	wait := c.next - t - c.lead
	switch {
	case wait > c.lead:
		return math.Min(h, wait), false
	case wait > -c.lead:
		return math.Min(h, c.step), c.certain
	}
	return h, false
}

// locate returns the position of the first event in a solved step, as a fraction of the step. found
// is false if there is no event. before is the solution at the start of the step.
func (c *eventControl) locate(l *device.Load, before []float64) (at float64, found bool) {
	at = 1
	for _, d := range c.devices {
		if a, ok := d.Event(l, before); ok {
			at, found = math.Min(at, a), true
		}
	}
	return at, found
}

// isolateEvent handles a step h [s] from time t [s] with an event at the fraction at of the step.
// It accepts a short backward Euler step. It rejects any longer step, and the next attempt ends
// just before the event. Backward Euler does not use the currents before the event and does not
// ring after it. certain is set if at was located by bisection.
func (st *stepper) isolateEvent(t, h, at float64, f integrator, certain bool) stepResult {
	c := &st.events
	c.certain = certain
	if h <= c.step && f.order() == 1 {
		c.next, c.isolated, st.rejectedEnd = 0, true, 0
		if len(st.jumps.sources) > 0 && st.jumps.count(t, chatterSteps*c.step) {
			c.setStep(st.eventScale, st.stop, st.minStep)
		}
		return stepResult{true, h}
	}
	copy(st.x, st.charges.past.x(0))
	st.order.reset()
	before := math.Min(at*h-c.lead, 0.9*h)
	if before < c.lead {
		st.discardHistory()
		return stepResult{false, math.Min(h, c.step)}
	}
	c.next = t + at*h
	return stepResult{false, before}
}
