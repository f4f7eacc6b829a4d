package netlist

import "math/rand/v2"

// random draws the values of mc(), gauss(), agauss(), unif() and aunif(). The values depend only on
// the seed and the number of the run.
type random struct{ r *rand.Rand }

// newRandom returns the generator for a run, or nil if seed is nil.
func newRandom(seed *uint64, run int) *random {
	if seed == nil {
		return nil
	}
	return &random{rand.New(rand.NewPCG(*seed, uint64(run)))}
}

// draw returns a random value of the named function with the arguments x. mc(x, tol) and unif(x,
// tol) are uniform within x·(1 ± tol), and aunif(x, d) is uniform within x ± d. gauss(x, tol, n)
// and agauss(x, d, n) are normal with the standard deviations x·tol/n and d/n (ngspice 39 manual,
// statistical functions).
func (g *random) draw(name string, x []float64) float64 {
	deviation := x[1]
	if name == "mc" || name == "unif" || name == "gauss" {
		deviation *= x[0]
	}
	if name == "gauss" || name == "agauss" {
		sigmas := 1.0
		if len(x) > 2 {
			sigmas = x[2]
		}
		return x[0] + deviation/sigmas*g.r.NormFloat64()
	}
	return x[0] + deviation*(2*g.r.Float64()-1)
}
