package analysis

import (
	"math"

	"slipstick/spice/device"
	"slipstick/spice/mna"
)

// radauStages is the number of stages of the Radau IIA formula. Its order is 2·radauStages - 1.
const radauStages = 5

// radauAt holds the time of each stage as a fraction of the step: the zeros of P₅(2θ-1) - P₄(2θ-1),
// where P are the Legendre polynomials.
var radauAt = [radauStages]float64{0.057104196114517682193, 0.27684301363812382768,
	0.58359043236891682006, 0.86024013565621944785, 1}

// radauMode holds the constants of an eigenvalue of the inverse Runge-Kutta matrix. The elements of
// load are those of the left eigenvector, scaled to the sum 1.
type radauMode struct {
	eigenvalue complex128
	load       [radauStages]complex128 // factor on the sources at each stage
	shape      [radauStages]complex128 // coefficients of θ, θ², ... in the polynomial of the step
}

// radauModes holds the real eigenvalue and one of each conjugate pair. The factor 2 of the real
// part of a pair is contained in shape.
var radauModes = [3]radauMode{
	{6.2867047517292766452,
		[radauStages]complex128{0.637027612464011981, 0.29400784393493454884,
			0.073793015049813378261, -0.021883614950261514102, 0.017055143501501606},
		[radauStages]complex128{18.538762400649740084, -173.46066717044936459,
			563.43945318628881733, -736.5973381423554498, 371.55937088334525463}},
	{5.7009532986717894192 + 3.2102656003085498884i,
		[radauStages]complex128{0.63891143898260798154 + 0.22740458813972847024i,
			0.36056128700872741176 - 0.16193962965671201956i,
			0.006709840494359569643 - 0.037588070025649149429i,
			0.0061359004852347961637 - 0.047685461016696645209i,
			-0.012318466970929759105 + 0.019808572559329343957i},
		[radauStages]complex128{13.28070289595766668 - 26.186587198383435467i,
			-86.119502671550616766 + 274.00537647240821179i,
			207.17071238977792401 - 880.78756728183113766i,
			-159.90335724354485402 + 1202.2624359215167217i,
			-24.587459788620928473 - 564.91915332621036723i}},
	{3.6556943254635722582 + 6.543736899360077294i,
		[radauStages]complex128{0.65780527250968102883 + 0.53493931080422216918i,
			0.63194417290698205779 - 0.4738963564798979747i,
			-0.3837561128153544043 - 0.16334567709750378084i,
			0.12519519604682511878 + 0.16311306633786865255i,
			-0.031188528648133801096 - 0.060810343564689066185i},
		[radauStages]complex128{-6.8194652966074067635 - 11.247944253919509222i,
			109.58016984199998135 + 97.727386835244092503i,
			-420.61016557606674134 - 204.28879458623384335i,
			546.50069538590030381 + 109.40021025527003223i,
			-220.97191109472432616 + 7.8620009771082973573i}},
}

// Properties of the formula for a sine, measured up to 0.4 periods per step.
const (
	// radauInterior is the largest error within a step divided by the error estimate.
	radauInterior = 0.22
	// radauEnd is the error at the end of a step divided by the error estimate and by the square of
	// the ratio of the derivatives of order 5 and 3.
	radauEnd = 2.5e-4
	// radauSineError is four times the error of a sine at the end of a step divided by its
	// amplitude and by the tenth power of the angle.
	radauSineError = 4 * 2.2e-9
	// radauSineAngle is the largest angle [rad] of an accepted step of a sine.
	radauSineAngle = 3.0
	// radauCheckAt is the position within a step at which the interpolation of the sources is
	// checked. It is between two stages.
	radauCheckAt = 0.43
)

