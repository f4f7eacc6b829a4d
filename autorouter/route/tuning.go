package route

import "slipstick/autorouter/board"

// docs/boards.md lists the benchmark results with each constant halved and doubled.

// Grid.
const (
	// defaultPitch is the grid pitch [nm]. Fine rules halve it, and large boards increase it. On
	// congested boards fittedPitch or longPitch replaces it.
	defaultPitch = 100 * board.Micrometre
	// maxFittedPitch is the largest pitch [nm] that fittedPitch returns, apart from the margin of
	// the grid. maxWaste is the fraction of the track spacing below which it keeps defaultPitch.
	maxFittedPitch = 115 * board.Micrometre
	maxWaste       = 0.2
	// maxGridNodes limits the nodes per layer; larger boards get a coarser grid.
	maxGridNodes = 2.0e6
	// maxCells limits the total number of cells in all occupancy maps, at 4 bytes each. Boards with
	// 20 net classes and two layers stay below it.
	maxCells = 200_000_000
)

// Costs of a search, in hundredths of a grid step unless stated otherwise.
const (
	straightCost = 100
	diagonalCost = 141
	bendCost     = 15 // 45-degree turn
	cornerCost   = 60 // 90-degree turn
	infinite     = 1 << 30
	// neckCost is the divisor of the step cost that gives the extra cost of a necked step.
	neckCost = 3
	// shortNeck is the distance from a pad [nm] within which a track narrows, unless its net needs
	// all of Rules.NeckLength.
	shortNeck int64 = 2000 * board.Micrometre
	// pouredLayerCost is the extra cost of a step on a poured layer other than the top [%].
	pouredLayerCost = 15
	// crossDirectionCost is the extra cost of a step across the preferred direction of its layer on
	// a congested board [%]. A diagonal step costs half of it.
	crossDirectionCost = 50
	// viaCostRoute is the cost of a via during routing, as an equivalent track length [nm].
	viaCostRoute = 2500 * board.Micrometre
	// viaCostCongested replaces viaCostRoute on a congested board with two layers of tracks, where
	// a track changes its layer with its direction.
	viaCostCongested = 1200 * board.Micrometre
	// viaCostRefine is the cost of a via during refinement, as an equivalent track length [nm].
	viaCostRefine = 6000 * board.Micrometre
	// bareViaCostRefine replaces viaCostRefine on boards without a pour, where longer tracks split
	// no pour.
	bareViaCostRefine = 20000 * board.Micrometre
	// astarFactor is the weight of the A* heuristic minus 1 [%] (VPR: astar_fac - 1). Refinement
	// uses 0, which is admissible.
	astarFactor = 25
	// longAstarFactor replaces astarFactor in a long negotiation, where the heuristic includes the
	// preferred directions.
	longAstarFactor = 8
)

// pairShare is the fraction of the time limit that differential pairs may use.
const pairShare = 0.15

// Limits on the expanded nodes of a search.
const (
	maxNodesHard = 200_000 // search with other nets as obstacles
	maxNodesPour = 60_000  // search from a pad to the pour
	maxNodesLink = 400_000 // search between islands of a pour
	maxFlood     = 4_000   // test for enclosed ends, per end
)

// Negotiation (PathFinder).
const (
	// initialPresFac is the initial present cost of a conflict [% of the step cost].
	initialPresFac = 300
	// maxPresFac limits the present cost [% of the step cost].
	maxPresFac = 2000
	// histFacNegotiate is added to the history cost of a node per conflict and iteration [1/64 of
	// the step cost].
	histFacNegotiate = 16
	// negotiationPatience is the number of iterations without progress that ends the negotiation.
	negotiationPatience = 3
	// provisionalIterations is the number of iterations after which a provisional run is abandoned
	// if more than maxConflictShare of the nets are in conflict.
	provisionalIterations = 6
	maxConflictShare      = 0.2
	// abandonIteration is the number of iterations after which a run with AbandonConflicts ends if
	// more than abandonShare of the nets are in conflict.
	abandonIteration = 3
	abandonShare     = 0.4
	// minAbandonNets is the number of nets below which conflicts do not abandon a run.
	minAbandonNets = 60
	// congestedIterations is the iteration limit on a congested board.
	congestedIterations = 40
	// congestedRefineRounds is the number of rounds of refinement on a congested board.
	congestedRefineRounds = 4
)

