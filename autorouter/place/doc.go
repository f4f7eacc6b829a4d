// Package place places the parts of a netlist on a board. No two courtyards overlap, everything is
// on the board and clear of holes and keepouts, connectors are at their edges with the mating side
// outwards, decoupling capacitors are by the supply pin they serve, and fixed parts stay.
//
// Each part is placed first, the most connected one next, as near as possible to its connected pins
// (construct.go). Simulated annealing then minimizes the half-perimeter wirelength of the nets
// (anneal.go, hpwl.go). In its global stage parts may overlap at a rising price (overlap.go). Then
// each part moves to the nearest legal place (legalize.go), and the detailed stage tries only legal
// placements. Capacitors from a supply to ground, and crystals, are drawn to their associated IC
// and may be closer to it than other parts (decoupling.go). On an outline with much more area than
// the parts need, a density penalty spreads them (density.go). Courtyards have a halo for tracks,
// wider for parts with many pins: a part of it is required, unless the board is too full, and the
// rest has a price. The seed alone determines the random numbers, so a seed gives the same board on
// every machine.
package place
