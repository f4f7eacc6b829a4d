package batch

import (
	"encoding/json"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// minCorrelated is the minimum number of runs for a rank correlation.
const minCorrelated = 10

// z95 is the 97.5 % quantile of the standard normal distribution, for 95 % confidence intervals.
const z95 = 1.959963984540054

// Summary contains the statistics of a batch.
type Summary struct {
	Columns         map[string]*Statistics         `json:"columns" label:"Statistics" doc:"Collected name to its statistics over the runs that have it"`
	Yield           *Yield                         `json:"yield,omitempty" label:"Yield" doc:"Share of runs within the limits"`
	RankCorrelation map[string]map[string]*float64 `json:"rank_correlation,omitempty" label:"Rank correlation" doc:"Varied field to collected name to Spearman's rho; null where a column is constant"`
	Roots           *[]Point                       `json:"roots,omitempty" label:"Roots" doc:"With mode solve: inputs at which the target is met, ascending"`
	FirstError      *RunError                      `json:"first_error,omitempty" label:"First error" doc:"The first failed run"`
	Incomplete      string                         `json:"incomplete,omitempty" label:"Incomplete" doc:"With mode solve: why roots may be missing, because n ended the search or runs failed"`
	Note            string                         `json:"note,omitempty" label:"Note" doc:"With mode solve: what a root is, for a field of whole numbers"`
	Best            *BestRun                       `json:"best,omitempty" label:"Best run" doc:"With modes minimize and maximize: the best run within the limits; null when there is none"`
}

// Point is a run that solve, minimize or maximize has found: a root or the best run.
type Point struct {
	Index  int                 `json:"index" label:"Run" doc:"Index of the run"`
	Input  map[string]Value    `json:"input" label:"Input" doc:"Varied field to its value"`
	Values map[string]*float64 `json:"values" label:"Values" doc:"Collected name to its value"`
}

// BestRun is the result of minimize and maximize: a run, or null if no run is within the limits.
type BestRun struct{ run *Point }

// Run returns the best run, or false if no run is within the limits.
func (b BestRun) Run() (Point, bool) {
	if b.run == nil {
		return Point{}, false
	}
	return *b.run, true
}

// MarshalJSON returns the run, or null if no run is within the limits.
func (b BestRun) MarshalJSON() ([]byte, error) { return json.Marshal(b.run) }

// UnmarshalJSON parses the form that MarshalJSON returns.
func (b *BestRun) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &b.run) }

// DecodeField implements schema.FieldDecoder.
func (b *BestRun) DecodeField(raw []byte) error { return b.UnmarshalJSON(raw) }

// FieldSchema implements schema.FieldDecoder.
func (b *BestRun) FieldSchema() map[string]any {
	return map[string]any{"type": []string{"object", "null"}}
}

// Statistics contains the statistics of a collected column.
type Statistics struct {
	Count     int        `json:"count" label:"Count" doc:"Runs that have the value"`
	Mean      *float64   `json:"mean" label:"Mean" doc:"Arithmetic mean; null above the largest double"`
	Sigma     *float64   `json:"sigma" label:"Standard deviation" doc:"Sample standard deviation (n - 1); null for fewer than two values"`
	Min       *float64   `json:"min" label:"Minimum" doc:"Smallest value"`
	Max       *float64   `json:"max" label:"Maximum" doc:"Largest value"`
	Argmin    *int       `json:"argmin" label:"Run of the minimum" doc:"Index of the first run with the smallest value"`
	Argmax    *int       `json:"argmax" label:"Run of the maximum" doc:"Index of the first run with the largest value"`
	P01       *float64   `json:"p01" label:"1st percentile" doc:"1 % of the values lie below; percentiles are interpolated linearly"`
	P05       *float64   `json:"p05" label:"5th percentile" doc:"5 % of the values lie below"`
	P25       *float64   `json:"p25" label:"25th percentile" doc:"First quartile"`
	P50       *float64   `json:"p50" label:"Median" doc:"Half of the values lie below"`
	P75       *float64   `json:"p75" label:"75th percentile" doc:"Third quartile"`
	P95       *float64   `json:"p95" label:"95th percentile" doc:"95 % of the values lie below"`
	P99       *float64   `json:"p99" label:"99th percentile" doc:"99 % of the values lie below"`
	Histogram *Histogram `json:"histogram" label:"Histogram" doc:"Histogram of the values; null without values or with an infinite range"`
}

// Histogram contains the counts of values between edges. The last bin includes its upper edge.
type Histogram struct {
	Edges  []float64 `json:"edges" label:"Edges" doc:"Bin limits, one more than counts"`
	Counts []int     `json:"counts" label:"Counts" doc:"Values per bin"`
}

