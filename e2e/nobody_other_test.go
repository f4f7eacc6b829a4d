//go:build !unix

package e2e

import (
	"errors"
	"syscall"
)

// asNobody is not to be had on this system.
func asNobody() (*syscall.SysProcAttr, error) { return nil, errors.ErrUnsupported }
