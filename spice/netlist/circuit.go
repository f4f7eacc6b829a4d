// Package netlist parses SPICE netlists into flat circuit descriptions.
//
// The package handles syntax (lines, cards, numbers, expressions, subcircuits) but not the meaning
// of elements. Values are numbers, model parameters are names with numbers, and sources are lists
// of words. Parse serves the simulator, and Instances serves the board generator.
//
// Parse consists of the following phases:
//
//	dialect.go      extracts the netlist from pasted text and reads .control
//	lex.go          joins continuation lines and splits them into tokens
//	title.go        classifies line 1
//	conditional.go  selects the lines of .if blocks
//	parse.go        builds the tree of subcircuit blocks
//	flatten.go      expands the tree: nodes, scopes (scope.go), multipliers m=
//	element.go      parses an element; arguments.go parses its values, passive.go, parasitics.go,
//	                bsource.go, laplace.go, idealdiode.go and load.go convert special forms, and
//	                suffix.go warns of ambiguous units
//	cards.go        parses cards; measure.go and fft.go parse cards for results, step.go .step,
//	                userfunc.go .func, and analysiscard.go the cards of Config.Analyses
//	expr.go         compiles an expression for the stack machine of program.go; formula.go
//	                stores expressions of measures until after the analysis
//	collect.go      collects the errors of all lines
//	library.go      adds parts that the netlist does not define; missing.go reports the others
package netlist

import "strings"

// Circuit is a netlist with all subcircuits expanded and all expressions evaluated.
type Circuit struct {
	Title    string
	Elements []Element // elements in netlist order
	Nodes    []string  // node names without ground, in order of first appearance
	// InternalNodes holds the nodes inside library parts, a subset of Nodes.
	InternalNodes map[string]bool
	// Components is the number of elements, where every library part counts as one.
	Components int
	Analyses   []Analysis // analysis cards in netlist order
	IC         []NodeValue
	Nodeset    []NodeValue
	Random     bool     // random functions draw random numbers instead of nominal values
	Steps      []Step   // .step cards, and .temp cards with several temperatures, in netlist order
	TempC      *float64 // temperature of .step or .temp [°C]; nil without such a card
	TempLine   int
	Options    []Param // options in netlist order; an option without a value is 1
	Measures   []Measure
	Fourier    []FourierCard
	FFT        []FFTCard
	Save       []string // names of the vectors on .save cards, in lower case; empty for all vectors
	Warnings   []string
	// Aliases maps names of vectors in .save and Config.Vectors to canonical names: i(d.x1.d1) for
	// i(x1:d1), i(q1#c) for ic(q1), and i(x1#out) for ix(x1:out).
	Aliases map[string]string
	// Lines holds the lines of the text. Lines outside the netlist are empty. TitleLine is the
	// 1-based number of the title line, or 0 if there is none.
	Lines     []string
	TitleLine int
}

// TemperatureStep returns the card that steps the temperature, or nil. It overrides all other
// settings of the temperature.
func (c *Circuit) TemperatureStep() *Step {
	for k := range c.Steps {
		if c.Steps[k].Name == "temp" {
			return &c.Steps[k]
		}
	}
	return nil
}

// Card returns the first line of an analysis card, truncated to 60 bytes. If the line is not
// available, it returns the dot and the kind.
func (c *Circuit) Card(a Analysis) string {
	text := "." + a.Kind
	if a.Line > 0 && a.Line <= len(c.Lines) {
		if line := strings.TrimSpace(c.Lines[a.Line-1]); line != "" {
			text = line
		}
	}
	return excerpt(text)
}

// Element is one element of the flattened circuit.
type Element struct {
	// Kind is the first letter of the name in lower case. It is 'x' for a node connection of an X
	// element with m=.
	Kind     byte
	Name     string   // flattened name, such as "r1", or "r.x1.r1" inside a subcircuit instance
	Line     int      // 1-based line number in the netlist
	Nodes    []string // node names; "0" is ground
	Model    *Model   // nil if the element has no model
	Args     []Arg    // values and words after the nodes and the model, in order
	Params   []Param  // name=value pairs in netlist order
	Internal bool     // auxiliary element or part of a library part; it has no results of its own
	// Refs holds the names of the controlling elements of F, H, W and of i() in an expression. For
	// K it holds the inductors.
	Refs    []string
	BSource *BSource // expression of the source; nil if the value is not an expression
	// Parallel is the product of the multipliers m= of all enclosing instances. It is 0 if no
	// instance has m=.
	Parallel float64
	Port     *Port // port that the voltage source forms; nil if it is no port
	// Frequency is the frequency table of an E or G element with freq. It is nil for other
	// elements.
	Frequency *FrequencyTable
	// Seed is the seed of a random waveform of V and I. It is nil without .options seed and for
	// other elements.
	Seed *uint64
}

