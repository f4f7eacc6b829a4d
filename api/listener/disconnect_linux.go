package listener

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// disconnected reports whether the peer of a socket has closed its sending side. It reads no data.
func disconnected(fd uintptr) bool {
	var one [1]byte
	for {
		n, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return false
		case err != nil || n == 0:
			return true
		}
		// If a pipelined request is pending, only poll detects the end of the stream.
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		_, err = unix.Poll(p, 0)
		return err == nil && p[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
	}
}
