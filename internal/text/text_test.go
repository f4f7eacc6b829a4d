package text_test

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"slipstick/internal/text"
)

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		s     string
		limit int
		want  string
	}{
		{"", 5, ""},
		{"12345", 5, "12345"},
		{"123456", 5, "12…"},
		{"ääää", 7, "ää…"},
		{"ääää", 6, "ä…"},
		{"\xff23456", 5, "2…"},
		{"123456", 3, "…"},
	} {
		if got := text.Truncate(c.s, c.limit); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.s, c.limit, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(3, 60).Draw(t, "limit")
		if got := text.Truncate(s, limit); len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("Truncate(%q, %d) = %q", s, limit, got)
		}
	})
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := text.Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
