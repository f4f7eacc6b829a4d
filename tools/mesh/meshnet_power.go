package mesh

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/lora"
	"slipstick/tools/meshnet"
	"slipstick/tools/tolerance"
)

// MeshnetPower computes the mean current of a mesh node and its battery life.
var MeshnetPower = tools.Define(tools.Spec{
	Name:    "meshnet_power",
	Title:   "Mesh node power",
	Summary: "Average current, runtime on a battery and daily energy of a mesh node by role and traffic",
	Method: "packet = payload + 16 header bytes, preamble 16; transmissions an hour = own (0 for a repeater) + relay × heard, relay 0.3 client, 0 client_muted, 1 router and repeater. " +
		"A node receives the rest of the hour. With power_save a client with an ESP32 sleeps instead: it receives heard airtime + (own + heard) × awake time. " +
		"Average = Σ time share × current + what BLE, GPS and display draw all the time; runtime = capacity × usable / average; energy = average × V × 24 h. " +
		"BLE of a board that never sleeps draws more: ESP32-S3 55 mA instead of 12. A sleeping board with BLE off: ESP32-S3 8 mA, ESP32 10.5 mA",
	Sources: []string{
		"Semtech SX1262 data sheet, rev. 2.1, section 3; SX1276/77/78/79, rev. 7, table 6 (transceiver currents)",
		"Espressif ESP32-S3 data sheet and Nordic nRF52840 product specification (processor currents)",
		"Measured, ESP32-S3 boards: 110 mA with Bluetooth, 47 mA without, 7 to 10 mA asleep (github.com/meshcore-dev/MeshCore, issue 950, pull requests 1080 and 1107); Bluetooth 40 mA (github.com/meshtastic/firmware, pull request 3600)",
		"Measured, ESP32 boards with the older transceiver: 65 mA awake (meshtastic/firmware, issue 702; its 10 to 11 mA asleep are an expectation), 70 mA with Bluetooth; nRF52840 boards 9 mA receiving with Bluetooth (meshtastic.discourse.group, topic 868)",
		"Firmware: light sleep for clients on ESP32 only, with power saving on (meshtastic/firmware, src/PowerFSM.cpp)",
		"Supply of the base station, 9 to 19 V (meshtastic.org, hardware, station series)",
		"Semtech AN1200.13 (time on air)",
	},
	Limits: []string{
		"Currents are typical; boards of one profile differ by a third, ESP32-S3 boards with Bluetooth were measured from 87 to 110 mA",
		"The currents of device_5, and of device_2 asleep with BLE, are sums of data-sheet values only",
		"Wi-Fi is off", "Self-discharge and temperature of the battery are not modelled",
		"The relay share of a client depends on the mesh; 0.3 is typical of managed flooding",
	},
	Aliases: []string{"node battery life", "mesh runtime", "lora power consumption"},
	Primary: []string{"runtime_days"},
	Examples: []tools.Example{
		{
			Title: "A client on 3000 mAh",
			In:    `{}`,
			Want:  `{"average_current_ma": 100.5442, "runtime_hours": 25.362, "daily_wh": 8.92833, "tx_time_pct": 0.21669, "rx_time_pct": 99.78331, "sleep_time_pct": 0}`,
		},
		{
			Title: "The same with power saving",
			In:    `{"power_save": true}`,
			Want:  `{"average_current_ma": 16.5530, "runtime_hours": 154.051, "daily_wh": 1.46991, "tx_time_pct": 0.21669, "rx_time_pct": 3.33339}`,
		},
		{
			Title: "Low-power board as router",
			In:    `{"device": "device_3", "role": "router"}`,
			Want:  `{"average_current_ma": 9.63870, "runtime_days": 11.0233, "daily_wh": 0.855917}`,
		},
	},
}, meshnetPower)

