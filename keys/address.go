package keys

import "net/netip"

// ClientPrefix gives one address to everybody who is counted as one: an IPv4 address as it is, an IPv6
// address without its last 64 bits, because a /64 is the least that one customer gets.
func ClientPrefix(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		p, _ := a.Prefix(64)
		return p.Addr()
	}
	return a
}

// PrefixKey names the Group of an address: "203.0.113.7", "2001:db8:1:2::/64", or "unknown".
func PrefixKey(a netip.Addr) string { return string(AppendPrefixKey(nil, a)) }

// AppendPrefixKey appends the Bucket of an address.
func AppendPrefixKey(b []byte, a netip.Addr) []byte {
	a = ClientPrefix(a)
	switch {
	case !a.IsValid():
		return append(b, "unknown"...)
	case a.Is6():
		return append(a.AppendTo(b), "/64"...)
	}
	return a.AppendTo(b)
}
