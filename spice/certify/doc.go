// Package certify proves statements about the DC equations of a circuit. It proves that an
// operating point exists near a computed one (existence.go). It also proves bounds on an output
// voltage if elements vary within their tolerances (tolerance.go).
//
// The equations are F(x) = A·x + N(x) - b. The resistances, sources and gains are those of the
// netlist. The semiconductor parameters are the values that the simulator has adjusted to
// temperature. Each device bounds its own terms (device.IntervalModel) with the verified arithmetic
// of spice/interval. The floating-point results of the simulator serve only as a guess and an
// approximate inverse, and the proofs hold for any guess.
//
// system.go lists the terms of the equations. preconditioned.go contains the approximate inverse
// and the bounds for the two tests in kantorovich.go and krawczyk.go. vertextree.go computes the
// exact range of linear circuits with up to 16 toleranced resistors, and branchandbound.go bounds
// the range of all other circuits.
//
// References: L. V. Kantorovich, Functional Analysis and Applied Mathematics, 1948; P.
// Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 2.1 (affine covariance);
// R. Krawczyk, Newton-Algorithmen zur Bestimmung von Nullstellen mit Fehlerschranken,
// Computing 4, 1969; A. Neumaier, Interval Methods for Systems of Equations, 1990; S. M.
// Rump, Verification methods, Acta Numerica 19, 2010.
package certify
