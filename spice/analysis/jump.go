package analysis

// jumpControl ends the resolution of a jump in which shorter steps only increase noise. The voltage
// of an inductor is the change of its flux divided by the step. If the inductor has almost no
// current and no capacitance at its node, this change is at the roundoff level of the other
// currents. Newton's method then diverges at any shorter step. A few steps without the limit of the
// LTE lead out of the jump.
type jumpControl struct {
	stop     float64 // stop time [s]; 0 for circuits without such inductors
	attempts int     // number of successive attempts below noiseStep
	skipping int     // number of remaining attempts without the limit of the LTE
	repeats  int     // number of longer steps tried in the present jump
	first    float64 // time [s] of the first jump that is not resolved; 0 if there is none
}

// count counts an attempt of h [s] from time t [s].
func (c *jumpControl) count(t, h float64, accepted, diverged bool) {
	switch {
	case h >= jumpStep*c.stop:
		if accepted {
			c.attempts, c.skipping, c.repeats = 0, 0, 0
		}
	case c.skipping > 0:
		c.skipping--
	case diverged:
		c.attempts, c.skipping = 0, skippingSteps
	case h >= noiseStep*c.stop:
		c.attempts = 0
	default:
		if c.attempts++; c.attempts == maxNoiseSteps {
			c.attempts, c.skipping = 0, skippingSteps
			c.skip(t)
		}
	}
}

// skip records that the jump at time t [s] is not resolved.
func (c *jumpControl) skip(t float64) {
	if c.first == 0 {
		c.first = t
	}
}

// skips reports whether the LTE does not limit a step of h [s].
func (c *jumpControl) skips(h float64) bool { return c.skipping > 0 && h < skippingStep*c.stop }

// longer returns the step [s] to try at time t [s] after a failed attempt if a shorter step would
// increase the noise. Otherwise it returns 0. It does so at most maxRepeats times per jump, with
// shorter steps from time to time. noise is set if the attempt itself shows the noise.
func (c *jumpControl) longer(t float64, noise bool) float64 {
	if c.stop == 0 || c.skipping == 0 && !noise || c.repeats == maxRepeats {
		return 0
	}
	c.repeats++
	c.attempts, c.skipping = 0, skippingSteps
	c.skip(t)
	return jumpStep * c.stop / float64(1+c.repeats)
}
