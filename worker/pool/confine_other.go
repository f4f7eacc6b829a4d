//go:build !linux

package pool

import "errors"

func confine() (active []string, err error) { return nil, errors.ErrUnsupported }
