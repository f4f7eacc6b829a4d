//go:build !linux

package worker

import "errors"

func confine() (active []string, err error) { return nil, errors.ErrUnsupported }
