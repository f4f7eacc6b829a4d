package mesh

import (
	"fmt"
	"testing"

	"slipstick/tools/tooltest"
)

func TestLoraAirtime(t *testing.T) {
	tooltest.Examples(t, LoraAirtime)
	tooltest.Cases(t, LoraAirtime, []tooltest.Case{
		{
			"published spreadsheet to AN1200.13: 13 bytes SF9, T 4.096, preamble 50.176, 28 symbols, 164.864 ms, 16.4864 s",
			`{"payload_bytes":13,"sf":9}`,
			`{"airtime_ms":164.864,"symbol_time_ms":4.096,"preamble_time_ms":50.176,"payload_symbols":28,"duty_cycle_1pct_interval_s":16.4864,"warnings":[]}`,
		},
		{
			"Semtech LoRa calculator: 12 bytes SF9 = 144.384 ms",
			`{"payload_bytes":12,"sf":9}`, `{"airtime_ms":144.384,"payload_symbols":23,"data_rate_bps":1757.8125,"throughput_bps":664.89362}`,
		},
		{
			"Semtech LoRa calculator: 24 bytes SF12 4/7 = 1810.432 ms; over 400 ms and over 1 s",
			`{"payload_bytes":24,"sf":12,"cr":7}`, `{"airtime_ms":1810.432,"payload_symbols":43,"warnings":["~400 ms dwell","~one second"]}`,
		},
		{
			"the same without DE: (192-48+44)/48 → 4 groups instead of 188/40 → 5; (12.25+36)·32.768",
			`{"payload_bytes":24,"sf":12,"cr":7,"low_data_rate_optimize":false}`,
			`{"airtime_ms":1581.056,"payload_symbols":36,"low_data_rate_optimize":false,"warnings":["~longer than 16 ms","~dwell","~second"]}`,
		},
		{
			"by hand, SF7, 23 bytes: 200/28 → 8 groups, 8+40 symbols, (12.25+48)·1.024; 7·125000·4/(128·5)",
			`{"payload_bytes":23,"sf":7}`, `{"airtime_ms":61.696,"payload_symbols":48,"data_rate_bps":5468.75,"throughput_bps":2982.36515,"warnings":[]}`,
		},
		{
			"by hand, SF12, 23 bytes with DE: 180/40 → 5 groups, 33 symbols, 45.25·32.768",
			`{"payload_bytes":23,"sf":12}`, `{"airtime_ms":1482.752,"payload_symbols":33,"data_rate_bps":292.96875,"effective_data_rate_bps":244.140625,"low_data_rate_optimize":true}`,
		},
		{
			"by hand, no header, no CRC, preamble 6: (80-28+28-20)/28 → 3 groups, 23 symbols, 33.25·1.024",
			`{"payload_bytes":10,"sf":7,"explicit_header":false,"crc":false,"preamble_symbols":6}`,
			`{"airtime_ms":34.048,"payload_symbols":23,"preamble_time_ms":10.496,"warnings":[]}`,
		},
		{
			"by hand, longest packet, SF7 500 kHz: 2056/28 → 74 groups, 378 symbols, 390.25·0.256",
			`{"payload_bytes":255,"sf":7,"bw_khz":500}`,
			`{"airtime_ms":99.904,"payload_symbols":378,"data_rate_bps":21875.0}`,
		},
		{
			"by hand, empty, SF12: 0-48+28+16 is negative, 8 symbols stay: 20.25·32.768",
			`{"payload_bytes":0,"sf":12}`, `{"airtime_ms":663.552,"payload_symbols":8,"throughput_bps":0,"low_data_rate_optimize":true}`,
		},
		{
			"SF9 at 31.25 kHz has symbols of 16.384 ms too: DE; 168/28 = 6 groups, 50.25·16.384",
			`{"payload_bytes":20,"sf":9,"bw_khz":31.25}`,
			`{"airtime_ms":823.296,"payload_symbols":38,"low_data_rate_optimize":true}`,
		},
		{
			"SF12 at 250 kHz: off as specified, with a warning; 396/48 → 9 groups, 65.25·16.384",
			`{"payload_bytes":50,"sf":12,"bw_khz":250}`, `{"airtime_ms":1069.056,"low_data_rate_optimize":false,"warnings":["~set low_data_rate_optimize to true","~dwell","~second"]}`,
		},
		{
			"and with it: 396/40 → 10 groups, 70.25·16.384",
			`{"payload_bytes":50,"sf":12,"bw_khz":250,"low_data_rate_optimize":true}`, `{"airtime_ms":1150.976,"low_data_rate_optimize":true,"warnings":["~dwell","~second"]}`,
		},
		{
			"explicit true wins below 16 ms: SF7, (160-28+44)/20 → 9 groups, 53 symbols, 65.25·1.024",
			`{"payload_bytes":20,"sf":7,"low_data_rate_optimize":true}`, `{"airtime_ms":66.816,"payload_symbols":53,"low_data_rate_optimize":true,"warnings":[]}`,
		},
		{"a bandwidth in a string", `{"payload_bytes":20,"bw_khz":"125"}`,
			`{"airtime_ms":370.688,"warnings":[]}`},
		{"20.0 is whole, null is absent",
			`{"payload_bytes":20.0,"low_data_rate_optimize":null,"bw_khz":null}`,
			`{"airtime_ms":370.688}`},
		{"a bandwidth no modem has: 45.25·1024/100", `{"payload_bytes":20,"bw_khz":100}`,
			`{"airtime_ms":463.36,"warnings":["~transceivers: 7.81, 10.42, 15.63,","~dwell"]}`},
		{"7.81 kHz as data sheets round it: 164/32 → 6 groups, 50.25·1024/7.8", `{"payload_bytes":20,"bw_khz":7.8}`,
			`{"airtime_ms":6596.923,"warnings":["~dwell","~second"]}`},
		{"short preamble: (5+4.25+33)·8.192", `{"payload_bytes":20,"preamble_symbols":5}`,
			`{"airtime_ms":346.112,"warnings":["~preamble_symbols 5"]}`},
		{"a misspelt optional field is named", `{"payload_bytes":20,"bandwidth":500}`,
			`{"airtime_ms":370.688,"warnings":["~bandwidth"]}`},
	})
	tooltest.InvalidCases(t, LoraAirtime, []tooltest.InvalidCase{
		{"no payload length", `{}`, []string{"payload_bytes"}, "is required"},
		{"spreading factor out of range", `{"payload_bytes":20,"sf":6}`, []string{"sf"}, "7 to 12"},
		{"and above", `{"payload_bytes":20,"sf":13}`, []string{"sf"}, "got 13"},
		{"fraction of a byte", `{"payload_bytes":20.5}`, []string{"payload_bytes"}, "whole number"},
		{"too long", `{"payload_bytes":256}`, []string{"payload_bytes"}, "0 to 255"},
		{"coding rates", `{"payload_bytes":20,"cr":4}`, []string{"cr"}, "5 to 8"},
		{"too narrow", `{"payload_bytes":20,"bw_khz":7.7}`, []string{"bw_khz"}, "7.8 to 1625"},
		{"too wide, as text", `{"payload_bytes":20,"bw_khz":"125000"}`, []string{"bw_khz"},
			"7.8 to 1625"},
		{"not a number", `{"payload_bytes":20,"bw_khz":"wide"}`, []string{"bw_khz"},
			"number of kHz"},
		{"a hexadecimal number", `{"payload_bytes":20,"bw_khz":"0x1p7"}`, []string{"bw_khz"},
			"number of kHz"},
		{"infinity", `{"payload_bytes":20,"bw_khz":"Inf"}`, []string{"bw_khz"}, "number of kHz"},
		{"empty text", `{"payload_bytes":20,"bw_khz":""}`, []string{"bw_khz"}, "number of kHz"},
		{"a list", `{"payload_bytes":20,"bw_khz":[125]}`, []string{"bw_khz"}, "number of kHz"},
		{"preamble 0", `{"payload_bytes":20,"preamble_symbols":0}`, []string{"preamble_symbols"},
			"1 to 65535"},
		{"text for a number", `{"payload_bytes":"20"}`, []string{"payload_bytes"},
			"a string was given"},
		{"number for a boolean", `{"payload_bytes":20,"crc":1}`, []string{"crc"}, "true or false"},
		{"all faults at once", `{"payload_bytes":-1,"sf":0,"cr":9}`,
			[]string{"payload_bytes", "sf", "cr"}, ""},
	})
}

