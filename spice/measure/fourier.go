package measure

import (
	"fmt"
	"math"

	"slipstick/spice/analysis"
	"slipstick/spice/netlist"
)

// harmonics is the number of the highest harmonic. As in ngspice, THD includes all harmonics from
// the second.
const harmonics = 9

// Spectrum is the spectrum of one voltage or current of a .four card.
type Spectrum struct {
	Name        string  // operand, such as v(out)
	Window      string  // window name, one of netlist.Windows
	Periods     int     // number of evaluated periods at the end of the run
	Fundamental float64 // fundamental frequency [Hz]
	Mean        float64 // mean over the periods [V] or [A]
	THDPct      *float64
	Lines       []Line // harmonics 1 to 9
}

// Line is the harmonic magnitude·sin(2π·n·f·t + phase), where f is the fundamental frequency. The
// time t is relative to the start of the evaluated periods.
type Line struct {
	N          int
	Hz         float64
	Magnitude  float64  // peak value [V] or [A]
	PhaseDeg   float64  // phase in the range (-180, 180] [°]
	Normalized *float64 // magnitude relative to the fundamental; nil if there is no fundamental
}

// Fourier evaluates the .four cards on the last periods of a transient from its traces. The default
// is one period. For analyses of another kind it returns nil.
//
// The integrals with sine and cosine are exact for linear interpolation between the time points.
// The waveform is not resampled, so kinks are preserved.
func Fourier(ckt *netlist.Circuit, kind string,
	traces []analysis.Trace) (out []Spectrum, warnings []string) {
	if len(ckt.Fourier) == 0 || kind != "tran" {
		return nil, nil
	}
	r := newRun(kind, traces)
	for _, card := range ckt.Fourier {
		if n := len(r.x); n > 0 && card.Periods == netlist.WholeRun &&
			(r.x[n-1]-r.x[0])*card.Frequency >= netlist.MaxPeriods+1 {
			warnings = append(warnings, fmt.Sprintf("line %d: .four takes the last %d periods, the "+
				"most it can, instead of the whole run", card.Line, netlist.MaxPeriods))
		}
		for k := range card.Operands {
			o := &card.Operands[k]
			sp, err := r.spectrum(o, &card)
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("line %d: .four %s failed: %s", card.Line,
					o.Text, err))
				continue
			}
			if sp.THDPct == nil {
				warnings = append(warnings,
					fmt.Sprintf("line %d: .four %s has no fundamental, so no distortion",
						card.Line, o.Text))
			}
			out = append(out, *sp)
		}
	}
	return out, warnings
}

// windowCoefficients returns the coefficients of a window a0 - a1·cos(Ωt) + a2·cos(2Ωt) - ... over
// a time of 2π/Ω. The windows are Hann, Hamming and Blackman (Harris, On the use of windows for
// harmonic analysis with the discrete Fourier transform, Proc. IEEE 66, 1978) and the flat top of
// ISO 18431-2. Any other name selects the rectangular window.
func windowCoefficients(window string) []float64 {
	switch window {
	case "hann":
		return []float64{0.5, 0.5}
	case "hamming":
		return []float64{0.54, 0.46}
	case "blackman":
		return []float64{0.42, 0.5, 0.08}
	case "flattop":
		return []float64{1, 1.933, 1.286, 0.388, 0.0322}
	}
	return []float64{1}
}

// fourierPeriods returns the number of periods that a card evaluates in a run of length span [s].
// The spectrum of a window with k coefficients extends over k-1 lines on each side. The window
// therefore requires at least k periods to separate the harmonics.
func fourierPeriods(card *netlist.FourierCard, span float64) int {
	if card.Periods == netlist.WholeRun {
		return int(min(max(math.Floor(span*card.Frequency*(1+1e-9)), 1), netlist.MaxPeriods))
	}
	if card.Periods > 0 {
		return card.Periods
	}
	return len(windowCoefficients(card.Window))
}

// windowedProjection returns the integrals of (y - mean)·sin and (y - mean)·cos over the windowed
// series for spectral line n. This line has n cycles per span. a holds the cosine coefficients of
// the window, whose mean is normalized to 1.
func (s *series) windowedProjection(a []float64, mean, span float64, n int) (sin, cos float64) {
	for j, c := range a {
		if j%2 == 1 {
			c = -c
		}
		for _, k := range [...]int{n - j, n + j} {
			ps, pc := s.project(mean, 2*math.Pi*math.Abs(float64(k))/span)
			if k < 0 {
				ps = -ps
			}
			sin, cos = sin+c*ps/2, cos+c*pc/2
		}
	}
	return sin / a[0], cos / a[0]
}

