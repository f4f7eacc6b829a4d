// Package fabrication reads Gerber X2, XNC and IPC-D-356A files, independently of the code that
// writes them. From the files only it verifies the board that a fab would make: connections of
// pads, shorts and clearances.
//
// gerber.go, drill.go and ipc356.go read one format each; aperture.go turns objects into shapes and
// shape.go measures between them. copper.go extracts the nets, through the plated holes, and
// verify.go compares them with the test points of the IPC-D-356A file. None of it uses the model of
// the board, the router, the rule check or their geometry.
package fabrication
