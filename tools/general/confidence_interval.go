package general

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mathext"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/stats"
	"slipstick/tools/tolerance"
)

// ConfidenceInterval estimates a mean or a proportion with its uncertainty.
var ConfidenceInterval = tools.Define(tools.Spec{
	Name:    "confidence_interval",
	Title:   "Confidence interval",
	Summary: "Confidence interval of a mean, of a proportion, or of a difference of two of them; sample size for a margin of error or a power",
	Method: "Mean: x̄ ± q s/√n, q from Student's t with n - 1 degrees of freedom or from the normal law; " +
		"for a finite population times √((N - n)/(N - 1)). Paired samples: the same for their differences. " +
		"Two samples: x̄1 - x̄2 ± q √(s1²/n1 + s2²/n2) with Welch's degrees of freedom. " +
		"Proportion p = successes/n with z from the normal law: wilson (p + z²/2n)/(1 + z²/n) ± z/(1 + z²/n) √(p(1 - p)/n + z²/4n²); " +
		"wald p ± z √(p(1 - p)/n); agresti_coull: Wald with n + z² trials and z²/2 more successes; " +
		"clopper_pearson: quantiles of the beta law at α/2 and 1 - α/2. " +
		"Two proportions: wald p1 - p2 ± z √(p1(1 - p1)/n1 + p2(1 - p2)/n2); wilson: from the Wilson limits l, u of each, " +
		"p1 - p2 - √((p1 - l1)² + (u2 - p2)²) to p1 - p2 + √((u1 - p1)² + (p2 - l2)²). " +
		"Sample size: the smallest n with q s/√n, or z √(p(1 - p)/n), at most the margin; n/(1 + (n - 1)/N) of a finite population; " +
		"of two samples each, with √(s1² + s2²) for s or p1(1 - p1) + p2(1 - p2). " +
		"Size by power, of each of two groups at two-sided α = 100 % - confidence: the smallest n whose noncentral t exceeds its critical value with that power; " +
		"of proportions (z_α/2 √(2 p̄(1 - p̄)) + z_β √(p1(1 - p1) + p2(1 - p2)))²/(p1 - p2)²",
	Sources: []string{
		"NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.2.1 (mean) and 7.2.4.1 (proportion)",
		"B. L. Welch, The generalization of Student's problem when several different population variances are involved, Biometrika 34 (1947) 28-35",
		"E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927)",
		"C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934)",
		"R. G. Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine 17 (1998) 873-890, methods 1 and 10",
		"W. G. Cochran, Sampling Techniques, 3rd edition (1977), 4.4 and 4.6 (sample size)",
		"J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd edition (1988), 2.4; " +
			"J. L. Fleiss, Statistical Methods for Rates and Proportions, 2nd edition (1981), 3.2 (size by power)",
		"L. D. Brown, T. T. Cai and A. DasGupta, Interval estimation for a binomial proportion, Statistical Science 16 (2001)",
	},
	Limits: []string{
		"Assumes independent observations; for a mean of few observations also that they are about normally distributed",
		"Wald and Agresti-Coull intervals can reach outside 0 to 1; they are given as the formula has them, with a warning",
	},
	Aliases: []string{"margin of error", "standard error", "t interval", "Wilson score",
		"binomial proportion", "Clopper-Pearson", "sample size", "power analysis"},
	Primary: []string{"margin_of_error"},
	Examples: []tools.Example{
		{
			Title: "Mean of 25 measurements",
			In:    `{"mean": 100, "std_dev": 15, "n": 25}`,
			Want:  `{"lower": 93.80830, "upper": 106.19170, "critical_value": 2.063898562, "standard_error": 3.0000000, "df": 24, "warnings": []}`,
		},
		{
			Title: "Seven of twenty",
			In:    `{"kind": "proportion", "successes": 7, "n": 20}`,
			Want:  `{"estimate": 0.350000000000, "lower": 0.1811918, "upper": 0.5671457, "method": "wilson", "warnings": []}`,
		},
		{
			Title: "From data",
			In:    `{"data": [9.9, 10.1, 10.0, 10.3, 9.7]}`,
			Want:  `{"estimate": 10.000000000000, "std_dev": 0.2236067977, "n": 5, "margin_of_error": 0.277644511}`,
			From:  "by hand: s² = (0.01 + 0.01 + 0 + 0.09 + 0.09)/4 = 0.05; t for 4 degrees of freedom is 2.776445105, t √(0.05/5) = 0.277644511",
		},
	},
}, confidenceInterval)

