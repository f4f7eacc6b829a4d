// Package autorouter turns a netlist into a placed, routed and rule-checked board of two or four
// layers. It is independent of tools, HTTP and queues.
//
// The packages follow the data. netlist reads the circuit, with the land patterns of footprint;
// place places the parts on a board; route adds tracks and vias; pour fills ground and planes;
// electrical adds vias for current and heat; drc checks the finished copper independently of the
// router; export writes one file per format. board is their common model, geom their geometry.
// Layout runs them in that order; request.go defines the request.
package autorouter
