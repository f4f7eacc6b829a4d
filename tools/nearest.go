package tools

import (
	"slices"
	"sort"
	"strings"
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
		d := editDistance(word, lower)
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

// editDistance returns the optimal string alignment distance: the number of insertions, deletions,
// substitutions and transpositions of adjacent characters.
func editDistance(a, b string) int {
	two, one := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one = one, row
	}
	return one[len(b)]
}
