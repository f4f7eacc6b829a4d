package general

import (
	"context"
	"math"
	"slices"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/stats"
	"slipstick/tools/tolerance"
)

// PValue computes tail probabilities and critical values of the four classical test statistics.
var PValue = tools.Define(tools.Spec{
	Name:    "p_value",
	Title:   "P-value",
	Summary: "Tail probabilities and critical values of a z, t, chi-squared or F statistic, or of a test on data, proportions or a table",
	Method: "Normal: Φ(-|z|) = erfc(|z|/√2)/2. Chi-squared: Q(df/2, χ²/2), the complemented " +
		"incomplete gamma function. F: I_y(df2/2, df1/2) with y = df2/(df1 F + df2), the " +
		"incomplete beta function; t: t² is F with 1 and df degrees of freedom. The smaller tail " +
		"is computed itself, never as 1 - cdf. Two-sided: twice the smaller tail, at most 1. " +
		"Critical value: the upper point at α (right), at α/2 (two_sided) or the lower point at " +
		"α (left). From data: t = (estimate - μ0)/standard error, of one sample, of paired " +
		"differences, or of two samples with Welch's degrees of freedom. Proportions: z = (p - " +
		"p0)/√(p0(1 - p0)/n), or (p1 - p2)/√(p(1 - p)(1/n1 + 1/n2)) with the pooled p. Table: χ² " +
		"= Σ (O - E)²/E with E = row total × column total / total and (rows - 1)(columns - 1) " +
		"degrees of freedom, without continuity correction. exact_p: the binomial law of one " +
		"proportion, Fisher's hypergeometric law of two and of a 2 × 2 table. Two-sided it is " +
		"the sum of all results no more likely",
	Sources: []string{
		"NIST Digital Library of Mathematical Functions, 7.2 (erfc), 8.2 (incomplete gamma), 8.17 (incomplete beta)",
		"M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 26.2 (normal), 26.4 (chi-squared), 26.6 (F), 26.7 (t)",
		"B. L. Welch, The generalization of Student's problem when several different population variances are involved, Biometrika 34 (1947) 28-35",
		"A. Agresti, An Introduction to Categorical Data Analysis, 2nd edition (2007), 1.3 (one proportion), 2.2 (two) and 2.4 (chi-squared of a table) and 2.6 (Fisher's exact test)",
	},
	Limits: []string{
		"Proportions and tables use large-sample laws: a warning tells when counts are too small for them",
		"The p-value is only as good as the test's assumptions: independent data, and for t and F normal errors",
		"Relative error below 1e-9 down to 1e-300; a p-value below that loses digits as a double, log10_p does not",
	},
	Aliases: []string{"significance", "hypothesis test", "t test", "chi squared", "F test",
		"z score", "critical value",
		"contingency table", "independence", "two proportions", "A/B test",
		"Fisher's exact test", "binomial test"},
	Examples: []tools.Example{
		{
			Title: "z test, 5 % two-sided",
			In:    `{"distribution": "z", "statistic": 1.96}`,
			Want:  `{"p_value": 0.04999579030, "critical_value": 1.959963985, "critical_value_lower": -1.959963985, "significant": true, "warnings": []}`,
		},
		{
			Title: "Ten sigma",
			In:    `{"distribution": "z", "statistic": 10}`,
			Want:  `{"p_value": 1.523970605e-23, "log10_p": -22.817023}`,
			From:  "erfc(10/√2) to 50 digits",
		},
		{
			Title: "Analysis of variance, F(4, 170) = 30",
			In:    `{"distribution": "f", "statistic": 30, "df1": 4, "df2": 170}`,
			Want:  `{"p_value": 6.961550630e-19, "tail": "right"}`,
		},
		{
			Title: "t test with 10 degrees of freedom",
			In:    `{"distribution": "t", "statistic": 2.228, "df": 10}`,
			Want:  `{"p_value": 0.05001177182, "significant": false}`,
		},
		{
			Title: "Party by gender: chi-squared of a table",
			In:    `{"distribution": "chi2", "table": [762, 327, 468, 484, 239, 477], "table_columns": 3}`,
			Want:  `{"statistic": 30.07, "df": 2, "p_value": 2.954e-7, "significant": true}`,
			From:  "R documentation of chisq.test, after Agresti (2007), table 2.5",
		},
	},
}, pValue)

