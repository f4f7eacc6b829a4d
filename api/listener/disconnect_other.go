//go:build !linux

package listener

// hungUp always returns false because this system lacks support. A disconnect is detected when the
// response is written.
func hungUp(uintptr) bool { return false }