// Yield is the proportion of runs that pass, with Wilson's 95 % interval.
type Yield struct {
	Share
	Limits map[string]*Share `json:"limits" label:"Yield per limit" doc:"Collected name to the share of runs within its limit alone"`
}

// Share is a proportion with its confidence interval.
type Share struct {
	Passed  int     `json:"passed" label:"Passed" doc:"Runs within the limits"`
	Of      int     `json:"of" label:"Of" doc:"All runs, failed ones included"`
	Pct     float64 `json:"pct" unit:"%" label:"Yield" doc:"Share of the runs that passed"`
	LowPct  float64 `json:"low_pct" unit:"%" label:"Lower bound" doc:"Lower limit of the 95 % Wilson interval"`
	HighPct float64 `json:"high_pct" unit:"%" label:"Upper bound" doc:"Upper limit of the 95 % Wilson interval"`
}

// Summarize computes the statistics of a batch from all its runs, in index order.
func (p *Plan) Summarize(runs []Run) *Summary {
	s := &Summary{Columns: map[string]*Statistics{}}
	for k, c := range p.columns {
		s.Columns[c.name] = newStatistics(runs, k)
	}
	if i := slices.IndexFunc(runs, func(r Run) bool { return r.Err != "" }); i >= 0 {
		s.FirstError = &RunError{i, runs[i].Err}
	}
	if len(p.Request.Limits) > 0 {
		s.Yield = p.yield(runs)
	}
	if isRandom(p.Request.Mode) && len(runs) >= minCorrelated {
		s.RankCorrelation = p.rankCorrelation(runs)
	}
	switch p.Request.Mode {
	case Solve:
		roots, incomplete := p.roots(runs)
		s.Roots, s.Incomplete, s.Note = &roots, incomplete, p.rootNote(roots)
	case Minimize, Maximize:
		s.Best = &BestRun{p.best(runs)}
	}
	return s
}

func newStatistics(runs []Run, column int) *Statistics {
	s := &Statistics{}
	var values []float64
	for i, r := range runs {
		x := r.Collected[column]
		if math.IsNaN(x) {
			continue
		}
		if s.Min == nil || x < *s.Min {
			s.Min, s.Argmin = &x, &i
		}
		if s.Max == nil || x > *s.Max {
			s.Max, s.Argmax = &x, &i
		}
		values = append(values, x)
	}
	if s.Count = len(values); s.Count == 0 {
		return s
	}
	mean, sigma := stat.MeanStdDev(values, nil)
	if s.Mean = finite(mean); s.Mean != nil {
		*s.Mean = min(max(mean, *s.Min), *s.Max) // the rounded sum may lie outside
	}
	if s.Count > 1 {
		s.Sigma = finite(sigma)
	}
	slices.Sort(values)
	for _, p := range []struct {
		to *(*float64)
		q  float64
	}{{&s.P01, 0.01}, {&s.P05, 0.05}, {&s.P25, 0.25}, {&s.P50, 0.5}, {&s.P75, 0.75}, {&s.P95, 0.95},
		{&s.P99, 0.99}} {
		*p.to = finite(quantile(values, p.q))
	}
	if math.IsInf(*s.Max-*s.Min, 0) {
		return s
	}
	s.Histogram = newHistogram(values)
	return s
}

