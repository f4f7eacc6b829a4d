// Package fabrication reads Gerber X2, XNC and IPC-D-356A files back, independently of the code that
// writes them, and proves from them alone what a fab would make: which pads the copper joins, that
// no two nets meet, and how near they come.
//
// gerber.go, drill.go and ipc356.go read one format each; aperture.go turns objects into shapes and
// shape.go measures between them. copper.go finds what touches what, through the plated holes, and
// proof.go compares that with the test points of the IPC-D-356A file. None of it uses the model of the board,
// the router or the rule check.
package fabrication
