package analysis

import (
	"math"
	"slices"

	"slipstick/spice/device"
	"slipstick/spice/netlist"
)

// fragment is the smallest circuit that contains the equations of one element. If the element
// changes, two fragments differ in the same way as the two complete circuits, because all other
// terms cancel.
type fragment struct {
	at      int      // index of the element in the circuit
	members []int    // indices in the circuit of the elements in the fragment
	nodes   []string // nodes of the members
	setup   *device.Setup
	devices []device.Device
	changed device.Device
	labels  []label // labels of the unknowns
	places  []int   // index in the circuit of each unknown
	states  []int   // index in the circuit of each state
	load    device.Load
	ac      device.ACLoad
	x       []complex128
	f       []float64

	// element is the changed element with its own model, parameters and arguments.
	element netlist.Element
	model   netlist.Model
	params  []netlist.Param
	args    []netlist.Arg
}

// label identifies an unknown both in the circuit and in its fragments.
type label struct {
	name           string
	branch, hidden bool
}

// labels returns the index of each unknown of the circuit by its label.
func (s *sim) labels() map[label]int {
	if s.unknowns == nil {
		s.unknowns = map[label]int{}
		for i, u := range s.setup.Unknowns {
			s.unknowns[label{u.Name, u.Branch, u.Internal}] = i
		}
	}
	return s.unknowns
}

// prepare selects the members and the nodes of the fragment for the element with index at in the
// circuit. If the fragment has been prepared for this element, it only resets the setup.
func (f *fragment) prepare(at int, elements []netlist.Element) {
	if f.setup != nil && f.at == at {
		f.setup.Reset(f.nodes)
		return
	}
	f.at, f.members, f.nodes = at, append(f.members[:0], at), f.nodes[:0]
	if kind := elements[at].Kind; kind == 'l' || kind == 'k' {
		// An inductance affects the inductors coupled to it.
		f.members = f.members[:0]
		for k := range elements {
			if elements[k].Kind == 'l' || elements[k].Kind == 'k' {
				f.members = append(f.members, k)
			}
		}
	}
	for _, k := range f.members {
		for _, n := range elements[k].Nodes {
			if n != "0" && !slices.Contains(f.nodes, n) {
				f.nodes = append(f.nodes, n)
			}
		}
	}
	if f.setup == nil {
		f.setup = device.NewSetup(f.nodes)
	} else {
		f.setup.Reset(f.nodes)
	}
	f.labels, f.places = f.labels[:0], f.places[:0]
}

// build makes f the fragment for the element f.element, which replaces the element with index at in
// the circuit. The fragment has the DC state of s. valid is false if the element has other unknowns
// or states than the original one.
func (f *fragment) build(s *sim, at int) (valid bool, err error) {
	elements := s.job.Circuit.Elements
	f.prepare(at, elements)
	e := &f.element
	if e.Kind != 'k' {
		for _, name := range e.Refs {
			f.setup.Branch(&netlist.Element{Name: name}) // controlling current of e
		}
	}
	f.devices, f.states = f.devices[:0], f.states[:0]
	for _, k := range f.members {
		element := &elements[k]
		if k == at {
			element = e
		}
		var old device.Device
		if k == at {
			old = f.changed
		}
		d, _, err := device.Renew(old, element, device.Times{Step: 1, Stop: 1})
		if err != nil {
			return false, err
		}
		d.Setup(f.setup)
		f.devices = append(f.devices, d)
		if k == at {
			f.changed = d
		}
		for i := s.states[k]; i < s.states[k+1]; i++ {
			f.states = append(f.states, i)
		}
		if f.setup.States != len(f.states) {
			return false, nil
		}
	}
	if err := f.setup.Link(f.devices); err != nil {
		return false, err
	}
	env := s.environment(s.opt.TempC)
	for _, d := range f.devices {
		d.Temperature(env.Of(d.Element()))
	}
	if !f.locate(s) {
		return false, nil
	}
	n, slots, m := len(f.places), f.setup.Pattern.Slots(), len(f.states)
	l := &f.load
	f.load = device.Load{A: cleared(l.A, slots), B: cleared(l.B, n), X: cleared(l.X, n),
		SourceScale: 1, Gmin: s.opt.Gmin, NoCharges: true, State: cleared(l.State, m),
		PrevState: cleared(l.PrevState, m), History: cleared(l.History, m),
		RowTol: cleared(l.RowTol, n)}
	for i, k := range f.states {
		f.load.State[i] = s.load.State[k]
	}
	for _, d := range f.devices {
		if g, ok := d.(device.LogicDevice); ok {
			g.Recall(f.load.State)
		}
	}
	f.ac = device.ACLoad{A: cleared(f.ac.A, slots), B: cleared(f.ac.B, n), X: f.load.X,
		Gmin: s.opt.Gmin}
	f.x, f.f = cleared(f.x, n), cleared(f.f, n)
	f.take(s.x)
	return true, nil
}

