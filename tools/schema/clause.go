package schema

import "strings"

// minClause is the minimum length of a separate clause in bytes.
const minClause = 12

// FirstClauses shortens a description of more than limit bytes to its first clauses. It keeps a
// trailing unit in brackets. It does not shorten a single long clause.
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
