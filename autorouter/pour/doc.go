// Package pour fills the zones and planes of a board.
//
// The clearance field is the distance from all foreign copper less the rules. It is computed
// exactly at the nodes of a lattice of 0.05 mm (pour.go). Thermal gaps with four spokes are cut
// around the pads of the net. A morphological opening removes copper narrower than 0.2 mm, islands
// that touch nothing of the net are removed, and marching squares trace the rest with interpolated
// crossings (trace.go).
//
// Interpolation is off by at most 3 µm and simplification by 5 µm. The lattice keeps both beyond
// every rule, so the polygons themselves keep the clearances. Boards with more than four million
// lattice nodes per layer use a coarser lattice with a larger margin.
package pour
