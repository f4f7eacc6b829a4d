package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/lora"
	"slipstick/tools/tolerance"
)

// LoraAirtime computes the time on air of a LoRa packet.
var LoraAirtime = tools.Define(tools.Spec{
	Name:    "lora_airtime",
	Title:   "LoRa time on air",
	Summary: "Time on air of a LoRa packet, its symbols and data rate, and the minimum interval at 1 % duty cycle",
	Method: "T = 2^SF / BW; n = 8 + max(ceil((8 PL - 4 SF + 28 + 16 CRC - 20 IH) / (4 (SF - 2 DE))) CR, 0); " +
		"time on air = (n_preamble + 4.25 + n) T, with IH = 1 without explicit header and DE = 1 with low data rate optimization. " +
		"Data rate = SF / T · 4 / CR, the nominal rate of the modulation; effective data rate = (SF - 2 DE) / T · 4 / CR, that of the payload symbols",
	Sources: []string{"Semtech AN1200.13, SX1272/3/6/7/8 LoRa Modem Designer's Guide, 2013",
		"Semtech SX1276/77/78/79 data sheet, rev. 7, sections 4.1.1.6 and 4.1.1.7"},
	Limits:  []string{"SF5 and SF6 of newer transceivers use another formula and are not covered"},
	Aliases: []string{"time on air", "toa", "lora packet duration", "airtime calculator"},
	Examples: []tools.Example{
		{
			Title: "20 bytes with the defaults",
			In:    `{"payload_bytes": 20}`,
			Want:  `{"airtime_ms": 370.688, "symbol_time_ms": 8.192, "preamble_time_ms": 100.352, "payload_symbols": 33, "data_rate_bps": 976.5625, "duty_cycle_1pct_interval_s": 37.0688, "low_data_rate_optimize": false}`,
		},
		{
			Title: "24 bytes, SF12, 4/7",
			In:    `{"payload_bytes": 24, "sf": 12, "cr": 7}`,
			Want:  `{"airtime_ms": 1810.432, "low_data_rate_optimize": true, "data_rate_bps": 209.263, "effective_data_rate_bps": 174.386}`,
			From:  "Semtech LoRa calculator",
		},
		{
			Title: "51 bytes on the LongFast preset with its preamble of 16 symbols",
			In:    `{"payload_bytes": 51, "sf": 11, "bw_khz": 250, "preamble_symbols": 16}`,
			Want:  `{"airtime_ms": 641.024, "data_rate_bps": 1074.22, "symbol_time_ms": 8.192}`,
			From:  "by hand: (20.25 + 58) · 8.192 ms; Meshtastic: 1.07 kbit/s",
		},
	},
}, loraAirtime)

type loraAirtimeIn struct {
	PayloadBytes    int       `json:"payload_bytes" unit:"B" min:"0" max:"255" example:"20" label:"Payload length" doc:"Payload length"`
	SF              int       `json:"sf" unit:"1" min:"7" max:"12" default:"10" label:"Spreading factor" doc:"Spreading factor"`
	BwKHz           bandwidth `json:"bw_khz" unit:"kHz" default:"125" label:"Bandwidth" doc:"Bandwidth, a number or a numeric string, 7.8 to 1625"`
	CR              int       `json:"cr" unit:"1" min:"5" max:"8" default:"5" label:"Coding rate (4/n)" doc:"Denominator n of the coding rate: 5 means 4/5"`
	PreambleSymbols int       `json:"preamble_symbols" unit:"1" min:"1" max:"65535" default:"8" label:"Preamble length" doc:"Programmed preamble length in symbols"`
	ExplicitHeader  bool      `json:"explicit_header" default:"true" label:"Explicit header" doc:"The packet carries a header"`
	CRC             bool      `json:"crc" default:"true" label:"CRC" doc:"The payload has a CRC"`
	LowDataRate     *bool     `json:"low_data_rate_optimize" label:"Low data rate optimization" doc:"Low data rate optimization; default: on where a symbol is longer than 16 ms at a bandwidth up to 125 kHz (SF11 and SF12 at 125 kHz)"`
}

