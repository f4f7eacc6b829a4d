// Package footprint is a library of land patterns, found by name.
//
// Surface-mount patterns are computed from package dimensions by the equations of IPC-7351B
// (ipc.go). Other patterns are computed from pitch, pad and hole sizes (through.go) or are drawn
// (drawn.go). The dimensions are in data.go. variants.go and rows.go create patterns whose
// dimensions are part of KiCad's names: other bodies and lands, pin headers, sockets and JST
// headers. figures.txt, read by figures.go, lists the dimensions of parts and families without such
// a rule.
//
// names.go finds a pattern by its usual names, and oldnames.go by its name in KiCad 4 and 5.
// custom.go creates a pattern from the pads of a request. kicadmod.go, kicadshape.go and
// kicadpad.go read KiCad footprint files, whose pads polygon.go divides into convex pieces. ring.go
// gives thermal vias without an annular ring one. padcopper.go finds pads whose copper overlaps.
//
// Dimensions in the tables are in [mm], and those in the results in whole [nm]. As in package
// board, x points right and y points up. Pad 1 is at the left or upper left, and the pads of
// integrated circuits are numbered counter-clockwise.
package footprint
