//go:build !linux

package listener

import (
	"errors"
	"net"
)

// rejectNewConnections is not supported on this system: connections made while the listener closes
// are reset.
func rejectNewConnections(net.Listener) error { return errors.ErrUnsupported }
