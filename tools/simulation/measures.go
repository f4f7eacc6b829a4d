package simulation

import "slipstick/spice"

type fourierSpectrum struct {
	Node          string            `json:"node" label:"Signal" doc:"Analysed signal, such as v(out)"`
	FundamentalHz float64           `json:"fundamental_hz" unit:"Hz" label:"Fundamental frequency" doc:"Frequency of the .four card"`
	Window        string            `json:"window" enum:"rect,hann,hamming,blackman,flattop" label:"Window" doc:"Window of the card; rect when it names none"`
	Periods       int               `json:"periods" unit:"1" label:"Periods" doc:"Number of analysed periods, at the end of the run"`
	Mean          float64           `json:"mean" unit:"1" label:"Mean value" doc:"Mean over the analysed periods [V or A]"`
	THDPct        *float64          `json:"thd_pct" unit:"%" label:"THD" doc:"Total harmonic distortion of the harmonics 2 to 9; null without a fundamental"`
	Harmonics     []fourierHarmonic `json:"harmonics" label:"Harmonics" doc:"Harmonics 1 to 9"`
}

type fourierHarmonic struct {
	N           int      `json:"n" unit:"1" label:"Harmonic number" doc:"Multiple of the fundamental"`
	FrequencyHz float64  `json:"frequency_hz" unit:"Hz" label:"Frequency" doc:"Frequency"`
	Magnitude   float64  `json:"magnitude" unit:"1" label:"Magnitude" doc:"Peak value [V or A]"`
	PhaseDeg    float64  `json:"phase_deg" unit:"°" label:"Phase" doc:"Phase of the sine, from the start of the analysed periods"`
	Normalized  *float64 `json:"normalized" unit:"1" label:"Relative magnitude" doc:"Magnitude relative to the fundamental; null without a fundamental"`
}

type fftSpectrum struct {
	Signal           string    `json:"signal" label:"Signal" doc:"Analysed signal, such as v(out)"`
	Window           string    `json:"window" enum:"rect,hann,hamming,blackman,flattop" label:"Window" doc:"Window of the card; rect when it names none"`
	FromS            float64   `json:"from_s" unit:"s" label:"Start time" doc:"Time of the first sample"`
	ToS              float64   `json:"to_s" unit:"s" label:"End time" doc:"End of the sampled time"`
	Samples          int       `json:"samples" unit:"1" label:"Samples" doc:"Number of samples"`
	ResolutionHz     float64   `json:"resolution_hz" unit:"Hz" label:"Frequency resolution" doc:"Spacing of the lines: 1/(to_s - from_s)"`
	NoiseBandwidthHz float64   `json:"noise_bandwidth_hz" unit:"Hz" label:"Noise bandwidth" doc:"Equivalent noise bandwidth of one line with this window"`
	Magnitude        []float64 `json:"magnitude" unit:"1" label:"Magnitude" doc:"Mean, then the peak value at each multiple of resolution_hz up to half of the sampling rate [V or A]"`
}

func newFFT(list []spice.FFT) (out []fftSpectrum) {
	for _, f := range list {
		out = append(
			out,
			fftSpectrum{
				f.Name, f.Window, f.From, f.To, f.Samples, f.ResolutionHz, f.NoiseBandwidthHz,
				f.Magnitude,
			},
		)
	}
	return out
}

// newMeasures returns the measurements of an analysis, or nil if the netlist has none for it.
func newMeasures(list []spice.Measure) map[string]*float64 {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]*float64, len(list))
	for _, m := range list {
		out[m.Name] = m.Value
	}
	return out
}

func newSpectra(list []spice.Fourier) (out []fourierSpectrum) {
	for _, f := range list {
		s := fourierSpectrum{
			Node: f.Name, FundamentalHz: f.Fundamental, Window: f.Window, Periods: f.Periods,
			Mean:   f.Mean,
			THDPct: f.THDPct,
		}
		for _, l := range f.Lines {
			s.Harmonics = append(s.Harmonics,
				fourierHarmonic{l.N, l.Hz, l.Magnitude, l.PhaseDeg, l.Normalized})
		}
		out = append(out, s)
	}
	return out
}
