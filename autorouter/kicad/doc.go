// Package kicad routes KiCad board files (.kicad_pcb, KiCad 4 to 9) and writes them back.
//
// Read parses the text and, if given, the project file with net classes and board rules.
// Design.Board converts the result to a board for package route, and Design.Route routes it.
// Board.File returns the text of the file with the new tracks and vias. All other text of the file
// remains byte for byte. The exceptions are copper zone fills and teardrops, which KiCad derives
// from the tracks.
//
// The format is that of KiCad's "S-Expression Board File Format" (dev-docs.kicad.org) as written by
// its programs. Board.Warnings lists deviations from the text.
package kicad
