// Package listener accepts TCP connections for an HTTP server that must survive hostile clients
// and stop without losing a request. It imports no other package of this module.
//
//   - [Listener] limits the open connections in total and per address (listener.go).
//   - [Conn] has a deadline for the first byte and for every piece that is written (conn.go).
//   - [Listener.Drain] closes idle connections without resetting a request in flight (drain.go).
//   - [CheckFraming] rejects requests whose end is ambiguous (framing.go).
//   - [WhileConnected] cancels a context when the client disconnects (disconnect.go).
package listener
