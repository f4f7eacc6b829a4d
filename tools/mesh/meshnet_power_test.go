package mesh

import (
	"fmt"
	"testing"

	"slipstick/tools/meshnet"
	"slipstick/tools/tooltest"
)

func TestMeshnetPower(t *testing.T) {
	tooltest.Examples(t, MeshnetPower)
	tooltest.Cases(t, MeshnetPower, []tooltest.Case{
		{"the messages that the error of 7544.26 states: 7544.25 · 477.184 ms of 3600 s",
			`{"payload_bytes":14,"heard_messages_per_hour":0,"messages_per_hour":7544.25}`,
			`{"tx_time_pct":99.999872}`},
		{"36 bytes are 32 and 4 of the Data message", `{"payload_bytes":32,"overhead_bytes":4}`,
			`{"packet_airtime_ms":641.024}`},
		{"the same as 36 bytes of payload", `{"payload_bytes":36}`,
			`{"packet_airtime_ms":641.024}`},
		{"by hand: SF7, 52 bytes at 250 kHz, 20.25 + 88 symbols of 0.512 ms",
			`{"channel_preset":"short_fast","payload_bytes":32,"overhead_bytes":4}`,
			`{"packet_airtime_ms":55.424}`},
		{
			"contract, by hand: 48 bytes at SF11/250 4/5 are 53 symbols, 73.25·8.192 ms; 4 + 0.3·30 a hour; rx 18.00192 + 34·3 s; 0.0021669·158 + 0.0333339·45.3 + 0.9644992·2.8 + 12",
			`{"power_save":true}`,
			`{"packet_airtime_ms":600.064,"tx_per_hour":13,"tx_time_pct":0.21668978,"rx_time_pct":3.33338667,"sleep_time_pct":96.44992356,
			  "average_current_ma":16.55299187,"average_power_mw":61.24606991,"runtime_hours":154.0507009,"runtime_days":6.418779206,"daily_wh":1.469905678,"role":"client",
			  "breakdown":[{"source":"tx","average_ma":0.342370,"share_pct":2.06833},{"source":"rx","average_ma":1.510024,"share_pct":9.12236},{"source":"sleep","average_ma":2.700598,"share_pct":16.31486},
			    {"source":"ble","average_ma":12,"share_pct":72.49445},{"source":"gps","average_ma":0,"share_pct":0},{"source":"display","average_ma":0,"share_pct":0}],"warnings":["~ble_enabled false the average is 9.57 mA"]}`,
		},
		{
			"the firmware's default never sleeps: 0.0021669·158 + 0.9978331·45.3 + 55, boards measured at about 100 mA",
			`{}`,
			`{"tx_time_pct":0.21668978,"rx_time_pct":99.78331022,"sleep_time_pct":0.0000000,"average_current_ma":100.54420938,"runtime_hours":25.36197774,"daily_wh":8.928325793,"warnings":[]}`,
		},
		{"asleep with Bluetooth off: 0.342370 + 1.510024 + 0.9644992·8, boards measured at 8 to 10 mA", `{"power_save":true,"ble_enabled":false}`, `{"average_current_ma":9.568388,"runtime_days":11.104274,"warnings":[]}`},
		{"without Bluetooth: 0.342370 + 45.201840, boards measured at 47 mA",
			`{"ble_enabled":false}`, `{"average_current_ma":45.544209,"warnings":[]}`},
		{"older transceiver: 0.0021669·165 + 0.9978331·56.5 + 13, boards measured at 65 to 70 mA",
			`{"device":"device_2"}`, `{"average_current_ma":69.735108}`},
		{
			"nRF52 boards do not sleep: 0.0021669·121.3 + 0.9978331·8.6 + 0.4, measured at 9 mA",
			`{"device":"device_3","power_save":true}`,
			`{"average_current_ma":9.244209,"sleep_time_pct":0.0000000,"warnings":["~does not put nRF52 boards to sleep"]}`,
		},
		{"a router does not sleep either", `{"role":"router","power_save":true}`,
			`{"sleep_time_pct":0.0000000,"warnings":["~power_save has no effect with role router"]}`},
		{"the base station does not run on a lithium cell", `{"device":"device_5"}`,
			`{"warnings":["~battery_voltage 3.7 V: device_5 runs on 9 to 19 V"]}`},
		{"nor a board on a car battery", `{"battery_voltage":12}`,
			`{"warnings":["~device_1 runs on 3 to 5.5 V"]}`},
		{
			"contract: device_3 as router receives the rest of the hour; 0.0056673·121.3 + 0.9943327·8.6 + 0.4 (9 mA measured by users)",
			`{"device":"device_3","role":"router"}`,
			`{"average_current_ma":9.63870145,"runtime_hours":264.558459,"runtime_days":11.0232691,"daily_wh":0.855916689,"tx_per_hour":34,"tx_time_pct":0.56672711,"rx_time_pct":99.43327289,"sleep_time_pct":0.0000000,"warnings":[]}`,
		},
		{
			"tracker that relays nothing, everything on: 52.864 ms packets, 63 mA of GPS, BLE and display; under a day",
			`{"device":"device_2","channel_preset":"short_fast","role":"client_muted","power_save":true,"gps_enabled":true,"display_enabled":true,"battery_mah":2000}`,
			`{"packet_airtime_ms":52.864,"tx_per_hour":4,"average_current_ma":72.40475436,"runtime_hours":23.47912116,"daily_wh":6.429542188,"warnings":["~turns Bluetooth off","~less than a day"]}`,
		},
		{
			"repeater has no messages of its own: 20 · 7.217152 s of 3600; DE at SF12/125",
			`{"device":"device_4","channel_preset":"long_slow","role":"repeater","heard_messages_per_hour":20,"payload_bytes":100,"ble_enabled":false,"display_enabled":true,"messages_per_hour":50}`,
			`{"packet_airtime_ms":7217.152,"tx_per_hour":20,"tx_time_pct":4.00952889,"average_current_ma":13.61873906,"runtime_days":7.801750188,"daily_wh":1.209344028,"warnings":[]}`,
		},
		{
			"busy base station: 110 · 7.094272 s is 21.7 % of the hour",
			`{"device":"device_5","channel_preset":"very_long_slow","role":"router","heard_messages_per_hour":100,"messages_per_hour":10,"battery_voltage":12,"battery_mah":7000,"usable_capacity_pct":50}`,
			`{"tx_per_hour":110,"tx_time_pct":21.67694222,"average_current_ma":210.9673994,"average_power_mw":2531.608793,"runtime_hours":16.590241,"daily_wh":60.75861103,"warnings":["~less than a day","~21.7 %"]}`,
		},
		{
			"silence: 8 mA of sleep, 2550 mAh / 8 mA, 8·3.7·0.024 Wh",
			`{"messages_per_hour":0,"heard_messages_per_hour":0,"power_save":true,"ble_enabled":false}`,
			`{"average_current_ma":8,"runtime_hours":318.75,"daily_wh":0.71040,"tx_time_pct":0,"rx_time_pct":0,"sleep_time_pct":100,"tx_per_hour":0,"warnings":[]}`,
		},
		{
			"1000 heard messages keep a client awake: 300 · 0.170496 s tx, rx the rest",
			`{"device":"device_2","channel_preset":"medium_fast","power_save":true,"messages_per_hour":0,"heard_messages_per_hour":1000,"awake_s_per_event":10}`,
			`{"tx_time_pct":1.42080000,"rx_time_pct":98.57920000,"sleep_time_pct":0.000000000,"average_current_ma":71.041568,"warnings":["~never sleeps","~turns Bluetooth off"]}`,
		},
		{
			"empty message of 16 header bytes, SF11/125 4/8 with DE: 40 symbols, 60.25·16.384 ms",
			`{"channel_preset":"long_moderate","power_save":true,"payload_bytes":0,"usable_capacity_pct":100,"battery_mah":1000,"messages_per_hour":1,"heard_messages_per_hour":0,"awake_s_per_event":0}`,
			`{"packet_airtime_ms":987.136,"tx_per_hour":1,"average_current_ma":14.84255653,"runtime_hours":67.37383806,"daily_wh":1.31801902}`,
		},
		{
			"more heard than an hour holds: 600 · 7.094272 s", `{"channel_preset":"very_long_slow","power_save":true,"ble_enabled":false,"role":"client_muted","heard_messages_per_hour":600}`,
			`{"sleep_time_pct":0.000000000,"warnings":["~do not fit in an hour","~never sleeps"]}`,
		},
		{"AN1200.13, in Python: 16 header bytes, 32 of payload and 20 of the message at SF11",
			`{"payload_bytes":32,"overhead_bytes":20}`,
			`{"packet_airtime_ms":763.904}`},
	})
	tooltest.InvalidCases(t, MeshnetPower, []tooltest.InvalidCase{
		{"3600 s / 477.184 ms is 7544.2597, rounded down",
			`{"payload_bytes":14,"heard_messages_per_hour":0,"messages_per_hour":7544.26}`,
			[]string{"messages_per_hour"}, "at most 7544.25:"},
		{"payload and overhead", `{"payload_bytes":237,"overhead_bytes":4}`,
			[]string{"overhead_bytes"}, "holds 239"},
		{"126 packets of 28.59 s", `{"channel_preset":"very_long_slow","role":"client_muted","payload_bytes":237,"messages_per_hour":126}`, []string{"messages_per_hour"}, "at most 125.917: an hour holds 125.917 transmissions"},
		{"3600 s / 600.064 ms is 5999.36, less 30 % of 30 heard ones",
			`{"messages_per_hour":6000}`, []string{"messages_per_hour"}, "at most 5990.36:"},
		{"relaying alone fills it",
			`{"channel_preset":"very_long_slow","role":"repeater","heard_messages_per_hour":600}`, []string{"messages_per_hour"}, "heard_messages_per_hour must be at most 507.451"},
		{"no custom device", `{"device":"custom"}`, []string{"device"}, "device_5"},
		{"no custom preset", `{"channel_preset":"custom"}`, []string{"channel_preset"},
			"short_slow"},
		{"unknown role", `{"role":"router_client"}`, []string{"role"},
			"client, router, repeater, client_muted"},
		{"empty battery", `{"battery_mah":0,"battery_voltage":0}`,
			[]string{"battery_mah", "battery_voltage"}, "greater than 0"},
		{"negative rates",
			`{"messages_per_hour":-1,"heard_messages_per_hour":-1,"awake_s_per_event":-1}`,
			[]string{"messages_per_hour", "heard_messages_per_hour", "awake_s_per_event"}, ""},
		{"long payload", `{"payload_bytes":238}`, []string{"payload_bytes"}, "0 to 237"},
		{"usable capacity", `{"usable_capacity_pct":0.9}`, []string{"usable_capacity_pct"},
			"1 to 100"},
		{"toggles are booleans", `{"gps_enabled":1}`, []string{"gps_enabled"}, "true or false"},
	})
}

