// Package pool runs computations of tools in child processes, which it reuses, or in the calling
// process. It depends on the tools, but not on queues or Redis.
//
// The parent and a child exchange length-prefixed frames over the child's standard input and output
// (frame.go). A child is confined before its first computation (confine_linux.go), and has memory
// and time limits. A panic, a fatal error or a computation that ignores the end of its context ends
// one child and nothing else.
package pool
