// Package autorouter turns a netlist into a placed, routed and rule-checked board of two or four
// layers. It is independent of tools, HTTP and queues.
//
// The packages follow the data flow, and Layout runs them in this order. Package netlist reads the
// circuit, with land patterns from footprint. Package place places the parts on a board, route adds
// tracks and vias, and pour fills ground areas and planes. Package electrical adds vias for current
// and heat, and drc checks the finished copper independently of the router. Package export writes
// one file per format.
//
// Package board defines the common board model, and geom its geometry. The request is defined in
// request.go.
package autorouter
