// Package cputime measures processor time for tests and benchmarks. Unlike elapsed time, it hardly
// depends on the other load of a shared machine.
package cputime

import (
	"syscall"
	"time"
)

// Process returns the processor time of this process so far, in user mode and in the kernel, of all
// threads. It returns 0 if the system does not provide it.
func Process() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