// radau is the integrator for linear circuits C·x' + G·x = b with constant C and G: the Radau IIA
// formula of order 9 (E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, 1996,
// sections IV.5 and IV.8). Its polynomial of degree 5 satisfies the equations at five stages and is
// the result everywhere within the step. A step can thus contain many points of the result. In the
// basis of the eigenvectors of the inverse Runge-Kutta matrix the stages are independent. A step of
// h seconds requires one real and two complex solutions:
//
//	(eigenvalue/h·C + G)·w = Σ load·b(stage) - G·x0
//
// The polynomial is x0 + Re Σ (shape[0]·θ + shape[1]·θ² + ...)·w, where θ runs from 0 to 1.
//
// The error estimate is that of Hairer and Wanner: the solution for the defect of the polynomial at
// the start of the step. It has the order of the error within a step, which does not accumulate.
// The error at the end of a step has a higher order. It follows from the estimate and from the
// ratio of two derivatives, which is the square of the angle per step for a sine.
type radau struct {
	sim     *sim
	storage []storageEntry
	stores  []bool          // set for the unknowns on which charges and fluxes depend
	g       []float64       // values of G by slot
	a       []float64       // matrix of the real eigenvalue
	c       []complex128    // matrix of a complex eigenvalue
	factors []*radauFactors // the most recently used ones first

	tol         float64 // largest accepted error estimate, relative to the range of an unknown
	leastTol    float64 // lower limit of tol
	least       float64 // shortest step [s]
	gap         float64 // longest time [s] between two points of the result
	restartStep float64 // second step [s] after a breakpoint; 0 if unknown
	jump        bool    // the step is the shortest one and does not resolve the waveform

	// Vectors of the present step, indexed by unknown.
	x0, mid   []float64 // solution [V or A] at the start and in the middle
	residual  []float64 // G·x0 - b at the start
	e         []float64 // error estimate [V or A]
	right, w  []float64 // right-hand side and solution for the real eigenvalue
	rights    [2][]complex128
	ws        [2][]complex128
	residuals []complex128 // residual and correction of iterative refinement
	corrected []complex128
	b0, b     []float64              // sources at the start and at another time
	stage     [radauStages][]float64 // sources at the stages
	bend      [][radauParts]float64  // second derivative of each output in the parts of the step
	endError  float64                // error at the end, relative to the ranges
	amplitude float64                // amplitude of an oscillation, likewise; 0 if unknown
	angle     float64                // its angle [rad] in the step

	// Ranges and errors of the run.
	low, high   []float64  // range [V or A] of each unknown so far
	bLow, bHigh []float64  // range of each source so far
	largest     [2]float64 // largest voltage [V] and current [A] so far
	floor       []float64  // smallest significant range [V or A] of each unknown
	interior    []float64  // largest error estimate [V or A] of each unknown so far
	chord       []float64  // largest chord error [V or A] of each output so far
	// accumulated error at the ends of the steps, relative to the ranges: at present, and its
	// largest value so far
	present, accumulated float64
	restarted            bool    // a breakpoint precedes the step
	earlier              float64 // error at the last breakpoint
	sum                  float64 // sum of endError since then
	relative             float64 // sum of endError divided by the amplitude
	growing              float64 // part of it that may grow with the amplitude
	peak                 float64 // largest amplitude since then

	middle, end   radauWeights // values in the middle and at the end
	first         radauWeights // first derivative at the start
	third, fifth  radauWeights // derivatives in the middle
	second        [radauParts]radauWeights
	interpolation [radauStages + 1]float64 // weights of b0 and stage at radauCheckAt
}

// radauParts is the number of equal parts of a step that may have different densities of points.
const radauParts = 4

// radauWeights are the weights of a value or a derivative of the polynomial: the factors on w, and
// on the real and imaginary parts of ws.
type radauWeights [radauStages]float64

// storageEntry is an entry of C at a slot of the matrix.
type storageEntry struct {
	slot     mna.Slot
	row, col int32
	value    float64 // [F or H]
}

// radauFactors holds the factors of the matrices for steps of h [s].
type radauFactors struct {
	h      float64
	rounds int // number of rounds of iterative refinement plus 1; 0 if unknown
	real   *mna.RealLU
	pairs  [2]*mna.ComplexLU
}

