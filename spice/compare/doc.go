// Package compare holds the simulator against ngspice; all of it is in its tests.
//
// `make compare-ngspice` runs every netlist of testdata/circuits, testdata/compare and
// examples/netlists with every analysis card in it through both (compare_test.go), with
// ngspice at tolerances of 1e-6 and a quarter of our largest step as the reference
// (ngspice_test.go, raw_test.go). What counts as the distance of two results is in
// distance_test.go. Every .measure and .four of these netlists is compared with what ngspice
// prints for it (measures_test.go). `make bench-spice` compares the time both take (bench_test.go).
// `make corpus` does so with public decks that are not part of the repository (corpus_test.go).
//
// A netlist can say in a comment how it wants to be compared:
//
//	*compare shift=1e-4      edges may be early or late by this part of the duration (1e-6
//	                         unless given: a jump is drawn between two time points)
//	*compare period=v(out)   autonomous: compare period, highest and lowest value
//	*compare reltol=1e-5     reference at another tolerance
//	*compare abstol=1e-16    the same for currents
//	*compare step=16         reference with a largest step smaller by this factor
//	*compare dc=op           reference of .dc by a .op of its own for each point
//	*compare skip=...        not compared, and why
//
// The examples are published, so theirs stand in testdata/compare/examples.tsv instead.
package compare
