package route

import "slipstick/autorouter/board"

// The results at half and at double each value are in docs/boards.md.

// Grid.
const (
	// maxPitch is the pitch of the grid on ordinary boards [nm]; fine rules halve it.
	maxPitch = 100 * board.Micrometre
	// maxGridNodes limits the nodes per layer; larger boards get a coarser grid.
	maxGridNodes = 2.0e6
	// maxCells limits the cells of all occupancy maps, of 4 bytes each. Boards with 20 classes and
	// two layers stay below.
	maxCells = 200_000_000
)

// Costs of a search in hundredths of a grid step.
const (
	straightCost = 100
	diagonalCost = 141
	bendCost     = 15 // of a turn by 45 degrees
	cornerCost   = 60 // of a turn by 90 degrees
	infinite     = 1 << 30
	// neckCost divides the length of a necked step to give its extra cost.
	neckCost = 3
	// pouredLayerCost is the extra cost of a step on a poured layer below the top [%].
	pouredLayerCost = 15
	// viaCostRoute is the cost of a via as length of track while nets are routed [nm].
	viaCostRoute = 2500 * board.Micrometre
	// viaCostRefine is the cost of a via when nets are refined [nm].
	viaCostRefine = 4000 * board.Micrometre
	// astarFactor is the weight of the heuristic above admissible [%]; refinement uses 0.
	astarFactor = 25
)

// pairShare is the share of the time that differential pairs may use.
const pairShare = 0.15

// Limits of a search in expanded nodes.
const (
	maxNodesHard = 200_000 // with other nets as walls
	maxNodesPour = 60_000  // from a pad to the pour
	maxNodesLink = 400_000 // between islands of the pour
	maxFlood     = 4_000   // per end, of the test for enclosed ends
)

// Negotiation (PathFinder).
const (
	// initialPresFac is the first present cost of a conflict [% of the step cost].
	initialPresFac = 300
	// maxPresFac limits the present cost [% of the step cost].
	maxPresFac = 2000
	// histFacNegotiate is added to the history cost of a node per conflict and iteration [1/64 of
	// the step cost].
	histFacNegotiate = 16
	// negotiationPatience is the number of iterations without progress before rip-up.
	negotiationPatience = 3
)

// Rip-up and reroute.
const (
	// historyIncrement is added to the history cost of a node per conflict [1/64 of the step cost].
	historyIncrement = 32
	// minPatience and netPatience give the turns without progress: minPatience plus netPatience
	// over the number of nets, as turns take longer on large boards.
	minPatience = 40
	netPatience = 6000
	// pourPatienceDivisor divides the patience for one pour connection.
	pourPatienceDivisor = 5
)

// presentCosts returns the present costs of rip-up, by turns [% of the step cost]. A low value
// disturbs many nets and gives short paths, a high value disturbs few nets at the price of detours.
func presentCosts() [3]int64 { return [3]int64{1000, 300, 3000} }

// Refinement.
const (
	// minGain is the share of the cost that a round must save for another round.
	minGain = 1.0 / 200
	// detourRatio is the length over the minimum spanning tree above which a route is a detour.
	detourRatio = 1.2
	// minDetour is the length of the shortest detour [nm].
	minDetour = 5e6
)

// Pour and finish.
const (
	pourRounds = 6 // of probes and connections
	pourTries  = 3 // per connection
	// maxOpensAfterPour is the number of open ground connections after the pour that smoothing may
	// still close.
	maxOpensAfterPour = 2
	finishRounds      = 4 // of smoothing, while it splits the pour
	smoothRounds      = 2 // over all nets
	smoothGroups      = 8 // of nets that are smoothed together when smoothing splits the pour
	maxViaRounds      = 4 // of the removal of dangling vias, per net
	maxBridges        = 4 // dangling tracks per net that are found by bisection and kept
	maxReattachProbes = 8 // of the pour, per dangling track
	// overlapMin is the least overlap of an end with its anchor [nm]: KiCad accepts no mere touch.
	overlapMin = 1000
	// pairsPerCheck is the number of pairs in clusters that take the time of one clearance check,
	// as most boxes do not overlap.
	pairsPerCheck = 8
)
