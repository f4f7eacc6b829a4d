// Package device implements the circuit elements: it reads their parameters and computes their
// equations, derivatives, charges and matrix stamps. Most elements have one file each. Transistors
// have separate files for model parameters (_model), equations (_equations, _channel, _level1),
// stamps (_load), bypass (_bypass) and interval bounds (_interval).
//
// The equations follow modified nodal analysis (C. W. Ho, A. E. Ruehli and P. A. Brennan, IEEE
// Trans. CAS-22, 1975). Unknowns are node voltages [V] and branch currents [A] of voltage sources,
// inductors and other elements without a conductance. The row of a node is the sum of the currents
// that leave it. In each Newton iteration a device with current I(v) adds the derivative dI/dv to
// the matrix and dI/dv·v - I(v) to the right-hand side. A·x - b is thus the residual.
//
// Every device implements Device and Topology. The other interfaces are optional:
//
//	interface             implemented by               called
//	BypassDevice          A B D J M Q S W              Bypass: per iteration, before Load
//	TwoTerminalCharges    C D J L M Q                  Capacitances: per accepted step
//	CrossCharge           Q                            CrossCapacitance: per accepted step
//	VariationalDevice     Q                            LoadHistory, VaryCharges: per accepted step
//	EventDevice           S W                          Event, Control: after a step
//	PulseDevice           B                            ValueBetween: before and after a step
//	PoleDevice            B                            Pole: at a solution or divergence
//	LogicDevice           A                            Crossing, Accept: after a step; Settle: DC
//	RHSLoader             C I L O T V                  LoadRHS: instead of Load, same matrix
//	ChargeStorage         C L O T                      Update: per step; Initial: uic
//	DelayDevice           T                            Accept: per accepted step
//	Distributed           B E G O T                    InfinitePoles: .pz
//	WaveformSource        I V                          NextBreak, MaxStep: per step
//	Linker                B F H K S W                  Link: once, after every Setup
//	Swept                 I R V                        SetValue: .dc, .sens, tolerances
//	Conductor             R                            Conductance: current of i(r1), p(r1)
//	SmallSignalInput      I V                          UnitExcitation: .tf, .pz, .noise
//	Noisy                 D J M Q R S W Z              Noise: .noise
//	ScratchDevice         B                            WithScratch: small-signal blocks
//	Reporter              A B D J M O Q R S T V W Z    Report: operating point
//	IntervalModel         C D E F G H I J K L M O Q R S T V W X  LoadInterval: certificates
//	PartialIntervalModel  D M O T                      IntervalUnsupported: certificates
//
// A is a logic device, and B includes E and G with an expression. O is a line without inductance, T
// is a line with inductance, and X is a pin of a subcircuit with m=. Load changes only its argument
// and the tangent and scratch memory of the device.
package device

