package analysis

import "math"

// radauParts is the number of equal parts of a step that may have different densities of points.
const radauParts = 4

// addRadauPoints adds the points within a step of h [s] from time t [s] to the result. Their
// distance follows from the chord error.
func (st *stepper) addRadauPoints(t, h float64) {
	r, c := st.radau, &st.chord
	if r.jump {
		return
	}
	shown := c.shown()
	var worst [radauParts]float64 // largest second derivative, relative to the ranges
	for k, i := range shown {
		span := c.span(k, st.x[i])
		for part := range r.second {
			v := math.Abs(r.at(&r.second[part], i))
			r.bend[k][part] = v
			if v > worst[part]*span {
				worst[part] = v / span
			}
		}
	}
	gap := r.gap
	for _, f := range st.job.StepLimits {
		if t+h/2 > f.From { // the step begins at From or just before it
			gap = min(gap, f.Step)
		}
	}
	// The chord error of a line over the fraction d of the step is v·d²/8 for the second
	// derivative v.
	most := h / gap
	for _, v := range worst {
		most = max(most, math.Sqrt(v/(8*chordTolerance*c.scale)))
	}
	parts := radauParts
	if most <= radauParts {
		parts = 1 // few lines: all have the same length
	}
	for part := range parts {
		lines := most
		if parts > 1 {
			lines = max(math.Sqrt(worst[part]/(8*chordTolerance*c.scale)), h/gap) / radauParts
		}
		lines = min(max(1, math.Ceil(lines)), max(radauMaxLines, min(h/gap, maxLimitedSteps)))
		for k := 1.0; k <= lines; k++ {
			theta := (float64(part) + k/lines) / float64(parts)
			if theta == 1 { // run adds the end of the step
				break
			}
			w := newRadauWeights(theta, 0)
			row := st.out.extend(t + theta*h)
			for k, i := range shown {
				row[k] = r.x0[i] + r.at(&w, i)
			}
		}
		size := 1 / (8 * lines * lines * float64(parts*parts))
		for k := range shown {
			v := r.bend[k][part]
			if parts == 1 {
				v = max(v, r.bend[k][1], r.bend[k][2], r.bend[k][3])
			}
			r.chord[k] = max(r.chord[k], v*size)
		}
	}
}
