// Package analysis solves circuits. Each analysis is one file and one entry of the list in
// kinds.go, on top of one Newton iteration (newton.go) and, for those that linearise the circuit
// at its operating point, of smallsignal.go.
package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/mna"
	"slipstick/spice/netlist"
)

// Vector is one column of the result.
type Vector struct {
	Name   string    // "time", "v(out)", "i(v1)", "v(out)_mag"
	Unit   string    // "s", "Hz", "V", "A", "deg", "°C", "ohm"
	Values []float64 // always finite
}

// Thinned is a vector of a transient that the points left by points_max do not draw within 0.1 %
// of its peak-to-peak value.
type Thinned struct {
	Vector string
	// Bound is what straight lines between the points may miss, a fraction of peak-to-peak.
	Bound float64
	// Extremes tells that the points hold its smallest and largest values in short stretches and
	// not the curve between them; Bound is 0.
	Extremes bool
}

// DevicePoint is a device's operating point.
type DevicePoint struct {
	Device     string
	Kind       string // first letter of the element
	Region     string // "active", "saturation", "on", ...; empty for linear devices
	Quantities []device.Quantity
}

// Statistics says what the simulation cost.
type Statistics struct {
	NewtonIterations int
	TimeSteps        int // accepted
	RejectedSteps    int
	// ConvergenceAid is what the operating point needed: "none", "gmin stepping",
	// "source stepping" or "pseudo-transient".
	ConvergenceAid string
	// ErrorEstimatePct is the estimated error of the transient result in % of each vector's
	// peak-to-peak value, or, when it is larger, of an oscillator's period in % of it; nil:
	// not estimated.
	ErrorEstimatePct *float64
}

// Output is what one analysis gives.
type Output struct {
	Vectors []Vector
	// Detail is what an analysis gives beside vectors: *Noise, *TransferFunction,
	// *Sensitivities, *PolesAndZeros; nil for op, dc, ac and tran.
	Detail     any
	Points     []DevicePoint
	Statistics Statistics
	Warnings   []string
	Thinned    []Thinned
	Kept       []Trace // the sweep and what Job.Keep asked for; nil when it asked for nothing
}

// Job is one analysis to run.
type Job struct {
	Circuit  *netlist.Circuit
	Analysis netlist.Analysis
	Options  Options
	Budget   Budget
	Used     Usage // what earlier analyses have used of Budget
	Progress func(phase string, fraction float64)
	// Keep names the vectors, such as v(out) and i(v1), that are wanted at every accepted
	// point, whatever .save, the option vectors and points_max leave of the result. Names
	// that are not in the circuit are left out of Output.Kept.
	Keep []string
	Fine []Fine // parts of a transient with short steps
}

// Fine asks a transient for steps of at most Step [s] from the time From [s] on.
type Fine struct{ From, Step float64 }

// Run runs one analysis. Errors are *diag.Error.
func Run(ctx context.Context, job Job) (*Output, error) {
	s, err := newSim(ctx, job)
	if err != nil {
		return nil, err
	}
	run := find(job.Analysis.Kind)
	if run == nil {
		return nil, diag.At(diag.NoAnalysis, 0, "analysis %q is unknown", job.Analysis.Kind)
	}
	out, err := run(s)
	if err != nil {
		return nil, s.explain(err)
	}
	out.Statistics = s.stats
	out.Warnings = s.warnings
	return out, nil
}

// sim is one circuit being solved.
type sim struct {
	ctx      context.Context
	job      Job
	opt      Options
	total    Budget // of all analyses; job.Budget is what is left for this one
	deadline time.Time
	warnings []string
	stats    Statistics

	devices   []device.Device
	steady    []device.Device // linear, and independent of the time step
	nonlinear []device.Device
	mixed     []device.Mixed
	followers []device.Follower // all nonlinear devices, or none
	jumpers   []device.Jumper
	drivers   []device.Driver  // of steady
	storage   []device.Storage // linear, and dependent on it
	timed     []device.Timed
	delayed   []device.Delayed
	setup     *device.Setup
	n         int
	states    []int         // first state of each device, and the end
	places    map[label]int // see labels
	branch    []bool        // unknown is a current
	kind      []uint8       // of every unknown: voltage or current
	nodeDiag  []mna.Slot

	lu           *mna.RealLU
	load         device.Load
	a, b         []float64 // system of this iteration
	baseA, baseB []float64 // its linear part
	steadyA      []float64 // the part of baseA that does not depend on the time step
	x, f, scale  []float64
	dx           []float64
	factored     bool      // lu holds the factors of the linear circuit for key
	proven       bool      // and one solution with them was exact to rounding
	stamped      factorKey // what baseA was made for
	settled      factorKey // what steadyA was made for
	fixed        factorKey // what the linear part of lu's matrix was made for
	key          factorKey
	epoch        int // counts changes of device values

	diagG   float64 // conductance from every node to diagRef, S
	diagRef []float64
	holds   []hold
	shunts  []int // nodes tied to ground by shuntG at DC
	loose   []int // those of them that are tied also when charges move
}

