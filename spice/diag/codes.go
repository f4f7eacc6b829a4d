// Package diag defines the errors of simulation requests.
//
// Every layer of the simulator returns *Error with one of the codes below. A code keeps its name
// and meaning, because pages and clients refer to it. The comment of each code is shown to users.
package diag

// Code identifies a kind of error.
type Code string

const (
	// EmptyNetlist means the text has no netlist line.
	EmptyNetlist Code = "empty_netlist"
	// NetlistTooLong means the text is larger than one mebibyte.
	NetlistTooLong Code = "netlist_too_long"
	// NoEnd means the .end card that closes every netlist is missing.
	NoEnd Code = "no_end"
	// NoAnalysis means there is no analysis card to run.
	NoAnalysis Code = "no_analysis"
	// AnalysisMissing means the request asks for an analysis the netlist has no card for.
	AnalysisMissing Code = "analysis_missing"
	// NoElements means the netlist has no elements.
	NoElements Code = "no_elements"
	// Syntax means a line cannot be read.
	Syntax Code = "syntax"
	// StrayContinuation means a continuation line (+) has no line before it.
	StrayContinuation Code = "stray_continuation"
	// UnknownElement means the first letter of an element is not a supported kind.
	UnknownElement Code = "unknown_element"
	// UnknownCard means a line starts with a dot and a word that is not a known card.
	UnknownCard Code = "unknown_card"
	// ForbiddenCard means a card reads a file or runs a script, which is not allowed.
	ForbiddenCard Code = "forbidden_card"
	// NotAvailable means a feature is known but not supported yet.
	NotAvailable Code = "not_available"
	// MissingNode means an element has fewer nodes than its kind needs.
	MissingNode Code = "missing_node"
	// MissingValue means an element or a card lacks a required number.
	MissingValue Code = "missing_value"
	// BadNumber means the text is not a finite number where one is required.
	BadNumber Code = "bad_number"
	// BadValue means a number is outside its valid range.
	BadValue Code = "bad_value"
	// BadExpression means a {..} or '..' expression cannot be evaluated.
	BadExpression Code = "bad_expression"
	// UnknownParameter means an expression uses a name that no .param defines.
	UnknownParameter Code = "unknown_parameter"
	// ParameterCycle means parameters depend on each other in a cycle.
	ParameterCycle Code = "parameter_cycle"
	// DuplicateElement means two elements have the same name.
	DuplicateElement Code = "duplicate_element"
	// DuplicateDefinition means a model, subcircuit or parameter is defined twice in one scope.
	DuplicateDefinition Code = "duplicate_definition"
	// UnknownModel means an element names a model that no .model card defines.
	UnknownModel Code = "unknown_model"
	// WrongModelType means an element names a model of another element kind.
	WrongModelType Code = "wrong_model_type"
	// UnknownSubcircuit means an X line names a subcircuit that is not defined.
	UnknownSubcircuit Code = "unknown_subcircuit"
	// SubcircuitRecursion means a subcircuit contains itself.
	SubcircuitRecursion Code = "subcircuit_recursion"
	// SubcircuitPins means an X line has more or fewer nodes than the subcircuit.
	SubcircuitPins Code = "subcircuit_pins"
	// UnclosedSubcircuit means .subckt and .ends are not balanced.
	UnclosedSubcircuit Code = "unclosed_subcircuit"
	// TooManyElements means the flattened circuit exceeds the size limit.
	TooManyElements Code = "too_many_elements"
	// TooManyMeasures means there are more .measure, .four or .fft cards than are evaluated.
	TooManyMeasures Code = "too_many_measures"
	// UnknownNode means a card names a node without elements.
	UnknownNode Code = "unknown_node"
	// UnknownSource means a sweep names a source that is not in the circuit.
	UnknownSource Code = "unknown_source"
	// NoGround means no element is connected to node 0.
	NoGround Code = "no_ground"
	// FloatingNode means the voltage of a node is undetermined.
	FloatingNode Code = "floating_node"
	// VoltageLoop means voltage sources (or inductors, at DC) form a closed loop.
	VoltageLoop Code = "voltage_loop"
	// CurrentCutset means current sources drive a part of the circuit without a return path.
	CurrentCutset Code = "current_cutset"
	// Singular means the equations of the circuit have no unique solution.
	Singular Code = "singular"
	// NoConvergence means Newton's method and every aid failed to find a solution.
	NoConvergence Code = "no_convergence"
	// HopelessRequest means an analysis card requests more points than any budget allows.
	HopelessRequest Code = "hopeless_request"
	// BadOption means an option has an invalid value.
	BadOption Code = "bad_option"
	// BadRequest means a request field other than the netlist is out of range.
	BadRequest Code = "bad_request"
	// Canceled means the caller canceled the simulation.
	Canceled Code = "canceled"
	// Internal means an error of the simulator itself.
	Internal Code = "internal"
)
