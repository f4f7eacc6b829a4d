package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/mna"
)

// sim is the state of a circuit during an analysis.
type sim struct {
	ctx      context.Context
	job      Job
	opt      Options
	total    Budget // budget of all analyses; job.Budget is the part left for this one
	needed   Usage  // smallest remaining budget that yields the same output
	deadline time.Time
	warnings []string
	// hasResidualWarning is set after a warning of warnOfResidual.
	hasResidualWarning bool
	point              []sweptValue // present point of .dc; nil in other analyses
	stats              Statistics
	// discarded is the number of Newton iterations of the runs that ended early before the first
	// complete run of a transient.
	discarded int

	devices         []device.Device
	constantDevices []device.Device // linear devices that do not depend on the time step
	nonlinear       []device.Device
	series          seriesResistances
	// all nonlinear devices; empty if one of them does not support bypass
	bypassDevices []device.BypassDevice
	eventDevices  []device.EventDevice
	logic         []device.LogicDevice
	poles         []device.PoleDevice // devices whose expressions contain a division
	// discontinuous is set if a nonlinear device has charges but does not implement
	// TwoTerminalCharges. It is also set if the expression of a B source is not smooth, or beside a
	// logic device.
	discontinuous bool
	rhsLoaders    []device.RHSLoader     // subset of constantDevices
	storage       []device.ChargeStorage // linear devices that depend on the time step
	timed         []device.WaveformSource
	delayed       []device.DelayDevice
	setup         *device.Setup
	n             int // number of unknowns without ground
	// index of the first state of each device; the last entry is the number of states
	states       []int
	unknowns     map[label]int // result of the method labels; nil before its first call
	branch       []bool        // set if the unknown is a current
	kind         []uint8       // kind of each unknown: voltage or current
	currentNodes [][]int       // nodes that each branch current enters or leaves
	nodeDiag     []mna.Slot

	lu               *mna.RealLU
	load             device.Load
	a, b             []float64 // matrix and right-hand side of the present iteration
	linearA, linearB []float64 // parts of a and b that are constant during an iteration
	constantA        []float64 // part of linearA that is independent of the time step
	x, f, scale, dx  []float64 // solution, residual, largest magnitude of its terms, correction
	coupled          []int     // rows whose currents limit bypass
	currents         []float64 // largest currents [A] of these rows
	linearized       bool      // a, b and f belong to x, and f is within tolerance
	factored         bool      // lu holds the factors of the linear circuit for keys.lu
	trusted          bool      // one solution with these factors was exact to roundoff
	keys             struct {
		linear   cacheKey // key of linearA
		constant cacheKey // key of constantA
		factored cacheKey // key of the linear part of the matrix in lu
		lu       cacheKey // key of the factors of a linear circuit in lu
	}
	epoch int // number of changes of device values
	// beforeRefining and lastPoint hold the memory of snapshots in refineSolution and sweepPoint.
	beforeRefining, lastPoint snapshot

	diagG         float64 // conductance [S] from every node to its voltage in diagRef
	diagRef       []float64
	icConstraints []nodeValue
	gminShunts    []int // nodes with shuntConductance to ground at DC
	acShunts      []int // subset of gminShunts that remains in .ac and .tran
}

// Kinds of unknowns.
const (
	voltage uint8 = iota
	current
)

// nodeValue is the voltage [V] that .ic or .nodeset assigns to a node.
type nodeValue struct {
	node  int
	value float64
}

const (
	shuntConductance = 1e-12 // conductance [S] from floating subcircuits to ground
	icConductance    = 1e9   // conductance [S] that holds the nodes of .ic and .nodeset
)

var (
	errDiverged = errors.New("the iteration did not converge")
	errBudget   = errors.New("the budget is exhausted")
)