// Kinds of unknowns.
const (
	voltage uint8 = iota
	current
)

type hold struct {
	node  int
	value float64
}

// factorKey is what the matrix of a linear circuit depends on.
type factorKey struct {
	a0, diagG float64
	dc        bool // charges carry no current
	holds     int  // hash of the nodes held
	epoch     int
}

const (
	shuntG = 1e-12 // S, ties floating parts to ground
	holdG  = 1e9   // S, holds the nodes of .ic and .nodeset
)

var (
	errDiverged = errors.New("the iteration did not converge")
	errBudget   = errors.New("the budget is used up")
)

func newSim(ctx context.Context, job Job) (*sim, error) {
	s := &sim{ctx: ctx, job: job, opt: job.Options, total: job.Budget, stamped: factorKey{epoch: -1}}
	s.job.Budget = job.Budget.less(job.Used)
	s.deadline = time.Now().Add(s.job.Budget.Wall)
	s.stats.ConvergenceAid = "none"
	times := device.Times{Step: 1, Stop: 1}
	if a := job.Analysis; a.Kind == "tran" {
		times = device.Times{Step: a.Step, Stop: a.Stop, Run: true}
	}
	s.setup = device.NewSetup(job.Circuit.Nodes)
	for i := range job.Circuit.Elements {
		d, warnings, err := device.New(&job.Circuit.Elements[i], times)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			s.warn(w)
		}
		s.setup.Pattern.Pace = pace(d)
		s.states = append(s.states, s.setup.States)
		d.Setup(s.setup)
		s.devices = append(s.devices, d)
		if d.Nonlinear() {
			s.nonlinear = append(s.nonlinear, d)
			if m, ok := d.(device.Mixed); ok {
				s.mixed = append(s.mixed, m)
			}
			if f, ok := d.(device.Follower); ok {
				s.followers = append(s.followers, f)
			}
		} else {
			s.addLinear(d)
		}
		if j, ok := d.(device.Jumper); ok {
			s.jumpers = append(s.jumpers, j)
		}
		if t, ok := d.(device.Timed); ok {
			s.timed = append(s.timed, t)
		}
		if t, ok := d.(device.Delayed); ok {
			s.delayed = append(s.delayed, t)
		}
	}
	s.setup.Pattern.Pace = mna.PerIteration
	s.states = append(s.states, s.setup.States)
	if err := s.setup.Link(s.devices); err != nil {
		return nil, err
	}
	s.storage = device.Gather(s.storage)
	if len(s.followers) < len(s.nonlinear) {
		s.followers = nil
	}
	if err := s.checkTopology(); err != nil {
		return nil, err
	}
	s.allocate()
	s.temperature(s.opt.TempC)
	return s, nil
}

func (s *sim) addLinear(d device.Device) {
	if st, ok := d.(device.Storage); ok {
		s.storage = append(s.storage, st)
		return
	}
	s.steady = append(s.steady, d)
	if r, ok := d.(device.Driver); ok {
		s.drivers = append(s.drivers, r)
	}
}

// pace is how often a device changes its entries of the matrix.
func pace(d device.Device) mna.Pace {
	if d.Nonlinear() {
		return mna.PerIteration
	}
	if _, ok := d.(device.Storage); ok {
		return mna.PerStep
	}
	return mna.Constant
}

