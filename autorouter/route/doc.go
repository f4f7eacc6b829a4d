// Package route routes the tracks and vias of a placed board.
//
// The routing grid (grid.go) has a node every 0.1 mm, or finer for fine rules. For each combination
// of half width and clearance in use, an occupancy map records which nets may have a track or via
// centred at a node. Pads, holes, edges and keepouts are rasterized with exact distances, plus a
// margin for the steps between two nodes. Routed copper is counted in the same maps.
//
// Differential pairs are routed first (pair.go). The centre line between the two tracks is a single
// path. A* finds it over states of position, layer and direction (pairsearch.go). Legs connect the
// path to the pads (pairfanout.go, paircross.go), and bumps match the lengths (pairtrack.go). This
// copper is then fixed like a pad. Pairs without such a path are left to the other phases.
//
// Each net (tree.go) grows as a tree by A* (search.go, queue.go) towards its nearest unconnected
// pad. Tracks have full width where space permits and are necked near pads. Nets share nodes at a
// rising cost until no node is shared (pathfinder.go). The remaining conflicting branches are
// ripped up (branches.go). Open nets are then completed one at a time, and the nets that block them
// are rerouted (ripup.go). Refinement reroutes every net once more and removes the longest detours
// (refine.go).
//
// The ground is poured and its islands are connected (pournet.go, pourconnect.go). Smoothing pulls
// the tracks tight off the grid with exact checks (smooth.go, clearance.go). If smoothing splits
// the pour, it runs again, and finally on groups of nets. Dangling tracks and vias are removed by
// KiCad's criteria (dangling.go, danglingvia.go). The open connections are determined from the
// finished copper (ratsnest.go).
//
// If further attempts follow, a run is abandoned early when the number of conflicting nets predicts
// open connections (pathfinder.go).
//
// The deadline is divided among the phases. A board that needs too many iterations is therefore
// still legalized and poured. The caller supplies the clock. Package autorouter supplies one that
// counts the work done (package budget), which is equal on every machine.
//
// Routing runs in one goroutine in the order of the nets, uses no random numbers and does not range
// over maps. Equal boards therefore get equal copper.
package route