func newSim(ctx context.Context, job Job) (*sim, error) {
	s := &sim{ctx: ctx, job: job, opt: job.Options, total: job.Budget}
	s.keys.linear.epoch = -1
	s.job.Budget = job.Budget.less(job.Used)
	s.deadline = time.Now().Add(s.job.Budget.Wall)
	s.stats.ConvergenceAid = "none"
	times := device.Times{Step: 1, Stop: 1}
	if a := job.Analysis; a.Kind == "tran" {
		times = device.Times{Step: a.Step, Stop: a.Stop, Run: true}
	}
	s.setup = device.NewSetup(job.Circuit.Nodes)
	n := len(job.Circuit.Elements)
	s.devices = make([]device.Device, 0, n)
	s.constantDevices = make([]device.Device, 0, n)
	s.states = make([]int, 0, n+1)
	if err := s.addDevices(times); err != nil {
		return nil, err
	}
	s.setup.Pattern.ChangeRate = mna.PerIteration
	s.states = append(s.states, s.setup.States)
	if err := s.setup.Link(s.devices); err != nil {
		return nil, err
	}
	s.storage = device.GroupByType(s.storage)
	if len(s.bypassDevices) < len(s.nonlinear) {
		s.bypassDevices = nil
	}
	if err := s.checkTopology(); err != nil {
		return nil, err
	}
	s.allocate()
	s.temperature(s.opt.TempC)
	return s, nil
}

// addDevices creates and sets up the devices of the circuit.
func (s *sim) addDevices(times device.Times) error {
	var errs []*diag.Error
	for i := range s.job.Circuit.Elements {
		d, warnings, err := device.New(&s.job.Circuit.Elements[i], times)
		if fault, ok := errors.AsType[*diag.Error](err); ok {
			errs = append(errs, fault)
			continue
		}
		for _, w := range warnings {
			s.warn(w)
		}
		s.addDevice(d)
	}
	if first := diag.Join(errs); first != nil {
		return first
	}
	return nil
}

// addDevice sets up a device and classifies it by its optional interfaces.
func (s *sim) addDevice(d device.Device) {
	s.setup.Pattern.ChangeRate = changeRateOf(d)
	s.states = append(s.states, s.setup.States)
	charges := len(s.setup.Charges)
	d.Setup(s.setup)
	s.devices = append(s.devices, d)
	if d.Nonlinear() {
		if _, ok := d.(device.TwoTerminalCharges); !ok && len(s.setup.Charges) > charges {
			s.discontinuous = true
		}
		if b := d.Element().BSource; b != nil && !b.Program.Smooth() {
			s.discontinuous = true
		}
		s.nonlinear = append(s.nonlinear, d)
		if f, ok := d.(device.BypassDevice); ok {
			s.bypassDevices = append(s.bypassDevices, f)
		}
	} else {
		s.addLinear(d)
	}
	if j, ok := d.(device.EventDevice); ok {
		s.eventDevices = append(s.eventDevices, j)
	}
	if g, ok := d.(device.LogicDevice); ok {
		s.logic = append(s.logic, g)
		s.discontinuous = true
	}
	if p, ok := d.(device.PoleDevice); ok && p.HasPoles() {
		s.poles = append(s.poles, p)
	}
	if t, ok := d.(device.WaveformSource); ok {
		s.timed = append(s.timed, t)
	}
	if t, ok := d.(device.DelayDevice); ok {
		s.delayed = append(s.delayed, t)
	}
}

func (s *sim) addLinear(d device.Device) {
	if st, ok := d.(device.ChargeStorage); ok {
		s.storage = append(s.storage, st)
		return
	}
	s.constantDevices = append(s.constantDevices, d)
	if r, ok := d.(device.RHSLoader); ok {
		s.rhsLoaders = append(s.rhsLoaders, r)
	}
}

// changeRateOf returns how often a device changes its matrix entries.
func changeRateOf(d device.Device) mna.ChangeRate {
	if d.Nonlinear() {
		return mna.PerIteration
	}
	if _, ok := d.(device.ChargeStorage); ok {
		return mna.PerStep
	}
	return mna.Constant
}

