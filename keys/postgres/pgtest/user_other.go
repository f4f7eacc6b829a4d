//go:build !unix

package pgtest

import (
	"os/exec"
	"syscall"
)

func giveAway(string) error { return nil }

func asOther() *syscall.SysProcAttr { return nil }

func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
