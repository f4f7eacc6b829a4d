package batch

import (
	"math/bits"
	"math/rand/v2"
)

// uniforms returns the uniform number in (0, 1) for a run index and an entry of vary in a random
// mode.
type uniforms func(index, entry int) float64

// newUniforms returns the uniform numbers for n runs of a random mode. In the modes random and
// sobol they do not depend on n.
func newUniforms(mode string, seed int64, n, entries int) uniforms {
	switch mode {
	case LHS:
		// McKay, Beckman, Conover (1979): one sample in each of n strata, in random order per
		// entry.
		strata := make([][]int, entries)
		for e := range strata {
			strata[e] = rand.New(rand.NewPCG(uint64(seed), uint64(e)+1)).Perm(n)
		}
		return func(index, entry int) float64 {
			u := (float64(strata[entry][index]) + hashed(seed, index, entry)) / float64(n)
			return min(max(u, leastUniform), 1-leastUniform)
		}
	case Sobol:
		return func(index, entry int) float64 {
			x := sobol(uint32(index), entry)
			x = owenScramble(x, uint32(mix(uint64(seed)^mix(uint64(entry)+1))))
			return (float64(x) + 0.5) / (1 << 32)
		}
	}
	return func(index, entry int) float64 { return hashed(seed, index, entry) }
}

// leastUniform is the smallest uniform number; 1-leastUniform is the largest.
const leastUniform = 1.0 / (1 << 53)

// hashed returns a uniform number in (0, 1) that depends only on its arguments.
func hashed(seed int64, index, entry int) float64 {
	h := mix(mix(uint64(seed)) + mix(uint64(index)<<8|uint64(entry)))
	return (float64(h>>12) + 0.5) / (1 << 52)
}

// mix returns the output of SplitMix64 (Steele, Lea, Flood 2014) for the state x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sobolPolynomials are the primitive polynomials (degree s, coefficients a) and initial direction
// numbers m of dimensions 2 to 8. Dimension 1 is the van der Corput sequence. Source: Joe and Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30
// (2008), table new-joe-kuo-6.21201.
var sobolPolynomials = [MaxVariations - 1]struct {
	s, a int
	m    []uint32
}{
	{1, 0, []uint32{1}},
	{2, 1, []uint32{1, 3}},
	{3, 1, []uint32{1, 3, 1}},
	{3, 2, []uint32{1, 1, 1}},
	{4, 1, []uint32{1, 1, 3, 3}},
	{4, 4, []uint32{1, 3, 5, 13}},
	{5, 2, []uint32{1, 1, 5, 5, 17}},
}

// directions contains the direction numbers of every dimension in units of 2^-32.
var directions = func() (out [MaxVariations][32]uint32) {
	for i := range 32 {
		out[0][i] = 1 << (31 - i)
	}
	for d, p := range sobolPolynomials {
		v := &out[d+1]
		for i := range 32 {
			if i < p.s {
				v[i] = p.m[i] << (31 - i)
				continue
			}
			v[i] = v[i-p.s] ^ v[i-p.s]>>p.s
			for k := 1; k < p.s; k++ {
				if p.a>>(p.s-1-k)&1 == 1 {
					v[i] ^= v[i-k]
				}
			}
		}
	}
	return out
}()

// sobol returns the coordinate of a point of the Sobol sequence in units of 2^-32.
func sobol(index uint32, dimension int) (x uint32) {
	for i := 0; index != 0; i, index = i+1, index>>1 {
		if index&1 == 1 {
			x ^= directions[dimension][i]
		}
	}
	return x
}

// owenScramble applies nested uniform (Owen) scrambling in base 2 to the bits of x.
// Source: Burley, "Practical hash-based Owen scrambling", JCGT 9:4 (2020); Laine and Karras (2011).
func owenScramble(x, seed uint32) uint32 {
	x = bits.Reverse32(x)
	x += seed
	x ^= x * 0x6c50b47c
	x ^= x * 0xb82f1e52
	x ^= x * 0xc7afe638
	x ^= x * 0x8d22f6e6
	return bits.Reverse32(x)
}
