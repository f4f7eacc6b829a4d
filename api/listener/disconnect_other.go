//go:build !linux

package listener

// disconnected always returns false because this system lacks support. A disconnect is detected
// when the response is written.
func disconnected(uintptr) bool { return false }
