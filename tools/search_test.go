package tools

import (
	"strconv"
	"strings"
	"testing"
)

// TestSearchWordsEnd verifies that a search reads a bounded number of words of a query.
func TestSearchWordsEnd(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		b.WriteString(" word" + strconv.Itoa(i))
	}
	words := searchWords(b.String(), maxSearchWords)
	if len(words) != maxSearchWords || words[0] != "word0" || words[31] != "word31" {
		t.Errorf("%d words: %q", len(words), words)
	}
}
