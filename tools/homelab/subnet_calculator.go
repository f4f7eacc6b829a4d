package homelab

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/choice"
)

// SubnetCalculator analyses an IP network.
var SubnetCalculator = tools.Define(tools.Spec{
	Name:    "subnet_calculator",
	Title:   "Subnet calculator",
	Summary: "Network, hosts, masks, scope and subnets of an IPv4 or IPv6 address in CIDR or mask notation",
	Method: "The prefix keeps the first bits of the address; network = those bits with zeros, " +
		"broadcast = with ones. Addresses = 2^(32 - prefix), or 2^(128 - prefix); hosts = that " +
		"less network and broadcast, but 2 for a /31 and 1 for a /32. In IPv6 every address may " +
		"be a host. A split to a longer prefix makes 2^(new - old) subnets. A plan (VLSM) gives " +
		"each number of hosts the smallest IPv4 subnet of /30 or larger that holds it, the " +
		"largest first and without gaps. In IPv6 each site gets the longest prefix with its /64 " +
		"networks, at a nibble boundary",
	Sources: []string{
		"RFC 4632 (2006), Classless Inter-domain Routing, section 3.1",
		"RFC 3021 (2000), Using 31-Bit Prefixes on IPv4 Point-to-Point Links",
		"RFC 4291 (2006), IP Version 6 Addressing Architecture; RFC 5952 (2010) for the text form",
		"RFC 6177 (2011), IPv6 Address Assignment to End Sites (nibble boundaries, /64 subnets); RFC 5375 (2008)",
		"RFC 1878 (1995), Variable Length Subnet Table For IPv4; RFC 950 (1985)",
		"IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890)",
	},
	Limits: []string{
		"Scope is that of the whole network; one that holds ranges of several kinds is called public, with a warning",
		"At most 256 subnets are listed",
	},
	Aliases: []string{"CIDR", "netmask", "ip calculator", "ipcalc", "wildcard mask", "VLSM"},
	Primary: []string{"network_address"},
	Examples: []tools.Example{{
		Title: "A home network in four parts",
		In:    `{"cidr": "192.168.1.10/24", "new_prefix": 26}`,
		Want: `{"network_address": "192.168.1.0", "broadcast_address": "192.168.1.255", "usable_hosts": 254, "netmask": "255.255.255.0", "is_private": true,
			"subnets": {"count": 4, "list": ["192.168.1.0/26", "192.168.1.64/26", "192.168.1.128/26", "192.168.1.192/26"], "truncated": false}}`,
	}, {
		Title: "A point-to-point link",
		In:    `{"cidr": "203.0.113.4/31"}`,
		Want:  `{"usable_hosts": 2, "first_host": "203.0.113.4", "last_host": "203.0.113.5", "broadcast_address": null}`,
		From:  "RFC 3021",
	}, {
		Title: "A /48 for three sites of 200, 20 and 3 networks",
		In:    `{"cidr": "2001:db8:1::/48", "site_networks": [20, 200, 3]}`,
		Want: `{"ipv6_free_networks": 65008, "ipv6_plan": [{"index": 1, "prefix": "2001:db8:1::/56", "networks": 256}, {"index": 0, "prefix": "2001:db8:1:100::/56", "networks": 256},
			{"index": 2, "prefix": "2001:db8:1:200::/60", "networks": 16, "last_network": "2001:db8:1:20f::/64"}]}`,
		From: "by hand: 65536 - 256 - 256 - 16; RFC 6177 asks for nibble boundaries",
	}},
}, subnetCalculator)

type subnetIn struct {
	CIDR      string  `json:"cidr" minLength:"1" maxLength:"100" example:"192.168.1.10/24" label:"Network" doc:"Address with prefix (10.0.0.5/24), with a mask (10.0.0.0 255.255.252.0), or alone"`
	NewPrefix *int    `json:"new_prefix" unit:"bit" min:"0" max:"128" label:"Subnet prefix length" doc:"Prefix length of the subnets to split into"`
	Contains  *string `json:"contains_ip" minLength:"1" maxLength:"100" example:"192.168.1.77" label:"Address to test" doc:"Address to look for in the network"`
	Hosts     *[]int  `json:"hosts" unit:"1" minItems:"1" maxItems:"256" min:"1" max:"4294967294" label:"Hosts per subnet" doc:"Hosts required in each IPv4 subnet of a VLSM plan"`

	Sites  *[]int `json:"site_networks" unit:"1" minItems:"1" maxItems:"256" min:"1" max:"4294967296" label:"Networks per site" doc:"/64 networks required at each site of an IPv6 plan"`
	Nibble bool   `json:"nibble_boundary" default:"true" label:"Nibble boundaries" doc:"Align the IPv6 prefixes of a plan to hexadecimal digits"`
}

