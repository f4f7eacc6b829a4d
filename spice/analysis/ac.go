package analysis

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/mna"
)

// ac is the .ac analysis: the operating point, then one complex solution a frequency of
// the circuit linearised there.
func (s *sim) ac() (*Output, error) {
	freqs, err := s.frequencies()
	if err != nil {
		return nil, err
	}
	index, cols := s.columns()
	traces, kept := s.keep("frequency")
	if n := len(freqs) * (2*(len(cols)+len(traces)) + 1); n > s.job.Budget.Numbers {
		return nil, hopeless(s.job.Analysis.Line, ".ac asks for %d numbers; at most %d are stored", n, s.job.Budget.Numbers)
	}
	if err := s.operatingPoint(); err != nil {
		return nil, err
	}
	out := &Output{Points: s.points()}
	vecs := make([]Vector, 1, 1+2*len(cols))
	vecs[0] = Vector{Name: "frequency", Unit: "Hz"}
	for _, c := range cols {
		vecs = append(vecs, Vector{Name: c.Name + "_mag", Unit: c.Unit}, Vector{Name: c.Name + "_phase_deg", Unit: "deg"})
	}
	p := s.setup.Pattern
	l := device.ACLoad{A: make([]complex128, p.Slots()), B: make([]complex128, s.n+1), X: s.x, Gmin: s.opt.Gmin}
	x := make([]complex128, s.n+1)
	lu := mna.NewComplexLU(p)
	driven := false
	for k, f := range freqs {
		s.progress("ac", float64(k)/float64(len(freqs)))
		if err := s.tick(); errors.Is(err, errBudget) && k > 0 {
			s.warn(fmt.Sprintf("stopped after %d of %d frequencies: %s", k, len(freqs), s.limit()))
			break
		} else if err != nil {
			return nil, err
		}
		if k%16 == 0 {
			if err := s.clock(); errors.Is(err, errBudget) && k > 0 {
				s.warn(fmt.Sprintf("stopped after %d of %d frequencies: %s", k, len(freqs), s.limit()))
				break
			} else if err != nil {
				return nil, err
			}
		}
		clear(l.A)
		clear(l.B)
		l.Omega = 2 * math.Pi * f
		for _, d := range s.devices {
			d.LoadAC(&l)
		}
		for _, n := range s.loose {
			l.A[s.nodeDiag[n]] += shuntG
		}
		for _, b := range l.B[1:] {
			driven = driven || b != 0
		}
		if err := lu.Factor(l.A); err != nil {
			return nil, err
		}
		lu.Solve(l.B, x)
		vecs[0].Values = append(vecs[0].Values, f)
		recordAC(traces, kept, f, x)
		for c, i := range index {
			mag, phase := cmplx.Abs(x[i]), 0.0
			if math.IsNaN(mag) || math.IsInf(mag, 0) {
				return nil, diag.At(diag.Singular, s.job.Analysis.Line, "the response at %s Hz is not finite", short(f))
			}
			if mag > 0 {
				phase = math.Atan2(imag(x[i]), real(x[i])) * 180 / math.Pi
				if phase <= -180 {
					phase += 360
				}
			}
			vecs[1+2*c].Values = append(vecs[1+2*c].Values, mag)
			vecs[2+2*c].Values = append(vecs[2+2*c].Values, phase)
		}
	}
	if !driven {
		s.warn("no source has an ac value, so every response is 0; write V1 in 0 ac 1")
	}
	out.Vectors, out.Kept = vecs, traces
	return out, nil
}

// frequencies are spaced evenly from the first to the last, both included; when the points
// a decade do not come out even the spacing is stretched. Points an octave keep their
// spacing, and the last may lie below the end. Both as in ngspice.
func (s *sim) frequencies() ([]float64, error) {
	a := s.job.Analysis
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
		return nil, hopeless(a.Line, ".ac asks for %.6g points; at most %.6g are computed", n, maxSweepPoints)
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
