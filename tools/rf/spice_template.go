package rf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/tolerance"
)

// SpiceTemplate generates the netlist of a common circuit.
var SpiceTemplate = tools.Define(tools.Spec{
	Name:    "spice_template",
	Title:   "SPICE netlist from a template",
	Summary: "Netlist of a common circuit with your values, ready for spice_simulate or any SPICE",
	Method: "The circuit's cards with the values in full precision, models included, and one " +
		"analysis. ac sweeps three decades on either side of the characteristic frequency at 50 " +
		"points per decade; dc sweeps V1 in 100 steps; tran runs five time constants or ten " +
		"periods in 1000 steps. Nodes in, out and 0 (ground)",
	Sources: []string{
		"ngspice User's Manual, version 39 (2022), chapters 2, 3, 4, 7, 8 and 15: the cards",
		"P. Horowitz, W. Hill, The Art of Electronics, 3rd edition (2015), chapters 1, 2, 4 and 7: the circuits",
	},
	Limits: []string{
		"The op-amps are ideal but for the pole of the inverting amplifier: no swing, slew or input limits",
		"Diode and transistor are typical parts (1N4007, 2N3904)",
	},
	Aliases: []string{"netlist generator", "circuit template", "ngspice", "RC filter simulation",
		"wien bridge"},
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
	{
		Title: "Voltage divider, swept to 10 V",
		In:    `{"template": "voltage_divider", "params": {}, "analysis": "dc"}`,
		Want:  `{"component_count": 3, "analysis_type": "dc"}`,
		From:  "a source and two resistors",
	},
}

type spiceTemplateIn struct {
	Template string             `json:"template" enum:"low_pass_rc,voltage_divider,common_emitter,rc_highpass,rlc_bandpass,opamp_inverting,diode_rectifier,wien_bridge" example:"low_pass_rc" label:"Circuit template" doc:"Circuit to generate"`
	Params   map[string]float64 `json:"params" unit:"1" maxItems:"64" example:"{\"r_ohms\": 1000, \"c_farads\": 1e-7}" label:"Component values" doc:"Component values by name, in SI units; omitted names keep their defaults. The tool's metadata lists the names under templates"`
	Analysis string             `json:"analysis" enum:"ac,dc,tran" default:"ac" label:"Analysis" doc:"Analysis in the netlist"`
}

type spiceTemplateOut struct {
	Netlist        string `json:"netlist" label:"Netlist" doc:"The netlist, ready to pass to spice_simulate"`
	TemplateName   string `json:"template_name" label:"Circuit template" doc:"Name of the circuit template"`
	ComponentCount int    `json:"component_count" unit:"1" label:"Element count" doc:"Number of element cards"`
	AnalysisType   string `json:"analysis_type" label:"Analysis" doc:"Analysis in the netlist"`
	tools.Warnings
}

// Limits of parameter values. Values beyond them are unrealistic and would cause numerical problems
// in a simulator.
const (
	smallestPart, largestPart = 1e-18, 1e15 // R, L, C and frequency, in SI units
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
		return out, tools.Invalid("params.v_source",
			"must not be 0 for a dc analysis, which sweeps it")
	}
	c := circuit{v: v, analysis: in.Analysis}
	t.build(&c)
	if c.f0 < lowestHz || c.f0 > highestHz || math.IsNaN(c.f0) {
		var f tools.FieldErrors
		for _, p := range t.Params {
			if _, given := in.Params[p.Name]; given {
				f.AddValue("params."+p.Name, v[p.Name],
					"leads to a characteristic frequency of %g Hz; it must be %g to %g Hz",
					tolerance.RoundOutside(c.f0, lowestHz, highestHz, 4), lowestHz, highestHz)
			}
		}
		return out, f.Err()
	}
	out.Netlist = c.netlist(t.Title)
	out.ComponentCount = c.elements
	return out, nil
}

// values merges the given parameters with the defaults. It adds warnings about unknown names.
func (t *circuitTemplate) values(
	given map[string]float64, w *tools.Warnings,
) (map[string]float64, error) {
	var errs tools.FieldErrors
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
			errs.AddValue("params."+p.Name, x, "must be %g to %g V", -largestVolts, largestVolts)
		case p.Unit != "V" && x <= 0:
			errs.AddValue("params."+p.Name, x, "must be greater than 0")
		case p.Unit != "V" && (x < smallestPart || x > largestPart):
			errs.AddValue("params."+p.Name, x, "must be %g to %g %s", smallestPart,
				largestPart, p.Unit)
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
		w.Warn("unknown parameter %.64q was ignored; %s takes %s", name, t.Name,
			strings.Join(names, ", "))
	}
	return v, errs.Err()
}

