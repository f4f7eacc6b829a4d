package netlist

import (
	"slices"
	"strings"
	"testing"
)

const editText = `.subckt
.param rload=1k  gain = {2*3} ; c=9
* R9 a b 1
V1 in 0 DC 5 AC 1
V2 b 0 SIN(0 1 1k)
V3 c 0 3.3
R1 in out
+ {rload} tc=1m
R2 out 0 r=4.7k
C1 out 0 c = 10n IC=0
L1 a b lmod
E1 x 0 in out 10
G1 x 0 in out 1m $ gain
E2 x 0 poly(1) in 0 0 2
E3 x 0 value={v(in)}
G2 x 0 poly(2) in 0 out 0 0 1 1
F1 x 0 V1 2
H1 x 0 V1 'gain*2'
.subckt s a b
R3 a b 1
.ends
R4 a b 1k;2k
.end
R5 a b 1
`

// TestSites verifies the spans of the replaceable values.
func TestSites(t *testing.T) {
	params, elements := Sites(editText)
	show := func(sites []Site) (out []string) {
		for _, s := range sites {
			out = append(out, s.Name+" "+editText[s.Span.Start:s.Span.End])
		}
		return out
	}
	if got, want := show(params), []string{"rload 1k", "gain {2*3}"}; !slices.Equal(got, want) {
		t.Errorf("params %q", got)
	}
	want := []string{"v1 5", "v3 3.3", "r1 {rload}", "r2 4.7k", "c1 10n", "e1 10", "g1 1m", "f1 2",
		"h1 'gain*2'", "r4 1k"}
	if got := show(elements); !slices.Equal(got, want) {
		t.Errorf("elements %q", got)
	}
	values := map[Span]string{}
	for _, s := range append(params, elements...) {
		values[s.Span] = "7"
	}
	got := Replace(editText, values)
	// The replacement removes the 7 of 4.7k.
	if strings.Count(got, "7") != len(values)+strings.Count(editText, "7")-1 {
		t.Errorf("%s", got)
	}
	for _, text := range []string{"", "\n", "t", "t\n+ 1", "t\n.param", "t\nR1", "t\nV1 a b dc",
		"t\nR1 a b {", "t\nR1 a b '"} {
		Sites(text)
	}
}

// FuzzSites verifies that Sites never panics, and that replacing every value by itself returns the
// same text.
func FuzzSites(f *testing.F) {
	f.Add(editText)
	f.Add("t\n+ + =(\n'{")
	f.Fuzz(func(t *testing.T, text string) {
		params, elements := Sites(text)
		values := map[Span]string{}
		for _, s := range append(params, elements...) {
			values[s.Span] = text[s.Span.Start:s.Span.End]
		}
		if Replace(text, values) != text {
			t.Error("the text changed")
		}
	})
}
