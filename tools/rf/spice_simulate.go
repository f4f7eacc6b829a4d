package rf

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"slipstick/spice"
	"slipstick/spice/device"
	"slipstick/spice/diag"
	"slipstick/spice/library"
	"slipstick/tools"
	"slipstick/tools/simulation"
)

// SpiceSimulate simulates a circuit.
var SpiceSimulate = tools.Define(tools.Spec{
	Name:    "spice_simulate",
	Version: "1.1.0",
	Title:   "SPICE simulation",
	Summary: "Operating point, DC sweep, AC, transient, noise, sensitivity and transfer function analysis of a SPICE netlist of up to 150 components",
	Method: "Modified nodal analysis with a sparse LU factorisation. Operating point: Newton " +
		"iteration with junction limiting, then gmin stepping, source stepping and " +
		"pseudo-transient. It is accepted only when both the update and the residual of " +
		"Kirchhoff's current law are small. Transient: trapezoidal or Gear integration with " +
		"local truncation error control on charges and fluxes",
	Sources: []string{
		"L. W. Nagel, SPICE2: A Computer Program to Simulate Semiconductor Circuits, UCB/ERL M520, 1975",
		"T. Quarles, Analysis of Performance and Convergence Issues for Circuit Simulation, UCB/ERL M89/42, 1989 (device equations of SPICE3)",
		"C.-W. Ho, A. Ruehli, P. Brennan, The Modified Nodal Approach to Network Analysis, IEEE Trans. CAS-22, 1975",
		"P. Deuflhard, Newton Methods for Nonlinear Problems, Springer, 2004, section 2.1 (Newton-Kantorovich theorem)",
		"R. Krawczyk, Newton-Algorithmen zur Bestimmung von Nullstellen mit Fehlerschranken, Computing 4, 1969",
	},
	Limits: []string{
		"At most 150 components after subcircuits are expanded, up to 2,000 with max_components; a part of the library counts as one",
		"Elements R L C K V I E F G H B S W T O U D Q J Z (level 1) M (levels " +
			device.MOSFETLevels() +
			", VDMOS) A (special functions of LTspice) and X. Certificates cover all but A, B, Z, VDMOS, MOSFETs above level 1 and lines with G",
		"No distortion analysis; lossy transmission lines make no noise",
		"At most 10 .step cards and 1,000 runs of all of them; random functions draw numbers only with .options seed",
		"A library part is a typical specimen of its data sheet: no spread, no heating. Its op-amps have one pole, slew rate, output swing, short-circuit and quiescent current. Their offset, bias current, noise and input range are not modelled. The load's current does not come out of their supplies. Its power MOSFETs do not break down. Its regulators have no dynamics, foldback or thermal shutdown; the delays of its comparators and gates are constant",
		".measure exists for tran, ac and dc. Of a nested .dc it sees the first run of the first source. vp() is in degrees, and v() in .ac is the magnitude",
	},
	Aliases: []string{"spice", "circuit simulator", "ngspice", "netlist", "transient", "bode",
		"noise analysis", "sensitivity", "transformer", "thermistor", "Sallen-Key", "active filter",
		"buck converter", "boost converter"},
	Heavy: &tools.Heavy{Pool: "spice", Timeout: 30 * time.Second},
	Examples: []tools.Example{{
		Title: "Voltage divider, operating point",
		In:    `{"netlist": "divider\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end"}`,
		Want:  `{"analysis_type": "op", "nodes": ["in", "out"], "component_count": 3, "vectors": {"v(in)": [10.000000], "v(out)": [5.00000], "i(v1)": [-0.00050000]}}`,
		From:  "Ohm's law: 10 V over 20 kΩ",
	}, {
		Title: "RC low-pass at its corner",
		In:    `{"netlist": "RC low-pass\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac lin 1 1591.5494309189535 1591.5494309189535\n.end"}`,
		Want:  `{"analysis_type": "ac", "vectors": {"frequency": [1591.549], "v(out)_mag": [0.7071068], "v(out)_phase_deg": [-45.00000]}}`,
		From:  "1/√2 and -45° at 1/(2πRC)",
	}, {
		Title: "Red LED of the parts library at 20 mA, rise time of an RC low-pass",
		In:    `{"netlist": "library part and .measure\nI1 0 a 20m\nD1 a 0 led_red\nV1 in 0 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1k\nC1 out 0 100n\n.tran 1u 1m\n.measure tran vf find v(a) at=0.5m\n.measure tran rise trig v(out) val=0.1 rise=1 targ v(out) val=0.9 rise=1\n.end"}`,
		Want:  `{"analysis_type": "tran", "component_count": 5, "measures": {"vf": 2.00, "rise": 0.000220}}`,
		From:  "Data sheet Kingbright WP7113ID: 2.0 V at 20 mA; rise time RC·ln 9 = 219.7 µs",
	}},
	SizeLimit: &tools.SizeLimit{Input: "max_components", Default: spice.MaxElements,
		Max: spice.LargestCircuit},
	Files: []tools.File{
		{MediaType: "text/csv", Format: "csv"},
		{MediaType: "application/vnd.slipstick.columns", Format: "binary", Base64: true},
	},
	Check:       checkNetlist,
	Extras:      map[string]any{"parts": library.Parts()},
	Interactive: map[string]json.RawMessage{"add_end": json.RawMessage("true")},
}, spiceSimulate)

