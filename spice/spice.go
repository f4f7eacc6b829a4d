package spice

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

// Bounds of a circuit, in elements after expanding subcircuits: the default, and the largest
// Request.MaxElements.
const (
	MaxElements    = 150
	LargestCircuit = 2000
)

// Error is an error in the request; Simulate returns no other kind.
type Error = diag.Error

// Vector is one column of the result.
type Vector = analysis.Vector

// Thinned is a vector that the points of a transient do not draw within 0.1 % of peak-to-peak.
type Thinned = analysis.Thinned

// DevicePoint is the operating point of one device.
type DevicePoint = analysis.DevicePoint

// Quantity is one number of an operating point.
type Quantity = device.Quantity

// Statistics describe the work of a simulation.
type Statistics = analysis.Statistics

// Window is the part of a sweep that a result contains.
type Window = analysis.Window

// Budget bounds one simulation; see analysis.DefaultBudget.
type Budget = analysis.Budget

// Request is one simulation.
type Request struct {
	Netlist      string
	AddEnd       bool               // append a missing .end, with a warning
	Analysis     string             // one of analysis.Names, run alone; "": all (choose)
	TemperatureC *float64           // °C, overrides .temp when not nil
	Options      map[string]any     // overrides .options: reltol, abstol, ..., points_max, vectors
	Certify      bool               // prove that a DC operating point exists
	Tolerances   map[string]float64 // R, V or I element to fraction, 0 up to below 1
	OutputNode   string             // node of the tolerance certificate
	MaxElements  int                // 1 to LargestCircuit; 0 is MaxElements
	Window       *Window            // of the sweep of the first analysis; nil: all of it
	Budget       *Budget            // nil: the default budget
	Cores        int                // runs of .step at once, at most 4; below 1: one. Same results
	// Progress receives the phase and its completed fraction (0 to 1) very often; may be nil.
	Progress func(phase string, fraction float64)
}

// AnalysisResult is the result of one analysis card. All numbers are finite.
type AnalysisResult struct {
	Analysis string   // one of analysis.Names
	Card     string   // its line of the netlist
	Step     []Step   // values of the .step cards; nil without them
	Vectors  []Vector // sweep first, then node voltages, source currents, inductor currents
	// Detail is the result of the analysis apart from its vectors, a pointer to a type of package
	// analysis such as *analysis.Noise; nil without such a type.
	Detail         any
	Thinned        []Thinned
	OperatingPoint []DevicePoint // op and ac
	Statistics     Statistics    // work done
	Measures       []Measure     // nil when the netlist has no .measure
	Fourier        []Fourier     // nil when the netlist has no .four
	FFT            []FFT         // nil when the netlist has no .fft
	Warnings       []string      // of the first analysis: those of the netlist as well
}

// Result is the result of one simulation: the result of the first analysis, and the parts common to
// all analyses.
type Result struct {
	AnalysisResult
	// Others are the other cards, in the order of the netlist, then all cards of each further step.
	Others         []AnalysisResult
	Nodes          []string      // in order of appearance, without 0
	Runtime        time.Duration // of all analyses
	ComponentCount int           // flattened elements; a library part is one
	// Certificate and ToleranceCertificate are nil when not requested.
	Certificate          *Certificate
	ToleranceCertificate *ToleranceCertificate
}

// Check reads and checks a netlist without running it. It returns the flattened circuit.
func Check(text string) (*netlist.Circuit, error) {
	return check(text, config(false, MaxElements))
}

// config returns the configuration of the parser.
func config(addEnd bool, most int) netlist.Config {
	return netlist.Config{MaxElements: most, Library: library.Text, Parts: library.Names(),
		Analyses: analysis.Cards(), AddEnd: addEnd}
}

func check(text string, cfg netlist.Config) (*netlist.Circuit, error) {
	ckt, err := netlist.Parse(text, cfg)
	if err != nil {
		return nil, err
	}
	if len(ckt.Analyses) == 0 {
		return nil, diag.At(diag.NoAnalysis, 0,
			"the netlist has no analysis; add one of .op, .dc, .ac or .tran")
	}
	return ckt, nil
}

