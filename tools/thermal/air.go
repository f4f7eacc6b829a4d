package thermal

import (
	"math"

	"slipstick/tools/phys"
)

// SpecificHeat is the specific heat of air at constant pressure [J/(kg·K)], within 0.5 % from 250
// to 400 K.
const SpecificHeat = 1007.0

// gasConstant is the specific gas constant of dry air [J/(kg·K)].
const gasConstant = 287.05

// Air contains the properties of dry air at a temperature and pressure.
type Air struct {
	Kelvin       float64 // temperature [K]
	Density      float64 // [kg/m³]
	Viscosity    float64 // dynamic [Pa·s]
	Conductivity float64 // [W/(m·K)]
	Prandtl      float64 // [1]
}

// Pressure returns the pressure of the standard atmosphere at an altitude in metres (ICAO Doc
// 7488), in pascals. It is valid up to the tropopause at 11 km.
func Pressure(altitude float64) float64 {
	return 101325 * math.Pow(1-2.25577e-5*altitude, 5.25588)
}

// AirAt returns the properties of air at a temperature in kelvin and an altitude in metres. It
// applies the gas law, and Sutherland's law for viscosity and conductivity.
func AirAt(kelvin, altitude float64) Air {
	a := Air{
		Kelvin:       kelvin,
		Density:      Pressure(altitude) / (gasConstant * kelvin),
		Viscosity:    1.716e-5 * math.Pow(kelvin/phys.ZeroC, 1.5) * 383.55 / (kelvin + 110.4),
		Conductivity: 2.334e-3 * math.Pow(kelvin, 1.5) / (kelvin + 164.54),
	}
	a.Prandtl = a.Viscosity * SpecificHeat / a.Conductivity
	return a
}

// Rayleigh returns the Rayleigh number for a length in metres and a temperature difference in
// kelvin. It uses the expansion coefficient of an ideal gas, 1/T.
func (a Air) Rayleigh(dT, length float64) float64 {
	nu := a.Viscosity / a.Density
	alpha := nu / a.Prandtl
	return phys.Gravity * math.Abs(dT) * length * length * length / (a.Kelvin * nu * alpha)
}

// Reynolds returns the Reynolds number for a length in metres and a speed in m/s.
func (a Air) Reynolds(speed, length float64) float64 {
	return a.Density * speed * length / a.Viscosity
}
