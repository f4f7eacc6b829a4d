// Package lora models the LoRa modem: thresholds, sensitivity, time on air, and the limits of the
// LoRaWAN regions.
package lora

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// requiredSNRs are the minimum signal-to-noise ratios for demodulation [dB], by spreading factor 7
// to 12 (Semtech SX1276 data sheet, rev. 7, table 13). The values of the SX1262 are equal.
var requiredSNRs = [...]float64{7: -7.5, 8: -10, 9: -12.5, 10: -15, 11: -17.5, 12: -20}

// RequiredSNR returns the minimum signal-to-noise ratio [dB] of a spreading factor from 7 to 12.
func RequiredSNR(sf int) float64 { return requiredSNRs[sf] }

// bandwidths are the bandwidths of LoRa transceivers [kHz]: up to 500 below 1 GHz (SX1276 data
// sheet, rev. 7, section 4.1.1.4), 203.125 and above at 2.4 GHz (SX1280).
var bandwidths = []float64{
	7.81, 10.42, 15.63, 20.83, 31.25, 41.67, 62.5, 125, 203.125, 250, 406.25, 500, 812.5, 1625,
}

// Bandwidths returns the bandwidths of LoRa transceivers [kHz] in ascending order.
func Bandwidths() []float64 { return slices.Clone(bandwidths) }

// NoiseFloor returns the noise power [dBm] in a bandwidth [kHz] of a receiver with a noise figure
// [dB].
func NoiseFloor(bwKHz, noiseFigureDB float64) float64 {
	return phys.ThermalDBm + 10*math.Log10(bwKHz*1e3) + noiseFigureDB
}

// Sensitivity returns the weakest signal [dBm] that a receiver can demodulate. It is the sum of the
// noise floor and the required signal-to-noise ratio.
func Sensitivity(sf int, bwKHz, noiseFigureDB float64) float64 {
	return NoiseFloor(bwKHz, noiseFigureDB) + requiredSNRs[sf]
}

// Packet describes a LoRa packet.
type Packet struct {
	Payload        int // bytes
	SF             int // spreading factor, 7 to 12
	BwKHz          float64
	CR             int // coding rate denominator, 5 to 8
	Preamble       int // programmed symbols
	ExplicitHeader bool
	CRC            bool
	LowDataRate    bool // low data rate optimization
}

// SymbolsMS returns the duration of n symbols in ms: n·2^SF / BW. n is a multiple of 1/4, so only
// the division is rounded.
func SymbolsMS(n float64, sf int, bwKHz float64) float64 { return math.Ldexp(n, sf) / bwKHz }

// NeedsLowDataRate reports whether symbols are longer than 16 ms, for which transceivers require
// low data rate optimization (SX1276 data sheet, rev. 7, section 4.1.1.6).
func NeedsLowDataRate(sf int, bwKHz float64) bool { return SymbolsMS(1, sf, bwKHz) > 16 }

// PayloadSymbols returns the number of symbols in header and payload (Semtech AN1200.13; SX1276
// data sheet, rev. 7, section 4.1.1.7).
func (p Packet) PayloadSymbols() int {
	bits := 8*p.Payload - 4*p.SF + 28
	if p.CRC {
		bits += 16
	}
	if !p.ExplicitHeader {
		bits -= 20
	}
	perGroup := 4 * p.SF
	if p.LowDataRate {
		perGroup -= 8
	}
	if bits <= 0 {
		return 8
	}
	return 8 + (bits+perGroup-1)/perGroup*p.CR
}

// PreambleSymbols returns the number of preamble symbols: the programmed number and 4.25
// synchronization symbols that the modem adds.
func (p Packet) PreambleSymbols() float64 { return float64(p.Preamble) + 4.25 }

// AirtimeMS returns the time on air of the packet in ms.
func (p Packet) AirtimeMS() float64 {
	return SymbolsMS(p.PreambleSymbols()+float64(p.PayloadSymbols()), p.SF, p.BwKHz)
}

// BitRate returns the nominal bit rate in bit/s: SF·BW/2^SF·4/CR (SX1276 data sheet, rev. 7,
// section 4.1.1.6).
func (p Packet) BitRate() float64 { return p.codedRate(p.SF) }

// EffectiveBitRate returns the bit rate of the payload symbols in bit/s. Low data rate optimization
// uses two bits less per symbol.
func (p Packet) EffectiveBitRate() float64 {
	if p.LowDataRate {
		return p.codedRate(p.SF - 2)
	}
	return p.BitRate()
}

// codedRate returns the bit rate in bit/s of symbols that carry the given number of bits before
// coding.
func (p Packet) codedRate(bits int) float64 {
	return float64(4*bits) * p.BwKHz * 1e3 / math.Ldexp(float64(p.CR), p.SF)
}

// WarnBandwidth adds a warning for a bandwidth that no transceiver offers. Data sheets round 7.81
// kHz to 7.8 and 812.5 kHz to 812.
func WarnBandwidth(w *tools.Warnings, bwKHz float64) {
	const rounding = 0.003
	for _, b := range bandwidths {
		if math.Abs(bwKHz-b) <= rounding*b {
			return
		}
	}
	w.Warn("bw_khz %g is not a bandwidth of LoRa transceivers: %s kHz", bwKHz,
		strings.ReplaceAll(strings.Trim(fmt.Sprint(bandwidths), "[]"), " ", ", "))
}

// Receiver contains the parameters that determine the sensitivity of a LoRa receiver.
type Receiver struct {
	SF            int     `json:"sf" unit:"1" min:"7" max:"12" default:"10" label:"Spreading factor" doc:"Spreading factor"`
	BwKHz         float64 `json:"bw_khz" unit:"kHz" min:"7.8" max:"1625" default:"125" label:"Bandwidth" doc:"Bandwidth"`
	NoiseFigureDB float64 `json:"noise_figure_db" unit:"dB" min:"0" max:"40" default:"6" label:"Receiver noise figure" doc:"Noise figure of the receiver"`
}
