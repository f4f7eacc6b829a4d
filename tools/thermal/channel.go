package thermal

import "math"

// Reynolds numbers, based on the hydraulic diameter, between which flow changes from laminar to
// turbulent (Gnielinski 2013).
const (
	LaminarLimit   = 2300.0
	TurbulentLimit = 4000.0
)

// DevelopingNusselt returns the mean Nusselt number over the length L of a channel between
// isothermal parallel plates. The flow is laminar, and velocity and temperature profiles develop
// simultaneously from the inlet (Stephan's equation). x is L/(Dh Re Pr), where Dh is twice the
// distance between the plates.
func DevelopingNusselt(x, prandtl float64) float64 {
	return 7.55 + 0.024*math.Pow(x, -1.14)/(1+0.0358*math.Pow(prandtl, 0.17)*math.Pow(x, -0.64))
}

// petukhov returns the Darcy friction factor of smooth walls.
func petukhov(re float64) float64 {
	root := 0.79*math.Log(re) - 1.64
	return 1 / (root * root)
}

// GnielinskiNusselt returns the mean Nusselt number of turbulent flow over the length L of a
// channel. It includes the entrance factor 1 + (Dh/L)^(2/3) of the original equation (1976).
func GnielinskiNusselt(re, prandtl, diameterOverLength float64) float64 {
	f := petukhov(re) / 8
	nu := f * (re - 1000) * prandtl / (1 + 12.7*math.Sqrt(f)*(math.Pow(prandtl, 2.0/3)-1))
	return nu * (1 + math.Pow(diameterOverLength, 2.0/3))
}

// Channel is the air flow between two parallel plates.
type Channel struct {
	Air    Air     // air at the film temperature
	Gap    float64 // distance between the plates [m]
	Length float64 // length along the flow [m]
	Speed  float64 // mean speed at the density of the incoming air [m/s]
}

// Diameter returns the hydraulic diameter, twice the gap [m].
func (c Channel) Diameter() float64 { return 2 * c.Gap }

// Reynolds returns the Reynolds number ρuDh/µ with all properties at the film temperature.
func (c Channel) Reynolds() float64 { return c.Air.Reynolds(c.Speed, c.Diameter()) }

// across returns a quantity at a Reynolds number from its laminar and turbulent correlations.
//
// Between the limits it interpolates linearly from the laminar value at the lower limit to the
// turbulent value at the upper limit. V. Gnielinski uses this for the Nusselt number (On heat
// transfer in tubes, Int. J. Heat Mass Transfer 63 (2013) 134-140). In a channel that is short
// relative to its width, the boundary layers do not meet and remain laminar beyond the lower limit.
// Their correlation then exceeds the turbulent one, which applies to fully developed flow, and the
// larger value is used. The Nusselt number of air in short tubes follows the square root of the
// Reynolds number through the transition (Obot and Esen, Int. Comm. Heat Mass Transfer 19 (1992)
// 299-310). The result is continuous. It increases with re if both correlations do.
func across(re float64, laminar, turbulent func(re float64) float64) float64 {
	if re <= LaminarLimit {
		return laminar(re)
	}
	if re >= TurbulentLimit {
		return max(laminar(re), turbulent(re))
	}
	w := (re - LaminarLimit) / (TurbulentLimit - LaminarLimit)
	return max(laminar(re), (1-w)*laminar(LaminarLimit)+w*turbulent(TurbulentLimit))
}

// meanNusselt returns the mean Nusselt number over the first y metres.
func (c Channel) meanNusselt(y float64) float64 {
	dh, pr := c.Diameter(), c.Air.Prandtl
	return across(c.Reynolds(),
		func(re float64) float64 { return DevelopingNusselt(y/(dh*re*pr), pr) },
		func(re float64) float64 { return GnielinskiNusselt(re, pr, dh/y) })
}

// Film returns the mean film coefficient of the walls over the complete length.
func (c Channel) Film() float64 {
	return c.meanNusselt(c.Length) * c.Air.Conductivity / c.Diameter()
}

// Films returns the mean film coefficients in n equal cells along the flow. It computes them from
// differences of y·Nu(y), so their mean is exactly Film even for a steep entrance region.
func (c Channel) Films(n int) []float64 {
	h := make([]float64, n)
	dy := c.Length / float64(n)
	before := 0.0
	for j := range h {
		y := dy * float64(j+1)
		now := y * c.meanNusselt(y)
		h[j] = (now - before) / dy * c.Air.Conductivity / c.Diameter()
		before = now
	}
	return h
}

// LossFactor returns the pressure drop in velocity heads ρu²/2. It includes developing friction and
// the losses at inlet and outlet. open is the ratio of the frontal area between the fins to the
// total frontal area.
func (c Channel) LossFactor(open float64) float64 {
	dh := c.Diameter()
	friction := across(c.Reynolds(), // Fanning
		func(re float64) float64 {
			root := 3.44 / math.Sqrt(c.Length/(dh*re))
			return math.Sqrt(root*root+24*24) / re
		},
		func(re float64) float64 { return petukhov(re) / 4 })
	contraction := 0.42 * (1 - open*open)
	expansion := (1 - open*open) * (1 - open*open)
	return 4*friction*c.Length/dh + contraction + expansion
}

// NaturalChannel returns the film coefficient of the walls of a vertical channel that is open at
// both ends (Bar-Cohen and Rohsenow 1984). The walls are symmetric and isothermal, and the
// reference is the temperature of the air below the channel.
func NaturalChannel(a Air, dT, gap, length float64) float64 {
	elenbaas := a.Rayleigh(dT, gap) * gap / length
	if elenbaas == 0 {
		return 0
	}
	nu := 1 / math.Sqrt(576/(elenbaas*elenbaas)+2.873/math.Sqrt(elenbaas))
	return nu * a.Conductivity / gap
}

// HorizontalFins returns the film coefficient of upright fins on a horizontal base (Jones and Smith
// 1970).
func HorizontalFins(a Air, dT, gap float64) float64 {
	ra := a.Rayleigh(dT, gap)
	if ra == 0 {
		return 0
	}
	nu := 6.7e-4 * ra * math.Pow(-math.Expm1(-math.Pow(7460/ra, 0.44)), 1.7)
	return nu * a.Conductivity / gap
}

// OptimalGap returns the spacing of isothermal vertical fins with the highest heat flow per volume.
// It is 2.714 L/Ra^(1/4) with Ra based on the length (Bar-Cohen and Rohsenow 1984).
func OptimalGap(a Air, dT, length float64) float64 {
	return 2.714 * length / math.Pow(a.Rayleigh(dT, length), 0.25)
}
