// Package compare compares the simulator with ngspice. All its code is in tests.
//
// `make compare-ngspice` runs every analysis card of every netlist in testdata/circuits,
// testdata/compare and examples/netlists with both simulators (compare_test.go). The reference is
// ngspice with tolerances of 1e-6 and a quarter of the largest step of this simulator
// (ngspice_test.go). distance_test.go defines the distance between two results. Every .measure and
// .four of these netlists is compared with the output of ngspice (measures_test.go).
// `make bench-spice` compares run times (bench_test.go), and `make corpus` compares public decks
// outside the repository (corpus_test.go).
//
// A directive in a netlist comment can change the comparison:
//
//	*compare shift=1e-4      edges may be shifted by this fraction of the duration (1e-6 by
//	                         default, because a discontinuity lies between two time points). In
//	                         nonlinear circuits they may always be shifted by 2e-5 of the elapsed
//	                         time, as the error estimate allows
//	*compare period=v(out)   autonomous circuit: align the periods of this vector, compare them
//	                         and all vectors
//	*compare reltol=1e-5     use another reltol for the reference
//	*compare abstol=1e-16    use another abstol for the reference
//	*compare maxord=1        use backward Euler for the reference. The currents of the trapezoidal
//	                         rule ring after a jump, and those of Gear's formulas overshoot
//	*compare step=16         reduce the largest step of the reference by this factor
//	*compare dc=op           use a separate .op per point as the reference of .dc
//	*compare skip=...        do not compare, for the given reason
//
// The examples are published without directives. Their directives are in
// testdata/compare/examples.tsv.
package compare