// newRadau prepares the integrator for a result with a number of outputs. tolScale is a factor on
// the tolerance. It returns nil if constant C and G do not describe a device.
func newRadau(s *sim, tolScale float64, outputs int) *radau {
	r := &radau{sim: s, tol: radauTol * tolScale}
	d := Defaults()
	r.tol *= min(s.opt.Reltol*s.opt.Trtol/(d.Reltol*d.Trtol), 2)
	for _, d := range s.storage {
		if !device.IsConstant(d) {
			return nil
		}
	}
	r.split()
	if len(s.job.Fine) > 0 {
		r.tol *= radauSpectrumTol
	}
	r.leastTol = radauLeastTol * r.tol
	for _, v := range [...]*[]float64{&r.x0, &r.mid, &r.residual, &r.e, &r.right, &r.w, &r.b0,
		&r.b, &r.low, &r.high, &r.bLow, &r.bHigh, &r.floor, &r.interior} {
		*v = make([]float64, s.n+1)
	}
	for k := range r.stage {
		r.stage[k] = make([]float64, s.n+1)
	}
	for k := range r.ws {
		r.rights[k], r.ws[k] = make([]complex128, s.n+1), make([]complex128, s.n+1)
	}
	r.residuals, r.corrected = make([]complex128, s.n+1), make([]complex128, s.n+1)
	r.bend, r.chord = make([][radauParts]float64, outputs), make([]float64, outputs)
	for i := range r.floor {
		r.floor[i] = radauFloor * voltageFloor * s.opt.Vntol
		if s.branch[i] {
			r.floor[i] = radauFloor * currentFloor * s.opt.Abstol
		}
	}
	r.first, r.middle, r.end = newWeights(0, 1), newWeights(0.5, 0), newWeights(1, 0)
	r.third, r.fifth = newWeights(0.5, 3), newWeights(0.5, 5)
	for k := range r.second {
		r.second[k] = newWeights((float64(k)+0.5)/radauParts, 2)
	}
	nodes := append([]float64{0}, radauAt[:]...)
	for i, at := range nodes {
		r.interpolation[i] = 1
		for j, other := range nodes {
			if j != i {
				r.interpolation[i] *= (radauCheckAt - other) / (at - other)
			}
		}
	}
	return r
}

// split computes G and the entries of C.
func (r *radau) split() {
	s := r.sim
	saved := s.load
	defer func() { s.load = saved }()
	l := &s.load
	p := s.setup.Pattern
	stamps := func(a0 float64) []float64 {
		l.A, l.B, l.A0 = make([]float64, p.Slots()), make([]float64, s.n+1), a0
		for _, d := range s.storage {
			d.Load(l)
		}
		return l.A
	}
	const tiny = 1e-300 // the stamps for 0 are those of DC
	base, once := stamps(tiny), stamps(1)
	r.stores = make([]bool, s.n+1)
	for k := 1; k < p.Slots(); k++ {
		if c := once[k] - base[k]; c != 0 {
			row, col := p.Position(k)
			r.storage = append(r.storage, storageEntry{mna.Slot(k), int32(row), int32(col), c})
			r.stores[col] = true
		}
	}
	l.B, l.A0 = make([]float64, s.n+1), 1
	s.loadConstant()
	s.keys.constant.epoch = -1 // constantA holds the values of a transient, whatever the key
	r.g = base
	for k, v := range s.constantA {
		r.g[k] += v
	}
	r.a, r.c = make([]float64, len(r.g)), make([]complex128, len(r.g))
}

// newWeights returns the weights of the derivative of the given order at θ, with respect to θ.
func newWeights(theta float64, order int) radauWeights {
	var powers [radauStages]float64
	power := 1.0
	for degree := max(order, 1); degree <= radauStages; degree++ {
		factor := 1.0
		for k := range order {
			factor *= float64(degree - k)
		}
		if degree > order {
			power *= theta
		}
		powers[degree-1] = factor * power
	}
	var sum [len(radauModes)]complex128
	for k := range radauModes {
		for m, p := range powers {
			sum[k] += complex(p, 0) * radauModes[k].shape[m]
		}
	}
	return radauWeights{real(sum[0]), real(sum[1]), -imag(sum[1]), real(sum[2]), -imag(sum[2])}
}

// at returns a value or derivative of unknown i, without x0.
func (r *radau) at(w *radauWeights, i int) float64 {
	u, v := r.ws[0][i], r.ws[1][i]
	return w[0]*r.w[i] + w[1]*real(u) + w[2]*imag(u) + w[3]*real(v) + w[4]*imag(v)
}

// evaluate writes the solution with the weights w to into.
func (r *radau) evaluate(w *radauWeights, into []float64) {
	x0 := r.x0[:len(into)]
	for i := range into {
		into[i] = x0[i] + r.at(w, i)
	}
	into[0] = 0
}

