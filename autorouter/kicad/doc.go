// Package kicad routes board files of KiCad (.kicad_pcb, KiCad 4 to 9) and writes them back.
//
// Read reads the text and, when it is given, the project file with net classes and board rules.
// Design.Board makes a board for package route, Design.Route routes it, and Board.File returns the
// text of the file with the new tracks and vias. All other text of the file stays byte for byte,
// except fills of copper zones and teardrops, which KiCad makes from the tracks.
//
// The format is that of KiCad's "S-Expression Board File Format" (dev-docs.kicad.org) as its
// programs write it. Board.Warnings names deviations from
// the text.
package kicad
