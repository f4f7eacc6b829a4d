package worker

import "syscall"

// withUs has the kernel end a process when the test process dies without cleaning up.
func withUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