// factor returns the factors for a step of h [s]. The most recently used ones are the first.
func (r *radau) factor(h float64) (*radauFactors, error) {
	for k, f := range r.factors {
		if math.Abs(f.h-h) <= radauEqualStep*h {
			copy(r.factors[1:k+1], r.factors[:k])
			r.factors[0] = f
			return f, nil
		}
	}
	if len(r.factors) < radauCache {
		f := &radauFactors{real: r.sim.lu.Twin()}
		for k := range f.pairs {
			f.pairs[k] = r.sim.lu.ComplexTwin()
		}
		r.factors = append(r.factors, f)
	}
	last := len(r.factors) - 1
	f := r.factors[last]
	copy(r.factors[1:], r.factors[:last])
	r.factors[0] = f
	f.h, f.rounds = 0, 0
	if err := f.real.Factor(r.matrix(h)); err != nil {
		return nil, err
	}
	for k := range f.pairs {
		if err := f.pairs[k].Factor(r.complexMatrix(k, h)); err != nil {
			return nil, err
		}
	}
	if h < radauCheckedStep*r.sim.job.Analysis.Stop && !r.keepsDigits(f, h) {
		return nil, &mna.SingularError{}
	}
	f.h = h
	return f, nil
}

// keepsDigits reports whether the factors f for a step of h [s] reproduce a known solution. In a
// step that is too short, C/h and h/L leave no significant digits for smaller terms in the same
// sums.
func (r *radau) keepsDigits(f *radauFactors, h float64) bool {
	s := r.sim
	for i := range r.right {
		r.right[i] = 1 + 0.5*math.Sin(float64(i))
		s.b[i] = 0
	}
	s.setup.Pattern.Residual(r.matrix(h), r.right, s.b, s.f, s.scale)
	f.real.Solve(s.f, r.w)
	for i := 1; i <= s.n; i++ {
		if !(math.Abs(r.w[i]-r.right[i]) < radauDigits) {
			return false
		}
	}
	return true
}

// matrix returns the matrix of the real eigenvalue for a step of h [s].
func (r *radau) matrix(h float64) []float64 {
	a0 := real(radauModes[0].eigenvalue) / h
	copy(r.a, r.g)
	for _, s := range r.storage {
		r.a[s.slot] += a0 * s.value
	}
	return r.a
}

// complexMatrix returns the matrix of complex eigenvalue k for a step of h [s].
func (r *radau) complexMatrix(k int, h float64) []complex128 {
	a0 := radauModes[k+1].eigenvalue / complex(h, 0)
	for i, v := range r.g {
		r.c[i] = complex(v, 0)
	}
	for _, s := range r.storage {
		r.c[s.slot] += complex(real(a0)*s.value, imag(a0)*s.value)
	}
	return r.c
}

// refine improves the solutions for the factors f by iterative refinement. The first solution with
// new factors shows how many rounds are necessary: none if the residuals are at the roundoff level.
func (r *radau) refine(f *radauFactors) {
	s, p := r.sim, r.sim.setup.Pattern
	first, most, needed := f.rounds == 0, f.rounds-1, 0
	if first {
		most = radauRounds
	}
	a := r.matrix(f.h)
	for round := 0; ; round++ {
		p.Residual(a, r.w, r.right, s.f, s.scale)
		if round == most || first && s.residualTiny() {
			needed = round
			break
		}
		f.real.Solve(s.f, s.dx)
		for i, d := range s.dx {
			r.w[i] -= d
		}
	}
	for k, pair := range f.pairs {
		a, w := r.complexMatrix(k, f.h), r.ws[k]
		for round := 0; ; round++ {
			relative := p.ResidualComplex(a, w, r.rights[k], r.residuals)
			if round == most || first && relative <= linearResidual {
				needed = max(needed, round)
				break
			}
			pair.Solve(r.residuals, r.corrected)
			for i, d := range r.corrected {
				w[i] -= d
			}
		}
	}
	if first {
		f.rounds = needed + 1
	}
}

// loadSources writes the sources at a time [s] to into.
func (r *radau) loadSources(time float64, into []float64) {
	l := &r.sim.load
	clear(into)
	l.B, l.Time = into, time
	for _, d := range r.sim.rhsLoaders {
		d.LoadRHS(l)
	}
	into[0] = 0
}

