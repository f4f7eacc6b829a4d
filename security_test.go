package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityNames: every row of the threat model names a test, and every test that is named
// exists.
func TestSecurityNames(t *testing.T) {
	defined := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(source), -1) {
			defined[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	name, rows := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`"), 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "-") ||
			strings.Contains(line, "| defence |") {
			continue
		}
		rows++
		named := name.FindAllStringSubmatch(cells[3], -1)
		if len(named) == 0 {
			t.Errorf("no test is named in: %s", line)
		}
		for _, m := range named {
			if !defined[m[1]] {
				t.Errorf("there is no %s", m[1])
			}
		}
	}
	if rows < 25 {
		t.Errorf("%d rows were read", rows)
	}
}
