package simulation

import (
	"math"
	"math/cmplx"

	"slipstick/spice/analysis"
)

// details contains the results of some analyses in addition to the vectors.
type details struct {
	Noise            *noiseResult       `json:"noise,omitempty" label:"Noise" doc:"With .noise: noise integrated over frequency, and the contribution of each noise source"`
	TransferFunction *transferFunction  `json:"transfer_function,omitempty" label:"Transfer function" doc:"With .tf: small-signal gain and resistances at DC"`
	PolesAndZeros    *polesAndZeros     `json:"poles_and_zeros,omitempty" label:"Poles and zeros" doc:"With .pz: roots of denominator and numerator of the transfer function; those that cancel are in both"`
	Sensitivity      *sensitivityResult `json:"sensitivity,omitempty" label:"Sensitivity" doc:"With .sens: derivative of the output with respect to every value and given parameter"`
	SParameters      *sParameters       `json:"s_parameters,omitempty" label:"S-parameters" doc:"With .sp: reference resistances and a Touchstone file"`
}

type sParameters struct {
	ReferenceOhm []float64 `json:"reference_ohm" unit:"Ω" label:"Reference resistance" doc:"Reference resistance of each port, in the order of portnum"`
	Touchstone   string    `json:"touchstone" label:"Touchstone file" doc:"S-parameters as real and imaginary parts; version 1.0, or 2.0 when the reference resistances differ"`
}

type noiseResult struct {
	Output        string              `json:"output" label:"Output" doc:"Voltage or current of the card"`
	Input         string              `json:"input" label:"Input source" doc:"Source to which the input noise is referred"`
	OutputRMS     float64             `json:"output_rms" unit:"1" label:"Output noise" doc:"RMS value from the first to the last frequency [V or A]"`
	InputRMS      *float64            `json:"input_rms" unit:"1" label:"Input-referred noise" doc:"RMS value of the same range [V or A, as the source]; null where the source does not reach the output"`
	Contributions []noiseContribution `json:"contributions" label:"Contributions" doc:"Each noise source, the largest first"`
}

type noiseContribution struct {
	Device    string  `json:"device" label:"Device" doc:"Element name"`
	Source    string  `json:"source" label:"Noise source" doc:"thermal, rs, rb, rc, re, rd: resistances; id, ic, ib: currents; 1overf: flicker noise"`
	Kind      string  `json:"kind" enum:"thermal,shot,flicker" label:"Noise type" doc:"Kind of noise"`
	OutputRMS float64 `json:"output_rms" unit:"1" label:"Output noise" doc:"RMS value at the output [V or A]"`
	SharePct  float64 `json:"share_pct" unit:"%" label:"Share of noise power" doc:"Share of the output noise power"`
}

type transferFunction struct {
	Output    string   `json:"output" label:"Output" doc:"Voltage or current of the card"`
	Input     string   `json:"input" label:"Input source" doc:"Independent source"`
	Gain      float64  `json:"gain" unit:"1" label:"Gain" doc:"Output per input [gain_unit]"`
	GainUnit  string   `json:"gain_unit" enum:"V/V,V/A,A/V,A/A" label:"Unit of the gain" doc:"Unit of the gain"`
	InputOhm  *float64 `json:"input_ohm" unit:"Ω" label:"Input resistance" doc:"Resistance at the source; null: infinite"`
	OutputOhm *float64 `json:"output_ohm" unit:"Ω" label:"Output resistance" doc:"Resistance at the output; null: infinite"`
}

type polesAndZeros struct {
	Poles []root `json:"poles" label:"Poles" doc:"Poles by magnitude; empty when the card requests zeros alone"`
	Zeros []root `json:"zeros" label:"Zeros" doc:"Zeros by magnitude; empty when the card requests poles alone"`
}

type root struct {
	Real        float64  `json:"real" unit:"1" label:"Real part" doc:"Real part [rad/s]; positive in the right half plane"`
	Imag        float64  `json:"imag" unit:"1" label:"Imaginary part" doc:"Imaginary part [rad/s]"`
	FrequencyHz float64  `json:"frequency_hz" unit:"Hz" label:"Natural frequency" doc:"Magnitude divided by 2π"`
	Q           *float64 `json:"q" unit:"1" label:"Quality factor" doc:"Magnitude divided by twice the real part, positive in the left half plane; null on the imaginary axis"`
}

func newRoots(list []complex128) []root {
	out := []root{}
	for _, s := range list {
		m := cmplx.Abs(s)
		r := root{Real: real(s), Imag: imag(s), FrequencyHz: m / (2 * math.Pi)}
		if real(s) != 0 {
			q := -m / (2 * real(s))
			r.Q = &q
		}
		out = append(out, r)
	}
	return out
}

type sensitivityResult struct {
	Output  string             `json:"output" label:"Output" doc:"Voltage or current of the card"`
	Entries []sensitivityEntry `json:"entries" label:"Sensitivities" doc:"Each parameter, the largest effect of one percent first"`
}

type sensitivityEntry struct {
	Element     string   `json:"element" label:"Element" doc:"Element name"`
	Parameter   string   `json:"parameter" label:"Parameter" doc:"Name on the element or model line; empty for the value of R, C, L, V, I, E, F, G and H"`
	OfModel     bool     `json:"of_model" label:"Model parameter" doc:"The parameter is on the .model card; it changes in this element alone"`
	Value       float64  `json:"value" unit:"1" label:"Value" doc:"Value of the parameter in SI units"`
	Absolute    float64  `json:"absolute" unit:"1" label:"Sensitivity" doc:"Change of the output [V or A] per unit of the parameter; with ac its magnitude at frequency_hz"`
	PerPercent  float64  `json:"per_percent" unit:"1" label:"Change per percent" doc:"Change of the output [V or A] for 1 % of the value"`
	FrequencyHz *float64 `json:"frequency_hz" unit:"Hz" label:"Frequency" doc:"With ac: where one percent changes the output most; null at DC"`
}

func newDetails(detail any) (d details) {
	switch r := detail.(type) {
	case *analysis.SParameters:
		d.SParameters = &sParameters{r.Ohms, r.Touchstone}
	case *analysis.Noise:
		d.Noise = &noiseResult{Output: r.Output, Input: r.Input, OutputRMS: r.OutputRMS,
			InputRMS: r.InputRMS, Contributions: []noiseContribution{}}
		for _, c := range r.Contributions {
			d.Noise.Contributions = append(d.Noise.Contributions,
				noiseContribution{c.Device, c.Source, c.Kind, c.OutputRMS, 100 * c.Share})
		}
	case *analysis.TransferFunction:
		d.TransferFunction = &transferFunction{r.Output, r.Input, r.Gain, r.GainUnit, r.InputOhm,
			r.OutputOhm}
	case *analysis.PolesAndZeros:
		d.PolesAndZeros = &polesAndZeros{newRoots(r.Poles), newRoots(r.Zeros)}
	case *analysis.Sensitivities:
		d.Sensitivity = &sensitivityResult{Output: r.Output, Entries: []sensitivityEntry{}}
		for _, e := range r.Entries {
			entry := sensitivityEntry{
				e.Element, e.Parameter, e.Model, e.Value, e.Absolute, e.PerPercent, nil,
			}
			if r.AC {
				entry.FrequencyHz = &e.Hz
			}
			d.Sensitivity.Entries = append(d.Sensitivity.Entries, entry)
		}
	}
	return d
}
