package device

import (
	"math"
	"sort"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
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

// periodRounding is the rounding error of a time that is a multiple of the period, relative to the
// time.
const periodRounding = 1e-12

func (w *pulse) at(t float64) float64 {
	t -= w.delay
	if t <= 0 || w.finished(t) {
		return w.v1
	}
	if w.period > 0 && t > w.period {
		// A period that ends before the edges jumps to its start. At the jump the value is that
		// before it, because a step ends there.
		phase := t - w.period*math.Floor(t/w.period)
		if phase <= periodRounding*(w.delay+t) {
			phase += w.period
		}
		t = phase
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
	t, v   []float64
	period float64 // length [s] of the section that repeats; 0 without repetition
	count  float64 // number of periods; 0 for no limit
}

// repeatOffset returns the total length [s] of the periods to subtract from t.
func (w *pwl) repeatOffset(t float64) float64 {
	last := w.t[len(w.t)-1]
	if w.period <= 0 || t <= last {
		return 0
	}
	n := math.Ceil((t - last) / w.period)
	if w.count > 0 {
		n = math.Min(n, w.count-1)
	}
	return w.period * n
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
		if start += w.period; w.period <= 0 || w.count > 0 && start >= (w.count-0.5)*w.period {
			break
		}
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

// modulated returns the waveform am or sffm, or nil after an error. As in ngspice, the frequencies
// of the signal and of the carrier of sffm are by default those of one period in the run.
func (r *waveformReader) modulated() waveform {
	if !r.hasCount(7) {
		return nil
	}
	once := 1 / r.tran.Stop
	phase := func(i int) float64 { return r.get(i, 0) * math.Pi / 180 }
	w := &modulation{}
	if r.kind == "am" {
		*w = modulation{amplitude: true, ampl: r.v[0], offset: r.v[1], signal: r.nonzero(2, once),
			carrier: r.get(3, 0), delay: r.get(4, 0), phaseS: phase(5)}
		if w.carrier == 0 && r.tran.Run {
			r.warn(r.e.Line, "%s: am without a carrier frequency is 0, as in ngspice", r.e.Name)
		}
	} else {
		*w = modulation{offset: r.v[0], ampl: r.v[1], carrier: r.nonzero(2, once),
			index: r.get(3, 0), signal: r.nonzero(4, once), phaseC: phase(5), phaseS: phase(6)}
	}
	if w.carrier < 0 || w.signal < 0 || w.delay < 0 || !(w.maxStep() > 0) {
		r.fail(diag.BadValue, "%s: the frequencies and times of %s must not be negative",
			r.e.Name, r.kind)
	}
	return w
}

// randomSteps is TRRANDOM(type step delay parameter parameter) of ngspice. The value is 0 before
// the delay and then constant for one step each. It changes linearly in the first thousandth of a
// step, so the waveform is continuous.
type randomSteps struct {
	kind        int     // 1 uniform, 2 normal, 3 exponential, 4 Poisson
	step, delay float64 // [s]
	scale       float64 // half range, standard deviation or mean
	offset      float64 // also the mean of a normal distribution
	seed        uint64
}

// randomEdge is the time of a change relative to the step.
const randomEdge = 1e-3

// mostRandomSteps is the largest number of steps in a transient.
const mostRandomSteps = 1e6

// randomSteps reads TRRANDOM. The numbers depend on the seed, the run and the name of the element.
func (m *cardReader) randomSteps(v []float64) waveform {
	if len(v) < 2 || len(v) > 5 {
		m.fail(diag.MissingValue, "%s: trrandom needs 2 to 5 values (type, step, delay and two "+
			"parameters) and has %d", m.e.Name, len(v))
		return nil
	}
	w := &randomSteps{kind: int(v[0]), step: v[1], scale: 1}
	for k, to := range [...]*float64{&w.delay, &w.scale, &w.offset} {
		if k+2 < len(v) {
			*to = v[k+2]
		}
	}
	switch stop := m.tran.Stop; {
	case v[0] != math.Trunc(v[0]) || v[0] < 1 || v[0] > 4:
		m.fail(diag.BadValue, "%s: the type of trrandom is 1 (uniform), 2 (normal), 3 "+
			"(exponential) or 4 (Poisson), not %g", m.e.Name, v[0])
	case !(w.step > 0) || w.delay < 0:
		m.fail(diag.BadValue, "%s: trrandom needs a step above 0 s and a delay from 0 s", m.e.Name)
	case w.kind == 4 && !(w.scale >= 0 && w.scale <= 500):
		m.fail(diag.BadValue, "%s: the mean of the Poisson distribution must lie from 0 to 500, "+
			"not %g", m.e.Name, w.scale)
	case m.e.Seed == nil:
		m.fail(diag.MissingValue, "%s: trrandom needs a seed: .options seed=1", m.e.Name)
	case m.tran.Run && stop/w.step > mostRandomSteps:
		m.fail(diag.HopelessRequest, "%s: trrandom has %.6g steps up to the stop time; at most "+
			"%.6g are computed", m.e.Name, stop/w.step, float64(mostRandomSteps))
	default:
		w.seed = *m.e.Seed
	}
	return w
}

// uniform returns a number above 0 and below 1 for an index.
func (w *randomSteps) uniform(n uint64) float64 {
	z := netlist.SplitMix64(w.seed + n*netlist.SplitMix64Step)
	return (float64(z>>11) + 0.5) / (1 << 53)
}

// value returns the value of step n. It is 0 before the first one.
func (w *randomSteps) value(n float64) float64 {
	if n < 0 {
		return 0
	}
	u := w.uniform(uint64(n))
	switch w.kind {
	case 1:
		return w.offset + w.scale*(2*u-1)
	case 2:
		return w.offset + w.scale*math.Sqrt2*math.Erfinv(2*u-1)
	case 3:
		return w.offset - w.scale*math.Log(u)
	}
	// The Poisson distribution is inverted by its sum.
	k, p := 0.0, math.Exp(-w.scale)
	for sum := p; sum < u && k < 4000; sum += p {
		k++
		p *= w.scale / k
	}
	return w.offset + k
}

func (w *randomSteps) at(t float64) float64 {
	n := math.Floor((t - w.delay) / w.step)
	v := w.value(n)
	if edge := ((t-w.delay)/w.step - n) / randomEdge; n >= 0 && edge < 1 {
		last := w.value(n - 1)
		return last + (v-last)*edge
	}
	return v
}

func (w *randomSteps) nextBreak(t float64) float64 {
	if t < w.delay {
		return w.delay
	}
	n := math.Floor((t - w.delay) / w.step)
	for _, next := range [...]float64{n + randomEdge, n + 1, n + 1 + randomEdge} {
		if at := w.delay + next*w.step; at > t {
			return at
		}
	}
	return w.delay + (n+2)*w.step
}

func (w *randomSteps) maxStep() float64 { return w.step }