type loraAirtimeOut struct {
	AirtimeMS         float64 `json:"airtime_ms" unit:"ms" label:"Time on air" doc:"Time on air of the whole packet"`
	SymbolTimeMS      float64 `json:"symbol_time_ms" unit:"ms" label:"Symbol time" doc:"Duration of one symbol"`
	PreambleTimeMS    float64 `json:"preamble_time_ms" unit:"ms" label:"Preamble time" doc:"Duration of the preamble with its 4.25 synchronization symbols"`
	PayloadSymbols    int     `json:"payload_symbols" unit:"1" label:"Payload symbols" doc:"Number of symbols of header and payload"`
	DataRateBps       float64 `json:"data_rate_bps" unit:"bit/s" label:"Nominal data rate" doc:"Nominal bit rate of spreading factor, bandwidth and coding rate, as in data sheets; without low data rate optimization"`
	EffectiveRateBps  float64 `json:"effective_data_rate_bps" unit:"bit/s" label:"Effective data rate" doc:"Bit rate during the payload: with low data rate optimization a symbol carries two bits fewer"`
	ThroughputBps     float64 `json:"throughput_bps" unit:"bit/s" label:"Throughput" doc:"Payload bits divided by the whole time on air"`
	DutyCycle1PctS    float64 `json:"duty_cycle_1pct_interval_s" unit:"s" label:"Minimum interval at 1 % duty cycle" doc:"Minimum time from start to start at 1 % duty cycle"`
	LowDataRateActive bool    `json:"low_data_rate_optimize" label:"Low data rate optimization" doc:"Low data rate optimization as used"`
	tools.Warnings
}

func loraAirtime(_ context.Context, in loraAirtimeIn) (loraAirtimeOut, error) {
	f := lora.Packet{
		Payload: in.PayloadBytes, SF: in.SF, BwKHz: float64(in.BwKHz), CR: in.CR,
		Preamble: in.PreambleSymbols, ExplicitHeader: in.ExplicitHeader, CRC: in.CRC,
	}
	long := lora.NeedsLowDataRate(f.SF, f.BwKHz)
	f.LowDataRate = long && f.BwKHz <= 125
	if in.LowDataRate != nil {
		f.LowDataRate = *in.LowDataRate
	}
	air := f.AirtimeMS()
	out := loraAirtimeOut{
		AirtimeMS: air, SymbolTimeMS: lora.SymbolsMS(1, f.SF, f.BwKHz),
		PreambleTimeMS: lora.SymbolsMS(f.PreambleSymbols(), f.SF, f.BwKHz),
		PayloadSymbols: f.PayloadSymbols(), DataRateBps: f.BitRate(),
		EffectiveRateBps: f.EffectiveBitRate(), ThroughputBps: 8e3 * float64(f.Payload) / air,
		DutyCycle1PctS: air / 10, LowDataRateActive: f.LowDataRate,
	}
	lora.WarnBandwidth(&out.Warnings, f.BwKHz)
	if long && !f.LowDataRate {
		out.Warn(
			"symbols of %g ms are longer than 16 ms: transceivers require low data rate optimization; set low_data_rate_optimize to true",
			tolerance.RoundAbove(out.SymbolTimeMS, 16, 4),
		)
	}
	if f.Preamble < 6 {
		out.Warn("preamble_symbols %d: receivers need at least 6", f.Preamble)
	}
	if tolerance.Above(air, lora.DwellLimitMS) {
		out.Warn("%g ms on air: longer than the 400 ms dwell time of US hopping channels (47 CFR 15.247(a)(1)); lower sf or payload_bytes there",
			tolerance.RoundAbove(air, lora.DwellLimitMS, 4))
	}
	if tolerance.Above(air, 1e3) {
		out.Warn(
			"%g ms on air: above one second, collisions and frequency drift make packet loss likely; lower sf or payload_bytes, or raise bw_khz",
			tolerance.RoundAbove(air, 1e3, 4),
		)
	}
	return out, nil
}

// bandwidth is a bandwidth in kHz, given as a number or a numeric string because the specification
// declares no type.
type bandwidth float64

const minBandwidth, maxBandwidth = 7.8, 1625

// DecodeField implements schema.FieldDecoder.
func (b *bandwidth) DecodeField(raw []byte) error {
	text := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	// ParseFloat also accepts Inf and 0x1p7, which are not decimal numbers.
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" {
		return errors.New("must be a number of kHz, or a string holding one")
	}
	if x < minBandwidth || x > maxBandwidth {
		return fmt.Errorf("must be %g to %g (kHz)", minBandwidth, float64(maxBandwidth))
	}
	*b = bandwidth(x)
	return nil
}

// FieldSchema implements schema.FieldDecoder.
func (b *bandwidth) FieldSchema() map[string]any {
	return map[string]any{
		"type": []string{"number", "string"}, "minimum": minBandwidth,
		"maximum": float64(maxBandwidth), "pattern": `^[0-9.eE+-]+$`,
	}
}
