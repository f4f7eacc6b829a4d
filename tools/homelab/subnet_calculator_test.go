package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"slipstick/tools/tooltest"
)

func TestSubnetCalculator(t *testing.T) {
	tooltest.Examples(t, SubnetCalculator)
	tooltest.Cases(t, SubnetCalculator, []tooltest.Case{
		{"contract: split to /26",
			`{"cidr":"192.168.1.10/24","new_prefix":26,"contains_ip":"192.168.1.77"}`,
			`{"ip_version":4,"network_address":"192.168.1.0","broadcast_address":"192.168.1.255","first_host":"192.168.1.1","last_host":"192.168.1.254","prefix_length":24,"netmask":"255.255.255.0",
			"wildcard_mask":"0.0.0.255","total_addresses":256,"total_addresses_text":"256","usable_hosts":254,"is_private":true,"scope":"private","ip_class":"C","reverse_dns":"10.1.168.192.in-addr.arpa","contains":true,
			"subnets":{"count":4,"list":["192.168.1.0/26","192.168.1.64/26","192.168.1.128/26","192.168.1.192/26"],"truncated":false},"warnings":[]}`},
		{"by hand: mask notation", `{"cidr":"10.1.2.3 255.255.252.0","contains_ip":"10.1.4.0"}`, `{"network_address":"10.1.0.0","broadcast_address":"10.1.3.255","prefix_length":22,"usable_hosts":1022,"wildcard_mask":"0.0.3.255","contains":false,"ip_class":"A"}`},
		{"mask after a slash", `{"cidr":" 172.31.255.255/255.240.0.0 "}`, `{"network_address":"172.16.0.0","prefix_length":12,"scope":"private","usable_hosts":1048574}`},
		{"RFC 3021: /31 has two hosts", `{"cidr":"198.51.100.7/31"}`, `{"first_host":"198.51.100.6","last_host":"198.51.100.7","usable_hosts":2,"broadcast_address":null,"scope":"documentation","warnings":["~RFC 3021"]}`},
		{"a bare address", `{"cidr":"8.8.8.8"}`, `{"prefix_length":32,"first_host":"8.8.8.8","last_host":"8.8.8.8","usable_hosts":1,"total_addresses":1,"broadcast_address":null,"scope":"public","is_private":false,"subnets":null,"contains":null}`},
		{"everything", `{"cidr":"0.0.0.0/0"}`, `{"netmask":"0.0.0.0","wildcard_mask":"255.255.255.255","total_addresses_text":"4294967296","usable_hosts":4294967294,"broadcast_address":"255.255.255.255","scope":"public","warnings":["~set aside"]}`},
		{"RFC 4291: IPv6", `{"cidr":"2001:db8:0:0:8::417A/64"}`, `{"ip_version":6,"network_address":"2001:db8::","first_host":"2001:db8::","last_host":"2001:db8::ffff:ffff:ffff:ffff","total_addresses_text":"18446744073709551616",
			"usable_hosts":18446744073709551616,"netmask":null,"wildcard_mask":null,"broadcast_address":null,"ip_class":null,"scope":"documentation"}`},
		{"RFC 3596: reverse name of an IPv6 address", `{"cidr":"4321:0:1:2:3:4:567:89ab"}`,
			`{"reverse_dns":"b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa","total_addresses":1,"scope":"reserved"}`},
		{"all of IPv6, to the last digit", `{"cidr":"::/0"}`, `{"total_addresses_text":"340282366920938463463374607431768211456","last_host":"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff","scope":"public"}`},
		{"by hand: a /48 has 65536 /64",
			`{"cidr":"fd00:1:2::/48","new_prefix":64,"contains_ip":"fd00:1:2:ffff::1"}`, `{"scope":"unique_local","is_private":true,"contains":true,"subnets":{"count":65536,"truncated":true}}`},
		{"split into itself", `{"cidr":"10.0.0.0/8","new_prefix":8}`,
			`{"subnets":{"count":1,"list":["10.0.0.0/8"],"truncated":false}}`},
		{"IPv4-mapped", `{"cidr":"::ffff:192.0.2.5/120"}`, `{"ip_version":6,"network_address":"::ffff:192.0.2.0","last_host":"::ffff:192.0.2.255","total_addresses":256,"scope":"reserved"}`},
		{"by hand: 100, 50, 25 and 10 hosts in a /24: /25, /26, /27, /28, 16 addresses left",
			`{"cidr":"192.168.1.0/24","hosts":[50,100,10,25]}`,
			`{"plan":[{"index":1,"hosts":100,"network":"192.168.1.0/25","usable_hosts":126,"first_host":"192.168.1.1","last_host":"192.168.1.126","broadcast_address":"192.168.1.127"},
				{"index":0,"network":"192.168.1.128/26"},{"index":3,"network":"192.168.1.192/27"},{"index":2,"network":"192.168.1.224/28"}],"plan_free_addresses":16}`},
		{"RFC 1878: 254 hosts fill a /24, 255 need a /23; 2 hosts a /30",
			`{"cidr":"10.0.0.0/16","hosts":[254,255,2]}`,
			`{"plan":[{"network":"10.0.0.0/23","usable_hosts":510},{"network":"10.0.2.0/24","usable_hosts":254},{"network":"10.0.3.0/30","usable_hosts":2}]}`},
		{"one host needs a /30", `{"cidr":"10.0.0.0/30","hosts":[1]}`,
			`{"plan":[{"network":"10.0.0.0/30"}],"plan_free_addresses":0}`},
		{"no plan", `{"cidr":"10.0.0.0/30"}`, `{"plan":null,"plan_free_addresses":null}`},
		{"by hand: without nibbles 20 networks are a /59, 200 a /56, 3 a /62",
			`{"cidr":"2001:db8::/48","site_networks":[20,200,3],"nibble_boundary":false}`,
			`{"ipv6_free_networks":65244,"ipv6_plan":[{"prefix":"2001:db8::/56"},{"prefix":"2001:db8:0:100::/59","networks":32},{"prefix":"2001:db8:0:120::/62","last_network":"2001:db8:0:123::/64"}]}`},
		{"nibbles without a plan", `{"cidr":"2001:db8::/48","nibble_boundary":false}`,
			`{"ipv6_plan":null,"warnings":["~nibble_boundary was ignored"]}`},
		{"one network is a /64", `{"cidr":"2001:db8:0:8::/64","site_networks":[1]}`, `{"ipv6_free_networks":0,"ipv6_plan":[{"prefix":"2001:db8:0:8::/64","networks":1,"last_network":"2001:db8:0:8::/64"}]}`},
		{"RFC 6177: a /32 holds 65536 sites of /48",
			`{"cidr":"2001:db8::/32","site_networks":[65536]}`, `{"ipv6_plan":[{"prefix":"2001:db8::/48","networks":65536}],"ipv6_free_networks":4294901760}`},
		{"andrew.lecody.com, table of /64 networks: a /52 holds 4096, a /56 256, a /59 32",
			`{"cidr":"2001:db8::/48","site_networks":[32,4096,256],"nibble_boundary":false}`,
			`{"ipv6_plan":[{"index":1,"networks_required":4096,"prefix":"2001:db8::/52","networks":4096},{"index":2,"networks_required":256,"prefix":"2001:db8:0:1000::/56","networks":256},{"index":0,"networks_required":32,"prefix":"2001:db8:0:1100::/59","networks":32}],"ipv6_free_networks":61152}`},
		{"the same table: 33 networks need the 64 of a /58; RFC 6177: with nibbles a /56",
			`{"cidr":"2001:db8::/48","site_networks":[33]}`,
			`{"ipv6_plan":[{"index":0,"networks_required":33,"prefix":"2001:db8::/56","networks":256}]}`},
		{"the same table: 33 networks fit the 64 of a /58",
			`{"cidr":"2001:db8::/48","site_networks":[33],"nibble_boundary":false}`,
			`{"ipv6_plan":[{"index":0,"networks_required":33,"prefix":"2001:db8::/58","networks":64,"last_network":"2001:db8:0:3f::/64"}],"ipv6_free_networks":65472}`},
		{"RFC 1878: /26 of 62 hosts, /27 of 30, /28 of 14",
			`{"cidr":"10.1.0.0/24","hosts":[30,62,14]}`,
			`{"plan":[{"index":1,"hosts":62,"network":"10.1.0.0/26","usable_hosts":62,"first_host":"10.1.0.1","last_host":"10.1.0.62","broadcast_address":"10.1.0.63"},{"index":0,"hosts":30,"network":"10.1.0.64/27","usable_hosts":30,"first_host":"10.1.0.65","last_host":"10.1.0.94","broadcast_address":"10.1.0.95"},{"index":2,"hosts":14,"network":"10.1.0.96/28","usable_hosts":14,"first_host":"10.1.0.97","last_host":"10.1.0.110","broadcast_address":"10.1.0.111"}],"plan_free_addresses":144}`},
		{"RFC 1878: /25 of 126 hosts, /29 of 6; Python's ipaddress",
			`{"cidr":"172.16.4.0/23","hosts":[6,126]}`,
			`{"plan":[{"index":1,"hosts":126,"network":"172.16.4.0/25","usable_hosts":126,"first_host":"172.16.4.1","last_host":"172.16.4.126","broadcast_address":"172.16.4.127"},{"index":0,"hosts":6,"network":"172.16.4.128/29","usable_hosts":6,"first_host":"172.16.4.129","last_host":"172.16.4.134","broadcast_address":"172.16.4.135"}],"plan_free_addresses":376}`},
	})
	tooltest.InvalidCases(t, SubnetCalculator, []tooltest.InvalidCase{
		{"sites in IPv4", `{"cidr":"10.0.0.0/8","site_networks":[1]}`, []string{"site_networks"},
			"IPv6 prefixes"},
		{"too many sites", `{"cidr":"2001:db8::/60","site_networks":[16,1]}`,
			[]string{"site_networks"}, "cidr 2001:db8::/60 has 16"},
		{"behind the /64", `{"cidr":"2001:db8::/65","site_networks":[1]}`,
			[]string{"site_networks"}, "up to 64 bits"},
		{"more hosts than the network has", `{"cidr":"192.168.1.0/24","hosts":[100,100,10]}`,
			[]string{"hosts"}, "needs 272 addresses"},
		{"a plan for IPv6", `{"cidr":"2001:db8::/48","hosts":[100]}`, []string{"hosts"},
			"IPv4 networks only"},
		{"no hosts", `{"cidr":"10.0.0.0/8","hosts":[0]}`, []string{"hosts[0]"}, "1 to 4294967294"},
		{"nothing", `{}`, []string{"cidr"}, "is required"},
		{"empty", `{"cidr":""}`, []string{"cidr"}, "empty"},
		{"octet above 255", `{"cidr":"10.0.0.256/24"}`, []string{"cidr"}, "above 255"},
		{"a very large octet", `{"cidr":"10.0.0.99999999999999999999/24"}`, []string{"cidr"},
			"above 255"},
		{"octet of a mask above 255", `{"cidr":"10.0.0.1/255.255.255.256"}`, []string{"cidr"},
			`has a bad netmask "255.255.255.256": it has part 4, 256, which is above 255`},
		{"missing part of a mask", `{"cidr":"10.0.0.1/255.255..0"}`, []string{"cidr"},
			`has a bad netmask "255.255..0": it lacks part 3 of the address`},
		{"leading zero", `{"cidr":"10.0.010.1/24"}`, []string{"cidr"}, "leading zero"},
		{"prefix out of range", `{"cidr":"10.0.0.1/33"}`, []string{"cidr"}, "0 to 32"},
		{"prefix out of range, IPv6", `{"cidr":"::1/129"}`, []string{"cidr"}, "0 to 128"},
		{"signed prefix", `{"cidr":"10.0.0.1/+8"}`, []string{"cidr"}, "0 to 32"},
		{"mask with a hole", `{"cidr":"10.0.0.0 255.0.255.0"}`, []string{"cidr"}, "contiguous"},
		{"wildcard for a mask", `{"cidr":"10.0.0.0 0.0.0.255"}`, []string{"cidr"}, "contiguous"},
		{"missing part", `{"cidr":"10.0.0/24"}`, []string{"cidr"}, "four numbers from 0 to 255; it has 3"},
		{"missing prefix", `{"cidr":"10.0.0.0/"}`, []string{"cidr"}, "no prefix length"},
		{"empty part", `{"cidr":"10..0.1/24"}`, []string{"cidr"}, "part 2"},
		{"a name", `{"cidr":"a.b.c.d"}`, []string{"cidr"}, "not a number"},
		{"three words", `{"cidr":"10.0.0.0 255.0.0.0 x"}`, []string{"cidr"},
			"prefix length or a mask"},
		{"a zone", `{"cidr":"fe80::1%eth0/64"}`, []string{"cidr"}, "zone"},
		{"two slashes", `{"cidr":"10.0.0.0/8/9"}`, []string{"cidr"}, "prefix length"},
		{"shorter and longer", `{"cidr":"10.0.0.0/16","new_prefix":8,"contains_ip":"::1"}`,
			[]string{"new_prefix", "contains_ip"}, "at least the prefix of cidr, 16"},
		{"too long for IPv4", `{"cidr":"10.0.0.0/16","new_prefix":33}`, []string{"new_prefix"},
			"at most 32"},
		{"a bad address to look for", `{"cidr":"10.0.0.0/16","contains_ip":"10.0.0"}`,
			[]string{"contains_ip"}, "four numbers"},
	})
}

