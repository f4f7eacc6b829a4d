// Package specctra reads board designs in the Specctra format (.dsn) and writes routed sessions
// (.ses), the files with which layout programs hand a board to an external router and take it back.
//
// Read reads the text, Design.Board makes a board for package route, Design.Route routes it, and
// Board.Session writes its tracks and vias. The format is that of Cadence's SPECCTRA Design
// Language Reference, as KiCad, EAGLE, EasyEDA and LibrePCB write it.
//
// The format leaves some points open. A clearance is the largest of the rules that apply
// to tracks; a rule for surface pads among each other changes nothing. Pads have no drill in the
// format, so distances of their holes are not checked. A plane that covers the board becomes a pour
// of its net; tracks connect the nets of other planes.
package specctra
