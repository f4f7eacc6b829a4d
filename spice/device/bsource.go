package device

import (
	"math"
	"slices"

	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// PoleDevice is a device whose value is infinite where a denominator is 0.
type PoleDevice interface {
	Device
	// HasPoles reports whether the expression has a denominator or a power that can be 0.
	HasPoles() bool
	// Pole returns the text of a denominator that is 0 at l.X and makes the value infinite, or "".
	Pole(l *Load) string
}

// bsource is a source whose voltage or current is an expression of voltages, currents, time and
// temperature. It implements B with V= or I=, and E and G with value= or poly(). The derivatives
// are computed automatically from the expression.
type bsource struct {
	e       *netlist.Element
	law     *netlist.BSource
	p, n, i int // unknowns; i is the branch current, or 0 for a current source
	celsius float64

	work      *netlist.EvalStack
	x         []float64 // values of the variables
	slopes    []float64 // derivatives of the last tangent, by index of the variable
	intercept float64   // value of the last tangent if all variables are 0
	control   [][2]int  // unknowns whose difference is the variable; {0, 0} for other variables

	pi, ni, ip, in mna.Slot
	slots          [][4]mna.Slot // entries of each variable in the rows that rows returns
}

func newBSource(e *netlist.Element) Device {
	n := len(e.BSource.Variables)
	return &bsource{e: e, law: e.BSource, work: e.BSource.Program.NewStack(n),
		x: make([]float64, n), slopes: make([]float64, n)}
}

func (d *bsource) Element() *netlist.Element { return d.e }
func (d *bsource) Nonlinear() bool           { return true }
func (d *bsource) Temperature(e Env)         { d.celsius = e.Temp - Zero }

func (d *bsource) Setup(s *Setup) {
	d.p, d.n = s.Node(d.e.Nodes[0]), s.Node(d.e.Nodes[1])
	if d.law.Output == 'v' {
		d.i = s.Branch(d.e)
		p := s.Pattern
		d.pi, d.ni, d.ip, d.in = p.Slot(d.p, d.i), p.Slot(d.n, d.i), p.Slot(d.i, d.p),
			p.Slot(d.i, d.n)
	}
}

// Link finds the unknowns of the variables and reserves their matrix entries.
func (d *bsource) Link(s *Setup) error {
	for _, v := range d.law.Variables {
		var c [2]int
		switch v.Kind {
		case 'v':
			c = [2]int{s.Node(v.Plus), s.Node(v.Minus)}
		case 'i':
			i, err := s.current(d.e, v.Plus)
			if err != nil {
				return err
			}
			c[0] = i
		}
		d.control = append(d.control, c)
		p, n := d.rows()
		at := s.Pattern.Slot
		d.slots = append(d.slots, [4]mna.Slot{at(p, c[0]), at(p, c[1]), at(n, c[0]), at(n, c[1])})
	}
	return nil
}

// rows returns the matrix rows with the terms +f and -f of the value f. A voltage source has only
// the term -f, in its branch row v(p) - v(n) - f = 0.
func (d *bsource) rows() (p, n int) {
	if d.i != 0 {
		return 0, d.i
	}
	return d.p, d.n
}

func (d *bsource) Terminals() Terminals {
	if d.i != 0 {
		return Terminals{Fixes: &[2]int{d.p, d.n}}
	}
	// A current that depends on the voltage across it acts as a conductance.
	for _, c := range d.control {
		if c == [2]int{d.p, d.n} || c == [2]int{d.n, d.p} {
			return Terminals{Conducts: [][2]int{{d.p, d.n}}}
		}
	}
	return Terminals{Injects: &[2]int{d.p, d.n}}
}

// value evaluates the expression at the unknowns x, time [s] and frequency [Hz]. It returns the
// value and its derivatives with respect to the variables.
func (d *bsource) value(x []float64, time, hertz float64) (float64, []float64) {
	d.setVariables(x, time, hertz)
	return d.law.Program.Value(d.work, d.x)
}

// loadTime returns the time [s] of an expression, which is 0 in analyses without time.
func loadTime(l *Load) float64 {
	if l.Transient {
		return l.Time
	}
	return 0
}

// loadedValue evaluates the expression for Load. It sets l.Limited if it left out a pole.
func (d *bsource) loadedValue(l *Load) (float64, []float64) {
	if !l.LimitsPoles {
		return d.value(l.X, loadTime(l), 0)
	}
	d.setVariables(l.X, loadTime(l), 0)
	f, slopes, limited := d.law.Program.ValueOffPole(d.work, d.x)
	l.Limited = l.Limited || limited
	return f, slopes
}

// setVariables sets the variables of the expression from the unknowns x, the time [s] and the
// frequency [Hz].
func (d *bsource) setVariables(x []float64, time, hertz float64) {
	for k, v := range d.law.Variables {
		switch v.Kind {
		case 't':
			d.x[k] = time
		case 'f':
			d.x[k] = hertz
		case 'k':
			d.x[k] = d.celsius
		default:
			d.x[k] = x[d.control[k][0]] - x[d.control[k][1]]
		}
	}
}

func (d *bsource) Load(l *Load) {
	if d.i != 0 {
		l.A[d.pi]++
		l.A[d.ni]--
		l.A[d.ip]++
		l.A[d.in]--
	}
	f, slopes := d.loadedValue(l)
	f *= l.SourceScale
	p, n := d.rows()
	for k, g := range slopes {
		d.slopes[k] = 0
		if g *= l.SourceScale; g == 0 || math.IsNaN(g) || math.IsInf(g, 0) ||
			d.control[k] == [2]int{} {
			continue
		}
		s := &d.slots[k]
		l.A[s[0]] += g
		l.A[s[1]] -= g
		l.A[s[2]] -= g
		l.A[s[3]] += g
		f -= g * d.x[k]
		d.slopes[k] = g
	}
	d.intercept = f
	l.B[p] -= f
	l.B[n] += f
}

// Bypass evaluates the expression at l.X and reports whether the tangent is within the tolerance of
// the value.
func (d *bsource) Bypass(l *Load) bool {
	f, _ := d.value(l.X, loadTime(l), 0)
	tangentError := f*l.SourceScale - d.intercept
	for k, g := range d.slopes {
		tangentError -= g * d.x[k]
	}
	p, n := d.rows()
	return l.withinRowTol(math.Abs(tangentError), p, n)
}

// HasPoles implements PoleDevice.
func (d *bsource) HasPoles() bool { return d.law.Program.Divides() }

// Pole implements PoleDevice.
func (d *bsource) Pole(l *Load) string {
	d.setVariables(l.X, loadTime(l), 0)
	return d.law.Program.Pole(d.work, d.x)
}

// WithScratch returns a copy with its own variables and stack.
func (d *bsource) WithScratch() Device {
	c := *d
	c.x, c.work = slices.Clone(d.x), d.law.Program.NewStack(len(d.x))
	return &c
}

// InfinitePoles reports whether the expression uses the frequency.
func (d *bsource) InfinitePoles() bool {
	return slices.ContainsFunc(d.law.Variables, func(v netlist.Variable) bool {
		return v.Kind == 'f'
	})
}

func (d *bsource) LoadAC(l *ACLoad) {
	if d.i != 0 {
		l.A[d.pi]++
		l.A[d.ni]--
		l.A[d.ip]++
		l.A[d.in]--
	}
	_, slopes := d.value(l.X, 0, l.Omega/(2*math.Pi))
	for k, g := range slopes {
		if g == 0 || math.IsNaN(g) || math.IsInf(g, 0) || d.control[k] == [2]int{} {
			continue
		}
		s := &d.slots[k]
		y := complex(g, 0)
		l.A[s[0]] += y
		l.A[s[1]] -= y
		l.A[s[2]] -= y
		l.A[s[3]] += y
	}
}

// Report returns the voltage, the current from the first node to the second, and the power.
func (d *bsource) Report(l *Load) (string, []Quantity) {
	f, _ := d.value(l.X, 0, 0)
	v := l.X[d.p] - l.X[d.n]
	i := f
	if d.i != 0 {
		i = l.X[d.i]
	}
	return "", []Quantity{{"v", "V", v}, {"i", "A", i}, {"power_w", "W", v * i}}
}
