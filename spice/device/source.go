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

// source reads [[dc] value] [ac [mag [phase]]] [sin|pulse|pwl|exp|am|sffm (...)] in any order, and
// m= for a current source.
func (m *cardReader) source() (s source) {
	args := m.e.Args
	parallel := 1.0
	defer func() {
		if parallel != 1 && m.err == nil {
			s.scale(parallel)
		}
	}()
	take := func(most int) (v []float64) {
		for len(args) > 0 && args[0].IsNumber && len(v) < most {
			v = append(v, args[0].Value)
			args = args[1:]
		}
		return v
	}
	for len(args) > 0 && m.err == nil {
		if args[0].IsNumber {
			if s.dcSet {
				m.fail(diag.Syntax, "%s: unexpected number %s", m.e.Name, args[0].Text)
			}
			s.dc, s.dcSet = args[0].Value, true
			args = args[1:]
			continue
		}
		w := args[0].Text
		args = args[1:]
		switch w {
		case "dc":
			if v := take(1); len(v) == 1 {
				s.dc, s.dcSet = v[0], true
			} else {
				m.fail(diag.MissingValue, "%s: dc needs a value", m.e.Name)
			}
		case "ac":
			s.mag, s.phase = 1, 0
			switch v := take(2); len(v) {
			case 2:
				s.mag, s.phase = v[0], v[1]
			case 1:
				s.mag = v[0]
			}
		case "acmag", "acphase":
			v := take(1)
			switch {
			case len(v) == 0:
				m.fail(diag.MissingValue, "%s: %s needs a value", m.e.Name, w)
			case w == "acmag":
				s.mag = v[0]
			default:
				s.phase = v[0]
			}
		case "sin", "pulse", "pwl", "exp":
			if s.wave != nil {
				m.fail(diag.Syntax, "%s has two waveforms", m.e.Name)
				return s
			}
			if w == "pwl" {
				var scale [2]float64
				args, scale = m.pointScale(args)
				if len(args) > 0 && args[0].Text == "repeat" {
					args = m.repeatedPoints(&s, args[1:], scale)
					continue
				}
				args = m.scaledPoints(args, scale)
			}
			v := take(1 << 30)
			if len(v) == 0 {
				m.warn(m.e.Line, "%s: %s has no values and is ignored", m.e.Name, w)
				continue
			}
			if w == "pwl" && len(v)%2 == 1 && len(v) > 2 {
				m.warn(m.e.Line,
					"%s: pwl has %d numbers; the last, a time without a value, is ignored",
					m.e.Name, len(v))
				v = v[:len(v)-1]
			}
			s.wave = m.waveform(w, v)
		case "load":
			// Package netlist converts current sources with load.
			m.fail(diag.Syntax, "%s: load is valid only for current sources", m.e.Name)
			return s
		case "m":
			v := take(1)
			if m.e.Kind != 'i' || len(v) == 0 || !(v[0] > 0) || v[0] > 1e9 {
				m.fail(diag.BadValue,
					"%s: m= is valid only for current sources and must be above 0", m.e.Name)
				return s
			}
			parallel = v[0]
		case "r":
			v := take(1)
			shape, ok := s.wave.(*pwl)
			if ok && len(v) == 0 && len(args) == 0 {
				m.warn(m.e.Line, "%s: r of pwl without a time is read as r=0, as in ngspice: all of it is repeated", m.e.Name)
				v = []float64{0}
			}
			if !ok || len(v) == 0 {
				m.fail(diag.Syntax, "%s: r= must follow the points of pwl and needs a time",
					m.e.Name)
			} else if last := shape.t[len(shape.t)-1]; v[0] < 0 || v[0] >= last {
				// In ngspice r=-1 disables the repetition.
				if v[0] != -1 {
					m.fail(diag.BadValue,
						"%s: r= of pwl must lie from 0 to below the last time %g, not %g",
						m.e.Name, last, v[0])
				}
			} else {
				shape.from, shape.period = v[0], last-v[0]
			}
		case "am", "sffm":
			if s.wave != nil {
				m.fail(diag.Syntax, "%s has two waveforms", m.e.Name)
				return s
			}
			s.wave = m.modulated(w, take(1<<30))
		case "trrandom":
			if s.wave != nil {
				m.fail(diag.Syntax, "%s has two waveforms", m.e.Name)
				return s
			}
			s.wave = m.randomSteps(take(1 << 30))
			if !s.dcSet {
				s.dcSet = true // the DC value is 0 without dc
			}
		case "trnoise", "external":
			m.fail(diag.NotAvailable, "not yet supported: %s with waveform %s; allowed are sin, pulse, pwl, exp, am, sffm and trrandom", m.e.Name, w)
		default:
			m.fail(diag.Syntax,
				"%s: unexpected %q; allowed are a value, dc, ac, sin, pulse, pwl and exp",
				m.e.Name, w)
		}
	}
	return s
}

