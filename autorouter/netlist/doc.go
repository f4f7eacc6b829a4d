// Package netlist reads the circuit of a board: the components and nets of a request
// (structured.go), a SPICE netlist (spice.go, with the simulator's parser) or a KiCad netlist
// export (kicad.go over sexpr.go).
//
// Each form becomes the same draft, and build.go alone decides whether a draft is a netlist: that
// references, pads and nets exist, are named well and belong together. classes.go gives the nets
// their classes and widths. Everything wrong is an *Error with the place in the request, several
// of them together in Errors.
package netlist