import (
	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// Device is one element of the circuit.
type Device interface {
	// Setup reserves unknowns, matrix entries and states, and declares series resistances.
	Setup(s *Setup)
	// Temperature computes all quantities that depend on temperature.
	Temperature(e Env)
	// Load adds the stamps of the device to the Newton system. Linear devices are loaded once per
	// time point and may depend only on time, source scale and integration coefficients.
	Load(l *Load)
	// LoadAC adds the stamps of the device to the small-signal system at the bias l.X.
	LoadAC(l *ACLoad)
	// Nonlinear reports whether Load depends on the iterate l.X.
	Nonlinear() bool
	// Element returns the netlist element of the device.
	Element() *netlist.Element
}

// Linker is a device that refers to other devices. Setup.Link calls Link after the Setup of all
// devices. Errors are of type *diag.Error.
type Linker interface {
	Link(s *Setup) error
}

// BypassDevice is a nonlinear device that supports the device bypass of SPICE2. Its last tangent
// replaces an evaluation if the error of the tangent has a small bound.
type BypassDevice interface {
	// Bypass updates the states along the tangent of the last Load to l.X. It returns false if the
	// error of the tangent may exceed l.RowTol; the caller then calls Load.
	Bypass(l *Load) bool
}

// EventDevice is a device whose current is discontinuous when its state changes.
type EventDevice interface {
	// Event reports whether the device changed its state since the last time point. before is the
	// solution at that point. at is the position of the event within the step by linear
	// interpolation, from 0 to 1.
	Event(l *Load, before []float64) (at float64, jumped bool)
	// Control returns the quantity [V or A] that controls the state, for the unknowns x.
	Control(x []float64) float64
}

// Difference is a device whose charge is the difference of two products, whose rounding errors do
// not decrease with the charge.
type Difference interface {
	// Roundoff returns the state of the charge and the larger one of the products [C] at the
	// solution x.
	Roundoff(x []float64) (state int, coulombs float64)
}

// ChargeStorage is a linear device that stores charge or flux, or a group of such devices.
type ChargeStorage interface {
	RHSLoader
	// Load adds the complete device, as Device.Load does.
	Load(l *Load)
	// Update stores the states for the solution l.X.
	Update(l *Load)
	// Initial stores the states at t = 0 of a run without an operating point (uic). It uses ic= of
	// the element or, if absent, the node voltages in l.X.
	Initial(l *Load)
}

// GroupByType groups all capacitors into one ChargeStorage and all inductors into another. It
// returns the other devices ungrouped. Each time step calls the methods of a group directly instead
// of through the interface.
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

// IsConstant reports whether d is a group that GroupByType formed. Its stamps are proportional to
// A0 apart from a constant part, and it has no states other than charges and fluxes.
func IsConstant(d ChargeStorage) bool {
	switch d.(type) {
	case capacitors, inductors:
		return true
	}
	return false
}

// RHSLoader is a linear device that contributes to the right-hand side. LoadRHS adds only this
// contribution, which suffices while the matrix is unchanged.
type RHSLoader interface {
	LoadRHS(l *Load)
}

// Distributed is a device whose small-signal transfer function need not be rational in s.
type Distributed interface {
	// InfinitePoles reports whether the function is not rational; .pz then has no finite list of
	// poles.
	InfinitePoles() bool
}

// WaveformSource is an independent source that can depend on time.
type WaveformSource interface {
	// NextBreak returns the first breakpoint of the waveform after t [s], or +Inf if there is none.
	NextBreak(t float64) float64
	// MaxStep returns the longest time step [s] that resolves the waveform, or +Inf.
	MaxStep() float64
	// At returns the value [V or A] at t [s] in a transient.
	At(t float64) float64
}

// Swept is a device whose principal value .dc, .sens or a tolerance analysis can change.
type Swept interface {
	// Value returns the present value [V, A or ohm].
	Value() float64
	// SetValue replaces the value [V, A or ohm].
	SetValue(v float64)
}

// Conductor is a two-terminal device with a constant conductance.
type Conductor interface {
	// Conductance returns the conductance [S]. ac selects the value for .ac, which can differ.
	Conductance(ac bool) float64
}

// ScratchDevice is a device that changes its own memory when it loads the small-signal equations.
type ScratchDevice interface {
	// WithScratch returns a copy of the device that has its own scratch memory for LoadAC.
	WithScratch() Device
}

// Reporter is a device that contributes to the operating point report.
type Reporter interface {
	// Report returns the region of operation and the main quantities at l.X.
	Report(l *Load) (region string, q []Quantity)
}

// Quantity is a named value of an operating point.
type Quantity struct {
	Name, Unit string
	Value      float64
}

// Terminals describes how a device connects its nodes. The topology check uses it.
type Terminals struct {
	// Conducts lists pairs of nodes connected by a DC path that is not a voltage source.
	Conducts [][2]int
	// Fixes is a pair of nodes whose voltage the device fixes at DC, or nil.
	Fixes *[2]int
	// Injects is a pair of nodes with a current source between them, or nil.
	Injects *[2]int
	// Couples lists pairs of nodes with a capacitance between them.
	Couples [][2]int
	// Stores lists pairs of nodes with a capacitance between them that is never 0.
	Stores [][2]int
}

// Topology returns the connections of a device. Every device implements it.
type Topology interface {
	Terminals() Terminals
}

// Env is the environment on which the device equations depend.
type Env struct {
	Temp   float64 // device temperature [K]
	Tnom   float64 // measurement temperature [K] of the model parameters
	Reltol float64
}

// New creates the device for an element. tran provides the defaults of waveform parameters. The
// returned warnings begin with their line number. Errors are of type *diag.Error.
func New(e *netlist.Element, tran Times) (Device, []string, error) {
	return Renew(nil, e, tran)
}

// Renew creates a device as New does. The device may use the memory of old, which must not be used
// afterwards. old may be nil.
func Renew(old Device, e *netlist.Element, tran Times) (Device, []string, error) {
	m := &cardReader{e: e, tran: tran, old: old}
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
		if e.Model.Type == "vdmos" {
			d = newVDMOS(m)
		} else {
			d = newMosfet(m)
		}
	case 'z':
		d = newMESFET(m)
	case 'o':
		d = newLossyLine(m)
	case 't':
		d = newTransmissionLine(m)
	case 'y':
		d = newDCHold(m)
	case 'x':
		d = newMultiplier(m)
	case 'a':
		if e.Model.Name == "samplehold" {
			d = newSampleHold(m)
		} else {
			d = newLogic(m)
		}
	default:
		m.fail(diag.UnknownElement, "%s is an element of an unsupported kind", e.Name)
	}
	m.checkTemperatures()
	if m.err != nil {
		return nil, nil, m.err
	}
	return d, m.warnings, nil
}

