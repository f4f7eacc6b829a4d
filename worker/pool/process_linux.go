package pool

import "syscall"

// newProcessGroup starts a child in a process group of its own.
func newProcessGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// limitAddressSpace sets RLIMIT_AS of this process, irrevocably.
func limitAddressSpace(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
