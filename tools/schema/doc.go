// Package schema compiles a Go struct with tags to the description of a tool's input or output. The
// description provides JSON Schema 2020-12, a strict decoder that fills the struct, and the field
// list of forms, help and documentation.
//
// The tags:
//
//	json:"freq_mhz"   the field's name
//	unit:"MHz"        its unit; "1" is dimensionless
//	unitFrom:"to *"   the field that determines its unit, see UnitFrom (results)
//	min max gt lt     its range (numbers)
//	enum:"a,b"        its allowed values (strings)
//	default:"2.15"    the value when absent; JSON, or bare text for a string
//	example:"915"     a typical value
//	minItems maxItems minLength maxLength pattern
//	alias:"c_f"       the field with the same quantity in another unit
//	label:"..."       its heading on a form, as a data sheet prints it; not in the JSON Schema
//	plot:"rtt_ms"     the field that the others of a list of objects are plotted over (results)
//	instant:"true"    an instant as a number, of which the page shows every digit (results)
//	doc:"..."         one line for users, the help line
//	nullable:"true"   an output slice or map that may be null
//
// A pointer is an optional input or a nullable output. A field that is not a pointer and has no
// default is required. Embedded structs are promoted.
//
// Compile panics if a tag is invalid. Tools are compiled when the program starts, so an invalid
// definition never reaches a user. Decode never panics.
package schema
