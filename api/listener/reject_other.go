//go:build !linux

package listener

import (
	"errors"
	"net"
)

// rejectNewConnections returns an error because this system lacks support. Connections made while
// the listener closes are reset.
func rejectNewConnections(net.Listener) error { return errors.ErrUnsupported }
