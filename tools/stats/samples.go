package stats

import (
	"math"

	"slipstick/tools"
)

// Samples are observations to compare: one sample, two independent ones, or pairs.
type Samples struct {
	Data2  *[]float64 `json:"data2" unit:"1" min:"-1e150" max:"1e150" minItems:"2" maxItems:"10000" label:"Observations, second sample" doc:"Second sample, for the difference of the means, data minus data2"`
	Paired bool       `json:"paired" default:"false" label:"Paired samples" doc:"data and data2 are pairs, such as before and after; their differences form one sample"`
}

// Check adds errors for a second sample without a first, and for pairs of different lengths.
func (s Samples) Check(f *tools.FieldErrors, data *[]float64) {
	switch {
	case s.Data2 != nil && data == nil:
		f.Add("data2", "needs data, the first sample")
	case s.Paired && s.Data2 == nil:
		f.Add("paired", "needs data2, the second of each pair")
	case s.Paired && len(*data) != len(*s.Data2):
		f.Add("data2", "must have as many numbers as data for paired samples, %d; it has %d",
			len(*data),
			len(*s.Data2))
	}
}

// Estimate is a mean or difference of means with its standard error and the degrees of freedom of
// Student's t.
type Estimate struct {
	Value, StandardError, DF float64
	Deviation                *float64 // standard deviation of the single sample or the differences
}

// Estimate returns x̄ with s/√n. For pairs, these are the values of the differences. For two
// samples it returns x̄1 - x̄2 with √(s1²/n1 + s2²/n2) and the degrees of freedom of Welch and
// Satterthwaite (B. L. Welch, Biometrika 34 (1947), 28-35). The caller must have checked the input.
func (s Samples) Estimate(data []float64) Estimate {
	if s.Data2 != nil && !s.Paired {
		m1, s1 := MeanAndDeviation(data)
		m2, s2 := MeanAndDeviation(*s.Data2)
		n1, n2 := float64(len(data)), float64(len(*s.Data2))
		e1, e2 := s1/math.Sqrt(n1), s2/math.Sqrt(n2)
		e := math.Hypot(e1, e2)
		df := n1 + n2 - 2
		if e > 0 { // relative variances, which cannot overflow
			w1, w2 := (e1/e)*(e1/e), (e2/e)*(e2/e)
			df = 1 / (w1*w1/(n1-1) + w2*w2/(n2-1))
		}
		return Estimate{m1 - m2, e, df, nil}
	}
	if s.Paired {
		differences := make([]float64, len(data))
		for i, x := range data {
			differences[i] = x - (*s.Data2)[i]
		}
		data = differences
	}
	mean, deviation := MeanAndDeviation(data)
	n := float64(len(data))
	return Estimate{mean, deviation / math.Sqrt(n), n - 1, &deviation}
}

// MeanAndDeviation returns the mean and the n - 1 standard deviation. It corrects both by the
// remainder of the first pass.
func MeanAndDeviation(data []float64) (mean, s float64) {
	n := float64(len(data))
	for _, x := range data {
		mean += x / n
	}
	rest := 0.0
	for _, x := range data {
		rest += x - mean
	}
	mean += rest / n
	squares, rest := 0.0, 0.0
	for _, x := range data {
		d := x - mean
		squares += d * d
		rest += d
	}
	return mean, math.Sqrt(math.Max(0, squares-rest*rest/n) / (n - 1))
}
