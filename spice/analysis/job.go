// Package analysis runs the analyses of a circuit. Each analysis has one file and one entry in
// kinds.go.
//
// All analyses use Newton's method (newton.go, linear.go, series.go) and the operating point
// (op.go). AC analyses also use the small-signal equations (smallsignal.go). A transient has these
// parts:
//
//	stepper.go                         loop over the time steps of one run
//	integrator.go                      interface of the integration formulas
//	trapezoidal.go, bdf.go             multistep formulas
//	esdirk.go, radau.go                formulas for linear circuits
//	radauformula.go, radausolve.go     coefficients of Radau IIA, solution of a step
//	radausteps.go, radaupoints.go      its step control, points of the result within a step
//	order.go                           selection of formula and order, damping of ringing
//	resonance.go                       resonances whose damping high orders distort
//	lte.go, chord.go                   step controllers
//	events.go, discontinuity.go        switching events, jumps of expressions
//	pulses.go                          pulses of expressions within a step
//	interpolate.go                     points of the result within a multistep step
//	breakpoints.go, initial.go         breakpoints, state at t = 0
//	foldjump.go                        folds of the solution
//	roundoff.go, conditioning.go       loss of precision
//	variation.go, phase.go             error propagated along with a run
//	damping.go                         runs that do not resolve a ringing
//	refine.go, periods.go, table.go    error estimate from a comparison of runs
//	unstable.go                        check of the final point
//	decimate.go                        reduction of the number of points
//	tuning.go                          constants and their measured effects
package analysis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// Vector is one column of the result.
type Vector struct {
	Name   string    // "time", "v(out)", "i(v1)", "v(out)_mag"
	Unit   string    // "s", "Hz", "V", "A", "deg", "°C", "ohm"
	Values []float64 // finite values, one per point
}

// Decimated describes a vector of a transient whose remaining points do not draw the curve within
// 0.1 % of its peak-to-peak value.
type Decimated struct {
	Vector string
	// Bound is the largest distance between the curve and the straight lines between points,
	// relative to the peak-to-peak value.
	Bound float64
	// Extremes reports whether the points hold only the minima and maxima of short intervals
	// instead of the curve. Bound is then 0.
	Extremes bool
}

// DevicePoint is the operating point of a device.
type DevicePoint struct {
	Device     string
	Kind       string // first letter of the element
	Region     string // "active", "saturation", "on", ...; empty for linear devices
	Quantities []device.Quantity
}

// Statistics holds counters and error estimates of a simulation.
type Statistics struct {
	NewtonIterations int
	TimeSteps        int // accepted time steps
	RejectedSteps    int
	// ConvergenceAid is the method that found the operating point: "none", "gmin stepping",
	// "source stepping" or "pseudo-transient".
	ConvergenceAid string
	// ErrorEstimatePct is the estimated error of the transient result in % of each vector's
	// peak-to-peak value. For an oscillator it is the relative error of the period in % if that is
	// larger. It is nil if no estimate exists.
	ErrorEstimatePct *float64
}

// Output is the result of one analysis.
type Output struct {
	Vectors []Vector
	// Detail holds results other than vectors as a pointer to a type of the analysis, such as
	// *Noise. It is nil if there are none.
	Detail     any
	Points     []DevicePoint
	Statistics Statistics
	Warnings   []string
	Decimated  []Decimated
	// Needed is the smallest remaining budget, apart from time, that yields the same output.
	Needed Usage
	Traces []Trace // sweep variable and the vectors named in Job.Traces; nil without traces
	// TracesDecimated is set if the budget removed points of the traces.
	TracesDecimated bool
}

// Job describes one analysis to run.
type Job struct {
	Circuit  *netlist.Circuit
	Analysis netlist.Analysis
	Options  Options
	Budget   Budget
	Used     Usage // part of Budget that earlier analyses have consumed
	// Needed is the smallest Budget that yields the same output for the earlier analyses. It does
	// not limit the time.
	Needed   Usage
	Progress func(phase string, fraction float64)
	// Vary returns the circuit with another value of a parameter of the top level, for .dc. It may
	// be nil if no card sweeps a parameter. Errors are of type *diag.Error.
	Vary func(param string, value float64) (*netlist.Circuit, error)
	// Cores is the number of cores that the analysis may use at once; values below 1 mean 1. The
	// output does not depend on it.
	Cores int
	// Traces names the vectors, such as v(out) and i(v1), that measures need at every accepted
	// point. It is independent of .save, the option vectors and points_max. Output.Traces omits
	// names that are not in the circuit.
	Traces     []string
	StepLimits []StepLimit // limits on the steps of a transient
	// Window selects the part of the sweep in Output.Vectors; nil selects all of it. It does not
	// apply to Output.Traces.
	Window *Window
}

// StepLimit limits the steps of a transient to Step [s] from the time From [s] on. If Interpolated
// is set, Step limits only the distance of the points, and longer steps may be interpolated.
// Harmonics then have an error of 1e-8 (weak distortion) to 1e-6 (clipping) of the fundamental.
type StepLimit struct {
	From, Step   float64
	Interpolated bool
}

// Run runs one analysis. Errors are of type *diag.Error. If an analysis fails after its start, the
// output contains only Statistics and Needed, because the iterations count against the budget. If
// the analysis cannot start, the output is nil.
//
// A transient has tolerances above their defaults only if it does not converge with the defaults
// (Options.limited).
func Run(ctx context.Context, job Job) (*Output, error) {
	limited, limits, given := job.Options.limited()
	if job.Analysis.Kind != "tran" || given == "" {
		return runOnce(ctx, job)
	}
	began := time.Now()
	withLimits := job
	withLimits.Options = limited
	out, err := runOnce(ctx, withLimits)
	if err == nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the transient uses %s instead of %s, "+
			"because the error estimate does not contain the error of larger tolerances",
			limits, given))
	}
	var failure *diag.Error
	if out == nil || !errors.As(err, &failure) ||
		failure.Code != diag.NoConvergence && failure.Code != diag.Singular {
		return out, err
	}
	job.Used.Add(out, time.Since(began))
	if job.Budget.Exhausted(job.Used) != "" {
		return out, err
	}
	second, secondErr := runOnce(ctx, job)
	second.Statistics.NewtonIterations += out.Statistics.NewtonIterations
	second.Needed.Newton = everything
	if secondErr != nil && ctx.Err() == nil {
		return second, err // the second run may have failed only at the rest of the budget
	}
	second.Warnings = append(second.Warnings, fmt.Sprintf(
		"the transient converges only with %s; the error estimate does not contain their error",
		given))
	return second, secondErr
}

// Check returns the error that Run returns for a circuit before it solves any equation.
func Check(job Job) error {
	_, err := newSim(context.Background(), job)
	return err
}

// runOnce is Run with the given options.
func runOnce(ctx context.Context, job Job) (*Output, error) {
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
	if err := s.applyWindow(out.Vectors); err != nil {
		return failed, err
	}
	out.Needed = s.needed.Extended(Usage{},
		Usage{Newton: s.stats.NewtonIterations, Numbers: count(out)})
	out.Statistics = s.stats
	out.Warnings = s.warnings
	return out, nil
}
