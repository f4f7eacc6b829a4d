package spice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/diag"
)

const lowPass = "low-pass\nV1 in 0 dc 2 ac 1 pulse(0 1 0 1n 1n 1)\nR1 in out 1k noiseless\nC1 out 0 100n\n"

// TestSeveralAnalyses verifies that every card of a netlist has its own result, with the values
// computed by hand.
func TestSeveralAnalyses(t *testing.T) {
	text := lowPass + ".op\n.tran 1u 1m\n.ac lin 1 1591.5494309189535 1591.5494309189535\n.noise v(out) V1 lin 1 10 10\n" +
		".tf v(out) V1\n.tran 1u 0.1m\n.meas tran last find v(out) at=0.1m\n.meas ac gain max v(out)\n.four 10k v(out)\n.end"
	r, err := Simulate(context.Background(), Request{Netlist: text})
	if err != nil {
		t.Fatal(err)
	}
	if r.Analysis != "tran" || r.Card != ".tran 1u 1m" || len(r.Others) != 5 {
		t.Fatalf("%s %q, %d others", r.Analysis, r.Card, len(r.Others))
	}
	for _, w := range r.Warnings {
		if strings.Contains(w, "not run") || strings.Contains(w, "not evaluated") {
			t.Errorf("warning %q", w)
		}
	}
	for k, want := range []string{".op", ".ac lin 1 1591.5494309189535 1591.5494309189535",
		".noise v(out) V1 lin 1 10 10", ".tf v(out) V1", ".tran 1u 0.1m"} {
		if got := r.Others[k]; got.Card != want || "."+got.Analysis != strings.Fields(want)[0] {
			t.Errorf("entry %d: %s, %q, want %q", k, got.Analysis, got.Card, want)
		}
	}
	// The values computed by hand are 2 V at DC, no noise and a DC gain of 1. The gain at 1/(2πRC)
	// is 1/√2, and the step response after the time RC is 1 - exp(-1).
	numbers := func(kind, name string, k int, want float64) {
		t.Helper()
		for _, v := range r.Others[k].Vectors {
			if v.Name == name && math.Abs(v.Values[len(v.Values)-1]-want) <
				1e-3*math.Abs(want)+1e-15 {
				return
			}
		}
		t.Errorf("%s: no %s = %g in %v", kind, name, want, r.Others[k].Vectors)
	}
	numbers("op", "v(out)", 0, 2)
	numbers("ac", "v(out)_mag", 1, math.Sqrt2/2)
	numbers("noise", "onoise_spectrum", 2, 0)
	numbers("tran", "v(out)", 4, 1-math.Exp(-1))
	if f, ok := r.Others[3].Detail.(*analysis.TransferFunction); !ok || math.Abs(f.Gain-1) > 1e-9 {
		t.Errorf(".tf: %v", r.Others[3].Detail)
	}
	if m := r.Others[1].Measures; len(m) != 1 || m[0].Name != "gain" ||
		math.Abs(*m[0].Value-math.Sqrt2/2) > 1e-6 {
		t.Errorf("measures of .ac: %v", m)
	}
	if m := r.Others[4].Measures; len(m) != 1 || math.Abs(*m[0].Value-(1-math.Exp(-1))) > 1e-3 ||
		len(r.Fourier) != 1 || len(r.Others[4].Fourier) != 1 {
		t.Errorf("measures of the second .tran: %v, %v", m, r.Others[4].Fourier)
	}
	alone, err := Simulate(context.Background(), Request{Netlist: text, Analysis: "tran"})
	if err != nil || len(alone.Others) != 0 || !strings.Contains(strings.Join(alone.Warnings, "|"),
		"takes the first card of the kind (line 6); not run: .tran (line 10)") {
		t.Errorf("alone: %v, %q", err, alone.Warnings)
	}
}

// TestAnalysesFail verifies that a failed card does not affect the results of other cards.
func TestAnalysesFail(t *testing.T) {
	r, err := Simulate(context.Background(),
		Request{Netlist: lowPass +
			".ac lin 1 1 1\n.dc V1 0 1 1e-9\n.sens v(none)\n.ac lin 1 1 1\n.op\n.end"})
	if err != nil || len(r.Others) != 3 {
		t.Fatalf("%v %+v", err, r)
	}
	for k, want := range []string{"no result: line 6: .dc", "node none is not in the circuit", ""} {
		got := strings.Join(r.Others[k].Warnings, "|")
		if !strings.Contains(got, want) || (len(r.Others[k].Vectors) > 0) != (want == "") {
			t.Errorf("entry %d: %q, want %q", k, got, want)
		}
	}
	if w := strings.Join(r.Warnings, "|"); !strings.Contains(w,
		"run once, because an earlier card is equal: .ac (line 8)") {
		t.Errorf("warnings %q", w)
	}
	var e *Error
	if _, err := Simulate(context.Background(),
		Request{Netlist: lowPass + ".dc V1 0 1 1e-9\n.op\n.end"}); !errors.As(err, &e) ||
		e.Code != diag.HopelessRequest {
		t.Errorf("the first card fails: %v", err)
	}
}

