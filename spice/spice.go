package spice

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

// MaxElements is the default limit of the number of elements after the expansion of subcircuits.
// LargestCircuit is the largest valid Request.MaxElements.
const (
	MaxElements    = 150
	LargestCircuit = 2000
)

// Error is the type of all errors that Simulate returns.
type Error = diag.Error

// Vector is one column of the result, such as the values of a node voltage.
type Vector = analysis.Vector

// Decimated describes a vector of a transient whose remaining points, joined by straight lines, do
// not reproduce the curve within 0.1 % of its peak-to-peak value.
type Decimated = analysis.Decimated

// DevicePoint holds the quantities of a device at the operating point.
type DevicePoint = analysis.DevicePoint

// Quantity is a named value of an operating point, such as a current or conductance of a device.
type Quantity = device.Quantity

// Statistics holds the counters and the error estimate of an analysis.
type Statistics = analysis.Statistics

// Window limits the part of a sweep that a result contains.
type Window = analysis.Window

// Budget limits the effort of one simulation. analysis.DefaultBudget returns the default.
type Budget = analysis.Budget

// Request describes one simulation.
type Request struct {
	Netlist string
	AddEnd  bool // append a missing .end with a warning
	// Analysis is one of analysis.Names. Only the first card of this kind is run. If Analysis is
	// empty, all cards are run.
	Analysis string
	// TemperatureC is the circuit temperature [°C]. It overrides .temp, but not .step, unless it is
	// nil.
	TemperatureC *float64
	// Options overrides .options by name, such as reltol or points_max. It may also contain
	// vectors.
	Options map[string]any
	Certify bool // also prove that a DC operating point exists near the computed one
	// Tolerances maps names of R, V and I elements to relative tolerances t with 0 ≤ t < 1.
	Tolerances map[string]float64
	OutputNode string // node whose voltage range ToleranceCertificate proves
	// MaxElements limits the number of elements. It is at most LargestCircuit; 0 selects the
	// constant MaxElements.
	MaxElements int
	Window      *Window // part of the first analysis's sweep to return; nil for the whole sweep
	Budget      *Budget // limits of the effort; nil for the default budget
	// Cores is the number of cores that the simulation may use at once; values below 1 mean 1. The
	// result does not depend on it.
	Cores int
	// Progress receives the phase and its completed fraction (0 to 1) at short intervals. It may be
	// nil.
	Progress func(phase string, fraction float64)
}

// AnalysisResult is the result of one analysis card. All numbers are finite.
type AnalysisResult struct {
	Analysis string   // one of analysis.Names
	Card     string   // netlist line of the card
	Step     []Step   // values of the .step cards; nil if the netlist has no .step card
	Vectors  []Vector // sweep first, followed by the node voltages and the currents
	// Detail holds results other than vectors as a pointer to a type of package analysis, such as
	// *analysis.Noise. It is nil if there are none.
	Detail         any
	Decimated      []Decimated
	OperatingPoint []DevicePoint // operating points of all devices, for .op and .ac
	Statistics     Statistics    // counters and error estimate of the analysis
	Measures       []Measure     // nil if the netlist has no .measure
	Fourier        []Fourier     // nil if the netlist has no .four
	FFT            []FFT         // nil if the netlist has no .fft
	// Warnings are those about the analysis. The first result also has the warnings about the
	// netlist.
	Warnings []string
}

// Result is the result of one simulation. It consists of the result of the first analysis and the
// data common to all analyses.
type Result struct {
	AnalysisResult
	// Others holds the results of the other cards in netlist order, followed by those of all cards
	// for each further step.
	Others         []AnalysisResult
	Nodes          []string      // names of the nodes except ground, in order of first appearance
	Runtime        time.Duration // elapsed time of all analyses
	ComponentCount int           // flattened elements; a library part counts as one
	// Certificate and ToleranceCertificate are nil if they were not requested.
	Certificate          *Certificate
	ToleranceCertificate *ToleranceCertificate
}

// Check parses and checks a netlist without running its analyses. It returns the flattened circuit.
func Check(text string) (*netlist.Circuit, error) {
	return check(text, config(false, MaxElements))
}

// config returns the parser configuration. addEnd accepts a missing .end, and most is the largest
// number of elements.
func config(addEnd bool, most int) netlist.Config {
	return netlist.Config{MaxElements: most, Library: library.Text, Parts: library.Names(),
		Analyses: analysis.Cards(), AddEnd: addEnd, Check: func(e *netlist.Element) error {
			_, _, err := device.New(e, device.Times{Step: 1, Stop: 1})
			return err
		}}
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

// Simulate parses and checks the netlist and runs its analyses, which share one budget. If the
// budget ends, a warning names the analyses that were not run. If an analysis after the first one
// fails, its result has a warning instead of vectors. The error is always an *Error. Also holds
// further errors of the netlist. No input causes a panic.
func Simulate(ctx context.Context, req Request) (res *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, internalError(p)
		}
		err = explainDecimalComma(err, req.Netlist)
	}()
	res, job, cards, cfg, err := prepare(req)
	if err != nil {
		return nil, err
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

// Check checks a request without running its analyses. It returns the *Error that Simulate would
// return before it solves any equation.
func (req Request) Check() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = internalError(p)
		}
		err = explainDecimalComma(err, req.Netlist)
	}()
	_, job, _, _, err := prepare(req)
	if err != nil {
		return err
	}
	return analysis.Check(job)
}

