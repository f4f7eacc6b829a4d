package docgen

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

var update = flag.Bool("update", false, "write the pages anew")

// TestPagesAreCurrent verifies that the pages in docs match the definitions of the tools.
func TestPagesAreCurrent(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	docs := filepath.Join("..", "..", "docs")
	pages := map[string]string{filepath.Join(docs, "tools.md"): Index(c, "tools")}
	for _, e := range c.All() {
		pages[filepath.Join(docs, "tools", e.Name+".md")] = Page(c, e)
	}
	if *update {
		if err := os.MkdirAll(filepath.Join(docs, "tools"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range pages {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not current; go generate ./... writes it again", path)
		}
	}
	stored, err := filepath.Glob(filepath.Join(docs, "tools", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stored {
		if _, ok := pages[path]; !ok {
			t.Errorf("%s is the page of no tool", path)
		}
	}
}

func TestPageSaysEverything(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Find("fspl")
	if err != nil {
		t.Fatal(err)
	}
	page := Page(c, e)
	for _, part := range []string{"# Free-space path loss", "ITU-R P.525",
		"| `freq_mhz` | Frequency | number | MHz | greater than 0 | required |",
		"| `fspl_db` | Free-space path loss | number | dB |", "\"dist_km\": 5",
		"feeds [`link_budget`]"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q:\n%s", part, page)
		}
	}
}
