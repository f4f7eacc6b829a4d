package choice

import (
	"testing"

	"slipstick/tools"
)

func TestGroups(t *testing.T) {
	group := func(given string) []Field {
		return []Field{Of("a", given == "a" || given == "ab"), Of("b/b_mm", given == "ab"),
			Of("c", false)}
	}
	for _, c := range []struct {
		check func(*tools.FieldErrors, ...Field)
		given string
		want  string
	}{
		{ExactlyOne, "a", ""},
		{ExactlyOne, "", "a: give exactly one of a, b/b_mm, c; none was given"},
		{ExactlyOne, "ab", "a: give only one of a, b/b_mm, c; a and b/b_mm were given"},
		{ExactlyOneMarked, "a", ""},
		{func(f *tools.FieldErrors, g ...Field) {
			Exactly(f, 2, g...)
		}, "a", "a: give exactly two of a, b/b_mm, c; a was given"},
		{func(f *tools.FieldErrors, g ...Field) { AtMost(f, 1, g...) }, "", ""},
	} {
		var f tools.FieldErrors
		c.check(&f, group(c.given)...)
		got := ""
		if err := f.Err(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.given, got, c.want)
		}
	}
	var f tools.FieldErrors
	ExactlyOneMarked(&f, group("")...)
	if marked := tools.AsInputError(f.Err()); len(marked.Fields) != 3 {
		t.Errorf("%+v", marked.Fields)
	}
	var w tools.Warnings
	Ignored(&w, "it has no effect", group("a")...)
	if len(w.Warnings) != 1 || w.Warnings[0] != "a was ignored: it has no effect" {
		t.Errorf("%q", w.Warnings)
	}
	if v := 2.0; Or(&v, 1) != 2 || Or(nil, 1.0) != 1 {
		t.Error("Or")
	}
}
