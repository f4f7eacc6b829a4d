// Package footprint is the library of land patterns, by name.
//
// The surface-mount patterns come out of package dimensions by the equations of IPC-7351B (ipc.go),
// the others out of pitch, pad and hole (through.go) or a drawing (drawn.go); the dimensions stand
// in data.go. variants.go and rows.go make the patterns whose sizes KiCad's names give: other
// bodies and lands, pin headers, sockets and JST's headers. figures.txt lists the dimensions of
// parts and families without such a rule, figures.go reads it. names.go finds a pattern by what
// people call it, oldnames.go by its name in KiCad 4 and 5. custom.go makes one of a request's own
// pads; kicadmod.go and kicadpad.go read a footprint file of KiCad, whose pads become convex pieces
// in polygon.go.
//
// Dimensions are millimetres in the tables and whole nanometres in the results. The frame is
// that of package board: x right, y up, pad 1 at the left or upper left, integrated circuits
// counted counter-clockwise.
package footprint