// BSource describes a source with an expression, such as a B element, or E and G with value= or
// poly.
type BSource struct {
	Output    byte // 'v' if the expression is a voltage [V], or 'i' if it is a current [A]
	Program   *Program
	Variables []Variable // arguments of Program in the order of their indices
}

// Variable is a circuit quantity in an expression.
type Variable struct {
	// Kind is 'v' for a voltage [V], 'i' for a current [A], 't' for the time [s] or 'k' for the
	// temperature [°C]. 'f' is the frequency [Hz] of a small-signal analysis, which is 0 in others.
	Kind byte
	// Plus and Minus are the nodes of a voltage, where Minus is "0" for v(a). For a current, Plus
	// is the name of the element.
	Plus, Minus string
}

// Param returns the parameter with this name, and false if the element does not have it. If a
// parameter occurs more than once, the last one counts.
func (e *Element) Param(name string) (Param, bool) {
	for i := len(e.Params) - 1; i >= 0; i-- {
		if e.Params[i].Name == name {
			return e.Params[i], true
		}
	}
	return Param{}, false
}

// Arg is a positional value or word, such as 5 or dc in "V1 a 0 dc 5".
type Arg struct {
	Text     string // word as written, in lower case
	Value    float64
	IsNumber bool
	Line     int
}

// Param is a name=value pair.
type Param struct {
	Name  string // name in lower case
	Value float64
	Text  string // word in place of a number, such as trap; otherwise empty
	Line  int
}

// Model describes a .model card.
type Model struct {
	Name   string // name in lower case
	Type   string // device type in lower case, such as "d" or "npn"
	Line   int
	Params []Param
	Unused int // line of a later .model with the same name, which is not used, or 0
}

// UnusedNote returns the end of an error message that names a later definition of the same name,
// whose line is line. It returns "" for line 0.
func UnusedNote(line int) string {
	if line == 0 {
		return ""
	}
	return "; the definition of line " + itoa(line) + " is not used"
}

// NodeValue is one v(node)=value pair of .ic or .nodeset, or i(inductor)=value of .ic.
type NodeValue struct {
	Node     string  // name of the node; "" for an inductor current
	Inductor string  // name of the inductor; "" for a voltage
	Value    float64 // node voltage [V] or current [A]
	Line     int
}

// Analysis is one analysis card.
type Analysis struct {
	Kind   string // "op", "dc", "ac", "tran", or AnalysisCard.Name of another card
	Line   int
	Sweeps []Sweep // swept sources of .dc; the first varies fastest

	Variation string  // frequency spacing of .ac: "dec", "oct", "lin" or "list"
	Points    float64 // number of points of .ac per decade or octave, or their total for lin
	From, To  float64 // lowest and highest frequency of .ac [Hz]
	// Frequencies holds the frequencies of .ac list [Hz]; nil for other spacings.
	Frequencies []float64

	Output *Operand // output of a small-signal analysis, such as v(out), v(a,b) or i(v1)
	Input  string   // name of the independent source of a small-signal analysis
	Params any      // further parameters that AnalysisCard.Read sets

	Step, Stop, Start, MaxStep float64 // times of .tran [s]; a MaxStep of 0 selects the default
	// MaxStepPlace describes the option that sets MaxStep. It is "" if the card does.
	MaxStepPlace string
	// UIC selects a start from the initial conditions of .tran instead of the operating point.
	UIC bool
	// Startup is the rise time of all independent sources of .tran [s]. It is 0 if they do not ramp
	// up.
	Startup float64
}

// Sweep is one swept source of .dc.
type Sweep struct {
	Source            string // element name, or "temp" for the temperature
	Start, Stop, Step float64
	// Values holds the values [V, A, ohm or °C] of list, dec and oct. If it is nil, Start, Stop and
	// Step apply.
	Values []float64
	Param  bool // Source is a parameter of the top level
}
