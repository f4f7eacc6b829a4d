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
//	parse.go        builds the tree of subcircuit blocks
//	flatten.go      expands the tree: nodes, scopes (scope.go), m= (multiplier pins)
//	element.go      parses an element; passive.go, parasitics.go, bsource.go, laplace.go and
//	                idealdiode.go convert special forms
//	cards.go        parses cards; measure.go and fft.go parse cards for results, step.go .step,
//	                userfunc.go .func, and analysiscard.go the cards of Config.Analyses
//	expr.go         compiles an expression for the stack machine of program.go; formula.go
//	                stores expressions of measures until after the analysis
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
	Analyses   []Analysis // analysis cards in order
	IC         []NodeValue
	Nodeset    []NodeValue
	Random     bool     // random functions draw random numbers
	Steps      []Step   // .step cards, and .temp cards with several temperatures
	TempC      *float64 // temperature of .temp, °C; nil without the card
	TempLine   int
	Options    []Param // options in order; a flag without a value is 1
	Measures   []Measure
	Fourier    []FourierCard
	FFT        []FFTCard
	Save       []string // vectors of .save, .print and .plot, lower case; empty for all
	Warnings   []string
	// Lines holds the lines of the text. Lines outside the netlist are empty. TitleLine is the
	// 1-based number of the title line, or 0 if there is none.
	Lines     []string
	TitleLine int
}

// Card returns the text of an analysis card without continuation lines. The text is truncated to 60
// bytes.
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
	Kind     byte     // first letter of the name, lower case; 'x' for a pin of an X with m=
	Name     string   // "r1", or "r.x1.r1" inside a subcircuit instance
	Line     int      // line number, 1-based
	Nodes    []string // "0" is ground
	Model    *Model   // nil if the element has no model
	Args     []Arg    // values and words after the nodes and the model
	Params   []Param  // name=value pairs
	Internal bool     // inside a library part of several elements, so not in the results
	// Refs holds the controlling elements of F, H, W and of i() in an expression, or the inductors
	// of K.
	Refs    []string
	BSource *BSource // expression of a source; nil for other elements
	// Parallel is the product of the multipliers m= of all enclosing instances, or 0 if none is
	// given.
	Parallel float64
	Port     *Port // port of a voltage source, or nil
	// Frequency is the transfer function of E and G with freq; nil: none.
	Frequency *FrequencyTable
}

// BSource describes a source with an expression: B, or E and G with value= or poly.
type BSource struct {
	Output    byte // 'v' or 'i': the expression is a voltage [V] or a current [A]
	Program   *Program
	Variables []Variable // arguments of Program, in order
}

// Variable is a circuit quantity in an expression.
type Variable struct {
	Kind byte // 'v', 'i', 't' for the time [s] or 'k' for the temperature [°C]
	// Plus and Minus are nodes, where Minus is "0" for v(a). For a current, Plus is the element.
	Plus, Minus string
}

// Param returns a parameter by name. If a parameter occurs more than once, the last one counts.
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
	Text     string // text as written, in lower case
	Value    float64
	IsNumber bool
	Line     int
}

// Param is a name=value pair.
type Param struct {
	Name  string // name in lower case
	Value float64
	Text  string // value if it is a word, such as trap
	Line  int
}

// Model describes a .model card.
type Model struct {
	Name   string // name in lower case
	Type   string // "d", "npn", ..., lower case
	Line   int
	Params []Param
}

// NodeValue is one v(node)=value pair of .ic or .nodeset.
type NodeValue struct {
	Node  string
	Value float64 // node voltage, V
	Line  int
}

// Analysis is one analysis card.
type Analysis struct {
	Kind   string // "op", "dc", "ac", "tran", or the name of an AnalysisCard
	Line   int
	Sweeps []Sweep // dc: swept variables, the first varies fastest

	Variation string  // ac: "dec", "oct", "lin"
	Points    float64 // ac: points per decade or octave, or in total
	From, To  float64 // ac: frequency range, Hz

	Output *Operand // output of a small-signal analysis: v(out), v(a,b), i(v1)
	Input  string   // independent source of a small-signal analysis
	Params any      // additional parameters from AnalysisCard.Read

	Step, Stop, Start, MaxStep float64 // tran: times, s; MaxStep is 0 for the default
	UIC                        bool    // tran: use initial conditions
	Startup                    float64 // tran: rise time of all independent sources, s; 0 if none
}

// Sweep is one swept variable of .dc.
type Sweep struct {
	Source            string // element name, or "temp"
	Start, Stop, Step float64
}