func (r *run) spectrum(o *netlist.Operand, card *netlist.FourierCard) (*Spectrum, error) {
	s, err := r.series(o)
	if err != nil {
		return nil, err
	}
	first, last := s.x[0], s.x[len(s.x)-1]
	f, window := card.Frequency, windowCoefficients(card.Window)
	periods := fourierPeriods(card, last-first)
	if periods < len(window) {
		return nil, fmt.Errorf("window=%s needs %d periods or more, not %d", card.Window,
			len(window), periods)
	}
	period := float64(periods) / f
	if last-first < period*(1-1e-9) {
		what := "the period"
		if periods > 1 {
			what = fmt.Sprintf("the %d periods of", periods)
		}
		return nil, fmt.Errorf("the analysis covers %s s, less than %s %s s", number(last-first),
			what, number(period))
	}
	w := *s.window(math.Max(last-period, first), last)
	w.curvature = nil // the projections are those of straight lines
	if len(w.x) < 4 {
		return nil, fmt.Errorf("the last period, %s s, has no time points inside", number(period))
	}
	sp := &Spectrum{Name: o.Text, Window: card.Window, Periods: periods, Fundamental: f}
	span := w.x[len(w.x)-1] - w.x[0]
	sum, _ := w.mean("integ")
	sp.Mean = sum / span
	if len(window) > 1 {
		_, rest := w.windowedProjection(window, sp.Mean, span, 0)
		sp.Mean += rest / span
	}
	big := 0.0
	for _, y := range w.y {
		big = math.Max(big, math.Abs(y-sp.Mean))
	}
	sines, cosines := w.projectHarmonics(sp.Mean, 2*math.Pi*float64(periods)/span)
	for n := 1; n <= harmonics; n++ {
		a, b := sines[n], cosines[n]
		if len(window) > 1 {
			a, b = w.windowedProjection(window, sp.Mean, span, n*periods)
		}
		l := Line{N: n, Hz: float64(n) * f, Magnitude: math.Hypot(a, b) * 2 / span}
		if l.Magnitude > 0 {
			l.PhaseDeg = wrap(math.Atan2(b, a) * 180 / math.Pi)
		}
		sp.Lines = append(sp.Lines, l)
	}
	// A fundamental below 1e-12 of the series is a rounding error and counts as absent.
	base := sp.Lines[0].Magnitude
	if !(base > 1e-12*math.Max(big, math.Abs(sp.Mean))) {
		return sp, nil
	}
	squares := 0.0
	for i := range sp.Lines {
		part := sp.Lines[i].Magnitude / base
		sp.Lines[i].Normalized = &part
		if i > 0 {
			squares += part * part
		}
	}
	thd := 100 * math.Sqrt(squares)
	if !math.IsInf(thd, 0) && !math.IsNaN(thd) {
		sp.THDPct = &thd
	}
	return sp, nil
}

// project integrates (y - mean)·sin(w·t) and (y - mean)·cos(w·t), where t is relative to the first
// point. For a line from y0 to y1 over h with θ = w·h/2 and midpoint c, the integral of y·sin is
//
//	h·[ (y0+y1)/2 · sin(w·c)·sinc θ  +  (y1-y0)/2 · cos(w·c)·q(θ) ],  q = (sin θ - θ·cos θ)/θ²
//
// and the integral of y·cos follows from the substitutions sin → cos and cos → -sin.
func (s *series) project(mean, w float64) (sin, cos float64) {
	for i := 1; i < len(s.x); i++ {
		c, h, m, d := s.line(i, mean)
		sc, cc := math.Sincos(w * c)
		th := w * h / 2
		st, ct := math.Sincos(th)
		sinc, q := lineFactors(th, st, ct)
		sin += m*sc*sinc + d*cc*q
		cos += m*cc*sinc - d*sc*q
	}
	return sin, cos
}

// projectHarmonics returns project for the multiples of w up to harmonics, by multiple. Index 0 is
// unused. The addition theorems give the sines and cosines of the multiples from those of w, with
// an error of a few roundings.
func (s *series) projectHarmonics(mean, w float64) (sin, cos [harmonics + 1]float64) {
	for i := 1; i < len(s.x); i++ {
		c, h, m, d := s.line(i, mean)
		sc1, cc1 := math.Sincos(w * c)
		th := w * h / 2
		st1, ct1 := math.Sincos(th)
		sc, cc, st, ct := 0.0, 1.0, 0.0, 1.0
		for n := 1; n <= harmonics; n++ {
			sc, cc = sc*cc1+cc*sc1, cc*cc1-sc*sc1
			st, ct = st*ct1+ct*st1, ct*ct1-st*st1
			sinc, q := lineFactors(float64(n)*th, st, ct)
			sin[n] += m*sc*sinc + d*cc*q
			cos[n] += m*cc*sinc - d*sc*q
		}
	}
	return sin, cos
}

// line returns the midpoint c relative to the first point and the length h of the segment that ends
// at point i. m and d are h times the mean of both values relative to mean, and h times half their
// difference.
func (s *series) line(i int, mean float64) (c, h, m, d float64) {
	h = s.x[i] - s.x[i-1]
	y0, y1 := s.y[i-1]-mean, s.y[i]-mean
	return (s.x[i]-s.x[0])/2 + (s.x[i-1]-s.x[0])/2, h, h * (y0 + y1) / 2, h * (y1 - y0) / 2
}

// lineFactors returns sinc θ and q(θ) of project from θ and its sine and cosine.
func lineFactors(th, sin, cos float64) (sinc, q float64) {
	if th > 1e-3 {
		return sin / th, (sin - th*cos) / (th * th)
	}
	return 1 - th*th/6, th / 3 * (1 - th*th/10)
}
