package analysis

import "math"

// lteControl relates the local truncation error (LTE) of each charge and flux to its tolerance. The
// tolerance is proportional to the range that the charge has covered so far. The error is thus
// relative to the signal rather than to its bias.
type lteControl struct {
	tolScale              float64   // factor on the LTE tolerance of the run
	reltol, trtol, chgtol float64   // values of the options of the same names
	duration              float64   // duration [s] of the transient
	low, high             []float64 // range [C or Wb] of each charge so far
	floor                 []float64 // smallest significant range [Wb] of each flux; 0 for charges
	least                 []float64 // lower bound [C or Wb] on the tolerance of each charge
	// for each charge, the tolerance factor of scaleSlowCharges and the largest current [A or V] so
	// far
	slowFactor, maxCurrent []float64
	roundoff               []float64 // rounding error [C] of each charge, set by setRoundoff
	// voltageTime is the allowed error [Wb] of a flux in the present step, divided by the largest
	// voltage [V] of the flux so far. setStep sets it.
	voltageTime float64
	// index of the charge with the largest error in the last call of ratio
	worst int
}

func newLTEControl(n int, tolScale float64, opt Options, duration float64) lteControl {
	c := lteControl{tolScale: tolScale, reltol: opt.Reltol, trtol: opt.Trtol, chgtol: opt.Chgtol,
		duration: duration, low: make([]float64, n), high: make([]float64, n),
		floor: make([]float64, n), least: make([]float64, n), slowFactor: make([]float64, n),
		maxCurrent: make([]float64, n), roundoff: make([]float64, n)}
	for k := range c.slowFactor {
		c.slowFactor[k] = 1
	}
	return c
}

// start initializes the range of each charge with its present value.
func (c *lteControl) start(charges []float64) {
	copy(c.low, charges)
	copy(c.high, charges)
}

// setStep sets the length h [s] of the step to be judged. The voltage of an inductor is not more
// accurate than Newton's method makes it, and its flux is the integral of this voltage. In a step
// that resolves a jump, the voltage has the tolerance of the LTE, as in SPICE2. No result needs the
// shape of a shorter spike.
func (c *lteControl) setStep(h float64) {
	if c.voltageTime = fluxNoise * h; h < jumpStep*c.duration {
		c.voltageTime = c.tolScale * c.trtol * c.reltol * h
	}
}

// ratio returns the largest error relative to the tolerance of its charge. The error [C or Wb] of
// charge n is factor·|a[n] - b[n]|. now holds the present charges, which determine the tolerances.
func (c *lteControl) ratio(factor float64, a, b, now []float64) float64 {
	a, b = a[:len(now)], b[:len(now)]
	// Start with the charge that had the largest error in the previous call. Its ratio usually lets
	// the loop skip all others without computing their tolerances.
	least, worst := c.least[:len(now)], 0.0
	if n := c.worst; n < len(now) {
		if e := factor * math.Abs(a[n]-b[n]); e > 0 {
			worst = e / c.tolerance(n, now[n])
		}
	}
	for n := range now {
		if e := factor * math.Abs(a[n]-b[n]); e > worst*least[n] {
			if e /= c.tolerance(n, now[n]); e > worst {
				worst, c.worst = e, n
			}
		}
	}
	return worst
}

// tolerance returns the allowed error [C or Wb] of charge n with the present value q.
func (c *lteControl) tolerance(n int, q float64) float64 {
	hi, lo := c.high[n], c.low[n]
	size := math.Abs(hi)
	if l := math.Abs(lo); l > size {
		size = l
	}
	if q > hi {
		hi = q
	} else if q < lo {
		lo = q
	}
	reach := hi - lo
	if least := minRange * size; least > reach {
		reach = least
	}
	if least := c.floor[n]; least > reach {
		reach = least
	}
	tol := c.slowFactor[n] * c.tolScale * c.trtol * c.reltol * reach
	if least := c.reltol * c.chgtol; least > tol {
		tol = least
	}
	// The error that Newton's method leaves appears as noise in the third difference.
	if least := chargeNoise * size; least > tol {
		tol = least
	}
	if least := c.roundoff[n]; least > tol {
		tol = least
	}
	if c.floor[n] > 0 {
		if least := c.maxCurrent[n] * c.voltageTime; least > tol {
			tol = least
		}
	}
	return tol
}

// accept extends the ranges to include the charges of an accepted point.
func (c *lteControl) accept(now []float64) {
	lo, hi := c.low[:len(now)], c.high[:len(now)]
	for k, v := range now {
		if v < lo[k] || v > hi[k] || c.least[k] == 0 {
			if v < lo[k] {
				lo[k] = v
			} else if v > hi[k] {
				hi[k] = v
			}
			c.least[k] = c.tolerance(k, v)
		}
	}
}

// acceptCurrents updates the largest current [A or V] of each charge.
func (c *lteControl) acceptCurrents(flows []float64) {
	largest := c.maxCurrent[:len(flows)]
	for k, i := range flows {
		if i = math.Abs(i); i > largest[k] {
			largest[k] = i
		}
	}
}

// scaleSlowCharges reduces the tolerance of slow charges. The error of a junction charge disappears
// with the next edge. The error of a filter capacitor, or of the flux of an inductor, accumulates
// over thousands of steps. Such a charge is smooth, so a smaller tolerance costs few steps. The
// range divided by the largest current is the shortest time in which a charge can cover its range.
func (c *lteControl) scaleSlowCharges() {
	for k, i := range c.maxCurrent {
		factor := 1.0
		if c.high[k]-c.low[k] > slowSwing*c.duration*i {
			factor = slowTolScale
		}
		if c.slowFactor[k] != factor {
			c.slowFactor[k] = factor
			c.least[k] = c.tolerance(k, c.high[k])
		}
	}
}
