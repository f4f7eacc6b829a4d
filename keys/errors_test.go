package keys

import (
	"net/netip"
	"testing"
	"time"
)

func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "1 s", time.Millisecond: "1 s", time.Second: "1 s", 1001 * time.Millisecond: "2 s",
		119 * time.Second: "119 s",
		2 * time.Minute:   "2 min", 119*time.Minute + time.Second: "2 h 0 min",
		23*time.Hour + 59*time.Minute: "23 h 59 min", 24 * time.Hour: "24 h 0 min",
	} {
		if got := formatDuration(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestPrefixKey(t *testing.T) {
	for address, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::":       "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "::1": "::/64",
	} {
		if got := PrefixKey(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	if got := PrefixKey(netip.Addr{}); got != "unknown" {
		t.Errorf("no address: %q", got)
	}
}
