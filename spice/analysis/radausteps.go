package analysis

import (
	"math"

	"slipstick/spice/mna"
)

// tryRadau attempts a step of h [s] from time t [s] with the Radau formula.
func (st *stepper) tryRadau(t, h float64) (stepResult, error) {
	s, q, r := st.sim, &st.charges, st.radau
	copy(r.x0, q.past.x(0))
	err := r.solve(t, h)
	if err == nil {
		r.evaluate(&r.end, s.x)
		for _, v := range s.x {
			if !(math.Abs(v) <= largest) {
				err = &mna.SingularError{}
			}
		}
	}
	if err != nil {
		copy(s.x, r.x0)
		st.byStages = false
		return stepResult{false, h / 8}, err
	}
	worst := max(r.error(s.x), r.sourceError(t, h))
	next := roundStep(scaledStep(h, worst, radauStages, radauMaxGrowth))
	restarted := q.past.points == 2
	r.jump = worst > rejectError
	if r.jump {
		st.roundoff.reject(t, h, worst)
		r.least = max(r.least, st.roundoff.floor)
	}
	least := r.least
	if r.jump && h > 1.01*least {
		copy(s.x, r.x0)
		if next = max(next, h/radauMaxGrowth, least); restarted {
			r.restartStep = next
		}
		return stepResult{false, next}, nil
	}
	if restarted {
		r.restartStep, r.restarted = next, true
	}
	r.evaluate(&r.middle, r.mid)
	l := &s.load
	l.Time, l.A0 = t+h, 0 // the next step is a backward Euler step or needs no charge currents
	for _, d := range s.storage {
		d.Update(l)
	}
	q.past.copyCharges(q.now, l.State, 0)
	return stepResult{true, max(next, least)}, nil
}

// roundStep rounds a step [s] down to a geometric sequence, so that steps and their factors recur.
func roundStep(h float64) float64 { return math.Exp2(math.Floor(2*math.Log2(h)) / 2) }

// start initializes the ranges with the solution x at 0 s.
func (r *radau) start(x []float64) {
	copy(r.low, x)
	copy(r.high, x)
	r.loadSources(0, r.bLow)
	copy(r.bHigh, r.bLow)
}

// error returns the largest error estimate of the step for the solution x at its end, relative to
// the tolerance. It sets endError, amplitude and angle.
func (r *radau) error(x []float64) float64 {
	worst, stored, third, fifth := 0.0, 0.0, 0.0, 0.0
	kind := r.sim.kind
	for i, v := range x {
		if v = math.Abs(v); v > r.largest[kind[i]] {
			r.largest[kind[i]] = v
		}
	}
	noise := [2]float64{radauNoise * r.largest[0], radauNoise * r.largest[1]}
	for i := 1; i < len(x); i++ {
		v := x[i]
		span := max(r.high[i], v) - min(r.low[i], v) +
			(r.floor[i] + noise[kind[i]] + minOutputRange*math.Abs(v))
		e := math.Abs(r.e[i])
		if e > worst*span {
			worst = e / span
		}
		if r.stores[i] {
			if e > stored*span {
				stored = e / span
			}
			if d := math.Abs(r.at(&r.third, i)); d > third*span {
				third = d / span
			}
			if d := math.Abs(r.at(&r.fifth, i)); d > fifth*span {
				fifth = d / span
			}
		}
	}
	r.endError, r.amplitude = 0, 0
	if third > 0 {
		q := min(fifth/third, radauMaxAngle*radauMaxAngle)
		r.endError = radauEndErrorRatio * stored * q * q
		if third > radauLeastCurve && q > radauLeastAngle*radauLeastAngle {
			r.angle = math.Sqrt(q)
			r.amplitude = third / (q * r.angle)
		}
	}
	return worst / r.tol
}

// sourceError returns the interpolation error of the sources in a step of h [s] from time t [s],
// relative to the tolerance. An unknown without charge depends on the sources alone.
func (r *radau) sourceError(t, h float64) (worst float64) {
	r.loadSources(t+radauCheckAt*h, r.b)
	for i, b := range r.b {
		b0 := r.b0[i]
		if b == b0 {
			continue
		}
		v := r.interpolation[0] * b0
		for j := range r.stage {
			v += r.interpolation[j+1] * r.stage[j][i]
		}
		span := max(r.bHigh[i], b, b0) - min(r.bLow[i], b, b0)
		if e := math.Abs(v - b); e > worst*span && e > 1e-12*math.Abs(b) {
			worst = e / span
		}
	}
	return worst / (radauInteriorErrorRatio * r.tol)
}

// accept adds the errors of an accepted step to those of the run and extends the ranges. The step
// of h [s] ends at time t [s] with the solution x. If the errors at the ends of the steps would
// accumulate too much by the stop time [s], accept reduces the tolerance.
func (r *radau) accept(x []float64, t, h, stop float64) {
	if r.jump {
		r.endError, r.amplitude = 0, 0
		clear(r.e)
	}
	r.accumulate()
	r.accumulated = max(r.accumulated, r.present)
	if r.present > radauAccumulated*max(t/stop, radauFreeTime) &&
		r.endError > radauAccumulated*h/stop {
		r.tol = max(radauTolFactor*r.tol, r.leastTol)
	}
	for i, v := range x {
		m, b := r.mid[i], r.b0[i]
		r.low[i], r.high[i] = min(r.low[i], v, m), max(r.high[i], v, m)
		r.bLow[i], r.bHigh[i] = min(r.bLow[i], b), max(r.bHigh[i], b)
		r.interior[i] = max(r.interior[i], math.Abs(r.e[i]))
	}
}

// accumulate adds the error at the end of a step to the present error. Between breakpoints the
// error of an oscillation follows its amplitude. The part that corresponds to a sine with the angle
// per step of the derivatives can also grow with the amplitude. The remaining part is at most the
// sum of the step errors.
func (r *radau) accumulate() {
	if r.restarted {
		r.restarted = false
		r.earlier, r.sum, r.relative, r.growing, r.peak = r.present, 0, 0, 0, 0
	}
	r.sum += r.endError
	if r.amplitude == 0 {
		r.present += r.endError
		return
	}
	r.peak = max(r.peak, r.amplitude)
	relative := r.endError / r.amplitude
	r.relative += relative
	if r.angle < radauSineAngle {
		r.growing += min(relative, radauSineError*math.Pow(r.angle, 2*radauStages))
	}
	r.present = r.earlier*r.amplitude/r.peak +
		max(min(r.relative*r.amplitude, r.sum), r.growing*r.amplitude)
}

// estimate returns the estimated error of the result, relative to each vector's peak-to-peak value.
// It consists of the chord error, the largest error within a step and the accumulated error at the
// ends of the steps. It sets c.drawn.
func (r *radau) estimate(out *table, c *chordControl) (worst float64) {
	lo, hi := out.ranges()
	for k, i := range c.shown() {
		if span := hi[k+1] - lo[k+1]; span > 1e-6*max(hi[k+1], -lo[k+1]) {
			span = max(span, c.floor[k])
			worst = max(worst, (r.chord[k]+radauInteriorErrorRatio*r.interior[i])/span)
			c.drawn = max(c.drawn, r.chord[k]/span)
		}
	}
	return worst + r.accumulated
}