type spiceSimulateIn struct {
	Netlist      string             `json:"netlist" minLength:"1" maxLength:"1000000" label:"Netlist" doc:"SPICE netlist in the dialect of ngspice, LTspice or PSpice: title line first, an analysis card among .op .dc .ac .tran .noise .tf .sens .pz .sp, .end last"`
	Analysis     *string            `json:"analysis" enum:"ac,dc,tran,op,noise,tf,sens,pz,sp" label:"Analysis" doc:"Analysis to run alone; default: all cards of the netlist"`
	TemperatureC *float64           `json:"temperature_c" unit:"°C" min:"-270" max:"1000" example:"27" label:"Temperature" doc:"Circuit temperature; replaces .temp but not .step temp, 27 when none is given"`
	Options      map[string]any     `json:"options" default:"{}" label:"Solver options" doc:"Solver options: reltol, abstol, vntol, chgtol, trtol, gmin, itl1, itl2, itl4, method, maxord, maxstep, tnom, seed, rshunt, gshunt, cshunt, defw, defl, defad, defas; also points_max and vectors. A transient uses tolerances above the defaults (reltol 1e-4, abstol 1e-12, vntol 1e-6, trtol 1) only if it does not converge with the defaults"`
	Vectors      *[]string          `json:"vectors" minItems:"1" maxItems:"1000" label:"Vectors" doc:"Vectors to return, such as v(out), i(v1), i(r1), p(r1); default: those of .save, else all"`
	PointsMax    *int               `json:"points_max" unit:"1" min:"2" max:"200000" label:"Largest number of points" doc:"Maximum number of time points of a transient; default 20000"`
	From         *float64           `json:"from" unit:"1" label:"Start of the window" doc:"Start of the returned window of the first sweep [s, Hz or unit of the source]; the point before it is included"`
	To           *float64           `json:"to" unit:"1" label:"End of the window" doc:"End of the returned window; the point after it is included"`
	Format       string             `json:"format" enum:"columns,csv,binary" default:"columns" label:"Format of the vectors" doc:"columns: vectors; csv, binary: one text in csv or binary instead; over REST also by the Accept header (docs/results.md)"`
	Certify      bool               `json:"certify" default:"false" label:"Certify operating point" doc:"Certify the operating point; attaches an existence certificate, or the reason why there is none"`
	Tolerances   map[string]float64 `json:"tolerances" unit:"1" default:"{}" label:"Element tolerances" doc:"Element name to relative tolerance as a fraction, for R, V and I elements; attaches the proven range of the voltage of output_node"`
	OutputNode   *string            `json:"output_node" maxLength:"256" label:"Output node" doc:"Node whose voltage range is proven; required with tolerances"`
	MaxComps     int                `json:"max_components" unit:"1" min:"1" max:"2000" default:"150" label:"Largest circuit" doc:"Maximum number of components; more than 150 only where the operator of the service allows it"`
	AddEnd       bool               `json:"add_end" default:"false" label:"Add missing .end" doc:"Accept a missing .end with a warning; default true over MCP, on the page and on the command line"`
}

