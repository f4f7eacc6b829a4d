package spice

import (
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"slipstick/spice/analysis"
)

// wantRoots reports an error unless got and want contain the same numbers in any order within a
// relative error. what describes the roots.
func wantRoots(t *testing.T, what string, got, want []complex128, relative float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %g, want %g", what, got, want)
		return
	}
	taken := make([]bool, len(got))
next:
	for _, w := range want {
		for k, g := range got {
			if !taken[k] && cmplx.Abs(g-w) <= relative*cmplx.Abs(w) {
				taken[k] = true
				continue next
			}
		}
		t.Errorf("%s: no %g in %g", what, w, got)
	}
}

// TestPolesAndZeros compares .pz with roots computed by hand.
func TestPolesAndZeros(t *testing.T) {
	pair := func(w, q float64) []complex128 {
		re := -w / (2 * q)
		im := math.Sqrt(w*w - re*re)
		return []complex128{complex(re, im), complex(re, -im)}
	}
	for name, c := range map[string]struct {
		body, card   string
		poles, zeros []complex128
		relative     float64
	}{
		"low-pass": {"V1 in 0 1\nR1 in out 1k\nC1 out 0 1u", "in 0 out 0 vol pz",
			[]complex128{-1000}, nil, 1e-9},
		"no source": {"R1 in out 1k\nC1 out 0 1u\nR9 in 0 5k", "in 0 out 0 vol pz",
			[]complex128{-1000}, nil, 1e-9},
		"current input": {"R1 in out 1k\nC1 out 0 1u\nR9 in 0 4k", "in 0 out 0 cur pz",
			[]complex128{-200}, nil, 1e-9},
		"high-pass": {"V1 in 0 1\nC1 in out 1u\nR1 out 0 1k", "in 0 out 0 vol pz",
			[]complex128{-1000}, []complex128{0}, 1e-9},
		"two coupling capacitors": {"V1 in 0 1\nC1 in a 1u\nR1 a 0 10k\nR2 a b 1k\nC2 b 0 1n\n" +
			"C3 b out 1u\nR3 out 0 10k", "in 0 out 0 vol zer", nil, []complex128{0, 0}, 1e-9},
		"three coupling capacitors": {"V1 in 0 1\nC1 in a 1u\nR1 a 0 10k\nR2 a b 1k\nC2 b c 1u\n" +
			"R4 c 0 20k\nR5 c d 1k\nC3 d out 1u\nR3 out 0 10k", "in 0 out 0 vol zer", nil,
			[]complex128{0, 0, 0}, 1e-9},
		"a series resistance of 1 Gohm": {"V1 in 0 1\nR1 in a 1k\nD1 a 0 dm\nC1 a 0 1u\n" +
			".model dm d(is=1e-30 rs=1g cjo=10n m=0)", "in 0 a 0 vol pol",
			[]complex128{-1000, -0.1}, nil, 5e-3},
		"a pole near the origin": {"V1 in 0 1\nR1 in out 1e6\nC1 out 0 1", "in 0 out 0 vol pz",
			[]complex128{-1e-6}, nil, 1e-6},
		"lead-lag": {"V1 in 0 1\nR1 in out 9k\nR2 out b 1k\nC1 b 0 1u", "in 0 out 0 vol pz",
			[]complex128{-100}, []complex128{-1000}, 1e-9},
		"series resonance": {"V1 in 0 1\nR1 in a 10\nL1 a out 1m\nC1 out 0 1u", "in 0 out 0 vol pz",
			pair(math.Sqrt(1e9), math.Sqrt(1e9)*1e-3/10), nil, 1e-9},
		"high Q": {"V1 in 0 1\nR1 in a 1m\nL1 a out 1m\nC1 out 0 1n",
			"in 0 out 0 vol pol", pair(1e6, 1e6), nil, 1e-9},
		// The poles are up to fifteen decades apart.
		"far apart": {"V1 in 0 1\nR1 in a 1meg\nC1 a 0 100u\nE1 b 0 a 0 2\nR2 b c 1k\nC2 c 0 1u\nE2 d 0 c 0 1\nR3 d out 1\nC3 out 0 0.1p",
			"in 0 out 0 vol pz", []complex128{-0.01, -1e3, -1e13}, nil, 1e-6},
		// This is a Sallen-Key filter with gain 1, w = 1/(R·sqrt(C1·C2)) and Q = sqrt(C1/C2)/2.
		"sallen-key": {"V1 in 0 1\nR1 in a 10k\nR2 a b 10k\nC1 a out 4n\nC2 b 0 1n\nE1 out 0 b 0 1",
			"in 0 out 0 vol pz", pair(1/(1e4*2e-9), 1), nil, 1e-9},
		// The feedforward capacitor C1 causes a zero at G1/C1 in the right half-plane.
		"right half plane": {"V1 in 0 1\nR1 in g 1k\nC1 g out 1p\nG1 out 0 g 0 1m\nR2 out 0 10k",
			"in 0 out 0 vol zer", nil, []complex128{1e9}, 1e-9},
		// The balanced twin-T filter has notch zeros at ±j/(R·C), poles at -(2±√3)/(R·C) and a pole
		// that cancels a zero.
		"twin T": {
			"V1 in 0 1\nR1 in a 1k\nR2 a out 1k\nC3 a 0 2u\nC1 in b 1u\nC2 b out 1u\nR3 b 0 500",
			"in 0 out 0 vol pz", []complex128{-1e3, complex(-1e3*(2+math.Sqrt(3)), 0),
				complex(-1e3*(2-math.Sqrt(3)), 0)},
			[]complex128{-1e3, 1e3i, -1e3i}, 1e-6},
		"nothing stores": {"V1 in 0 1\nR1 in out 1k\nR2 out 0 1k", "in 0 out 0 vol pz",
			nil, nil, 0},
	} {
		r := run(t, "t\n"+c.body+"\n.pz "+c.card+"\n.end", "pz").Detail.(*analysis.PolesAndZeros)
		if c.poles != nil || strings.HasSuffix(c.card, "pz") {
			wantRoots(t, name+": poles", r.Poles, c.poles, c.relative)
		}
		if c.zeros != nil || strings.HasSuffix(c.card, "pz") {
			if name == "high-pass" {
				if len(r.Zeros) != 1 || cmplx.Abs(r.Zeros[0]) > 1e-3 {
					t.Errorf("zeros of a high-pass: %g", r.Zeros)
				}
				continue
			}
			wantRoots(t, name+": zeros", r.Zeros, c.zeros, c.relative)
		}
	}
}

