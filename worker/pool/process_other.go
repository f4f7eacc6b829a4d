//go:build !linux

package pool

import (
	"errors"
	"syscall"
)

func newProcessGroup() *syscall.SysProcAttr { return nil }

func limitAddressSpace(uint64) error { return errors.ErrUnsupported }
