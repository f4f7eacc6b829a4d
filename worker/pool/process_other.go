//go:build !linux

package pool

import (
	"errors"
	"os"
	"syscall"
)

func newProcessGroup() *syscall.SysProcAttr { return nil }

func limitAddressSpace(uint64) error { return errors.ErrUnsupported }

func enlargePipe(*os.File) {}
