// Package spice is a circuit simulator: it reads a SPICE netlist, runs one analysis of it
// and gives the results as columns of numbers.
//
// The phases, each with its room:
//
//   - spice/netlist joins lines, expands subcircuits and evaluates expressions
//     (lex.go, parse.go, flatten.go, cards.go). It knows nothing of simulation.
//   - spice/device binds every flattened element to its physics: one file an element,
//     with its equations, derivatives and charges.
//   - spice/mna solves the sparse equations: one pivot search per circuit, then the same
//     order in preallocated arrays (symbolic.go, real.go, complex.go).
//   - spice/analysis runs the analyses, one file each, over one Newton
//     iteration (newton.go). The operating point tries plain Newton, gmin stepping, source
//     stepping and pseudo-transient, from cheap to robust, and always ends with the
//     unmodified circuit (op.go). The transient runs twice, with
//     different tolerances, to know its own error (tran.go, phase.go).
//   - spice/measure evaluates .measure and .four on every accepted point of the analysis,
//     before the result is thinned.
//   - spice/library holds the parts a netlist may use by name, as netlist text made from the
//     figures of their data sheets.
//   - spice/certify proves that an operating point exists, and between which bounds an
//     output stays over element tolerances, with the verified arithmetic of spice/interval
//     (certificates.go asks for it).
//   - spice/diag names every fault a request can have.
//
// Arrows point down this list only. There is no shared state: simulations are
// deterministic and may run side by side.
package spice
