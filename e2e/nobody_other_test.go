//go:build !unix

package e2e

import (
	"errors"
	"syscall"
)

// asNobody is not available on this system.
func asNobody() (*syscall.SysProcAttr, error) { return nil, errors.ErrUnsupported }
