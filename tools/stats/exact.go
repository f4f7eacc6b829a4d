package stats

import "math"

// ExactTails contains the probabilities of a count of at most the observed one (Left) and at least
// the observed one (Right). TwoSided is the probability of all counts that are no more likely than
// the observed one.
type ExactTails struct{ Left, Right, TwoSided float64 }

// ExactBinomial returns the tails of k successes in n trials with probability p, 0 < p < 1 (C. J.
// Clopper and E. S. Pearson, Biometrika 26 (1934)). It runs in O(n) time.
func ExactBinomial(k, n int, p float64) ExactTails {
	odds := p / (1 - p)
	ratio := func(j int) float64 { return float64(n-j) / float64(j+1) * odds }
	return tails(k, 0, n, min(n, int(float64(n+1)*p)), ratio)
}

// FisherExact returns the tail probabilities of k successes in a group of n, given k2 successes in
// a second group of n2. They are conditional on the table margins (R. A. Fisher, Statistical
// Methods for Research Workers, section 21.02). It runs in O(n) time.
func FisherExact(k, n, k2, n2 int) ExactTails {
	all, others := k+k2, n+n2-k-k2 // successes and failures
	low, high := max(0, n-others), min(n, all)
	ratio := func(j int) float64 {
		return float64(all-j) / float64(j+1) * (float64(n-j) / float64(others-n+j+1))
	}
	mode := int(float64(n+1) * (float64(all+1) / float64(n+n2+2)))
	return tails(k, low, high, min(max(mode, low), high), ratio)
}

// tails sums the probabilities of the counts from low to high. ratio returns the quotient of the
// probabilities of j + 1 and j. The sum starts at the mode because probabilities far from it may
// underflow.
func tails(k, low, high, mode int, ratio func(j int) float64) ExactTails {
	walk := func(visit func(j int, weight float64)) {
		visit(mode, 1)
		for j, w := mode, 1.0; j < high && w > 0; j++ {
			w *= ratio(j)
			visit(j+1, w)
		}
		for j, w := mode, 1.0; j > low && w > 0; j-- {
			w /= ratio(j - 1)
			visit(j-1, w)
		}
	}
	observed := 0.0
	walk(func(j int, w float64) {
		if j == k {
			observed = w
		}
	})
	const equal = 1 + 1e-7 // probabilities of equally likely counts differ by rounding
	var t ExactTails
	total := 0.0
	walk(func(j int, w float64) {
		total += w
		if j <= k {
			t.Left += w
		}
		if j >= k {
			t.Right += w
		}
		if w <= observed*equal {
			t.TwoSided += w
		}
	})
	return ExactTails{
		math.Min(1, t.Left/total), math.Min(1, t.Right/total), math.Min(1, t.TwoSided/total),
	}
}
