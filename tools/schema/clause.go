package schema

import "strings"

// minClause is the shortest clause, in characters, that stands alone.
const minClause = 12

// FirstClauses cuts a description that is longer than limit characters behind its first clauses; a
// unit in brackets at its end stays. A single long clause stays whole.
func FirstClauses(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	unit := ""
	if i := strings.LastIndex(text, " ["); i > 0 && strings.HasSuffix(text, "]") {
		text, unit = text[:i], text[i:]
	}
	end := len(text)
	within := text[:min(len(text), limit)]
	for _, marks := range [][]string{{"; ", ": ", ". ", " ("}, {", "}} {
		last := -1
		for _, mark := range marks {
			last = max(last, strings.LastIndex(within, mark))
		}
		if last >= minClause {
			end = last
			break
		}
	}
	if end == len(text) {
		for _, mark := range []string{"; ", ": ", ". ", " (", ", "} {
			if i := strings.Index(text, mark); i >= minClause {
				end = min(end, i)
			}
		}
	}
	cut := text[:end]
	for _, dangling := range []string{"; default", ". Default"} {
		cut = strings.TrimSuffix(cut, dangling)
	}
	return cut + unit
}
