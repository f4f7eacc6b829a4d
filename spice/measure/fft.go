package measure

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"slipstick/spice/analysis"
	"slipstick/spice/netlist"
)

// maxLimitedSteps is the largest number of time steps that a .fft card requests of a transient.
const maxLimitedSteps = 20000

// FFTSpectrum is the discrete spectrum of one voltage or current of a .fft card.
type FFTSpectrum struct {
	Name         string  // operand, such as v(out)
	Window       string  // window name, one of netlist.Windows
	From, To     float64 // time interval [s]
	Samples      int
	ResolutionHz float64 // line spacing 1/(To - From) [Hz]
	// NoiseBandwidthHz is the line spacing multiplied by the relative equivalent noise bandwidth of
	// the window (Harris 1978) [Hz].
	NoiseBandwidthHz float64
	// Magnitude holds the mean, followed by the peak values of the sines at the multiples of the
	// line spacing [V] or [A]. The last frequency is at most half the sampling rate. Between two
	// lines the magnitude is low by up to the scalloping loss of the window (Harris 1978).
	Magnitude []float64
}

// fftInterval returns the time interval [s] of a .fft card, limited to a run from start to stop
// [s].
func fftInterval(c *netlist.FFTCard, start, stop float64) (from, to float64) {
	from, to = max(c.From, start), c.To
	if to == 0 || to > stop {
		to = stop
	}
	return from, to
}

// FFT evaluates the .fft cards of a transient from its traces. For analyses of another kind it
// returns nil. The samples are interpolated between the time points.
func FFT(ckt *netlist.Circuit, kind string, traces []analysis.Trace, decimated bool) (
	out []FFTSpectrum, warnings []string) {
	if len(ckt.FFT) == 0 || kind != "tran" {
		return nil, nil
	}
	r := newRun(kind, traces)
	r.decimated = decimated
	for i := range ckt.FFT {
		card := &ckt.FFT[i]
		for k := range card.Operands {
			sp, err := r.fft(&card.Operands[k], card)
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("line %d: .fft %s failed: %s", card.Line,
					card.Operands[k].Text, err))
				continue
			}
			out = append(out, *sp)
		}
	}
	return out, warnings
}

func (r *run) fft(o *netlist.Operand, card *netlist.FFTCard) (*FFTSpectrum, error) {
	s, err := r.series(o)
	if err != nil {
		return nil, err
	}
	first, last := s.x[0], s.x[len(s.x)-1]
	from, to := fftInterval(card, first, last)
	if !(to > from) {
		return nil, fmt.Errorf("the analysis covers %s s to %s s, nothing of the time from %s s on",
			number(first), number(last), number(card.From))
	}
	if card.To > last*(1+1e-9) {
		return nil, fmt.Errorf("the analysis ends at %s s, before the stop time %s s", number(last),
			number(card.To))
	}
	n, window := card.Samples, windowCoefficients(card.Window)
	sp := &FFTSpectrum{Name: o.Text, Window: card.Window, From: from, To: to, Samples: n,
		ResolutionHz: 1 / (to - from)}
	values, squares := make([]float64, n), 0.0
	for i := range values {
		w := 0.0
		for j, a := range window {
			// DFT windows are periodic, so the first and the last value differ.
			w += a / window[0] * math.Cos(2*math.Pi*float64(i*j%n)/float64(n)+math.Pi*float64(j))
		}
		squares += w * w
		values[i] = w * s.value(from+(to-from)*float64(i)/float64(n))
	}
	sp.NoiseBandwidthHz = sp.ResolutionHz * squares / float64(n)
	for k, c := range fourier.NewFFT(n).Coefficients(nil, values) {
		m := cmplx.Abs(c) / float64(n)
		if k > 0 && 2*k < n {
			m *= 2
		}
		if k == 0 {
			m = real(c) / float64(n)
		}
		sp.Magnitude = append(sp.Magnitude, m)
	}
	return sp, nil
}
