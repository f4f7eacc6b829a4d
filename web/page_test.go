package web

import (
	"testing"

	"slipstick/tools/catalog"
)

func testSite(t testing.TB) *Site {
	t.Helper()
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestToolPages(t *testing.T) {
	s := testSite(t)
	for _, e := range s.catalog.All() {
		if _, err := s.ToolPage(Request{}, s.Tool(e.Name), nil, nil, nil); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
