package pool

import "syscall"

// newProcessGroup returns attributes that start a child in its own process group.
func newProcessGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// limitAddressSpace irrevocably sets RLIMIT_AS of this process.
func limitAddressSpace(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