type pValueIn struct {
	Distribution string     `json:"distribution" enum:"z,t,chi2,f" example:"t" label:"Distribution" doc:"Distribution of the statistic under the null hypothesis"`
	Statistic    *float64   `json:"statistic" unit:"1" example:"2.228" label:"Test statistic" doc:"Value of the test statistic; not negative for chi2 and f; alternative to data, successes or table"`
	DF           *float64   `json:"df" unit:"1" gt:"0" max:"1e15" example:"10" label:"Degrees of freedom" doc:"Degrees of freedom, for t and chi2; need not be whole"`
	DF1          *float64   `json:"df1" unit:"1" gt:"0" max:"1e15" label:"Numerator degrees of freedom" doc:"Degrees of freedom of the numerator, for f"`
	DF2          *float64   `json:"df2" unit:"1" gt:"0" max:"1e15" label:"Denominator degrees of freedom" doc:"Degrees of freedom of the denominator, for f"`
	Tail         *string    `json:"tail" enum:"two_sided,left,right" label:"Tail" doc:"Tail of the test; default two_sided for z and t, right for chi2 and f"`
	Alpha        float64    `json:"alpha" unit:"1" gt:"0" lt:"1" default:"0.05" label:"Significance level α" doc:"Significance level"`
	Data         *[]float64 `json:"data" unit:"1" min:"-1e150" max:"1e150" minItems:"2" maxItems:"10000" label:"Observations" doc:"Observations for a t test, in place of statistic and df"`
	NullMean     float64    `json:"null_mean" unit:"1" min:"-1e150" max:"1e150" default:"0" label:"Mean under the null hypothesis" doc:"Mean, or difference of the means, under the null hypothesis; used with data"`
	stats.Samples
	Successes      *int     `json:"successes" unit:"1" min:"0" max:"1000000000" label:"Successes" doc:"Successes among n trials, for z"`
	N              *int     `json:"n" unit:"1" min:"1" max:"1000000000" label:"Trials" doc:"Number of trials, for successes"`
	Successes2     *int     `json:"successes2" unit:"1" min:"0" max:"1000000000" label:"Successes, second sample" doc:"Successes among n2 trials, to compare two proportions"`
	N2             *int     `json:"n2" unit:"1" min:"1" max:"1000000000" label:"Trials, second sample" doc:"Number of trials, for successes2"`
	NullProportion *float64 `json:"null_proportion" unit:"1" gt:"0" lt:"1" label:"Proportion under the null hypothesis" doc:"Proportion under the null hypothesis, for one sample of successes"`
	Table          *[]int   `json:"table" unit:"1" min:"0" max:"1000000000" minItems:"4" maxItems:"10000" label:"Contingency table" doc:"Counts, row by row, for chi2"`
	TableColumns   int      `json:"table_columns" unit:"1" min:"2" max:"100" default:"2" label:"Columns of the table" doc:"Number of counts in each row of table"`
}

type pValueOut struct {
	PValue             float64  `json:"p_value" unit:"1" label:"p-value" doc:"Probability of the chosen tail"`
	PLeft              float64  `json:"p_left" unit:"1" label:"Left-tail probability" doc:"Probability of a value at or below the statistic"`
	PRight             float64  `json:"p_right" unit:"1" label:"Right-tail probability" doc:"Probability of a value at or above the statistic"`
	PTwoSided          float64  `json:"p_two_sided" unit:"1" label:"Two-sided probability" doc:"Twice the smaller tail, at most 1"`
	Significant        bool     `json:"significant" label:"Significant" doc:"The p-value is below alpha"`
	CriticalValue      *float64 `json:"critical_value" unit:"1" label:"Critical value" doc:"Upper point at alpha (right) or alpha/2 (two_sided), lower point at alpha (left)"`
	CriticalValueLower *float64 `json:"critical_value_lower" unit:"1" label:"Lower critical value" doc:"Lower point at alpha/2, for two_sided"`
	Log10P             *float64 `json:"log10_p" unit:"1" label:"log10 of the p-value" doc:"Common logarithm of the p-value, also where the p-value is too small for a double; null for p = 0 and below 10^-1e300"`
	Tail               string   `json:"tail" enum:"two_sided,left,right" label:"Tail" doc:"Tail used"`
	Statistic          float64  `json:"statistic" unit:"1" label:"Test statistic" doc:"The test statistic, given or from data"`
	DF                 *float64 `json:"df" unit:"1" label:"Degrees of freedom" doc:"Degrees of freedom of t and chi2, given or from data; null for z and f"`
	Estimate           *float64 `json:"estimate" unit:"1" label:"Estimate" doc:"Mean of data, or the difference of the means; proportion of successes or the difference of two; null without them"`
	StandardError      *float64 `json:"standard_error" unit:"1" label:"Standard error" doc:"Standard error of the estimate; null without data or successes"`
	Alpha              float64  `json:"alpha" unit:"1" label:"Significance level α" doc:"Significance level"`
	ExactP             *float64 `json:"exact_p" unit:"1" label:"Exact p-value" doc:"p-value by the exact binomial test or Fisher's exact test, for proportions and 2 × 2 tables of up to 1e6 counts; null otherwise"`
	tools.Warnings
}

