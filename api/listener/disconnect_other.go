//go:build !linux

package listener

// hungUp is not supported on this system: a disconnect is detected when the response is written.
func hungUp(uintptr) bool { return false }
