//go:build !linux

package api

import (
	"errors"
	"net"
)

// refuseArrivals does nothing on this system: a connection made in the moment in which the
// listener is closed is reset.
func refuseArrivals(net.Listener) error { return errors.ErrUnsupported }
