package schema

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minClause is the minimum length of a separate clause in bytes.
const minClause = 10

// FirstClauses shortens a description of more than limit bytes to its first clauses. It keeps a
// trailing unit in brackets. It does not shorten a single long clause.
func FirstClauses(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	unit := ""
	if i := strings.Index(text, " ["); i > 0 && strings.HasSuffix(text, "]") &&
		!strings.Contains(text[i+2:], "[") && !strings.Contains(text[i:], ",") {
		text, unit = text[:i], text[i:]
	}
	first, last, end := 0, 0, 0 // ends of clauses
	for i := minClause; i < len(text); i++ {
		isPhrase := endsPhrase(text, i)
		if !isPhrase && !endsClause(text, i) || isOpen(text[:i]) {
			continue
		}
		if first == 0 {
			first = i
		}
		if i+2 > limit {
			break
		}
		if isPhrase {
			last = i
		} else {
			end = i
		}
	}
	for _, i := range []int{end, last, first, len(text)} {
		if i > 0 {
			return text[:i] + unit
		}
	}
	return text + unit
}

// endsClause reports whether a clause ends before text[i]. A colon ends a clause of several words,
// but not a condition such as "With .noise", an enum value or a list. A parenthesis ends a clause
// unless the clause continues after it.
func endsClause(text string, i int) bool {
	before, after := text[:i], text[i:]
	switch {
	case strings.HasPrefix(after, "; "), strings.HasPrefix(after, ". "):
		return true
	case strings.HasPrefix(after, ": "):
		clause := before[max(strings.LastIndex(before, "; "), strings.LastIndex(before, ". "))+1:]
		clause = strings.TrimSpace(clause)
		initial, _ := utf8.DecodeRuneInString(clause)
		return unicode.IsUpper(initial) && strings.Contains(clause, " ") &&
			!strings.Contains(clause, ",") && !strings.HasPrefix(clause, "With ")
	case strings.HasPrefix(after, " ("):
		previous, _ := utf8.DecodeLastRuneInString(before)
		_, rest, _ := strings.Cut(after, ")")
		return (unicode.IsLetter(previous) || unicode.IsDigit(previous)) &&
			(rest == "" || strings.ContainsAny(rest[:1], ",;.:"))
	}
	return false
}

// endsPhrase reports whether a comma before text[i:] ends a phrase and does not separate the
// members of a list.
func endsPhrase(text string, i int) bool {
	rest, ok := strings.CutPrefix(text[i:], ", ")
	if !ok {
		return false
	}
	for _, mark := range []string{"; ", ": ", ". ", " ("} {
		rest, _, _ = strings.Cut(rest, mark)
	}
	for n, part := range strings.Split(rest, ", ") {
		words := strings.Fields(part)
		joined := slices.IndexFunc(words, func(w string) bool { return w == "and" || w == "or" })
		switch {
		case joined >= 0 && joined <= maxMember:
			return n == 0 && joined > 0 && slices.Contains(subordinate, words[0])
		case len(words) > maxMember, len(words) > 0 && slices.Contains(subordinate, words[0]):
			return true
		}
	}
	return true
}

// maxMember is the maximum number of words of a member of a list.
const maxMember = 3

// subordinate are words that begin a phrase and not a member of a list.
var subordinate = []string{
	"above", "across", "along", "also", "as", "at", "below", "beyond", "by", "for", "from", "in",
	"instead", "minus", "not", "of", "on", "per", "relative", "such", "to", "which", "while",
	"with", "within", "without",
}

// isOpen reports whether a text ends inside a bracket.
func isOpen(text string) bool {
	return strings.Count(text, "(") > strings.Count(text, ")") ||
		strings.Count(text, "[") > strings.Count(text, "]")
}
