// Package pour fills the zones and planes of a board.
//
// The clearance field is the distance from all copper of other nets minus the required clearance.
// It is computed exactly at the nodes of a 0.05 mm lattice (field.go). Thermal gaps with four
// spokes are cut around the pads of the net (spokes.go). A morphological opening removes copper
// narrower than 0.2 mm, and islands that touch no copper of the net are removed (connectivity.go).
// Marching squares with interpolated crossings then trace the outlines (trace.go).
//
// Interpolation has an error of at most 3 µm and simplification of at most 5 µm. The field includes
// both as a margin in every clearance, so the polygons themselves satisfy the clearances. Boards
// with more than four million lattice nodes per layer use a coarser lattice with a larger margin.
package pour