type confidenceIntervalIn struct {
	Kind          string     `json:"kind" enum:"mean,proportion" default:"mean" label:"Parameter" doc:"Estimated parameter"`
	Data          *[]float64 `json:"data" unit:"1" min:"-1e150" max:"1e150" minItems:"2" maxItems:"10000" label:"Observations" doc:"Observations, in place of mean, std_dev and n"`
	Mean          *float64   `json:"mean" unit:"1" min:"-1e150" max:"1e150" example:"100" label:"Sample mean" doc:"Mean of the sample; requires std_dev and n"`
	StdDev        *float64   `json:"std_dev" unit:"1" min:"0" max:"1e150" example:"15" label:"Standard deviation" doc:"Standard deviation of the sample (n - 1), or of the population for method z"`
	N             *int       `json:"n" unit:"1" min:"1" example:"25" label:"Sample size" doc:"Size of the sample"`
	Successes     *int       `json:"successes" unit:"1" min:"0" label:"Successes" doc:"Successes among n trials, for a proportion"`
	Method        *string    `json:"method" enum:"t,z,wilson,wald,agresti_coull,clopper_pearson" label:"Method" doc:"t (default) or z for a mean; wilson (default), wald, agresti_coull or clopper_pearson for a proportion"`
	Population    *int       `json:"population_size" unit:"1" min:"1" label:"Population size" doc:"Size of the whole population, if finite, for a mean; at least n"`
	ConfidencePct float64    `json:"confidence_pct" unit:"%" gt:"0" lt:"100" default:"95" label:"Confidence level" doc:"Confidence level"`
	stats.Samples
	Successes2   *int     `json:"successes2" unit:"1" min:"0" max:"1000000000000" label:"Successes, second sample" doc:"Successes among n2 trials"`
	N2           *int     `json:"n2" unit:"1" min:"1" max:"1000000000000" label:"Trials, second sample" doc:"Trials of the second sample, for the difference of two proportions by wilson or wald"`
	Detect       *float64 `json:"detect_difference" unit:"1" min:"-1e150" max:"1e150" label:"Difference to detect" doc:"Difference of two means, or from the proportion successes / n; gives power_n"`
	PowerPct     float64  `json:"power_pct" unit:"%" min:"50" lt:"100" default:"80" label:"Power" doc:"Probability that the test detects detect_difference"`
	TargetMargin *float64 `json:"target_margin" unit:"1" gt:"0" max:"1e150" label:"Target margin of error" doc:"Margin of error to reach; gives required_n"`
}

type confidenceIntervalOut struct {
	Estimate      float64  `json:"estimate" unit:"1" label:"Estimate" doc:"Mean, difference of the means, or successes / n"`
	Lower         float64  `json:"lower" unit:"1" label:"Lower limit" doc:"Lower limit of the interval"`
	Upper         float64  `json:"upper" unit:"1" label:"Upper limit" doc:"Upper limit of the interval"`
	MarginOfError float64  `json:"margin_of_error" unit:"1" label:"Margin of error" doc:"Half the width of the interval"`
	StandardError float64  `json:"standard_error" unit:"1" label:"Standard error" doc:"Standard error of the estimate, with the finite-population factor if any"`
	CriticalValue *float64 `json:"critical_value" unit:"1" label:"Critical value" doc:"Quantile of the t or normal distribution; null for clopper_pearson"`
	DF            *int     `json:"df" unit:"1" label:"Degrees of freedom" doc:"Degrees of freedom, for t"`
	DFWelch       *float64 `json:"df_welch" unit:"1" label:"Welch's degrees of freedom" doc:"Welch-Satterthwaite degrees of freedom of two samples, for t; df is then null"`
	N             int      `json:"n" unit:"1" label:"Sample size" doc:"Size of the sample, or of both samples together"`
	StdDev        *float64 `json:"std_dev" unit:"1" label:"Standard deviation" doc:"Standard deviation of the sample or of the differences; null for a proportion and for two samples"`
	Method        string   `json:"method" enum:"t,z,wilson,wald,agresti_coull,clopper_pearson" label:"Method" doc:"Method used"`
	ConfidencePct float64  `json:"confidence_pct" unit:"%" label:"Confidence level" doc:"Confidence level"`
	RequiredN     *float64 `json:"required_n" unit:"1" label:"Required sample size" doc:"Sample size for target_margin, of each sample when there are two; null without it"`
	PowerN        *float64 `json:"power_n" unit:"1" label:"Sample size by power" doc:"Size of each of two groups, or number of pairs, for a two-sided test that detects detect_difference; null without it"`
	tools.Warnings
}