func (s *sim) allocate() {
	p := s.setup.Pattern
	p.Pace = mna.Constant
	s.n = p.N()
	s.branch, s.kind = make([]bool, s.n+1), make([]uint8, s.n+1)
	s.nodeDiag = make([]mna.Slot, s.n+1)
	for i := 1; i <= s.n; i++ {
		if s.branch[i] = s.setup.Unknowns[i].Branch; s.branch[i] {
			s.kind[i] = current
		} else {
			s.nodeDiag[i] = p.Slot(i, i)
		}
	}
	p.Freeze()
	m := s.n + 1
	vec := func(n int) []float64 { return make([]float64, n) }
	s.a, s.baseA, s.steadyA = vec(p.Slots()), vec(p.Slots()), vec(p.Slots())
	s.b, s.baseB, s.x, s.f, s.scale, s.dx, s.diagRef = vec(m), vec(m), vec(m), vec(m), vec(m), vec(m), vec(m)
	s.lu = mna.NewRealLU(p)
	s.load = device.Load{X: s.x, Scale: 1, Gmin: s.opt.Gmin,
		Now: vec(s.setup.States), Last: vec(s.setup.States),
		History: vec(s.setup.States), Tol: vec(m), Startup: s.job.Analysis.Startup}
	s.load.Tol[0] = math.Inf(1)
}

func (s *sim) temperature(c float64) {
	e := s.environment(c)
	for _, d := range s.devices {
		d.Temperature(e)
	}
	s.epoch++
}

// environment is that of the devices at a temperature [°C].
func (s *sim) environment(c float64) device.Env {
	return device.Env{T: c + device.Zero, Tnom: s.opt.TnomC + device.Zero, Reltol: s.opt.Reltol}
}

func (s *sim) warn(text string) {
	for _, w := range s.warnings {
		if w == text {
			return
		}
	}
	if len(s.warnings) < 100 {
		s.warnings = append(s.warnings, text)
	}
}

func (s *sim) progress(phase string, fraction float64) {
	if s.job.Progress != nil {
		s.job.Progress(phase, math.Min(math.Max(fraction, 0), 1))
	}
}

// tick is called once per Newton iteration. Every 64th looks at clock and context, in
// large circuits, where an iteration with a pivot search takes milliseconds, every one.
func (s *sim) tick() error {
	s.stats.NewtonIterations++
	if s.stats.NewtonIterations > s.job.Budget.Newton {
		return errBudget
	}
	if s.stats.NewtonIterations%min(64, 1+2000/(s.n+1)) == 0 {
		return s.clock()
	}
	return nil
}

func (s *sim) clock() error {
	if err := s.ctx.Err(); err != nil {
		return &diag.Error{Code: diag.Canceled, Field: "netlist", Detail: "the simulation was cancelled", Cause: err}
	}
	if time.Now().After(s.deadline) {
		return errBudget
	}
	return nil
}

// limit names the limit of the simulation that was reached.
func (s *sim) limit() string {
	if s.stats.NewtonIterations > s.job.Budget.Newton {
		return fmt.Sprintf("limit of %d Newton iterations", s.total.Newton)
	}
	return "time limit of " + s.total.Wall.String()
}

// explain turns whatever went wrong into an error for the user.
func (s *sim) explain(err error) error {
	var d *diag.Error
	if errors.As(err, &d) {
		return d
	}
	var sing *mna.SingularError
	line := s.job.Analysis.Line
	switch {
	case errors.As(err, &sing):
		return s.explainSingular(sing)
	case errors.Is(err, errBudget):
		return diag.At(diag.NoConvergence, line, "no result within the %s; use a smaller circuit or looser tolerances", s.limit())
	}
	return diag.At(diag.NoConvergence, line, noOperatingPoint+"%s", s.worst(err))
}

const noOperatingPoint = "no operating point was found: Newton's method, gmin stepping, source stepping and pseudo-transient all failed"

// worst names the unknown that left the finite numbers when Newton's method failed with err, or
// else the row with the largest residual of the last iteration.
func (s *sim) worst(err error) string {
	var d *divergence
	if errors.As(err, &d) && s.setup.Unknowns[d.unknown].Branch {
		u := s.setup.Unknowns[d.unknown]
		return fmt.Sprintf("; more than %g A would flow through %s (line %d), because nothing limits the current of a junction: put a resistor in series or give its model rs",
			largest, u.Element.Name, u.Element.Line)
	}
	at, most := 0, 0.0
	for i := 1; i <= s.n; i++ {
		if r := math.Abs(s.f[i]) / (s.opt.Abstol + s.opt.Reltol*s.scale[i]); r > most || math.IsNaN(r) {
			at, most = i, r
			if math.IsNaN(r) {
				break
			}
		}
	}
	if at == 0 {
		return ""
	}
	u := s.setup.Unknowns[at]
	if u.Branch || u.Hidden {
		return fmt.Sprintf("; the trouble is at %s (line %d)", u.Element.Name, u.Element.Line)
	}
	return "; the trouble is at node " + u.Name
}

