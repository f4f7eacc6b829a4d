package analysis

import (
	"errors"
	"math"

	"slipstick/spice/mna"
)

// stages of the Runge-Kutta formula, the explicit one that opens it included.
const stages = 6

// tableau is ARK4(3)6L[2]SA-ESDIRK (Kennedy and Carpenter, NASA/TM-2001-211038, and Applied
// Numerical Mathematics 44, 2003): order 4 with an error estimate of order 3, L-stable and
// stiffly accurate, so that the last stage is the new point and obeys Kirchhoff's laws. All
// implicit stages have the diagonal 1/4 and share one factorisation.
type tableau struct {
	at     [stages]float64         // part of the step at which a stage stands
	weight [stages][stages]float64 // of the currents of the stages before, and its own
	wrong  [stages]float64         // weights of order 4 less those of order 3
}

func newTableau() tableau {
	t := tableau{
		at: [stages]float64{0, 1.0 / 2, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1},
		weight: [stages][stages]float64{
			1: {1.0 / 4, 1.0 / 4},
			2: {8611.0 / 62500, -1743.0 / 31250, 1.0 / 4},
			3: {5012029.0 / 34652500, -654441.0 / 2922500, 174375.0 / 388108, 1.0 / 4},
			4: {15267082809.0 / 155376265600, -71443401.0 / 120774400, 730878875.0 / 902184768, 2285395.0 / 8070912, 1.0 / 4},
			5: {82889.0 / 524892, 0, 15625.0 / 83664, 69875.0 / 102672, -2260.0 / 8211, 1.0 / 4},
		},
	}
	third := [stages]float64{4586570599.0 / 29645900160, 0, 178811875.0 / 945068544, 814220225.0 / 1159782912, -3700637.0 / 11593932, 61727.0 / 225920}
	for k, w := range third {
		t.wrong[k] = t.weight[stages-1][k] - w
	}
	return t
}

// staged makes the steps of a linear circuit. There every stage is one solution with the
// factors of the step, and an oscillation that no loss corrects needs a high order: formulas
// that look back lose it above order 2 (Dahlquist). A nonlinear circuit is better served by
// these, because every stage would cost it several iterations.
type staged struct {
	tableau
	current [stages][]float64 // of every charge, A (or flux, V), by stages
	x       [stages][]float64 // solutions of the stages
	taken   bool              // the last step was made of stages
	// Weights of the stages in the bow of the first and of the second half (bowOf).
	front, back [3]float64
	// rejected is the last step that was too long, with its error beside the tolerance.
	rejected struct{ t, h, r float64 }
}

func newStaged(charges, unknowns int) *staged {
	g := &staged{tableau: newTableau()}
	g.front, g.back = g.bowOf(0, 2, 3), g.bowOf(2, 3, 5)
	for k := range stages {
		g.current[k], g.x[k] = make([]float64, charges), make([]float64, unknowns)
	}
	return g
}

// tryStages solves at t+h through the stages. The charge of stage i is that of the last
// point and h times the weighted currents of the stages up to it.
func (st *stepper) tryStages(t, h float64) (ok bool, better float64, err error) {
	s, l, g := st.sim, &st.load, st.staged
	copy(g.current[0], st.past.current(0))
	l.A0 = 4 / h
	for i := 1; i < stages; i++ {
		w := &g.weight[i]
		copy(st.sum, st.past.charge(0))
		for j := range i {
			st.sumUp(h*w[j], g.current[j])
		}
		for k, q := range st.past.places {
			l.History[q] = -l.A0 * st.sum[k]
		}
		l.Time = t + g.at[i]*h
		if _, err := s.newton(newtonOptions{iterations: s.opt.Itl4, tolerance: st.tolerance}); err != nil {
			copy(s.x, st.past.x(0))
			return false, h / 8, err
		}
		for _, d := range s.storage {
			d.Update(l)
		}
		st.past.gather(g.current[i], l.Now, 1)
		copy(g.x[i], s.x)
	}
	r := st.stageError(h)
	better = stretch(h, r, 3, 5)
	if bow := st.stageBow(); bow > 0 {
		least := math.Min(h, 1e-6*st.stop)
		better = math.Min(better, math.Max(0.8*h/math.Sqrt(bow), least))
		if h > least {
			r = math.Max(r, bow)
		}
	}
	if r > 2 && h > math.Max(st.min, st.shortest)*1.01 {
		if g.rejected.t == t && h < st.grain() && h <= g.rejected.h/2 && r >= g.rejected.r/2 {
			// An error that does not fall with the step is rounding.
			st.shortest = st.grain()
		}
		g.rejected.t, g.rejected.h, g.rejected.r = t, h, r
		copy(s.x, st.past.x(0))
		return false, math.Max(better, h/10), nil
	}
	g.taken = true
	return true, math.Max(better, h/4), nil
}

// grain is the shortest step of a linear circuit in which a step was too short for the digits of a
// double: C/h and h/L then leave none for what is small beside them. Where nothing is nonlinear,
// nothing happens between corners that needs shorter steps.
func (st *stepper) grain() float64 { return 1e-6 * st.stop }

// lost reports whether a step failed because the matrix lost all digits; no step is shorter than
// the grain from then on.
func (st *stepper) lost(err error) bool {
	var singular *mna.SingularError
	if !errors.As(err, &singular) {
		return false
	}
	st.shortest = st.grain()
	return true
}

// stageError is the largest error of a charge in this step beside its tolerance: what the
// formula of order 3 that uses the same stages has different.
func (st *stepper) stageError(h float64) float64 {
	g, worst := st.staged, 0.0
	clear(st.sum)
	for j, w := range g.wrong {
		st.sumUp(h*w, g.current[j])
	}
	st.past.gather(st.now, st.load.Now, 0)
	for n, e := range st.sum {
		if e = math.Abs(e); e > worst*st.qtol[n] {
			worst = max(worst, e/st.chargeTolerance(n, st.now[n]))
		}
	}
	return worst
}

// stageBow is how far the straight lines between the stages miss the curves, beside what is
// allowed, over all vectors of the result (see drawing). The widest gap is that up to the
// first of them.
func (st *stepper) stageBow() float64 {
	g := st.staged
	x0, x2, x3, x5 := st.past.x(0), g.x[2], g.x[3], g.x[5]
	front, back, worst := g.front, g.back, 0.0
	for k, i := range st.index {
		bend := max(math.Abs(front[0]*x0[i]+front[1]*x2[i]+front[2]*x3[i]), math.Abs(back[0]*x2[i]+back[1]*x3[i]+back[2]*x5[i]))
		if span := st.span(k); bend > worst*span {
			worst = bend / span
		}
	}
	return worst / (drawn * st.bow)
}

// bowOf gives the weights of three stages in what the straight line up to the first stage would
// miss of the parabola through them.
func (t *tableau) bowOf(i, j, k int) [3]float64 {
	a, b, c := t.at[i], t.at[j], t.at[k]
	gap := t.at[2]
	f := gap * gap / 4
	return [3]float64{f / ((a - b) * (a - c)), f / ((b - a) * (b - c)), f / ((c - a) * (c - b))}
}

// drawStages adds the stages inside a step from t on to the result, in the order of time.
func (st *stepper) drawStages(t, h float64) {
	for _, i := range [...]int{2, 1, 3, 4} {
		st.out.add(t+st.staged.at[i]*h, st.staged.x[i], st.index)
	}
}