// Simulate parses and checks the netlist and runs its analyses. They share one budget: when it
// ends, a warning names the analyses that were not run. An analysis after the first that fails has
// a warning instead of vectors. The error is always an *Error; no input causes a panic.
func Simulate(ctx context.Context, req Request) (res *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, internalError(p)
		}
	}()
	most := req.MaxElements
	if most == 0 {
		most = MaxElements
	}
	if most < 1 || most > LargestCircuit {
		return nil, diag.In(diag.BadRequest, "max_components",
			"max_components must be from 1 to %d", LargestCircuit)
	}
	cfg := config(req.AddEnd, most)
	cfg.TempC = req.TemperatureC
	if v, ok := req.Options["seed"].(float64); ok && v >= 0 && v <= 1<<53 {
		seed := uint64(v)
		cfg.Seed = &seed
	}
	ckt, err := check(req.Netlist, cfg)
	if err != nil {
		return nil, err
	}
	res = &Result{Nodes: outerNodes(ckt), ComponentCount: ckt.Components}
	res.Warnings = ckt.Warnings
	cards, err := choose(ckt, req.Analysis, res)
	if err != nil {
		return nil, err
	}
	opt, err := options(ckt, req, res)
	if err != nil {
		return nil, err
	}
	if err := checkCertificates(ckt, req); err != nil {
		return nil, err
	}
	job := analysis.Job{Circuit: ckt, Analysis: cards[0], Options: opt,
		Budget: analysis.DefaultBudget(),
		Window: req.Window}
	if req.Budget != nil {
		job.Budget = *req.Budget
	}
	began := time.Now()
	if err := res.analyseSteps(ctx, &job, cards, req, cfg); err != nil {
		return nil, err
	}
	res.Runtime = time.Since(began)
	if err := res.addCertificates(ctx, job, req, began.Add(job.Budget.Wall)); err != nil {
		return nil, err
	}
	return res, nil
}

// internalError is the error of a panic.
func internalError(p any) *Error {
	return &Error{Code: diag.Internal, Field: "netlist",
		Detail: fmt.Sprintf("the simulator failed: %v", p)}
}

// options merges defaults, .options, .temp, the request's options and temperature, in
// this order.
func options(ckt *netlist.Circuit, req Request, res *Result) (analysis.Options, error) {
	opt := analysis.Defaults()
	for _, o := range ckt.Options {
		known, problem := opt.Set(o.Name, o.Value, o.Text)
		if problem != "" {
			return opt, diag.At(diag.BadOption, o.Line, ".options %s %s", o.Name, problem)
		}
		if !known {
			res.Warnings = append(res.Warnings,
				fmt.Sprintf("line %d: option %s is unknown and ignored", o.Line, o.Name))
		}
	}
	if ckt.TempC != nil {
		if _, problem := opt.Set("temp", *ckt.TempC, ""); problem != "" {
			return opt, diag.At(diag.BadOption, ckt.TempLine, ".temp %s", problem)
		}
	}
	names := make([]string, 0, len(req.Options))
	for name := range req.Options {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		field := "options." + name
		if strings.EqualFold(name, "vectors") {
			var ok bool
			if opt.Vectors, ok = vectorNames(req.Options[name]); !ok {
				return opt, diag.In(diag.BadOption, field, "%s must be an array of vector names",
					field)
			}
			continue
		}
		var known bool
		var problem string
		switch v := req.Options[name].(type) {
		case float64:
			known, problem = opt.Set(name, v, "")
		case int:
			known, problem = opt.Set(name, float64(v), "")
		case bool:
			known, problem = opt.Set(name, map[bool]float64{true: 1}[v], "")
		case string:
			if x, ok := netlist.ParseNumber(v); ok {
				known, problem = opt.Set(name, x, "")
			} else {
				known, problem = opt.Set(name, math.NaN(), v)
			}
		default:
			known, problem = opt.Set(name, math.NaN(), "")
		}
		if problem != "" {
			return opt, diag.In(diag.BadOption, field, "%s %s", field, problem)
		}
		if !known {
			res.Warnings = append(res.Warnings, "option "+name+" is unknown and ignored")
		}
	}
	if t := req.TemperatureC; t != nil {
		if _, problem := opt.Set("temp", *t, ""); problem != "" {
			return opt, diag.In(diag.BadRequest, "temperature_c", "temperature_c %s", problem)
		}
	}
	return opt, nil
}

// vectorNames decodes the option vectors, an array of strings.
func vectorNames(value any) (names []string, ok bool) {
	list, ok := value.([]any)
	for _, e := range list {
		name, text := e.(string)
		if ok = ok && text; !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, ok
}
