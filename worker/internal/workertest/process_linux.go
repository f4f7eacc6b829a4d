package workertest

import "syscall"

// EndWithParent makes the kernel end a process when the test process dies.
func EndWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