func pValue(_ context.Context, in pValueIn) (pValueOut, error) {
	var out pValueOut
	var err error
	switch {
	case in.Table != nil:
		err = in.fromTable(&out)
	case in.Successes != nil || in.N != nil || in.Successes2 != nil || in.N2 != nil:
		err = in.fromProportions(&out)
	default:
		choice.Ignored(&out.Warnings, "it needs successes and n",
			choice.Of("null_proportion", in.NullProportion != nil))
		err = in.fromData(&out)
	}
	if err != nil {
		return out, err
	}
	choice.Ignored(&out.Warnings, "it needs table",
		choice.Of("table_columns", in.Table == nil && in.TableColumns != 2))
	statistic := *in.Statistic
	test, tail, err := in.test(&out.Warnings)
	if err != nil {
		return out, err
	}
	out.Tail, out.Alpha, out.Statistic = tail, in.Alpha, statistic
	if in.Distribution == "t" || in.Distribution == "chi2" {
		out.DF = in.DF
	}

	t := test.Tails(statistic)
	logs := map[string]float64{
		"left":      t.Below,
		"right":     t.Above,
		"two_sided": math.Min(0, math.Ln2+math.Min(t.Below, t.Above)),
	}
	out.PLeft, out.PRight, out.PTwoSided = math.Exp(
		t.Below,
	), math.Exp(
		t.Above,
	), math.Exp(logs["two_sided"])
	out.PValue = math.Exp(logs[tail])
	out.Significant = logs[tail] < math.Log(in.Alpha)
	// p itself is compared with alpha because its logarithm is rounded.
	if out.PValue > 1e-10 {
		out.Significant = out.PValue < in.Alpha
	}
	out.Log10P = tools.Finite(logs[tail] / math.Ln10)
	switch {
	case math.IsInf(logs[tail], -1) && *in.Statistic == 0: // F and χ² are never negative
		out.Warn(
			"the statistic is 0, the least possible one: no value is below it, and the p-value is exactly 0",
		)
	case out.PValue < 1e-300:
		out.Warn("the p-value is below 1e-300, where a double loses digits and ends; use log10_p")
	}

	switch tail {
	case "right":
		out.CriticalValue = tools.Finite(test.Upper(in.Alpha))
	case "left":
		out.CriticalValue = tools.Finite(test.Lower(in.Alpha))
	default:
		out.CriticalValue = tools.Finite(test.Upper(in.Alpha / 2))
		if test.Symmetric() {
			out.CriticalValueLower = tools.Finite(-choice.Or(out.CriticalValue, math.NaN()))
		} else {
			out.CriticalValueLower = tools.Finite(test.Lower(in.Alpha / 2))
		}
	}
	if out.CriticalValue == nil || tail == "two_sided" && out.CriticalValueLower == nil {
		out.Warn("a critical value is outside the range of a double and was left out")
	}
	return out, nil
}

// fromData computes the statistic and degrees of freedom of a t test from data.
func (in *pValueIn) fromData(out *pValueOut) error {
	var f tools.FieldErrors
	in.Samples.Check(&f, in.Data)
	if in.Data == nil {
		if in.Statistic == nil {
			f.Add("statistic",
				"is required: give statistic, data for a t test, successes and n for z, or table for chi2")
		}
		if in.NullMean != 0 {
			choice.Ignored(&out.Warnings, "it has no meaning for a given statistic",
				choice.Of("null_mean", true))
		}
		return f.Err()
	}
	if in.Distribution != "t" {
		f.AddValue("distribution", in.Distribution, "must be t with data")
	}
	for _, name := range choice.Names(choice.Of("statistic", in.Statistic != nil),
		choice.Of("df", in.DF != nil)) {
		f.Add(name, "contradicts data: give either data, or statistic and df")
	}
	if err := f.Err(); err != nil {
		return err
	}
	e := in.Samples.Estimate(*in.Data)
	if e.StandardError == 0 {
		f.Add("data", "has no spread: the standard error is 0 and t has no value")
		return f.Err()
	}
	statistic := (e.Value - in.NullMean) / e.StandardError
	if math.IsInf(statistic, 0) {
		f.Add("data", "has a standard error of %g, too small for an estimate of %g",
			e.StandardError, e.Value)
		return f.Err()
	}
	in.Statistic, in.DF = &statistic, &e.DF
	out.Estimate, out.StandardError = &e.Value, &e.StandardError
	return nil
}

