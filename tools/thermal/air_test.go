package thermal

import (
	"math"
	"testing"
)

// within fails unless got equals want within a relative tolerance.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %.8g, want %.8g within %g %%", what, got, want, tolerance*100)
	}
}

// TestAirTable compares air at atmospheric pressure with Incropera and DeWitt, 6th ed., table A.4.
func TestAirTable(t *testing.T) {
	for _, r := range []struct{ kelvin, density, viscosity, conductivity, prandtl float64 }{
		{250, 1.3947, 159.6e-7, 22.3e-3, 0.720},
		{300, 1.1614, 184.6e-7, 26.3e-3, 0.707},
		{350, 0.9950, 208.2e-7, 30.0e-3, 0.700},
		{400, 0.8711, 230.1e-7, 33.8e-3, 0.690},
	} {
		a := AirAt(r.kelvin, 0)
		within(t, "density", a.Density, r.density, 0.015)
		within(t, "viscosity", a.Viscosity, r.viscosity, 0.01)
		within(t, "conductivity", a.Conductivity, r.conductivity, 0.025)
		within(t, "Prandtl number", a.Prandtl, r.prandtl, 0.025)
	}
}

// TestPressure compares the pressure with the standard atmosphere of ICAO Doc 7488/3.
func TestPressure(t *testing.T) {
	for altitude, want := range map[float64]float64{0: 101325, 1000: 89874.6, 5000: 54019.9,
		11000: 22632} {
		within(t, "pressure", Pressure(altitude), want, 2e-4)
	}
}

func TestNumbers(t *testing.T) {
	a := Air{Kelvin: 300, Density: 2, Viscosity: 4e-5, Conductivity: 0.03, Prandtl: 0.8}
	within(t, "Re = 2·3·0.5/4e-5", a.Reynolds(3, 0.5), 75000, 1e-12)
	// With ν = 2e-5 and α = 2.5e-5, Ra is 9.80665·10·0.001/(300·5e-10).
	within(t, "Ra", a.Rayleigh(10, 0.1), 653776.6667, 1e-9)
	within(t, "Ra of a cold plate", a.Rayleigh(-10, 0.1), a.Rayleigh(10, 0.1), 0)
}
