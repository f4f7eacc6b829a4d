// Package netlist reads the circuit of a board. Its input is the components and nets of a request
// (structured.go), a SPICE netlist (spice.go, with the simulator's parser) or a KiCad netlist
// export (kicad.go).
//
// Each form is first converted to the same draft. Only build.go validates the draft: references,
// pads and nets must exist, have valid names and match. classes.go sets net classes and track
// widths. Each error is an *Error with its position in the request; Errors lists several.
package netlist
