// Package route lays the tracks and vias of a placed two-layer board.
//
// The grid (grid.go) has a node every 0.1 mm, finer for fine rules. For each kind of copper in
// use, a half width with its clearance, a plane says which net may have its centre at a node:
// pads, holes, edges and keepouts are painted with exact distances plus the little that a step
// between two nodes may come closer. Routed copper is counted in the same planes.
//
// Each net (connect.go) grows as a tree by A* (search.go) towards its nearest open pad, wide
// where there is room and narrow near pads. Nets are laid through each other at a price that
// rises until they agree (negotiate.go, PathFinder); what cannot agree is taken up, laid between
// the others as walls and, where that fails, bargained over again. Then every net is laid once
// more for itself (polish), straightened off the grid with exact checks (finish.go, exact.go),
// and the ground is poured and its islands are joined (ground.go, bond.go).
//
// Everything runs in one goroutine in the order of the nets, makes no random choice and ranges
// over no map, so the same board gives the same copper everywhere.
package route
