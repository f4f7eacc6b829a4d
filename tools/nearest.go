package tools

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"slipstick/internal/text"
)

// Nearest returns up to limit different names similar to a misspelt word, best first.
func Nearest(word string, names []string, limit int) []string {
	word = strings.ToLower(word)
	// A word of more than 64 bytes is too long to resemble a name. The limit bounds the time, which
	// is proportional to the product of the lengths.
	if len(word) > 64 {
		return nil
	}
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	for _, n := range names {
		lower := strings.ToLower(n)
		d := text.Distance(word, lower)
		if min(len(word), len(lower)) >= 3 &&
			(strings.Contains(lower, word) || strings.Contains(word, lower)) {
			d = min(d, 2)
		}
		if d <= max(1, len(word)/3) {
			near = append(near, scored{n, d})
		}
	}
	sort.SliceStable(near, func(i, j int) bool { return near[i].distance < near[j].distance })
	var out []string
	for _, n := range near {
		if len(out) < limit && !slices.Contains(out, n.name) {
			out = append(out, n.name)
		}
	}
	return out
}

// misspelt returns the only value of an enum of which a word is a misspelling, or "". One character
// of a word may differ, two of at least eight. Words with fewer than four characters, with another
// first letter or with other digits may have another meaning, as astable and bistable do.
func misspelt(word string, enum []string) (value string) {
	word = squeezed(word)
	if len(word) < 4 || len(word) > 64 {
		return ""
	}
	limit := 1
	if len(word) >= 8 {
		limit = 2
	}
	for _, e := range enum {
		other := squeezed(e)
		if other == "" || other[0] != word[0] || digitsOf(other) != digitsOf(word) ||
			text.Distance(word, other) > limit {
			continue
		}
		if value != "" {
			return ""
		}
		value = e
	}
	return value
}

// withWord returns the values of an enum that contain a word, but at most two. More of them say
// nothing about the meaning.
func withWord(word string, enum []string) (values []string) {
	word = squeezed(word)
	for _, e := range enum {
		parts := strings.Split(strings.ToLower(e), "_")
		// The digits of a word such as 7200rpm distinguish it.
		digits := digitsOf(word)
		if len(word) > 1 && slices.Contains(parts, word) ||
			len(digits) > 2 && slices.Contains(parts, digits) {
			values = append(values, e)
		}
	}
	if len(values) > 2 {
		return nil
	}
	return values
}

// digitsOf returns the digits of a text.
func digitsOf(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return c
		}
		return -1
	}, text)
}