// withCounts rejects inputs that counts replace, and adds warnings about unused inputs.
func (in *pValueIn) withCounts(
	f *tools.FieldErrors, w *tools.Warnings, source, distribution string,
) {
	if in.Distribution != distribution {
		f.AddValue("distribution", in.Distribution, "must be %s with %s", distribution, source)
	}
	for _, name := range choice.Names(choice.Of("statistic", in.Statistic != nil),
		choice.Of("df", in.DF != nil),
		choice.Of("data", in.Data != nil), choice.Of("data2", in.Data2 != nil)) {
		f.Add(name, "contradicts %s: give one of them", source)
	}
	choice.Ignored(w, "it has no meaning with "+source, choice.Of("null_mean", in.NullMean != 0),
		choice.Of("paired", in.Paired))
}

// fromProportions computes the statistic z of one or two proportions from counts of successes.
func (in *pValueIn) fromProportions(out *pValueOut) error {
	var f tools.FieldErrors
	in.withCounts(&f, &out.Warnings, "successes", "z")
	two := in.Successes2 != nil || in.N2 != nil
	checkTrials(&f, "", in.Successes, in.N)
	if two {
		checkTrials(&f, "2", in.Successes2, in.N2)
		choice.Ignored(&out.Warnings, "two samples are compared with each other",
			choice.Of("null_proportion", in.NullProportion != nil))
	} else if in.NullProportion == nil {
		f.Add("null_proportion",
			"is required with one sample: the proportion to compare with, or give successes2 and n2")
	}
	if err := f.Err(); err != nil {
		return err
	}
	k, n := float64(*in.Successes), float64(*in.N)
	estimate, null, per := k/n, choice.Or(in.NullProportion, 0), 1/n
	least := n * min(null, 1-null)
	if two {
		k2, n2 := float64(*in.Successes2), float64(*in.N2)
		pooled := (k + k2) / (n + n2)
		if pooled == 0 || pooled == 1 {
			f.AddValue("successes", *in.Successes,
				"must not be none or all of n when successes2 is so of n2: z has no value")
			return f.Err()
		}
		estimate, per = estimate-k2/n2, 1/n+1/n2
		least = min(n, n2) * min(pooled, 1-pooled)
		e := math.Sqrt(pooled * (1 - pooled) * per)
		in.Statistic, out.Estimate, out.StandardError = new(estimate/e), &estimate, &e
	} else {
		e := math.Sqrt(null * (1 - null) * per)
		in.Statistic, out.Estimate, out.StandardError = new((estimate-null)/e), &estimate, &e
	}
	remedy := "an exact test"
	if total := *in.N + choice.Or(in.N2, 0); total <= mostExact {
		remedy = "exact_p"
		exact := stats.ExactTails{}
		if two {
			exact = stats.FisherExact(*in.Successes, *in.N, *in.Successes2, *in.N2)
		} else {
			exact = stats.ExactBinomial(*in.Successes, *in.N, null)
		}
		out.ExactP = &exact.TwoSided
		switch choice.Or(in.Tail, "two_sided") {
		case "left":
			out.ExactP = &exact.Left
		case "right":
			out.ExactP = &exact.Right
		}
	}
	if tolerance.Below(least, 5) {
		out.Warn(
			"only %g successes or failures are expected in a sample: the normal law needs 5; use %s",
			tolerance.RoundBelow(least, 5, 3), remedy,
		)
	}
	return nil
}

// mostExact is the maximum count in an exact test, which takes one step per count.
const mostExact = 1e6

// checkTrials requires both numbers of a sample; successes must not exceed trials.
func checkTrials(f *tools.FieldErrors, suffix string, successes, n *int) {
	switch {
	case successes == nil:
		f.Add("successes"+suffix, "is required with n%s", suffix)
	case n == nil:
		f.Add("n"+suffix, "is required with successes%s: the number of trials", suffix)
	case *successes > *n:
		f.AddValue("successes"+suffix, *successes, "must be at most n%s, %d", suffix, *n)
	}
}

