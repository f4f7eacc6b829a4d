// Package meshnet contains the channel presets of the mesh firmware and the hardware profiles of
// nodes.
package meshnet

import "slices"

// Preset is a named channel setting of the mesh firmware.
type Preset struct {
	ID, Name string
	SF       int // spreading factor
	BwKHz    float64
	CR       int // coding rate denominator
}

// presets are the presets of the firmware in the order of its user interface.
var presets = []Preset{
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

// FindPreset returns the preset with an id. It returns false for an unknown id, such as custom.
func FindPreset(id string) (Preset, bool) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}

// Device is a hardware profile: radio, battery current and supply.
type Device struct {
	ID, Name      string
	TxDBm         float64
	AntennaDBi    float64
	NoiseFigureDB float64
	Draw          Currents
	// Sleeps is set if power saving suspends the processor, as on an ESP32 but not on an nRF52.
	Sleeps     bool
	MinV, MaxV float64 // supply [V]: a lithium cell or 5 V; the base station's socket
}

// Currents contains the battery currents of a node in mA.
//
// Tx, Rx, Sleep, BLE, GPS and Display are sums of data-sheet currents. The transceiver takes 118 to
// 120 mA when transmitting and 4.6 to 11.5 mA when receiving. The awake processor takes 3.3 mA (BLE
// only) or 40 to 45 mA (Wi-Fi and BLE). In sleep, the transceiver listens for preambles with a duty
// cycle, and Bluetooth sleeps between advertisements. Measured values replace sums that deviate:
//
//   - BLEAwake is Bluetooth while the processor never sleeps. An ESP32-S3 takes 40 mA less without
//     it (meshtastic/firmware pull request 3600). Boards take 110 mA with it (meshcore-dev/MeshCore
//     issue 950) and 47 mA without (pull request 1107), a difference of 63 mA. The value 55 is
//     between both and yields 100 mA in total.
//   - SleepQuiet is a sleeping board with Bluetooth off and the transceiver always receiving. An
//     ESP32-S3 takes 7 to 10 mA (MeshCore pull requests 1080 and 1107, issue 950); the value is 8.
//     For an ESP32 with the older transceiver, 10 to 11 mA are expected but not measured
//     (meshtastic/firmware issue 702).
//   - Measurements confirm these sums. An ESP32-S3 receiving without Bluetooth takes 45 to 47 mA.
//     An ESP32 with the older transceiver and Bluetooth takes 65 to 70 mA (issue 702;
//     meshtastic.discourse.group/t/868). An nRF52840 receiving with Bluetooth takes 9 mA (same
//     thread).
type Currents struct{ Tx, Rx, Sleep, BLE, GPS, Display, BLEAwake, SleepQuiet float64 }

// devices are the five profiles of the specification. The amplifier of the base station needs 9 to
// 19 V (meshtastic.org/docs/hardware/devices, station series).
var devices = []Device{
	{
		"device_1", "Dual-core Wi-Fi/BLE board with OLED", 22, 2.0, 6,
		Currents{158, 45.3, 2.8, 12, 30, 10, 55, 8}, true, 3, 5.5,
	},
	{
		"device_2", "Tracker with GNSS, older transceiver", 20, 2.0, 7,
		Currents{165, 56.5, 8, 13, 40, 10, 13, 10.5}, true, 3, 5.5,
	},
	{
		"device_3", "Low-power BLE modular board", 22, 2.0, 6,
		Currents{121.3, 8.6, 1.4, 0.4, 30, 10, 0.4, 1.4}, false, 3, 5.5,
	},
	{
		"device_4", "Handheld with e-paper and GNSS", 22, 1.0, 6,
		Currents{121.3, 8.6, 1.5, 0.4, 25, 0.5, 0.4, 1.5}, false, 3, 5.5,
	},
	{
		"device_5", "Base station with power amplifier and low-noise amplifier", 30, 3.0, 4,
		Currents{700, 60.3, 20, 12, 30, 10, 12, 20}, true, 9, 19,
	},
}

// FindDevice returns the profile with an id. It returns false for an unknown id, such as custom.
func FindDevice(id string) (Device, bool) {
	i := slices.IndexFunc(devices, func(d Device) bool { return d.ID == id })
	if i < 0 {
		return Device{}, false
	}
	return devices[i], true
}

// Presets returns all presets in the order of the firmware's user interface.
func Presets() []Preset { return slices.Clone(presets) }

// Devices returns all profiles.
func Devices() []Device { return slices.Clone(devices) }
