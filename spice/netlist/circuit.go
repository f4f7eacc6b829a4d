// Package netlist reads SPICE netlists into flat circuit descriptions.
//
// The package reads syntax (lines, cards, numbers, expressions, subcircuits) without the meaning of
// elements: values are numbers, model parameters are names with numbers, sources are lists of
// words. Parse is the input of the simulator, Instances that of the board generator.
//
// The phases of Parse and their files:
//
//	dialect.go      extracts the netlist from pasted text, reads .control
//	lex.go          joins continuation lines, splits them into tokens
//	title.go        classifies line 1
//	parse.go        builds the tree of subcircuit blocks
//	flatten.go      expands the tree: nodes, scopes (scope.go), m= (multiplier pins)
//	element.go      reads an element; passive.go, parasitics.go, bsource.go, laplace.go and
//	                idealdiode.go convert special forms
//	cards.go        reads cards; measure.go and fft.go those on results, step.go .step,
//	                userfunc.go .func, analysiscard.go those of Config.Analyses
//	expr.go         compiles an expression for the stack machine of program.go; formula.go
//	                keeps those of measures until after the analysis
//	library.go      adds parts that the netlist does not define; missing.go reports the others
package netlist

import "strings"

// Circuit is a netlist with all subcircuits expanded and all expressions evaluated.
type Circuit struct {
	Title    string
	Elements []Element // in the order of the text
	Nodes    []string  // without ground, in order of first appearance
	// InternalNodes are the nodes inside library parts, a subset of Nodes.
	InternalNodes map[string]bool
	// Components is the number of elements, with every library part as one.
	Components int
	Analyses   []Analysis // analysis cards in order
	IC         []NodeValue
	Nodeset    []NodeValue
	Random     bool     // random functions draw numbers
	Steps      []Step   // .step, and .temp with several temperatures
	TempC      *float64 // .temp, °C; nil without the card
	TempLine   int
	Options    []Param // .options, in order; a flag without a value is 1
	Measures   []Measure
	Fourier    []FourierCard
	FFT        []FFTCard
	Save       []string // vectors named by .save, .print and .plot, lower case; empty: all
	Warnings   []string
	// Lines is the text by lines; lines outside of the netlist are empty. TitleLine is the 1-based
	// number of the title line, 0 without one.
	Lines     []string
	TitleLine int
}

// Card returns the text of an analysis card, at most 60 bytes, without continuation lines.
func (c *Circuit) Card(a Analysis) string {
	text := "." + a.Kind
	if a.Line > 0 && a.Line <= len(c.Lines) {
		if line := strings.TrimSpace(c.Lines[a.Line-1]); line != "" {
			text = line
		}
	}
	return excerpt(text)
}

// Element is one flattened element.
type Element struct {
	Kind     byte     // first letter of the name, lower case; 'x': a pin of an X with m=
	Name     string   // "r1", or "r.x1.r1" inside a subcircuit instance
	Line     int      // 1-based
	Nodes    []string // "0" is ground
	Model    *Model   // nil for elements without one
	Args     []Arg    // values and words after the nodes and the model
	Params   []Param  // name=value pairs
	Internal bool     // inside a library part of several elements: not in results
	// Refs are the controlling elements of F, H, W and i() in an expression, or the inductors of K.
	Refs    []string
	BSource *BSource // expression of a source; nil for other elements
	// Parallel is the product of m= of all enclosing instances; 0 without m=.
	Parallel float64
	Port     *Port // of a voltage source that is a port; nil: none
}

// BSource is a source with an expression: B, or E and G with value= or poly.
type BSource struct {
	Output    byte // 'v' or 'i': the expression is a voltage [V] or current [A]
	Program   *Program
	Variables []Variable // arguments of Program, in order
}

// Variable is a circuit quantity in an expression.
type Variable struct {
	Kind byte // 'v', 'i', 't' for the time [s] or 'k' for the temperature [°C]
	// Plus and Minus are nodes (Minus "0" for v(a)), or Plus is an element.
	Plus, Minus string
}

// Param returns a parameter by name. The last one counts.
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
	Text     string // as written, lower case
	Value    float64
	IsNumber bool
	Line     int
}

// Param is a name=value pair.
type Param struct {
	Name  string // lower case
	Value float64
	Text  string // the word if the value is one, such as trap
	Line  int
}

// Model is a .model card.
type Model struct {
	Name   string // lower case
	Type   string // "d", "npn", ..., lower case
	Line   int
	Params []Param
}

// NodeValue is one v(node)=value of .ic or .nodeset.
type NodeValue struct {
	Node  string
	Value float64 // V
	Line  int
}

// Analysis is one analysis card.
type Analysis struct {
	Kind   string // "op", "dc", "ac", "tran", or the name of an AnalysisCard
	Line   int
	Sweeps []Sweep // dc: the first varies fastest

	Variation string  // ac: "dec", "oct", "lin"
	Points    float64 // ac: points per decade or octave, or in total
	From, To  float64 // ac: Hz

	Output *Operand // output of a small-signal analysis: v(out), v(a,b), i(v1)
	Input  string   // its independent source
	Params any      // further results of AnalysisCard.Read

	Step, Stop, Start, MaxStep float64 // tran: s; MaxStep 0: default
	UIC                        bool    // tran: use initial conditions
	Startup                    float64 // tran: rise time of all independent sources, s; 0: none
}

// Sweep is one swept quantity of .dc.
type Sweep struct {
	Source            string // element name, or "temp"
	Start, Stop, Step float64
}
