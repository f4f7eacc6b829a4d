// Package certify proves statements about the DC equations of a circuit: that an operating
// point exists near a computed one (existence.go), and between which bounds an output
// voltage stays when elements vary within their tolerances (tolerance.go).
//
// The equations are F(x) = A·x + N(x) - b with the resistances, sources and gains as they were
// parsed and the semiconductor parameters as the simulator has adjusted them to temperature. Each
// device bounds its own terms (device.IntervalModel) with the verified arithmetic of
// spice/interval. The floating-point results of the simulator are only a guess and an approximate
// inverse; the proofs hold for any guess.
//
// system.go lists the terms of the equations. preconditioned.go has the approximate inverse and the
// bounds that both tests use, kantorovich.go and krawczyk.go are the tests. vertextree.go computes
// the exact range of linear circuits with up to 16 toleranced resistors, branchandbound.go the
// range of all others.
//
// Sources: L. V. Kantorovich, Functional Analysis and Applied Mathematics, 1948; P.
// Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 2.1 (affine covariance);
// R. Krawczyk, Newton-Algorithmen zur Bestimmung von Nullstellen mit Fehlerschranken,
// Computing 4, 1969; A. Neumaier, Interval Methods for Systems of Equations, 1990; S. M.
// Rump, Verification methods, Acta Numerica 19, 2010.
package certify
