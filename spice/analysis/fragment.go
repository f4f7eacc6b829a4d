package analysis

import (
	"math"

	"slipstick/spice/device"
	"slipstick/spice/netlist"
)

// fragment is the smallest circuit that contains the equations of one element. If the element
// changes, two fragments differ in the same way as the two complete circuits, because all other
// terms cancel.
type fragment struct {
	setup   *device.Setup
	devices []device.Device
	changed device.Device
	places  []int // index in the circuit of each unknown of the fragment
	load    device.Load
	ac      device.ACLoad
	x       []complex128
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

// fragment builds the fragment for element e, which replaces the element with index at in the
// circuit. The fragment has the DC state of s. The result is nil if e has other unknowns or states
// than the original element.
func (s *sim) fragment(at int, e *netlist.Element) (*fragment, error) {
	elements := s.job.Circuit.Elements
	members := []int{at}
	if e.Kind == 'l' || e.Kind == 'k' { // an inductance affects the inductors coupled to it
		members = members[:0]
		for k := range elements {
			if elements[k].Kind == 'l' || elements[k].Kind == 'k' {
				members = append(members, k)
			}
		}
	}
	var nodes []string
	seen := map[string]bool{"0": true}
	for _, k := range members {
		for _, n := range elements[k].Nodes {
			if !seen[n] {
				seen[n] = true
				nodes = append(nodes, n)
			}
		}
	}
	f := &fragment{setup: device.NewSetup(nodes)}
	if e.Kind != 'k' {
		for _, name := range e.Refs {
			f.setup.Branch(&netlist.Element{Name: name}) // controlling current of e
		}
	}
	env := s.environment(s.opt.TempC)
	var states []int // index in the circuit of each state of the fragment
	for _, k := range members {
		element := &elements[k]
		if k == at {
			element = e
		}
		d, _, err := device.New(element, device.Times{Step: 1, Stop: 1})
		if err != nil {
			return nil, err
		}
		d.Setup(f.setup)
		f.devices = append(f.devices, d)
		if k == at {
			f.changed = d
		}
		for i := s.states[k]; i < s.states[k+1]; i++ {
			states = append(states, i)
		}
		if f.setup.States != len(states) {
			return nil, nil
		}
	}
	if err := f.setup.Link(f.devices); err != nil {
		return nil, err
	}
	for _, d := range f.devices {
		d.Temperature(env)
	}
	known := s.labels()
	for i, u := range f.setup.Unknowns {
		place, ok := known[label{u.Name, u.Branch, u.Internal}]
		if !ok && i > 0 {
			return nil, nil
		}
		f.places = append(f.places, place)
	}
	f.setup.Pattern.Freeze()
	n, slots := len(f.places), f.setup.Pattern.Slots()
	m := len(states)
	f.load = device.Load{A: make([]float64, slots), B: make([]float64, n), X: make([]float64, n),
		SourceScale: 1, Gmin: s.opt.Gmin, State: make([]float64, m), PrevState: make([]float64, m),
		History: make([]float64, m), RowTol: make([]float64, n)}
	for i, k := range states {
		f.load.State[i] = s.load.State[k]
	}
	f.ac = device.ACLoad{A: make([]complex128, slots), B: make([]complex128, n), X: f.load.X,
		Gmin: s.opt.Gmin}
	f.x = make([]complex128, n)
	f.take(s.x)
	return f, nil
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
		if m, ok := d.(device.LinearPart); ok {
			m.LoadLinear(l)
		}
		d.Load(l)
	}
	n := len(f.places)
	residual := make([]float64, n)
	f.setup.Pattern.Residual(l.A, l.X, l.B, residual, make([]float64, n))
	for i, r := range residual {
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
	return sum
}
