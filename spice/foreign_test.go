package spice

import "testing"

// TestParametersOfSources verifies name=value after the expression of a source. The values are
// those of ngspice 39 and of the formulas.
func TestParametersOfSources(t *testing.T) {
	const supply = "t\nV1 b 0 2\nRB b 0 1k\n"
	const load = "RW w 0 1k\n.op\n.end"
	for name, c := range map[string]dialectCase{
		"m of value=": {supply + "G1 0 w value={V(b)*1m} m=3\n" + load, "v(w)", 0, 6, ""},
		"m of value":  {supply + "G1 0 w VALUE {V(b)*1m} m={1+2}\n" + load, "v(w)", 0, 6, ""},
		"m of cur=":   {supply + "G1 0 w cur='V(b)*1m' M=3\n" + load, "v(w)", 0, 6, ""},
		"m of a subcircuit": {supply + "X1 w b s m=3\n.subckt s w b m=1\n" +
			"G1 0 w value={V(b)*1m} m={m}\n.ends\n" + load, "v(w)", 0, 6, ""},
		"m of a voltage": {supply + "E1 w 0 value={V(b)} m=3\n" + load, "v(w)", 0, 2,
			"E1: m= is ignored, because voltage sources in parallel have the voltage of one"},
		"unknown parameter": {supply + "E1 w 0 value={V(b)} foo=3\n" + load, "v(w)", 0, 2,
			"E1: parameter foo is unknown and ignored"},
		"tc1 of value=": {supply + "G1 0 w value={V(b)*1m} tc1=0.01\n.temp 127\n" + load, "v(w)", 0,
			4, "tc1 and tc2 count from 27"},
		"m of poly":  {supply + "G1 0 w POLY(1) b 0 0 1m m=3\n" + load, "v(w)", 0, 6, ""},
		"m of table": {supply + "G1 0 w TABLE {V(b)} = (0,0) (4,4m) m=3\n" + load, "v(w)", 0, 6, ""},
		"m of table=": {supply + "G1 0 w b 0 table=(0,0,4,4m) m=3\n" + load, "v(w)", 0,
			6, ""},
		"m of laplace": {supply + "G1 0 w LAPLACE {V(b)} {1m/(1+s)} m=3\n" + load, "v(w)", 0, 6, ""},
		"m of laplace=": {supply + "G1 0 w b 0 laplace=1m/(1+s) m=3\n" + load, "v(w)", 0, 6,
			""},
		"m of F":    {supply + "F1 0 w POLY(1) V1 0 -1 m=3\n" + load, "v(w)", 0, 6, ""},
		"m of B":    {supply + "B1 0 w I=V(b)*1m m=3\n" + load, "v(w)", 0, 6, ""},
		"m of I":    {supply + "I1 0 w I=V(b)*1m m=3\n" + load, "v(w)", 0, 6, "read as a source B"},
		"m of amps": {supply + "B1 0 w I=2A m=3\n" + load, "v(w)", 0, 6000, "2A is read as amperes"},
		// 1/sqrt(2) at the corner of the low-pass filter.
		"laplace of B": {"t\nV1 a 0 AC 1\nR1 a 0 1k\nB1 x 0 V=V(a) laplace=1/(1+s/6283.185307)\n" +
			"R2 x 0 1k\n.ac lin 1 1k 1k\n.end", "v(x)_mag", 0, 0.70710678, ""},
		"laplace of B with I=": {"t\nV1 a 0 AC 1\nR1 a 0 1k\n" +
			"B1 0 x I=V(a)*1m laplace=1/(1+s/6283.185307)\nR2 x 0 1k\n.ac lin 1 1k 1k\n.end",
			"v(x)_mag", 0, 0.70710678, ""},
	} {
		c.check(t, name)
	}
}