// circuitTemplate is a circuit with adjustable values. It is part of the metadata of
// spice_template.
type circuitTemplate struct {
	Name   string         `json:"name"`
	Title  string         `json:"title"`
	Params []circuitParam `json:"params"`
	build  func(*circuit)
}

type circuitParam struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Default float64 `json:"default"`
	Doc     string  `json:"description"`
}

var circuitTemplates = []*circuitTemplate{
	{"low_pass_rc", "RC low-pass filter", []circuitParam{
		{"r_ohms", "Ω", 1000, "Series resistor"},
		{"c_farads", "F", 1e-7, "Capacitor from the output to ground"},
		{"v_source", "V", 1, "Source: AC magnitude, step, end of the sweep"},
	}, lowPassRC},
	{"voltage_divider", "Voltage divider", []circuitParam{
		{"r1_ohms", "Ω", 10e3, "Resistor from input to output"},
		{"r2_ohms", "Ω", 10e3, "Resistor from output to ground"},
		{"v_source", "V", 10, "Source voltage"},
	}, voltageDivider},
	{"common_emitter", "Common-emitter amplifier", []circuitParam{
		{"vcc", "V", 12, "Supply"},
		{"r1_ohms", "Ω", 47e3, "Base resistor to the supply"},
		{"r2_ohms", "Ω", 10e3, "Base resistor to ground"},
		{"rc_ohms", "Ω", 2200, "Collector resistor"},
		{"re_ohms", "Ω", 470, "Emitter resistor"},
		{"c_in_farads", "F", 1e-5, "Coupling capacitor to the base"},
		{"c_out_farads", "F", 1e-5, "Coupling capacitor to the load"},
		{"ce_farads", "F", 1e-4, "Bypass capacitor across the emitter resistor"},
		{"r_load_ohms", "Ω", 10e3, "Load"},
		{"v_source", "V", 0.01, "Signal: AC magnitude, peak of the sine"},
	}, commonEmitter},
	{"rc_highpass", "RC high-pass filter", []circuitParam{
		{"r_ohms", "Ω", 1000, "Resistor from the output to ground"},
		{"c_farads", "F", 1e-7, "Series capacitor"},
		{"v_source", "V", 1, "Source: AC magnitude, step, end of the sweep"},
	}, rcHighPass},
	{"rlc_bandpass", "Series RLC band-pass filter", []circuitParam{
		{"r_ohms", "Ω", 50, "Resistor from the output to ground"},
		{"l_henries", "H", 1e-3, "Series inductor"},
		{"c_farads", "F", 1e-8, "Series capacitor"},
		{"v_source", "V", 1, "Source: AC magnitude, peak of the sine"},
	}, rlcBandPass},
	{"opamp_inverting", "Inverting op-amp amplifier", []circuitParam{
		{"r_in_ohms", "Ω", 1000, "Input resistor"},
		{"r_f_ohms", "Ω", 10e3, "Feedback resistor"},
		{"v_source", "V", 0.1, "Source: AC magnitude, peak of the sine"},
	}, opAmpInverting},
	{"diode_rectifier", "Half-wave rectifier with smoothing capacitor", []circuitParam{
		{"v_source", "V", 10, "Peak of the source"},
		{"freq_hz", "Hz", 50, "Frequency of the source"},
		{"r_load_ohms", "Ω", 1000, "Load"},
		{"c_farads", "F", 1e-4, "Smoothing capacitor"},
	}, diodeRectifier},
	{"wien_bridge", "Wien-bridge oscillator", []circuitParam{
		{"r_ohms", "Ω", 10e3, "Both resistors of the bridge"},
		{"c_farads", "F", 1.6e-8, "Both capacitors of the bridge"},
		{"r_f_ohms", "Ω", 20500,
			"Feedback resistor of the amplifier; it oscillates when this is above twice r_g_ohms"},
		{"r_g_ohms", "Ω", 10e3, "Resistor from the inverting input to ground"},
		{"v_source", "V", 1, "Source at the bridge; the oscillator starts from a hundredth of it"},
	}, wienBridge},
}

