package main

import (
	"go/token"
	"regexp"
	"strings"
)

// trailing matches a comment after code. The space before it excludes the // of a URL.
var trailing = regexp.MustCompile(`^.*?[;{},)\]]\s+(//\s.*|/\*.*)$`)

// lintPage adds the findings and the long lines of the comments in a JavaScript or CSS file to r.
// It reads lines instead of the syntax: a comment begins a line, or follows the end of a statement.
func (r *report) lintPage(name, source string, rules []rule) {
	block := false // within a block comment
	for i, line := range strings.Split(source, "\n") {
		at := token.Position{Filename: name, Line: i + 1}
		text := strings.TrimSpace(line)
		comment := ""
		switch after := trailing.FindStringSubmatch(text); {
		case block || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*"):
			comment = text
		case after != nil:
			comment = after[1]
		}
		if comment == "" {
			continue
		}
		if block || strings.HasPrefix(comment, "/*") {
			block = !strings.Contains(comment, "*/")
		}
		r.lintComment(at, strings.TrimSuffix(comment, "*/"), rules)
		if columns(line) > maxColumns {
			r.longLines = append(r.longLines, at)
		}
	}
}
