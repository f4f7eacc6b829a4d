package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// tPower returns the power of a two-sided t test. It is the probability that a noncentral t with df
// degrees of freedom and noncentrality delta > 0 exceeds the critical value. The other tail, an
// effect of the wrong sign, does not count. tPower integrates the normal distribution over the
// sample deviation s, whose density follows from the chi-squared distribution.
func tPower(delta, df, critical float64) float64 {
	// The density of s = √(χ²/df) is c s^(df-1) exp(-df s²/2), with the mode √((df - 1)/df).
	lg, _ := math.Lgamma(df / 2)
	logC := math.Ln2 + df/2*math.Log(df/2) - lg
	mode, spread := math.Sqrt(max(0, df-1)/df), 1/math.Sqrt(2*df)
	const steps, reach = 400, 9
	low, high := max(0, mode-reach*spread), mode+reach*spread
	h := (high - low) / steps
	sum := 0.0
	for i := range steps { // the midpoint rule is very accurate for a bell curve
		s := low + (float64(i)+0.5)*h
		density := math.Exp(logC + (df-1)*math.Log(s) - df*s*s/2)
		sum += density * math.Erfc((critical*s-delta)/math.Sqrt2) / 2
	}
	return sum * h
}

// GroupsForMeans returns the minimum size of each of two equal groups for a two-sided t test
// (Cohen, Statistical Power Analysis, 2nd edition (1988), 2.4). The test of level alpha detects a
// difference of effect standard deviations with the given power. Above 10^6 the normal distribution
// is used. pairs selects a single group of differences.
func GroupsForMeans(effect, alpha, power float64, pairs bool) float64 {
	groups := 2.0
	if pairs {
		groups = 1
	}
	z := -mathext.NormalQuantile(alpha/2) + mathext.NormalQuantile(power)
	n := groups * math.Pow(z/effect, 2)
	if n > 1e6 {
		return math.Ceil(n)
	}
	n = max(2, math.Floor(n))
	for range 5000 { // n exceeds the n of the normal distribution by about z²/4
		df := groups * (n - 1)
		if tPower(effect*math.Sqrt(n/groups), df, Student(df).Upper(alpha/2)) >= power {
			break
		}
		n++
	}
	return n
}

// GroupsForProportions returns the size of each of two equal groups, not rounded, for a two-sided
// test of level alpha. The test distinguishes proportions p1 and p2 with the given power. It uses
// the normal distribution without continuity correction: J. L. Fleiss, Statistical Methods for
// Rates and Proportions, 2nd edition (1981), equation 3.14.
func GroupsForProportions(p1, p2, alpha, power float64) float64 {
	mean := (p1 + p2) / 2
	z := -mathext.NormalQuantile(alpha/2)*math.Sqrt(2*mean*(1-mean)) +
		mathext.NormalQuantile(power)*math.Sqrt(p1*(1-p1)+p2*(1-p2))
	return math.Pow(z/(p1-p2), 2)
}
