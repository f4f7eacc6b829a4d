package sexpr

import (
	"slices"
	"testing"
)

// TestParseSpecctra verifies the quoting rules for Specctra files that KiCad, EasyEDA or a person
// wrote.
func TestParseSpecctra(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`(x (string_quote ") "a b" "J 1"-2 J1-"3 A" "J 1"-"3 A" "")`,
			[]string{"x", "a b", "J 1-2", "J1-3 A", "J 1-3 A", ""}},
		{`(x (string_quote ') 'a "b' "c")`, []string{"x", `a "b`, `"c"`}},
		{`(x 'a b' "c d")`, []string{"x", "a b", "c d"}},
		{`(x (string_quote ") 'a b')`, []string{"x", "'a", "b'"}},
		// KiCad quotes a value that contains an inch sign without doubling the sign.
		{`(x (string_quote ") "DISPLAY 0.5"" y)`, []string{"x", `DISPLAY 0.5"`, "y"}},
		{`(x (string_quote ") "2.3" Display Conn" y)`, []string{"x", "2.3", "Display",
			`Conn"`, "y"}},
		{`(x (string_quote ") J-" y)`, []string{"x", `J-"`, "y"}},
	} {
		n, err := ParseSpecctra(c.text, "design", Limits{Bytes: 100, Depth: 9, Nodes: 99})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		for _, w := range n.List {
			if w.Leaf {
				got = append(got, w.Word)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
	if _, err := ParseSpecctra(`(x "a)`, "design", Limits{Bytes: 100, Depth: 9, Nodes: 99}); err ==
		nil {
		t.Error("a string without an end is no error")
	}
}
