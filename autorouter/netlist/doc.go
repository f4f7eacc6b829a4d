// Package netlist reads the circuit of a board: the components and nets of a request
// (structured.go), a SPICE netlist (spice.go, with the simulator's parser) or a KiCad netlist
// export (kicad.go over sexpr.go).
//
// Each form becomes the same draft. Only build.go validates it: references, pads and nets must
// exist, have valid names and match. classes.go sets net classes and track widths. Each error is an
// *Error with its position in the request; Errors lists several.
package netlist