func confidenceInterval(_ context.Context, in confidenceIntervalIn) (confidenceIntervalOut, error) {
	interval := meanInterval
	if in.Kind == "proportion" {
		interval = proportionInterval
	}
	out, err := interval(in)
	if err != nil {
		return out, err
	}
	return out, out.planPower(in)
}

// planPower computes the group size with which a two-sided test detects the given difference with
// the requested power.
func (out *confidenceIntervalOut) planPower(in confidenceIntervalIn) error {
	if in.Detect == nil {
		choice.Ignored(&out.Warnings, "it needs detect_difference",
			choice.Of("power_pct", in.PowerPct != 80))
		return nil
	}
	if *in.Detect == 0 {
		return tools.InvalidValue("detect_difference", *in.Detect,
			"must not be 0: no sample shows that")
	}
	if in.Population != nil && in.Data2 == nil && in.Kind == "mean" {
		out.Warn("power_n is for a large population: population_size does not reduce it")
	}
	alpha, power := 2*in.outside(), in.PowerPct/100
	var n float64
	if in.Kind == "proportion" {
		p1 := float64(*in.Successes) / float64(*in.N)
		p2 := p1 + *in.Detect
		if !(p2 >= 0 && p2 <= 1) {
			return tools.InvalidValue("detect_difference", *in.Detect,
				"leads from the proportion of %.4g to %g; it must end within 0 to 1", p1,
				tolerance.RoundOutside(p2, 0, 1, 4))
		}
		n = math.Max(1, tolerance.Ceil(stats.GroupsForProportions(p1, p2, alpha, power)))
		if n*min(p1, 1-p1, p2, 1-p2) < 5 {
			out.Warn("power_n is by the normal law and too small here: take groups with at least 5 successes and 5 failures each")
		}
	} else {
		s := choice.Or(out.StdDev, 0)
		if in.Data != nil && in.Data2 != nil && !in.Paired {
			_, s1 := stats.MeanAndDeviation(*in.Data)
			_, s2 := stats.MeanAndDeviation(*in.Data2)
			s = math.Hypot(s1, s2) / math.Sqrt2
		}
		if s == 0 {
			return tools.Invalid("detect_difference", "needs a standard deviation above 0")
		}
		n = stats.GroupsForMeans(math.Abs(*in.Detect)/s, alpha, power, in.Paired)
	}
	if out.PowerN = tools.Finite(n); out.PowerN == nil {
		out.Warn("the sample size for detect_difference %g is beyond the range of a double",
			*in.Detect)
	}
	return nil
}

// outside returns the probability on each side of the interval.
func (in confidenceIntervalIn) outside() float64 { return (100 - in.ConfidencePct) / 200 }

