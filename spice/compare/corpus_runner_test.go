package compare

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/analysis"
)

// TestCorpusRunner verifies the verdicts on four decks in a temporary repository. Two decks agree
// with ngspice, one differs, and one is rejected.
func TestCorpusRunner(t *testing.T) {
	ng := ngspice.Program(t)
	dir := t.TempDir()
	git := func(input string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(dir)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("NOT RUN: git %s: %v: %s", args[0], err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("", "init", "-q", "owner/name")
	dir = filepath.Join(dir, "owner", "name")
	blobs := map[string]string{
		"good.cir":  "low-pass\nV1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 100n\n.control\ntran 1u 3m\nplot v(out)\n.endc\n.end\n",
		"other.cir": "area of Q1\nV1 c 0 3\nI1 0 b 1m\nQ1 c b 0 q 4\n.model q npn(is=1f vaf=10 var=10)\nR1 b 0 1k\nV2 x 0 1\nB1 y 0 V=(0-v(x)*2)^3\nR2 y 0 1\n.op\n.end\n",
		"m.cir":     "nested factors\nV1 a 0 1\nXX a 0 outer M = 10\n.subckt outer a b\nX1 a c inner m=3\nX2 c b inner\n.ends\n.subckt inner a b\nR1 a b 1k\n.ends\n.op\n.end\n",
		"bad.cir":   "no value\nV1 a 0 1\nR1 a 0\n.op\n.end\n",
	}
	tree := ""
	for name, text := range blobs {
		tree += "100644 blob " + git(text, "hash-object", "-w", "--stdin") + "\t" + name + "\n"
	}
	commit := git("", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit-tree",
		git(tree, "mktree"), "-m", "decks")
	for _, c := range []struct {
		path, refusal string
		compared      bool
		problem       string // part of the problem text; "" if there is no problem
	}{
		{"good.cir", "", true, ""},
		{"other.cir", "", true, "off at v(y)"},
		{"m.cir", "", true, ""},
		{"bad.cir", "missing_value", false, ""},
	} {
		d := &deck{Repository: "owner/name", Commit: commit, Path: c.path, Expect: "runs"}
		source, err := d.read(filepath.Dir(filepath.Dir(dir)))
		if err != nil || source != blobs[c.path] {
			t.Fatalf("%s: read %q, %v", c.path, source, err)
		}
		v := (&runner{ngspice: ng}).judge(d, source)
		if v.refusal != c.refusal || v.compared != c.compared || c.problem == "" &&
			v.problem != "" || !strings.Contains(v.problem, c.problem) {
			t.Errorf("%s: %+v", c.path, *v)
		}
	}
}

// TestDrawn verifies that a vector is omitted if the points of a result, joined by straight lines,
// do not reproduce it within half the limit.
func TestDrawn(t *testing.T) {
	r := &spice.Result{AnalysisResult: spice.AnalysisResult{Vectors: []spice.Vector{{Name: "time"},
		{Name: "v(a)"}, {Name: "v(b)"}, {Name: "v(c)"}, {Name: "v(d)"}},
		Decimated: []spice.Decimated{{Vector: "v(b)", Bound: 2e-3}, {Vector: "v(c)", Bound: 6e-3},
			{Vector: "v(d)", Extremes: true}}}}
	kept, undrawn := drawn(r)
	names := ""
	for _, v := range kept.Vectors {
		names += v.Name + " "
	}
	if names != "time v(a) v(b) " || strings.Join(undrawn, " ") != "v(c) v(d)" {
		t.Errorf("kept %s, left out %s", names, undrawn)
	}
}

// TestEndedByBudget verifies that endedByBudget recognizes the warnings of package analysis.
func TestEndedByBudget(t *testing.T) {
	const deck = "t\nV1 a 0 SIN(0 1 1k)\nR1 a b 1k\nD1 b 0 d\nC1 b 0 1u\n.model d d\n.tran 1u 100m\n.end\n"
	for budget, want := range map[int]bool{2_000_000: false, 2_000: true} {
		b := analysis.DefaultBudget()
		b.Newton = budget
		r, err := spice.Simulate(context.Background(), spice.Request{Netlist: deck, Budget: &b})
		if err != nil {
			t.Fatal(err)
		}
		if endedByBudget(r) != want {
			t.Errorf("budget of %d iterations: %v, warnings %q", budget, !want, r.Warnings)
		}
	}
}

// TestCorpusDistance verifies that only common points are compared. ngspice may lack the end of a
// sweep, and a run of this simulator may end at its budget.
func TestCorpusDistance(t *testing.T) {
	vectors := func(sweep string, x, v []float64) ([]spice.Vector, []ngspice.Vector) {
		return []spice.Vector{{Name: sweep, Values: x}, {Name: "v(a)", Values: v}},
			[]ngspice.Vector{{Name: sweep, Real: x}, {Name: "v(a)", Real: v}}
	}
	how := directives{window: window{shift: 1e-6}}
	for _, c := range []struct {
		name, analysis   string
		x, v, wantX, was []float64
		agrees           bool
	}{
		{"last point", "dc", []float64{0, 1, 2, 3}, []float64{0, 1, 4, 9}, []float64{0, 1, 2},
			[]float64{0, 1, 4}, true},
		{"last points of two sweeps", "dc", []float64{0, 1, 2, 0, 1, 2},
			[]float64{0, 1, 4, 5, 6, 7}, []float64{0, 1, 0, 1}, []float64{0, 1, 5, 6}, true},
		{"another value", "dc", []float64{0, 1, 2, 3}, []float64{0, 1, 4, 9}, []float64{0, 1, 2},
			[]float64{0, 2, 4}, false},
		{"most points missing", "dc", []float64{0, 1, 2, 3}, []float64{0, 1, 4, 9}, []float64{0},
			[]float64{0}, false},
		{"ended early", "tran", []float64{0, 1, 2, 3}, []float64{0, 1, 2, 3},
			[]float64{0, 0.1, 0.2, 1, 2, 3, 4}, []float64{0, 0.1, 0.2, 1, 2, 3, 7}, true},
		{"wrong at the end", "tran", []float64{0, 1, 2, 3}, []float64{0, 1, 2, 3},
			[]float64{0, 0.1, 0.2, 1, 2, 3}, []float64{0, 0.1, 0.2, 1, 2, 4}, false},
	} {
		ours, _ := vectors("time", c.x, c.v)
		_, theirs := vectors("time", c.wantX, c.was)
		off, _, err := corpusDistance(
			&spice.Result{AnalysisResult: spice.AnalysisResult{Analysis: c.analysis,
				Vectors: ours}}, theirs, how)
		if agrees := err == nil && off <= limits[c.analysis]; agrees != c.agrees {
			t.Errorf("%s: %g, %v", c.name, off, err)
		}
	}
}

// TestCorpusTime verifies that a run of either simulator ends at its limit of processor time. A
// crash of ngspice is reported differently.
func TestCorpusTime(t *testing.T) {
	const deck = "t\nV1 a 0 SIN(0 1 1meg)\nR1 a b 1k\nD1 b 0 d\nC1 b 0 1n\n.model d d\n" +
		".tran 1u 100m\n.end\n"
	r := &runner{}
	if _, err := r.simulate(deck, 1, 20*time.Millisecond); !errors.Is(err, errCorpusTime) {
		t.Errorf("a long run here ends with %v", err)
	}
	for script, want := range map[string]string{
		"kill -SEGV $$":            missingReferences[1],
		"while :; do :; done":      missingReferences[0],
		"echo Error: no; exit 1":   missingReferences[3],
		"echo run aborted; exit 0": missingReferences[3],
	} {
		program := filepath.Join(t.TempDir(), "ngspice")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := ngspice.SimulateWith(time.Second, program, "", deck)
		if got := kindOfMissing(err); err == nil || got != want {
			t.Errorf("%s: %v is of the kind %q", script, err, got)
		}
	}
}
