// Package schema turns a Go struct with tags into the one description of a tool's
// input or output that everything else derives from: JSON Schema 2020-12, a strict
// decoder that fills the struct, and the field list that forms, help and docs show.
//
// The tags:
//
//	json:"freq_mhz"   the field's name
//	unit:"MHz"        its unit; "1" says dimensionless
//	unitFrom:"to *"   the field that decides its unit, see UnitFrom (results)
//	min max gt lt     its range (numbers)
//	enum:"a,b"        its allowed words (strings)
//	default:"2.15"    the value when absent; JSON, or bare text for a string
//	example:"915"     a typical value
//	minItems maxItems minLength maxLength pattern
//	alias:"c_f"       the field that holds the same number in another unit
//	label:"..."       its heading on a form, as a data sheet prints it; not in the JSON Schema
//	plot:"rtt_ms"     the field that the others of a list of objects are plotted over (results)
//	doc:"..."         one line for people, shown as the help line
//	nullable:"true"   an output slice or map that may be null
//
// A pointer is an optional input or a nullable output. A field that is neither a
// pointer nor has a default is required. Embedded structs are promoted.
//
// Compile panics on a tag it cannot honour: tools are compiled when the program
// starts, so a bad definition never reaches a user. Decode never panics.
package schema
