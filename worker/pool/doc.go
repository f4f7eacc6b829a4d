// Package pool runs computations of tools in child processes, which it keeps for further
// computations, or in the calling process. It knows tools, and neither queues nor Redis.
//
// The parent and a child exchange length-prefixed frames over the child's standard input and
// output (frame.go). A child is confined before its first computation (confine_linux.go), and has
// limits of memory and time. A computation that ignores the end of its context, a panic and a
// fatal error end one child and nothing else.
package pool