// solve computes the polynomial of a step of h [s] from time t [s] and the error estimate.
func (r *radau) solve(t, h float64) error {
	s := r.sim
	f, err := r.factor(h)
	if err != nil {
		return err
	}
	for range radauSolutions {
		if err := s.countIteration(); err != nil {
			return err
		}
	}
	r.loadSources(t, r.b0)
	s.setup.Pattern.Residual(r.g, r.x0, r.b0, r.residual, s.scale)
	n := s.n + 1
	b0, right, right0, right1 := r.b0[:n], r.right[:n], r.rights[0][:n], r.rights[1][:n]
	for i, v := range r.residual[:n] {
		right[i], right0[i], right1[i] = -v, complex(-v, 0), complex(-v, 0)
	}
	for j, at := range radauAt {
		b := r.stage[j][:n]
		r.loadSources(t+at*h, b)
		for i, v := range b {
			if v -= b0[i]; v != 0 {
				right[i] += real(radauModes[0].load[j]) * v
				right0[i] += radauModes[1].load[j] * complex(v, 0)
				right1[i] += radauModes[2].load[j] * complex(v, 0)
			}
		}
	}
	f.real.Solve(right, r.w)
	f.pairs[0].Solve(right0, r.ws[0])
	f.pairs[1].Solve(right1, r.ws[1])
	if f.rounds != 1 {
		r.refine(f)
	}
	for i, v := range r.residual[:n] {
		right[i] = -v
	}
	for _, c := range r.storage {
		right[c.row] -= c.value / h * r.at(&r.first, int(c.col))
	}
	f.real.Solve(right, r.e)
	return nil
}

// error returns the largest error estimate of the step for the solution x at its end, relative to
// the tolerance. It sets endError.
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
		r.endError = radauEnd * stored * q * q
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
	return worst / (radauInterior * r.tol)
}

// start initializes the ranges with the solution x at 0 s.
func (r *radau) start(x []float64) {
	copy(r.low, x)
	copy(r.high, x)
	r.loadSources(0, r.bLow)
	copy(r.bHigh, r.bLow)
}

// accept adds the errors and ranges of an accepted step of h [s] that ends at time t [s] with the
// solution x. If the errors at the ends of the steps accumulate too much until the stop time [s],
// it reduces the tolerance.
func (r *radau) accept(x []float64, t, h, stop float64) {
	if r.jump {
		r.endError, r.amplitude = 0, 0
		clear(r.e)
	}
	r.accumulate()
	r.accumulated = max(r.accumulated, r.present)
	if r.present > radauAccumulated*max(t/stop, radauFreeTime) &&
		r.endError > radauAccumulated*h/stop {
		r.tol = max(radauTolCut*r.tol, r.leastTol)
	}
	for i, v := range x {
		m, b := r.mid[i], r.b0[i]
		r.low[i], r.high[i] = min(r.low[i], v, m), max(r.high[i], v, m)
		r.bLow[i], r.bHigh[i] = min(r.bLow[i], b), max(r.bHigh[i], b)
		r.interior[i] = max(r.interior[i], math.Abs(r.e[i]))
	}
}

// accumulate adds the error at the end of a step to the present error. Between breakpoints the
// error of an oscillation follows its amplitude. It grows with the amplitude only as far as it is
// the error of a sine with the angle per step that the derivatives show. Otherwise it is at most
// the sum of the errors.
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
			worst = max(worst, (r.chord[k]+radauInterior*r.interior[i])/span)
			c.drawn = max(c.drawn, r.chord[k]/span)
		}
	}
	return worst + r.accumulated
}

// roundStep rounds a step [s] down to a geometric sequence, so that steps and their factors recur.
func roundStep(h float64) float64 { return math.Exp2(math.Floor(2*math.Log2(h)) / 2) }

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
	l.Time, l.A0 = t+h, 0 // the next step is one of backward Euler or needs no currents of charges
	for _, d := range s.storage {
		d.Update(l)
	}
	q.past.copyCharges(q.now, l.State, 0)
	return stepResult{true, max(next, least)}, nil
}

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
	for _, f := range st.job.Fine {
		if t+h > f.From {
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
		lines = min(max(1, math.Ceil(lines)), max(radauMaxLines, h/gap))
		for k := 1.0; k <= lines; k++ {
			theta := (float64(part) + k/lines) / float64(parts)
			if theta == 1 { // run adds the end of the step
				break
			}
			w := newWeights(theta, 0)
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