// Long negotiation; see Options.LongNegotiation.
const (
	// longMaxPresFac replaces maxPresFac [% of the step cost]. With 2000 %, a conflict at ten nodes
	// costs less than a detour of 20 mm. The conflicts of a board with long tracks would then
	// remain.
	longMaxPresFac = 10000
	longHistFac    = 64 // replaces histFacNegotiate [1/64 of the step cost]
	longPatience   = 12 // replaces negotiationPatience
	// historyRadius is the distance [nodes] up to which a conflict adds to the history cost. Tracks
	// are three nodes apart on the grid of a long negotiation, so two nodes are in conflict too.
	historyRadius = 2
	// minLongPitch is the smallest grid pitch [nm] that replaces defaultPitch. Fine rules keep
	// defaultPitch, because their pads need it.
	minLongPitch = 125 * board.Micrometre
)

// Rip-up and reroute.
const (
	// historyIncrement is added to the history cost of a node per conflict [1/64 of the step cost].
	historyIncrement = 32
	// minPatience and netPatience set the turns without progress that end rip-up: minPatience +
	// netPatience / number of nets. Large boards get fewer turns because a turn takes longer there.
	minPatience = 40
	netPatience = 6000
	// pourPatienceDivisor reduces the rip-up patience for a single pour connection.
	pourPatienceDivisor = 5
)

// presentCosts returns the present costs that rip-up cycles through [% of the step cost]. A low
// cost disturbs many nets and gives short paths; a high cost disturbs few nets and gives detours.
func presentCosts() [presentCostCount]int64 {
	return [presentCostCount]int64{1000, 300, 3000}
}

// presentCostCount is the number of present costs of rip-up.
const presentCostCount = 3

// requestsIslands reports whether a congested board requests connections between the islands of its
// pours in an iteration of the negotiation.
func requestsIslands(iteration int) bool { return iteration == 4 || iteration == 10 }

// Refinement.
const (
	// minGain is the relative decrease of the cost that justifies another round of refinement.
	minGain = 1.0 / 200
	// detourRatio is the ratio of route cost to minimum spanning tree length above which a route is
	// a detour.
	detourRatio = 1.2
	// minDetour is the smallest excess of the route cost that counts as a detour [nm].
	minDetour = 5e6
)

// Reduction of vias.
const (
	// viaShare is the largest number of nodes that the reduction of vias expands, relative to all
	// phases before it. Boards without a pour have bareViaShare.
	viaShare     = 0.5
	bareViaShare = 1.5
	// maxBlockers is the largest number of nets that block a reroute. With more of them, few
	// reroutes succeed.
	maxBlockers = 1
	// blockerIterations is the number of iterations that negotiate the blocking nets.
	blockerIterations = 3
	// rerouteReach is the distance [nm] from the copper of a net within which changes of other nets
	// justify another reroute.
	rerouteReach = 1e6
	// minReduction is the smallest decrease of the cost that is kept [nm].
	minReduction = 1e4
)

// viaReductionCosts returns the present costs of the reduction of vias [% of the step cost].
func viaReductionCosts() [2]int64 { return [2]int64{600, 1000} }

// Pour and finish.
const (
	pourRounds = 6 // maximum rounds of probing a pour and connecting its islands
	pourTries  = 3 // maximum number of attempts per pour connection
	// maxOpensAfterPour is the number of open connections after the pour above which a run may be
	// abandoned. Smoothing may still close that many connections.
	maxOpensAfterPour = 2
	finishRounds      = 4 // maximum smoothing rounds while smoothing splits a pour
	smoothRounds      = 2 // smoothing rounds over all nets
	smoothGroups      = 8 // initial number of net groups when smoothing splits a pour
	// widenStep is the step of the widths of widened necks [nm], and widenPiece the length of the
	// pieces that have widths of their own [nm].
	widenStep         = 50 * board.Micrometre
	widenPiece        = 200 * board.Micrometre
	maxViaRounds      = 4 // maximum rounds of dangling-via removal per net
	maxBridges        = 4 // maximum number of dangling tracks per net that bisection restores
	maxReattachProbes = 8 // maximum number of pour probes per dangling track
	// overlapMin is the minimum overlap of an end with its anchor [nm], because KiCad does not
	// accept mere touching.
	overlapMin = 1000
	// pairsPerCheck is the number of item pairs that clusters compares in the time of one clearance
	// check, because most bounding boxes do not overlap.
	pairsPerCheck = 8
)
