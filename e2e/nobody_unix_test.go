//go:build unix

package e2e

import (
	"os/user"
	"strconv"
	"syscall"
)

// asNobody returns the attributes of a process of an unprivileged user, with the group of this user
// only.
func asNobody() (*syscall.SysProcAttr, error) {
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid),
		Groups: []uint32{}}}, nil
}
