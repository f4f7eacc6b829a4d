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

// Harmonic is one harmonic of a spectrum.
type Harmonic = measure.Line

// FFT is the discrete spectrum of one voltage or current of a .fft card.
type FFT = measure.FFTSpectrum

// requestTraces sets the traces and the step limits of a job that the .measure, .four and
// .fft cards need.
func requestTraces(job *analysis.Job) {
	job.Traces, job.StepLimits = measure.RequiredTraces(job.Circuit, job.Analysis)
}

// addMeasures evaluates the .measure, .four and .fft cards that belong to an analysis of this kind.
// It adds the results and warnings to res.
func (res *AnalysisResult) addMeasures(ckt *netlist.Circuit, kind string, out *analysis.Output) {
	measures, warnings := measure.Evaluate(ckt, kind, out.Traces, out.TracesDecimated)
	spectra, more := measure.Fourier(ckt, kind, out.Traces)
	lines, last := measure.FFT(ckt, kind, out.Traces, out.TracesDecimated)
	res.Measures, res.Fourier, res.FFT = measures, spectra, lines
	res.Warnings = append(append(append(res.Warnings, warnings...), more...), last...)
}

// outerNodes returns the names of the nodes outside library parts.
func outerNodes(ckt *netlist.Circuit) []string {
	out := make([]string, 0, len(ckt.Nodes))
	for _, n := range ckt.Nodes {
		if !ckt.InternalNodes[n] {
			out = append(out, n)
		}
	}
	return out
}