type subnetOut struct {
	Version   int         `json:"ip_version" unit:"1" label:"IP version" doc:"4 or 6"`
	Network   string      `json:"network_address" label:"Network address" doc:"First address"`
	Broadcast *string     `json:"broadcast_address" label:"Broadcast address" doc:"Last address of an IPv4 network; null for /31, /32 and IPv6"`
	First     string      `json:"first_host" label:"First host" doc:"First host address"`
	Last      string      `json:"last_host" label:"Last host" doc:"Last host address"`
	Prefix    int         `json:"prefix_length" unit:"bit" label:"Prefix length" doc:"Length of the network prefix"`
	Netmask   *string     `json:"netmask" label:"Netmask" doc:"Netmask; null for IPv6"`
	Wildcard  *string     `json:"wildcard_mask" label:"Wildcard mask" doc:"Inverted netmask, for access lists; null for IPv6"`
	Total     float64     `json:"total_addresses" unit:"1" label:"Total addresses" doc:"Addresses in the network"`
	TotalText string      `json:"total_addresses_text" label:"Total addresses, all digits" doc:"Addresses in the network, with all digits"`
	Usable    float64     `json:"usable_hosts" unit:"1" label:"Usable hosts" doc:"Number of host addresses"`
	IsPrivate bool        `json:"is_private" label:"Private network" doc:"Entirely inside RFC 1918 or fc00::/7"`
	Scope     string      `json:"scope" enum:"private,public,loopback,link_local,multicast,shared_100_64,documentation,reserved,unspecified,unique_local" label:"Scope" doc:"Assigned use of the addresses"`
	Class     *string     `json:"ip_class" label:"Class" doc:"Historical class A to E of the address; null for IPv6"`
	Reverse   string      `json:"reverse_dns" label:"Reverse DNS name" doc:"Name of the given address in the reverse DNS"`
	Contains  *bool       `json:"contains" label:"Contains the address" doc:"The network contains contains_ip; null without it"`
	Subnets   *subnetList `json:"subnets" label:"Subnets" doc:"The subnets; null without new_prefix"`
	Plan      []planned   `json:"plan" nullable:"true" label:"Subnet plan" doc:"Subnet for each number in hosts, in address order; null without hosts"`
	FreeHosts *float64    `json:"plan_free_addresses" unit:"1" label:"Free addresses" doc:"Addresses that remain after the plan; null without hosts"`
	IPv6Plan  []sitePlan  `json:"ipv6_plan" nullable:"true" label:"IPv6 plan" doc:"Prefix for each number in site_networks, in address order; null without it"`
	Free64    *float64    `json:"ipv6_free_networks" unit:"1" label:"Free /64 networks" doc:"/64 networks that remain after the plan; null without site_networks"`
	tools.Warnings
}

type subnetList struct {
	Count     float64  `json:"count" unit:"1" label:"Number of subnets" doc:"Number of subnets"`
	List      []string `json:"list" label:"First subnets" doc:"The first 256 subnets"`
	Truncated bool     `json:"truncated" label:"Truncated" doc:"There are more subnets than the list shows"`
}

type planned struct {
	Index     int     `json:"index" unit:"1" label:"Position in hosts" doc:"Position in hosts, from 0"`
	Hosts     int     `json:"hosts" unit:"1" label:"Hosts required" doc:"Hosts required"`
	Network   string  `json:"network" label:"Network" doc:"Network with its prefix"`
	Usable    float64 `json:"usable_hosts" unit:"1" label:"Usable hosts" doc:"Number of host addresses"`
	First     string  `json:"first_host" label:"First host" doc:"First host address"`
	Last      string  `json:"last_host" label:"Last host" doc:"Last host address"`
	Broadcast string  `json:"broadcast_address" label:"Broadcast address" doc:"Last address"`
}

type sitePlan struct {
	Index    int     `json:"index" unit:"1" label:"Position in site_networks" doc:"Position in site_networks, from 0"`
	Required int     `json:"networks_required" unit:"1" label:"Networks required" doc:"/64 networks required"`
	Prefix   string  `json:"prefix" label:"Prefix" doc:"Prefix of the site"`
	Networks float64 `json:"networks" unit:"1" label:"Networks" doc:"/64 networks in the prefix"`
	Last     string  `json:"last_network" label:"Last network" doc:"Last /64 network of the prefix"`
}

