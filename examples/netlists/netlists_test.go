package netlists

import (
	"slices"
	"strings"
	"testing"
)

// TestGroups: every file stands in exactly one group, with a title and an analysis.
func TestGroups(t *testing.T) {
	groups, err := Groups()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, g := range groups {
		for _, n := range g.Netlists {
			listed = append(listed, n.Name+".cir")
			if n.Title == "" || strings.HasPrefix(n.Title, "*") || len(n.Cards) == 0 {
				t.Errorf("%s: title %q, analyses %v", n.Name, n.Title, n.Cards)
			}
		}
	}
	slices.Sort(listed)
	var there []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	if !slices.Equal(listed, there) {
		t.Errorf("listed %v\nthere %v", listed, there)
	}
}
