package pool

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeBytes is the capacity in bytes of the pipe from a child. With the default of Linux, 64 KiB, a
// large result needs a switch between the processes for every 64 KiB. All pipes of a user without
// privileges may have 64 MiB in total (pipe-user-pages-soft), which is enough for 256 children.
const pipeBytes = 256 << 10

// enlargePipe sets the capacity of a pipe. After an error, such as at the limit of pipe memory per
// user, the pipe keeps its capacity and is only slower.
func enlargePipe(pipe *os.File) {
	if c, err := pipe.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
	}
}

// newProcessGroup returns attributes that start a child in its own process group.
func newProcessGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// limitAddressSpace irrevocably sets RLIMIT_AS of this process.
func limitAddressSpace(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
