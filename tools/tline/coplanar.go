package tline

import "math"

// Coplanar is a strip with lateral ground and a ground plane below. Lengths are in units of the
// substrate height.
type Coplanar struct {
	Er  float64
	Gap float64 // gap between the strip and the lateral ground
}

// EdgeDrop returns the relative decrease of the impedance by plate capacitors between the edges of
// a strip of width u and those of the lateral ground. Their thickness t is in units of the height.
// Without the fringing above the edges, it is a lower bound: field solutions give 1.1 to 1.4 times
// as much for a thickness of 0.18 to 0.7 gaps.
func (l Coplanar) EdgeDrop(u, t float64) float64 {
	z, e := l.At(u)
	thick, _ := withCapacitance(z, e, 2*t/l.Gap)
	return 1 - thick/z
}

// At returns the impedance [Ω] and the effective permittivity of a strip of width u and zero
// thickness. It uses the conductor-backed line of G. Ghione, C. Naldi, Coplanar Waveguides for MMIC
// Applications, IEEE Trans. MTT-35 (1987) 260-267. The field in the gaps is assumed to be parallel
// to the surface.
func (l Coplanar) At(u float64) (z0, erEff float64) {
	a, b := u/2, u/2+l.Gap
	air := ellipticRatio(a/b, math.Sqrt((b-a)*(b+a))/b)
	x, y := math.Pi/2*a, min(math.Pi/2*b, farAway)
	k := math.Tanh(x) / math.Tanh(y)
	backed := ellipticRatio(k, math.Sqrt(math.Sinh(y-x)*math.Sinh(y+x))/(math.Cosh(x)*math.Sinh(y)))
	erEff = (air + l.Er*backed) / (air + backed)
	return eta0 / 2 / math.Sqrt(erEff) / (air + backed), erEff
}
