package general

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/stats"
)

// PValue gives tail probabilities and critical values of the four classical test statistics.
var PValue = tools.Define(tools.Spec{
	Name:    "p_value",
	Title:   "P-value",
	Summary: "Tail probabilities and critical values of a z, t, chi-squared or F statistic, or of a t test on data",
	Method: "Normal: Φ(-|z|) = erfc(|z|/√2)/2. Chi-squared: Q(df/2, χ²/2), the complemented incomplete gamma function. " +
		"F: I_y(df2/2, df1/2) with y = df2/(df1 F + df2), the incomplete beta function; t: t² is F with 1 and df degrees of freedom. " +
		"The smaller tail is computed itself, never as 1 - cdf. Two-sided: twice the smaller tail, at most 1. " +
		"Critical value: the upper point at α (right), at α/2 (two_sided) or the lower point at α (left). " +
		"From data: t = (estimate - μ0)/standard error, of one sample, of paired differences, or of two samples with Welch's degrees of freedom",
	Sources: []string{
		"NIST Digital Library of Mathematical Functions, 7.2 (erfc), 8.2 (incomplete gamma), 8.17 (incomplete beta)",
		"M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 26.2 (normal), 26.4 (chi-squared), 26.6 (F), 26.7 (t)",
		"B. L. Welch, The generalization of Student's problem when several different population variances are involved, Biometrika 34 (1947) 28-35",
	},
	Limits: []string{
		"The p-value is only as good as the test's assumptions: independent data, and for t and F normal errors",
		"Relative error below 1e-9 down to 1e-300; a p-value below that loses digits as a double, log10_p does not",
	},
	Aliases: []string{"significance", "hypothesis test", "t test", "chi squared", "F test", "z score", "critical value"},
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
	},
}, pValue)

type pValueIn struct {
	Distribution string     `json:"distribution" enum:"z,t,chi2,f" example:"t" label:"Distribution" doc:"Distribution of the statistic under the null hypothesis"`
	Statistic    *float64   `json:"statistic" unit:"1" example:"2.228" label:"Test statistic" doc:"Value of the test statistic; not negative for chi2 and f. Or data, for t"`
	DF           *float64   `json:"df" unit:"1" gt:"0" max:"1e15" example:"10" label:"Degrees of freedom" doc:"Degrees of freedom, for t and chi2; need not be whole"`
	DF1          *float64   `json:"df1" unit:"1" gt:"0" max:"1e15" label:"Numerator degrees of freedom" doc:"Degrees of freedom of the numerator, for f"`
	DF2          *float64   `json:"df2" unit:"1" gt:"0" max:"1e15" label:"Denominator degrees of freedom" doc:"Degrees of freedom of the denominator, for f"`
	Tail         *string    `json:"tail" enum:"two_sided,left,right" label:"Tail" doc:"Tail of the test; default two_sided for z and t, right for chi2 and f"`
	Alpha        float64    `json:"alpha" unit:"1" gt:"0" lt:"1" default:"0.05" label:"Significance level α" doc:"Significance level"`
	Data         *[]float64 `json:"data" unit:"1" min:"-1e150" max:"1e150" minItems:"2" maxItems:"10000" label:"Observations" doc:"Observations for a t test, in place of statistic and df"`
	NullMean     float64    `json:"null_mean" unit:"1" min:"-1e150" max:"1e150" default:"0" label:"Mean under the null hypothesis" doc:"Mean, or difference of the means, under the null hypothesis; with data"`
	stats.Samples
}

