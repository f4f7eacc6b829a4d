package keys

import "net/netip"

// ClientPrefix returns the prefix by which a client is counted: an IPv4 address itself, or the
// first 64 bits of an IPv6 address. Providers assign at least a /64 to a customer.
func ClientPrefix(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		p, _ := a.Prefix(64)
		return p.Addr()
	}
	return a
}

// PrefixKey returns the client prefix of an address as text: "203.0.113.7", "2001:db8:1:2::/64", or
// "unknown" for an invalid address.
func PrefixKey(a netip.Addr) string { return string(AppendPrefixKey(nil, a)) }

// AppendPrefixKey appends the PrefixKey of an address.
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
