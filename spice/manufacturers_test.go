package spice

import (
	"context"
	"errors"
	"math"
	"testing"
)

// TestContinuedExpressions verifies expressions without braces that continue on + lines.
func TestContinuedExpressions(t *testing.T) {
	const p = "t\nV1 a 0 2 AC 1\nR1 b 0 1k\n"
	for name, c := range map[string]dialectCase{
		"comma before the line end": {p + "B1 0 b I=if(v(a)>0,\n+ 1m*v(a), -2m)\n.op\n.end",
			"v(b)", 0, 2, ""},
		"comma after the +": {p + "B1 0 b I=if(v(a)>0\n+, 1m*v(a), -2m)\n.op\n.end", "v(b)", 0, 2, ""},
		"sign after the +":  {p + "B1 b 0 V=min(5,\n+ -2,3)\n.op\n.end", "v(b)", 0, -2, ""},
		".param": {p + ".param x=min(5,\n+ -2,3) y=2\nV2 b 0 {x*y}\n.op\n.end", "v(b)", 0, -4,
			""},
		"parenthesis of .param": {p + ".param x=(1+\n+ 2) y=3\nV2 b 0 {x*y}\n.op\n.end", "v(b)", 0,
			9, ""},
		"commas between parameters": {p + ".param x=2,\n+ y=3\n+, z=4\nV2 b 0 {x*y*z}\n.op\n.end",
			"v(b)", 0, 24, ""},
		"= after the +": {p + ".param x\n+ = 5\nV2 b 0 {x}\n.op\n.end", "v(b)", 0, 5, ""},
		"parameter behind the expression": {p + ".param k=4m\n" +
			"B1 0 b I=IF(V(a) >\n+ 1,{k},0) Rpar=1k Cpar=1n\n.op\n.end", "v(b)", 0, 2, ""},
		"value=": {p + "E1 b 0 value=max(1,\n+3)\n.op\n.end", "v(b)", 0, 3, ""},
		"table":  {p + "B1 b 0 V=table(v(a),0,0,\n+ 1,1,\n+ 4 , 7)\n.op\n.end", "v(b)", 0, 3, ""},
		"limit":  {p + "B1 b 0 V=limit(v(a),\n+ -1,\n+ 1)\n.op\n.end", "v(b)", 0, 1, ""},
		"charge": {p + "R2 a c 1k\nC1 c 0 q=max(0.5,\n+1)*1u*x\n.ac lin 1 {500/pi} 1k\n.end",
			"v(c)_mag", 0, math.Sqrt(0.5), ""},
		"nojacob": {p + "B1 0 b I=1m*(v(a)+\n+ 1) NoJacob\n.op\n.end", "v(b)", 0, 3,
			"B1: nojacob of LTspice is ignored"},
		".ends with a comment": {p + "X1 b s\n.subckt s p\nI1 0 p 1m\n.ENDS* S\n.op\n.end", "v(b)", 0,
			1, ""},
	} {
		c.check(t, name)
	}
	for text, line := range map[string]int{
		".param x=2,\n+ y=\n+z=1":            5,
		".param x=2\n+ y=(1+\n+ 1) z=1+":     6,
		".param\n+ x=2\n+ y=1+":              6,
		"B1 b 0 V=v(a)+\n+ 1\n+ Rpar=absent": 6,
		"B1 b 0 V=v(a)+\n+ absent\n+ Rpar=1": 4,
		".param\n+\n+ 2x":                    6,
	} {
		_, err := Simulate(context.Background(), Request{Netlist: p + text + "\n.op\n.end"})
		var e *Error
		if !errors.As(err, &e) || e.Line != line {
			t.Errorf("%q: %v, want an error in line %d", text, err, line)
		}
	}
}
