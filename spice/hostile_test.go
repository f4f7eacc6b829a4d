package spice

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestHostile runs every netlist of testdata/hostile. The title consists of "want", the expected
// error code, the line number of the error, and words that the message must contain.
func TestHostile(t *testing.T) {
	files, _ := filepath.Glob("testdata/hostile/*.cir")
	if len(files) < 140 {
		t.Fatalf("only %d files in testdata/hostile", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cir"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			title, _, _ := strings.Cut(string(text), "\n")
			f := strings.SplitN(title, " ", 4)
			if len(f) != 4 || f[0] != "want" {
				t.Fatalf("title %q is not: want code line words", title)
			}
			line, _ := strconv.Atoi(f[2])
			_, err = Simulate(context.Background(), Request{Netlist: string(text)})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("no *Error but %v", err)
			}
			if string(e.Code) != f[1] || e.Line != line || !strings.Contains(e.Detail, f[3]) {
				t.Errorf("got  %s %d %s\nwant %s %d ...%s...", e.Code, e.Line, e.Detail,
					f[1], line, f[3])
			}
		})
	}
}

// manyInstances returns n instances of subcircuit s.
func manyInstances(n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString("X" + strconv.Itoa(i) + " a s\n")
	}
	return text.String()
}

// latePatterns returns 100 patterns of .save and nodes that each pattern matches up to its last
// byte, from any byte of the name.
func latePatterns() string {
	var text strings.Builder
	for i := range 140 {
		text.WriteString("Rx" + strconv.Itoa(i) + " " + strings.Repeat("a", 250+i) + " 0 1\n")
	}
	for i := range 100 {
		text.WriteString(".save v(*" + strings.Repeat("a", 100+i) + "?b)\n")
	}
	return text.String()
}

// TestHuge verifies that texts of a quarter of the maximum size are rejected or simulated, and that
// no message repeats the text. The log contains the time of each simulation.
func TestHuge(t *testing.T) {
	const most = 1 << 18
	for _, c := range []struct{ name, text, code string }{
		{"long line", "R1 a 0 " + strings.Repeat("1 ", most/2), "syntax"},
		{"long word", "R1 a 0 " + strings.Repeat("1", most), "syntax"},
		{"long name", "R" + strings.Repeat("x", most) + " a 0 1", "syntax"},
		{"long expression", "R1 a 0 {1" + strings.Repeat("+1", most/2-20) + "}", ""},
		{"long behaviour", "B1 b 0 V='1" + strings.Repeat("+v(a)", most/5-20) + "'",
			"bad_expression"},
		{"deep parentheses", "R1 a 0 {" + strings.Repeat("(", most) + "}", "bad_expression"},
		{"deep functions", "B1 a 0 V={" + strings.Repeat("sin(", most/4-20) + "}",
			"bad_expression"},
		{"deep braces", "R1 a 0 " + strings.Repeat("{", most), "syntax"},
		{"deep signs", "R1 a 0 {" + strings.Repeat("-", most) + "1}", "bad_expression"},
		{"towers of powers", "R1 a 0 {2" + strings.Repeat("**1", most/3-20) + "}", ""},
		{"questions", "R1 a 0 {" + strings.Repeat("1?", most/2-20) + "}", "bad_expression"},
		{"continuations", "R1 a 0 1" + strings.Repeat("\n+", most/2-20), ""},
		{"pwl", "V2 b 0 pwl(0 0" + strings.Repeat(" 1 1", most/4-20) + ")", "syntax"},
		{"many lines", strings.Repeat("R1 a 0 1\n", most/9), "duplicate_element"},
		{"many cards", strings.Repeat(".op\n", most/4-20), ""},
		{"many parameters", strings.Repeat(".param p=1\n", most/11-20), ""},
		{"many models", strings.Repeat(".model m d\n", most/11-20), ""},
		{"many conditions", strings.Repeat(".if (1)\n.endif\n", most/15-20), ""},
		{"deep conditions", strings.Repeat(".if (1)\n", most/8), "syntax"},
		{"conditions of instances", strings.Repeat("X1 a s\n", 100) + ".subckt s a k=1\n" +
			strings.Repeat(".if (k==2)\nR1 a 0 1\n.endif\n", most/28-100) + ".ends",
			"duplicate_element"},
		{"conditions of many instances", manyInstances(150) + ".subckt s a k=1\n" +
			strings.Repeat(".if (k==2)\nR1 a 0 1\n.endif\n", most/28-200) + ".ends",
			"too_many_elements"},
		{"paths of nodes", strings.Repeat("R1 x1:a 0 1\n", most/12), "duplicate_element"},
		{"deep phases", ".ac lin 1 1 1\n.meas ac x find " + strings.Repeat("ph(", most/4) + "v(a)",
			"syntax"},
		{"many currents", ".save " + strings.Repeat("ix(x1:p) ", most/9-20), "syntax"},
		{"patterns", strings.Repeat(".save v(*) i(*)\n", most/16-20), ""},
		{"patterns that fail late", latePatterns(), ""},
		{"comment", strings.Repeat("*", most), ""},
		{"too long", strings.Repeat("*", 1<<20), "netlist_too_long"},
	} {
		began := time.Now()
		_, err := Simulate(context.Background(),
			Request{Netlist: "t\n" + c.text + "\nV1 a 0 1\nR9 a 0 1\n.op\n.end"})
		var e *Error
		errors.As(err, &e)
		code := ""
		if e != nil {
			code = string(e.Code)
			if len(e.Detail) > 2000 {
				t.Errorf("%s: a message of %d bytes", c.name, len(e.Detail))
			}
		}
		t.Logf("%-20s %-18s %v", c.name, code, time.Since(began))
		if code != c.code {
			t.Errorf("%s: %q, want %q: %v", c.name, code, c.code, err)
		}
	}
}
