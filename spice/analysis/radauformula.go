package analysis

// radauStages is the number of stages of the Radau IIA formula. Its order is 2·radauStages - 1.
const radauStages = 5

// radauAt holds the time of each stage as a fraction of the step: the zeros of P₅(2θ-1) - P₄(2θ-1),
// where P are the Legendre polynomials.
var radauAt = [radauStages]float64{0.057104196114517682193, 0.27684301363812382768,
	0.58359043236891682006, 0.86024013565621944785, 1}

// radauMode holds the constants of an eigenvalue of the inverse Runge-Kutta matrix. The elements of
// sourceWeights are those of the left eigenvector, normalized to sum to 1.
type radauMode struct {
	eigenvalue    complex128
	sourceWeights [radauStages]complex128 // factor on the sources at each stage
	polynomial    [radauStages]complex128 // coefficients of θ, θ², ... in the step
}

// radauModes holds the real eigenvalue and one of each conjugate pair. The factor 2 of the real
// part of a pair is contained in polynomial. The transformation is that of E. Hairer and G. Wanner,
// Solving Ordinary Differential Equations II, section IV.8. TestRadauPolynomial fails for a
// wrong digit.
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
	// radauInteriorErrorRatio is the largest error within a step divided by the error estimate.
	radauInteriorErrorRatio = 0.22
	// radauEndErrorRatio is the error at the end of a step divided by two factors. They are the
	// error estimate and the square of the ratio of the derivatives of order 5 and 3.
	radauEndErrorRatio = 2.5e-4
	// radauSineError is four times the error of a sine at the end of a step. It is divided by the
	// amplitude times the tenth power of the angle.
	radauSineError = 4 * 2.2e-9
	// radauSineAngle is the largest angle [rad] of an accepted step of a sine.
	radauSineAngle = 3.0
	// radauCheckAt is the position within a step at which the interpolation of the sources is
	// checked. It is between two stages.
	radauCheckAt = 0.43
)

// radauWeights are the weights of a value or a derivative of the polynomial. They are the factors
// on radau.w and on the real and imaginary parts of radau.ws.
type radauWeights [radauStages]float64

// newRadauWeights returns the weights of the derivative of the given order at θ, with respect to θ.
func newRadauWeights(theta float64, order int) radauWeights {
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
			sum[k] += complex(p, 0) * radauModes[k].polynomial[m]
		}
	}
	return radauWeights{real(sum[0]), real(sum[1]), -imag(sum[1]), real(sum[2]), -imag(sum[2])}
}