// TestPolesOfLadder verifies that the poles of n equal RC sections are
// -4·sin²((2k-1)·π/(4n+2))/(R·C), the eigenvalues of the tridiagonal matrix with a free end.
func TestPolesOfLadder(t *testing.T) {
	const n = 60
	var body strings.Builder
	body.WriteString("t\nV1 n0 0 1\n")
	for k := range n {
		a, b := "n"+string(rune('0'+k%10))+strings.Repeat("x", k/10),
			"n"+string(rune('0'+(k+1)%10))+strings.Repeat("x", (k+1)/10)
		body.WriteString("R" + a + " " + a + " " + b + " 1k\nC" + b + " " + b + " 0 1u\n")
	}
	last := "n" + string(rune('0'+n%10)) + strings.Repeat("x", n/10)
	r := run(t, body.String()+".pz n0 0 "+last+" 0 vol pz\n.end",
		"pz").Detail.(*analysis.PolesAndZeros)
	var want []complex128
	for k := 1; k <= n; k++ {
		s := math.Sin(float64(2*k-1) * math.Pi / float64(4*n+2))
		want = append(want, complex(-4e3*s*s, 0))
	}
	wantRoots(t, "ladder", r.Poles, want, 1e-7)
	if len(r.Zeros) != 0 {
		t.Errorf("zeros %g of a ladder", r.Zeros)
	}
}