// TestMeshnetPowerAddsUp verifies that the shares and the times each sum to 100 %, and that the
// totals follow from the average. It also verifies that each toggle adds its current, and that a
// role with more functions draws more.
func TestMeshnetPowerAddsUp(t *testing.T) {
	for _, d := range meshnet.Devices() {
		for i := range 2 * len(meshnet.Presets()) {
			p, save := meshnet.Presets()[i/2], i%2 == 1
			in := func(more string) meshnetPowerOut {
				return result[meshnetPowerOut](t, MeshnetPower, fmt.Sprintf(`{"device":%q,"channel_preset":%q,"battery_mah":2600,"battery_voltage":3.2,"power_save":%v%s}`, d.ID, p.ID, save, more))
			}
			what := fmt.Sprintf("%s %s power saving %v", d.ID, p.ID, save)
			var last float64
			for _, role := range []string{"client_muted", "client", "repeater", "router"} {
				out := in(fmt.Sprintf(`,"role":%q,"gps_enabled":true`, role))
				var share, sum float64
				for _, part := range out.Breakdown {
					share += part.SharePct
					sum += part.AverageMA
					near(t, what+" "+part.Source, part.SharePct*out.AverageCurrentMA,
						100*part.AverageMA)
				}
				near(t, what+" shares", share, 100)
				near(t, what+" parts", sum, out.AverageCurrentMA)
				near(t, what+" times", out.TxTimePct+out.RxTimePct+out.SleepTimePct, 100)
				near(t, what+" energy", out.DailyWh, out.AverageCurrentMA*3.2*24/1000)
				near(t, what+" power", out.AveragePowerMW, out.AverageCurrentMA*3.2)
				near(t, what+" runtime", out.RuntimeHours*out.AverageCurrentMA, 2600*0.85)
				near(t, what+" days", out.RuntimeDays*24, out.RuntimeHours)
				near(t, what+" tx", out.TxTimePct, out.TxPerHour*out.PacketAirtimeMS/3.6e6*100)
				if out.AverageCurrentMA <= last {
					t.Errorf("%s: a %s draws %g mA, the role below it %g", what, role,
						out.AverageCurrentMA, last)
				}
				last = out.AverageCurrentMA
			}
			on, off := in(`,"ble_enabled":true`), in(`,"ble_enabled":false`)
			ble := d.Draw.BLEAwake
			if save && d.Sleeps {
				ble = d.Draw.BLE + on.SleepTimePct/100*(d.Draw.Sleep-d.Draw.SleepQuiet)
			}
			near(t, what+" BLE", on.AverageCurrentMA-off.AverageCurrentMA, ble)
			if on.AverageCurrentMA <= off.AverageCurrentMA {
				t.Errorf("%s: Bluetooth saves current", what)
			}
			if awake := result[meshnetPowerOut](t, MeshnetPower,
				fmt.Sprintf(`{"device":%q,"channel_preset":%q}`, d.ID,
					p.ID)); awake.AverageCurrentMA < on.AverageCurrentMA {
				t.Errorf("%s: %g mA, awake %g", what, on.AverageCurrentMA, awake.AverageCurrentMA)
			}
			near(t, what+" GPS", in(`,"gps_enabled":true`).AverageCurrentMA-in("").AverageCurrentMA,
				d.Draw.GPS)
			near(t, what+" display",
				in(`,"display_enabled":true`).AverageCurrentMA-in("").AverageCurrentMA,
				d.Draw.Display)
			twice := in(`,"usable_capacity_pct":42.5`)
			near(t, what+" half the capacity", 2*twice.RuntimeHours, in("").RuntimeHours)
		}
	}
}

// TestMeshnetPacket compares the packet with lora_airtime for a payload that is longer by the 16
// header bytes, and a preamble of 16 symbols.
func TestMeshnetPacket(t *testing.T) {
	for _, p := range meshnet.Presets() {
		for payload := 0; payload <= 237; payload += 13 {
			out := result[meshnetPowerOut](t, MeshnetPower,
				fmt.Sprintf(`{"channel_preset":%q,"payload_bytes":%d}`, p.ID, payload))
			air := result[loraAirtimeOut](t, LoraAirtime,
				fmt.Sprintf(
					`{"payload_bytes":%d,"sf":%d,"bw_khz":%v,"cr":%d,"preamble_symbols":16}`,
					payload+16, p.SF, p.BwKHz, p.CR))
			if out.PacketAirtimeMS != air.AirtimeMS {
				t.Errorf("%s, %d bytes: %g ms, lora_airtime says %g", p.ID, payload,
					out.PacketAirtimeMS, air.AirtimeMS)
			}
		}
	}
}
