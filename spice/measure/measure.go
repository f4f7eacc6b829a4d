// Package measure evaluates .measure, .four and .fft cards on the vectors of an analysis.
//
// series.go converts operands such as vdb(a,b) to one number per point. crossing.go finds the times
// of trig, targ and when. window.go computes averages and extremes between interpolated edges.
// fourier.go computes the harmonics of the last periods and fft.go discrete spectra. A failed
// measure is not an error: it has no value, and a warning states the reason.
package measure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/spice/analysis"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// Result is the result of one .measure card.
type Result struct {
	Name  string
	Value *float64 // value in the unit of the measured quantity; nil if the measure failed
}

// RequiredTraces returns the names of the vectors that the cards of an analysis use. It also
// returns the intervals of a transient in which .four and .fft require short time steps.
func RequiredTraces(ckt *netlist.Circuit,
	a netlist.Analysis) (vectors []string, limits []analysis.StepLimit) {
	kind := a.Kind
	seen := map[string]bool{}
	add := func(o *netlist.Operand) {
		if o == nil {
			return
		}
		for _, v := range o.Vectors() {
			if !seen[v] {
				seen[v] = true
				vectors = append(vectors, v)
			}
		}
	}
	for i := range ckt.Measures {
		m := &ckt.Measures[i]
		if m.Analysis != kind {
			continue
		}
		add(m.Operand)
		for _, e := range [...]*netlist.Event{m.When, m.Targ} {
			if e != nil {
				add(e.Left)
				add(e.Right)
			}
		}
	}
	if len(vectors) == 0 && kind != "noise" {
		vectors = vectorBesideSweep(ckt, kind)
	}
	if kind != "tran" {
		return vectors, nil
	}
	for i := range ckt.Fourier {
		card := &ckt.Fourier[i]
		period := 1 / card.Frequency
		// With 400 points the chord error is at most 0.25 % of the amplitude of the ninth harmonic.
		periods := float64(fourierPeriods(card, a.Stop-a.Start))
		limits = append(limits, analysis.StepLimit{
			From: a.Stop - (periods+0.01)*period, Step: period / 400,
			Interpolated: true})
		for k := range card.Operands {
			add(&card.Operands[k])
		}
	}
	for i := range ckt.FFT {
		card := &ckt.FFT[i]
		from, to := fftInterval(card, a.Start, a.Stop)
		// Request four time steps per sample.
		part := min(4*card.Samples, maxLimitedSteps)
		limits = append(limits, analysis.StepLimit{From: from, Step: (to - from) / float64(part)})
		for k := range card.Operands {
			add(&card.Operands[k])
		}
	}
	return vectors, limits
}

// vectorBesideSweep returns the voltage of one node if a measure of an analysis may use the sweep
// alone, as "when time=1m" does. The sweep is recorded only beside another vector.
func vectorBesideSweep(ckt *netlist.Circuit, kind string) []string {
	if !slices.ContainsFunc(ckt.Measures, func(m netlist.Measure) bool {
		return m.Analysis == kind && (m.Kind == "delay" || m.Kind == "when" ||
			m.Operand != nil && m.Operand.Kind == 'x')
	}) {
		return nil
	}
	for _, node := range ckt.Nodes {
		if !ckt.InternalNodes[node] {
			return []string{"v(" + node + ")"}
		}
	}
	return nil
}

// run holds the vectors of one analysis and the results of its measures.
type run struct {
	kind       string
	x          []float64 // ascending sweep values [s], [Hz], [V], [A], [Ω] or [°C]
	descending bool      // the sweep of .dc has decreasing values
	decimated  bool      // points of the run were removed
	traces     map[string]*analysis.Trace
	last       *series // series of the most recent operand, whose text is name
	name       string
	results    map[string]*float64
	warn       func(string)
}

// Evaluate computes the measures of an analysis of the given kind from its recorded traces. The
// results are in the order of the cards. A failed measure has a warning.
func Evaluate(ckt *netlist.Circuit, kind string, traces []analysis.Trace, decimated bool) (
	results []Result, warnings []string) {
	r := newRun(kind, traces)
	r.decimated = decimated
	r.warn = func(w string) {
		for _, o := range warnings {
			if o == w {
				return
			}
		}
		warnings = append(warnings, w)
	}
	for i := range ckt.Measures {
		m := &ckt.Measures[i]
		if m.Analysis != kind {
			continue
		}
		v, err := 0.0, error(nil)
		if m.Unsupported != "" {
			err = errors.New(m.Unsupported)
		} else {
			v, err = r.measure(m)
		}
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			err = errors.New("the result is not finite")
		}
		out := Result{Name: m.Name}
		if err != nil {
			r.warn(fmt.Sprintf("line %d: measure %s failed: %s", m.Line, m.Name, reason(err)))
		} else {
			out.Value = &v
		}
		r.results[m.Name] = out.Value
		results = append(results, out)
		if r.warnPhasors(m) {
			r.warn("vp() and ip() of .measure are in degrees (ngspice: radians)")
		}
	}
	if len(results) > 0 && len(traces) > 0 && len(r.x) < len(traces[0].Real) {
		r.warn("the measures of .dc with two sources use the first sweep of the first source alone; " +
			"with .step of the second source every sweep has its measures")
	}
	return results, warnings
}

