// Package place places the parts of a netlist on a board. Courtyards do not overlap, and every part
// is on the board and clear of holes and keepouts. Connectors are at their edges with the mating
// side outwards, and decoupling capacitors are next to the supply pin they serve. Fixed parts keep
// their positions.
//
// An automatic outline is long enough for each part (autosize.go) and grows until all parts fit.
//
// Construction places the parts one by one, the most connected part next, as close as possible to
// its connected pins (construct.go). Simulated annealing then minimizes the half-perimeter
// wirelength of the nets (anneal.go, hpwl.go). In its global stage parts may overlap at a rising
// cost (overlap.go). Legalization then moves each part to the closest legal position (legalize.go),
// and the detailed stage allows only legal placements.
//
// Crystals, and capacitors between a supply and ground, are attracted to their associated IC and
// may be closer to it than other parts (decoupling.go). On an outline with much more area than the
// parts need, a density penalty spreads them (density.go). Courtyards have a halo for tracks, which
// is wider for parts with many pins. Part of the halo is required unless the board is too full; the
// rest only adds to the cost.
//
// All random numbers derive from the seed, so equal seeds give equal boards on every machine.
package place
