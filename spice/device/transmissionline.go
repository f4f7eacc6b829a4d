package device

import (
	"math"
	"math/cmplx"
	"slices"

	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// DelayDevice is a device whose equations contain its own past.
type DelayDevice interface {
	// Delay is the time from a cause to its effect, s. No time step is longer.
	Delay() float64
	// Begin starts the past at 0 s with the solution l.X, which is also that of all earlier times
	// unless the run starts with uic.
	Begin(l *Load, uic bool)
	// Accept adds the solution l.X at t [s]. A corner is a time at which curves may bend.
	Accept(l *Load, t float64, corner bool)
	// Rewind removes what was accepted after t [s].
	Rewind(t float64)
	// NextBreak is the first effect of a corner after t [s], or +Inf.
	NextBreak(t float64) float64
}

// transmissionLine is Tname port1+ port1- port2+ port2- z0=ohms td=seconds, or f=hertz and nl=
// wavelengths instead of td=: a lossless line by the method of characteristics (F. H. Branin,
// Transient analysis of lossless transmission lines, Proc. IEEE 55, 1967). The wave that leaves a
// port, v + z0·i, arrives at the other a delay later: v1(t) - z0·i1(t) = v2(t-td) + z0·i2(t-td).
type transmissionLine struct {
	e            *netlist.Element
	z0, td       float64    // Ω, s
	ic           [2]float64 // v + z0·i of the ports before 0 s, V
	ports        [2]port
	initialWaves [2]float64 // waves before 0 s, V
	history      []wavePoint
	// low and high bound the waves so far.
	low, high float64
	corners   []float64 // corners, s
}

// port is one end of a line.
type port struct {
	p, n, i        int
	pi, ni, ip, in mna.Slot
	ii, ij, jp, jn mna.Slot // own current; other current, voltage of the other port
}

// wavePoint are the waves that leave the ports at one time.
type wavePoint struct {
	t      float64 // s
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
			m.fail(diag.MissingValue, "%s needs td= in seconds, or f= in hertz and nl= in wavelengths", m.e.Name)
			return d
		}
		d.td = lengths / f
	}
	if !(d.td > 0) || d.td > 1e9 {
		m.fail(diag.BadValue, "%s: the delay must be above 0 and at most 1e9 s, not %g", m.e.Name, d.td)
	}
	// ic=v1,i1,v2,i2: the first value is that of the parameter, the others stand behind it.
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
	for k := range d.ports {
		p := &d.ports[k]
		p.p, p.n = s.Node(d.e.Nodes[2*k]), s.Node(d.e.Nodes[2*k+1])
		p.i = s.add(Unknown{Name: d.e.Name + [2]string{"", "#2"}[k], Branch: true, Element: d.e})
	}
	at := s.Pattern.Slot
	for k := range d.ports {
		p, other := &d.ports[k], &d.ports[1-k]
		p.pi, p.ni, p.ip, p.in = at(p.p, p.i), at(p.n, p.i), at(p.i, p.p), at(p.i, p.n)
		p.ii, p.ij, p.jp, p.jn = at(p.i, p.i), at(p.i, other.i), at(p.i, other.p), at(p.i, other.n)
	}
}

// Terminals: each port has the resistance z0; nothing joins the references of the two.
func (d *transmissionLine) Terminals() Terminals {
	return Terminals{Conducts: [][2]int{{d.ports[0].p, d.ports[0].n}, {d.ports[1].p, d.ports[1].n}}}
}

// Load: at DC the waves of now are those of a delay ago.
func (d *transmissionLine) Load(l *Load) {
	for k := range d.ports {
		p := &d.ports[k]
		l.A[p.pi]++
		l.A[p.ni]--
		l.A[p.ip]++
		l.A[p.in]--
		l.A[p.ii] -= d.z0
		if l.A0 == 0 {
			l.A[p.jp]--
			l.A[p.jn]++
			l.A[p.ij] -= d.z0
		}
	}
	d.LoadRHS(l)
}

func (d *transmissionLine) LoadRHS(l *Load) {
	if l.A0 == 0 {
		return
	}
	w := d.waveAt(l.Time - d.td)
	l.B[d.ports[0].i] += w[1]
	l.B[d.ports[1].i] += w[0]
}

