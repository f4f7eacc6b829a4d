package thermal

import (
	"math"
	"testing"
)

// TestVerticalPlateTextbook compares a glass fire screen with Incropera and DeWitt, 6th ed.,
// example 9.2. It is 0.71 m high, at 232 °C in air of 23 °C: Ra 1.813e9, Nu 147, h 7.0 W/(m²·K).
func TestVerticalPlateTextbook(t *testing.T) {
	book := Air{Kelvin: 400, Density: 1, Viscosity: 26.4e-6, Conductivity: 33.8e-3,
		Prandtl: 26.4 / 38.3}
	within(t, "Ra", book.Rayleigh(209, 0.71), 1.813e9, 0.002)
	within(t, "h, properties of the book", VerticalPlate(book, 209, 0.71), 7.0, 0.005)
	within(t, "h, own properties", VerticalPlate(AirAt(400.65, 0), 209, 0.71), 7.0, 0.02)
}

// TestVerticalPlateLaminar compares the Churchill-Chu correlation below Ra 1e9 with hand-calculated
// values. Pr 0.7 and Ra 1e6 give ψ = 1 + (0.492/0.7)^(9/16) = 1.820096 and 0.68 +
// 0.670·31.62278/1.820096^(4/9) = 16.9152.
func TestVerticalPlateLaminar(t *testing.T) {
	a := AirAt(320, 0)
	a.Prandtl = 0.7
	dT := 1e6 / a.Rayleigh(1, 0.2)
	within(t, "Nu", VerticalPlate(a, dT, 0.2)*0.2/a.Conductivity,
		0.68+0.670*31.6227766/math.Pow(1.8200957, 4.0/9), 1e-6)
	within(t, "Nu without a difference", VerticalPlate(a, 0, 0.2)*0.2/a.Conductivity, 0.68, 1e-12)
}

// TestDownwardPlateTextbook compares a downward plate with Çengel, Heat Transfer, 2nd ed., example
// 9-2. It is 0.6 by 0.6 m, at 90 °C in air of 30 °C: Ra 1.196e7 on 0.15 m, Nu 15.88, h 2.973.
func TestDownwardPlateTextbook(t *testing.T) {
	book := Air{Kelvin: 333, Density: 1, Viscosity: 1.896e-5, Conductivity: 0.02808,
		Prandtl: 0.7202}
	within(t, "Ra", book.Rayleigh(60, 0.15), 1.196e7, 0.002)
	within(t, "h", DownwardPlate(book, 60, 0.15), 2.973, 0.001)
}

func TestUpwardPlateBranches(t *testing.T) {
	a := AirAt(330, 0)
	nu := func(ra float64) float64 {
		return UpwardPlate(a, ra/a.Rayleigh(1, 0.1), 0.1) * 0.1 / a.Conductivity
	}
	within(t, "0.54·(1e6)^¼", nu(1e6), 17.0763, 1e-5)
	within(t, "0.15·(1e9)^⅓", nu(1e9), 150, 1e-9)
	// The function is continuous: a step of 1e-6 changes the film no more than the band allows.
	for _, ra := range []float64{0.99e7, 1e7, 1.01e7} {
		if d := nu(ra*(1+1e-6))/nu(ra) - 1; d <= 0 || d > 1e-5 {
			t.Errorf("at Ra %g the film steps by %g", ra, d)
		}
	}
}

// TestWindPlateTextbook compares the mean Nusselt number with Incropera and DeWitt, 6th ed.,
// example 7.1: Re 9597, Pr 0.687, Nu 57.4.
func TestWindPlateTextbook(t *testing.T) {
	a := Air{Density: 1, Viscosity: 1, Conductivity: 1, Prandtl: 0.687}
	within(t, "laminar", WindPlate(a, 9597, 1), 57.4, 0.001)
	// By hand, (0.037·(1e6)^0.8 - 871)·0.687^⅓ = (0.037·63095.73 - 871)·0.882375.
	within(t, "mixed", WindPlate(a, 1e6, 1), 1291.40, 1e-4)
	within(t, "3, 4 and 5 joined: ∛216", Mixed(Mixed(3, 4), 5), 6, 1e-12)
}

// TestWindPlateMixed compares heaters of 50 mm in air of 60 m/s with Incropera and DeWitt, 6th ed.,
// example 7.2. Over the first six, 0.3 m, Re is 6.84e5, Pr 0.690 and k 0.0338: mean Nu 753, h 85.
func TestWindPlateMixed(t *testing.T) {
	a := Air{Density: 1, Viscosity: 1, Conductivity: 0.0338, Prandtl: 0.690}
	h := WindPlate(a, 6.84e5/0.3, 0.3)
	within(t, "Nu", h*0.3/0.0338, 753, 0.002)
	within(t, "h", h, 85, 0.005)
}

// TestWindPlateContinuous verifies that the mixed-flow film meets the laminar one at Re 5e5:
// 0.664·707.1 = 469.5 and 0.037·36239 - 871 = 469.8. It also verifies that a small increase of the
// speed never changes the film by a large amount.
func TestWindPlateContinuous(t *testing.T) {
	a := Air{Density: 1, Viscosity: 1, Conductivity: 1, Prandtl: 1}
	within(t, "below", WindPlate(a, 4.9e5, 1), 0.664*700, 1e-9)
	within(t, "at the transition", WindPlate(a, 5e5, 1), 469.7, 1e-3)
	before := WindPlate(a, 1e5, 1)
	for re := 1e5 * 1.001; re < 1e8; re *= 1.001 {
		film := WindPlate(a, re, 1)
		if film < before || film > before*1.0025 {
			t.Fatalf("at Re %.6g the film steps from %g to %g", re, before, film)
		}
		before = film
	}
}

func TestRadiation(t *testing.T) {
	// The reference from 400 K to 300 K is σ (2.56e10 - 8.1e9) = 992.3155 W/m².
	within(t, "black", RadiantFilm(400, 300)*100, 992.31552, 1e-7)
	within(t, "fourth powers", Fourth(100, 300), 1.75e10, 1e-14)
	within(t, "small rise: 4 T³", Fourth(1e-9, 300), 4*2.7e7*1e-9, 1e-9)
	within(t, "black cavity is its opening", CavityArea(3, 0.2, 1), 0.2, 1e-12)
	within(t, "1/(0.2/(0.8·3) + 1/0.2)", CavityArea(3, 0.2, 0.8), 0.196721311, 1e-8)
	if CavityArea(3, 0.2, 0) != 0 {
		t.Error("a perfect mirror radiates")
	}
}
