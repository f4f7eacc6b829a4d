package api

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"slipstick/keys"
)

func networks(t testing.TB, list ...string) (p Proxies) {
	t.Helper()
	for _, s := range list {
		n, err := netip.ParsePrefix(s)
		if err != nil {
			t.Fatal(err)
		}
		p = append(p, n)
	}
	return p
}

// TestForwardedFor verifies the client address that results from the address of the peer and the
// X-Forwarded-For fields. Each element of headers is one field.
func TestForwardedFor(t *testing.T) {
	ours := networks(t, "10.0.0.0/8", "fd00::/8")
	for _, c := range []struct {
		name    string
		proxies Proxies
		peer    string
		headers []string
		want    string
	}{
		{"no proxies: the header is nothing", nil, "203.0.113.9", []string{"198.51.100.1"},
			"203.0.113.9"},
		{"no proxies, from the loopback", nil, "127.0.0.1", []string{"198.51.100.1"}, "127.0.0.1"},
		{"not from a proxy", ours, "203.0.113.9", []string{"198.51.100.1"}, "203.0.113.9"},
		{"not from a proxy, claims to be one", ours, "203.0.113.9", []string{"10.0.0.1"},
			"203.0.113.9"},
		{"one proxy", ours, "10.0.0.1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"two proxies", ours, "10.0.0.1", []string{"203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		{"forged on the left", ours, "10.0.0.1", []string{"198.51.100.1, 203.0.113.9"},
			"203.0.113.9"},
		{"a forged proxy on the left", ours, "10.0.0.1",
			[]string{"10.0.0.7, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		{"forged in a header of its own", ours, "10.0.0.1", []string{"198.51.100.1", "203.0.113.9"},
			"203.0.113.9"},
		{"two headers, two proxies", ours, "10.0.0.1", []string{"203.0.113.9", "10.0.0.2"},
			"203.0.113.9"},
		{"no header", ours, "10.0.0.1", nil, "10.0.0.1"},
		{"an empty header", ours, "10.0.0.1", []string{""}, "10.0.0.1"},
		{"only proxies", ours, "10.0.0.1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"nonsense next to the proxy", ours, "10.0.0.1", []string{"203.0.113.9, unknown"},
			"10.0.0.1"},
		{"nonsense behind a proxy", ours, "10.0.0.1", []string{"evil\"><, 10.0.0.2"}, "10.0.0.2"},
		{"nonsense left of the client", ours, "10.0.0.1", []string{"'; DROP TABLE, 203.0.113.9"},
			"203.0.113.9"},
		{"a port", ours, "10.0.0.1", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		{"IPv6", ours, "fd00::1", []string{"2001:db8::9"}, "2001:db8::9"},
		{"IPv6 in brackets", ours, "fd00::1", []string{"[2001:db8::9]"}, "2001:db8::9"},
		{"IPv6 with a port", ours, "fd00::1", []string{"[2001:db8::9]:443"}, "2001:db8::9"},
		{"a zone", ours, "fd00::1", []string{"fe80::9%eth0"}, "fe80::9"},
		{"IPv4 written as IPv6", ours, "::ffff:10.0.0.1", []string{"::ffff:203.0.113.9"},
			"203.0.113.9"},
		{"blanks and empty entries", ours, "10.0.0.1", []string{" , 203.0.113.9 \t"},
			"203.0.113.9"},
		{"an empty entry on the right", ours, "10.0.0.1", []string{"203.0.113.9,"}, "10.0.0.1"},
		{"very many hops", ours, "10.0.0.1",
			[]string{"203.0.113.9" + strings.Repeat(", 10.0.0.2", 100)}, "10.0.0.2"},
		{"octal and hex are not read", ours, "10.0.0.1", []string{"0313.0.113.9"}, "10.0.0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var headers [][]byte
			for _, h := range c.headers {
				headers = append(headers, []byte(h))
			}
			if got := c.proxies.client(netip.MustParseAddr(c.peer),
				headers); got.String() != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// FuzzForwardedFor verifies that no header causes a panic. It also verifies that entries to the
// left of the trusted proxy's entry, which a client can forge, do not change the address.
func FuzzForwardedFor(f *testing.F) {
	for _, s := range []string{"", "198.51.100.1", "10.0.0.1", ",,,", "[::1]:80, unknown",
		"fe80::1%\x00", "10.0.0.1, 10.0.0.2", "::ffff:10.0.0.1"} {
		f.Add(s)
	}
	proxies := networks(f, "10.0.0.0/8")
	proxy, client := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("203.0.113.9")
	f.Fuzz(func(t *testing.T, forged string) {
		appended := [][]byte{[]byte(forged + ", 203.0.113.9")}
		if got := proxies.client(proxy, appended); got != client {
			t.Errorf("appended: %s", got)
		}
		if got := proxies.client(proxy,
			[][]byte{[]byte(forged), []byte("203.0.113.9, 10.0.0.2")}); got != client {
			t.Errorf("in a header of its own: %s", got)
		}
		if got := (Proxies)(nil).client(proxy, appended); got != proxy {
			t.Errorf("without proxies: %s", got)
		}
		alone := proxies.client(proxy, [][]byte{[]byte(forged)})
		if alone.Zone() != "" || alone.Is4In6() || !alone.IsValid() {
			t.Errorf("alone: %s", alone)
		}
		if p := keys.PrefixKey(alone); p == "unknown" || slices.Contains([]byte(p), '%') {
			t.Errorf("prefix %q", p)
		}
	})
}
