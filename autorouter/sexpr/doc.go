// Package sexpr parses s-expressions, the syntax of KiCad and Specctra files, within limits on
// size, depth and number of nodes.
package sexpr
