// Package text shortens and compares words for messages to users.
package text

import (
	"strconv"
	"strings"
)

// Truncate returns s if it has at most limit bytes, and otherwise the start of s with an ellipsis,
// together at most limit bytes. It does not split a character.
func Truncate(s string, limit int) string {
	const ellipsis = "…"
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:max(0, limit-len(ellipsis))], "") + ellipsis
}

// maxWord is the maximum length of a quoted word in bytes.
const maxWord = 64

// Word truncates a word of a request or a file to 64 bytes for use in a message.
func Word(s string) string { return Truncate(s, maxWord) }

// Quote returns Word(s) in double quotes, with escapes as in Go.
func Quote(s string) string { return strconv.Quote(Word(s)) }

// Distance returns the optimal string alignment distance of two words: the number of insertions,
// deletions, substitutions and transpositions of adjacent bytes. The time is proportional to the
// product of the lengths.
func Distance(a, b string) int {
	columns := len(b) + 1
	rows := make([]int, 3*columns)
	two, one, row := rows[:columns], rows[columns:2*columns], rows[2*columns:]
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
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
		two, one, row = one, row, two
	}
	return one[len(b)]
}
