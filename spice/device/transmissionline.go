package device

import (
	"math"
	"math/cmplx"
	"slices"

	"slipstick/spice/diag"
	"slipstick/spice/interval"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// DelayDevice is a device whose equations depend on earlier solutions.
type DelayDevice interface {
	// Delay returns the delay [s], which is an upper bound on the time step.
	Delay() float64
	// Begin starts the history at 0 s with the solution l.X. Without uic this solution also applies
	// to all earlier times.
	Begin(l *Load, uic bool)
	// Accept adds the solution l.X at t [s]. corner marks a possible discontinuity of the
	// derivatives at t, and jump one since the last solution, also of the solution itself.
	Accept(l *Load, t float64, corner, jump bool)
	// AcceptStage adds the solution l.X of a stage within an accepted step at t [s], before Accept
	// adds the end of the step. It does nothing for a device with states.
	AcceptStage(l *Load, t float64)
	// Rewind removes the solutions after t [s].
	Rewind(t float64)
	// HiddenInput returns the unknown that delay() in an expression delays. The result contains no
	// vector of this unknown. For a transmission line of the netlist it returns 0.
	HiddenInput() int
	// NextBreak returns the time of the first delayed corner after t [s], or +Inf.
	NextBreak(t float64) float64
}

// transmissionLine implements Tname port1+ port1- port2+ port2- z0=ohms td=seconds, with f=hertz
// and nl=wavelengths as an alternative to td=. The lossless line is solved by the method of
// characteristics (F. H. Branin, Transient analysis of lossless transmission lines, Proc. IEEE 55,
// 1967). The wave v + z0·i that leaves one port reaches the other after td: v1(t) - z0·i1(t) =
// v2(t-td) + z0·i2(t-td).
type transmissionLine struct {
	e            *netlist.Element
	loss         *lineLoss  // nil for a lossless line
	z0, td       float64    // units: [ohm], [s]
	ic           [2]float64 // initial waves v + z0·i [V] of the ports from ic=
	ports        [2]port
	initialWaves [2]float64 // waves [V] before 0 s
	jump         bool       // the waves jump at 0 s
	history      []wavePoint
	// low and high are the extremes of the waves [V].
	low, high float64
	corners   []float64 // times [s] of past slope discontinuities
}

// arrivalRoundoff is the largest rounding error of the time at which a corner arrives, relative to
// the delay. The shortest step is longer.
const arrivalRoundoff = 5e-16

// port is one end of a line.
type port struct {
	p, n, i        int
	pi, ni, ip, in mna.Slot
	ii, ij, jp, jn mna.Slot // columns: current of this port; current and voltage of the other
}

// wavePoint holds the outgoing waves of both ports at one time.
type wavePoint struct {
	t      float64 // time [s]
	w      [2]float64
	corner bool
}

func newTransmissionLine(m *cardReader) Device {
	d := &transmissionLine{e: m.e}
	var given bool
	if d.z0, given = m.param("z0", 0); !given {
		d.z0, _ = m.param("zo", 0)
	}
	if !(d.z0 > 0) || d.z0 > 1e9 {
		m.fail(diag.BadValue, "%s: z0= must be given, above 0 and at most 1e9 ohm", m.e.Name)
	}
	if d.td, given = m.param("td", 0); !given {
		f, _ := m.param("f", 0)
		lengths, _ := m.param("nl", 0.25)
		if !(f > 0) {
			m.fail(diag.MissingValue,
				"%s needs td= in seconds, or f= in hertz and nl= in wavelengths", m.e.Name)
			return d
		}
		d.td = lengths / f
	}
	if !(d.td > 0) || d.td > 1e9 {
		m.fail(diag.BadValue, "%s: the delay must be above 0 and at most 1e9 s, not %g",
			m.e.Name, d.td)
	}
	// In ic=v1,i1,v2,i2 the first value is the parameter, and the others are arguments.
	var ic [4]float64
	ic[0], given = m.param("ic", 0)
	for k, a := range m.e.Args {
		if !given || !a.IsNumber || k > 2 {
			m.fail(diag.Syntax, "%s: unexpected %q", m.e.Name, a.Text)
			break
		}
		ic[k+1] = a.Value
	}
	d.ic = [2]float64{ic[0] + d.z0*ic[1], ic[2] + d.z0*ic[3]}
	m.rejectExtraArgs(len(m.e.Args), "z0", "zo", "td", "f", "nl", "ic")
	return d
}

func (d *transmissionLine) Element() *netlist.Element { return d.e }
func (d *transmissionLine) Nonlinear() bool           { return false }
func (d *transmissionLine) Temperature(Env)           {}

func (d *transmissionLine) Setup(s *Setup) {
	d.ports = newPorts(s, d.e)
	if d.loss != nil {
		d.loss.setup(s)
	}
}

// newPorts adds the currents of two ports and the entries of their equations.
func newPorts(s *Setup, e *netlist.Element) (ports [2]port) {
	for k := range ports {
		p := &ports[k]
		p.p, p.n = s.Node(e.Nodes[2*k]), s.Node(e.Nodes[2*k+1])
		p.i = s.add(Unknown{Name: e.Name + [2]string{"", "#2"}[k], Branch: true, Element: e})
	}
	at := s.Pattern.Slot
	for k := range ports {
		p, other := &ports[k], &ports[1-k]
		p.pi, p.ni, p.ip, p.in = at(p.p, p.i), at(p.n, p.i), at(p.i, p.p), at(p.i, p.n)
		p.ii, p.ij, p.jp, p.jn = at(p.i, p.i), at(p.i, other.i), at(p.i, other.p), at(p.i, other.n)
	}
	return ports
}

// Terminals reports the resistance z0 of each port. The reference nodes of the two ports are not
// connected.
func (d *transmissionLine) Terminals() Terminals {
	return Terminals{Conducts: [][2]int{{d.ports[0].p, d.ports[0].n}, {d.ports[1].p, d.ports[1].n}}}
}

// Load adds the port equations. At DC the delayed waves equal the present ones.
func (d *transmissionLine) Load(l *Load) {
	volts, amperes := 1.0, d.z0
	if d.loss != nil {
		volts, amperes = d.loss.slopes(l.A0, d.z0)
	}
	for k := range d.ports {
		p := &d.ports[k]
		l.A[p.pi]++
		l.A[p.ni]--
		if d.loss != nil && l.A0 == 0 {
			continue
		}
		l.A[p.ip] += volts
		l.A[p.in] -= volts
		l.A[p.ii] -= amperes
		if l.A0 == 0 {
			l.A[p.jp]--
			l.A[p.jn]++
			l.A[p.ij] -= d.z0
		}
	}
	if d.loss != nil && l.A0 == 0 {
		addAtDC(&d.ports, l.A, d.loss.ohms, d.loss.siemens, d.z0)
	}
	d.LoadRHS(l)
}

// LoadInterval adds the DC equations, in which the delayed waves equal the present ones.
func (d *transmissionLine) LoadInterval(l *IntervalLoad) {
	if d.loss != nil {
		intervalSeries(l, &d.ports, d.loss.ohms, d.z0)
		return
	}
	one, z0 := interval.WidePoint(1), interval.WidePoint(-d.z0)
	for k := range d.ports {
		p, other := &d.ports[k], &d.ports[1-k]
		l.short(p.p, p.n, p.i)
		l.linear(p.i, 0, p.i, 0, z0)
		l.linear(p.i, 0, other.p, other.n, one.Neg())
		l.linear(p.i, 0, other.i, 0, z0)
	}
}

// IntervalUnsupported rejects a line with shunt conductance.
func (d *transmissionLine) IntervalUnsupported() string {
	if d.loss != nil {
		return shuntUnsupported(d.loss.siemens)
	}
	return ""
}

func (d *transmissionLine) LoadRHS(l *Load) {
	if l.A0 == 0 {
		return
	}
	w := d.waveAt(l.Time - d.td)
	for k := range d.ports {
		late := w[1-k]
		if d.loss != nil {
			late = d.loss.rhs(l, k, late)
		}
		l.B[d.ports[k].i] += late
	}
}

func (d *transmissionLine) LoadAC(l *ACLoad) {
	for k := range d.ports {
		l.A[d.ports[k].pi]++
		l.A[d.ports[k].ni]--
	}
	if q := d.loss; q != nil {
		// z0·td and td/z0 are the inductance and the capacitance of the whole line.
		addAC(&d.ports, l.A, complex(q.ohms, l.Omega*d.z0*d.td),
			complex(q.siemens, l.Omega*d.td/d.z0))
		return
	}
	addWaves(&d.ports, l.A, complex(d.z0, 0), cmplx.Rect(1, -l.Omega*d.td))
}

// Update writes the states of a lossy line. At DC the waves that arrive at a port equal the waves
// that leave the other port.
func (d *transmissionLine) Update(l *Load) {
	if d.loss == nil {
		return
	}
	var late [2]float64
	if l.A0 != 0 {
		late = d.waveAt(l.Time - d.td)
	}
	for k := range d.ports {
		p := &d.ports[k]
		d.loss.updatePort(l, k, l.X[p.p]-l.X[p.n], d.z0*l.X[p.i])
	}
	if l.A0 == 0 {
		late = d.outgoingWaves(l.X)
	}
	for k := range d.ports {
		d.loss.updateWave(l, k, late[1-k])
	}
}

// Initial clears the history for a run with uic. The waves before 0 s are those of ic=.
func (d *transmissionLine) Initial(l *Load) {
	if d.loss != nil {
		d.loss.clear(l)
	}
	d.history, d.corners, d.initialWaves = d.history[:0], d.corners[:0], d.ic
}

// Delay returns the delay of the line [s].
func (d *transmissionLine) Delay() float64 { return d.td }

// HiddenInput returns the first node of a line that implements delay(), and 0 for other lines.
func (d *transmissionLine) HiddenInput() int {
	if d.e.Internal {
		return d.ports[0].p
	}
	return 0
}

// Begin adds the first point of the history.
func (d *transmissionLine) Begin(l *Load, uic bool) {
	d.history, d.corners = d.history[:0], d.corners[:0]
	w := d.outgoingWaves(l.X)
	if !uic {
		d.initialWaves = w
	}
	d.jump = w != d.initialWaves
	d.low, d.high = min(d.initialWaves[0], d.initialWaves[1], w[0], w[1]),
		max(d.initialWaves[0], d.initialWaves[1], w[0], w[1])
	d.appendPoint(wavePoint{0, w, true})
}

// outgoingWaves returns the waves v + z0·i [V] that leave the two ports. A lossy line subtracts the
// sum loss.slow.
func (d *transmissionLine) outgoingWaves(x []float64) (w [2]float64) {
	for k := range d.ports {
		p := &d.ports[k]
		w[k] = x[p.p] - x[p.n] + d.z0*x[p.i]
		if d.loss != nil {
			w[k] -= d.loss.slow[k]
		}
	}
	return w
}

func (d *transmissionLine) appendPoint(p wavePoint) {
	d.history = append(d.history, p)
	if p.corner {
		d.corners = append(d.corners, p.t)
	}
}

// Accept adds a point to the history. The previous point is a corner only if the derivative of a
// wave changes there by more than 1e-4 of the waves' range per delay.
func (d *transmissionLine) Accept(l *Load, t float64, corner, jump bool) {
	w := d.outgoingWaves(l.X)
	for _, v := range w {
		d.low, d.high = min(d.low, v), max(d.high, v)
	}
	n := len(d.history)
	if last := &d.history[n-1]; (last.corner || jump) && n > 1 && last.t > 0 {
		first, bends := d.history[n-2], false
		for k := range w {
			slope := (w[k]-last.w[k])/(t-last.t) - (last.w[k]-first.w[k])/(last.t-first.t)
			bends = bends || math.Abs(slope)*d.td > 1e-4*(d.high-d.low)
		}
		switch {
		case bends && !last.corner:
			d.corners = append(d.corners, last.t)
		case !bends && last.corner:
			d.corners = d.corners[:len(d.corners)-1]
		}
		last.corner = bends
	}
	d.appendPoint(wavePoint{t, w, corner || jump})
	// Points older than two delays are not needed.
	if old := d.search(t - 2*d.td); old > 64 && old > len(d.history)/2 {
		d.history = slices.Delete(d.history, 0, old-2)
	}
}

// AcceptStage adds a point within a step to the history of a lossless line.
func (d *transmissionLine) AcceptStage(l *Load, t float64) {
	if d.loss == nil {
		d.Accept(l, t, false, false)
	}
}

// Rewind removes the points and corners after t [s].
func (d *transmissionLine) Rewind(t float64) {
	for len(d.history) > 1 && d.history[len(d.history)-1].t > t {
		d.history = d.history[:len(d.history)-1]
	}
	for len(d.corners) > 0 && d.corners[len(d.corners)-1] > t {
		d.corners = d.corners[:len(d.corners)-1]
	}
}

// NextBreak returns the time after t [s] at which the next corner arrives, or +Inf. A corner
// arrives one delay after it occurred.
func (d *transmissionLine) NextBreak(t float64) float64 {
	k, _ := slices.BinarySearchFunc(d.corners, t, func(corner, t float64) int {
		if corner+d.td > t {
			return 1
		}
		return -1
	})
	if k == len(d.corners) {
		return math.Inf(1)
	}
	return d.corners[k] + d.td
}

// search returns the index of the first point after t [s].
func (d *transmissionLine) search(t float64) int {
	k, _ := slices.BinarySearchFunc(d.history, t, func(p wavePoint, t float64) int {
		if p.t > t {
			return 1
		}
		return -1
	})
	return k
}

// waveAt interpolates the waves [V] at a past time t [s] by the polynomial through up to four
// points without a corner between them. Next to a jump, the polynomial may leave the range of its
// points by more than a tenth. waveAt then interpolates linearly between the two nearest points. As
// a jump at 0 s arrives, waveAt returns the waves before it, so that the step to this time is
// smooth.
func (d *transmissionLine) waveAt(t float64) [2]float64 {
	n := len(d.history)
	if n == 0 || t < d.history[0].t || d.jump && t < arrivalRoundoff*d.td {
		return d.initialWaves
	}
	k := d.search(t)
	if k >= n {
		return d.history[n-1].w
	}
	from, to := k-1, k+1
	if from > 0 && !d.history[from].corner {
		from--
	}
	if to < n && !d.history[k].corner {
		to++
	}
	var w [2]float64
	points := d.history[from:to]
	low, high := points[0].w, points[0].w
	for i := range points {
		weight := 1.0
		for j := range points {
			if j != i {
				weight *= (t - points[j].t) / (points[i].t - points[j].t)
			}
		}
		for port, v := range points[i].w {
			w[port] += weight * v
			low[port], high[port] = min(low[port], v), max(high[port], v)
		}
	}
	a, b := &d.history[k-1], &d.history[k]
	for port := range w {
		if most := 0.1 * (high[port] - low[port]); w[port] < low[port]-most ||
			w[port] > high[port]+most {
			w[port] = a.w[port] + (b.w[port]-a.w[port])*(t-a.t)/(b.t-a.t)
		}
	}
	return w
}

// InfinitePoles reports whether the transfer function is not rational.
func (d *transmissionLine) InfinitePoles() bool { return true }

// Report returns the voltage and the current of the first port.
func (d *transmissionLine) Report(l *Load) (string, []Quantity) { return "", d.ports[0].report(l) }

func (p *port) report(l *Load) []Quantity {
	return []Quantity{{"v", "V", l.X[p.p] - l.X[p.n]}, {"i", "A", l.X[p.i]}}
}
