package device

import (
	"math"
	"sort"
)

// sine is SIN(offset amplitude frequency delay theta phase), SPICE3 manual 3.2.4 with
// ngspice's phase: before the delay it rests at the value of the phase.
type sine struct {
	offset, ampl float64
	freq, delay  float64 // Hz, s
	theta        float64 // damping, 1/s
	phase        float64 // rad
}

func (w *sine) at(t float64) float64 {
	t -= w.delay
	if t <= 0 {
		return w.offset + w.ampl*math.Sin(w.phase)
	}
	v := w.ampl * math.Sin(2*math.Pi*w.freq*t+w.phase)
	if w.theta != 0 {
		v *= math.Exp(-t * w.theta)
	}
	return w.offset + v
}

func (w *sine) nextBreak(t float64) float64 {
	if t < w.delay {
		return w.delay
	}
	return math.Inf(1)
}

// maxStep draws a period with at least 40 points: the chord then misses the arc by
// 0.15 % of the peak-to-peak value.
func (w *sine) maxStep() float64 { return 1 / (40 * w.freq) }

// pulse is PULSE(v1 v2 delay rise fall width period).
type pulse struct{ v1, v2, delay, rise, fall, width, period float64 }

func (w *pulse) at(t float64) float64 {
	t -= w.delay
	if t <= 0 {
		return w.v1
	}
	if w.period > 0 && t > w.period {
		t -= w.period * math.Floor(t/w.period)
	}
	switch {
	case t < w.rise:
		return w.v1 + (w.v2-w.v1)*t/w.rise
	case t <= w.rise+w.width:
		return w.v2
	case t < w.rise+w.width+w.fall:
		return w.v2 + (w.v1-w.v2)*(t-w.rise-w.width)/w.fall
	}
	return w.v1
}

func (w *pulse) nextBreak(t float64) float64 {
	base := w.delay
	if w.period > 0 && t > base {
		base += w.period * math.Floor((t-base)/w.period)
	}
	corners := [...]float64{0, w.rise, w.rise + w.width, w.rise + w.width + w.fall}
	for range 3 {
		for _, c := range corners {
			if c > w.period && w.period > 0 {
				break
			}
			if b := base + c; b > t {
				return b
			}
		}
		if !(w.period > 0) {
			break
		}
		base += w.period
	}
	return math.Inf(1)
}

func (w *pulse) maxStep() float64 { return math.Inf(1) }

// exponential is EXP(v1 v2 td1 tau1 td2 tau2).
type exponential struct{ v1, v2, td1, tau1, td2, tau2 float64 }

func (w *exponential) at(t float64) float64 {
	v := w.v1
	if t > w.td1 {
		v += (w.v2 - w.v1) * -math.Expm1(-(t-w.td1)/w.tau1)
	}
	if t > w.td2 {
		v += (w.v1 - w.v2) * -math.Expm1(-(t-w.td2)/w.tau2)
	}
	return v
}

func (w *exponential) nextBreak(t float64) float64 {
	switch {
	case t < w.td1:
		return w.td1
	case t < w.td2:
		return w.td2
	}
	return math.Inf(1)
}

func (w *exponential) maxStep() float64 { return math.Inf(1) }

// pwl is PWL(t1 v1 t2 v2 ...): straight lines between points, constant outside.
type pwl struct{ t, v []float64 }

func (w *pwl) at(t float64) float64 {
	n := len(w.t)
	switch {
	case t <= w.t[0]:
		return w.v[0]
	case t >= w.t[n-1]:
		return w.v[n-1]
	}
	i := sort.SearchFloat64s(w.t, t)
	f := (t - w.t[i-1]) / (w.t[i] - w.t[i-1])
	return w.v[i-1] + f*(w.v[i]-w.v[i-1])
}

func (w *pwl) nextBreak(t float64) float64 {
	i := sort.Search(len(w.t), func(i int) bool { return w.t[i] > t })
	if i < len(w.t) {
		return w.t[i]
	}
	return math.Inf(1)
}

func (w *pwl) maxStep() float64 { return math.Inf(1) }
