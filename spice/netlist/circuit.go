// Package netlist reads SPICE netlists into flat circuit descriptions.
//
// It knows how the text is written (lines, cards, numbers, expressions,
// subcircuits) and nothing about what an element does: values stay numbers,
// model parameters stay names with numbers, sources stay lists of words. The
// simulator and the board maker both start from what Parse gives.
//
// The way through: dialect.go finds the netlist in the text and reads .control; title.go
// classifies line 1; lex.go joins
// continuation lines and cuts them into tokens,
// parse.go sorts the lines into a tree of subcircuit blocks, flatten.go expands
// that tree and evaluates every expression in its scope, cards.go reads the
// lines that start with a dot; of them measure.go reads .measure and .four, whose numbers
// formula.go keeps for after the analysis. expr.go compiles expressions for the stack machine of
// program.go, with the functions of functions.go; behaviour.go reads sources that are
// one, parasitics.go makes elements of rser= and the like. library.go brings in the parts that the text
// uses and does not define; missing.go names what it does not have. step.go, userfunc.go and
// passive.go read .step, .func and the models of R, C and L.
package netlist

import "strings"

// Circuit is a netlist with all subcircuits expanded and all expressions evaluated.
type Circuit struct {
	Title    string
	Elements []Element // in the order of the text
	Nodes    []string  // without ground, in order of first appearance
	// InternalNodes are the nodes inside library parts, which are part of Nodes too.
	InternalNodes map[string]bool
	// Components counts the elements with every library part as one.
	Components int
	Analyses   []Analysis // analysis cards in order
	IC         []NodeValue
	Nodeset    []NodeValue
	TempC      *float64 // .temp, °C; nil when the card is missing
	TempLine   int
	Options    []Param // .options, in order; a flag without a value is 1
	Measures   []Measure
	Fourier    []FourierCard
	FFT        []FFTCard
	Save       []string // vectors named by .save, .print and .plot, lower case; empty: all
	Warnings   []string
	// Lines is the text, one element per line; empty where it is not read as netlist. TitleLine
	// is the 1-based number of the title line, 0 when there is none.
	Lines     []string
	TitleLine int
}

// Card is the text of an analysis card, at most 60 bytes, without continuation lines.
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
	Line     int      // 1-based line of its definition
	Nodes    []string // "0" is ground
	Model    *Model   // nil for elements without one
	Args     []Arg    // values and words after the nodes and the model
	Params   []Param  // name=value pairs
	Internal bool     // one of several inside a part of the library: no result of its own
	// Refs are the elements whose current controls this one (F H W, or i() in a behavioural
	// source), or the inductors that K couples.
	Refs    []string
	BSource *BSource // of a behavioural source; nil for all others
	// Parallel is the product of the m= of all instances around the element; 0: there are none.
	Parallel float64
}

// BSource is what a behavioural source does: B, and E and G with value= or poly.
type BSource struct {
	Output    byte // 'v' or 'i': what the expression gives, V or A
	Program   *Program
	Variables []Variable // the numbers the program takes, in this order
}

// Variable is a quantity of the circuit that an expression uses.
type Variable struct {
	Kind byte // 'v', 'i', 't' for the time [s] or 'k' for the temperature [°C]
	// Plus and Minus are nodes, or Plus is an element; as v(a) with Minus "0".
	Plus, Minus string
}

// Param gives a parameter's value by name.
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
	Text  string // as written when the value is a word, such as trap
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
	Sweeps []Sweep // dc: first is the fastest

	Variation string  // ac: "dec", "oct", "lin"
	Points    float64 // ac: points per decade or octave, or in total
	From, To  float64 // ac: Hz

	Output *Operand // what a small-signal analysis is about: v(out), v(a,b), i(v1)
	Input  string   // the independent source that drives it
	Params any      // what else the Read of an AnalysisCard found

	Step, Stop, Start, MaxStep float64 // tran: s; MaxStep 0 when not given
	UIC                        bool    // tran: use initial conditions
	Startup                    float64 // tran: rise time of all independent sources, s; 0: none
}

// Sweep is one swept quantity of .dc.
type Sweep struct {
	Source            string // element name, or "temp"
	Start, Stop, Step float64
}
