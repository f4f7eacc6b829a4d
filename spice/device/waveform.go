package device

import (
	"math"
	"sort"

	"slipstick/spice/diag"
)

// sine is SIN(offset amplitude frequency delay theta phase cycles) of the SPICE3 manual, section
// 3.2.4. It adds the phase of ngspice and the cycles of LTspice. Before the delay the value is
// constant.
type sine struct {
	offset, ampl float64
	freq, delay  float64 // units: [Hz], [s]
	theta        float64 // damping [1/s]
	phase        float64 // phase [rad]
	cycles       float64 // number of cycles before the value stays constant; 0 for no limit
}

// stopTime returns the end of the last cycle [s], or +Inf if the number of cycles is unlimited.
func (w *sine) stopTime() float64 {
	if w.cycles > 0 && w.freq > 0 {
		return w.delay + w.cycles/w.freq
	}
	return math.Inf(1)
}

func (w *sine) at(t float64) float64 {
	t = math.Min(t, w.stopTime()) - w.delay
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
	if end := w.stopTime(); t < end {
		return end
	}
	return math.Inf(1)
}

// StepsPerPeriod is the minimum number of steps per period of a sine.
const StepsPerPeriod = 40

// maxStep returns 1/40 of a period [s]. The chord error is then 0.15 % of the peak-to-peak value.
func (w *sine) maxStep() float64 { return 1 / (StepsPerPeriod * w.freq) }

// pulse is PULSE(v1 v2 delay rise fall width period count). Times are in [s].
type pulse struct {
	v1, v2, delay, rise, fall, width, period float64
	count                                    float64 // number of pulses; 0 for no limit
}

// finished reports whether the last pulse has ended at t [s] after the delay.
func (w *pulse) finished(t float64) bool {
	return w.count > 0 && w.period > 0 && t > w.count*w.period
}

func (w *pulse) at(t float64) float64 {
	t -= w.delay
	if t <= 0 || w.finished(t) {
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
				if w.count > 0 && t-w.delay >= w.count*w.period {
					return math.Inf(1)
				}
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

// exponential is EXP(v1 v2 td1 tau1 td2 tau2). Times are in [s].
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

// pwl is PWL(t1 v1 t2 v2 ...), which is linear between the points and constant outside. With r= the
// section from that time to the last point repeats.
type pwl struct {
	t, v         []float64
	from, period float64 // units: [s]; period is 0 without repetition
}

// repeatOffset returns the total length [s] of the periods to subtract from t.
func (w *pwl) repeatOffset(t float64) float64 {
	last := w.t[len(w.t)-1]
	if w.period <= 0 || t <= last {
		return 0
	}
	return w.period * math.Ceil((t-last)/w.period)
}

func (w *pwl) at(t float64) float64 {
	n := len(w.t)
	t -= w.repeatOffset(t)
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
	start := w.repeatOffset(t)
	for range 2 { // two passes, because rounding can move a corner to t
		for i := sort.Search(len(w.t), func(i int) bool {
			return w.t[i] > t-start
		}); i < len(w.t); i++ {
			if next := w.t[i] + start; next > t {
				return next
			}
		}
		if w.period <= 0 {
			break
		}
		start += w.period
	}
	return math.Inf(1)
}

func (w *pwl) maxStep() float64 { return math.Inf(1) }

// modulation is AM(amplitude offset modulation carrier delay) or SFFM(offset amplitude carrier
// index signal) of ngspice. Times are in [s] and frequencies in [Hz].
type modulation struct {
	offset, ampl    float64
	carrier, signal float64
	index           float64 // modulation index of SFFM
	delay           float64
	phaseC, phaseS  float64 // phases [rad] of carrier and signal
	amplitude       bool    // AM; otherwise SFFM
}

func (w *modulation) at(t float64) float64 {
	if t -= w.delay; t <= 0 && w.amplitude {
		return 0
	}
	carrier, signal := 2*math.Pi*w.carrier*t+w.phaseC, math.Sin(2*math.Pi*w.signal*t+w.phaseS)
	if w.amplitude {
		return w.ampl * (w.offset + signal) * math.Sin(carrier)
	}
	return w.offset + w.ampl*math.Sin(carrier+w.index*signal)
}

func (w *modulation) nextBreak(t float64) float64 {
	if t < w.delay {
		return w.delay
	}
	return math.Inf(1)
}

func (w *modulation) maxStep() float64 {
	return 1 / (StepsPerPeriod * (math.Abs(w.carrier) + (1+math.Abs(w.index))*math.Abs(w.signal)))
}

// modulated returns the waveform am or sffm with the values v, or nil after an error.
func (m *cardReader) modulated(kind string, v []float64) waveform {
	get := func(i int) float64 {
		if i < len(v) {
			return v[i]
		}
		return 0
	}
	least := map[string]int{"am": 4, "sffm": 5}[kind]
	if len(v) < least || len(v) > 7 {
		m.fail(diag.MissingValue, "%s: %s needs %d to 7 values and has %d", m.e.Name, kind,
			least, len(v))
		return nil
	}
	w := &modulation{}
	if kind == "am" {
		*w = modulation{amplitude: true, ampl: v[0], offset: v[1], signal: v[2], carrier: v[3],
			delay: get(4), phaseS: get(5) * math.Pi / 180}
	} else {
		*w = modulation{offset: v[0], ampl: v[1], carrier: v[2], index: v[3], signal: v[4],
			phaseC: get(5) * math.Pi / 180, phaseS: get(6) * math.Pi / 180}
	}
	if w.carrier < 0 || w.signal < 0 || w.delay < 0 || !(w.maxStep() > 0) {
		m.fail(diag.BadValue, "%s: the frequencies and times of %s must not be negative",
			m.e.Name, kind)
	}
	return w
}
