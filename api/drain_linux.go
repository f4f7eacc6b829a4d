package api

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// refuseArrivals makes the kernel ignore new connections to a listener, which goes on handing
// out those it has. A client that is ignored asks again after a second, and finds the listener
// closed or another one in its place. After an error, connections made in the moment of closing
// are reset. Some kernels allow the filter to privileged users only: EPERM.
func refuseArrivals(ln net.Listener) error { return filterArrivals(ln, attachFilter) }

// attachFilter gives a socket a filter of the packets it receives.
func attachFilter(fd int, program *unix.SockFprog) error {
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, program)
}

// filterArrivals is refuseArrivals by way of attach, which tests replace.
func filterArrivals(ln net.Listener, attach func(fd int, program *unix.SockFprog) error) error {
	sc, ok := ln.(syscall.Conn)
	if !ok {
		return errors.ErrUnsupported
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	// A classic BPF program (Linux Documentation/networking/filter.rst); a TCP socket's program
	// sees the TCP header at offset 0, whose byte 13 has the flags.
	const (
		flags = 13
		syn   = 0x02
	)
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: flags},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: syn},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},       // drop
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 18}, // take all of it
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = attach(int(fd), &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	})
	return errors.Join(err, refused)
}
