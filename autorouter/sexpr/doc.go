// Package sexpr reads s-expressions, the form of KiCad's and Specctra's files, within limits on
// size, depth and number of nodes.
package sexpr