// prepare parses the netlist and checks the request. It returns the job of the first analysis card
// and all cards.
func prepare(req Request) (res *Result, job analysis.Job, cards []netlist.Analysis,
	cfg netlist.Config, err error) {
	if cfg, err = req.config(); err != nil {
		return nil, job, nil, cfg, err
	}
	ckt, err := check(req.Netlist, cfg)
	if err != nil {
		return nil, job, nil, cfg, err
	}
	res = &Result{Nodes: outerNodes(ckt), ComponentCount: ckt.Components}
	res.Warnings = ckt.Warnings
	if cards, err = chooseCards(ckt, req.Analysis, res); err != nil {
		return nil, job, nil, cfg, err
	}
	opt, err := options(ckt, req, res)
	if err != nil {
		return nil, job, nil, cfg, err
	}
	if err := checkCertificates(ckt, req); err != nil {
		return nil, job, nil, cfg, err
	}
	job = analysis.Job{Circuit: ckt, Analysis: cards[0], Options: opt,
		Budget: defaultBudget(ckt.Components),
		Window: req.Window, Cores: req.Cores, Vary: withParameter(req.Netlist, cfg)}
	if req.Budget != nil {
		job.Budget = *req.Budget
	}
	return res, job, cards, cfg, nil
}

// config returns the parser configuration of a request.
func (req Request) config() (netlist.Config, error) {
	most := req.MaxElements
	if most == 0 {
		most = MaxElements
	}
	if most < 1 || most > LargestCircuit {
		return netlist.Config{}, diag.In(diag.BadRequest, "max_components",
			"max_components must be from 1 to %d", LargestCircuit)
	}
	cfg := config(req.AddEnd, most)
	cfg.TempC = req.TemperatureC
	if v, ok := req.Options["seed"].(float64); ok && v >= 0 && v <= 1<<53 {
		seed := uint64(v)
		cfg.Seed = &seed
	}
	cfg.Options = map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(req.Options)) {
		v := req.Options[name]
		if strings.EqualFold(name, "vectors") {
			cfg.Vectors, _ = vectorNames(v) // options reports other values
		}
		if x, ok := numericOption(v); ok {
			cfg.Options[strings.ToLower(name)] = x
		}
	}
	return cfg, nil
}

// numericOption returns the value of an option of the request that is a number, the text of a
// number, or a flag.
func numericOption(value any) (x float64, ok bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case bool:
		return map[bool]float64{true: 1}[v], true
	case string:
		return netlist.ParseNumber(v)
	}
	return 0, false
}

// defaultBudget returns the default budget for a circuit with the given number of elements. Above
// MaxElements it stores four times as many numbers: a result with hundreds of vectors would lose
// rows during the run.
func defaultBudget(elements int) Budget {
	b := analysis.DefaultBudget()
	if elements > MaxElements {
		b.Numbers *= 4
	}
	return b
}

// withParameter returns a function that parses a netlist with another value of a parameter.
func withParameter(text string, cfg netlist.Config) func(string, float64) (
	*netlist.Circuit, error) {
	return func(param string, value float64) (*netlist.Circuit, error) {
		changed := cfg
		changed.Override = &netlist.Param{Name: param, Value: value}
		return check(text, changed)
	}
}

// internalError returns the error for a recovered panic with value p.
func internalError(p any) *Error {
	if q, ok := p.(*analysis.PanicError); ok {
		p = q.Value // the message is the same on any number of cores
	}
	return &Error{Code: diag.Internal, Field: "netlist",
		Detail: fmt.Sprintf("the simulator failed: %v", p)}
}

// options merges the defaults, .options, .temp, the options and temperature of the request, and
// .step of the temperature. Later sources take precedence. It adds warnings about unknown options
// to res.
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
	if err := requestOptions(&opt, req, res); err != nil {
		return opt, err
	}
	if t := req.TemperatureC; t != nil {
		if _, problem := opt.Set("temp", *t, ""); problem != "" {
			return opt, diag.In(diag.BadRequest, "temperature_c", "temperature_c %s", problem)
		}
	}
	applySteppedTemperature(&opt, ckt, req, res)
	return opt, nil
}

// requestOptions sets the options of the request in alphabetical order. It adds warnings about
// unknown ones to res.
func requestOptions(opt *analysis.Options, req Request, res *Result) error {
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
				return diag.In(diag.BadOption, field, "%s must be an array of vector names",
					field)
			}
			continue
		}
		if _, flag := req.Options[name].(bool); flag && netlist.NeedsValue(strings.ToLower(name)) {
			return diag.In(diag.BadOption, field, "%s must be a number, not true or false",
				field)
		}
		var known bool
		var problem string
		if x, ok := numericOption(req.Options[name]); ok {
			known, problem = opt.Set(name, x, "")
		} else {
			text, _ := req.Options[name].(string)
			known, problem = opt.Set(name, math.NaN(), text)
		}
		if problem != "" {
			return diag.In(diag.BadOption, field, "%s %s", field, problem)
		}
		if !known {
			res.Warnings = append(res.Warnings, "option "+name+" is unknown and ignored")
		}
	}
	return nil
}

// applySteppedTemperature sets the temperature of the run where a card steps the temperature. It
// adds warnings about other temperatures to res.
func applySteppedTemperature(opt *analysis.Options, ckt *netlist.Circuit, req Request,
	res *Result) {
	step := ckt.TemperatureStep()
	if step == nil {
		return
	}
	for _, o := range ckt.Options {
		if o.Name == "temp" {
			res.Warnings = append(res.Warnings, fmt.Sprintf(
				"line %d: .options temp=%g is ignored, because line %d steps the temperature",
				o.Line, o.Value, step.Line))
		}
	}
	_, inOptions := req.Options["temp"]
	if inOptions || req.TemperatureC != nil {
		res.Warnings = append(res.Warnings, fmt.Sprintf(
			"%g °C of the request is ignored, because line %d steps the temperature", opt.TempC,
			step.Line))
	}
	opt.TempC = *ckt.TempC
}

// vectorNames returns the names in the value of the option vectors. ok is false unless value is an
// array of strings.
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
