package place

import "slipstick/autorouter/board"

// The results at half and at double each value are in docs/boards.md.

// Weights of nets; a plain net has 1.
const (
	// decouplerWeight is the weight of the net between a capacitor and its supply pin.
	decouplerWeight = 4
	// crystalWeight is the weight of the nets of a crystal.
	crystalWeight = 5
	// pouredWeight is the weight of a net that a pour connects.
	pouredWeight = 0.02
)

// Distances between parts.
const (
	// maxAssociatedGap is the largest gap kept between a part and its associated IC [nm]: enough
	// for one track, where other parts keep space for a bundle.
	maxAssociatedGap = 600e3
	// wantedHaloFactor is the preferred margin around a courtyard, in halos, unless the parts with
	// it exceed maxFill. One halo is required where it fits; the rest adds to the cost.
	wantedHaloFactor = 1.75
	// maxFill is the largest fraction of the board area that the parts with their margins may fill.
	maxFill = 0.7
)

// Halo of a part by the number of its pads [nm]: up to 2 pads, up to 8 pads, and more, with
// haloPerPad for each pad up to maxPadHalo.
const (
	smallHalo  = 220 * board.Micrometre
	mediumHalo = 450 * board.Micrometre
	haloPerPad = 20 * board.Micrometre
	maxPadHalo = board.Millimetre
)

// Annealing. Wirelengths and temperatures are in nm, overlap weights in nm per mm².
const (
	globalMoves      = 1100 // per part at normal effort, times the cube root of the number of parts
	globalHot        = 16e6 // first temperature
	globalCold       = 0.6e6
	globalLowWeight  = 0.5e6 // first overlap weight
	maxOverlapWeight = 10e6  // last overlap weight, and that of the detailed stage
	detailedMoves    = 550
	detailedHot      = 0.5e6
	detailedCold     = 0.05e6
	// Without a global stage: detailedMoves and the first temperatures with initial positions,
	// which keep their influence, and after a failed legalization.
	soloMoves   = 3000
	initialHot  = 1e6
	fallbackHot = 4e6
	// minMoveRange is the least range of moves [nm].
	minMoveRange = 1e6
	// maxPullRange is the largest distance from a connected pin of a move towards it [nm].
	maxPullRange = 4e6
	// bottomSideCost is the wirelength that moving a part to the bottom must save [nm]: assembly of
	// a second side costs more than some track.
	bottomSideCost = 10e6
)

// Density penalty.
const (
	maxUtilization = 0.30 // of a given outline, for a penalty
	densityBin     = 12e6 // nm, about
	targetFactor   = 1.15 // of the mean density
	densityWeight  = 4e6  // nm of wire per mm² of excess, at an excess of half the bin
)
