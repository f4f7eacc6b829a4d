package lora

// Region contains the limits of a LoRaWAN region (LoRa Alliance RP002-1.0.4; EN 300 220-2 V3.2.1,
// table B.1; 47 CFR 15.247).
type Region struct {
	EIRPdBm      float64 // maximum equivalent isotropically radiated power
	DutyCyclePct float64 // maximum duty cycle; 100 means no limit
}

// SubBand is a part of the European band from 863 to 870 MHz (EN 300 220-2 V3.2.1, table B.1). It
// is for non-specific short-range devices without polite spectrum access.
type SubBand struct {
	LowMHz, HighMHz float64
	ERPdBm          float64 // effective radiated power: 14 is 25 mW, 27 is 500 mW
	DutyCyclePct    float64
}

// DipoleDBi is the gain of a half-wave dipole [dBi]. EIRP exceeds ERP by this gain.
const DipoleDBi = 2.15

// FindSubBand returns the limits of a sub-band, which is named by its edges in MHz, such as
// 869.4-869.65. It returns false for other names.
func FindSubBand(name string) (SubBand, bool) {
	b, known := map[string]SubBand{
		"863-865": {863, 865, 14, 0.1}, "865-868": {865, 868, 14, 1},
		"868-868.6":   {868, 868.6, 14, 1},
		"868.7-869.2": {868.7, 869.2, 14, 0.1}, "869.4-869.65": {869.4, 869.65, 27, 10},
		"869.7-870": {869.7, 870, 14, 1},
	}[name]
	return b, known
}

// DwellLimitMS is the maximum duration of a transmission on a US hopping channel, 47 CFR
// 15.247(a)(1)(i).
const DwellLimitMS = 400

// FindRegion returns the limits of EU868, US915, AS923 or AU915. It returns false for other names.
func FindRegion(name string) (Region, bool) {
	r, known := map[string]Region{
		"EU868": {16.15, 1}, "US915": {36, 100}, "AS923": {16, 1}, "AU915": {30, 100},
	}[name]
	return r, known
}

const (
	// ConductedDBm is 1 W, the maximum conducted power in the United States and Canada.
	ConductedDBm = 30
	// FreeGainDBi is the antenna gain above which the conducted power must be reduced.
	FreeGainDBi = 6
)

// ConductedLimitDBm returns the maximum conducted power [dBm] with an antenna gain [dBi]. It is 30
// dBm, reduced by the gain above 6 dBi (47 CFR 15.247(b)(2) to (b)(4)).
func ConductedLimitDBm(gainDBi float64) float64 {
	return ConductedDBm - max(0, gainDBi-FreeGainDBi)
}