func findCircuit(name string) *circuitTemplate {
	for _, t := range circuitTemplates {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// circuit is a netlist under construction.
type circuit struct {
	v        map[string]float64
	analysis string

	cards    []string
	elements int
	f0       float64 // characteristic frequency [Hz], the centre of the ac sweep
	stop     float64 // end time of the transient [s]
	oneSided bool    // dc sweep starts at 0 instead of -v_source
}

// add adds an element card of words and numbers.
func (c *circuit) add(words ...any) {
	c.elements++
	var b strings.Builder
	for i, w := range words {
		text, ok := w.(string)
		if !ok {
			text = c.number(w.(float64))
		}
		if i > 0 && text != ")" {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	c.cards = append(c.cards, b.String())
}

// model adds a card that is not an element.
func (c *circuit) model(card string) { c.cards = append(c.cards, card) }

// number formats a number in plain or exponent notation. A given value parses as the same double. A
// computed value becomes the shortest decimal within 1e-12. number uses no scale suffix because
// "1M" means milli in SPICE.
func (c *circuit) number(x float64) string {
	if x == 0 {
		return "0" // not "-0"
	}
	for _, given := range c.v {
		if math.Abs(x) == math.Abs(given) {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	for digits := 1; digits < 17; digits++ {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
		if math.Abs(short-x) <= 1e-12*math.Abs(x) {
			return strconv.FormatFloat(short, 'g', -1, 64)
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// step adds V1 as a permanent step to v at time 0. Its rise time is a millionth of the run because
// SPICE replaces a rise time of zero by a complete time step.
func (c *circuit) step(v float64) {
	c.add("V1 in 0 DC", v, "AC", v, "PULSE(0", v, "0", c.stop/1e6, c.stop/1e6, 2*c.stop,
		4*c.stop, ")")
}

// netlist returns the complete text. SPICE takes the first line as a title, regardless of its
// content.
func (c *circuit) netlist(title string) string {
	v := c.v["v_source"]
	lines := append([]string{"* " + title}, c.cards...)
	switch c.analysis {
	case "ac":
		lines = append(lines, fmt.Sprintf(".ac dec 50 %s %s", c.number(c.f0/1000),
			c.number(c.f0*1000)))
	case "dc":
		lo, hi := -math.Abs(v), math.Abs(v)
		if c.oneSided {
			lo, hi = math.Min(0, v), math.Max(0, v)
		}
		lines = append(lines,
			fmt.Sprintf(".dc V1 %s %s %s", c.number(lo), c.number(hi), c.number((hi-lo)/100)))
	case "tran":
		lines = append(lines, fmt.Sprintf(".tran %s %s", c.number(c.stop/1000), c.number(c.stop)))
	}
	return strings.Join(append(lines, ".end"), "\n") + "\n"
}

func lowPassRC(c *circuit) {
	r, farads := c.v["r_ohms"], c.v["c_farads"]
	c.f0, c.stop = 1/(2*math.Pi*r*farads), 5*r*farads
	c.step(c.v["v_source"])
	c.add("R1 in out", r)
	c.add("C1 out 0", farads)
}

func rcHighPass(c *circuit) {
	r, farads := c.v["r_ohms"], c.v["c_farads"]
	c.f0, c.stop = 1/(2*math.Pi*r*farads), 5*r*farads
	c.step(c.v["v_source"])
	c.add("C1 in out", farads)
	c.add("R1 out 0", r)
}

// sine adds V1 as a sine with peak v and frequency f. The other analyses use its DC value dc. The
// transient lasts ten periods.
func (c *circuit) sine(dc, v, f float64) {
	c.stop = 10 / f
	c.add("V1 in 0 DC", dc, "AC", v, "SIN(0", v, f, ")")
}

func voltageDivider(c *circuit) {
	v := c.v["v_source"]
	c.f0 = 1000 // centre of the sweep; the circuit has no characteristic frequency
	c.oneSided = true
	c.sine(v, v, c.f0)
	c.add("R1 in out", c.v["r1_ohms"])
	c.add("R2 out 0", c.v["r2_ohms"])
}

func rlcBandPass(c *circuit) {
	v, l, farads := c.v["v_source"], c.v["l_henries"], c.v["c_farads"]
	c.f0 = 1 / (2 * math.Pi * math.Sqrt(l) * math.Sqrt(farads))
	c.sine(0, v, c.f0)
	c.add("L1 in mid", l)
	c.add("C1 mid out", farads)
	c.add("R1 out 0", c.v["r_ohms"])
}

// commonEmitter adds the four-resistor stage. Its characteristic frequency is ten times the highest
// corner frequency of its three capacitors, so the centre of the sweep is in the passband.
func commonEmitter(c *circuit) {
	v := c.v
	base := 1 / (1/v["r1_ohms"] + 1/v["r2_ohms"])
	emitterVolts := math.Max(0.05, math.Abs(v["vcc"])*base/v["r1_ohms"]-0.65)
	dynamic := 0.02585 * v["re_ohms"] / emitterVolts // kT/q divided by the emitter current [Ω]
	const beta = 200
	input := 1 / (1/base + 1/(beta*dynamic))
	shortest := min(v["c_in_farads"]*input, v["c_out_farads"]*(v["rc_ohms"]+v["r_load_ohms"]),
		v["ce_farads"]/(1/dynamic+1/v["re_ohms"]))
	c.f0 = 10 / (2 * math.Pi * shortest)
	c.sine(0, v["v_source"], c.f0)
	c.add("VCC vcc 0 DC", v["vcc"])
	c.add("R1 vcc base", v["r1_ohms"])
	c.add("R2 base 0", v["r2_ohms"])
	c.add("RC vcc collector", v["rc_ohms"])
	c.add("RE emitter 0", v["re_ohms"])
	c.add("RL out 0", v["r_load_ohms"])
	c.add("CIN in base", v["c_in_farads"])
	c.add("COUT collector out", v["c_out_farads"])
	c.add("CE emitter 0", v["ce_farads"])
	c.add("Q1 collector base emitter Q2N3904")
	// Typical 2N3904, with the Gummel-Poon parameters of most vendor libraries.
	c.model(".model Q2N3904 NPN(IS=6.734e-15 XTI=3 EG=1.11 VAF=74.03 BF=416.4 NE=1.259 ISE=6.734e-15 IKF=0.06678 XTB=1.5 " +
		"BR=0.7371 NC=2 ISC=0 IKR=0 RC=1 CJC=3.638e-12 MJC=0.3085 VJC=0.75 FC=0.5 CJE=4.493e-12 MJE=0.2593 VJE=0.75 " +
		"TR=2.395e-07 TF=3.012e-10 ITF=0.4 VTF=4 XTF=2 RB=10)")
}

// opAmpInverting adds an op-amp with a gain of 1e5 and a pole at 10 Hz. Its gain-bandwidth product
// is thus 1 MHz. The noise gain 1 + Rf/Rin determines the corner frequency of the closed loop.
func opAmpInverting(c *circuit) {
	v, in, f := c.v["v_source"], c.v["r_in_ohms"], c.v["r_f_ohms"]
	const gain, pole = 1e5, 10.0
	c.f0 = gain * pole / (1 + f/in)
	c.sine(v, v, c.f0/100) // well within the passband
	c.add("RIN in inv", in)
	c.add("RF inv out", f)
	c.add("EGAIN stage 0 0 inv", gain)
	c.add("RPOLE stage pole 1000")
	c.add("CPOLE pole 0", 1/(2*math.Pi*pole*1000))
	c.add("EOUT out 0 pole 0 1")
}

func diodeRectifier(c *circuit) {
	v := c.v["v_source"]
	c.f0 = c.v["freq_hz"]
	c.sine(v, v, c.f0)
	c.add("D1 in out D1N4007")
	c.add("C1 out 0", c.v["c_farads"])
	c.add("RL out 0", c.v["r_load_ohms"])
	// Typical 1N4007: 0.66 V at 10 mA, 0.9 V at 1 A.
	c.model(
		".model D1N4007 D(IS=7.02767e-09 RS=0.0341512 N=1.80803 EG=1.05743 XTI=5 BV=1000 IBV=5e-08 CJO=1e-11 VJ=0.7 M=0.5 FC=0.5 TT=1e-07)",
	)
}

// wienBridge adds a bridge from node in to out, followed by a non-inverting amplifier. In ac and dc
// analyses, V1 drives the bridge and the loop is open. In tran, V1 connects the amplifier's output
// to the bridge and starts the closed loop with a small step. Two diodes across the feedback
// resistor limit the amplitude, as in real circuits.
func wienBridge(c *circuit) {
	v, r, farads := c.v["v_source"], c.v["r_ohms"], c.v["c_farads"]
	c.f0 = 1 / (2 * math.Pi * r * farads)
	c.stop = 10 / c.f0
	if c.analysis == "tran" {
		edge := c.stop / 1e5
		c.add("V1 in amp DC 0 PULSE(0", v/100, "0", edge, edge, 2*c.stop, 4*c.stop, ")")
	} else {
		c.add("V1 in 0 DC 0 AC", v)
	}
	c.add("R1 in arm", r)
	c.add("C1 arm out", farads)
	c.add("R2 out 0", r)
	c.add("C2 out 0", farads)
	c.add("EAMP amp 0 out fb 100000")
	c.add("RF amp fb", c.v["r_f_ohms"])
	c.add("RG fb 0", c.v["r_g_ohms"])
	c.add("D1 amp fb D1N4148")
	c.add("D2 fb amp D1N4148")
	// Typical 1N4148 without charge storage, which would only slow the simulation.
	c.model(".model D1N4148 D(IS=2.52e-09 RS=0.568 N=1.752)")
}
