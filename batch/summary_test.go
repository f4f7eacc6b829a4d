package batch

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// TestSummary compares the statistics of a column with values computed by hand.
func TestSummary(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "vary": [{"field": "/dist_km", "values": [-1, 4, 1, 3, 2]}],
		"collect": [{"name": "wavelength", "pointer": "/wavelength_m"}, "fspl_db"], "limits": {"fspl_db": {"max": 40}}}`)
	for i := range runs {
		if runs[i].Err == "" {
			runs[i].Collected[1] = scalar(json.RawMessage(runs[i].Values[0])) * 10
		}
	}
	s := p.Summarize(runs)
	c := s.Columns["fspl_db"]
	if c.Count != 4 || *c.Mean != 25 || math.Abs(*c.Sigma-12.909944487358056) > 1e-12 ||
		*c.Min != 10 || *c.Argmin != 2 || *c.Max != 40 || *c.Argmax != 1 {
		t.Errorf("%+v", c)
	}
	// The reference is numpy.percentile([10, 20, 30, 40], [1, 25, 50, 95]).
	for got, want := range map[*float64]float64{c.P01: 10.3, c.P25: 17.5, c.P50: 25, c.P95: 38.5} {
		if math.Abs(*got-want) > 1e-9 {
			t.Errorf("percentile %g, want %g", *got, want)
		}
	}
	total := 0
	for _, k := range c.Histogram.Counts {
		total += k
	}
	if total != 4 || len(c.Histogram.Edges) != len(c.Histogram.Counts)+1 {
		t.Errorf("%+v", c.Histogram)
	}
	// Wilson's interval for 4 of 5 is 37.6 % to 96.4 % (Brown, Cai, DasGupta 2001, equation 4).
	if y := s.Yield; y.Passed != 4 || y.Of != 5 || math.Abs(y.LowPct-37.553) > 1e-2 ||
		math.Abs(y.HighPct-96.379) > 1e-2 {
		t.Errorf("%+v", y)
	}
	if runs[0].Err == "" || !math.IsNaN(runs[0].Collected[0]) {
		t.Errorf("the invalid run: %+v", runs[0])
	}
}

// TestStatisticsOverflow verifies that sums beyond the largest number are omitted, and that the
// summary can be encoded as JSON.
func TestStatisticsOverflow(t *testing.T) {
	p := newPlan(t, `{"tool": "fspl", "input": {"freq_mhz": 1}, "collect": ["fspl_db"],
		"vary": [{"field": "/dist_km", "values": [1, 2, 3]}]}`)
	var runs []Run
	for i, x := range []float64{-1e308, 0, 1.5e308} {
		runs = append(runs, Run{Values: p.Values(i), Collected: []float64{x}})
	}
	s := p.Summarize(runs)
	c := s.Columns["fspl_db"]
	if c.Sigma != nil || c.Histogram != nil || *c.Max != 1.5e308 || *c.P50 != 0 {
		t.Errorf("%+v", c)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

// TestRoundedConstant verifies that values which differ by rounding errors alone have one histogram
// bin and no rank correlation. The velocity factor of a dipole does not depend on the frequency.
func TestRoundedConstant(t *testing.T) {
	p, runs := execute(t, `{"tool": "dipole", "mode": "random", "n": 200, "collect": ["velocity_factor", "length_m"],
		"vary": [{"field": "/freq_mhz", "distribution": "uniform", "min": 400, "max": 500}]}`)
	s := p.Summarize(runs)
	c := s.Columns["velocity_factor"]
	if *c.Min == *c.Max {
		t.Fatal("the values have no rounding errors")
	}
	if h := c.Histogram; !slices.Equal(h.Edges, []float64{*c.Min, *c.Max}) ||
		!slices.Equal(h.Counts, []int{200}) {
		t.Errorf("%+v", h)
	}
	rho := s.RankCorrelation["/freq_mhz"]
	if rho["velocity_factor"] != nil || rho["length_m"] == nil ||
		math.Abs(*rho["length_m"]+1) > 1e-12 {
		t.Errorf("%v", rho)
	}
}

// TestMeanOfConstant verifies that the mean of equal values is their value. The sum of 120 times
// 2.15 is rounded, and a 120th of it is less than 2.15.
func TestMeanOfConstant(t *testing.T) {
	runs := make([]Run, 120)
	for i := range runs {
		runs[i].Collected = []float64{2.15}
	}
	if s := newStatistics(runs, 0); *s.Mean != 2.15 {
		t.Errorf("mean %.17g", *s.Mean)
	}
}

// TestRankCorrelation verifies that Spearman's rho of monotonic columns is 1 or -1.
func TestRankCorrelation(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "mode": "random", "n": 50, "input": {"dist_km": 1},
		"vary": [{"field": "/freq_mhz", "distribution": "uniform", "min": 1, "max": 9}, {"field": "/dist_km", "distribution": "uniform", "min": 1, "max": 1.0000001}]}`)
	rho := p.Summarize(runs).RankCorrelation["/freq_mhz"]
	if math.Abs(*rho["fspl_db"]-1) > 1e-3 || math.Abs(*rho["wavelength_m"]+1) > 1e-12 {
		t.Errorf("%g %g", *rho["fspl_db"], *rho["wavelength_m"])
	}
	// The reference is 1 - 6Σd²/(n³-n). Of the 10 runs with both values, only two neighbours have
	// different ranks in x and y, with d = 1 and -1.
	x, y := make([]float64, 12), make([]float64, 12)
	for i := range x {
		x[i], y[i] = float64(i), float64(i)*float64(i)
	}
	x[3], y[7], y[10], y[11] = math.NaN(), math.NaN(), y[11], y[10]
	at := func(values []float64) series {
		return newSeries(len(values), func(i int) float64 { return values[i] })
	}
	if got, want := spearman(at(x), at(y)), 1-6*2./(1000-10); math.Abs(got-want) > 1e-12 {
		t.Errorf("rho %g of series with absent values, want %g", got, want)
	}
	x[5] = math.NaN()
	if got := spearman(at(x), at(y)); !math.IsNaN(got) {
		t.Errorf("rho %g of 9 runs", got)
	}
	if got := ranks([]float64{5, 1, 5, 3}); !slices.Equal(got, []float64{2.5, 0, 2.5, 1}) {
		t.Errorf("ranks %v", got)
	}
}
