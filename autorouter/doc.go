// Package autorouter turns a netlist into a placed, routed and rule-checked two-layer board.
// It knows nothing of tools, HTTP or queues.
//
// The rooms follow the data: netlist reads what is to be built, with the land patterns of
// footprint; place puts the parts on a board; route joins them with tracks and vias; pour
// fills the ground; drc checks the finished copper without knowing how it was made; export
// writes one file per format. board is the model they share. Layout, here, goes through them in that order; request.go says what
// can be asked for.
package autorouter
