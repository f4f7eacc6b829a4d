package mcp

import (
	"fmt"
	"slices"
	"strings"

	"slipstick/internal/text"
	"slipstick/tools"
)

// Selection is a set of tool names. A nil Selection contains all tools.
type Selection map[string]bool

func (s Selection) has(name string) bool { return s == nil || s[name] }

// SelectionError lists words that are neither a category nor a tool.
type SelectionError struct {
	Unknown []string
	Allowed []string // the categories
}

// Error names the unknown words and the valid categories.
func (e *SelectionError) Error() string {
	return fmt.Sprintf("tools: unknown %s; give categories (%s) or tool names, separated by commas",
		strings.Join(e.Unknown, ", "), strings.Join(e.Allowed, ", "))
}

// maxUnknown is the maximum number of unknown words in an error.
const maxUnknown = 10

// Select parses a list of categories and tool names such as "rf,mesh,ohms_law". An empty list
// selects all tools. The word batch, or the name of a batch tool, selects all batch tools. The
// error is a *SelectionError.
func Select(catalog *tools.Catalog, list string) (Selection, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	s, wrong := Selection{}, &SelectionError{}
	for _, c := range catalog.Categories {
		wrong.Allowed = append(wrong.Allowed, c.Name)
	}
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		if word == batchCategory || isBatchTool(word) {
			for _, name := range batchToolNames() {
				s[name] = true
			}
			continue
		}
		if i := slices.Index(wrong.Allowed, word); i >= 0 {
			for _, t := range catalog.Categories[i].Tools {
				s[t.Name] = true
			}
			continue
		}
		entry, err := catalog.Find(word)
		switch {
		case err == nil:
			s[entry.Name] = true
		case word != "" && len(wrong.Unknown) < maxUnknown:
			wrong.Unknown = append(wrong.Unknown, fmt.Sprintf("%q", text.Truncate(word, 64)))
		}
	}
	if len(wrong.Unknown) > 0 {
		wrong.Allowed = append(wrong.Allowed, batchCategory)
		return nil, wrong
	}
	return s, nil
}
