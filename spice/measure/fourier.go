package measure

import (
	"fmt"
	"math"

	"slipstick/spice/analysis"
	"slipstick/spice/netlist"
)

// harmonics is the highest harmonic that is taken; THD counts those from 2 on. As ngspice.
const harmonics = 9

// Spectrum is one voltage or current of a .four card.
type Spectrum struct {
	Name        string  // as in v(out)
	Fundamental float64 // Hz
	Mean        float64 // V or A, over the period
	THDPct      *float64
	Lines       []Line // n = 1 to 9
}

// Line is one harmonic: magnitude·sin(2π·n·f·t + phase), with t from the start of the period.
type Line struct {
	N          int
	Hz         float64
	Magnitude  float64  // peak, V or A
	PhaseDeg   float64  // (-180, 180]
	Normalized *float64 // beside the fundamental; nil when there is none
}

// Fourier evaluates the .four cards on the last period of a transient.
//
// The curve is taken as straight lines between the points, and the lines are integrated
// against sine and cosine in closed form: corners stay corners and nothing is resampled.
func Fourier(ckt *netlist.Circuit, kind string, traces []analysis.Trace) (out []Spectrum, warnings []string) {
	if len(ckt.Fourier) == 0 {
		return nil, nil
	}
	if kind != "tran" {
		return nil, []string{fmt.Sprintf("line %d: .four needs .tran and is not evaluated for .%s", ckt.Fourier[0].Line, kind)}
	}
	r := newRun(kind, traces)
	for _, card := range ckt.Fourier {
		for k := range card.Operands {
			o := &card.Operands[k]
			sp, err := r.spectrum(o, card.Frequency)
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("line %d: .four %s failed: %s", card.Line, o.Text, err))
				continue
			}
			if sp.THDPct == nil {
				warnings = append(warnings, fmt.Sprintf("line %d: .four %s has no fundamental, so no distortion", card.Line, o.Text))
			}
			out = append(out, *sp)
		}
	}
	return out, warnings
}

func (r *run) spectrum(o *netlist.Operand, f float64) (*Spectrum, error) {
	s, err := r.series(o)
	if err != nil {
		return nil, err
	}
	first, last := s.x[0], s.x[len(s.x)-1]
	period := 1 / f
	if last-first < period*(1-1e-9) {
		return nil, fmt.Errorf("the analysis covers %s s, less than the period %s s", number(last-first), number(period))
	}
	w := s.cut(math.Max(last-period, first), last)
	if len(w.x) < 4 {
		return nil, fmt.Errorf("the last period, %s s, has no time points inside", number(period))
	}
	sp := &Spectrum{Name: o.Text, Fundamental: f}
	span := w.x[len(w.x)-1] - w.x[0]
	sum, _ := w.mean("integ")
	sp.Mean = sum / span
	big := 0.0
	for _, y := range w.y {
		big = math.Max(big, math.Abs(y-sp.Mean))
	}
	for n := 1; n <= harmonics; n++ {
		a, b := w.project(sp.Mean, 2*math.Pi*float64(n)/span)
		l := Line{N: n, Hz: float64(n) * f, Magnitude: math.Hypot(a, b) * 2 / span}
		if l.Magnitude > 0 {
			l.PhaseDeg = wrap(math.Atan2(b, a) * 180 / math.Pi)
		}
		sp.Lines = append(sp.Lines, l)
	}
	// What is left of a constant or of pure overtones at the fundamental is rounding.
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

// project integrates (y - mean)·sin(w·t) and ·cos(w·t), t from the first point. Along a line
// from y0 to y1 over h, with θ = w·h/2 and c the middle, the integral of y·sin is
//
//	h·[ (y0+y1)/2 · sin(w·c)·sinc θ  +  (y1-y0)/2 · cos(w·c)·q(θ) ],  q = (sin θ - θ·cos θ)/θ²
//
// and that of y·cos the same with sin → cos and cos → -sin.
func (s *series) project(mean, w float64) (sin, cos float64) {
	for i := 1; i < len(s.x); i++ {
		h := s.x[i] - s.x[i-1]
		y0, y1 := s.y[i-1]-mean, s.y[i]-mean
		sc, cc := math.Sincos(w * ((s.x[i]-s.x[0])/2 + (s.x[i-1]-s.x[0])/2))
		th := w * h / 2
		sinc, q := 1-th*th/6, th/3*(1-th*th/10)
		if th > 1e-3 {
			st, ct := math.Sincos(th)
			sinc, q = st/th, (st-th*ct)/(th*th)
		}
		m, d := (y0+y1)/2, (y1-y0)/2
		sin += h * (m*sc*sinc + d*cc*q)
		cos += h * (m*cc*sinc - d*sc*q)
	}
	return sin, cos
}
