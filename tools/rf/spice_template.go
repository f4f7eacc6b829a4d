package rf

import (
	"context"
	"math"
	"slices"
	"strings"

	"slipstick/tools"
)

// SpiceTemplate writes the netlist of a common circuit.
var SpiceTemplate = tools.Define(tools.Spec{
	Name:    "spice_template",
	Title:   "SPICE netlist from a template",
	Summary: "Netlist of a common circuit with your values, ready for spice_simulate or any SPICE",
	Method: "The circuit's cards with the values in full precision, models included, and one analysis: ac sweeps three decades on " +
		"either side of the characteristic frequency at 50 points a decade; dc sweeps V1 in 100 steps; tran runs five time constants " +
		"or ten periods in 1000 steps. Nodes in, out and 0 (ground)",
	Sources: []string{
		"ngspice User's Manual, version 39 (2022), chapters 2, 3, 4, 7, 8 and 15: the cards",
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), chapters 1, 2, 4 and 7: the circuits",
	},
	Limits: []string{
		"The op-amps are ideal but for the pole of the inverting amplifier: no swing, slew or input limits",
		"Diode and transistor are typical parts (1N4007, 2N3904)",
	},
	Aliases:  []string{"netlist generator", "circuit template", "ngspice", "RC filter simulation", "wien bridge"},
	Primary:  []string{"netlist"},
	Examples: spiceTemplateExamples,
	Extras:   map[string]any{"templates": circuitTemplates},
}, spiceTemplate)

var spiceTemplateExamples = []tools.Example{
	{
		Title: "RC low-pass, 1 kΩ and 100 nF",
		In:    `{"template": "low_pass_rc", "params": {"r_ohms": 1000, "c_farads": 1e-7, "v_source": 1}}`,
		Want: `{"template_name": "low_pass_rc", "component_count": 3, "analysis_type": "ac", "warnings": [],
			"netlist": "* RC low-pass filter\nV1 in 0 DC 1 AC 1 PULSE(0 1 0 5e-10 5e-10 0.001 0.002)\nR1 in out 1000\nC1 out 0 1e-07\n.ac dec 50 1.59154943092 1.59154943092e+06\n.end\n"}`,
		From: "f0 = 1/(2π · 1 kΩ · 100 nF) = 1591.549430918953 Hz",
	},
	{
		Title: "Common emitter with the default parts, transient",
		In:    `{"template": "common_emitter", "params": {}, "analysis": "tran"}`,
		Want:  `{"component_count": 11, "analysis_type": "tran"}`,
		From:  "two sources, five resistors, three capacitors, one transistor",
	},
}

type spiceTemplateIn struct {
	Template string             `json:"template" enum:"low_pass_rc,voltage_divider,common_emitter,rc_highpass,rlc_bandpass,opamp_inverting,diode_rectifier,wien_bridge" example:"low_pass_rc" label:"Circuit template" doc:"The circuit"`
	Params   map[string]float64 `json:"params" unit:"1" maxItems:"64" example:"{\"r_ohms\": 1000, \"c_farads\": 1e-7}" label:"Component values" doc:"Values by name, in SI units; a name that is left out has its default, and {} uses all defaults. The metadata of the tool lists the names under templates"`
	Analysis string             `json:"analysis" enum:"ac,dc,tran" default:"ac" label:"Analysis" doc:"Analysis of the netlist"`
}

type spiceTemplateOut struct {
	Netlist        string `json:"netlist" label:"Netlist" doc:"The netlist, ready to pass to spice_simulate"`
	TemplateName   string `json:"template_name" label:"Circuit template" doc:"The circuit"`
	ComponentCount int    `json:"component_count" unit:"1" label:"Element count" doc:"Number of element cards"`
	AnalysisType   string `json:"analysis_type" label:"Analysis" doc:"The analysis the netlist asks for"`
	tools.Warnings
}

// Values outside these bounds are no parts and would only drive a simulator's arithmetic to its ends.
const (
	smallestPart, largestPart = 1e-18, 1e15 // R, L, C, frequency, in SI units
	largestVolts              = 1e9
	lowestHz, highestHz       = 1e-9, 1e15 // characteristic frequency
)

func spiceTemplate(_ context.Context, in spiceTemplateIn) (spiceTemplateOut, error) {
	out := spiceTemplateOut{TemplateName: in.Template, AnalysisType: in.Analysis}
	t := findCircuit(in.Template)
	v, err := t.values(in.Params, &out.Warnings)
	if err != nil {
		return out, err
	}
	if in.Analysis == "dc" && v["v_source"] == 0 {
		return out, tools.Invalid("params.v_source", "must not be 0 for a dc analysis, which sweeps it")
	}
	c := circuit{v: v, analysis: in.Analysis}
	t.build(&c)
	if c.f0 < lowestHz || c.f0 > highestHz || math.IsNaN(c.f0) {
		var f tools.FieldErrors
		for _, p := range t.Params {
			if _, given := in.Params[p.Name]; given {
				f.AddValue("params."+p.Name, v[p.Name], "leads to a characteristic frequency of %.4g Hz; it must be %g to %g Hz", c.f0, lowestHz, highestHz)
			}
		}
		return out, f.Err()
	}
	out.Netlist = c.netlist(t.Title)
	out.ComponentCount = c.elements
	return out, nil
}

// values are the parameters given over the defaults. Unknown names are warned of.
func (t *circuitTemplate) values(given map[string]float64, w *tools.Warnings) (map[string]float64, error) {
	var faults tools.FieldErrors
	v := map[string]float64{}
	names := make([]string, len(t.Params))
	for i, p := range t.Params {
		names[i] = p.Name
		x, ok := given[p.Name]
		if !ok {
			x = p.Default
		}
		v[p.Name] = x
		switch {
		case p.Unit == "V" && math.Abs(x) > largestVolts:
			faults.AddValue("params."+p.Name, x, "must be %g to %g V", -largestVolts, largestVolts)
		case p.Unit != "V" && x <= 0:
			faults.AddValue("params."+p.Name, x, "must be greater than 0")
		case p.Unit != "V" && (x < smallestPart || x > largestPart):
			faults.AddValue("params."+p.Name, x, "must be %g to %g %s", smallestPart, largestPart, p.Unit)
		}
	}
	var unknown []string
	for name := range given {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		w.Warn("unknown parameter %.64q was ignored; %s takes %s", name, t.Name, strings.Join(names, ", "))
	}
	return v, faults.Err()
}
