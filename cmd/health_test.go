package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// TestHealth verifies that a URL without a path is that of a process: /readyz determines the
// result, although / returns 200.
func TestHealth(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	ready := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" && !ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	for _, test := range []struct {
		url   string
		ready bool
		want  string
	}{
		{server.URL, true, ""},
		{server.URL, false, "/readyz returns 503"},
		{server.URL + "/", false, "/readyz returns 503"},
		{server.URL + "/readyz", false, "/readyz returns 503"},
		{server.URL + "/healthz", false, ""},
		{strings.TrimPrefix(server.URL, "http://"), true, ""},
		{strings.TrimPrefix(server.URL, "http://"), false, "/readyz returns 503"},
		{strings.TrimPrefix(server.URL, "http://127.0.0.1"), true, ""},
		{strings.TrimPrefix(server.URL, "http://127.0.0.1"), false, "/readyz returns 503"},
		{"http://[", true, "missing ']'"},
	} {
		ready = test.ready
		root := newCommand(all, strings.NewReader(""), io.Discard, io.Discard)
		err := root.Run(t.Context(), []string{"slipstick", "health", test.url})
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s, ready %v: %v", test.url, test.ready, err)
		}
	}
}
