// Package route routes the tracks and vias of a placed board.
//
// The grid (grid.go) has a node every 0.1 mm, finer for fine rules. For each combination of half
// width and clearance in use, an occupancy map records which net may have its centre at a node.
// Pads, holes, edges and keepouts are rasterized with exact distances plus a margin for the steps
// between two nodes. Routed copper is counted in the same maps.
//
// Differential pairs come first (pair.go). The middle of the two tracks is one path, found by A*
// with states of place, layer and direction (pairsearch.go). Legs connect it to the pads
// (pairfanout.go, paircross.go), and bumps equalize the lengths (pairtrack.go). This copper is as
// fixed as a pad. Pairs without such a path are left to the other phases.
//
// Each net (tree.go) grows as a tree by A* (search.go, queue.go) towards its nearest unconnected
// pad, at full width where there is space and necked near pads. Nets share nodes at a price that
// rises until they agree (pathfinder.go). Of the nets that cannot agree, the conflicting branches
// are ripped up (branches.go). Nets that stay open are completed one at a time, and the nets that
// block them are rerouted (ripup.go). Then every net is rerouted once more and the longest detours
// are removed (refine.go). The ground is poured and its islands are connected (pournet.go,
// pourconnect.go). Smoothing pulls the tracks tight off the grid with exact checks (smooth.go,
// clearance.go). It runs again where it cuts the pour, and in groups where that does not help.
// Dangling tracks and vias are removed by KiCad's criteria (dangling.go, danglingvia.go). Meanders
// equalize the lengths of groups of nets (lengthgroup.go). The open connections are read from the
// finished copper (ratsnest.go).
//
// When further attempts follow, a run is abandoned as soon as the share of conflicting nets
// predicts that connections will stay open (pathfinder.go).
//
// A deadline gives each phase a share of the time, so that a board that takes too many iterations
// is still legalized and poured. The caller passes the clock: that of package autorouter
// counts the work done (package budget), which is equal on every machine.
//
// Everything runs in one goroutine in the order of the nets, uses no random numbers and ranges over
// no map, so equal boards get equal copper.
package route
