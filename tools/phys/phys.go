// Package phys contains the physical constants and exact unit definitions that tools share.
package phys

import "math"

// Constants fixed by definition (SI brochure, 9th edition, 2019; international yard and pound,
// 1959).
const (
	C         = 299792458.0    // speed of light in vacuum [m/s]
	Boltzmann = 1.380649e-23   // [J/K]
	ZeroC     = 273.15         // 0 °C [K]
	Foot      = 0.3048         // [m]
	Inch      = 0.0254         // [m]
	Gravity   = 9.80665        // standard gravity [m/s²]
	Stefan    = 5.670374419e-8 // Stefan-Boltzmann constant [W/(m²·K⁴)]
)

// Conventional values that tables and data sheets use.
const (
	T0          = 290.0    // reference noise temperature [K] (IEEE Std 161)
	ThermalDBm  = -174.0   // thermal noise density k·T0, rounded as in data sheets [dBm/Hz]
	OunceCopper = 35e-6    // thickness of 1 oz/ft² copper foil [m]
	EarthRadius = 6371e3   // mean radius [m] (ITU-R P.310)
	RhoCopper   = 1.724e-8 // annealed copper at 20 °C [Ω·m] (IEC 60028 gives 1.7241e-8)
)

// Binary multiples of the byte [B] (IEC 80000-13).
const (
	KiB = 1 << 10
	MiB = 1 << 20
	GiB = 1 << 30
	TiB = 1 << 40
)

// Heat in the units of air conditioning (NIST SP 811, appendix B.8).
const (
	BTUPerWattHour = 3.412141633 // BTU (International Table): 3600 s over 1055.05585262 J
	// BTUPerTon is a ton of refrigeration in BTU/h: 2000 lb of ice per day at 144 BTU/lb.
	BTUPerTon = 12000
)

// FreeSpaceLossDB returns the loss between isotropic antennas [dB] over a distance [m] at a
// wavelength [m], 20·log10(4πd/λ) (ITU-R P.525-4, equation 3). Both must be positive. The familiar
// form with 32.45 contains a rounded constant and deviates by up to 0.008 dB.
func FreeSpaceLossDB(distance, wavelength float64) float64 {
	return 20 * math.Log10(4*math.Pi*distance/wavelength)
}

// Wavelength returns the wavelength in vacuum [m] at a frequency [MHz].
func Wavelength(freqMHz float64) float64 { return C / (freqMHz * 1e6) }
