// Package device holds the circuit elements, one file each: how an element is read, what
// it adds to the equations, its derivatives and its charges.
//
// The equations are those of modified nodal analysis. Unknowns are node voltages [V] and
// the currents [A] of branches that need one (voltage sources, inductors). The row of a
// node sums the currents that leave it. In each Newton iteration a device adds, for every
// current I(v) it draws, the slopes dI/dv to the matrix and the remainder slope*v - I(v)
// to the right-hand side, so that A*x - b is the residual at x.
package device

import (
	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// Device is one element of the circuit.
type Device interface {
	// Setup reserves unknowns, matrix entries and states.
	Setup(s *Setup)
	// Temperature computes everything that depends on temperature.
	Temperature(e Env)
	// Load adds the device to the Newton system. Linear devices are loaded once per
	// time point and must depend on nothing but time, scale and integration.
	Load(l *Load)
	// LoadAC adds the device to the small-signal system at the bias l.X.
	LoadAC(l *ACLoad)
	// Nonlinear tells whether Load depends on the present guess.
	Nonlinear() bool
	// Element is the description the device was made from.
	Element() *netlist.Element
}

// Linker is a device that depends on others. Setup.Link calls it when all are set up; its
// errors are *diag.Error.
type Linker interface {
	Link(s *Setup) error
}

// LinearPart is a nonlinear device with a linear part: Load leaves out what LoadLinear adds,
// which depends on nothing but temperature and Gmin.
type LinearPart interface {
	LoadLinear(l *Load)
}

// BypassDevice is a nonlinear device that can tell how good its last tangent is.
type BypassDevice interface {
	// Bypass moves the states along the tangent of the last Load to l.X. It gives false when
	// the tangent misses more there than l.Tol allows; Load must then be called again.
	Bypass(l *Load) bool
}

// EventDevice is a device whose current jumps when it changes its state.
type EventDevice interface {
	// Event tells whether the device has changed its state since the last time point, whose
	// solution is before, and by a straight line at which part of the step, from 0 to 1.
	Event(l *Load, before []float64) (at float64, jumped bool)
}

// ChargeStorage is a linear device that stores charge or flux, or a group of such devices.
type ChargeStorage interface {
	RHSLoader
	// Load adds all of the device, as Device says.
	Load(l *Load)
	// Update writes the states at the solution l.X.
	Update(l *Load)
	// Initial writes the states of t = 0 when no operating point is computed: the ic=
	// value of the element, or what the node voltages in l.X say.
	Initial(l *Load)
}

// GroupByType joins the devices of each kind, so that every step goes through them without the
// call of an interface for each.
func GroupByType(devices []ChargeStorage) (groups []ChargeStorage) {
	var c capacitors
	var i inductors
	for _, d := range devices {
		switch d := d.(type) {
		case *capacitor:
			c = append(c, d)
		case *inductor:
			i = append(i, d)
		default:
			groups = append(groups, d)
		}
	}
	if c != nil {
		groups = append(groups, c)
	}
	if i != nil {
		groups = append(groups, i)
	}
	return groups
}

// RHSLoader is a linear device with a part in the right-hand side. LoadRHS adds that part
// alone, as Load does: it is enough while the step and all values stay the same.
type RHSLoader interface {
	LoadRHS(l *Load)
}

// WaveformSource is a source whose value depends on time.
type WaveformSource interface {
	// NextBreak is the first corner of the waveform after t, or +Inf.
	NextBreak(t float64) float64
	// MaxStep is the longest time step that still draws the waveform, or +Inf.
	MaxStep() float64
}

// Swept is a device whose principal value .dc can change.
type Swept interface {
	// Value is the present value: V, A or ohm.
	Value() float64
	// SetValue replaces it.
	SetValue(v float64)
}

// Conductor is a device of two terminals whose current is its voltage times a conductance.
type Conductor interface {
	// Conductance is the present one, S; in .ac it may be another.
	Conductance(ac bool) float64
}

// Reporter is a device that tells about its operating point.
type Reporter interface {
	// Report gives the region and key quantities at l.X.
	Report(l *Load) (region string, q []Quantity)
}

// Quantity is one number of an operating point.
type Quantity struct {
	Name, UnitExcitation string
	Value                float64
}

// Terminals says how a device ties nodes together, for the checks of the topology.
type Terminals struct {
	// Conducts lists pairs of nodes with a DC path between them that is not a voltage.
	Conducts [][2]int
	// Fixes is a pair whose voltage the device dictates at DC; nil: none.
	Fixes *[2]int
	// Injects is a pair between which the device forces a current; nil: none.
	Injects *[2]int
	// Couples lists pairs joined by a capacitance.
	Couples [][2]int
	// Stores lists pairs joined by a capacitance that is never 0.
	Stores [][2]int
}

// Topology is implemented by every device.
type Topology interface {
	Terminals() Terminals
}

// Env is what the physics of a device depends on.
type Env struct {
	Temp   float64 // device temperature, K
	Tnom   float64 // temperature the model parameters were taken at, K
	Reltol float64
}

// New makes the device for an element. tran gives the times that waveforms take their
// defaults from. Warnings carry their line number.
func New(e *netlist.Element, tran Times) (Device, []string, error) {
	m := &cardReader{e: e, tran: tran}
	var d Device
	if e.BSource != nil {
		return newBSource(e), nil, nil
	}
	switch e.Kind {
	case 'r':
		d = newResistor(m)
	case 'c':
		d = newCapacitor(m)
	case 'l':
		d = newInductor(m)
	case 'v':
		d = newVoltageSource(m)
	case 'i':
		d = newCurrentSource(m)
	case 'e':
		d = newVCVS(m)
	case 'g':
		d = newVCCS(m)
	case 'f':
		d = newCCCS(m)
	case 'h':
		d = newCCVS(m)
	case 'k':
		d = newCoupling(m)
	case 's', 'w':
		d = newSwitch(m)
	case 'd':
		d = newDiode(m)
	case 'q':
		d = newBipolar(m)
	case 'j':
		d = newJFET(m)
	case 'm':
		d = newMosfet(m)
	case 't':
		d = newTransmissionLine(m)
	case 'x':
		d = newMultiplier(m)
	default:
		m.fail(diag.UnknownElement, "%s is an element kind that is not supported", e.Name)
	}
	if m.err != nil {
		return nil, nil, m.err
	}
	return d, m.warnings, nil
}

// Times are the step and stop of the transient analysis, s; waveforms use them as defaults.
// Without Run they stand in for an analysis that is not run.
type Times struct {
	Step, Stop float64
	Run        bool
}

// Unknown describes one row of the equations.
type Unknown struct {
	Name       string // node name, or element name of a branch
	Branch     bool   // a current, A; otherwise a voltage, V
	Internal   bool   // internal to a device
	ParentNode int    // of a hidden one: the node that a resistance ties it to
	Element    *netlist.Element
}

// Setup hands out unknowns, matrix entries and states.
type Setup struct {
	Pattern  *mna.Pattern
	Unknowns []Unknown // index 0 is ground
	States   int       // length of the state vector
	Charges  []int     // states that hold a charge [C] or flux [Wb]; the state after each holds its current [A] or voltage [V]
	Fluxes   int       // how many of them are fluxes
	nodes    map[string]int
	// inductors by name, for those that K couples.
	inductors map[string]*inductor
}

// NewSetup starts a circuit with the given external nodes, ground excluded.
func NewSetup(nodes []string) *Setup {
	s := &Setup{Pattern: mna.NewPattern(), Unknowns: []Unknown{{Name: "0"}}, nodes: map[string]int{"0": 0}, inductors: map[string]*inductor{}}
	for _, n := range nodes {
		s.nodes[n] = s.add(Unknown{Name: n})
	}
	return s
}

func (s *Setup) add(u Unknown) int {
	s.Unknowns = append(s.Unknowns, u)
	return s.Pattern.AddUnknown()
}

// Node gives the unknown of an external node, 0 for ground.
func (s *Setup) Node(name string) int { return s.nodes[name] }

// Internal adds a node inside a device, behind a resistance from the given node.
func (s *Setup) Internal(e *netlist.Element, suffix string, behind int) int {
	return s.add(Unknown{Name: e.Name + "#" + suffix, Internal: true, ParentNode: behind, Element: e})
}

// Branch adds a branch current.
func (s *Setup) Branch(e *netlist.Element) int {
	return s.add(Unknown{Name: e.Name, Branch: true, Element: e})
}

// State reserves n plain states.
func (s *Setup) State(n int) int {
	k := s.States
	s.States += n
	return k
}

// Charge reserves a charge and its current under error control.
func (s *Setup) Charge() int {
	k := s.State(2)
	s.Charges = append(s.Charges, k)
	return k
}

// Flux reserves a flux and its voltage under error control.
func (s *Setup) Flux() int {
	s.Fluxes++
	return s.Charge()
}

// Load is one Newton iteration.
type Load struct {
	A, B, X       []float64 // values, right-hand side, present guess
	Time          float64   // s
	Transient     bool      // sources follow their waveform at Time; otherwise their DC value
	SourceScale   float64   // factor on all independent sources, 1 but for source stepping
	Startup       float64   // time in which they rise from 0 while Wave is set, s; 0: at once
	Gmin          float64   // conductance across every junction, S
	InitJunctions bool      // there is no guess yet: junctions start at their critical voltage
	Limited       bool      // set by a device that linearised somewhere else than at X
	State         []float64 // states of this iteration
	PrevState     []float64 // states of the last accepted time point
	// The current of the charge at state k is A0*q + History[k], the second part from the
	// past; A0 is 0 at DC, where charges carry no current.
	A0      float64
	History []float64
	RowTol  []float64 // what may be missed of the current of a row, for Follower
}

// Charge stores charge q at state k and gives its current with the slope for
// capacitance c = dq/dv.
func (l *Load) Charge(k int, q, c float64) (i, g float64) {
	l.State[k] = q
	i = l.A0*q + l.history(k)
	l.State[k+1] = i
	return i, l.A0 * c
}

// history is the part of a charge's current that the past decides.
func (l *Load) history(k int) float64 {
	if l.A0 == 0 {
		return 0
	}
	return l.History[k]
}

// withinRowTol tells whether the tangents may miss a current between two nodes.
func (l *Load) withinRowTol(deviation float64, a, b int) bool {
	return deviation <= min(l.RowTol[a], l.RowTol[b])
}

// ACLoad is the small-signal system at one frequency.
type ACLoad struct {
	A, B  []complex128
	Omega float64   // rad/s
	X     []float64 // operating point
	Gmin  float64
}

// pair are the four entries of an admittance between two nodes.
type pair struct{ aa, ab, ba, bb mna.Slot }

func newPair(p *mna.Pattern, a, b int) pair {
	return pair{p.Slot(a, a), p.Slot(a, b), p.Slot(b, a), p.Slot(b, b)}
}

func (p *pair) add(m []float64, g float64) {
	if p.ab == 0 { // ground at one end
		m[p.aa|p.bb] += g
		return
	}
	m[p.aa] += g
	m[p.ab] -= g
	m[p.ba] -= g
	m[p.bb] += g
}

func (p *pair) addAC(m []complex128, y complex128) {
	m[p.aa] += y
	m[p.ab] -= y
	m[p.ba] -= y
	m[p.bb] += y
}
