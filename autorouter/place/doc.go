// Package place puts the parts of a netlist on a board: no two courtyards overlap, everything is
// on the board and clear of holes and keepouts, connectors stand at their edges with the mouth
// outwards, decoupling capacitors stand by the supply pin they serve, fixed parts stay.
//
// Capacitors from a supply to ground and crystals are drawn to the circuit they serve and may stand closer to it than other
// parts (mates.go). First each part is put, the most connected one next, as near as can be to what it is connected
// half perimeters of the nets (anneal.go, wire.go): at first parts may lie over each other at a rising price
// (overlap.go), then each goes to the nearest lawful place (land.go) and only lawful places are tried. On a given
// outline with much more room than the parts need they are kept from crowding in a part of it (spread.go).
// Courtyards carry a margin for tracks, wider for parts with many pins: some of it they must have, unless
// the board is too full for it, and the rest has its price. The random numbers come from the
// seed alone, so a seed gives the same board everywhere.
package place
