package lora

// Region has the limits of a LoRaWAN region (LoRa Alliance RP002-1.0.4; EN 300 220-2 V3.2.1,
// table B.1; 47 CFR 15.247).
type Region struct {
	EIRPdBm      float64 // highest equivalent isotropically radiated power
	DutyCyclePct float64 // highest duty cycle; 100 is no limit
}

// DwellLimitMS is the longest transmission on a US hopping channel, 47 CFR 15.247(a)(1)(i).
const DwellLimitMS = 400

// FindRegion returns the limits of EU868, US915, AS923 or AU915, and false for other names.
func FindRegion(name string) (Region, bool) {
	r, known := map[string]Region{
		"EU868": {16.15, 1}, "US915": {36, 100}, "AS923": {16, 1}, "AU915": {30, 100},
	}[name]
	return r, known
}

const (
	// ConductedDBm is 1 W, the highest conducted power in the United States and Canada.
	ConductedDBm = 30
	// FreeGainDBi is the antenna gain above which the conducted power is reduced.
	FreeGainDBi = 6
)

// ConductedLimitDBm returns the highest conducted power [dBm] with an antenna [dBi]: 30 dBm, less
// the dB by which the gain exceeds 6 dBi (47 CFR 15.247(b)(2) to (b)(4)).
func ConductedLimitDBm(gainDBi float64) float64 {
	return ConductedDBm - max(0, gainDBi-FreeGainDBi)
}