const listedSubnets = 256

func subnetCalculator(_ context.Context, in subnetIn) (subnetOut, error) {
	var out subnetOut
	addr, prefix, err := parseNetwork(in.CIDR)
	if err != nil {
		return out, invalidText("cidr", in.CIDR, err)
	}
	network := netip.PrefixFrom(addr, prefix).Masked()
	if err := in.check(network); err != nil {
		return out, err
	}
	width := addr.BitLen()
	host := width - prefix
	last := lastAddress(network)
	out.Network, out.Prefix = network.Addr().String(), prefix
	out.First, out.Last = out.Network, last.String()
	out.Total = math.Ldexp(1, host)
	out.TotalText = new(big.Int).Lsh(big.NewInt(1), uint(host)).String()
	out.Usable = out.Total
	out.Reverse = reverseName(addr)
	if addr.Is4() {
		out.Version = 4
		out.legacy(addr, network, last)
	} else {
		out.Version = 6
	}
	var mixed bool
	out.Scope, mixed = scopeOf(network)
	out.IsPrivate = out.Scope == "private" || out.Scope == "unique_local"
	if mixed {
		out.Warn(
			"the network also holds ranges set aside for other purposes (private, loopback, multicast, ...)",
		)
	}
	if in.Contains != nil {
		ip, _ := parseAddress(*in.Contains) // checked before
		inside := network.Contains(ip)
		out.Contains = &inside
	}
	if in.NewPrefix != nil {
		out.Subnets = split(network, *in.NewPrefix)
	}
	choice.Ignored(&out.Warnings, "it needs site_networks",
		choice.Of("nibble_boundary", in.Sites == nil && !in.Nibble))
	if in.Sites != nil {
		if err := out.planSites(network, *in.Sites, in.Nibble); err != nil {
			return out, err
		}
	}
	if in.Hosts != nil {
		return out, out.plan(network, *in.Hosts)
	}
	return out, nil
}

// planSites assigns each site the longest prefix that provides its number of /64 networks, largest
// sites first.
func (out *subnetOut) planSites(network netip.Prefix, sites []int, nibble bool) error {
	if network.Addr().Is4() || network.Bits() > 64 {
		return tools.Invalid("site_networks", "plans IPv6 prefixes of up to 64 bits; cidr is %s",
			network)
	}
	order := make([]int, len(sites))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sites[b], sites[a]) })
	start := binary.BigEndian.Uint64(network.Addr().AsSlice()) // in /64 networks
	size, used := math.Ldexp(1, 64-network.Bits()), 0.0
	for _, i := range order {
		width := bits.Len64(uint64(sites[i]) - 1) // number of bits of the site's subnet IDs
		if nibble {
			width = (width + 3) / 4 * 4
		}
		block := uint64(1) << width
		used += float64(block)
		if used > size {
			continue
		}
		first, last := networkAt(start), networkAt(start+block-1)
		out.IPv6Plan = append(out.IPv6Plan, sitePlan{
			Index: i, Required: sites[i], Networks: float64(block),
			Prefix: netip.PrefixFrom(first, 64-width).String(),
			Last:   netip.PrefixFrom(last, 64).String(),
		})
		start += block
	}
	if used > size {
		return tools.Invalid("site_networks",
			"needs %.6g networks of /64 in prefixes of powers of two; cidr %s has %.6g", used,
			network, size)
	}
	out.Free64 = new(size - used)
	return nil
}

// networkAt returns the address of a /64 network from its first 64 bits.
func networkAt(bits uint64) netip.Addr {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], bits)
	return netip.AddrFrom16(b)
}

