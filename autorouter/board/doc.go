// Package board is the model that the packages of the board maker share: a netlist with its
// components and nets, footprints, design rules, and the board with its copper.
//
// Lengths are whole nanometres (the Gerber unit of the format 4.6), so that comparing, hashing and
// writing are exact and equal on every machine. The frame is x right, y up, with the origin at the
// lower left corner of the outline's bounding box; angles are degrees counter-clockwise seen from
// the top.
package board
