// Package lora has the LoRa modem: thresholds, sensitivity, time on air, and the limits of the
// LoRaWAN regions.
package lora

import (
	"math"
	"slices"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// requiredSNRs are the signal-to-noise ratios [dB] at which a packet is still demodulated, by
// spreading factor 7 to 12 (Semtech SX1276 data sheet, rev. 7, table 13; the SX1262 has the same).
var requiredSNRs = [...]float64{7: -7.5, 8: -10, 9: -12.5, 10: -15, 11: -17.5, 12: -20}

// RequiredSNR returns the least signal-to-noise ratio [dB] of a spreading factor from 7 to 12.
func RequiredSNR(sf int) float64 { return requiredSNRs[sf] }

// bandwidths are the bandwidths [kHz] LoRa transceivers offer: up to 500 below 1 GHz
// (SX1276 data sheet, rev. 7, section 4.1.1.4), 203.125 and above at 2.4 GHz (SX1280).
var bandwidths = []float64{
	7.81, 10.42, 15.63, 20.83, 31.25, 41.67, 62.5, 125, 203.125, 250, 406.25, 500, 812.5, 1625,
}

// Bandwidths returns the bandwidths [kHz] of LoRa transceivers, ascending.
func Bandwidths() []float64 { return slices.Clone(bandwidths) }

// NoiseFloor returns the noise power [dBm] in a bandwidth [kHz] behind a noise figure [dB].
func NoiseFloor(bwKHz, noiseFigureDB float64) float64 {
	return phys.ThermalDBm + 10*math.Log10(bwKHz*1e3) + noiseFigureDB
}

// Sensitivity returns the weakest signal [dBm] that a receiver demodulates: the noise floor and the
// signal-to-noise ratio it needs.
func Sensitivity(sf int, bwKHz, noiseFigureDB float64) float64 {
	return NoiseFloor(bwKHz, noiseFigureDB) + requiredSNRs[sf]
}

// Packet is a LoRa packet on the air.
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

// SymbolsMS returns the duration of a number of symbols in ms: n·2^SF / BW. Symbols come in
// quarters, so nothing is rounded but the division.
func SymbolsMS(n float64, sf int, bwKHz float64) float64 { return math.Ldexp(n, sf) / bwKHz }

// NeedsLowDataRate reports whether symbols are longer than 16 ms, the transceivers' rule (SX1276
// data sheet, rev. 7, section 4.1.1.6).
func NeedsLowDataRate(sf int, bwKHz float64) bool { return SymbolsMS(1, sf, bwKHz) > 16 }

// PayloadSymbols counts the symbols of header and payload (Semtech AN1200.13; SX1276
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

// PreambleSymbols are the programmed ones and the 4.25 of synchronisation the modem adds.
func (p Packet) PreambleSymbols() float64 { return float64(p.Preamble) + 4.25 }

// AirtimeMS is the time on air of the packet in ms.
func (p Packet) AirtimeMS() float64 {
	return SymbolsMS(p.PreambleSymbols()+float64(p.PayloadSymbols()), p.SF, p.BwKHz)
}

// BitRate is the nominal rate in bit/s: SF·BW/2^SF·4/CR (SX1276 data sheet, rev. 7, section
// 4.1.1.6).
func (p Packet) BitRate() float64 { return p.codedRate(p.SF) }

// EffectiveBitRate is the rate of the payload symbols in bit/s: low data rate optimisation leaves
// two bits of each out.
func (p Packet) EffectiveBitRate() float64 {
	if p.LowDataRate {
		return p.codedRate(p.SF - 2)
	}
	return p.BitRate()
}

// codedRate of symbols that carry so many bits before coding, in bit/s.
func (p Packet) codedRate(bits int) float64 {
	return float64(4*bits) * p.BwKHz * 1e3 / math.Ldexp(float64(p.CR), p.SF)
}

// WarnBandwidth adds a warning for a bandwidth that no transceiver offers.
func WarnBandwidth(w *tools.Warnings, bwKHz float64) {
	if !slices.Contains(bandwidths, bwKHz) {
		w.Warn("bw_khz %g is not a bandwidth of LoRa transceivers (%v)", bwKHz, bandwidths)
	}
}

// Receiver has the parameters of the sensitivity of a LoRa receiver.
type Receiver struct {
	SF            int     `json:"sf" unit:"1" min:"7" max:"12" default:"10" label:"Spreading factor" doc:"Spreading factor"`
	BwKHz         float64 `json:"bw_khz" unit:"kHz" min:"7.8" max:"1625" default:"125" label:"Bandwidth" doc:"Bandwidth"`
	NoiseFigureDB float64 `json:"noise_figure_db" unit:"dB" min:"0" max:"40" default:"6" label:"Receiver noise figure" doc:"Noise figure of the receiver"`
}
