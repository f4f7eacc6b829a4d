package keys

import "net/netip"

// Bucket names everybody who is counted as one address: an IPv4 address, or an IPv6 /64, which
// is the least that one customer of a provider gets. An address that is not known is "unknown".
func Bucket(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	switch {
	case !a.IsValid():
		return "unknown"
	case a.Is4():
		return a.String()
	}
	p, _ := a.Prefix(64)
	return p.String()
}
