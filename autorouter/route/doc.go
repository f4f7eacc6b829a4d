// Package route lays the tracks and vias of a placed two-layer board.
//
// The grid (grid.go) has a node every 0.1 mm, finer for fine rules. For each kind of copper in
// use, a half width with its clearance, a plane says which net may have its centre at a node:
// pads, holes, edges and keepouts are painted with exact distances plus the little that a step
// between two nodes may come closer. Routed copper is counted in the same planes.
//
// Each net (connect.go) grows as a tree by A* (search.go, queue.go) towards its nearest open pad,
// wide where there is room and narrow near pads. Nets are laid through each other at a price that
// rises until they agree (negotiate.go, PathFinder); of what cannot agree the arms in conflict are
// taken up (mend.go), and the nets that stay open are put through one at a time, those in their way
// laid anew (insist.go). Then every net is laid once more for itself and the longest ways round are
// unwound (polish.go), the ground is poured and its islands are joined (ground.go, bond.go), and the
// tracks are straightened off the grid with exact checks (finish.go, exact.go), again where that
// cuts the pour, and in groups where it cannot be helped. Tracks that lead nowhere are taken up, and
// the ends that KiCad would find loose are seen to (trim.go), and so are vias that join nothing (via.go). What is reported as open is read from the
// finished copper (open.go).
//
// A run that is one of several gives up as soon as the share of nets in conflict says that it will lack
// joins (negotiate.go).
//
// A deadline gives each phase a share of the time, so that a board whose bargaining takes too long
// is still made lawful and poured. The clock that it is held against is the caller's; package autorouter
// gives one that counts the work done (package budget), which every machine does at the same places.
//
// Everything runs in one goroutine in the order of the nets, makes no random choice and ranges
// over no map, so the same board gives the same copper everywhere.
package route
