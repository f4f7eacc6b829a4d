package api

import (
	"bytes"
	"net"
	"net/netip"
	"strings"

	"github.com/valyala/fasthttp"
)

// Proxies are the networks whose X-Forwarded-For header is trusted.
type Proxies []netip.Prefix

// maxHops is the maximum number of X-Forwarded-For entries that client reads.
const maxHops = 32

const headerForwarded = "X-Forwarded-For"

// trust reports whether a is the address of a trusted proxy.
func (p Proxies) trust(a netip.Addr) bool {
	for _, n := range p {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// client returns the address of the client behind a connection. Each proxy appends the address of
// its peer, so client reads the list from right to left. The first address that is not a trusted
// proxy is the client; entries to its left are ignored. At an invalid entry, client returns the
// last trusted proxy.
func (p Proxies) client(peer netip.Addr, forwarded [][]byte) netip.Addr {
	at := peer.Unmap().WithZone("")
	if len(p) == 0 || !p.trust(at) {
		return at
	}
	hops := 0
	for i := len(forwarded) - 1; i >= 0; i-- {
		for list, found := forwarded[i], true; found; {
			var entry []byte
			if comma := bytes.LastIndexByte(list, ','); comma >= 0 {
				list, entry = list[:comma], list[comma+1:]
			} else {
				entry, found = list, false
			}
			next, ok := parseHop(string(bytes.TrimSpace(entry)))
			if hops++; !ok || hops > maxHops {
				return at
			}
			if at = next; !p.trust(at) {
				return at
			}
		}
	}
	return at
}

// parseHop parses an entry of X-Forwarded-For: an address with an optional port. An IPv6 address
// may be in brackets. It returns false for any other text.
func parseHop(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	if err != nil {
		if ap, err := netip.ParseAddrPort(s); err == nil {
			a = ap.Addr()
		} else if a, err = netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["),
			"]")); err != nil {
			return a, false
		}
	}
	return a.Unmap().WithZone(""), true
}

// clientAddress returns the address of the client. It honours X-Forwarded-For only from trusted
// proxies.
func (s *Server) clientAddress(ctx *fasthttp.RequestCtx) netip.Addr {
	tcp, ok := ctx.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	peer := tcp.AddrPort().Addr()
	if len(s.opt.Proxies) == 0 {
		return peer.Unmap().WithZone("")
	}
	return s.opt.Proxies.client(peer, ctx.Request.Header.PeekAll(headerForwarded))
}
