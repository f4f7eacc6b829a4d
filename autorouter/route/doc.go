// Package route routes the tracks and vias of a placed board.
//
// The grid (grid.go) has a pitch of 0.1 mm, or less for fine rules. For each combination of half
// width and clearance in use, an occupancy map records which net may have a track centre at a node.
// Pads, holes, edges and keepouts are rasterized with exact distances plus a margin for the steps
// between two nodes. Routed copper is counted in the same maps. Where two pads leave space for one
// track but not at a node, nodes are displaced to the middle between them (channels.go).
//
// Differential pairs come first (pair.go). A* finds the centre line between the two tracks, with a
// state per position, layer and direction (pairsearch.go). Fan-outs connect the coupled tracks to
// the pads (pairfanout.go, paircross.go), and bumps equalize their lengths (pairtrack.go). The
// result is fixed like a pad. Pairs without a coupled path are left to the other phases.
//
// The other phases route all nets in this order:
//
//   - A* (search.go, queue.go) extends the tree of each net (tree.go) to the nearest unconnected
//     pad. Tracks have full width where there is space, and neck down near pads.
//   - Negotiated congestion lets nets share nodes at a rising cost until the conflicts are resolved
//     (pathfinder.go). The branches that still conflict are ripped up (branches.go).
//   - Rip-up and reroute completes open nets one at a time and reroutes the nets that block them
//     (ripup.go).
//   - Refinement reroutes every net once more and removes the longest detours (refine.go).
//   - Nets with vias are rerouted through one other net each (reducevias.go).
//   - The pours are filled and their islands connected (pournet.go, pourconnect.go).
//   - Pull-tight smooths the tracks off the grid with exact clearance checks (smooth.go,
//     clearance.go). Nets whose smoothing would split a pour stay unchanged (finish.go).
//   - Necks get the largest width that the clearances allow (widen.go).
//   - Dangling tracks and vias are removed by KiCad's criteria (dangling.go, danglingvia.go).
//   - Meanders equalize the lengths of groups of nets (lengthgroup.go).
//   - The ratsnest of the finished copper gives the open connections (ratsnest.go).
//
// If another attempt may follow, a run is abandoned as soon as the share of conflicting nets
// predicts open connections (pathfinder.go).
//
// The deadline gives each phase a share of the time, so every board is legalized and poured. The
// caller passes the clock. The clock of package autorouter counts the work done (package budget),
// which is equal on every machine.
//
// The router runs in one goroutine in the order of the nets. It uses no random numbers, and no
// result depends on the iteration order of a map, so equal boards get equal copper.
package route