// TestEveryMask compares the 33 masks with shifts and powers of two.
func TestEveryMask(t *testing.T) {
	for n := 0; n <= 32; n++ {
		mask := fromUint32(uint32(uint64(0xffffffff) << (32 - n)))
		if got, err := parseMask(mask.String()); err != nil || got != n {
			t.Errorf("%s: %d, %v, want %d", mask, got, err, n)
		}
	}
	for _, bad := range []string{"255.255.255.253", "0.0.0.1", "127.0.0.0", "255.255.0.255",
		"255.255.255", "255.255.255.256"} {
		if n, err := parseMask(bad); err == nil {
			t.Errorf("%s is /%d", bad, n)
		}
	}
}

// TestSplitTiles verifies that subnets are contiguous from the network's first address. It also
// verifies that the last subnet of a complete list ends at the network's last address.
func TestSplitTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var b [16]byte
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		addr := netip.AddrFrom16(b)
		if r.IntN(2) == 0 {
			addr = netip.AddrFrom4([4]byte(b[:4]))
		}
		old := r.IntN(addr.BitLen() + 1)
		network := netip.PrefixFrom(addr, old).Masked()
		list := split(network, min(addr.BitLen(), old+r.IntN(10)))
		next := network.Addr()
		for _, s := range list.List {
			p := netip.MustParsePrefix(s)
			if p.Addr() != next || p != p.Masked() || !network.Contains(p.Addr()) {
				t.Fatalf("%s: subnet %s, want one at %s", network, s, next)
			}
			next = lastAddress(p).Next()
		}
		if !list.Truncated && next != lastAddress(network).Next() {
			t.Errorf("%s: %d subnets end before %s", network, len(list.List), next)
		}
		if list.Truncated != (list.Count > 256) || !list.Truncated &&
			list.Count != float64(len(list.List)) {
			t.Errorf("%s: %g counted, %d listed", network, list.Count, len(list.List))
		}
	}
}