func (s *sim) explainSingular(e *mna.SingularError) error {
	if open := append(append([]int(nil), e.Cols...), e.Rows...); len(open) > 0 {
		u := s.setup.Unknowns[open[0]]
		if u.Element != nil {
			return diag.On(diag.Singular, u.Element.Line, u.Element.Name,
				"the equations have no unique solution; %s is part of what leaves them open", u.Element.Name)
		}
		var users []int
		for i, d := range s.devices {
			if slices.Contains(d.Element().Nodes, u.Name) {
				users = append(users, i)
			}
		}
		if len(users) == 0 {
			return diag.At(diag.Singular, 0, "the equations have no unique solution; the voltage of node %s is not determined", u.Name)
		}
		err := diag.At(diag.Singular, s.devices[users[0]].Element().Line,
			"the equations have no unique solution; the voltage of node %s is not determined by %s", u.Name, s.list(users[:min(len(users), 6)]))
		err.Node = u.Name
		return err
	}
	return diag.At(diag.Singular, 0, "the equations have no unique solution")
}

// columns are the unknowns that are results, with their vectors: node voltages, then the
// currents of voltage sources, then those of inductors.
func (s *sim) columns() (cols []column, vecs []Vector) {
	add := func(i int, name, unit string) {
		cols = append(cols, column{unknown: i})
		vecs = append(vecs, Vector{Name: name, Unit: unit})
	}
	for i, u := range s.setup.Unknowns {
		if i > 0 && !u.Branch && !u.Hidden && !s.job.Circuit.Inner[u.Name] {
			add(i, "v("+u.Name+")", "V")
		}
	}
	for _, kind := range [...]byte{'v', 'l'} {
		for i, u := range s.setup.Unknowns {
			if u.Branch && u.Element.Kind == kind && !u.Element.Inner {
				add(i, "i("+u.Name+")", "A")
			}
		}
	}
	return s.choose(cols, vecs)
}

// choose keeps the vectors that the option vectors, or else .save, asks for, and adds the currents
// and powers among them that follow from others.
func (s *sim) choose(cols []column, vecs []Vector) ([]column, []Vector) {
	wanted := s.opt.Vectors
	if len(wanted) == 0 {
		wanted = s.job.Circuit.Save
	}
	if len(wanted) == 0 {
		return cols, vecs
	}
	var kc, more []column
	var kv, moreVecs []Vector
	taken := map[int]bool{}
	for _, w := range wanted {
		w = strings.ToLower(strings.ReplaceAll(w, " ", ""))
		w = strings.TrimSuffix(strings.TrimSuffix(w, "_mag"), "_phase_deg")
		found := false
		for k, v := range vecs {
			if v.Name == w || v.Name == "v("+w+")" || w == strings.TrimSuffix(strings.TrimPrefix(v.Name, "i("), ")")+"#branch" {
				found = true
				taken[k] = true
			}
		}
		if c, name, unit, ok := s.column(w); !found && ok {
			more, moreVecs = append(more, c), append(moreVecs, Vector{Name: name, Unit: unit})
			found = true
		}
		if !found {
			s.warn("vector " + strconv.Quote(w) + " is not in the circuit")
		}
	}
	for k := range vecs {
		if taken[k] {
			kc, kv = append(kc, cols[k]), append(kv, vecs[k])
		}
	}
	kc, kv = append(kc, more...), append(kv, moreVecs...)
	if len(kv) == 0 {
		return cols, vecs
	}
	return kc, kv
}

// points reports every device at the present solution.
func (s *sim) points() []DevicePoint {
	var out []DevicePoint
	for _, d := range s.devices {
		r, ok := d.(device.Reporter)
		if !ok || d.Element().Inner {
			continue
		}
		region, q := r.Report(&s.load)
		e := d.Element()
		p := DevicePoint{Device: e.Name, Kind: string(e.Kind), Region: region}
		for _, v := range q {
			if !math.IsNaN(v.Value) && !math.IsInf(v.Value, 0) {
				p.Quantities = append(p.Quantities, v)
			}
		}
		out = append(out, p)
	}
	return out
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
