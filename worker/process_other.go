//go:build !linux

package worker

import (
	"errors"
	"syscall"
)

func apart() *syscall.SysProcAttr { return nil }

func limitAddressSpace(uint64) error { return errors.ErrUnsupported }