func (s *sim) allocate() {
	p := s.setup.Pattern
	p.ChangeRate = mna.Constant
	s.n = p.N()
	s.branch, s.kind = make([]bool, s.n+1), make([]uint8, s.n+1)
	s.nodeDiag = make([]mna.Slot, s.n+1)
	for i := 1; i <= s.n; i++ {
		if s.branch[i] = s.setup.Unknowns[i].Branch; s.branch[i] {
			s.kind[i] = current
		}
		// The diagonal of an inductor's row, which exists anyway, holds the current of .ic.
		if e := s.setup.Unknowns[i].Element; !s.branch[i] || e != nil && e.Kind == 'l' {
			s.nodeDiag[i] = p.Slot(i, i)
		}
	}
	s.currentNodes = make([][]int, s.n+1)
	for k := 1; k < p.Slots(); k++ {
		if node, i := p.Position(k); s.branch[i] && !s.branch[node] {
			s.currentNodes[i] = append(s.currentNodes[i], node)
		}
	}
	s.series.reserve(s.setup)
	p.Freeze()
	s.coupled = p.FindCoupled(s.branch, s.series.outerNode)
	m := s.n + 1
	room := make([]float64, 3*p.Slots()+9*m+3*s.setup.States)
	vec := func(n int) []float64 {
		v := room[:n:n]
		room = room[n:]
		return v
	}
	s.a, s.linearA, s.constantA = vec(p.Slots()), vec(p.Slots()), vec(p.Slots())
	s.b, s.linearB, s.x, s.f = vec(m), vec(m), vec(m), vec(m)
	s.scale, s.currents, s.dx, s.diagRef = vec(m), vec(m), vec(m), vec(m)
	s.lu = mna.NewRealLU(p)
	s.load = device.Load{X: s.x, SourceScale: 1, Gmin: s.opt.Gmin,
		NoCharges: s.job.Analysis.Kind != "tran",
		State:     vec(s.setup.States), PrevState: vec(s.setup.States),
		History: vec(s.setup.States), RowTol: vec(m), Startup: s.job.Analysis.Startup}
	s.load.RowTol[0] = math.Inf(1)
}

// temperature sets the temperature of all devices to c [°C].
func (s *sim) temperature(c float64) {
	e := s.environment(c)
	for _, d := range s.devices {
		d.Temperature(e.Of(d.Element()))
		if f, ok := d.(device.FactorLimiter); ok && f.FactorLimited() {
			m := d.Element().Model
			s.warn(fmt.Sprintf("line %d: model %s: temperature coefficients of a resistance give "+
				"less than 0.001 of it; 0.001 is used", m.Line, m.Name))
		}
	}
	s.epoch++
}

// environment returns the environment of the devices at temperature c [°C].
func (s *sim) environment(c float64) device.Env {
	return device.Env{Temp: c + device.Zero, Tnom: s.opt.TnomC + device.Zero, Reltol: s.opt.Reltol}
}

// warn adds a warning unless it is a duplicate or 100 warnings exist.
func (s *sim) warn(text string) {
	if !slices.Contains(s.warnings, text) && len(s.warnings) < 100 {
		s.warnings = append(s.warnings, text)
	}
}

// progress reports the completed fraction of a phase.
func (s *sim) progress(phase string, fraction float64) {
	if s.job.Progress != nil {
		s.job.Progress(phase, math.Min(math.Max(fraction, 0), 1))
	}
}

// devicePoints returns the operating points of all devices that report one, at the present
// solution.
func (s *sim) devicePoints() []DevicePoint {
	out := make([]DevicePoint, 0, len(s.devices))
	for _, d := range s.devices {
		r, ok := d.(device.Reporter)
		if !ok || d.Element().Internal {
			continue
		}
		region, q := r.Report(&s.load)
		e := d.Element()
		q = slices.DeleteFunc(q, func(v device.Quantity) bool {
			return math.IsNaN(v.Value) || math.IsInf(v.Value, 0)
		})
		if len(q) == 0 {
			q = nil
		}
		out = append(out, DevicePoint{Device: e.Name, Kind: string(e.Kind), Region: region,
			Quantities: q})
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
