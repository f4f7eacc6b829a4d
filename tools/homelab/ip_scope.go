package homelab

import "net/netip"

// ipScope is a range set aside by IANA. A range inside another stands before it.
type ipScope struct {
	prefix netip.Prefix
	scope  string
}

var ipScopes = []ipScope{
	{netip.MustParsePrefix("0.0.0.0/32"), "unspecified"},
	{netip.MustParsePrefix("0.0.0.0/8"), "reserved"}, // this network, RFC 791
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared_100_64"}, // carrier-grade NAT, RFC 6598
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link_local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"}, // IETF protocol assignments
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"}, // 6to4 relay anycast, deprecated by RFC 7526
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), "reserved"}, // benchmarking, RFC 2544
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"}, // with the limited broadcast address

	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("64:ff9b::/96"), "public"},   // translation to IPv4, RFC 6052
	{netip.MustParsePrefix("2001:2::/48"), "reserved"},  // benchmarking, RFC 5180
	{netip.MustParsePrefix("2001:10::/28"), "reserved"}, // ORCHID, returned
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"}, // RFC 9637
	{netip.MustParsePrefix("2000::/3"), "public"},         // global unicast
	{netip.MustParsePrefix("fc00::/7"), "unique_local"},
	{netip.MustParsePrefix("fe80::/10"), "link_local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

// scopeOf returns the purpose that a network is reserved for, and whether parts of it have another
// one. Other IPv4 addresses are public; other IPv6 addresses are not allocated.
func scopeOf(network netip.Prefix) (scope string, mixed bool) {
	holdsPublic := network.Addr().Is4()
	for _, s := range ipScopes {
		switch {
		case !s.prefix.Overlaps(network):
		case s.prefix.Bits() > network.Bits(): // a part
			mixed = true
			holdsPublic = holdsPublic || s.scope == "public"
		case scope == "": // the narrowest range around it
			scope = s.scope
		}
	}
	switch {
	case scope != "":
	case holdsPublic:
		scope = "public"
	default:
		scope = "reserved"
	}
	return scope, mixed
}
