package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

const static = "../static"

// TestMerged verifies that the merged files are up to date with the modules and style sheets.
func TestMerged(t *testing.T) {
	files, err := merge(static)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(static, "merged", name)); err != nil ||
			!bytes.Equal(got, want) {
			t.Errorf("merged/%s is not what its modules make (%v); go generate ./web makes it",
				name, err)
		}
	}
	there, err := os.ReadDir(filepath.Join(static, "merged"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		if files[f.Name()] == nil {
			t.Errorf("merged/%s is made of nothing; go generate ./web removes it", f.Name())
		}
	}
}

// TestHeldOnce verifies that no module is in two files, and that a module outside all files imports
// nothing. Otherwise the browser would load the imported module twice.
func TestHeldOnce(t *testing.T) {
	holders := map[string]string{}
	for name, members := range modules {
		for _, m := range members {
			if before := holders[m]; before != "" {
				t.Errorf("%s is in %s and in %s", m, before, name)
			}
			holders[m] = name
		}
	}
	all, err := filepath.Glob(filepath.Join(static, "*.js"))
	if err != nil || len(all) < 40 {
		t.Fatalf("%d modules: %v", len(all), err)
	}
	imports := regexp.MustCompile(`(?m)^import\s|\bimport\('`)
	for _, path := range all {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(path); holders[name] == "" && imports.Match(body) {
			t.Errorf("%s imports modules and is merged into no file", name)
		}
	}
}
