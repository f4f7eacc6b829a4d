package main

import (
	"maps"
	"strings"
	"testing"
)

func TestLintSource(t *testing.T) {
	const source = `package p

// What a caller may use is told by whoever asks.
// Limiter allows 10 requests a second and says what is left.
// Limiter allows 10 requests per second.
type Limiter struct{}

/* A key is good until
nobody asks for it anew. */
var _ = "whoever is in a string does not count"
`
	var r report
	if err := r.lintSource("p.go", source, rules()); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		line   int
		phrase string
	}{
		{3, "whoever"}, {3, "What a"}, {3, "What"}, {4, "says what"}, {4, "what is"},
		{4, "requests a second"},
		{8, "is good"}, {9, "nobody"}, {9, "anew"},
	}
	if len(r.findings) != len(want) || r.lines != 5 {
		t.Fatalf("%d findings in %d lines: %+v", len(r.findings), r.lines, r.findings)
	}
	for i, w := range want {
		if f := r.findings[i]; f.position.Line != w.line || f.phrase != w.phrase {
			t.Errorf("finding %d is %q in line %d, want %q in line %d",
				i, f.phrase, f.position.Line, w.phrase, w.line)
		}
	}
	if got := r.perThousand(); got != 1800 {
		t.Errorf("%g findings per 1,000 lines, want 1800", got)
	}
	if err := r.lintSource("bad.go", "package", rules()); err == nil {
		t.Error("a file that does not parse is accepted")
	}
}

func TestLintLength(t *testing.T) {
	long := strings.Repeat("x", 90)
	lines := []struct {
		text string
		want bool
	}{
		{"package p", false},
		{"var a = " + long, false},
		{"var a = " + long + " + " + long, true},
		{"// " + long + " " + long, true},
		{"\t\t\t" + long, true},
		{"var a = " + strings.Repeat("µ", 90), false},
		{`var a = f("` + long + long + `")`, false},
		{`var a = f("` + long + `") + f("` + long + `")`, false},
		{`var a = f("") + ` + long + long, true},
		{`var a = f(` + long + `, ` + long + `, "")`, true},
		{"var b = `", false},
		{long + long, false},
		{long + long + "`", false},
	}
	var source strings.Builder
	var want []int
	for i, l := range lines {
		source.WriteString(l.text + "\n")
		if l.want {
			want = append(want, i+1)
		}
	}
	var r report
	r.lintLength("p.go", []byte(source.String()))
	if len(r.longLines) != len(want) {
		t.Fatalf("long lines %v, want %v", r.longLines, want)
	}
	for i, at := range r.longLines {
		if at.Line != want[i] {
			t.Errorf("line %d is long, want %d", at.Line, want[i])
		}
	}
}

func TestLintPage(t *testing.T) {
	long := strings.Repeat("x", 90)
	lines := []struct {
		text string
		want string // finding: a phrase or "long"
	}{
		{"// Whoever calls this.", "Whoever"},
		{"const whoever = 1; // the caller", ""},
		{"const a = 1; // what is left", "what is"},
		{"const url = 'https://nobody.example/'; // the host", ""},
		{"/** Returns", ""},
		{" * a key that is good. */", "is good"},
		{"whoever(); ", ""},
		{"// " + long + " " + long, "long"},
		{"const b = '" + long + long + "';", ""},
		{"a { color: red } /* nobody */", "nobody"},
	}
	var source strings.Builder
	want := map[int]string{}
	for i, l := range lines {
		source.WriteString(l.text + "\n")
		if l.want != "" {
			want[i+1] = l.want
		}
	}
	var r report
	r.lintPage("p.js", source.String(), rules())
	got := map[int]string{}
	for _, f := range r.findings {
		got[f.position.Line] = f.phrase
	}
	for _, at := range r.longLines {
		got[at.Line] = "long"
	}
	if !maps.Equal(got, want) {
		t.Errorf("findings %v, want %v", got, want)
	}
}