// fromTable computes χ² and its degrees of freedom from a table of counts.
func (in *pValueIn) fromTable(out *pValueOut) error {
	var f tools.FieldErrors
	in.withCounts(&f, &out.Warnings, "table", "chi2")
	for _, name := range choice.Names(choice.Of("successes", in.Successes != nil),
		choice.Of("n", in.N != nil),
		choice.Of("successes2", in.Successes2 != nil), choice.Of("n2", in.N2 != nil)) {
		f.Add(name, "contradicts table: give one of them")
	}
	choice.Ignored(&out.Warnings, "it has no meaning with table",
		choice.Of("null_proportion", in.NullProportion != nil))
	if n := len(*in.Table); n%in.TableColumns != 0 || n < 2*in.TableColumns {
		f.Add("table",
			"must have two or more rows of table_columns %d counts each; it has %d counts",
			in.TableColumns, n)
		return f.Err()
	}
	table := slices.Collect(slices.Chunk(*in.Table, in.TableColumns))
	rows, columns, total := make([]float64, len(table)), make([]float64, in.TableColumns), 0.0
	for i, row := range table {
		for j, count := range row {
			rows[i] += float64(count)
			columns[j] += float64(count)
		}
		total += rows[i]
	}
	if slices.Contains(rows, 0) || slices.Contains(columns, 0) {
		f.Add("table", "has a row or a column without counts: leave it out")
	}
	if err := f.Err(); err != nil {
		return err
	}
	statistic, least, small := 0.0, math.Inf(1), 0
	for i, row := range table {
		for j, count := range row {
			expected := rows[i] * columns[j] / total
			d := float64(count) - expected
			statistic += d * d / expected
			least = min(least, expected)
			if expected < 5 {
				small++
			}
		}
	}
	remedy := "join rows or columns, or use an exact test"
	if len(rows) == 2 && len(columns) == 2 && total <= mostExact {
		a, b, c, d := table[0][0], table[0][1], table[1][0], table[1][1]
		out.ExactP = new(stats.FisherExact(a, a+b, c, c+d).TwoSided)
		remedy = "use exact_p"
	}
	if cells := len(rows) * len(columns); least < 1 || 5*small > cells {
		out.Warn(
			"%d of %d expected counts are below 5, the least is %.3g: χ² is a poor approximation (Cochran's rule); %s",
			small, cells, least, remedy,
		)
	}
	in.Statistic, in.DF = &statistic, new(float64((len(rows)-1)*(len(columns)-1)))
	return nil
}

// test returns the distribution with its parameters, and the tail, after applying defaults.
func (in pValueIn) test(w *tools.Warnings) (stats.Distribution, string, error) {
	var f tools.FieldErrors
	need := func(name string, v *float64) float64 {
		if v == nil {
			f.Add(name, "is required for the distribution %s: degrees of freedom, greater than 0",
				in.Distribution)
			return 1
		}
		if *v < 1e-300 {
			f.AddValue(name, *v, "must be at least 1e-300")
			return 1
		}
		if *v < 1 {
			w.Warn("%s is below 1, which no ordinary test has", name)
		}
		return *v
	}
	var law stats.Distribution
	tail := choice.Or(in.Tail, "two_sided")
	switch in.Distribution {
	case "z":
		law = stats.Normal()
		choice.Ignored(w, "it has no meaning for z", choice.Of("df", in.DF != nil),
			choice.Of("df1", in.DF1 != nil), choice.Of("df2", in.DF2 != nil))
	case "t":
		law = stats.Student(need("df", in.DF))
		choice.Ignored(w, "it has no meaning for t", choice.Of("df1", in.DF1 != nil),
			choice.Of("df2", in.DF2 != nil))
	case "chi2":
		law = stats.ChiSquared(need("df", in.DF))
		choice.Ignored(w, "it has no meaning for chi2", choice.Of("df1", in.DF1 != nil),
			choice.Of("df2", in.DF2 != nil))
	case "f":
		law = stats.F(need("df1", in.DF1), need("df2", in.DF2))
		choice.Ignored(w, "it has no meaning for f", choice.Of("df", in.DF != nil))
	}
	if !law.Symmetric() {
		tail = choice.Or(in.Tail, "right")
		if in.Statistic != nil && *in.Statistic < 0 {
			f.AddValue("statistic", *in.Statistic, "must be at least 0 for the distribution %s",
				in.Distribution)
		}
		if tail == "two_sided" {
			w.Warn("a two-sided p-value is unusual for %s: the test itself asks for the right tail",
				in.Distribution)
		}
	}
	return law, tail, f.Err()
}
