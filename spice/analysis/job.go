// Package analysis runs the analyses of a circuit. Each is one file and one entry of the list in
// kinds.go.
//
// All of them use Newton's method (newton.go, linear.go) and the operating point (op.go). AC
// analyses add the small-signal equations (smallsignal.go). A transient has these parts:
//
//	stepper.go                         one run: the loop over time steps
//	integrator.go                      interface of the integration formulas
//	trapezoidal.go, bdf.go, esdirk.go  the formulas
//	order.go                           choice of formula and order, ringing
//	lte.go, chord.go, events.go        step controllers
//	breakpoints.go, initial.go         breakpoints, state at t = 0
//	foldjump.go, roundoff.go           steps that no length makes possible
//	variation.go, phase.go             error that a run carries with it
//	refine.go, periods.go, table.go    error estimate from several runs
//	decimate.go                        fewer points for the result
//	tuning.go                          all constants, with their measured effect
package analysis

import (
	"context"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// Vector is one column of the result.
type Vector struct {
	Name   string    // "time", "v(out)", "i(v1)", "v(out)_mag"
	Unit   string    // "s", "Hz", "V", "A", "deg", "°C", "ohm"
	Values []float64 // one per point, all finite
}

// Thinned is a vector of a transient that the remaining points do not draw within 0.1 % of its
// peak-to-peak value.
type Thinned struct {
	Vector string
	// Bound is the largest distance of the curve from straight lines between the points, relative
	// to peak-to-peak.
	Bound float64
	// Extremes is true if the points hold only the minimum and maximum of short intervals, not the
	// curve between them. Bound is then 0.
	Extremes bool
}

// DevicePoint is a device's operating point.
type DevicePoint struct {
	Device     string
	Kind       string // first letter of the element
	Region     string // "active", "saturation", "on", ...; empty for linear devices
	Quantities []device.Quantity
}

// Statistics describe the work of a simulation.
type Statistics struct {
	NewtonIterations int
	TimeSteps        int // accepted
	RejectedSteps    int
	// ConvergenceAid is the method that found the operating point: "none", "gmin stepping",
	// "source stepping" or "pseudo-transient".
	ConvergenceAid string
	// ErrorEstimatePct is the estimated error of the transient result in % of each vector's
	// peak-to-peak value or, when larger, of an oscillator's period in % of it; nil: not estimated.
	ErrorEstimatePct *float64
}

// Output is the result of one analysis.
type Output struct {
	Vectors []Vector
	// Detail is the result beside vectors, a pointer to a type of the analysis such as *Noise; nil
	// without one.
	Detail     any
	Points     []DevicePoint
	Statistics Statistics
	Warnings   []string
	Thinned    []Thinned
	// Needed is the least rest of the budget, time excepted, with which the output is the same.
	Needed Usage
	Traces []Trace // the sweep and the vectors of Job.Traces; nil without any
}

// Job is one analysis to run.
type Job struct {
	Circuit  *netlist.Circuit
	Analysis netlist.Analysis
	Options  Options
	Budget   Budget
	Used     Usage // part of Budget that earlier analyses have used
	// Needed is the least Budget that leaves the outputs of these analyses as they are. It has no
	// time.
	Needed   Usage
	Progress func(phase string, fraction float64)
	// Traces names the vectors, such as v(out) and i(v1), that measures need at every accepted
	// point, whatever .save, the option vectors and points_max leave of the result. Output.Traces
	// omits names that are not in the circuit.
	Traces []string
	Fine   []Fine // parts of a transient with short steps
	// Window is the part of the sweep in Output.Vectors; nil: all. Traces have all.
	Window *Window
}

// Fine asks a transient for steps of at most Step [s] from the time From [s] on.
type Fine struct{ From, Step float64 }

// Run runs one analysis. Errors are *diag.Error. With an error of the analysis the output has the
// statistics alone: its iterations count against the budget.
func Run(ctx context.Context, job Job) (*Output, error) {
	s, err := newSim(ctx, job)
	if err != nil {
		return nil, err
	}
	run := runnerOf(job.Analysis.Kind)
	if run == nil {
		return nil, diag.At(diag.NoAnalysis, 0, "analysis %q is unknown", job.Analysis.Kind)
	}
	out, err := run(s)
	failed := &Output{Statistics: s.stats, Needed: Usage{Newton: everything}}
	if err != nil {
		return failed, s.userError(err)
	}
	if err := s.cut(out.Vectors); err != nil {
		return failed, err
	}
	out.Needed = s.needed.Extended(Usage{}, Usage{s.stats.NewtonIterations, count(out), 0})
	out.Statistics = s.stats
	out.Warnings = s.warnings
	return out, nil
}
