package listener

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// rejectNewConnections makes the kernel drop SYN packets to a listener, which still returns the
// connections in its queue. Clients retransmit a dropped SYN after one second, when the listener is
// closed or replaced. After an error, the kernel resets connections that are made while the
// listener closes. Some kernels allow the filter only to privileged users and return EPERM.
func rejectNewConnections(ln net.Listener) error { return filterSYN(ln, attachFilter) }

// attachFilter attaches a packet filter to a socket.
func attachFilter(fd int, program *unix.SockFprog) error {
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, program)
}

// acceptQueue returns the number of connections that a listener has not accepted yet.
func acceptQueue(ln net.Listener) (n int, err error) {
	err = control(ln, func(fd int) error {
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil {
			n = int(info.Unacked) // the length of the queue while the socket listens
		}
		return err
	})
	return n, err
}

// control calls f with the socket of a listener.
func control(ln net.Listener, f func(fd int) error) error {
	sc, ok := ln.(syscall.Conn)
	if !ok {
		return errors.ErrUnsupported
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	var ferr error
	err = raw.Control(func(fd uintptr) { ferr = f(int(fd)) })
	return errors.Join(err, ferr)
}

// filterSYN implements rejectNewConnections; tests replace attach.
func filterSYN(ln net.Listener, attach func(fd int, program *unix.SockFprog) error) error {
	// The filter is a classic BPF program (Linux Documentation/networking/filter.rst). The TCP
	// header begins at offset 0; its byte 13 contains the flags.
	const (
		flags = 13
		syn   = 0x02
	)
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: flags},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: syn},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},       // drop
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 18}, // accept the packet
	}
	return control(ln, func(fd int) error {
		return attach(fd, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	})
}
