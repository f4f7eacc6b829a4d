//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// other is the user that Postgres runs as when the test runs as root, which Postgres refuses.
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

func giveAway(dir string) error {
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

// interrupt asks for an immediate shutdown: the server also ends its children, which a kill of
// the first process alone would leave behind.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGQUIT) }