// Unused returns a warning for each kind of card that belongs to no executed analysis. kinds lists
// the kinds of the executed analyses.
func Unused(ckt *netlist.Circuit, kinds []string) (warnings []string) {
	skipped := 0
	for i := range ckt.Measures {
		if !slices.Contains(kinds, ckt.Measures[i].Analysis) {
			skipped++
		}
	}
	if skipped > 0 {
		warnings = append(warnings,
			fmt.Sprintf("%d .measure cards belong to analyses that were not run", skipped))
	}
	if slices.Contains(kinds, "tran") {
		return warnings
	}
	const text = "line %d: %s needs .tran and is not evaluated for .%s"
	others := strings.Join(kinds, ", .")
	if len(ckt.Fourier) > 0 {
		warnings = append(warnings, fmt.Sprintf(text, ckt.Fourier[0].Line, ".four", others))
	}
	if len(ckt.FFT) > 0 {
		warnings = append(warnings, fmt.Sprintf(text, ckt.FFT[0].Line, ".fft", others))
	}
	return warnings
}

// reason returns the message of an error without its line number.
func reason(err error) string {
	var d *diag.Error
	if errors.As(err, &d) {
		return d.Detail
	}
	return err.Error()
}

// warnPhasors reports whether a measure of .ac uses a phase. It adds a warning if the measure uses
// a v() or i() without a part, which is a magnitude.
func (r *run) warnPhasors(m *netlist.Measure) (phase bool) {
	list := []*netlist.Operand{m.Operand}
	for _, e := range [...]*netlist.Event{m.When, m.Targ} {
		if e != nil {
			list = append(list, e.Left, e.Right)
		}
	}
	for _, o := range list {
		if o == nil || r.kind != "ac" {
			continue
		}
		phase = phase || o.Part == "p"
		if o.Part == "" {
			r.warn("v() and i() of .measure ac are magnitudes (ngspice: real parts; write vr() and ir() for these)")
		}
	}
	return phase
}

// newRun creates a run from traces and indexes them by name. The first trace is the sweep. For a
// nested .dc it keeps the first sweep of the first source. It reverses a decreasing sweep.
func newRun(kind string, traces []analysis.Trace) *run {
	r := &run{kind: kind, traces: map[string]*analysis.Trace{}, results: map[string]*float64{}}
	if len(traces) == 0 {
		return r
	}
	x := traces[0].Real
	n := min(len(x), 1)
	for n < len(x) && x[n] != x[n-1] && (n == 1 || x[n] > x[n-1] == (x[1] > x[0])) {
		n++
	}
	r.descending = n > 1 && x[1] < x[0]
	firstSweep := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		v = v[:n]
		if !r.descending {
			return v
		}
		out := make([]float64, n)
		for i := range v {
			out[n-1-i] = v[i]
		}
		return out
	}
	r.x = firstSweep(x)
	for _, t := range traces[1:] {
		r.traces[t.Name] = &analysis.Trace{Name: t.Name, Real: firstSweep(t.Real),
			Imag: firstSweep(t.Imag)}
	}
	return r
}

// number returns the value of a formula. It uses the results of earlier measures.
func (r *run) number(f *netlist.Formula) (float64, error) {
	return f.Value(r.result)
}

// result returns the result of an earlier measure of this run.
func (r *run) result(name string) (float64, error) {
	v, made := r.results[name]
	switch {
	case !made:
		return 0, fmt.Errorf("measure %s is not one of .%s", name, r.kind)
	case v == nil:
		return 0, fmt.Errorf("it needs measure %s, which failed", name)
	}
	return *v, nil
}

// delay returns the distance from one event to another one, or to an end of the run.
func (r *run) delay(m *netlist.Measure) (d float64, err error) {
	from, to := 0.0, 0.0
	if n := len(r.x); n > 0 {
		from, to = r.x[0], r.x[n-1]
	} else if m.When == nil || m.Targ == nil {
		return 0, errNoPoints
	}
	if r.descending {
		from, to = to, from
	}
	if m.When != nil {
		if from, err = r.eventTime(m.When, nil, nil); err != nil {
			return 0, fmt.Errorf("trig: %w", err)
		}
	}
	if m.Targ != nil {
		if to, err = r.eventTime(m.Targ, nil, nil); err != nil {
			return 0, fmt.Errorf("targ: %w", err)
		}
	}
	return to - from, nil
}

func (r *run) measure(m *netlist.Measure) (float64, error) {
	if m.Kind == "param" {
		return r.number(m.Param)
	}
	switch m.Kind {
	case "last":
		s, err := r.series(m.Operand)
		switch {
		case err != nil:
			return 0, err
		case len(s.y) == 0:
			return 0, errNoPoints
		case r.descending:
			return s.y[0], nil
		}
		return s.y[len(s.y)-1], nil
	case "delay":
		return r.delay(m)
	case "when":
		return r.eventTime(m.When, m.From, m.To)
	case "find", "deriv":
		at, err := r.eventTime(m.When, m.From, m.To)
		if err != nil {
			return 0, err
		}
		s, err := r.series(m.Operand)
		if err != nil {
			return 0, err
		}
		if m.Kind == "find" {
			return s.at(at)
		}
		return s.slope(at)
	}
	s, err := r.series(m.Operand)
	if err != nil {
		return 0, err
	}
	return r.reduce(m, s)
}
