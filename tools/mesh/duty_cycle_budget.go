package mesh

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/lora"
	"slipstick/tools/tolerance"
)

// DutyCycleBudget computes how often a message may be sent under a region's rules.
var DutyCycleBudget = tools.Define(tools.Spec{
	Name:    "duty_cycle_budget",
	Title:   "Duty cycle budget",
	Summary: "Messages per hour and minimum interval within a region's duty cycle or dwell time",
	Method:  "least interval = airtime / duty cycle, start to start; messages = floor(3600 s / interval); effective rate = 8 payload / interval",
	Sources: []string{
		"EN 300 220-2 V3.2.1, table B.1 (EU868, 1 %)",
		"47 CFR 15.247(a)(1)(i) (US915, 400 ms dwell)",
		"LoRa Alliance RP002-1.0.4, Regional Parameters (AS923, AU915: uplink dwell time of 400 ms; AS923 devices start with it, as in LoRaMac-node)",
	},
	Limits: []string{"EU868 without sub_band as one 1 % sub-band",
		"Polite spectrum access (listen before talk) is not modelled"},
	Aliases: []string{"duty cycle", "dwell time", "fair use", "1 %"},
	Examples: []tools.Example{{
		Title: "20 bytes at SF10 in EU868",
		In:    `{"airtime_ms": 370.688}`,
		Want:  `{"max_messages_per_hour": 97, "min_interval_s": 37.0688, "duty_cycle_pct": 1, "dwell_time_limited": false, "effective_data_rate_bps": 4.3163}`,
	}, {
		Title: "The same packet at 869.525 MHz, where 10 % are allowed",
		In:    `{"airtime_ms": 370.688, "sub_band": "869.4-869.65"}`,
		Want:  `{"max_messages_per_hour": 971, "min_interval_s": 3.70688, "duty_cycle_pct": 10, "warnings": []}`,
		From:  "EN 300 220-2, table B.1; 3600/3.70688",
	}, {
		Title: "SF10 in AS923: 20 bytes pass, 24 exceed the dwell time",
		In:    `{"airtime_ms": 411.648, "region": "AS923", "uplink_dwell_time": true}`,
		Want:  `{"dwell_time_limited": true, "max_messages_per_hour": 87}`,
		From:  "RP002-1.0.4: 400 ms",
	}},
}, dutyCycleBudget)

type dutyCycleBudgetIn struct {
	AirtimeMS    float64 `json:"airtime_ms" unit:"ms" min:"0.001" max:"1e9" example:"370.688" label:"Message airtime" doc:"Time on air of one message"`
	Region       string  `json:"region" enum:"EU868,US915,AS923,AU915" default:"EU868" label:"Region" doc:"Regulatory region"`
	PayloadBytes int     `json:"payload_bytes" unit:"B" min:"1" max:"255" default:"20" label:"Payload length" doc:"Payload of one message, for the effective data rate"`

	SubBand   *string `json:"sub_band" enum:"863-865,865-868,868-868.6,868.7-869.2,869.4-869.65,869.7-870" label:"Sub-band" doc:"European sub-band in MHz, with region EU868; default: 1 % duty cycle"`
	DwellTime *bool   `json:"uplink_dwell_time" label:"Uplink dwell time" doc:"The network limits uplinks to 400 ms (AS923, AU915); AS923 devices start with this limit"`
}

type dutyCycleBudgetOut struct {
	MaxMessagesPerHour float64 `json:"max_messages_per_hour" unit:"1/h" label:"Message limit" doc:"Whole messages per hour within the limit"`
	MinIntervalS       float64 `json:"min_interval_s" unit:"s" label:"Minimum interval" doc:"Minimum time from start to start of two messages"`
	DutyCyclePct       float64 `json:"duty_cycle_pct" unit:"%" label:"Duty cycle limit" doc:"Allowed duty cycle; 100 % means no restriction"`
	DwellTimeLimited   bool    `json:"dwell_time_limited" label:"Dwell time exceeded" doc:"True when the packet exceeds the allowed dwell time of a channel"`
	EffectiveRateBps   float64 `json:"effective_data_rate_bps" unit:"bit/s" label:"Effective data rate" doc:"Payload rate at the highest allowed message rate"`
	tools.Warnings
}

// shortestPacketMS is less than the time on air [ms] of an empty packet at SF5 and 1625 kHz.
const shortestPacketMS = 0.3

func dutyCycleBudget(_ context.Context, in dutyCycleBudgetIn) (dutyCycleBudgetOut, error) {
	region, _ := lora.FindRegion(in.Region)
	out := dutyCycleBudgetOut{DutyCyclePct: region.DutyCyclePct}
	if in.SubBand != nil && in.Region == "EU868" {
		band, _ := lora.FindSubBand(*in.SubBand)
		out.DutyCyclePct = band.DutyCyclePct
	}
	out.MinIntervalS = in.AirtimeMS / 1e3 * 100 / out.DutyCyclePct
	out.MaxMessagesPerHour = tolerance.FloorQuotient(3600 / out.MinIntervalS)
	out.EffectiveRateBps = 8 * float64(in.PayloadBytes) / out.MinIntervalS
	if in.AirtimeMS < shortestPacketMS {
		out.Warn(
			"%.3g ms is shorter than any LoRa packet: check that airtime_ms is in milliseconds",
			in.AirtimeMS)
	}
	if out.MaxMessagesPerHour < 1 {
		out.Warn(
			"%g ms on air at %g %% allow one message per %g h: use a lower spreading factor or a shorter payload, and check that airtime_ms is in milliseconds",
			in.AirtimeMS, out.DutyCyclePct, tolerance.RoundUp(out.MinIntervalS/3600, 4),
		)
	}
	long := in.AirtimeMS > lora.DwellLimitMS
	switch in.Region {
	case "AS923", "AU915":
		out.DwellTimeLimited = long && choice.Or(in.DwellTime, false)
		if long && in.DwellTime == nil && in.Region == "AS923" {
			out.Warn(
				"%g ms on air: AS923 devices start with an uplink dwell time of 400 ms (RP002), which forbids this packet until the network lifts it; see uplink_dwell_time",
				in.AirtimeMS,
			)
		}
		if out.DwellTimeLimited {
			out.Warn(
				"%g ms on air exceeds the uplink dwell time of 400 ms of %s (RP002): the device may not send it; use a lower spreading factor",
				in.AirtimeMS, in.Region,
			)
		}
	default:
		out.DwellTimeLimited = long && in.Region == "US915"
		if in.DwellTime != nil {
			out.Warn("uplink_dwell_time has no effect in %s", in.Region)
		}
	}
	if out.DwellTimeLimited && in.Region == "US915" {
		out.Warn(
			"%g ms on air exceeds the 400 ms dwell time of a 125 kHz hopping channel (47 CFR 15.247(a)(1)): the packet is not permitted; use a lower spreading factor or a shorter payload, or 500 kHz",
			in.AirtimeMS,
		)
	}
	if in.SubBand != nil && in.Region != "EU868" {
		out.Warn("sub_band is ignored with region %s; it belongs to EU868", in.Region)
	}
	if in.Region == "EU868" && in.SubBand == nil {
		out.Warn("the sub-band 869.4 to 869.65 MHz allows 10 %% duty cycle and 27 dBm ERP")
	}
	return out, nil
}