// locate finds the unknowns of the fragment in the circuit. It reports whether all of them exist.
func (f *fragment) locate(s *sim) bool {
	unknowns := f.setup.Unknowns
	for i, u := range unknowns {
		l := label{u.Name, u.Branch, u.Internal}
		if i < len(f.labels) {
			if f.labels[i] == l {
				continue
			}
			f.labels, f.places = f.labels[:i], f.places[:i]
		}
		place, ok := s.labels()[l]
		if !ok && i > 0 {
			return false
		}
		f.labels, f.places = append(f.labels, l), append(f.places, place)
	}
	f.labels, f.places = f.labels[:len(unknowns)], f.places[:len(unknowns)]
	return true
}

// cleared returns a slice of n zeros, which uses the memory of old if that is large enough.
func cleared[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// take copies the values [V or A] of the fragment's unknowns from a solution x of the circuit.
func (f *fragment) take(x []float64) {
	for i, k := range f.places {
		f.load.X[i] = x[k]
	}
	f.load.X[0] = 0
}

// addResidual adds the DC residual of the fragment, multiplied by factor, to the rows of the
// circuit.
func (f *fragment) addResidual(rows []float64, factor float64) {
	l := &f.load
	clear(l.A)
	clear(l.B)
	for _, d := range f.devices {
		d.Load(l)
	}
	clear(f.f)
	f.setup.Pattern.Product(l.A, l.X, l.B, f.f)
	for _, r := range f.setup.Series {
		i := *r.Siemens * (l.X[r.Outer] - l.X[r.Inner]) // the products would hide a small current
		f.f[r.Outer] += i
		f.f[r.Inner] -= i
	}
	for i, r := range f.f {
		rows[f.places[i]] += factor * r
	}
}

// difference returns ψ·((Y₂ - Y₁)·x - (b₂ - b₁)) at the frequency hz [Hz]. The small-signal
// equations are Y₁·x = b₁ for f and Y₂·x = b₂ for second.
func (f *fragment) difference(second *fragment, psi, x []complex128, hz float64) (sum complex128) {
	for _, t := range [...]*fragment{f, second} {
		l := &t.ac
		clear(l.A)
		clear(l.B)
		l.Omega = 2 * math.Pi * hz
		for _, d := range t.devices {
			d.LoadAC(l)
		}
	}
	for i, k := range f.places {
		f.x[i] = x[k]
	}
	for i, y := range f.setup.Pattern.Difference(second.ac.A, f.ac.A, f.x) {
		sum += psi[f.places[i]] * (y - second.ac.B[i] + f.ac.B[i])
	}
	for k, r := range f.setup.Series {
		change := complex(*second.setup.Series[k].Siemens-*r.Siemens, 0)
		sum += (psi[f.places[r.Outer]] - psi[f.places[r.Inner]]) * change *
			(f.x[r.Outer] - f.x[r.Inner])
	}
	return sum
}
