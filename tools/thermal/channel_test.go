package thermal

import (
	"math"
	"testing"
)

func TestDevelopingNusselt(t *testing.T) {
	within(t, "far: parallel plates 7.541", DevelopingNusselt(10, 0.7), 7.541, 0.002)
	// Near the inlet, each wall is a flat plate with Nu = 0.664 x^-½ Pr^(-1/6).
	for _, x := range []float64{1e-7, 1e-8, 1e-9} {
		within(t, "inlet", DevelopingNusselt(x, 0.71), 0.664*math.Pow(x, -0.5)*math.Pow(0.71,
			-1.0/6), 0.02)
	}
	// By hand, x = 0.005 and Pr = 0.71 give 0.024·420.03 / (1 + 0.0358·0.94345·29.694) = 5.0323.
	// With the 7.55 of developed flow, Nu is 12.58.
	within(t, "x = 0.005", DevelopingNusselt(0.005, 0.71), 12.58, 0.001)
}

// TestGnielinski compares the Nusselt number of a long channel with one by hand, at Re 1e4 and Pr
// 0.7. f = (0.79·9.21034 - 1.64)^-2 = 0.0314779; Nu = 0.00393474·9000·0.7/(1 +
// 12.7·0.0627275·(0.788374 - 1)) = 29.818.
func TestGnielinski(t *testing.T) {
	within(t, "long", GnielinskiNusselt(1e4, 0.7, 0), 29.818, 1e-4)
	within(t, "L = 8 Dh: a quarter more", GnielinskiNusselt(1e4, 0.7, 0.125), 1.25*29.818, 1e-4)
}

func channelAt(re float64) Channel {
	c := Channel{Air: AirAt(320, 0), Gap: 0.004, Length: 0.08}
	c.Speed = re * c.Air.Viscosity / (c.Air.Density * c.Diameter())
	return c
}

func TestFilmsAverage(t *testing.T) {
	for _, re := range []float64{20, 1500, 2299, 2500, 2999, 3999, 8000} {
		c := channelAt(re)
		within(t, "Reynolds number", c.Reynolds(), re, 1e-12)
		sum, h := 0.0, c.Films(37)
		for j, x := range h {
			sum += x / 37
			// The derivative of Stephan's mean undershoots the developed film by less than 5 %.
			if developed := 7.55 * c.Air.Conductivity / c.Diameter(); j > 0 && x > h[j-1] &&
				h[j-1] < 0.95*developed {
				t.Errorf("Re %g: the film falls to %g and rises again, developed it is %g", re,
					h[j-1], developed)
			}
		}
		within(t, "mean of the local films", sum, c.Film(), 1e-12)
	}
	for _, re := range []float64{LaminarLimit, TurbulentLimit} {
		within(t, "no jump", channelAt(re*(1+1e-9)).Film(), channelAt(re*(1-1e-9)).Film(), 1e-6)
	}
}

// TestAcrossTransition verifies that a higher air speed never lowers the film coefficient or the
// pressure drop, for several gaps and lengths. It also verifies that both are continuous.
func TestAcrossTransition(t *testing.T) {
	for _, gap := range []float64{0.001, 0.004, 0.02, 0.1} {
		for _, length := range []float64{0.01, 0.05, 0.2, 1} {
			c := Channel{Air: AirAt(320, 0), Gap: gap, Length: length}
			var film, head float64
			for re := 1500.0; re < 6000; re *= 1.001 {
				c.Speed = re * c.Air.Viscosity / (c.Air.Density * c.Diameter())
				f, h := c.Film(), c.LossFactor(0.8)*c.Speed*c.Speed
				if film > 0 && (f < film || f > 1.004*film || h < head || h > 1.006*head) {
					t.Fatalf("gap %g m, length %g m, Re %.5g: film %g after %g, drop %g after %g",
						gap, length, re, f, film, h, head)
				}
				film, head = f, h
			}
		}
	}
}

// TestTransitionByHand compares Gnielinski 2013 for a long channel at Pr 0.7 with values by hand.
// At Re 4000, f/8 is 0.0051801 and Nu 10.878/0.80656 = 13.487. Nu is 7.55 at the laminar limit of
// 2300, so 10.52 in the middle.
func TestTransitionByHand(t *testing.T) {
	c := channelAt(3150)
	c.Air.Prandtl = 0.7
	turbulent := GnielinskiNusselt(4000, 0.7, 0)
	within(t, "at 4000", turbulent, 13.487, 0.0002)
	within(t, "in the middle", c.meanNusselt(1e5), 10.52, 1e-3)
}

// TestShortChannelIsFlatPlate compares a wide and short channel, where the boundary layers of the
// walls do not meet, with a flat plate. The flat-plate correlation 0.664 Re^½ Pr^⅓, based on the
// length, must hold even where Re based on the hydraulic diameter exceeds 2300.
func TestShortChannelIsFlatPlate(t *testing.T) {
	c := Channel{Air: AirAt(320, 0), Gap: 0.05, Length: 0.02}
	for _, re := range []float64{2000, 3000, 5000} {
		c.Speed = re * c.Air.Viscosity / (c.Air.Density * c.Diameter())
		within(t, "film", c.Film(), WindPlate(c.Air, c.Speed, c.Length), 0.25)
	}
}