// TestEffectiveRateFollowsAirtime compares the effective rate with differences of airtimes. An
// additional 4 (SF - 2 DE) bytes fill exactly 8 more blocks of symbols at every spreading factor.
// DE is 1 with low data rate optimization, otherwise 0. The nominal rate ignores this optimization.
func TestEffectiveRateFollowsAirtime(t *testing.T) {
	for sf := 7; sf <= 12; sf++ {
		for cr := 5; cr <= 8; cr++ {
			for _, more := range []string{"", `,"low_data_rate_optimize":true`,
				`,"low_data_rate_optimize":false`} {
				in := func(bytes int) loraAirtimeOut {
					return result[loraAirtimeOut](t, LoraAirtime,
						fmt.Sprintf(`{"payload_bytes":%d,"sf":%d,"cr":%d%s}`, bytes, sf, cr, more))
				}
				short := in(100)
				bits := sf
				if short.LowDataRateActive {
					bits -= 2
				}
				long := in(100 + 4*bits) // 8 more blocks of 4·bits bits
				what := fmt.Sprintf("SF%d, 4/%d%s", sf, cr, more)
				near(t, what, short.EffectiveRateBps,
					8*4*float64(bits)/(long.AirtimeMS-short.AirtimeMS)*1e3)
				near(t, what+", nominal", short.DataRateBps*float64(bits),
					short.EffectiveRateBps*float64(sf))
			}
		}
	}
}

// TestBandwidthCanonical verifies that a string and its number have the same canonical form.
func TestBandwidthCanonical(t *testing.T) {
	a, err := LoraAirtime.Canonical([]byte(`{"payload_bytes":20,"bw_khz":"62.5"}`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := LoraAirtime.Canonical([]byte(`{"bw_khz":6.25e1,"payload_bytes":20}`))
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s and %s", a, b)
	}
}