type pValueOut struct {
	PValue             float64  `json:"p_value" unit:"1" label:"p-value" doc:"Probability of the chosen tail"`
	PLeft              float64  `json:"p_left" unit:"1" label:"Left-tail probability" doc:"Probability of a value at or below the statistic"`
	PRight             float64  `json:"p_right" unit:"1" label:"Right-tail probability" doc:"Probability of a value at or above the statistic"`
	PTwoSided          float64  `json:"p_two_sided" unit:"1" label:"Two-sided probability" doc:"Twice the smaller tail, at most 1"`
	Significant        bool     `json:"significant" label:"Significant" doc:"The p-value is below alpha"`
	CriticalValue      *float64 `json:"critical_value" unit:"1" label:"Critical value" doc:"Upper point at alpha (right) or alpha/2 (two_sided), lower point at alpha (left)"`
	CriticalValueLower *float64 `json:"critical_value_lower" unit:"1" label:"Lower critical value" doc:"Lower point at alpha/2, for two_sided"`
	Log10P             *float64 `json:"log10_p" unit:"1" label:"log10 of the p-value" doc:"Common logarithm of the p-value, also where that is too small for a double; null for p = 0 and below 10^-1e300"`
	Tail               string   `json:"tail" label:"Tail" doc:"Tail used"`
	Statistic          float64  `json:"statistic" unit:"1" label:"Test statistic" doc:"The test statistic, given or from data"`
	DF                 *float64 `json:"df" unit:"1" label:"Degrees of freedom" doc:"Degrees of freedom of t and chi2, given or from data; null for z and f"`
	Estimate           *float64 `json:"estimate" unit:"1" label:"Estimate" doc:"Mean of data, or the difference of the means; null without data"`
	StandardError      *float64 `json:"standard_error" unit:"1" label:"Standard error" doc:"Standard error of the estimate; null without data"`
	Alpha              float64  `json:"alpha" unit:"1" label:"Significance level α" doc:"Significance level"`
	tools.Warnings
}

func pValue(_ context.Context, in pValueIn) (pValueOut, error) {
	var out pValueOut
	if err := in.fromData(&out); err != nil {
		return out, err
	}
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
	out.PLeft, out.PRight, out.PTwoSided = math.Exp(t.Below), math.Exp(t.Above), math.Exp(logs["two_sided"])
	out.PValue = math.Exp(logs[tail])
	out.Significant = logs[tail] < math.Log(in.Alpha)
	if out.PValue > 1e-10 { // as numbers, so that p = alpha is decided without the logarithm's rounding
		out.Significant = out.PValue < in.Alpha
	}
	out.Log10P = tools.Finite(logs[tail] / math.Ln10)
	if out.PValue < 1e-300 {
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

// fromData replaces data by the statistic and the degrees of freedom of a t test.
func (in *pValueIn) fromData(out *pValueOut) error {
	var f tools.FieldErrors
	in.Samples.Check(&f, in.Data)
	if in.Data == nil {
		if in.Statistic == nil {
			f.Add("statistic", "is required: give statistic, or data for a t test")
		}
		if in.NullMean != 0 {
			choice.Ignored(&out.Warnings, "it has no meaning for a given statistic", choice.Of("null_mean", true))
		}
		return f.Err()
	}
	if in.Distribution != "t" {
		f.AddValue("distribution", in.Distribution, "must be t with data")
	}
	for _, name := range choice.Names(choice.Of("statistic", in.Statistic != nil), choice.Of("df", in.DF != nil)) {
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
		f.Add("data", "has a standard error of %g, too small for an estimate of %g", e.StandardError, e.Value)
		return f.Err()
	}
	in.Statistic, in.DF = &statistic, &e.DF
	out.Estimate, out.StandardError = &e.Value, &e.StandardError
	return nil
}

// test gives the distribution with its parameters and the tail, defaults applied.
func (in pValueIn) test(w *tools.Warnings) (stats.Distribution, string, error) {
	var f tools.FieldErrors
	need := func(name string, v *float64) float64 {
		if v == nil {
			f.Add(name, "is required for the distribution %s: degrees of freedom, greater than 0", in.Distribution)
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
		choice.Ignored(w, "it has no meaning for z", choice.Of("df", in.DF != nil), choice.Of("df1", in.DF1 != nil), choice.Of("df2", in.DF2 != nil))
	case "t":
		law = stats.Student(need("df", in.DF))
		choice.Ignored(w, "it has no meaning for t", choice.Of("df1", in.DF1 != nil), choice.Of("df2", in.DF2 != nil))
	case "chi2":
		law = stats.ChiSquared(need("df", in.DF))
		choice.Ignored(w, "it has no meaning for chi2", choice.Of("df1", in.DF1 != nil), choice.Of("df2", in.DF2 != nil))
	case "f":
		law = stats.F(need("df1", in.DF1), need("df2", in.DF2))
		choice.Ignored(w, "it has no meaning for f", choice.Of("df", in.DF != nil))
	}
	if !law.Symmetric() {
		tail = choice.Or(in.Tail, "right")
		if in.Statistic != nil && *in.Statistic < 0 {
			f.AddValue("statistic", *in.Statistic, "must be at least 0 for the distribution %s", in.Distribution)
		}
		if tail == "two_sided" {
			w.Warn("a two-sided p-value is unusual for %s: the test itself asks for the right tail", in.Distribution)
		}
	}
	return law, tail, f.Err()
}
