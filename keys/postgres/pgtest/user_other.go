//go:build !unix

package pgtest

import (
	"os/exec"
	"syscall"
)

func changeOwner(string) error { return nil }

func asOther() *syscall.SysProcAttr { return nil }

func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
