// Package footprint is the library of land patterns, by name.
//
// The surface-mount patterns come out of package dimensions by the equations of IPC-7351B
// (ipc.go), the others out of pitch, pad and hole (through.go) or a drawing (drawn.go); the
// dimensions stand in data.go. variants.go and rows.go make the patterns whose sizes KiCad's names give:
// other bodies and lands, pin headers, sockets and JST's headers. names.go finds a pattern by what people
// call it, custom.go makes one of a request's own pads.
//
// Dimensions are millimetres in the tables and whole nanometres in the results. The frame is
// that of package board: x right, y up, pad 1 at the left or upper left, integrated circuits
// counted counter-clockwise.
package footprint