// plan allocates subnets for the numbers of hosts. Blocks in descending powers of two that start at
// the network boundary remain aligned without gaps.
func (out *subnetOut) plan(network netip.Prefix, hosts []int) error {
	if !network.Addr().Is4() {
		return tools.Invalid("hosts",
			"plans IPv4 networks only; IPv6 subnets have 64 bits each (RFC 4291): use site_networks")
	}
	order := make([]int, len(hosts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return hosts[b] - hosts[a] })
	size := uint64(1) << (32 - network.Bits())
	start, used := uint64(binary.BigEndian.Uint32(network.Addr().AsSlice())), uint64(0)
	for _, i := range order {
		width := max(2, bits.Len64(uint64(hosts[i])+1)) // plus network and broadcast
		block := uint64(1) << width
		used += block
		at := start + used - block
		if used > size {
			continue
		}
		out.Plan = append(out.Plan, planned{
			Index: i, Hosts: hosts[i], Network: netip.PrefixFrom(fromUint32(uint32(at)),
				32-width).String(),
			Usable: float64(block - 2), First: fromUint32(uint32(at + 1)).String(),
			Last:      fromUint32(uint32(at + block - 2)).String(),
			Broadcast: fromUint32(uint32(at + block - 1)).String(),
		})
	}
	if used > size {
		return tools.Invalid(
			"hosts",
			"needs %d addresses in subnets of powers of two; cidr %s has %d: use a shorter prefix or fewer hosts",
			used, network, size,
		)
	}
	out.FreeHosts = new(float64(size - used))
	return nil
}

// legacy sets the results that apply only to IPv4.
func (out *subnetOut) legacy(addr netip.Addr, network netip.Prefix, last netip.Addr) {
	mask := uint32(math.MaxUint32) << (32 - network.Bits())
	netmask, wildcard := fromUint32(mask).String(), fromUint32(^mask).String()
	out.Netmask, out.Wildcard = &netmask, &wildcard
	class := classOf(addr)
	out.Class = &class
	switch network.Bits() {
	case 32:
	case 31:
		out.Warn(
			"a /31 has two hosts and no broadcast address (RFC 3021, point-to-point links); many calculators show 0",
		)
	default:
		broadcast := last.String()
		out.Broadcast = &broadcast
		out.First, out.Last = network.Addr().Next().String(), last.Prev().String()
		out.Usable -= 2
	}
}

// check validates the optional fields against the network.
func (in *subnetIn) check(network netip.Prefix) error {
	var f tools.FieldErrors
	if p := in.NewPrefix; p != nil {
		switch width := network.Addr().BitLen(); {
		case *p < network.Bits():
			f.AddValue("new_prefix", *p,
				"must be at least the prefix of cidr, %d: a network splits into longer prefixes",
				network.Bits())
		case *p > width:
			f.AddValue("new_prefix", *p, "must be at most %d, the length of the addresses in cidr",
				width)
		}
	}
	if in.Contains != nil {
		ip, err := parseAddress(*in.Contains)
		switch {
		case err != nil:
			f.AddValue("contains_ip", *in.Contains, "%s", err)
		case ip.BitLen() != network.Addr().BitLen():
			f.AddValue("contains_ip", *in.Contains, "must be of the same IP version as cidr")
		}
	}
	return f.Err()
}

func invalidText(path, value string, err error) error {
	var f tools.FieldErrors
	f.AddValue(path, value, "%s", err)
	return f.Err()
}

// parseNetwork parses an address with a prefix length, with a mask, or alone.
func parseNetwork(s string) (netip.Addr, int, error) {
	s = strings.TrimSpace(s)
	text, suffix, slash := strings.Cut(s, "/")
	if !slash {
		if fields := strings.Fields(s); len(fields) > 2 {
			return netip.Addr{}, 0, errors.New(
				"must be an address with a prefix length or a mask: 10.0.0.5/24 or 10.0.0.0 255.255.252.0",
			)
		} else if len(fields) == 2 {
			text, suffix = fields[0], fields[1]
		}
	}
	addr, err := parseAddress(strings.TrimSpace(text))
	suffix = strings.TrimSpace(suffix)
	switch {
	case err != nil:
		return addr, 0, err
	case suffix == "" && slash:
		return addr, 0, errors.New("has no prefix length after the slash")
	case suffix == "":
		return addr, addr.BitLen(), nil
	case strings.Contains(suffix, ".") && addr.Is4():
		n, err := parseMask(suffix)
		return addr, n, err
	}
	n, err := strconv.ParseUint(suffix, 10, 16)
	if err != nil || int(n) > addr.BitLen() || len(suffix) > 1 && suffix[0] == '0' {
		return addr, 0, fmt.Errorf("has prefix length %q; it must be a whole number from 0 to %d",
			suffix, addr.BitLen())
	}
	return addr, int(n), nil
}