// Times holds the step and stop time [s] of the transient analysis, which are the defaults of
// waveform parameters. Run reports whether a transient analysis is requested.
type Times struct {
	Step, Stop float64
	Run        bool
}

// Unknown describes one unknown of the circuit equations.
type Unknown struct {
	Name       string // name of the node, or of the element for a branch current
	Branch     bool   // the unknown is a current [A], not a voltage [V]
	Internal   bool   // the unknown is an internal node of a device
	ParentNode int    // terminal at the other end of the series resistance of an internal node
	Element    *netlist.Element
}

// Setup allocates unknowns, matrix entries and states.
type Setup struct {
	Pattern  *mna.Pattern
	Unknowns []Unknown // index 0 is ground
	States   int       // length of the state vector
	// Charges holds the indices of the charges [C] and fluxes [Wb] in the state vector. Each is
	// followed by its current [A] or voltage [V].
	Charges []int
	// Series lists the constant series resistances of nonlinear devices. Load and LoadAC do not add
	// them.
	Series []SeriesResistance
	// Fluxes maps the indices of the fluxes in the state vector to their inductances [H].
	Fluxes map[int]float64
	nodes  map[string]int
	// inductors maps names to inductors for K elements.
	inductors map[string]*inductor
}

// NewSetup prepares a circuit with the given external nodes, not including ground.
func NewSetup(nodes []string) *Setup {
	s := &Setup{Pattern: mna.NewPattern(), Unknowns: make([]Unknown, 1, len(nodes)+len(nodes)/4+4),
		nodes: make(map[string]int, len(nodes)+1), inductors: map[string]*inductor{},
		Fluxes: map[int]float64{}}
	s.Unknowns[0].Name, s.nodes["0"] = "0", 0
	s.addNodes(nodes)
	return s
}

func (s *Setup) addNodes(nodes []string) {
	for _, n := range nodes {
		s.nodes[n] = s.add(Unknown{Name: n})
	}
}

// Reset restores the state after NewSetup(nodes) and keeps the memory.
func (s *Setup) Reset(nodes []string) {
	s.Unknowns = s.Unknowns[:1]
	s.Pattern.Reset()
	s.States, s.Charges, s.Series = 0, s.Charges[:0], s.Series[:0]
	clear(s.Fluxes)
	clear(s.inductors)
	clear(s.nodes)
	s.nodes["0"] = 0
	s.addNodes(nodes)
}

func (s *Setup) add(u Unknown) int {
	s.Unknowns = append(s.Unknowns, u)
	return s.Pattern.AddUnknown()
}

// Node returns the index of an external node among the unknowns, which is 0 for ground.
func (s *Setup) Node(name string) int { return s.nodes[name] }

// Internal adds an internal node of the element e and returns its unknown. behind is the node at
// the other end of its series resistance.
func (s *Setup) Internal(e *netlist.Element, suffix string, behind int) int {
	return s.add(Unknown{Name: e.Name + "#" + suffix, Internal: true, ParentNode: behind,
		Element: e})
}

// SeriesResistance is a resistance between a node and an internal node of a nonlinear device. No
// other device is connected to the internal node.
type SeriesResistance struct {
	Outer, Inner int      // unknowns of the node and of the internal node
	Siemens      *float64 // conductance [S] at the temperature of the device
}

// seriesResistance adds an internal node of e behind a series resistance at the node outer and
// returns its unknown. siemens refers to the conductance [S], which a change of temperature
// updates.
func (s *Setup) seriesResistance(e *netlist.Element, suffix string, outer int,
	siemens *float64) int {
	inner := s.Internal(e, suffix, outer)
	reserveResistance(s.Pattern, func() {
		s.Pattern.Slot(outer, inner)
		s.Pattern.Slot(inner, outer)
	})
	s.Series = append(s.Series, SeriesResistance{outer, inner, siemens})
	return inner
}

