package analysis

import "slipstick/spice/device"

// radau is the integrator for linear circuits C·x' + G·x = b with constant C and G. It uses the
// Radau IIA formula of order 9 (E. Hairer and G. Wanner, Solving Ordinary Differential Equations
// II, 1996, sections IV.5 and IV.8). Its polynomial of degree 5 satisfies the equations at five
// stages and is the result everywhere within the step. A step can thus contain many points of the
// result. In the basis of the eigenvectors of the inverse Runge-Kutta matrix the stages are
// independent. A step of h seconds requires one real and two complex solutions:
//
//	(eigenvalue/h·C + G)·w = Σ sourceWeights·b(stage) - G·x0
//
// The polynomial is x0 + Re Σ (polynomial[0]·θ + polynomial[1]·θ² + ...)·w, where θ runs from 0 to
// 1.
//
// The error estimate is that of Hairer and Wanner: the solution for the defect of the polynomial at
// the start of the step. It has the order of the error within a step, which does not accumulate.
type radau struct {
	sim     *sim
	storage []storageEntry
	stores  []bool          // set for the unknowns on which charges and fluxes depend
	g       []float64       // values of G by slot
	a       []float64       // matrix of the real eigenvalue
	c       []complex128    // matrix of a complex eigenvalue
	factors []*radauFactors // the most recently used ones first

	tol      float64 // largest accepted error estimate, relative to the range of an unknown
	leastTol float64 // lower limit of tol
	least    float64 // shortest step [s]
	// singularStep is the length [s] of the last failed step whose matrix was singular, or 0.
	singularStep float64
	gap          float64 // longest time [s] between two points of the result
	restartStep  float64 // second step [s] after a breakpoint; 0 if unknown
	jump         bool    // the step is the shortest one and does not resolve the waveform

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
	amplitude float64                // oscillation amplitude, relative to the ranges; 0 if unknown
	angle     float64                // angle [rad] of the oscillation in the step

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
	earlier              float64 // accumulated error at the last breakpoint
	sum                  float64 // sum of endError since the last breakpoint
	relative             float64 // sum of endError/amplitude since the last breakpoint
	growing              float64 // part of relative that may grow with the amplitude
	peak                 float64 // largest amplitude since the last breakpoint

	middle, end   radauWeights // weights of the value in the middle and at the end of the step
	first         radauWeights // first derivative at the start
	third, fifth  radauWeights // derivatives in the middle
	second        [radauParts]radauWeights
	interpolation [radauStages + 1]float64 // weights of b0 and stage at radauCheckAt
}

// newRadau prepares the integrator for a result with the given number of outputs. tolScale is a
// factor on the tolerance. newRadau returns nil if constant C and G do not describe a device.
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
	if len(s.job.StepLimits) > 0 {
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
	r.first, r.middle, r.end = newRadauWeights(0, 1), newRadauWeights(0.5, 0), newRadauWeights(1, 0)
	r.third, r.fifth = newRadauWeights(0.5, 3), newRadauWeights(0.5, 5)
	for k := range r.second {
		r.second[k] = newRadauWeights((float64(k)+0.5)/radauParts, 2)
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
