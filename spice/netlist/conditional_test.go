package netlist

import (
	"strings"
	"testing"
)

// elementValues returns the names and first numbers of the elements, such as "r1=2".
func elementValues(c *Circuit) string {
	var out []string
	for _, e := range c.Elements {
		text := e.Name
		if len(e.Args) > 0 && e.Args[0].IsNumber {
			text += "=" + formatNumber(e.Args[0].Value)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// TestConditions verifies which lines of .if blocks are in effect.
func TestConditions(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		// The first example of the ngspice manual, section 2.13.
		{"ngspice manual", ".param ok=0 ok2=1\n.if (ok && ok2)\nR1 a 0 2\n.else\nR1 a 0 0.5\n.endif",
			"r1=0.5"},
		{"elseif", ".param m=2\n.if(m==1)\nR1 a 0 1\n.elseif(m==2)\nR1 a 0 2\n.elseif m>0\n" +
			"R1 a 0 3\n.else\nR1 a 0 4\n.endif", "r1=2"},
		{"else if", ".param m=2\n.if (m==1)\nR1 a 0 1\n.else if (m==3)\nR1 a 0 2\n.else\nR1 a 0 4\n" +
			".endif", "r1=4"},
		{"parameter below", ".IF {m}\nR1 a 0 1\n.ELSE\nR1 a 0 2\n.ENDIF\n.param m=0", "r1=2"},
		{"no branch", ".if 0\nR1 a 0 1\n.endif\nR2 a 0 5", "r2=5"},
		{"nested", ".param x=1 y=0\n.if (x)\n.if (y)\nR1 a 0 1\n.else\nR1 a 0 2\n.endif\n.else\n" +
			".if (undefined)\nR1 a 0 3\n.endif\n.endif", "r1=2"},
		{"parameters in a branch", ".param x=1\n.if (x)\n.param r=7\n.else\n.param r=8\n.endif\n" +
			".if (r==7)\nR1 a 0 {r}\n.endif", "r1=7"},
		{"subcircuits in a branch", ".param x=0\n.if (x)\n.subckt s a\nR1 a 0 1\n.ends\n.else\n" +
			".subckt s a\nR1 a 0 2\n.ends\n.endif\nX1 a s", "r.x1.r1=2"},
		{"condition on an instance", "X1 a s k=1\nX2 a s\nX3 a s k=1\n.subckt s a params: k=0\n" +
			".param r={k+1}\n.if (k==1)\n.param d=10\nR1 a 0 {r*d}\n.else\nR2 a 0 {r}\n.endif\n.ends",
			"r.x1.r1=20 r.x2.r2=1 r.x3.r1=20"},
		{"condition in a nested subcircuit", "X1 a s\n.subckt s a\nX1 a u q=3\nX2 a u\n" +
			".subckt u a q=1\n.if (q>2)\nR1 a 0 {q}\n.else\nC1 a 0 {q}\n.endif\n.ends\n.ends",
			"r.x1.x1.r1=3 c.x1.x2.c1=1"},
		{"model in a branch", ".param x=1\n.if (x)\n.model m d(is=2)\n.else\n.model m d(is=3)\n" +
			".endif\nD1 a 0 m", "d1"},
		{"function in a branch", ".param x=0\n.if (x)\n.func f(y) {y}\n.else\n.func f(y) {2*y}\n" +
			".endif\nR1 a 0 {f(4)}", "r1=8"},
		{"step", ".step param x list 1 0\n.param x=0\n.if (x==1)\nR1 a 0 5\n.else\nR1 a 0 6\n.endif",
			"r1=5"},
	} {
		ckt, err := Parse("t\nV1 a 0 1\n"+c.text+"\n.op\n.end", Config{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := strings.TrimPrefix(elementValues(ckt), "v1=1 ")
		if c.name == "subcircuits in a branch" || len(ckt.Warnings) == 0 {
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			continue
		}
		t.Errorf("%s: warnings %q", c.name, ckt.Warnings)
	}
	ckt, err := Parse("t\nV1 a 0 1\n.step param x list 1 0\n.param x=0\n.if (x==1)\nR1 a 0 5\n"+
		".else\nR1 a 0 6\n.endif\n.op\n.end", Config{Steps: []int{1}})
	if err != nil || elementValues(ckt) != "v1=1 r1=6" {
		t.Errorf("second step: %v", err)
	}
}

// TestConditionErrors verifies the lines and the wording of errors of .if blocks.
func TestConditionErrors(t *testing.T) {
	for text, want := range map[string]string{
		".if (1)\nR1 a 0 1":                   "line 3: .if is not closed by .endif",
		".else":                               "line 3: .else has no .if above it",
		".endif":                              "line 3: .endif has no .if above it",
		".if (1)\n.else\n.elseif (1)\n.endif": "line 5: .elseif follows the .else of the .if of line 3",
		".if\n.endif":                         "line 3: .if needs a condition: .if (mode == 1)",
		".param x=1\n.if (x=1)\n.endif":       `line 4: .if: = does not compare in "(x=1)"; write ==`,
		".if (z)\n.endif":                     "line 3: parameter z is not defined; add .param z=...",
		"X1 a s\n.subckt s a\n.if (1)\nR1 a 0 1\n.ends":                   "line 5: .if is not closed by .endif before the .ends of line 7",
		strings.Repeat(".if (1)\n", 51):                                   "line 53: .if blocks are nested more than 50 deep",
		"X1 a s\n.subckt s a k=1\n.if (j)\n.endif\n.ends":                 "line 5: parameter j is not defined; add .param j=...",
		"X1 a s\n.subckt s a k=1\n.if (k)\nX2 a s k={k-1}\n.endif\n.ends": "line 6: subcircuit s contains itself",
	} {
		if _, err := Parse("t\nV1 a 0 1\n"+text+"\n.op\n.end", Config{}); err == nil ||
			err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
