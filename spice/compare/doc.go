// Package compare compares the simulator with ngspice; all code is in tests.
//
// `make compare-ngspice` runs every netlist of testdata/circuits, testdata/compare and
// examples/netlists with every analysis card in it through both (compare_test.go), with
// ngspice at tolerances of 1e-6 and a quarter of our largest step as the reference
// (ngspice_test.go). distance_test.go defines the distance of two results. Every .measure and .four
// of these netlists is compared with the output of ngspice (measures_test.go). `make bench-spice`
// compares run times (bench_test.go), `make corpus` public decks outside of the repository
// (corpus_test.go).
//
// A comment of a netlist can change its comparison:
//
//	*compare shift=1e-4      edges may be early or late by this part of the duration (1e-6
//	                         by default: a discontinuity lies between two time points)
//	*compare period=v(out)   autonomous: compare period, highest and lowest value
//	*compare reltol=1e-5     reference at another tolerance
//	*compare abstol=1e-16    the same for currents
//	*compare step=16         reference with a largest step smaller by this factor
//	*compare dc=op           reference of .dc by a .op of its own for each point
//	*compare skip=...        not compared, with the reason
//
// The examples are published without directives; testdata/compare/examples.tsv has them.
package compare
