// Package spice is a circuit simulator: it reads a SPICE netlist, runs its analyses and returns the
// results as columns of numbers.
//
// The phases and their packages:
//
//   - spice/netlist joins lines, expands subcircuits and evaluates expressions
//     (lex.go, parse.go, flatten.go, cards.go). It knows nothing of simulation.
//   - spice/device binds every flattened element to its physics: one file per element, with its
//     equations, derivatives and charges.
//   - spice/mna solves the sparse equations: one pivot search per circuit, then the same
//     order in preallocated arrays (symbolic.go, real.go, complex.go).
//   - spice/analysis runs the analyses, one file each, with one Newton iteration (newton.go). The
//     operating point tries Newton's method, gmin stepping, source stepping and
//     pseudo-transient, from cheap to robust, and always ends with the unmodified circuit
//     (op.go). The transient runs at least twice, with different tolerances, to estimate its
//     own error (refine.go).
//   - spice/measure evaluates .measure and .four on every accepted point of the analysis,
//     before the result is thinned.
//   - spice/library has the parts that a netlist may use by name, as netlist text made from the
//     values of their data sheets.
//   - spice/certify proves that an operating point exists, and bounds an output over element
//     tolerances, with the verified arithmetic of spice/interval (certificates.go).
//   - spice/diag names every error of a request.
//
// Imports point down this list only. There is no shared state: simulations are deterministic and
// may run concurrently.
package spice
