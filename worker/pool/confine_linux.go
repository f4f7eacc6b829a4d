package pool

import (
	"errors"
	"fmt"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// confine irrevocably denies this process new privileges, files, sockets, other programs and
// signals to other processes. The pipes to the parent stay open. It returns the names of the active
// protections and the errors of the others.
func confine() (active []string, err error) {
	_, _ = time.Now().Zone()    // forces the time zone file to be loaded
	time.Sleep(time.Nanosecond) // forces the runtime to open the descriptors for its timers

	attempt := func(name string, do func() error) {
		if e := do(); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", name, e))
			return
		}
		active = append(active, name)
	}
	attempt("no_new_privs", func() error {
		return llsys.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	})
	// A ruleset without rules denies everything that this kernel's Landlock supports: paths,
	// programs, ports, and signals to other processes.
	attempt("landlock", func() error {
		version, err := llsys.LandlockGetABIVersion()
		if err != nil {
			return err
		}
		if version == 0 {
			return errors.ErrUnsupported
		}
		return landlock.V11.BestEffort().Restrict()
	})
	// RLIMIT_NPROC is not used because it counts the threads of all processes of the user, and Go
	// needs threads.
	for _, l := range []struct {
		name     string
		resource int
	}{
		{"rlimit_core", unix.RLIMIT_CORE},
		{"rlimit_fsize", unix.RLIMIT_FSIZE},
		{"rlimit_nofile", unix.RLIMIT_NOFILE}, // no new descriptor: neither a file nor a socket
	} {
		attempt(l.name, func() error { return unix.Setrlimit(l.resource, &unix.Rlimit{}) })
	}
	return active, err
}