// TestAgainstTeertstra compares the heat transfer with the model of Teertstra, Yovanovich and
// Culham (2000) for plate-fin heat sinks. Re* = (u b/ν)(b/L) goes from 0.1 to 100. The model agrees
// with their measurements within 2.1 % RMS. Its Nusselt number is based on the temperature
// difference between the fins and the inlet air.
func TestAgainstTeertstra(t *testing.T) {
	sum, n := 0.0, 0.0
	for re := 0.1; re <= 100; re *= 1.2 {
		c := Channel{Air: AirAt(310, 0), Gap: 0.004, Length: 0.08}
		c.Speed = re * c.Length / c.Gap * c.Air.Viscosity / (c.Air.Density * c.Gap)
		if c.Reynolds() > LaminarLimit {
			break
		}
		pr := c.Air.Prandtl
		developing := 0.664 * math.Sqrt(re) * math.Cbrt(pr) * math.Sqrt(1+3.65/math.Sqrt(re))
		want := math.Pow(math.Pow(re*pr/2, -3)+math.Pow(developing, -3), -1.0/3)
		units := 2 * c.Film() * c.Length / (c.Air.Density * c.Speed * c.Gap * SpecificHeat)
		got := re * pr / 2 * -math.Expm1(-units)
		within(t, "Nusselt number", got, want, 0.08)
		sum += (got/want - 1) * (got/want - 1)
		n++
	}
	if rms := math.Sqrt(sum / n); rms > 0.03 {
		t.Errorf("%.2g %% RMS away over %g points", 100*rms, n)
	} else {
		t.Logf("%.2g %% RMS over %g points", 100*rms, n)
	}
}

func TestLossFactor(t *testing.T) {
	long := channelAt(100)
	long.Length = 100
	within(t, "long: f Re = 24", long.LossFactor(1), 4*24.0/100*100/0.008, 0.001)
	// By hand for the sink of the tool's example, L+ is 0.0036823 and 3.44/√L+ = 56.689. √(56.689²
	// + 24²) = 61.560; 61.560/1867.19 · 4 · 6.875 = 0.90666; 0.42·0.36 + 0.36² = 0.2808.
	c := Channel{Air: AirAt(320, 0), Gap: 0.048 / 11, Length: 0.06}
	c.Speed = 1867.19 * c.Air.Viscosity / (c.Air.Density * c.Diameter())
	within(t, "sink", c.LossFactor(0.8), 1.18746, 1e-4)
}

// TestNaturalChannel compares the optimum with the values of Bar-Cohen and Rohsenow at the best
// spacing, Ra' = 2.714⁴ = 54.25 and Nu = 1.31.
func TestNaturalChannel(t *testing.T) {
	a := AirAt(328.15, 0)
	gap := OptimalGap(a, 50, 0.18)
	within(t, "Nu at the optimum", NaturalChannel(a, 50, gap, 0.18)*gap/a.Conductivity,
		1.307, 0.002)
	// The source is Çengel, Heat Transfer, 2nd ed., example 9-3. Its fins of 18 cm at 80 °C in air
	// of 30 °C have an optimal spacing of 7.45 mm.
	within(t, "optimum of Çengel", gap, 7.45e-3, 0.005)
	within(t, "the same with this package's air", gap, 7.47e-3, 0.001)
	// According to Elenbaas, warm air fills a narrow channel, so Nu = Ra'/24.
	ra := a.Rayleigh(50, 0.001) * 0.001 / 0.18
	within(t, "narrow", NaturalChannel(a, 50, 0.001, 0.18)*0.001/a.Conductivity, ra/24, 0.01)
	// At a wide spacing, each wall is a single plate with Nu = 0.59 Ra'^¼ based on the gap.
	ra = a.Rayleigh(50, 0.3) * 0.3 / 0.18
	within(t, "wide", NaturalChannel(a, 50, 0.3, 0.18)*0.3/a.Conductivity, 0.59*math.Pow(ra, 0.25),
		0.01)
	if NaturalChannel(a, 0, 0.01, 0.1) != 0 || HorizontalFins(a, 0, 0.01) != 0 {
		t.Error("heat without a difference of temperature")
	}
}

// TestHorizontalFins compares the correlation of Jones and Smith at a wide spacing with an upward
// plate, Nu = 0.54 Ra^¼. It also compares the value at Ra 1000 with one by hand.
func TestHorizontalFins(t *testing.T) {
	a := AirAt(330, 0)
	ra := a.Rayleigh(40, 0.1)
	within(t, "wide", HorizontalFins(a, 40, 0.1)*0.1/a.Conductivity, 0.54*math.Pow(ra, 0.25), 0.06)
	// By hand, Ra 1000 gives (7460/1000)^0.44 = 2.42136, 1 - e^-2.42136 = 0.911199, 0.911199^1.7 =
	// 0.853785 and 0.853785·0.67 = 0.572036.
	gap := math.Cbrt(1000 / (a.Rayleigh(40, 1)))
	within(t, "Ra 1000", HorizontalFins(a, 40, gap)*gap/a.Conductivity, 0.572036, 1e-4)
}
