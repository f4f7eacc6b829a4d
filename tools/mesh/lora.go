package mesh

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/phys"
)

// requiredSNR is the signal-to-noise ratio [dB] at which a packet is still demodulated, by
// spreading factor 7 to 12 (Semtech SX1276 data sheet, rev. 7, table 13; the SX1262 has the same).
var requiredSNR = [...]float64{7: -7.5, 8: -10, 9: -12.5, 10: -15, 11: -17.5, 12: -20}

// modemBandwidths are the bandwidths [kHz] LoRa transceivers offer: up to 500 below 1 GHz
// (SX1276 data sheet, rev. 7, section 4.1.1.4), 203.125 and above at 2.4 GHz (SX1280).
var modemBandwidths = []float64{7.81, 10.42, 15.63, 20.83, 31.25, 41.67, 62.5, 125, 203.125, 250, 406.25, 500, 812.5, 1625}

// noiseFloor [dBm] in a bandwidth [kHz] behind a noise figure [dB].
func noiseFloor(bwKHz, noiseFigureDB float64) float64 {
	return phys.ThermalDBm + 10*math.Log10(bwKHz*1e3) + noiseFigureDB
}

// sensitivity [dBm] of a receiver: the noise floor and the signal-to-noise ratio it needs.
func sensitivity(sf int, bwKHz, noiseFigureDB float64) float64 {
	return noiseFloor(bwKHz, noiseFigureDB) + requiredSNR[sf]
}

// frame is a LoRa packet on the air.
type frame struct {
	payload        int // bytes
	sf             int
	bwKHz          float64
	cr             int // coding rate denominator, 5 to 8
	preamble       int // programmed symbols
	explicitHeader bool
	crc            bool
	lowDataRate    bool
}

// symbolsMS is how long a number of symbols takes, in ms: n·2^SF / BW. Symbols come in
// quarters, so nothing is rounded but the division.
func symbolsMS(n float64, sf int, bwKHz float64) float64 { return math.Ldexp(n, sf) / bwKHz }

// needsLowDataRate is the transceivers' rule: symbols longer than 16 ms (SX1276 data sheet,
// rev. 7, section 4.1.1.6).
func needsLowDataRate(sf int, bwKHz float64) bool { return symbolsMS(1, sf, bwKHz) > 16 }

// payloadSymbols counts the symbols of header and payload (Semtech AN1200.13; SX1276
// data sheet, rev. 7, section 4.1.1.7).
func (f frame) payloadSymbols() int {
	bits := 8*f.payload - 4*f.sf + 28
	if f.crc {
		bits += 16
	}
	if !f.explicitHeader {
		bits -= 20
	}
	perGroup := 4 * f.sf
	if f.lowDataRate {
		perGroup -= 8
	}
	if bits <= 0 {
		return 8
	}
	return 8 + (bits+perGroup-1)/perGroup*f.cr
}

// preambleSymbols are the programmed ones and the 4.25 of synchronisation the modem adds.
func (f frame) preambleSymbols() float64 { return float64(f.preamble) + 4.25 }

// airtimeMS of the whole frame.
func (f frame) airtimeMS() float64 {
	return symbolsMS(f.preambleSymbols()+float64(f.payloadSymbols()), f.sf, f.bwKHz)
}

// bitRate is the nominal rate in bit/s: SF·BW/2^SF·4/CR (SX1276 data sheet, rev. 7, section
// 4.1.1.6).
func (f frame) bitRate() float64 { return f.codedRate(f.sf) }

// effectiveBitRate is the rate of the payload symbols in bit/s: low data rate optimisation leaves
// two bits of each out.
func (f frame) effectiveBitRate() float64 {
	if f.lowDataRate {
		return f.codedRate(f.sf - 2)
	}
	return f.bitRate()
}

// codedRate of symbols that carry so many bits before coding, in bit/s.
func (f frame) codedRate(bits int) float64 {
	return float64(4*bits) * f.bwKHz * 1e3 / math.Ldexp(float64(f.cr), f.sf)
}

// warnBandwidth remarks on a bandwidth that no transceiver offers.
func warnBandwidth(w *tools.Warnings, bwKHz float64) {
	if !slices.Contains(modemBandwidths, bwKHz) {
		w.Warn("bw_khz %g is not a bandwidth of LoRa transceivers (%v)", bwKHz, modemBandwidths)
	}
}

// bandwidth in kHz, given as a number or as a numeric string: the specification declares no type.
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
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" { // ParseFloat also reads Inf and 0x1p7
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
	return map[string]any{"type": []string{"number", "string"}, "minimum": minBandwidth, "maximum": float64(maxBandwidth), "pattern": `^[0-9.eE+-]+$`}
}