// TestTooManyNumbers verifies that an analysis whose result would exceed the limit of stored
// numbers is rejected at once. The error names its line, the numbers and a way to need fewer.
func TestTooManyNumbers(t *testing.T) {
	var ladder strings.Builder
	ladder.WriteString("ladder\nV1 n0 0 1 AC 1 portnum 1 z0 50\n")
	for k := range 60 {
		fmt.Fprintf(&ladder, "R%d n%d n%d 1k\nC%d n%d 0 1n\n", k, k, k+1, k, k+1)
	}
	for k := range 3 {
		fmt.Fprintf(&ladder, "V%d n%d 0 0 portnum %d z0 50\n", k+2, 20*(k+1), k+2)
	}
	const points, both = "use fewer points", "use fewer points, or select vectors with .save"
	for _, c := range []struct {
		card    string
		numbers int
		advice  string
	}{
		// 61 nodes, four sources, and a node within each port
		{".ac lin 90000 1 1meg", 90_000 * (2*(61+4) + 1), both},
		{".dc V1 0 90 1m", 90_001 * (61 + 4 + 1), both},
		{".dc temp -50 130 2m", 90_001 * (61 + 4 + 1), both},
		{".noise v(n30) V1 lin 90000 1 1meg 1", 90_000 * (3 + 60 + 4), points},
		{".sens v(n30) ac lin 90000 1 1meg", 4 * 90_000 * (61 + 4 + 4 + 1), points},
		{".sp lin 90000 1 1meg", 90_000 * (1 + 6*4*4), "use fewer points or ports"},
	} {
		_, err := Simulate(context.Background(),
			Request{Netlist: ladder.String() + c.card + "\n.end"})
		kind, _, _ := strings.Cut(c.card, " ")
		want := fmt.Sprintf("%s asks for %d numbers; at most 5000000 are stored: %s", kind,
			c.numbers, c.advice)
		var e *Error
		if !errors.As(err, &e) || e.Code != diag.HopelessRequest || e.Line != 126 ||
			!strings.HasSuffix(e.Detail, want) {
			t.Errorf("%s: %v, want line 126: %s", c.card, err, want)
		}
	}
}

// TestAnalysesShareBudget verifies that the limits apply to all cards together. A warning names the
// cards that were not run.
func TestAnalysesShareBudget(t *testing.T) {
	var many strings.Builder
	for f := range 30 {
		many.WriteString(".ac lin 3 1 " + strings.Repeat("1", f%6+1) + "." + strings.Repeat("2",
			f/6+1) + "\n")
	}
	for name, c := range map[string]struct {
		cards  string
		budget Budget
		want   string
	}{
		"numbers": {".ac dec 100 1 1meg\n.noise v(out) V1 dec 100 1 1meg\n.op\n",
			Budget{Newton: 1e6, Numbers: 4210, Wall: time.Minute}, "the limit of 4210 stored numbers of all analyses was reached; not run: .noise (line 6), .op (line 7)"},
		"iterations": {".ac dec 100 1 1meg\n.op\n", Budget{Newton: 601, Numbers: 1e6,
			Wall: time.Minute}, "the limit of 601 Newton iterations of all analyses was reached; not run: .op (line 6)"},
		"cards": {many.String(), Budget{Newton: 1e6, Numbers: 1e6, Wall: time.Minute},
			"at most 20 analyses are run; not run: .ac (line 25), "},
	} {
		r, err := Simulate(context.Background(), Request{Netlist: lowPass + c.cards + ".end",
			Budget: &c.budget})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(strings.Join(r.Warnings, "|"), c.want) {
			t.Errorf("%s: %+v, %q, want %q", name, r.Statistics, r.Warnings, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	progress := func(_ string, fraction float64) {
		if fraction > 0.6 {
			cancel()
		}
	}
	var e *Error
	if _, err := Simulate(ctx,
		Request{Netlist: lowPass + ".op\n.ac dec 1000 1 1meg\n.tran 1n 1m\n.end",
			Progress: progress}); !errors.As(err, &e) || e.Code != diag.Canceled {
		t.Errorf("cancelled in the second analysis: %v", err)
	}
}
