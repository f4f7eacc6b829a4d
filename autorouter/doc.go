// Package autorouter turns a netlist into a placed, routed and rule-checked two-layer board
// with fabrication files. It knows nothing of tools, HTTP or queues.
//
// It holds no code yet. Its rooms will follow the data: netlist, footprint, place, route,
// pour, drc, export, with board holding the model they share; SPICE netlists are read with
// the parser of package spice.
package autorouter
