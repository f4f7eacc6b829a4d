// Package fabrication reads Gerber X2, XNC and IPC-D-356A files, independently of the code that
// writes them. From these files alone it verifies the board that a fab would make: connectivity of
// pads, shorts and clearances.
//
// The files gerber.go, drill.go and ipc356.go each read one format. aperture.go converts graphical
// objects to shapes, and shape.go measures distances. copper.go extracts the nets, including
// connections through plated holes. verify.go compares the nets with the test points of the
// IPC-D-356A file. The package does not depend on the code of the router, the rule check or their
// geometry.
package fabrication
