// Package footprint is the library of land patterns, by name.
//
// The surface-mount patterns are computed from package dimensions by the equations of IPC-7351B
// (ipc.go), the others from pitch, pad and hole (through.go) or a drawing (drawn.go). The
// dimensions are in data.go. variants.go and rows.go make patterns whose dimensions are part of
// KiCad's names: other bodies and lands, pin headers, sockets and JST headers. figures.txt lists
// the dimensions of parts and families without such a rule; figures.go reads it. names.go finds a
// pattern by its usual names, oldnames.go by its name in KiCad 4 and 5. custom.go makes a pattern
// from the pads of a request. kicadmod.go and kicadpad.go read a footprint file of KiCad, whose
// pads become convex pieces in polygon.go.
//
// Dimensions are millimetres in the tables and whole nanometres in the results. The frame is
// that of package board: x right, y up, pad 1 at the left or upper left, integrated circuits
// counted counter-clockwise.
package footprint