func (d *transmissionLine) LoadAC(l *ACLoad) {
	late, z0 := cmplx.Rect(1, -l.Omega*d.td), complex(d.z0, 0)
	for k := range d.ports {
		p := &d.ports[k]
		l.A[p.pi]++
		l.A[p.ni]--
		l.A[p.ip]++
		l.A[p.in]--
		l.A[p.ii] -= z0
		l.A[p.jp] -= late
		l.A[p.jn] += late
		l.A[p.ij] -= late * z0
	}
}

// Update does nothing: the line has no charges, and the past grows with accepted points only.
func (d *transmissionLine) Update(*Load) {}

// Initial clears the past for a run that starts with uic.
func (d *transmissionLine) Initial(*Load) {
	d.history, d.corners, d.initialWaves = d.history[:0], d.corners[:0], d.ic
}

// Delay is that of the line.
func (d *transmissionLine) Delay() float64 { return d.td }

// Begin makes the first point.
func (d *transmissionLine) Begin(l *Load, uic bool) {
	d.history, d.corners = d.history[:0], d.corners[:0]
	w := d.outgoingWaves(l.X)
	if !uic {
		d.initialWaves = w
	}
	d.low, d.high = min(d.initialWaves[0], d.initialWaves[1], w[0], w[1]), max(d.initialWaves[0], d.initialWaves[1], w[0], w[1])
	d.appendPoint(wavePoint{0, w, true})
}

// outgoingWaves are the waves that leave the ports.
func (d *transmissionLine) outgoingWaves(x []float64) (w [2]float64) {
	for k := range d.ports {
		p := &d.ports[k]
		w[k] = x[p.p] - x[p.n] + d.z0*x[p.i]
	}
	return w
}

func (d *transmissionLine) appendPoint(p wavePoint) {
	d.history = append(d.history, p)
	if p.corner {
		d.corners = append(d.corners, p.t)
	}
}

// Accept adds a point. The point before stays a corner when the waves bend there by more than a
// ten thousandth of their range within a delay.
func (d *transmissionLine) Accept(l *Load, t float64, corner bool) {
	w := d.outgoingWaves(l.X)
	for _, v := range w {
		d.low, d.high = min(d.low, v), max(d.high, v)
	}
	n := len(d.history)
	if last := &d.history[n-1]; last.corner && n > 1 && last.t > 0 {
		first, bends := d.history[n-2], false
		for k := range w {
			slope := (w[k]-last.w[k])/(t-last.t) - (last.w[k]-first.w[k])/(last.t-first.t)
			bends = bends || math.Abs(slope)*d.td > 1e-4*(d.high-d.low)
		}
		if !bends {
			last.corner = false
			d.corners = d.corners[:len(d.corners)-1]
		}
	}
	d.appendPoint(wavePoint{t, w, corner})
	// Points older than two delays are not read again.
	if old := d.search(t - 2*d.td); old > 64 && old > len(d.history)/2 {
		d.history = slices.Delete(d.history, 0, old-2)
	}
}

// Rewind removes points and corners.
func (d *transmissionLine) Rewind(t float64) {
	for len(d.history) > 1 && d.history[len(d.history)-1].t > t {
		d.history = d.history[:len(d.history)-1]
	}
	for len(d.corners) > 0 && d.corners[len(d.corners)-1] > t {
		d.corners = d.corners[:len(d.corners)-1]
	}
}

// NextBreak is a delay after a corner.
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

// search is the first point after t [s].
func (d *transmissionLine) search(t float64) int {
	k, _ := slices.BinarySearchFunc(d.history, t, func(p wavePoint, t float64) int {
		if p.t > t {
			return 1
		}
		return -1
	})
	return k
}

// waveAt interpolates the waves at a time of the past: by the polynomial through up to four points,
// none beyond a corner.
func (d *transmissionLine) waveAt(t float64) [2]float64 {
	n := len(d.history)
	if n == 0 || t < d.history[0].t {
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
	for i := range points {
		weight := 1.0
		for j := range points {
			if j != i {
				weight *= (t - points[j].t) / (points[i].t - points[j].t)
			}
		}
		w[0] += weight * points[i].w[0]
		w[1] += weight * points[i].w[1]
	}
	return w
}

// Report gives voltage and current of the first port.
func (d *transmissionLine) Report(l *Load) (string, []Quantity) {
	v, i := l.X[d.ports[0].p]-l.X[d.ports[0].n], l.X[d.ports[0].i]
	return "", []Quantity{{"v", "V", v}, {"i", "A", i}}
}
