// Package netlist reads the circuit of a board. The circuit is given as components and nets of a
// request (structured.go), as a SPICE netlist (spice.go, with the simulator's parser) or as a KiCad
// netlist export (kicad.go, with package sexpr).
//
// Each form is first converted to the same draft. Only build.go validates the draft: references,
// pads and nets must exist, have valid names and match. classes.go sets net classes and track
// widths. Each error is an *Error with its position in the request; Errors lists several.
package netlist