// preset is a named channel setting of the mesh firmware.
type preset struct {
	id, name string
	sf       int
	bwKHz    float64
	cr       int
}

// presets are the firmware's, in the order of its interface.
var presets = []preset{
	{"long_fast", "Long range, fast", 11, 250, 5},
	{"long_moderate", "Long range, moderate", 11, 125, 8},
	{"long_slow", "Long range, slow", 12, 125, 8},
	{"very_long_slow", "Very long range, slow", 12, 62.5, 8},
	{"medium_fast", "Medium range, fast", 9, 250, 5},
	{"medium_slow", "Medium range, slow", 10, 250, 5},
	{"short_fast", "Short range, fast", 7, 250, 5},
	{"short_slow", "Short range, slow", 8, 250, 5},
	{"short_turbo", "Short range, turbo", 7, 500, 5},
	{"long_turbo", "Long range, turbo", 11, 500, 8},
}

// findPreset gives the preset of a name; false for custom.
func findPreset(id string) (preset, bool) {
	i := slices.IndexFunc(presets, func(p preset) bool { return p.id == id })
	if i < 0 {
		return preset{}, false
	}
	return presets[i], true
}

// device is a hardware profile: radio, battery current and supply.
type device struct {
	id, name      string
	txDBm         float64
	antennaDBi    float64
	noiseFigureDB float64
	draw          currents
	sleeps        bool    // the firmware's power saving puts the processor to sleep: ESP32, not nRF52
	minV, maxV    float64 // supply [V]: a lithium cell or 5 V; the base station's socket
}

// currents of a node at the battery, in mA.
//
// tx, rx, sleep, ble, gps and display are sums of data-sheet currents: transceiver 118 to 120 mA
// transmitting and 4.6 to 11.5 mA receiving, processor awake 3.3 mA (BLE only) or 40 to 45 mA
// (Wi-Fi and BLE), sleep with duty-cycled preamble listening, Bluetooth asleep between its
// advertisements. Measured, and in place of the sums where they are missed:
//
//   - bleAwake is Bluetooth while the processor never sleeps. ESP32-S3: 40 mA less without it
//     (meshtastic/firmware pull request 3600); boards at 110 mA with it (meshcore-dev/MeshCore
//     issue 950) and at 47 mA without (pull request 1107), so 63. 55 is between, 100 mA in all.
//   - sleepQuiet is a sleeping board with Bluetooth off, the transceiver receiving all the time.
//     ESP32-S3: 7 to 10 mA (MeshCore pull requests 1080 and 1107, issue 950), here 8. ESP32 with
//     the older transceiver: 10 to 11 mA expected, not measured
//     (meshtastic/firmware issue 702).
//   - The sums that hold: ESP32-S3 receiving without Bluetooth 45 to 47 mA, ESP32 with the older
//     transceiver and Bluetooth 65 to 70 mA (issue 702; meshtastic.discourse.group/t/868),
//     nRF52840 receiving with Bluetooth 9 mA (the same thread).
type currents struct{ tx, rx, sleep, ble, gps, display, bleAwake, sleepQuiet float64 }

// devices are the five profiles of the specification. The base station's amplifier needs 9 to
// 19 V (meshtastic.org/docs/hardware/devices, station series).
var devices = []device{
	{
		"device_1", "Dual-core Wi-Fi/BLE board with OLED", 22, 2.0, 6,
		currents{158, 45.3, 2.8, 12, 30, 10, 55, 8}, true, 3, 5.5,
	},
	{
		"device_2", "Tracker with GNSS, older transceiver", 20, 2.0, 7,
		currents{165, 56.5, 8, 13, 40, 10, 13, 10.5}, true, 3, 5.5,
	},
	{
		"device_3", "Low-power BLE modular board", 22, 2.0, 6,
		currents{121.3, 8.6, 1.4, 0.4, 30, 10, 0.4, 1.4}, false, 3, 5.5,
	},
	{
		"device_4", "Handheld with e-paper and GNSS", 22, 1.0, 6,
		currents{121.3, 8.6, 1.5, 0.4, 25, 0.5, 0.4, 1.5}, false, 3, 5.5,
	},
	{
		"device_5", "Base station with power amplifier and low-noise amplifier", 30, 3.0, 4,
		currents{700, 60.3, 20, 12, 30, 10, 12, 20}, true, 9, 19,
	},
}

// findDevice gives the profile of a name; false for custom.
func findDevice(id string) (device, bool) {
	i := slices.IndexFunc(devices, func(d device) bool { return d.id == id })
	if i < 0 {
		return device{}, false
	}
	return devices[i], true
}