// parseAddress parses an address. It rejects leading zeros as RFC 6943, section 3.1.1 recommends,
// because some programs interpret them as octal.
func parseAddress(s string) (netip.Addr, error) {
	if strings.Contains(s, ":") {
		addr, err := netip.ParseAddr(s)
		if err != nil || addr.Zone() != "" {
			return netip.Addr{}, errors.New("is not an IPv6 address (without a zone)")
		}
		return addr, nil
	}
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return netip.Addr{},
			fmt.Errorf("must have four numbers from 0 to 255; it has %d",
				len(parts))
	}
	var b [4]byte
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 32)
		switch {
		case p == "":
			return netip.Addr{}, fmt.Errorf("lacks part %d of the address", i+1)
		case errors.Is(err, strconv.ErrSyntax):
			return netip.Addr{}, fmt.Errorf("has part %d, %q, which is not a number", i+1, p)
		case err != nil || n > 255:
			return netip.Addr{}, fmt.Errorf("has part %d, %s, which is above 255", i+1, p)
		case len(p) > 1 && p[0] == '0':
			return netip.Addr{}, fmt.Errorf(
				"has part %d, %s, with a leading zero, which some programs read as octal", i+1, p,
			)
		}
		b[i] = byte(n)
	}
	return netip.AddrFrom4(b), nil
}

// parseMask returns the prefix length of a netmask.
func parseMask(s string) (int, error) {
	addr, err := parseAddress(s)
	if err != nil {
		return 0, fmt.Errorf("has a bad netmask %q: it %w", s, err)
	}
	mask := toUint32(addr)
	n := bits.LeadingZeros32(^mask)
	if mask != uint32(math.MaxUint32)<<(32-n) {
		return 0, fmt.Errorf("has netmask %s, whose ones are not contiguous", s)
	}
	return n, nil
}

func toUint32(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

func fromUint32(v uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], v)
	return netip.AddrFrom4(b)
}

// lastAddress returns the last address of a network, in which all host bits are ones.
func lastAddress(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// split lists the subnets of network with a longer prefix, at most listedSubnets of them.
func split(network netip.Prefix, prefix int) *subnetList {
	out := &subnetList{Count: math.Ldexp(1, prefix-network.Bits())}
	out.Truncated = out.Count > listedSubnets
	b := network.Addr().AsSlice()
	for range int(min(out.Count, listedSubnets)) {
		a, _ := netip.AddrFromSlice(b)
		out.List = append(out.List, netip.PrefixFrom(a, prefix).String())
		for i := prefix - 1; i >= 0; i-- { // adds one to the number formed by the first prefix bits
			b[i/8] ^= 0x80 >> (i % 8)
			if b[i/8]&(0x80>>(i%8)) != 0 {
				break
			}
		}
	}
	return out
}

// classOf returns the class that the first bits of an address denoted before CIDR (RFC 791, RFC
// 1112).
func classOf(a netip.Addr) string {
	ones := bits.LeadingZeros8(^a.As4()[0])
	return "ABCDE"[min(ones, 4):][:1]
}

// reverseName returns the owner name of the PTR record (RFC 1035, section 3.5; RFC 3596, section
// 2.5).
func reverseName(a netip.Addr) string {
	b := a.AsSlice()
	var s strings.Builder
	for i := len(b) - 1; i >= 0; i-- {
		if a.Is4() {
			s.WriteString(strconv.Itoa(int(b[i])) + ".")
			continue
		}
		const hex = "0123456789abcdef"
		s.Write([]byte{hex[b[i]&15], '.', hex[b[i]>>4], '.'})
	}
	if a.Is4() {
		return s.String() + "in-addr.arpa"
	}
	return s.String() + "ip6.arpa"
}

// ipScope is a range reserved by IANA. A nested range precedes the range that contains it.
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
	// 6to4 relay anycast, deprecated by RFC 7526
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), "reserved"}, // benchmarking, RFC 2544
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"}, // includes the limited broadcast address

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

// scopeOf returns the purpose for which a network is reserved, and whether parts of it have another
// purpose. Other IPv4 addresses are public; other IPv6 addresses are unallocated and therefore
// reserved.
func scopeOf(network netip.Prefix) (scope string, mixed bool) {
	holdsPublic := network.Addr().Is4()
	for _, s := range ipScopes {
		switch {
		case !s.prefix.Overlaps(network):
		case s.prefix.Bits() > network.Bits(): // a part
			mixed = true
			holdsPublic = holdsPublic || s.scope == "public"
		case scope == "": // the narrowest range that contains the network
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