// finite returns nil for a result beyond the largest number because JSON cannot represent it.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// quantile interpolates between the order statistics, as NumPy and type 7 of R do.
func quantile(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// maxBins is the maximum number of bins in a histogram.
const maxBins = 60

// roundingError is the relative range up to which values differ by rounding errors alone, with room
// for several hundred roundings of 2^-53.
const roundingError = 1e-13

// isConstant reports whether values from low to high differ by rounding errors alone.
func isConstant(low, high float64) bool {
	return high-low <= roundingError*max(math.Abs(low), math.Abs(high))
}

// newHistogram bins ascending values. It uses the smaller of the bin widths of Freedman and
// Diaconis (1981) and Sturges (1926), and one bin for values that differ by rounding errors alone.
func newHistogram(sorted []float64) *Histogram {
	low, high, n := sorted[0], sorted[len(sorted)-1], float64(len(sorted))
	bins := 1
	if !isConstant(low, high) {
		width := (high - low) / (math.Log2(n) + 1)
		if iqr := quantile(sorted, 0.75) - quantile(sorted, 0.25); iqr > 0 {
			width = min(width, 2*iqr/math.Cbrt(n))
		}
		bins = int(min(maxBins, math.Ceil((high-low)/width)))
	}
	h := &Histogram{Edges: make([]float64, bins+1), Counts: make([]int, bins)}
	for i := range h.Edges {
		h.Edges[i] = low + (high-low)*float64(i)/float64(bins)
	}
	h.Edges[bins] = high
	for _, x := range sorted {
		k := sort.Search(bins, func(i int) bool { return x < h.Edges[i+1] })
		h.Counts[min(k, bins-1)]++
	}
	return h
}

// passes reports whether the collected value with the given name is within its limit in a run.
func (p *Plan) passes(r Run, name string) bool {
	l := p.Request.Limits[name]
	x := r.Collected[p.collectedIndex(name)]
	return !math.IsNaN(x) && (l.Min == nil || x >= *l.Min) && (l.Max == nil || x <= *l.Max)
}

func (p *Plan) yield(runs []Run) *Yield {
	y := &Yield{Limits: map[string]*Share{}}
	passed, all := map[string]int{}, 0
	for _, r := range runs {
		whole := true
		for name := range p.Request.Limits {
			if p.passes(r, name) {
				passed[name]++
			} else {
				whole = false
			}
		}
		if whole {
			all++
		}
	}
	y.Share = newShare(all, len(runs))
	for name := range p.Request.Limits {
		s := newShare(passed[name], len(runs))
		y.Limits[name] = &s
	}
	return y
}

// newShare returns a proportion with Wilson's score interval (1927).
func newShare(passed, of int) Share {
	if of == 0 {
		return Share{HighPct: 100}
	}
	n := float64(of)
	q := float64(passed) / n
	center := (q + z95*z95/(2*n)) / (1 + z95*z95/n)
	half := z95 / (1 + z95*z95/n) * math.Sqrt(q*(1-q)/n+z95*z95/(4*n*n))
	return Share{Passed: passed, Of: of, Pct: 100 * q, LowPct: 100 * max(0, center-half),
		HighPct: 100 * min(1, center+half)}
}

// rankCorrelation computes Spearman's rho of each varied field with each collected name, over the
// runs that contain both.
func (p *Plan) rankCorrelation(runs []Run) map[string]map[string]*float64 {
	out := map[string]map[string]*float64{}
	varied := make([]series, len(p.Varied()))
	for e, field := range p.Varied() {
		out[field] = map[string]*float64{}
		varied[e] = newSeries(len(runs), func(i int) float64 {
			return scalar(json.RawMessage(runs[i].Values[e]))
		})
	}
	for k, c := range p.columns {
		collected := newSeries(len(runs), func(i int) float64 { return runs[i].Collected[k] })
		for e, field := range p.Varied() {
			out[field][c.name] = nil
			if rho := spearman(varied[e], collected); !math.IsNaN(rho) {
				out[field][c.name] = &rho
			}
		}
	}
	return out
}

// series contains the values of all runs, NaN if absent. ranks is nil if any value is absent.
// constant reports whether the values differ by rounding errors alone.
type series struct {
	values, ranks []float64
	constant      bool
}

func newSeries(n int, at func(i int) float64) series {
	s := series{values: make([]float64, n)}
	complete, low, high := true, math.Inf(1), math.Inf(-1)
	for i := range s.values {
		x := at(i)
		s.values[i] = x
		if math.IsNaN(x) {
			complete = false
			continue
		}
		low, high = min(low, x), max(high, x)
	}
	s.constant = isConstant(low, high)
	if complete {
		s.ranks = ranks(s.values)
	}
	return s
}

// spearman returns Spearman's rho over the runs that contain both values. It returns NaN for fewer
// than minCorrelated runs, or if either series is constant.
func spearman(a, b series) float64 {
	if a.constant || b.constant {
		return math.NaN()
	}
	x, y := a.ranks, b.ranks
	if x == nil || y == nil {
		x, y = nil, nil
		for i, v := range a.values {
			if w := b.values[i]; !math.IsNaN(v) && !math.IsNaN(w) {
				x, y = append(x, v), append(y, w)
			}
		}
		x, y = ranks(x), ranks(y)
	}
	if len(x) < minCorrelated {
		return math.NaN()
	}
	return stat.Correlation(x, y, nil)
}

// ranks returns the ranks of the values. Equal values get their mean rank.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		end := i
		for end < len(order) && values[order[end]] == values[order[i]] {
			end++
		}
		for _, k := range order[i:end] {
			out[k] = float64(i+end-1) / 2
		}
		i = end
	}
	return out
}

// point returns the run with the given index as a Point.
func (p *Plan) point(runs []Run, index int) Point {
	r := runs[index]
	out := Point{Index: index, Input: map[string]Value{}, Values: map[string]*float64{}}
	for e, field := range p.Varied() {
		out.Input[field] = r.Values[e]
	}
	for k, c := range p.columns {
		out.Values[c.name] = nil
		if x := r.Collected[k]; !math.IsNaN(x) {
			out.Values[c.name] = &x
		}
	}
	return out
}