func meanInterval(in confidenceIntervalIn) (confidenceIntervalOut, error) {
	var f tools.FieldErrors
	out := confidenceIntervalOut{Method: choice.Or(in.Method, "t"), ConfidencePct: in.ConfidencePct}
	if out.Method != "t" && out.Method != "z" {
		f.AddValue("method", out.Method, "must be t or z for a mean")
	}
	in.Samples.Check(&f, in.Data)
	if in.Data2 != nil {
		return in.differenceInterval(out, f)
	}
	mean, s := out.sample(in, &f)
	if in.Population != nil && *in.Population < out.N {
		f.AddValue("population_size", *in.Population, "must be at least the size of the sample, %d",
			out.N)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	choice.Ignored(&out.Warnings, "it has no meaning for a mean", in.proportionsOnly()...)

	out.StandardError = s / math.Sqrt(float64(out.N))
	if in.Population != nil {
		all, n := float64(*in.Population), float64(out.N)
		if all == n { // the complete population is known; for N = 1 the factor would be 0/0
			out.StandardError = 0
		} else {
			out.StandardError *= math.Sqrt((all - n) / (all - 1))
		}
	}
	var q float64
	if out.Method == "t" {
		df := out.N - 1
		out.DF = &df
		q = stats.Student(float64(df)).Upper(in.outside())
	} else {
		q = -mathext.NormalQuantile(in.outside())
		if out.N < 30 {
			out.Warn(
				"n = %d is below 30: z assumes a known standard deviation; with one estimated from the sample use t",
				out.N,
			)
		}
	}
	if s == 0 {
		out.Warn("the standard deviation is 0: the interval has no width")
	}
	out.Estimate, out.StdDev, out.CriticalValue = mean, &s, tools.Finite(q)
	out.MarginOfError = q * out.StandardError
	if s == 0 || out.StandardError == 0 {
		out.MarginOfError = 0
	}
	out.Lower, out.Upper = mean-out.MarginOfError, mean+out.MarginOfError
	if in.TargetMargin != nil {
		out.require(in, in.requiredForMean(out.Method, s, 1))
	}
	return out, nil
}

// sample sets the size of the sample and returns its mean and standard deviation, from data or from
// mean, std_dev and n. It adds an error for each input that is missing or contradicts data.
func (out *confidenceIntervalOut) sample(
	in confidenceIntervalIn, f *tools.FieldErrors,
) (mean, s float64) {
	given := []choice.Field{
		choice.Of("mean", in.Mean != nil), choice.Of("std_dev", in.StdDev != nil),
		choice.Of("n", in.N != nil),
	}
	if in.Data != nil {
		for _, name := range choice.Names(given...) {
			f.Add(name, "contradicts data: give either data, or mean, std_dev and n")
		}
		out.N = len(*in.Data)
		return stats.MeanAndDeviation(*in.Data)
	}
	need := "is required: give mean, std_dev and n, or data"
	if in.Successes != nil && in.Mean == nil && in.StdDev == nil {
		need += ", or kind proportion for successes of n"
	}
	for _, g := range given {
		if !g.Given {
			f.Add(g.Name, "%s", need)
		}
	}
	out.N = choice.Or(in.N, 2)
	if out.N < 2 && out.Method == "t" {
		f.AddValue("n", out.N, "must be at least 2 for t")
	}
	return choice.Or(in.Mean, 0), choice.Or(in.StdDev, 0)
}

// proportionsOnly returns the inputs that have no meaning for a mean.
func (in confidenceIntervalIn) proportionsOnly() []choice.Field {
	return []choice.Field{
		choice.Of("successes", in.Successes != nil), choice.Of("successes2", in.Successes2 != nil),
		choice.Of("n2", in.N2 != nil),
	}
}

// requiredForMean returns the smallest n for which q s/√n is at most the target margin. For
// Student's t, n is an integer, and the degrees of freedom are shares · (n - 1). That quantile
// depends on n and exceeds the normal quantile, so the search starts with the n of the normal
// quantile.
func (in confidenceIntervalIn) requiredForMean(method string, s, shares float64) float64 {
	relative := s / *in.TargetMargin
	z := -mathext.NormalQuantile(in.outside())
	n := math.Pow(z*relative, 2)
	if method == "z" {
		return n
	}
	n = math.Max(2, tolerance.Ceil(n))
	for range 2000 { // n grows by about (z² + 1)/2, where z is below 40
		q := stats.Student(shares * (n - 1)).Upper(in.outside())
		if !tolerance.Above(q*relative, math.Sqrt(n)) {
			break
		}
		n++
	}
	return n
}

// require corrects a sample size for the population size and rounds it up.
func (out *confidenceIntervalOut) require(in confidenceIntervalIn, n float64) {
	if in.Population != nil {
		n /= 1 + (n-1)/float64(*in.Population)
	}
	if out.RequiredN = tools.Finite(math.Max(1, tolerance.Ceil(n))); out.RequiredN == nil {
		out.Warn(
			"the sample size for target_margin %g is beyond the range of a double: required_n is null",
			*in.TargetMargin,
		)
	}
}

// differenceInterval computes the interval of a difference of means. The caller has checked the
// method and the samples; f contains the errors.
func (in confidenceIntervalIn) differenceInterval(
	out confidenceIntervalOut, f tools.FieldErrors,
) (confidenceIntervalOut, error) {
	for _, name := range choice.Names(choice.Of("mean", in.Mean != nil),
		choice.Of("std_dev", in.StdDev != nil), choice.Of("n", in.N != nil)) {
		f.Add(name, "contradicts data: give either data, or mean, std_dev and n")
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	choice.Ignored(
		&out.Warnings, "it has no meaning for a difference of means",
		append(in.proportionsOnly(), choice.Of("population_size", in.Population != nil))...)
	in.Population = nil
	e := in.Samples.Estimate(*in.Data)
	out.N = len(*in.Data)
	if !in.Paired {
		out.N += len(*in.Data2)
	}
	q := -mathext.NormalQuantile(in.outside())
	if out.Method == "t" {
		q = stats.Student(e.DF).Upper(in.outside())
		if in.Paired {
			out.DF = new(int(e.DF))
		} else {
			out.DFWelch = &e.DF
		}
	}
	if e.StandardError == 0 {
		out.Warn("the samples have no spread: the interval has no width")
	} else {
		out.MarginOfError = q * e.StandardError
	}
	out.Estimate, out.StandardError, out.StdDev, out.CriticalValue = e.Value, e.StandardError,
		e.Deviation, tools.Finite(q)
	out.Lower, out.Upper = e.Value-out.MarginOfError, e.Value+out.MarginOfError
	if out.Lower*out.Upper <= 0 {
		out.Warn("the interval holds 0: at this confidence the difference is not significant, which does not show that the means are equal")
	}
	if in.TargetMargin != nil {
		if in.Paired {
			out.require(in, in.requiredForMean(out.Method, *e.Deviation, 1))
		} else {
			_, s1 := stats.MeanAndDeviation(*in.Data)
			_, s2 := stats.MeanAndDeviation(*in.Data2)
			s, larger := math.Hypot(s1, s2), max(s1, s2)
			shares := 1.0 // Welch's degrees of freedom over n - 1; 2 for equal deviations
			if larger > 0 {
				ratio := min(s1, s2) / larger
				shares = math.Pow(1+ratio*ratio, 2) / (1 + math.Pow(ratio, 4))
			}
			out.require(in, in.requiredForMean(out.Method, s, shares))
		}
	}
	return out, nil
}

func proportionInterval(in confidenceIntervalIn) (confidenceIntervalOut, error) {
	var f tools.FieldErrors
	out := confidenceIntervalOut{
		Method: choice.Or(in.Method, "wilson"), ConfidencePct: in.ConfidencePct,
		N: choice.Or(in.N, 1),
	}
	in.checkProportion(&f, out.Method)
	two := in.Successes2 != nil || in.N2 != nil
	if two {
		checkTrials(&f, "2", in.Successes2, in.N2)
		if out.Method != "wilson" && out.Method != "wald" {
			f.AddValue("method", out.Method, "must be wilson or wald for two proportions")
		}
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	choice.Ignored(
		&out.Warnings, "it has no meaning for a proportion", choice.Of("data", in.Data != nil),
		choice.Of("data2", in.Data2 != nil), choice.Of("mean", in.Mean != nil),
		choice.Of("std_dev", in.StdDev != nil),
		choice.Of("paired", in.Paired),
	)
	choice.Ignored(&out.Warnings, "it corrects the target_margin of one sample",
		choice.Of("population_size", in.Population != nil && (two || in.TargetMargin == nil)))
	if two {
		return in.differenceOfProportions(out)
	}
	if in.Population != nil && in.TargetMargin == nil &&
		float64(out.N) > 0.05*float64(*in.Population) {
		out.Warn(
			"the sample is above 5 %% of the population and no correction was made: the interval is wider than it needs to be",
		)
	}

	n, k := float64(out.N), float64(*in.Successes)
	misses := n - k
	p := k / n
	out.Estimate = p
	out.StandardError = math.Sqrt(p * (misses / n) / n)
	z := -mathext.NormalQuantile(in.outside())
	out.setLimits(in, k, n, z)
	if out.Method != "clopper_pearson" {
		out.CriticalValue = &z
	}
	if out.Lower < 0 || out.Upper > 1 {
		out.Warn(
			"the interval reaches outside 0 to 1, as %s does near the ends; wilson and clopper_pearson stay inside",
			out.Method,
		)
	}
	out.MarginOfError = (out.Upper - out.Lower) / 2
	if in.TargetMargin != nil {
		out.require(in, math.Pow(z / *in.TargetMargin, 2)*p*(misses/n))
		if k == 0 || misses == 0 {
			out.Warn(
				"a proportion of 0 or 1 gives no spread to plan with: required_n is 1; use successes 1 of n 2 for the largest",
			)
		}
	}
	return out, nil
}

// checkProportion adds the field errors of one proportion.
func (in confidenceIntervalIn) checkProportion(f *tools.FieldErrors, method string) {
	if method == "t" || method == "z" {
		f.AddValue("method", method,
			"must be wilson, wald, agresti_coull or clopper_pearson for a proportion")
	}
	if in.Successes == nil {
		f.Add("successes", "is required for a proportion: a whole number of at least 0")
	}
	if in.N == nil {
		f.Add("n", "is required for a proportion: the number of trials")
	}
	if in.Successes != nil && in.N != nil && *in.Successes > *in.N {
		f.AddValue("successes", *in.Successes, "must be at most n, %d", *in.N)
	}
}

// setLimits computes the interval of k successes in n trials. z is the normal quantile of the
// confidence.
func (out *confidenceIntervalOut) setLimits(in confidenceIntervalIn, k, n, z float64) {
	misses, p := n-k, k/n
	switch out.Method {
	case "wilson":
		out.Lower, out.Upper = wilson(k, n, z)
	case "wald":
		if k < 10 || misses < 10 {
			out.Warn("fewer than 10 successes or failures: the Wald interval is poor, use wilson")
		}
		out.Lower, out.Upper = p-z*out.StandardError, p+z*out.StandardError
	case "agresti_coull":
		trials := n + z*z
		centre := (k + z*z/2) / trials
		half := z * math.Sqrt(centre*((misses+z*z/2)/trials)/trials)
		out.Lower, out.Upper = centre-half, centre+half
	case "clopper_pearson":
		if k > 0 {
			out.Lower, _ = stats.BetaQuantile(k, misses+1, in.outside())
		}
		out.Upper = 1
		if misses > 0 {
			// The upper limit is the complement of the lower limit for the failures.
			_, out.Upper = stats.BetaQuantile(misses, k+1, in.outside())
		}
	}
}

// differenceOfProportions computes Newcombe's method 1 (wald) or 10 (wilson). The caller has
// checked the input.
func (in confidenceIntervalIn) differenceOfProportions(
	out confidenceIntervalOut,
) (confidenceIntervalOut, error) {
	n1, k1, n2, k2 := float64(*in.N), float64(*in.Successes), float64(*in.N2),
		float64(*in.Successes2)
	p1, p2 := k1/n1, k2/n2
	z := -mathext.NormalQuantile(in.outside())
	out.N, out.CriticalValue = *in.N+*in.N2, &z
	out.Estimate = p1 - p2
	out.StandardError = math.Sqrt(p1*((n1-k1)/n1)/n1 + p2*((n2-k2)/n2)/n2)
	below, above := z*out.StandardError, z*out.StandardError
	if out.Method == "wilson" {
		l1, u1 := wilson(k1, n1, z)
		l2, u2 := wilson(k2, n2, z)
		below, above = math.Hypot(p1-l1, u2-p2), math.Hypot(u1-p1, p2-l2)
	} else if min(k1, n1-k1, k2, n2-k2) < 10 {
		out.Warn("fewer than 10 successes or failures: the Wald interval is poor, use wilson")
	}
	out.Lower, out.Upper = out.Estimate-below, out.Estimate+above
	out.MarginOfError = (above + below) / 2
	if in.TargetMargin != nil {
		in.Population = nil
		spread := p1*((n1-k1)/n1) + p2*((n2-k2)/n2)
		out.require(in, math.Pow(z / *in.TargetMargin, 2)*spread)
		if spread == 0 {
			out.Warn("proportions of 0 or 1 give no spread to plan with: required_n is 1")
		}
	}
	if out.Lower*out.Upper <= 0 {
		out.Warn("the interval holds 0: at this confidence the difference is not significant, which does not show that the proportions are equal")
	}
	return out, nil
}

// wilson returns the roots of (n + z²) x² - (2k + z²) x + k²/n = 0. It computes the smaller root
// from the product of the roots because centre minus half width would cancel for few successes.
func wilson(k, n, z float64) (lower, upper float64) {
	upper = (k + z*z/2 + z*math.Sqrt(k*((n-k)/n)+z*z/4)) / (n + z*z)
	lower = k * (k / n) / ((n + z*z) * upper)
	if k == n {
		upper = 1
	}
	return lower, upper
}
