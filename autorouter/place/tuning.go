package place

import "slipstick/autorouter/board"

// docs/boards.md lists the benchmark results with each constant halved and doubled.

// Net weights; an ordinary net has weight 1.
const (
	// decouplerWeight is the weight of the net between a decoupling capacitor and its supply pin.
	decouplerWeight = 4
	// crystalWeight is the weight of the nets of a crystal.
	crystalWeight = 5
	// pairWeight is the weight of the nets of a differential pair.
	pairWeight = 2
	// pairLinkWeight is the weight of the net between two parts on the nets of a pair.
	pairLinkWeight = 2
	// pouredWeight is the weight of a net connected by a pour.
	pouredWeight = 0.02
)

// Distances between parts.
const (
	// maxAssociatedGap is the largest gap required between a part and its associated IC [nm]. It is
	// enough for one track, whereas the gaps between other parts allow for several.
	maxAssociatedGap = 600e3
	// wantedHaloFactor is the wanted margin around a courtyard, as a multiple of the halo. It is
	// reduced if the parts with their margins would exceed maxFill. One halo is required where it
	// fits; the remaining margin only adds to the cost.
	wantedHaloFactor = 1.75
	// maxFill is the largest ratio of part area, including margins, to board area.
	maxFill = 0.7
)

// Halo of a part by its number of pads [nm]: smallHalo up to 2 pads and mediumHalo up to 8 pads.
// Larger parts get mediumHalo plus haloPerPad for each pad; this addition is at most maxPadHalo.
const (
	smallHalo  = 220 * board.Micrometre
	mediumHalo = 450 * board.Micrometre
	haloPerPad = 20 * board.Micrometre
	maxPadHalo = board.Millimetre
)

// Annealing parameters. Wirelengths and temperatures are in [nm], and overlap weights in [nm/mm²].
const (
	// At normal effort, the global stage makes globalMoves moves per part, times the cube root of
	// the number of parts.
	globalMoves      = 1100
	globalHot        = 16e6 // initial temperature
	globalCold       = 0.6e6
	globalLowWeight  = 0.5e6 // initial overlap weight
	maxOverlapWeight = 10e6  // final overlap weight, also used in the detailed stage
	detailedMoves    = 550
	// Both stages together have at least minMovesPerPart moves for each part, up to a total of
	// minMoves.
	minMovesPerPart = 20e3
	minMoves        = 0.6e6
	detailedHot     = 0.5e6
	detailedCold    = 0.05e6
	// Values without a global stage. soloMoves replaces detailedMoves. The initial temperature is
	// initialHot with initial positions, which keep their influence, and fallbackHot after a failed
	// legalization.
	soloMoves   = 3000
	initialHot  = 1e6
	fallbackHot = 4e6
	// minMoveRange is the smallest move range [nm].
	minMoveRange = 1e6
	// maxPullRange is the largest distance from the connected pin for a move towards that pin [nm].
	maxPullRange = 4e6
	// bottomSideCost is the wirelength that moving a part to the bottom must save [nm], because
	// assembling a second side costs more than longer tracks.
	bottomSideCost = 10e6
)

// minBulk is the least capacitance that a regulator has the first claim to [F]. Data sheets of
// linear regulators ask for 1 µF and more; smaller capacitors are bypass capacitors of the ICs.
const minBulk = 0.99e-6

// Congestion. The demand is the track area that the half perimeters of the nets require, divided by
// the area of the track layers. Boards of congestedParts parts or more with a demand above
// congestedDemand are annealed again, with congestedMoves times as many moves.
const (
	congestedParts  = 60
	congestedDemand = 0.105
	congestedMoves  = 4
	// wantedDemand is the demand above which the area of an automatic outline grows, at most by the
	// factor maxGrowth.
	wantedDemand = 0.125
	maxGrowth    = 1.18
)

// Density penalty.
const (
	maxUtilization = 0.30 // largest utilization of a given outline with a density penalty
	densityBin     = 12e6 // approximate bin size [nm]
	targetFactor   = 1.15 // target density divided by the mean density
	densityWeight  = 4e6  // marginal cost if the excess is half of the bin area [nm/mm²]
)
