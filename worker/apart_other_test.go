//go:build !linux

package worker

import "syscall"

func withUs() *syscall.SysProcAttr { return nil }
