// Package spice is a circuit simulator. It reads a SPICE netlist, runs its analyses and returns the
// results as columns of numbers.
//
// The phases of a simulation are in these packages:
//
//   - spice/netlist joins lines, expands subcircuits and evaluates expressions
//     (lex.go, parse.go, flatten.go, cards.go). It is independent of the simulation.
//   - spice/mna solves the sparse equations. It searches for a pivot order once per circuit and
//     then reuses it in preallocated arrays (symbolic.go, real.go, complex.go).
//   - spice/device implements the elements: one file per element with its equations, derivatives
//     and charges.
//   - spice/analysis implements the analyses, one file each, with a common Newton iteration
//     (newton.go). The operating point tries Newton's method, gmin stepping, source stepping and
//     pseudo-transient analysis, from the cheapest to the most robust. Each ends with the
//     unmodified circuit (op.go). The transient runs repeatedly with different tolerances, or
//     propagates its error, to estimate the error of the result (refine.go, variation.go).
//   - spice/measure evaluates .measure, .four and .fft at every accepted point of the analysis,
//     before the result is decimated.
//   - spice/library provides the parts that a netlist may use by name, as netlist text generated
//     from data-sheet values.
//   - spice/certify proves that an operating point exists, and bounds an output over element
//     tolerances, with the verified arithmetic of spice/interval (certificates.go).
//   - spice/diag defines the errors of a request.
//
// Apart from spice/diag and spice/interval, a package imports only packages above it in this list.
// There is no shared state, so simulations are deterministic and may run concurrently.
package spice
