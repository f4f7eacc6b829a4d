package web

import (
	"math"
	"strings"
	"testing"
)

// TestWorkedStandsInPage verifies that a page embeds the precomputed result of an example only if
// it shows that example without errors or a submitted form. It also verifies that results of queued
// tools and long results are not embedded.
func TestWorkedStandsInPage(t *testing.T) {
	s := testSite(t)
	for _, c := range []struct {
		name, tool string
		values     Values
		mistakes   []FieldError
		out        *Outcome
		want       bool
	}{
		{"the first example by itself", "fspl", nil, nil, nil, true},
		{"an example written out", "fspl", Values{"freq_mhz": "915", "dist_km": "5"},
			nil, nil, true},
		{"another number", "fspl", Values{"freq_mhz": "915", "dist_km": "6"}, nil, nil, false},
		{"a form that was sent", "fspl", Values{"freq_mhz": "915", "dist_km": "5"}, nil,
			&Outcome{}, false},
		{"a mistake", "fspl", Values{"freq_mhz": "915", "dist_km": "5"},
			[]FieldError{{Path: "dist_km"}}, nil, false},
		{"a heavy tool", "spice_simulate", nil, nil, nil, false},
		{"a long result", "pcb_thermal", nil, nil, nil, false},
	} {
		page, err := s.ToolPage(Request{}, s.Tool(c.tool), c.values, c.mistakes, c.out)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(page), `"worked":{"request":`); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if c.want && !strings.Contains(string(page), `"fspl_db":105.65`) { // 20·log10(4πd/λ)
			t.Errorf("%s: not its loss", c.name)
		}
	}
}

// TestWorkedResponse verifies the frequency response of a first-order filter. At its cutoff, in the
// middle of the curve, the gain is 1/√2 and the phase 45°. Two decades above, the gain is
// 1/√(1+10⁴).
func TestWorkedResponse(t *testing.T) {
	s := testSite(t)
	w := s.Tool("rc_filter").worked[0]()
	if w == nil || w.Response == nil || len(w.Response.Hertz) != 81 || len(w.Response.Gain) != 81 ||
		len(w.Response.Phase) != 81 {
		t.Fatalf("%+v", w)
	}
	r := w.Response
	for i, want := range map[int]float64{40: -10 * math.Log10(2), 80: -10 * math.Log10(1+1e4),
		0: -10 * math.Log10(1+1e-4)} {
		if math.Abs(*r.Gain[i]-want) > 1e-4 {
			t.Errorf("%g dB at %g Hz, want %g", *r.Gain[i], r.Hertz[i], want)
		}
	}
	if math.Abs(*r.Phase[40]+45) > 1e-3 || math.Abs(r.Hertz[80]/r.Hertz[0]-1e4) > 1e-6 {
		t.Errorf("%g° at %g Hz of %g to %g", *r.Phase[40], r.Hertz[40], r.Hertz[0], r.Hertz[80])
	}
}
