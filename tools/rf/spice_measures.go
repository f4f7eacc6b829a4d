package rf

import "slipstick/spice"

type fourierSpectrum struct {
	Node          string            `json:"node" label:"Signal" doc:"Analysed signal, such as v(out)"`
	FundamentalHz float64           `json:"fundamental_hz" unit:"Hz" label:"Fundamental frequency" doc:"Frequency of the .four card"`
	Mean          float64           `json:"mean" unit:"1" label:"Mean value" doc:"Mean over the last period [V or A]"`
	THDPct        *float64          `json:"thd_pct" unit:"%" label:"THD" doc:"Total harmonic distortion of the harmonics 2 to 9; null without a fundamental"`
	Harmonics     []fourierHarmonic `json:"harmonics" label:"Harmonics" doc:"Harmonics 1 to 9 of the last period"`
}

type fourierHarmonic struct {
	N           int      `json:"n" unit:"1" label:"Harmonic number" doc:"Multiple of the fundamental"`
	FrequencyHz float64  `json:"frequency_hz" unit:"Hz" label:"Frequency" doc:"Frequency"`
	Magnitude   float64  `json:"magnitude" unit:"1" label:"Magnitude" doc:"Peak value [V or A]"`
	PhaseDeg    float64  `json:"phase_deg" unit:"°" label:"Phase" doc:"Phase of the sine, counted from the start of the last period"`
	Normalized  *float64 `json:"normalized" unit:"1" label:"Relative magnitude" doc:"Magnitude beside the fundamental; null without a fundamental"`
}

// newMeasures is nil when the netlist has no measures for the analysis.
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
		s := fourierSpectrum{Node: f.Name, FundamentalHz: f.Fundamental, Mean: f.Mean, THDPct: f.THDPct}
		for _, l := range f.Lines {
			s.Harmonics = append(s.Harmonics, fourierHarmonic{l.N, l.Hz, l.Magnitude, l.PhaseDeg, l.Normalized})
		}
		out = append(out, s)
	}
	return out
}
