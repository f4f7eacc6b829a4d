// Package simulation defines the results of circuit simulations that spice_simulate returns. They
// contain rounded vectors as JSON, CSV or binary columns, measurements, details of particular
// analyses, and certificates.
package simulation

import "slipstick/spice"

// AnalysisResult is the result of one analysis card. The one embedded at the top level belongs to
// the first card. CSV and Binary must be the first members, as tools.File requires.
type AnalysisResult struct {
	CSV            *string              `json:"csv,omitempty" label:"Vectors as CSV" doc:"With format csv: a line of names, then a line per point"`
	Binary         *string              `json:"binary,omitempty" label:"Vectors in binary" doc:"With format binary: base64 of the columns as docs/results.md describes"`
	Vectors        map[string][]float64 `json:"vectors" unit:"1" label:"Vectors" doc:"Name to values: the sweep (time [s], frequency [Hz], sweep), then v(node) [V] and i(element) [A]; AC gives _mag and _phase_deg; noise gives onoise_spectrum and inoise_spectrum [V/√Hz or A/√Hz]; sp gives s_1_1 to y_n_n, each with _mag and _phase_deg. Empty with format csv or binary"`
	RoundingPct    *float64             `json:"rounding_pct,omitempty" unit:"%" label:"Rounding of vectors" doc:"Largest rounding error of a transient vector, relative to peak-to-peak; other analyses have nine digits"`
	ThinnedVectors []thinnedVector      `json:"thinned_vectors,omitempty" label:"Decimated vectors" doc:"Transient vectors that the points within points_max reproduce with an error above 0.1 % of peak-to-peak"`
	AnalysisType   string               `json:"analysis_type" enum:"op,dc,ac,tran,noise,tf,sens,pz,sp" label:"Analysis" doc:"The analysis that was run"`
	Measures       map[string]*float64  `json:"measures,omitempty" unit:"1" label:"Measurements" doc:"Result of each .measure card by name, in the unit of what is measured; null when it failed, and a warning says why"`
	Step           map[string]float64   `json:"step,omitempty" unit:"1" label:"Step" doc:"Value of each .step card in this run, by parameter, in its unit"`
	Fourier        []fourierSpectrum    `json:"fourier,omitempty" label:"Fourier analysis" doc:"Spectrum of each voltage or current of the .four cards"`
	FFT            []fftSpectrum        `json:"fft,omitempty" label:"FFT" doc:"Discrete spectrum of each voltage or current of the .fft cards"`
	OperatingPoint []devicePoint        `json:"operating_point" label:"Operating point" doc:"Region and key quantities of each device, for op and for the bias behind ac, noise, tf, sens, pz and sp"`
	Statistics     statistics           `json:"statistics" label:"Solver statistics" doc:"Statistics of the solver"`
	details
}

type thinnedVector struct {
	Vector       string   `json:"vector" label:"Vector" doc:"Name of the vector"`
	LineErrorPct *float64 `json:"line_error_pct" unit:"%" label:"Interpolation error" doc:"Error of linear interpolation between the points, relative to peak-to-peak; null: the points are the extremes of short intervals, not the curve"`
}

type devicePoint struct {
	Device     string             `json:"device" label:"Device" doc:"Element name"`
	Kind       string             `json:"kind" label:"Element type" doc:"Element letter"`
	Region     string             `json:"region" label:"Operating region" doc:"Operating region; empty for linear elements"`
	Quantities map[string]float64 `json:"quantities" unit:"1" label:"Quantities" doc:"SI values by name, such as vbe [V], ic [A], gm [S], power [W]"`
}

type statistics struct {
	NewtonIterations int      `json:"newton_iterations" unit:"1" label:"Newton iterations" doc:"Total Newton iterations"`
	TimeSteps        int      `json:"time_steps" unit:"1" label:"Time steps" doc:"Accepted time steps"`
	RejectedSteps    int      `json:"rejected_steps" unit:"1" label:"Rejected time steps" doc:"Time steps repeated with a smaller step"`
	ConvergenceAid   string   `json:"convergence_aid" label:"Convergence aid" doc:"Convergence aid of the operating point beyond plain Newton iteration"`
	ErrorEstimatePct *float64 `json:"error_estimate_pct" unit:"%" label:"Estimated error" doc:"Estimated error relative to peak-to-peak; null when none was made"`
}

// NewAnalysisResults returns the results of all cards, the first card first, with their vectors in
// a format: columns, csv or binary. It rounds the vectors of r in place on up to the given number
// of cores.
func NewAnalysisResults(r *spice.Result, format string, cores int) ([]AnalysisResult, error) {
	all := []*spice.AnalysisResult{&r.AnalysisResult}
	for k := range r.Others {
		all = append(all, &r.Others[k])
	}
	roundVectors(all, cores)
	results := make([]AnalysisResult, len(all))
	for k, one := range all {
		var err error
		if results[k], err = newAnalysisResult(one, format); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// newAnalysisResult returns the result of one card, whose vectors are rounded.
func newAnalysisResult(r *spice.AnalysisResult, format string) (out AnalysisResult, err error) {
	out.AnalysisType = r.Analysis
	for _, v := range r.Step {
		if out.Step == nil {
			out.Step = map[string]float64{}
		}
		out.Step[v.Name] = v.Value
	}
	if r.Analysis == "tran" {
		pct := 100 * roundingError
		out.RoundingPct = &pct
	}
	switch {
	case len(r.Vectors) == 0 || format == "columns":
		out.Vectors = make(map[string][]float64, len(r.Vectors))
		for _, v := range r.Vectors {
			out.Vectors[v.Name] = v.Values
		}
	case format == "csv":
		text := csvOf(r.Vectors)
		out.CSV = &text
	default:
		text, err := binaryOf(r.Analysis, r.Vectors)
		if err != nil {
			return out, err
		}
		out.Binary = &text
	}
	for _, v := range r.Decimated {
		decimated := thinnedVector{Vector: v.Vector}
		if !v.Extremes {
			pct := 100 * v.Bound
			decimated.LineErrorPct = &pct
		}
		out.ThinnedVectors = append(out.ThinnedVectors, decimated)
	}
	out.Measures, out.Fourier, out.FFT = newMeasures(r.Measures), newSpectra(r.Fourier),
		newFFT(r.FFT)
	for _, p := range r.OperatingPoint {
		point := devicePoint{
			Device: p.Device, Kind: p.Kind, Region: p.Region, Quantities: map[string]float64{},
		}
		for _, q := range p.Quantities {
			point.Quantities[q.Name] = q.Value
		}
		out.OperatingPoint = append(out.OperatingPoint, point)
	}
	out.details = newDetails(r.Detail)
	s := r.Statistics
	out.Statistics = statistics{
		s.NewtonIterations, s.TimeSteps, s.RejectedSteps, s.ConvergenceAid, s.ErrorEstimatePct,
	}
	return out, nil
}