func (m *cardReader) waveform(kind string, v []float64) waveform {
	get := func(i int, def float64) float64 {
		if i < len(v) {
			return v[i]
		}
		return def
	}
	// nonzero returns value i, or def if it is 0 or absent, as in SPICE.
	nonzero := func(i int, def float64) float64 {
		if x := get(i, 0); x != 0 {
			return x
		}
		return def
	}
	count := func(least, most int) bool {
		if len(v) < least {
			m.fail(diag.MissingValue, "%s: %s needs at least %d values and has %d", m.e.Name, kind,
				least, len(v))
		} else if len(v) > most {
			m.fail(diag.Syntax, "%s: %s takes at most %d values and has %d", m.e.Name, kind,
				most, len(v))
		}
		return m.err == nil
	}
	times := func(x ...float64) bool {
		for _, t := range x {
			if t < 0 {
				m.fail(diag.BadValue, "%s: %s has a negative time %g", m.e.Name, kind, t)
				return false
			}
		}
		return true
	}
	step, stop := m.tran.Step, m.tran.Stop
	switch kind {
	case "sin":
		if !count(2, 7) {
			return nil
		}
		w := &sine{offset: v[0], ampl: v[1], freq: nonzero(2, 1/stop), delay: get(3, 0),
			theta: get(4, 0), phase: get(5, 0) * math.Pi / 180}
		if w.freq < 0 {
			m.fail(diag.BadValue, "%s: the frequency %g of sin is negative", m.e.Name, w.freq)
		}
		if w.cycles = get(6, 0); w.cycles < 0 {
			m.fail(diag.BadValue, "%s: the number of cycles %g of sin is negative",
				m.e.Name, w.cycles)
		} else if w.cycles > 0 && m.tran.Run {
			m.warn(m.e.Line, "%s: the seventh value of sin is read as LTspice has it: %g cycles, then the value of their end", m.e.Name, w.cycles)
		}
		return w
	case "pulse":
		if !count(2, 8) {
			return nil
		}
		w := &pulse{v1: v[0], v2: v[1], delay: get(2, 0), rise: nonzero(3, step),
			fall: nonzero(4, step), width: nonzero(5, stop), period: nonzero(6, stop)}
		if !times(w.rise, w.fall, w.width, w.period) {
			return nil
		}
		if get(5, 1) == 0 && get(6, 0) > 0 &&
			w.rise+w.fall <= w.period*(1+periodRounding) {
			// With a width of the stop time the pulse would never fall.
			w.width = 0
			if m.tran.Run {
				m.warn(m.e.Line, "%s: the width 0 of pulse is read as it is written, as in LTspice; "+
					"ngspice reads it as the stop time", m.e.Name)
			}
		}
		if w.count = math.Trunc(get(7, 0)); w.count < 0 {
			m.fail(diag.BadValue, "%s: the number of pulses %g is negative", m.e.Name, w.count)
		} else if w.count > 0 && m.tran.Run {
			m.warn(m.e.Line, "%s: the eighth value of pulse is read as the number of pulses, %g",
				m.e.Name, w.count)
		}
		if m.tran.Run && w.width > 0 && step > 0.1*w.width && (get(3, 0) == 0 || get(4, 0) == 0) {
			m.warn(m.e.Line, "%s: rise or fall of pulse is 0 or absent and becomes the time step "+
				"of .tran, %g s, as in SPICE; that is above a tenth of the width %g s: give both",
				m.e.Name, step, w.width)
		}
		if need := w.rise + w.width + w.fall; w.period < need {
			// As in SPICE3, the next period truncates the pulse.
			if m.tran.Run && len(v) > 6 {
				m.warn(m.e.Line, "%s: the period %g s of pulse is shorter than rise, width and fall together, %g s", m.e.Name, w.period, need)
			}
		}
		return w
	case "exp":
		if !count(2, 6) {
			return nil
		}
		w := &exponential{v1: v[0], v2: v[1], td1: get(2, 0), tau1: nonzero(3, step),
			tau2: nonzero(5, step)}
		w.td2 = nonzero(4, w.td1+step)
		if !times(w.td1, w.tau1, w.td2, w.tau2) {
			return nil
		}
		return w
	}
	if len(v) < 2 || len(v)%2 != 0 {
		m.fail(diag.MissingValue, "%s: pwl needs pairs of time and value and has %d numbers",
			m.e.Name, len(v))
		return nil
	}
	w := &pwl{}
	if m.tran.Run {
		v = m.withEdges(v, stop)
	}
	for i := 0; i < len(v); i += 2 {
		if i > 0 && (v[i] < v[i-2] || v[i] == v[i-2] && m.tran.Run) {
			m.fail(diag.BadValue, "%s: the times of pwl must increase, %g follows %g", m.e.Name,
				v[i], v[i-2])
			return nil
		}
		w.t, w.v = append(w.t, v[i]), append(w.v, v[i+1])
	}
	return w
}

// Two points of pwl at the same time become an edge of edgePart of the shorter of the intervals
// beside it, at most longestEdge of the stop time, but at least shortestEdge of the time itself.
const (
	edgePart     = 1e-3
	longestEdge  = 1e-6
	shortestEdge = 1e-12
)

// withEdges returns the points of pwl, in which two points at the same time form an edge that ends
// at this time, or begins there if it is the first time. Points between the two are omitted. stop
// is the stop time [s].
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
