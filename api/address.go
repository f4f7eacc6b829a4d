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

// maxHops is the number of entries of X-Forwarded-For that are read.
const maxHops = 32

const headerForwarded = "X-Forwarded-For"

// trust reports whether an address is one of the proxies.
func (p Proxies) trust(a netip.Addr) bool {
	for _, n := range p {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// client returns the address of the client behind a connection. Each proxy appends the address of
// its peer, so the list is read from the right while the entries are trusted proxies. The first
// other address is the client; entries left of it are ignored. At an invalid entry the result is
// the last trusted proxy.
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

// parseHop reads an entry: an address, with an optional port, and optional brackets for IPv6.
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

// clientAddress returns the address of the client, by X-Forwarded-For of trusted proxies only.
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