type meshnetPowerIn struct {
	Device            string  `json:"device" enum:"device_1,device_2,device_3,device_4,device_5" default:"device_1" label:"Device" doc:"Hardware profile"`
	ChannelPreset     string  `json:"channel_preset" enum:"long_fast,long_moderate,long_slow,very_long_slow,medium_fast,medium_slow,short_fast,short_slow,short_turbo,long_turbo" default:"long_fast" label:"Channel preset" doc:"Channel setting"`
	BatteryMAh        float64 `json:"battery_mah" unit:"mAh" gt:"0" max:"1e9" default:"3000" label:"Battery capacity" doc:"Battery capacity"`
	BatteryVoltage    float64 `json:"battery_voltage" unit:"V" gt:"0" max:"1000" default:"3.7" label:"Battery voltage" doc:"Nominal battery voltage; device_5 needs 9 to 19 V, the others 3 to 5.5 V"`
	Role              string  `json:"role" enum:"client,router,repeater,client_muted" default:"client" label:"Role" doc:"Routers and repeaters receive continuously, clients sleep between events with power_save; client_muted does not relay"`
	PowerSave         bool    `json:"power_save" default:"false" label:"Power saving" doc:"Power saving of the firmware: clients with an ESP32 (device_1, device_2, device_5) sleep between events; off is the default of the firmware"`
	GPSEnabled        bool    `json:"gps_enabled" default:"false" label:"GPS" doc:"GPS receiver on"`
	BLEEnabled        bool    `json:"ble_enabled" default:"true" label:"Bluetooth" doc:"Bluetooth on"`
	DisplayEnabled    bool    `json:"display_enabled" default:"false" label:"Display" doc:"Display on"`
	MessagesPerHour   float64 `json:"messages_per_hour" unit:"1/h" min:"0" max:"1e6" default:"4" label:"Messages sent" doc:"Messages the node originates"`
	HeardPerHour      float64 `json:"heard_messages_per_hour" unit:"1/h" min:"0" max:"1e6" default:"30" label:"Messages heard" doc:"Messages the node hears"`
	PayloadBytes      int     `json:"payload_bytes" unit:"B" min:"0" max:"237" default:"32" label:"Payload length" doc:"Payload of a message"`
	UsableCapacityPct float64 `json:"usable_capacity_pct" unit:"%" min:"1" max:"100" default:"85" label:"Usable capacity" doc:"Usable share of the capacity"`
	AwakeSPerEvent    float64 `json:"awake_s_per_event" unit:"s" min:"0" max:"3600" default:"3" label:"Awake time per event" doc:"Time that a client with power_save stays awake for each message sent or heard"`
	OverheadBytes     int     `json:"overhead_bytes" unit:"B" min:"0" max:"100" default:"0" label:"Protocol overhead" doc:"Bytes added to the payload: 4 by the firmware's Data message, more with a request identifier"`
}

type meshnetPowerOut struct {
	AverageCurrentMA float64     `json:"average_current_ma" unit:"mA" label:"Average current" doc:"Average current from the battery"`
	AveragePowerMW   float64     `json:"average_power_mw" unit:"mW" label:"Average power" doc:"Average power"`
	RuntimeHours     float64     `json:"runtime_hours" unit:"h" label:"Runtime" doc:"Runtime on the usable capacity"`
	RuntimeDays      float64     `json:"runtime_days" unit:"d" label:"Runtime (d)" doc:"Runtime on the usable capacity in days"`
	DailyWh          float64     `json:"daily_wh" unit:"Wh" label:"Daily energy" doc:"Energy per day, an input of solar_sizing"`
	TxTimePct        float64     `json:"tx_time_pct" unit:"%" label:"Transmit time" doc:"Share of time transmitting"`
	RxTimePct        float64     `json:"rx_time_pct" unit:"%" label:"Receive time" doc:"Share of time receiving or awake"`
	SleepTimePct     float64     `json:"sleep_time_pct" unit:"%" label:"Sleep time" doc:"Share of time asleep"`
	PacketAirtimeMS  float64     `json:"packet_airtime_ms" unit:"ms" label:"Packet airtime" doc:"Time on air of one packet"`
	TxPerHour        float64     `json:"tx_per_hour" unit:"1/h" label:"Transmissions" doc:"Transmissions per hour, own and relayed"`
	Breakdown        []powerPart `json:"breakdown" label:"Breakdown" doc:"Contributions to the average current"`
	DeviceName       string      `json:"device_name" label:"Device" doc:"Hardware profile"`
	ChannelName      string      `json:"channel_name" label:"Channel preset" doc:"Channel preset"`
	Role             string      `json:"role" label:"Role" doc:"Role used"`
	tools.Warnings
}

