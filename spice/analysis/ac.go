package analysis

import (
	"math"
	"math/cmplx"
	"slices"

	"slipstick/spice/diag"
)

// ac runs the .ac analysis: it finds the operating point, linearizes the circuit there and solves
// the complex system at every frequency.
func (s *sim) ac() (*Output, error) {
	freqs, err := s.frequencies()
	if err != nil {
		return nil, err
	}
	columns, cols := s.columns()
	traces, kept := s.newTraces("frequency")
	if n := len(freqs) * (2*(len(cols)+len(traces)) + 1); !s.allowsValues(n) {
		return nil, s.tooManyNumbers(n, fewerPointsOrVectors)
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	out := &Output{Points: s.devicePoints()}
	vecs := make([]Vector, 1, 1+2*len(cols))
	vecs[0] = Vector{Name: "frequency", Unit: "Hz"}
	for _, c := range cols {
		vecs = append(vecs, Vector{Name: c.Name + "_mag", Unit: c.Unit},
			Vector{Name: c.Name + "_phase_deg", Unit: "deg"})
	}
	for k := range vecs {
		vecs[k].Values = make([]float64, len(freqs))
	}
	allocatePhasors(traces, len(freqs))
	points, driven, err := s.overFrequencies(freqs, func(l *smallSignal, k int) error {
		f, x := freqs[k], l.x
		if err := l.at(f); err != nil {
			return err
		}
		l.solve(l.load.B, x)
		vecs[0].Values[k] = f
		setPhasors(traces, kept, k, f, x)
		for c := range columns {
			v := columns[c].phasor(x)
			mag := cmplx.Abs(v)
			if math.IsNaN(mag) || math.IsInf(mag, 0) {
				return diag.At(diag.Singular, s.job.Analysis.Line,
					"the response at %s Hz is not finite", short(f))
			}
			vecs[1+2*c].Values[k], vecs[2+2*c].Values[k] = mag, phaseDeg(v)
		}
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	truncate(vecs, points)
	truncatePhasors(traces, points)
	if !driven {
		s.warn("no source has an ac value, so every response is 0; write V1 in 0 ac 1")
	}
	out.Vectors, out.Traces = vecs, traces
	return out, nil
}

// phaseDeg returns the phase of a phasor in degrees, in the range (-180, 180]. The phase of 0 is 0.
func phaseDeg(x complex128) float64 {
	if x == 0 {
		return 0
	}
	phase := math.Atan2(imag(x), real(x)) * 180 / math.Pi
	if phase <= -180 {
		phase += 360
	}
	return phase
}

// frequencies returns the frequencies [Hz] of the card. They are equally spaced, on a logarithmic
// scale for dec and oct. As in ngspice, dec adjusts the spacing to end exactly at the last
// frequency. With oct the spacing is exact, and the sweep may end below the last frequency.
func (s *sim) frequencies() ([]float64, error) {
	a := s.job.Analysis
	if a.Variation == "list" {
		return slices.Clone(a.Frequencies), nil
	}
	var n float64
	switch a.Variation {
	case "lin":
		n = math.Floor(a.Points)
	case "dec":
		n = math.Floor(a.Points*math.Log10(a.To/a.From)+1e-9) + 1
	case "oct":
		n = math.Floor(a.Points*math.Log2(a.To/a.From)+1e-9) + 1
	}
	if !(n <= maxSweepPoints) {
		return nil, hopeless(a.Line, ".%s asks for %.6g points; at most %.6g are computed",
			a.Kind, n, maxSweepPoints)
	}
	out := make([]float64, int(n))
	for i := range out {
		part := float64(i) / math.Max(n-1, 1)
		switch {
		case a.Variation == "oct":
			out[i] = math.Min(a.From*math.Exp2(float64(i)/a.Points), a.To)
		case i > 0 && i == len(out)-1:
			out[i] = a.To
		case a.Variation == "lin":
			out[i] = a.From + (a.To-a.From)*part
		default:
			out[i] = a.From * math.Pow(a.To/a.From, part)
		}
	}
	return out, nil
}
