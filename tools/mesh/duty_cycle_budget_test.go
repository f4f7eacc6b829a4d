package mesh

import (
	"fmt"
	"testing"

	"slipstick/tools/tooltest"
)

func TestDutyCycleBudget(t *testing.T) {
	tooltest.Examples(t, DutyCycleBudget)
	tooltest.Cases(t, DutyCycleBudget, []tooltest.Case{
		{
			"contract: 370.688 ms in EU868; 160 bit / 37.0688 s",
			`{"airtime_ms":370.688}`,
			`{"max_messages_per_hour":97,"min_interval_s":37.0688,"duty_cycle_pct":1,"dwell_time_limited":false,"effective_data_rate_bps":4.3162983,"warnings":["~869.4 to 869.65 MHz"]}`,
		},
		{"by hand, SF7: 3600/6.1696 = 583.5; 408 bit / 6.1696 s",
			`{"airtime_ms":61.696,"payload_bytes":51}`, `{"max_messages_per_hour":583,"min_interval_s":6.1696,"effective_data_rate_bps":66.1307054}`},
		{"AS923 has 1 % too: 3600/148.2752 = 24.3", `{"airtime_ms":1482.752,"region":"AS923"}`, `{"max_messages_per_hour":24,"min_interval_s":148.2752,"duty_cycle_pct":1,"dwell_time_limited":false,"warnings":["~start with an uplink dwell time"]}`},
		{"AS923 with the dwell time",
			`{"airtime_ms":1482.752,"region":"AS923","uplink_dwell_time":true}`,
			`{"dwell_time_limited":true,"warnings":["~400 ms of AS923"]}`},
		{"AS923, the network lifts the dwell time",
			`{"airtime_ms":1482.752,"region":"AS923","uplink_dwell_time":false}`,
			`{"max_messages_per_hour":24,"dwell_time_limited":false,"warnings":[]}`},
		{"AS923 at 400 ms", `{"airtime_ms":400,"region":"AS923"}`,
			`{"dwell_time_limited":false,"warnings":[]}`},
		{"AU915 network with the dwell time",
			`{"airtime_ms":1482.752,"region":"AU915","uplink_dwell_time":true}`,
			`{"dwell_time_limited":true,"warnings":["~400 ms of AU915"]}`},
		{"no such rule in Europe", `{"airtime_ms":61.696,"uplink_dwell_time":true}`,
			`{"dwell_time_limited":false,"warnings":["~no effect","~869.4"]}`},
		{"EN 300 220-2: 10 % in 869.4 to 869.65 MHz",
			`{"airtime_ms":370.688,"sub_band":"869.4-869.65"}`,
			`{"max_messages_per_hour":971,"duty_cycle_pct":10,"warnings":[]}`},
		{"EN 300 220-2: 0.1 % in 863 to 865 MHz, 3600/370.688",
			`{"airtime_ms":370.688,"sub_band":"863-865"}`,
			`{"max_messages_per_hour":9,"duty_cycle_pct":0.1}`},
		{"EN 300 220-2: 0.1 % in 868.7 to 869.2 MHz, 3600/61.696",
			`{"airtime_ms":61.696,"sub_band":"868.7-869.2"}`, `{"max_messages_per_hour":58}`},
		{"a European sub-band in the United States",
			`{"airtime_ms":370.688,"region":"US915","sub_band":"863-865"}`,
			`{"duty_cycle_pct":100,"warnings":["~sub_band is ignored"]}`},
		{"1000 an hour exactly: 36 ms / 1 % = 3.6 s", `{"airtime_ms":36}`,
			`{"max_messages_per_hour":1000,"min_interval_s":3.600000}`},
		{"US915 back to back: 3600/0.370688", `{"airtime_ms":370.688,"region":"US915"}`, `{"max_messages_per_hour":9711,"min_interval_s":0.370688,"duty_cycle_pct":100,"dwell_time_limited":false,"effective_data_rate_bps":431.6298343,"warnings":[]}`},
		{"US915 at the dwell time", `{"airtime_ms":400,"region":"US915"}`,
			`{"max_messages_per_hour":9000,"dwell_time_limited":false,"warnings":[]}`},
		{"US915 above it: a warning, the figures stay", `{"airtime_ms":400.001,"region":"US915"}`, `{"max_messages_per_hour":8999,"duty_cycle_pct":100,"dwell_time_limited":true,"warnings":["~15.247(a)(1)"]}`},
		{"AU915 has neither: 3600/1.482752", `{"airtime_ms":1482.752,"region":"AU915"}`, `{"max_messages_per_hour":2427,"duty_cycle_pct":100,"dwell_time_limited":false,"warnings":[]}`},
		{"longer than the hour at 1 %: no whole message", `{"airtime_ms":40000}`,
			`{"max_messages_per_hour":0,"min_interval_s":4000}`},
		{"by hand: 1e6 ms at 1 % is 27.78 h",
			`{"airtime_ms":1e6}`,
			`{"max_messages_per_hour":0,"min_interval_s":1e5,"warnings":["~one message per 27.78 h","~869.4"]}`},
		{"by hand: 36 s at 1 % is an hour",
			`{"airtime_ms":36000}`,
			`{"max_messages_per_hour":1,"warnings":["~869.4"]}`},
		{"an hour but for rounding, 2.8e-13 more",
			`{"airtime_ms":36000.00000001}`,
			`{"max_messages_per_hour":1,"warnings":["~869.4"]}`},
		{"2.8e-12 more is more than an hour",
			`{"airtime_ms":36000.0000001}`,
			`{"max_messages_per_hour":0,"warnings":["~one message per 1.001 h","~869.4"]}`},
		{"by hand: 36.001 s at 1 % are 1.00003 h, so no message in an hour",
			`{"airtime_ms":36001}`,
			`{"max_messages_per_hour":0,"warnings":["~36001 ms on air at 1 % allow one message per 1.001 h","~869.4"]}`},
		{"seconds as milliseconds",
			`{"airtime_ms":0.061}`,
			`{"min_interval_s":0.0061,"warnings":["~shorter than any LoRa packet","~869.4"]}`},
	})
	tooltest.InvalidCases(t, DutyCycleBudget, []tooltest.InvalidCase{
		{"no airtime", `{}`, []string{"airtime_ms"}, "is required"},
		{"zero airtime", `{"airtime_ms":0}`, []string{"airtime_ms"}, "got 0"},
		{"negative airtime", `{"airtime_ms":-5}`, []string{"airtime_ms"}, "got -5"},
		{"another region", `{"airtime_ms":50,"region":"CN470"}`, []string{"region"},
			"EU868, US915, AS923, AU915"},
		{"case counts", `{"airtime_ms":50,"region":"eu868"}`, []string{"region"}, "EU868"},
		{"empty payload", `{"airtime_ms":50,"payload_bytes":0}`, []string{"payload_bytes"},
			"1 to 255"},
		{"long payload", `{"airtime_ms":50,"payload_bytes":256}`, []string{"payload_bytes"},
			"1 to 255"},
	})
}

// TestDutyCycleKept verifies that the allowed messages are within the duty cycle, and one more is
// not.
func TestDutyCycleKept(t *testing.T) {
	for _, region := range []string{"EU868", "US915", "AS923", "AU915"} {
		for _, airtime := range []float64{0.001, 14.144, 36, 61.696, 144.384, 370.688,
			1482.752, 35999} {
			out := result[dutyCycleBudgetOut](t, DutyCycleBudget,
				fmt.Sprintf(`{"airtime_ms":%v,"region":%q}`, airtime, region))
			used := func(messages float64) float64 { return 100 * messages * airtime / 3.6e6 }
			if used(out.MaxMessagesPerHour) > out.DutyCyclePct*(1+1e-12) ||
				used(out.MaxMessagesPerHour+1) <= out.DutyCyclePct {
				t.Errorf("%s, %v ms: %v messages use %g %% of %g", region, airtime,
					out.MaxMessagesPerHour, used(out.MaxMessagesPerHour), out.DutyCyclePct)
			}
			near(t, region, out.MinIntervalS*out.DutyCyclePct, airtime/10)
		}
	}
}