type powerPart struct {
	Source    string  `json:"source" enum:"tx,rx,sleep,ble,gps,display" label:"Consumer" doc:"Consumer of the current"`
	AverageMA float64 `json:"average_ma" unit:"mA" label:"Average current" doc:"Contribution to the average current"`
	SharePct  float64 `json:"share_pct" unit:"%" label:"Share" doc:"Share of the average current"`
}

// meshHeaderBytes is the size of the firmware's packet header; meshPreamble is the preamble length.
const (
	meshHeaderBytes = 16
	meshPreamble    = 16
	mostPayload     = 255 - meshHeaderBytes
)

func meshnetPower(_ context.Context, in meshnetPowerIn) (meshnetPowerOut, error) {
	var out meshnetPowerOut
	radio, _ := meshnet.FindDevice(in.Device)
	channel, _ := meshnet.FindPreset(in.ChannelPreset)
	if total := in.PayloadBytes + in.OverheadBytes; total > mostPayload {
		return out, tools.InvalidValue("overhead_bytes", in.OverheadBytes,
			"makes %d bytes with payload_bytes %d; a packet holds %d", total, in.PayloadBytes,
			mostPayload)
	}
	packet := lora.Packet{
		Payload: in.PayloadBytes + in.OverheadBytes + meshHeaderBytes, SF: channel.SF,
		BwKHz: channel.BwKHz, CR: channel.CR, Preamble: meshPreamble,
		ExplicitHeader: true, CRC: true,
		LowDataRate: lora.NeedsLowDataRate(channel.SF, channel.BwKHz),
	}.AirtimeMS()

	own, relayed, err := in.transmissions(packet)
	if err != nil {
		return out, err
	}
	out.TxPerHour = own + relayed
	tx := min(out.TxPerHour*packet, hourMS)
	rx, heard := hourMS-tx, in.HeardPerHour*packet
	if heard > rx {
		out.Warn(
			"%.6g heard messages of %.4g ms and the node's transmissions do not fit in an hour; receiving is counted for the rest of it",
			in.HeardPerHour, packet,
		)
	}
	sleeping := out.powerSaving(in, radio)
	if sleeping {
		awake := heard + (own+in.HeardPerHour)*in.AwakeSPerEvent*1e3
		if awake >= rx {
			out.Warn("with this traffic and awake_s_per_event the node never sleeps")
		}
		rx = min(rx, awake)
	}
	sleep := hourMS - tx - rx

	draw := radio.Draw
	sleepMA, bleMA := draw.Sleep, draw.BLE
	if !sleeping {
		bleMA = draw.BLEAwake
	} else if !in.BLEEnabled {
		sleepMA = draw.SleepQuiet
	}
	out.setBreakdown([]powerPart{
		{Source: "tx", AverageMA: tx / hourMS * draw.Tx},
		{Source: "rx", AverageMA: rx / hourMS * draw.Rx},
		{Source: "sleep", AverageMA: sleep / hourMS * sleepMA},
		{Source: "ble", AverageMA: when(in.BLEEnabled, bleMA)},
		{Source: "gps", AverageMA: when(in.GPSEnabled, draw.GPS)},
		{Source: "display", AverageMA: when(in.DisplayEnabled, draw.Display)},
	})
	out.AveragePowerMW = out.AverageCurrentMA * in.BatteryVoltage
	out.RuntimeHours = in.BatteryMAh * in.UsableCapacityPct / 100 / out.AverageCurrentMA
	out.RuntimeDays = out.RuntimeHours / 24
	out.DailyWh = out.AveragePowerMW * 24 / 1e3
	out.TxTimePct, out.RxTimePct, out.SleepTimePct = 100*tx/hourMS, 100*rx/hourMS, 100*sleep/hourMS
	out.PacketAirtimeMS = packet
	out.DeviceName, out.ChannelName, out.Role = radio.Name, channel.Name, in.Role
	if sleeping && in.BLEEnabled {
		quiet := out.AverageCurrentMA - bleMA + sleep/hourMS*(draw.SleepQuiet-sleepMA)
		out.Warn(
			"power saving turns Bluetooth off while the node sleeps; with ble_enabled false the average is %.3g mA instead of %.3g",
			quiet, out.AverageCurrentMA,
		)
	}
	out.warnOfLimits(in, radio)
	return out, nil
}