// Branch adds a branch current as an unknown and returns its index.
func (s *Setup) Branch(e *netlist.Element) int {
	return s.add(Unknown{Name: e.Name, Branch: true, Element: e})
}

// State reserves n states without truncation error control and returns the index of the first.
func (s *Setup) State(n int) int {
	k := s.States
	s.States += n
	return k
}

// Charge reserves a charge [C] and its current [A] with truncation error control. It returns the
// state index of the charge; the current follows it.
func (s *Setup) Charge() int {
	k := s.State(2)
	s.Charges = append(s.Charges, k)
	return k
}

// ChargeAt adds truncation error control to the charge at state k, which State has reserved.
func (s *Setup) ChargeAt(k int) { s.Charges = append(s.Charges, k) }

// Flux reserves the flux [Wb] of an inductance [H] and its voltage [V] with truncation error
// control. It returns the state index of the flux; the voltage follows it.
func (s *Setup) Flux(henries float64) int {
	k := s.Charge()
	s.Fluxes[k] = henries
	return k
}

// Load is the state of one Newton iteration. The fields correspond to those of CKTcircuit in
// SPICE3.
type Load struct {
	A, B, X       []float64 // matrix values, right-hand side, present iterate
	Time          float64   // time [s] of the solution
	Transient     bool      // sources have their value at Time, not their DC value
	SourceScale   float64   // factor on all independent sources; below 1 in source stepping
	Startup       float64   // rise time [s] of all sources from 0 in a transient; 0 for no ramp
	Gmin          float64   // conductance [S] across every junction
	InitJunctions bool      // no iterate exists: start at initial junction voltages (MODEINITJCT)
	LimitsPoles   bool      // expressions may leave out divisions by almost 0, and set Limited
	Limited       bool      // set by a device that linearized at voltages other than X
	NoCharges     bool      // no transient follows, so Load of nonlinear devices may omit charges
	State         []float64 // states of this iteration
	PrevState     []float64 // states of the last accepted time point
	// A0 [1/s] and History give the current of the charge q at state k as A0*q + History[k], where
	// History depends on previous time points. A0 is 0 at DC, where charges carry no current.
	A0      float64
	History []float64
	RowTol  []float64 // largest current error [A] of each row that allows bypass
}

// Charge stores the charge q [C] at state k and its current at state k+1. It returns this current
// [A] and the companion conductance [S] of the capacitance c = dq/dv [F].
func (l *Load) Charge(k int, q, c float64) (i, g float64) {
	l.State[k] = q
	i = l.A0*q + l.history(k)
	l.State[k+1] = i
	return i, l.A0 * c
}

// history returns the part of the current [A] at state k that depends on previous time points.
func (l *Load) history(k int) float64 {
	if l.A0 == 0 {
		return 0
	}
	return l.History[k]
}

// withinRowTol reports whether a current error [A] between the nodes a and b is within the
// tolerance of both rows.
func (l *Load) withinRowTol(deviation float64, a, b int) bool {
	return deviation <= min(l.RowTol[a], l.RowTol[b])
}

// ACLoad is the small-signal system at one frequency.
type ACLoad struct {
	A, B  []complex128
	Omega float64   // angular frequency [rad/s]
	X     []float64 // operating point
	Gmin  float64   // conductance [S] across every junction
}

// pair holds the four matrix entries of an admittance between two nodes.
type pair struct{ aa, ab, ba, bb mna.Slot }

func newPair(p *mna.Pattern, a, b int) pair {
	return pair{p.Slot(a, a), p.Slot(a, b), p.Slot(b, a), p.Slot(b, b)}
}

// reserveResistance calls reserve, which reserves the entries of a parasitic resistance of a
// nonlinear device, at the rate Constant too. This rate tells mna.Pattern.FindCoupled their rows.
// The entries keep the rate of the device, because that order of elimination is faster.
func reserveResistance(p *mna.Pattern, reserve func()) {
	rate := p.ChangeRate
	p.ChangeRate = mna.Constant
	reserve()
	p.ChangeRate = rate
	reserve()
}

func (p *pair) add(m []float64, g float64) {
	if p.ab == 0 { // one terminal is ground
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
