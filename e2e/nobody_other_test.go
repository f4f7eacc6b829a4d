//go:build !unix

package e2e

import (
	"errors"
	"syscall"
)

// asNobody returns an error, because this system does not support it.
func asNobody() (*syscall.SysProcAttr, error) { return nil, errors.ErrUnsupported }
