//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// other returns the user that runs Postgres if the test runs as root. Postgres refuses to run as
// root.
func other() (uid, gid int, err error) {
	for _, name := range []string{"postgres", "nobody"} {
		var u *user.User
		if u, err = user.Lookup(name); err != nil {
			continue
		}
		if uid, err = strconv.Atoi(u.Uid); err != nil {
			continue
		}
		if gid, err = strconv.Atoi(u.Gid); err == nil {
			return uid, gid, nil
		}
	}
	return 0, 0, err
}

func changeOwner(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := other()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

func asOther() *syscall.SysProcAttr {
	uid, gid, err := other()
	if os.Getuid() != 0 || err != nil {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// interrupt requests an immediate shutdown. The server then also ends its children, which would
// survive a kill of the main process.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGQUIT) }
