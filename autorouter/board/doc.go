// Package board defines the data model shared by the packages of the autorouter. It contains the
// netlist with components and nets, footprints, design rules, and the board with its copper.
//
// Lengths are whole nanometres (the unit of Gerber format 4.6), so that comparison, hashing and
// export are exact and equal on every machine. In board coordinates x points right and y points up,
// with the origin at the lower left corner of the outline's bounding box. Angles are degrees
// counter-clockwise, seen from the top.
package board
