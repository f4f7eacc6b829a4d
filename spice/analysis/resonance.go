package analysis

import (
	"math"

	"slipstick/spice/device"
)

// resonanceControl finds resonances whose damping orders above 2 distort. BDF of order 3 increases
// the amplitude of an oscillation by (ωh)⁴/4 per step. A resonance with a high quality factor would
// not decay. It may even grow, and the LTE keeps its steps short until the end of the run. Few
// periods do no harm, and a restart of the integration begins a new count.
type resonanceControl struct {
	fluxes []fluxCurvature
	angle  float64 // angle [rad] by which a resonance has turned since the last restart
	points int     // number of points since the last restart at the last call of lasts
	// oscillator is set for an autonomous circuit with a device that can amplify. Its oscillation
	// is the result, and only a resonance that is too fast for the steps counts.
	oscillator bool
	sine       float64 // largest step [s] that resolves the sines of the sources
}

// fluxCurvature holds sums over the steps, in which older steps have less weight, of a flux.
type fluxCurvature struct {
	number         int     // number of the flux among the charges
	product, power float64 // sums of -dd₂·dd₄ and dd₂² [Wb²], dd₂ and dd₄ its differences
}

// newResonanceControl returns the control of the fluxes among the charges of a run.
func newResonanceControl(lte *lteControl, oscillator bool, sine float64) resonanceControl {
	c := resonanceControl{oscillator: oscillator, sine: sine}
	for k, floor := range lte.floor {
		if floor > 0 {
			c.fluxes = append(c.fluxes, fluxCurvature{number: k})
		}
	}
	return c
}

// lasts reports whether a resonance has turned by resonantPeriods periods, after a step of h [s].
// q holds the charges after this step.
func (c *resonanceControl) lasts(h float64, q *charges, lte *lteControl) bool {
	if len(c.fluxes) == 0 || c.oscillator && h > jumpStep*lte.duration {
		return false
	}
	if q.past.points < c.points {
		c.angle = 0
	}
	c.points = q.past.points
	if q.past.points < 5 || !q.past.nearlyEqualSteps(h, 3) {
		return c.angle > 2*math.Pi*resonantPeriods
	}
	if turned := c.turned(h, q, lte); turned > 0 {
		c.angle += turned
	} else {
		c.angle = max(0, c.angle-resonantAngle)
	}
	return c.angle > 2*math.Pi*resonantPeriods
}

// turned returns the angle [rad] by which the fastest resonance turned in a step of h [s], or 0.
// The fourth difference of an oscillation is -(2·sin(ωh/2))² times its second difference. Sums over
// the steps give the factor also where the second difference crosses 0. Resonances far below the
// LTE tolerance do not count, nor do those at the frequencies of sines.
func (c *resonanceControl) turned(h float64, q *charges, lte *lteControl) (largest float64) {
	p := &q.past
	q1, q2, q3, q4 := p.charge(0), p.charge(1), p.charge(2), p.charge(3)
	least := max(resonantAngle, forcedHarmonic*2*math.Pi/device.StepsPerPeriod*h/c.sine)
	for i := range c.fluxes {
		f := &c.fluxes[i]
		k := f.number
		now := q.now[k]
		second := q1[k] - 2*q2[k] + q3[k]
		fourth := now - 4*(q1[k]+q3[k]) + 6*q2[k] + q4[k]
		f.product = resonantMemory*f.product - second*fourth
		f.power = resonantMemory*f.power + second*second
		squared := f.product / f.power                         // (2·sin(ωh/2))²
		amplitude := math.Sqrt(f.power * (1 - resonantMemory)) // of the second difference
		if squared > least*least && squared*amplitude > resonantSize*lte.tolerance(k, now) {
			largest = max(largest, min(math.Sqrt(squared), 2))
		}
	}
	return largest
}
