//go:build !linux

package api

// hungUp sees nothing on this system: a client that leaves is noticed when the answer is written.
func hungUp(uintptr) bool { return false }
