//go:build !linux

package listener

import (
	"errors"
	"net"
)

// rejectNewConnections returns an error because this system lacks support. Connections made while
// the listener closes are reset.
func rejectNewConnections(net.Listener) error { return errors.ErrUnsupported }

// acceptQueue returns an error because this system does not report the length of the queue.
func acceptQueue(net.Listener) (int, error) { return 0, errors.ErrUnsupported }
