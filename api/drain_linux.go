package api

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// refuseArrivals makes the kernel ignore new connections to a listener, which goes on handing
// out those it has. Whoever is ignored asks again after a second, and finds the listener closed
// or another one in its place. Where this does not work, connections made in the moment of
// closing are reset.
func refuseArrivals(ln net.Listener) {
	sc, ok := ln.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return
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
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	})
}