type spiceSimulateOut struct {
	simulation.AnalysisResult
	Nodes                []string                         `json:"nodes" label:"Nodes" doc:"Node names without ground"`
	RuntimeMS            float64                          `json:"runtime_ms" unit:"ms" label:"Run time" doc:"Time of all analyses"`
	Engine               string                           `json:"engine" label:"Engine" doc:"Architecture and arithmetic; results of equal engine and version are byte-identical"`
	ComponentCount       int                              `json:"component_count" unit:"1" label:"Element count" doc:"Elements after subcircuits are expanded; a library part is one"`
	Certificate          *simulation.ExistenceCertificate `json:"certificate,omitempty" label:"Operating point certificate" doc:"With certify: proof that a DC operating point exists near the computed one"`
	ToleranceCertificate *simulation.ToleranceCertificate `json:"tolerance_certificate,omitempty" label:"Tolerance certificate" doc:"With tolerances: proven range of the output voltage"`
	Analyses             []analysisEntry                  `json:"analyses,omitempty" label:"Other analyses" doc:"Results of the other analysis cards, in the order of the netlist, then of all cards of each further .step value; all share one computing budget"`
	tools.Warnings
}

// AppendJSON appends the result as JSON without HTML escapes and returns the extended buffer. The
// bytes equal the output of encoding/json. It uses up to the given number of cores.
func (o spiceSimulateOut) AppendJSON(b []byte, cores int) ([]byte, error) {
	type plain spiceSimulateOut // has no AppendJSON
	if o.CSV != nil || o.Binary != nil {
		return simulation.AppendJSON(b, plain(o))
	}
	var text simulation.Text
	text.AddRaw(`{"vectors":`)
	text.AddVectors(o.Vectors)
	// The outer fields shadow the members that this method appends itself. They are nil, so
	// encoding/json omits them.
	text.AddMembers(struct {
		plain
		Vectors  *struct{} `json:"vectors,omitempty"`
		Analyses *struct{} `json:"analyses,omitempty"`
		Warnings *struct{} `json:"warnings,omitempty"`
	}{plain: plain(o)}, len(o.OperatingPoint))
	for i, entry := range o.Analyses {
		separator := `,`
		if i == 0 {
			separator = `,"analyses":[`
		}
		text.AddRaw(separator)
		entry.addTo(&text)
	}
	if len(o.Analyses) > 0 {
		text.AddRaw("]")
	}
	text.AddMembers(o.Warnings, 0)
	text.AddRaw("}")
	return text.Append(b, cores)
}

type analysisEntry struct {
	Card string `json:"card" label:"Card" doc:"Line of the netlist, followed by the values of .step as a comment"`
	simulation.AnalysisResult
	tools.Warnings
}

// addTo adds the entry as encoding/json encodes it, without HTML escapes.
func (e analysisEntry) addTo(t *simulation.Text) {
	if e.CSV != nil || e.Binary != nil {
		t.AddValue(e)
		return
	}
	t.AddRaw(`{"card":`)
	t.AddValue(e.Card)
	t.AddRaw(`,"vectors":`)
	t.AddVectors(e.Vectors)
	t.AddMembers(struct {
		analysisEntry
		Card    *struct{} `json:"card,omitempty"`
		Vectors *struct{} `json:"vectors,omitempty"`
	}{analysisEntry: e}, len(e.OperatingPoint))
	t.AddRaw("}")
}

