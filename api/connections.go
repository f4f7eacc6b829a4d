package api

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"slipstick/api/listener"
	"slipstick/internal/rawjson"
	"slipstick/keys"
)

// spareConnections is the number of connections that fasthttp allows beyond Options.Connections.
// fasthttp rejects with plain text, so the listener must reject first.
const spareConnections = 256

// retryConnection is the Retry-After of a rejected connection.
const retryConnection = time.Second

// listenerOptions returns the options of the listener, including its connection limits.
func (s *Server) listenerOptions() listener.Options {
	return listener.Options{
		FirstByte: s.opt.ReadTimeout, WriteTimeout: s.opt.WriteTimeout,
		Connections: s.opt.Connections,
		PerAddress:  s.opt.AddressConnections,
		Prefix:      func(a netip.Addr) netip.Addr { return keys.ClientPrefix(a) },
		Trusted:     s.opt.Proxies.trust, Reject: rejectConnection, Log: s.opt.Log,
	}
}

// rejectConnection returns the response to a connection beyond a limit: the problem "busy".
func rejectConnection(reason error) []byte {
	p := newProblem(busy, "the server has as many connections as it takes; try again in 1 s")
	var perAddress *listener.AddressLimitError
	if errors.As(reason, &perAddress) {
		p = newProblem(busy,
			"your address has %d connections open, which is as many as one may have; "+
				"use them again instead of opening more", perAddress.Limit)
	}
	id := requestID(nil, nil)
	body, err := rawjson.Marshal(p.problem(string(id)))
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d Service Unavailable\r\nContent-Type: %s\r\n"+
		"Content-Length: %d\r\n%s: %s\r\nCache-Control: no-store\r\nRetry-After: %s\r\n"+
		"X-Request-Id: %s\r\nConnection: close\r\n\r\n%s",
		p.status, problemMediaType, len(body), headerContentTypeOptions, noSniff,
		seconds(retryConnection), id, body)
}