// TestScopes verifies the scopes of the first and last addresses in the ranges of RFC 6890 and its
// updates, and of the neighbouring addresses.
func TestScopes(t *testing.T) {
	for cidr, want := range map[string]string{
		"9.255.255.255": "public", "10.0.0.0": "private", "10.255.255.255": "private",
		"11.0.0.0":       "public",
		"100.63.255.255": "public", "100.64.0.0/10": "shared_100_64", "100.128.0.0": "public",
		"127.0.0.1": "loopback", "128.0.0.0": "public", "169.254.1.1": "link_local",
		"172.15.255.255": "public", "172.16.0.0/12": "private", "172.32.0.0": "public",
		"192.0.2.1": "documentation", "198.51.100.0/24": "documentation",
		"203.0.113.255": "documentation", "192.167.255.255": "public", "192.168.0.0/16": "private",
		"198.18.0.0": "reserved", "198.19.255.255": "reserved", "198.20.0.0": "public",
		"223.255.255.255": "public", "224.0.0.1": "multicast", "239.255.255.255": "multicast",
		"240.0.0.0": "reserved", "255.255.255.255": "reserved", "0.0.0.0": "unspecified",
		"0.1.2.3": "reserved", "192.168.0.0/15": "public",
		"::": "unspecified", "::1": "loopback", "::2": "reserved", "fe80::1": "link_local",
		"febf::": "link_local", "fec0::": "reserved", "fc00::": "unique_local",
		"fdff::1": "unique_local",
		"ff02::1": "multicast", "2000::": "public", "2606:4700:4700::1111": "public",
		"3fff:1000::": "public", "3fff:fff::": "documentation", "2001:db8::1": "documentation",
		"4000::": "reserved", "64:ff9b::1": "public",
	} {
		raw, err := SubnetCalculator.Run(context.Background(),
			fmt.Appendf(nil, `{"cidr":%q}`, cidr))
		if err != nil {
			t.Fatal(err)
		}
		var out subnetOut
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		if out.Scope != want {
			t.Errorf("%s is %s, want %s", cidr, out.Scope, want)
		}
		if p := netip.MustParsePrefix(out.Network + "/" + fmt.Sprint(out.Prefix)); out.IsPrivate !=
			(want == "private" || want == "unique_local") ||
			p.Addr().IsPrivate() != out.IsPrivate && cidr != "192.168.0.0/15" {
			t.Errorf("%s: is_private is %v", cidr, out.IsPrivate)
		}
	}
	// A nested range must precede the range that contains it, because the first match wins.
	for i, a := range ipScopes {
		if a.prefix != a.prefix.Masked() {
			t.Errorf("%s has host bits", a.prefix)
		}
		for _, b := range ipScopes[:i] {
			if b.prefix.Bits() <= a.prefix.Bits() && b.prefix.Overlaps(a.prefix) {
				t.Errorf("%s is hidden by %s", a.prefix, b.prefix)
			}
		}
	}
}

func TestClasses(t *testing.T) {
	for first, want := range map[byte]string{0: "A", 127: "A", 128: "B", 191: "B", 192: "C",
		223: "C", 224: "D", 239: "D", 240: "E", 255: "E"} {
		if got := classOf(netip.AddrFrom4([4]byte{first})); got != want {
			t.Errorf("%d is class %s, want %s", first, got, want)
		}
	}
}