const hourMS = 3.6e6 // an hour in ms

// transmissions returns the own and the relayed messages per hour. It rejects more than fit into an
// hour as packets of the given airtime [ms].
func (in meshnetPowerIn) transmissions(packetMS float64) (own, relayed float64, err error) {
	own = in.MessagesPerHour
	share := 0.0
	switch in.Role {
	case "client":
		share = 0.3
	case "router":
		share = 1
	case "repeater":
		own, share = 0, 1
	}
	relayed = share * in.HeardPerHour
	switch fit := hourMS / packetMS; {
	case tolerance.Above(relayed, fit):
		return 0, 0, tools.InvalidValue(
			"messages_per_hour", in.MessagesPerHour,
			"has no room: the relayed messages alone fill more than the hour, which holds %g transmissions of %.4g ms; heard_messages_per_hour must be at most %g in role %s",
			tolerance.RoundDown(fit, 6), packetMS, tolerance.RoundDown(fit/share, 6), in.Role,
		)
	case tolerance.Above(own+relayed, fit):
		return 0, 0, tools.InvalidValue(
			"messages_per_hour", in.MessagesPerHour,
			"must be at most %g: an hour holds %g transmissions of %.4g ms, of which relayed messages take %g",
			tolerance.RoundDown(max(fit-relayed, 0), 6), tolerance.RoundDown(fit, 6), packetMS,
			tolerance.RoundUp(relayed, 6),
		)
	}
	return own, relayed, nil
}

// powerSaving reports whether the node sleeps between messages. It warns if power_save has no
// effect.
func (out *meshnetPowerOut) powerSaving(in meshnetPowerIn, radio meshnet.Device) bool {
	switch client := in.Role == "client" || in.Role == "client_muted"; {
	case !in.PowerSave:
	case !client:
		out.Warn("power_save has no effect with role %s: it receives all the time", in.Role)
	case !radio.Sleeps:
		out.Warn(
			"power_save has no effect with %s: the firmware does not put nRF52 boards to sleep, they receive at %g mA",
			in.Device, radio.Draw.Rx,
		)
	default:
		return true
	}
	return false
}

// setBreakdown sets the parts of the average current and their sum.
func (out *meshnetPowerOut) setBreakdown(parts []powerPart) {
	for _, p := range parts {
		out.AverageCurrentMA += p.AverageMA
	}
	for i := range parts {
		parts[i].SharePct = 100 * parts[i].AverageMA / out.AverageCurrentMA
	}
	out.Breakdown = parts
}

// warnOfLimits warns of the voltage of the battery, a short runtime and too many transmissions.
func (out *meshnetPowerOut) warnOfLimits(in meshnetPowerIn, radio meshnet.Device) {
	if in.BatteryVoltage < radio.MinV || in.BatteryVoltage > radio.MaxV {
		out.Warn("battery_voltage %g V: %s runs on %g to %g V", in.BatteryVoltage,
			in.Device, radio.MinV,
			radio.MaxV)
	}
	if tolerance.Below(out.RuntimeHours, 24) {
		out.Warn("the battery lasts %g h, less than a day; use a larger battery, or switch off what the breakdown shows",
			tolerance.RoundBelow(out.RuntimeHours, 24, 3))
	}
	if tolerance.Above(out.TxTimePct, 10) {
		out.Warn(
			"transmitting %g %% of the time: above 10 %% the channel is congested and EU duty cycle limits are exceeded; use a faster preset or fewer messages",
			tolerance.RoundAbove(out.TxTimePct, 10, 3),
		)
	}
}

// when returns current if on is true, otherwise 0.
func when(on bool, current float64) float64 {
	if on {
		return current
	}
	return 0
}
