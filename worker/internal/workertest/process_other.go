//go:build !linux

package workertest

import "syscall"

// EndWithParent does nothing on this system.
func EndWithParent() *syscall.SysProcAttr { return nil }
