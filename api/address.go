package api

import (
	"bytes"
	"net"
	"net/netip"
	"strings"

	"github.com/valyala/fasthttp"
)

// Proxies are the networks whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// maxHops is how many entries of X-Forwarded-For are looked at.
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

// client finds the client behind a connection. Each proxy appends the address that it saw, so the
// list is read from the right, and only as long as a trusted proxy vouches for the next entry:
// the first address that is no proxy of ours is the client, whatever stands left of it. What
// cannot be read ends the walk at the proxy that let it pass.
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

// parseHop reads an entry: an address, perhaps with a port, IPv6 perhaps in brackets.
func parseHop(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	if err != nil {
		if ap, err := netip.ParseAddrPort(s); err == nil {
			a = ap.Addr()
		} else if a, err = netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")); err != nil {
			return a, false
		}
	}
	return a.Unmap().WithZone(""), true
}

// clientAddress is the address of the client, as far as trusted proxies vouch for it.
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
