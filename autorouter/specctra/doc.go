// Package specctra reads board designs in the Specctra format (.dsn) and writes routed sessions
// (.ses). Layout programs use these files to exchange a board with an external router.
//
// Read parses the text, Design.Board converts it to a board for package route, Design.Route routes
// it, and Board.Session writes its tracks and vias. The package follows Cadence's SPECCTRA Design
// Language Reference and the dialects of KiCad, EAGLE, EasyEDA and LibrePCB.
//
// The format leaves some points open. A clearance is the largest of the rules that apply to tracks;
// a rule between surface-mount pads has no effect. Pads have no drill in the format, so distances
// to their holes are not checked. A plane that covers the board becomes a pour of its net; the nets
// of other planes are connected by tracks.
package specctra
