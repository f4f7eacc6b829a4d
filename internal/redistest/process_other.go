//go:build !linux

package redistest

import "syscall"

// EndWithParent returns nil because this system cannot kill a process when its parent dies.
func EndWithParent() *syscall.SysProcAttr { return nil }
