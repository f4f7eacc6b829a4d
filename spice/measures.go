package spice

import (
	"slipstick/spice/analysis"
	"slipstick/spice/measure"
	"slipstick/spice/netlist"
)

// Measure is the result of one .measure card.
type Measure = measure.Result

// Fourier is the spectrum of one voltage or current of a .four card.
type Fourier = measure.Spectrum

// Harmonic is one line of a spectrum.
type Harmonic = measure.Line

// wantMeasures tells the analysis what the .measure and .four cards will read.
func wantMeasures(job *analysis.Job) {
	job.Keep, job.FinePeriods = measure.Wanted(job.Circuit, job.Analysis.Kind)
}

// addMeasures evaluates the .measure and .four cards.
func (res *Result) addMeasures(ckt *netlist.Circuit, kind string, traces []analysis.Trace) {
	measures, warnings := measure.Evaluate(ckt, kind, traces)
	spectra, more := measure.Fourier(ckt, kind, traces)
	res.Measures, res.Fourier = measures, spectra
	res.Warnings = append(append(res.Warnings, warnings...), more...)
}

// outerNodes are the nodes of a circuit without those inside library parts.
func outerNodes(ckt *netlist.Circuit) []string {
	out := make([]string, 0, len(ckt.Nodes))
	for _, n := range ckt.Nodes {
		if !ckt.Inner[n] {
			out = append(out, n)
		}
	}
	return out
}
