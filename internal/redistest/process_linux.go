package redistest

import "syscall"

// EndWithParent returns attributes that make the kernel kill a process when the test process dies.
func EndWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