func spiceSimulate(ctx context.Context, in spiceSimulateIn) (spiceSimulateOut, error) {
	var out spiceSimulateOut
	request, err := newRequest(in)
	if err != nil {
		return out, err
	}
	var reported atomic.Int64 // [per mille]; goroutines of an analysis report concurrently
	reported.Store(-1)
	request.Cores = tools.Cores(ctx)
	request.Progress = func(phase string, fraction float64) {
		if next := int64(fraction * 1000); reported.Swap(next) != next {
			tools.Report(ctx, tools.Progress{Phase: phase, Percent: 100 * fraction})
		}
	}
	r, err := spice.Simulate(ctx, request)
	if err != nil {
		return out, simulationFault(ctx, err, &request)
	}
	results, err := simulation.NewAnalysisResults(r, in.Format, request.Cores)
	if err != nil {
		return out, err
	}
	out.AnalysisResult = results[0]
	for k, one := range r.Others {
		out.Analyses = append(out.Analyses,
			analysisEntry{one.Card, results[k+1], tools.Warnings{Warnings: one.Warnings}})
	}
	out.Warnings.Warnings = r.Warnings
	out.Nodes, out.ComponentCount = r.Nodes, r.ComponentCount
	out.RuntimeMS = float64(r.Runtime) / float64(time.Millisecond)
	out.Engine = spice.Engine()
	out.Certificate = simulation.NewExistenceCertificate(r.Certificate)
	out.ToleranceCertificate = simulation.NewToleranceCertificate(r.ToleranceCertificate)
	return out, nil
}

// newRequest returns the request to the simulator.
func newRequest(in spiceSimulateIn) (spice.Request, error) {
	request := spice.Request{
		Netlist: in.Netlist, MaxElements: in.MaxComps, AddEnd: in.AddEnd,
		TemperatureC: in.TemperatureC,
		Options:      in.Options, Certify: in.Certify, Tolerances: in.Tolerances,
	}
	if in.Analysis != nil {
		request.Analysis = *in.Analysis
	}
	if in.OutputNode != nil {
		request.OutputNode = *in.OutputNode
	}
	return request, selectOutput(&request, in)
}

// checkNetlist parses the netlist of a canonical input without running its analyses.
func checkNetlist(input json.RawMessage) error {
	var in spiceSimulateIn
	if err := json.Unmarshal(input, &in); err != nil {
		return err
	}
	request, err := newRequest(in)
	if err != nil {
		return err
	}
	if err := request.Check(); err != nil {
		return simulationFault(context.Background(), err, &request)
	}
	return nil
}

// selectOutput selects the content of the result.
func selectOutput(request *spice.Request, in spiceSimulateIn) error {
	var errs tools.FieldErrors
	options := maps.Clone(in.Options)
	set := func(name string, value any) {
		for given := range in.Options {
			if strings.EqualFold(given, name) {
				errs.Add(name, "%s is in options as well; give it once", name)
			}
		}
		if options == nil {
			options = map[string]any{}
		}
		options[name] = value
	}
	if in.PointsMax != nil {
		set("points_max", *in.PointsMax)
	}
	if in.Vectors != nil {
		names := []any{}
		for _, name := range *in.Vectors {
			names = append(names, name)
		}
		set("vectors", names)
	}
	request.Options = options
	if in.From != nil && in.To != nil && !(*in.From < *in.To) {
		errs.AddValue("to", *in.To, "must be above from, which is %g", *in.From)
	}
	if in.From != nil || in.To != nil {
		request.Window = &spice.Window{From: in.From, To: in.To}
	}
	return errs.Err()
}

// simulationFault converts an error of the simulator to an error of the field of the request that
// it concerns. A defect of the simulator is not the caller's error and remains unchanged.
func simulationFault(ctx context.Context, err error, request *spice.Request) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var fault *spice.Error
	if !errors.As(err, &fault) || fault.Code == diag.Internal {
		return err
	}
	if value := givenValue(fault.Field, request); value != nil {
		return tools.InvalidValue(fault.Field, value, "%s", fault.Detail)
	}
	var errs tools.FieldErrors
	for _, e := range fault.All() {
		errs.AddLine(e.Field, e.Line, "%s", e.Detail)
	}
	return errs.Err()
}

// givenValue returns the value of a field that only the simulator checks, or nil.
func givenValue(field string, request *spice.Request) any {
	if name, ok := strings.CutPrefix(field, "options."); ok {
		return request.Options[name]
	}
	if w := request.Window; w != nil {
		switch {
		case field == "from" && w.From != nil:
			return *w.From
		case field == "to" && w.To != nil:
			return *w.To
		}
	}
	return nil
}
