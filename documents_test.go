package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the longest line of a document. Tables, code and pictures cannot be wrapped.
const maxColumns = 100

// TestDocuments verifies that the lines of every handwritten document fit maxColumns, and that the
// files that it links to exist.
func TestDocuments(t *testing.T) {
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", "examples/*.md",
		"clients/*.md", "clients/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	if len(documents) < 20 {
		t.Errorf("only %d documents were found", len(documents))
	}
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, name := range documents {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code, number := false, 0
		for line := range strings.Lines(string(text)) {
			line, number = strings.TrimRight(line, "\n"), number+1
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
					t.Errorf("%s:%d links to %s, which does not exist", name, number, m[1])
				}
			}
			fence := strings.HasPrefix(line, "```")
			code = code != fence
			if fence || code || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    ") ||
				strings.HasPrefix(line, "![") {
				continue
			}
			if n := utf8.RuneCountInString(line); n > maxColumns {
				t.Errorf("%s:%d has %d columns, at most %d are allowed", name, number,
					n, maxColumns)
			}
		}
	}
}
