package device

import (
	"math"
	"slices"
	"strings"

	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// source holds the values of an independent source: DC value, small-signal phasor and waveform.
// Each is optional.
type source struct {
	dc    float64 // DC value [V or A]
	dcSet bool
	mag   float64 // magnitude of the phasor [V or A]
	phase float64 // phase of the phasor [degrees]
	wave  waveform
}

// RHSEntry is one entry of a right-hand side.
type RHSEntry struct {
	Row   int // index of the unknown
	Value float64
}

// SmallSignalInput is an independent source that can be the input of a small-signal analysis.
type SmallSignalInput interface {
	// UnitExcitation returns the right-hand side for 1 V or 1 A.
	UnitExcitation() []RHSEntry
}

// waveform is a function of time [s] with breakpoints.
type waveform interface {
	at(t float64) float64
	nextBreak(t float64) float64
	maxStep() float64
}

func (s *source) dcValue() float64 {
	if s.dcSet || s.wave == nil {
		return s.dc
	}
	return s.wave.at(0)
}

func (s *source) at(l *Load) float64 {
	v := s.dcValue()
	if l.Transient && s.wave != nil {
		v = s.wave.at(l.Time)
	}
	if l.Transient && l.Time < l.Startup {
		v *= l.Time / l.Startup
	}
	return v
}

func (s *source) nextBreak(t float64) float64 {
	if s.wave == nil {
		return math.Inf(1)
	}
	return s.wave.nextBreak(t)
}

func (s *source) maxStep() float64 {
	if s.wave == nil {
		return math.Inf(1)
	}
	return s.wave.maxStep()
}

// scaledWaveform is a waveform multiplied by a factor.
type scaledWaveform struct {
	waveform
	factor float64
}

func (w *scaledWaveform) at(t float64) float64 { return w.factor * w.waveform.at(t) }

// scale multiplies all values by a factor, for m= sources in parallel.
func (s *source) scale(factor float64) {
	s.dc, s.mag = factor*s.dc, factor*s.mag
	if s.wave != nil {
		s.wave = &scaledWaveform{s.wave, factor}
	}
}

// sourceReader reads the arguments of an independent source.
type sourceReader struct {
	*cardReader
	src      source
	args     []netlist.Arg // arguments that are not yet read
	parallel float64       // number of parallel sources according to m=
	delay    float64       // time [s] of td=
}

// source reads [[dc] value] [ac [mag [phase]]] [sin|pulse|pwl|exp|am|sffm (...)] in any order, and
// m= for a current source.
func (m *cardReader) source() source {
	r := &sourceReader{cardReader: m, args: m.e.Args, parallel: 1}
	for len(r.args) > 0 && m.err == nil {
		if v := r.args[0]; v.IsNumber {
			if r.src.dcSet {
				m.fail(diag.Syntax, "%s: unexpected number %s", m.e.Name, v.Text)
			}
			r.src.dc, r.src.dcSet, r.args = v.Value, true, r.args[1:]
			continue
		}
		w := r.args[0].Text
		r.args = r.args[1:]
		r.readWord(w)
	}
	if r.parallel != 1 && m.err == nil {
		r.src.scale(r.parallel)
	}
	return r.src
}

// take returns at most the given number of values that come next.
func (r *sourceReader) take(most int) (v []float64) {
	for len(r.args) > 0 && r.args[0].IsNumber && len(v) < most {
		v = append(v, r.args[0].Value)
		r.args = r.args[1:]
	}
	return v
}

// readWord reads the values of a word.
func (r *sourceReader) readWord(w string) {
	switch w {
	case "dc":
		if v := r.take(1); len(v) == 1 {
			r.src.dc, r.src.dcSet = v[0], true
		} else {
			r.fail(diag.MissingValue, "%s: dc needs a value", r.e.Name)
		}
	case "ac":
		r.src.mag, r.src.phase = 1, 0
		switch v := r.take(2); len(v) {
		case 2:
			r.src.mag, r.src.phase = v[0], v[1]
		case 1:
			r.src.mag = v[0]
		}
	case "acmag", "acphase":
		v := r.take(1)
		switch {
		case len(v) == 0:
			r.fail(diag.MissingValue, "%s: %s needs a value", r.e.Name, w)
		case w == "acmag":
			r.src.mag = v[0]
		default:
			r.src.phase = v[0]
		}
	case "sin", "pulse", "pwl", "exp", "am", "sffm", "trrandom":
		if r.src.wave != nil {
			r.fail(diag.Syntax, "%s has two waveforms", r.e.Name)
			return
		}
		r.readWaveform(w)
	case "load":
		// Package netlist converts current sources with load.
		r.fail(diag.Syntax, "%s: load is valid only for current sources", r.e.Name)
	case "m":
		v := r.take(1)
		if r.e.Kind != 'i' || len(v) == 0 || !(v[0] > 0) || v[0] > 1e9 {
			r.fail(diag.BadValue, "%s: m= is valid only for current sources and must be above 0",
				r.e.Name)
			return
		}
		r.parallel = v[0]
	case "r":
		r.readRepetition()
	case "td":
		r.readDelay()
	case "trnoise", "external":
		r.fail(diag.NotAvailable, "not yet supported: %s with waveform %s; allowed are sin, "+
			"pulse, pwl, exp, am, sffm and trrandom", r.e.Name, w)
	default:
		r.fail(diag.Syntax, "%s: unexpected %q; allowed are a value, dc, ac, sin, pulse, pwl, exp, "+
			"am, sffm and trrandom", r.e.Name, w)
	}
}

// readWaveform reads the values of the waveform w.
func (r *sourceReader) readWaveform(w string) {
	switch w {
	case "trrandom":
		r.src.wave = r.randomSteps(r.take(1 << 30))
		r.src.dcSet = true // the DC value is 0 without dc
		return
	case "pwl":
		var scale [2]float64
		r.args, scale = r.pointScale(r.args)
		if len(r.args) > 0 && r.args[0].Text == "repeat" {
			r.args = r.repeatedPoints(&r.src, r.args[1:], scale)
			return
		}
		r.args = r.scaledPoints(r.args, scale)
	}
	v := r.take(1 << 30)
	if len(v) == 0 {
		r.warn(r.e.Line, "%s: %s has no values and is ignored", r.e.Name, w)
		return
	}
	if w == "pwl" && len(v)%2 == 1 && len(v) > 2 {
		r.warn(r.e.Line, "%s: pwl has %d numbers; the last, a time without a value, is ignored",
			r.e.Name, len(v))
		v = v[:len(v)-1]
	}
	r.src.wave = r.waveform(w, v)
}

// readRepetition reads the time of r=, from which the points of pwl repeat.
func (r *sourceReader) readRepetition() {
	v := r.take(1)
	shape, ok := r.src.wave.(*pwl)
	if ok && len(v) == 0 && len(r.args) == 0 {
		r.warn(r.e.Line, "%s: r of pwl without a time is read as r=0, as in ngspice: all of it "+
			"is repeated", r.e.Name)
		v = []float64{0}
	}
	if !ok || len(v) == 0 {
		r.fail(diag.Syntax, "%s: r= must follow the points of pwl and needs a time", r.e.Name)
		return
	}
	last := shape.t[len(shape.t)-1] - r.delay
	switch {
	case v[0] == -1: // in ngspice r=-1 disables the repetition
	case v[0] < 0 || v[0] >= last:
		r.fail(diag.BadValue, "%s: r= of pwl must lie from 0 to below the last time %g, not %g",
			r.e.Name, last, v[0])
	default:
		shape.period = last - v[0]
	}
}

// maxDelayRatio is the largest magnitude of td= relative to the shortest time between two points.
// Rounding of the shifted times then changes this time by at most 3 %.
const maxDelayRatio = 1e14

// readDelay reads the time of td= of ngspice, by which the points of pwl are shifted.
func (r *sourceReader) readDelay() {
	v := r.take(1)
	shape, ok := r.src.wave.(*pwl)
	if !ok || len(v) == 0 {
		r.fail(diag.Syntax, "%s: td= must follow the points of pwl and needs a time", r.e.Name)
		return
	}
	shortest := math.Inf(1)
	for k, t := range shape.t[1:] {
		if t > shape.t[k] {
			shortest = min(shortest, t-shape.t[k])
		}
	}
	if limit := maxDelayRatio * shortest; !(math.Abs(v[0]) <= limit) {
		r.fail(diag.BadValue, "%s: td= of pwl must lie from %g to %g, which is %g times the shortest "+
			"time between two points, not %g", r.e.Name, -limit, limit, maxDelayRatio, v[0])
		return
	}
	for k := range shape.t {
		shape.t[k] += v[0] - r.delay
	}
	r.delay = v[0]
}

// waveform returns the waveform of a kind with the values v.
func (m *cardReader) waveform(kind string, v []float64) waveform {
	r := &waveformReader{cardReader: m, kind: kind, v: v}
	switch kind {
	case "sin":
		return r.sine()
	case "pulse":
		return r.pulse()
	case "exp":
		return r.exponential()
	case "am", "sffm":
		return r.modulated()
	}
	return r.points()
}

// waveformReader reads the values of a waveform.
type waveformReader struct {
	*cardReader
	kind string
	v    []float64
}

// get returns value i, or def if it is absent.
func (r *waveformReader) get(i int, def float64) float64 {
	if i < len(r.v) {
		return r.v[i]
	}
	return def
}

// nonzero returns value i, or def if it is 0 or absent, as in SPICE.
func (r *waveformReader) nonzero(i int, def float64) float64 {
	if x := r.get(i, 0); x != 0 {
		return x
	}
	return def
}

// hasCount reports whether there are at least two values and at most the given number.
func (r *waveformReader) hasCount(most int) bool {
	const least = 2
	if len(r.v) < least {
		r.fail(diag.MissingValue, "%s: %s needs at least %d values and has %d", r.e.Name, r.kind,
			least, len(r.v))
	} else if len(r.v) > most {
		r.fail(diag.Syntax, "%s: %s takes at most %d values and has %d", r.e.Name, r.kind, most,
			len(r.v))
	}
	return r.err == nil
}

// areTimes reports whether none of the times is negative.
func (r *waveformReader) areTimes(times ...float64) bool {
	for _, t := range times {
		if t < 0 {
			r.fail(diag.BadValue, "%s: %s has a negative time %g", r.e.Name, r.kind, t)
			return false
		}
	}
	return true
}

func (r *waveformReader) sine() waveform {
	if !r.hasCount(7) {
		return nil
	}
	w := &sine{offset: r.v[0], ampl: r.v[1], freq: r.nonzero(2, 1/r.tran.Stop),
		delay: r.get(3, 0), theta: r.get(4, 0), phase: r.get(5, 0) * math.Pi / 180}
	if w.freq < 0 {
		r.fail(diag.BadValue, "%s: the frequency %g of sin is negative", r.e.Name, w.freq)
	}
	if w.cycles = r.get(6, 0); w.cycles < 0 {
		r.fail(diag.BadValue, "%s: the number of cycles %g of sin is negative", r.e.Name,
			w.cycles)
	} else if w.cycles > 0 && r.tran.Run {
		r.warn(r.e.Line, "%s: the seventh value of sin is read as in LTspice: %g cycles, "+
			"then the value of their end", r.e.Name, w.cycles)
	}
	return w
}

func (r *waveformReader) pulse() waveform {
	if !r.hasCount(8) {
		return nil
	}
	step, stop := r.tran.Step, r.tran.Stop
	w := &pulse{v1: r.v[0], v2: r.v[1], delay: r.get(2, 0), rise: r.nonzero(3, step),
		fall: r.nonzero(4, step), width: r.nonzero(5, stop), period: r.nonzero(6, stop)}
	if !r.areTimes(w.rise, w.fall, w.width, w.period) {
		return nil
	}
	if r.get(5, 1) == 0 && r.get(6, 0) > 0 && w.rise+w.fall <= w.period*(1+periodRounding) {
		// With a width of the stop time the pulse would never fall.
		w.width = 0
		if r.tran.Run {
			r.warn(r.e.Line, "%s: the width 0 of pulse is read as it is written, as in LTspice; "+
				"ngspice reads it as the stop time", r.e.Name)
		}
	}
	if w.count = math.Trunc(r.get(7, 0)); w.count < 0 {
		r.fail(diag.BadValue, "%s: the number of pulses %g is negative", r.e.Name, w.count)
	} else if w.count > 0 && r.tran.Run {
		r.warn(r.e.Line, "%s: the eighth value of pulse is read as the number of pulses, %g",
			r.e.Name, w.count)
	}
	if r.tran.Run && w.width > 0 && step > 0.1*w.width &&
		(r.get(3, 0) == 0 || r.get(4, 0) == 0) {
		r.warn(r.e.Line, "%s: rise or fall of pulse is 0 or absent and becomes the time step "+
			"of .tran, %g s, as in SPICE; that is above a tenth of the width %g s: give both",
			r.e.Name, step, w.width)
	}
	// As in SPICE3, the next period truncates a pulse that is longer than the period.
	if need := w.rise + w.width + w.fall; w.period < need && r.tran.Run && len(r.v) > 6 {
		r.warn(r.e.Line, "%s: the period %g s of pulse is shorter than rise, width and fall "+
			"together, %g s", r.e.Name, w.period, need)
	}
	return w
}

func (r *waveformReader) exponential() waveform {
	if !r.hasCount(6) {
		return nil
	}
	step := r.tran.Step
	w := &exponential{v1: r.v[0], v2: r.v[1], td1: r.get(2, 0), tau1: r.nonzero(3, step),
		tau2: r.nonzero(5, step)}
	w.td2 = r.nonzero(4, w.td1+step)
	if !r.areTimes(w.td1, w.tau1, w.td2, w.tau2) {
		return nil
	}
	return w
}

// points reads the points of pwl.
func (r *waveformReader) points() waveform {
	v := r.v
	if len(v) < 2 || len(v)%2 != 0 {
		r.fail(diag.MissingValue, "%s: pwl needs pairs of time and value and has %d numbers",
			r.e.Name, len(v))
		return nil
	}
	w := &pwl{}
	if r.tran.Run {
		v = r.withEdges(v, r.tran.Stop)
	}
	for i := 0; i < len(v); i += 2 {
		if i > 0 && (v[i] < v[i-2] || v[i] == v[i-2] && r.tran.Run) {
			r.fail(diag.BadValue, "%s: the times of pwl must increase, %g follows %g", r.e.Name,
				v[i], v[i-2])
			return nil
		}
		w.t, w.v = append(w.t, v[i]), append(w.v, v[i+1])
	}
	return w
}

// Two points of pwl at the same time become an edge of edgePart of the shorter interval beside it.
// The edge is at most longestEdge of the stop time, but at least shortestEdge of the time itself.
const (
	edgePart     = 1e-3
	longestEdge  = 1e-6
	shortestEdge = 1e-12
)

// withEdges returns the points of pwl, in which two points at the same time form an edge. The edge
// ends at this time, or begins there if it is the first time. Points between the two are omitted.
// stop is the stop time [s].
func (m *cardReader) withEdges(points []float64, stop float64) []float64 {
	var v []float64
	for i := 0; i+1 < len(points); i += 2 {
		if n := len(v); n >= 4 && points[i] == v[n-2] && points[i] == v[n-4] {
			v = v[:n-2]
		}
		v = append(v, points[i], points[i+1])
	}
	edges, first, longest := 0, 0.0, 0.0
	out := slices.Clone(v)
	for i := 2; i < len(v); i += 2 {
		if v[i] != v[i-2] {
			continue
		}
		edge := max(longestEdge*stop, shortestEdge*math.Abs(v[i]))
		if i >= 4 {
			edge = min(edge, edgePart*(v[i]-v[i-4]))
		}
		if i+2 < len(v) {
			edge = min(edge, edgePart*(v[i+2]-v[i]))
		}
		if i == 2 {
			out[i] += edge
		} else {
			out[i-2] -= edge
		}
		if edges++; edges == 1 {
			first = v[i]
		}
		longest = max(longest, edge)
	}
	switch edges {
	case 0:
	case 1:
		m.warn(m.e.Line, "%s: pwl has two values at %g s; the edge between them takes %g s",
			m.e.Name, first, longest)
	default:
		m.warn(m.e.Line, "%s: pwl has two values at %g s and at later times; the edges between "+
			"them take at most %g s", m.e.Name, first, longest)
	}
	return out
}

// pointScale reads TIME_SCALE_FACTOR= and VALUE_SCALE_FACTOR= of PSpice and LTspice, which precede
// the points of pwl. It returns the words after them and the factors of times and values.
func (m *cardReader) pointScale(args []netlist.Arg) (rest []netlist.Arg, scale [2]float64) {
	scale = [2]float64{1, 1}
	for ; len(args) > 0; args = args[2:] {
		k := slices.Index([]string{"time_scale_factor", "value_scale_factor"}, args[0].Text)
		if k < 0 {
			break
		}
		if len(args) < 2 || !args[1].IsNumber || k == 0 && !(args[1].Value > 0) {
			m.fail(diag.BadValue, "%s: %s= of pwl needs a number%s", m.e.Name, args[0].Text,
				[...]string{" above 0", ""}[k])
			return nil, scale
		}
		scale[k] = args[1].Value
	}
	return args, scale
}

// scaledPoints returns the words after pwl with scaled values and absolute, scaled times [s]. In
// LTspice a time with + is relative to the previous time.
func (m *cardReader) scaledPoints(args []netlist.Arg, scale [2]float64) []netlist.Arg {
	out := slices.Clone(args)
	for i := 0; i < len(out) && out[i].IsNumber; i++ {
		out[i].Value *= scale[i%2]
		if i > 0 && i%2 == 0 && strings.HasPrefix(out[i].Text, "+") {
			out[i].Value += out[i-2].Value
			m.warn(m.e.Line, "%s: times of pwl with + are read as in LTspice: they are relative "+
				"to the previous time", m.e.Name)
		}
	}
	return out
}

// repeatedPoints reads LTspice's "pwl repeat forever (...) endrepeat" or "pwl repeat for n (...)
// endrepeat" into s. args are the words after repeat, and scale holds the factors of times and
// values. It returns the words after endrepeat.
func (m *cardReader) repeatedPoints(s *source, args []netlist.Arg,
	scale [2]float64) []netlist.Arg {
	count := 0.0
	switch {
	case len(args) > 0 && args[0].Text == "forever":
		args = args[1:]
	case len(args) > 1 && args[0].Text == "for" && args[1].Value >= 1:
		count = math.Trunc(args[1].Value)
		args = args[2:]
	default:
		m.fail(diag.Syntax, "%s: repeat of pwl needs \"forever\", or \"for\" and a number of "+
			"at least 1", m.e.Name)
		return nil
	}
	args = m.scaledPoints(args, scale)
	var v []float64
	for len(args) > 0 && args[0].IsNumber {
		v = append(v, args[0].Value)
		args = args[1:]
	}
	if len(args) == 0 || args[0].Text != "endrepeat" {
		m.fail(diag.Syntax, "%s: repeat of pwl must end with endrepeat", m.e.Name)
		return nil
	}
	s.wave = m.waveform("pwl", v)
	shape, ok := s.wave.(*pwl)
	if !ok {
		return nil // waveform has reported the error
	}
	last := shape.t[len(shape.t)-1]
	if shape.t[0] != 0 || !(last > 0) {
		m.fail(diag.BadValue, "%s: the points of repeat must begin at 0 s and end after 0 s; they "+
			"begin at %g s and end at %g s", m.e.Name, shape.t[0], last)
		return nil
	}
	shape.period, shape.count = last, count
	return args[1:]
}
