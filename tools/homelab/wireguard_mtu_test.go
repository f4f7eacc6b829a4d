package homelab

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"slipstick/tools/tooltest"
)

func TestWireGuardMTU(t *testing.T) {
	tooltest.Examples(t, WireGuardMTU)
	tooltest.Cases(t, WireGuardMTU, []tooltest.Case{
		{"contract: Ethernet", `{}`, `{"mtu":1440,"mtu_ipv4_outer":1440,"mtu_ipv6_outer":1420,"overhead_bytes":60,"total_overhead_bytes":60,"tcp_mss_ipv4":1400,"tcp_mss_ipv6":1380,"efficiency_pct":96,
			"breakdown":[{"bytes":20},{"bytes":8},{"bytes":4},{"bytes":4},{"bytes":8},{"bytes":16}],"warnings":[]}`},
		{"contract: IPv6 outside, the driver's default", `{"outer_ip":"ipv6"}`,
			`{"mtu":1420,"overhead_bytes":80,"warnings":[]}`},
		{"contract: PPPoE", `{"pppoe":true}`,
			`{"mtu":1432,"mtu_ipv6_outer":1412,"total_overhead_bytes":68,"warnings":[]}`},
		{"contract: PPPoE and IPv6", `{"pppoe":true,"outer_ip":"ipv6"}`,
			`{"mtu":1412,"warnings":["~1420"]}`},
		{"contract: a line of 1454 bytes", `{"link_mtu":1454}`,
			`{"mtu":1394,"warnings":["~1420"]}`},
		{"by hand: VXLAN of 50 bytes below", `{"extra_overhead_bytes":50}`,
			`{"mtu":1390,"mtu_ipv6_outer":1370,"total_overhead_bytes":110}`},
		{"by hand: jumbo frames", `{"link_mtu":9000}`,
			`{"mtu":8940,"tcp_mss_ipv6":8880,"efficiency_pct":99.333333}`},
		{"by hand: no IPv6 on a line below 1280", `{"link_mtu":1000}`,
			`{"mtu":940,"mtu_ipv6_outer":null,"warnings":["~1280","~1420"]}`},
		{"the least: 68 bytes inside", `{"link_mtu":576,"extra_overhead_bytes":448}`, `{"mtu":68}`},
	})
	tooltest.InvalidCases(t, WireGuardMTU, []tooltest.InvalidCase{
		{"nothing left", `{"link_mtu":576,"extra_overhead_bytes":449}`, []string{"link_mtu"},
			"at least 577: it leaves 67 bytes"},
		{"IPv6 on a narrow line", `{"link_mtu":1279,"outer_ip":"ipv6"}`,
			[]string{"link_mtu"}, "1280"},
		{"IPv6 on a line that PPPoE narrows", `{"link_mtu":1287,"outer_ip":"ipv6","pppoe":true}`,
			[]string{"link_mtu"}, "at least 1288: it leaves 1279"},
		{"below 576, half a byte", `{"link_mtu":575,"extra_overhead_bytes":0.5}`,
			[]string{"link_mtu", "extra_overhead_bytes"}, "576"},
		{"IPv5", `{"outer_ip":"ipv5"}`, []string{"outer_ip"}, "ipv4, ipv6"},
	})
}

// TestWireGuardAddsUp verifies that the headers and the inner packet add up to the link MTU, for
// several combinations of options.
func TestWireGuardAddsUp(t *testing.T) {
	for _, options := range []string{``, `,"pppoe":true`, `,"outer_ip":"ipv6"`,
		`,"outer_ip":"ipv6","pppoe":true,"extra_overhead_bytes":54`} {
		for _, link := range []int{1400, 1500, 9000, 65535} {
			raw, err := WireGuardMTU.Run(context.Background(), fmt.Appendf(nil, `{"link_mtu":%d%s}`,
				link, options))
			if err != nil {
				t.Fatal(err)
			}
			var out wireguardOut
			if err := json.Unmarshal(raw, &out); err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, l := range out.Breakdown {
				sum += l.Bytes
			}
			if sum != out.TotalOverhead || sum+out.MTU != link || *out.MTUIPv6 != out.MTUIPv4-20 ||
				min(*out.MTUIPv6, out.MTU) != *out.MTUIPv6 {
				t.Errorf("%d%s: %+v adds up to %d", link, options, out, sum)
			}
		}
	}
}
