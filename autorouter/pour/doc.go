// Package pour fills the ground zones of a board.
//
// The room left for copper, the distance from everything foreign less what the rules ask, is
// computed exactly at the nodes of a lattice of 0.05 mm (pour.go). Thermal gaps with four spokes
// are cut around the net's own pads. Copper narrower than 0.2 mm is taken away by a morphological
// opening, pieces that touch nothing of the net are removed, and what is left is traced by
// marching squares with the crossings interpolated, then thinned (trace.go).
//
// Interpolation is off by at most 3 µm and thinning by 5 µm; the lattice keeps both beyond every
// rule, so the polygons themselves keep the clearances. Boards with more than four million
// lattice nodes a layer take a coarser lattice with more in hand.
package pour
