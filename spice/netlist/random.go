package netlist

import (
	"hash/fnv"
	"math/rand/v2"
)

// SplitMix64Step is the difference between successive states of SplitMix64.
const SplitMix64Step = 0x9e3779b97f4a7c15

// SplitMix64 returns the output of SplitMix64 after a state (G. L. Steele, D. Lea and C. H. Flood,
// Fast splittable pseudorandom number generators, OOPSLA 2014). It is the same on every machine.
func SplitMix64(state uint64) uint64 {
	z := state + SplitMix64Step
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// sourceSeed returns the seed of the random waveform of an element.
func sourceSeed(seed uint64, run int, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return SplitMix64(seed) ^ SplitMix64(uint64(run)+1) ^ h.Sum64()
}

// random draws the values of mc(), gauss(), agauss(), unif(), aunif() and flat(). The values depend
// only on the seed and the number of the run.
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
