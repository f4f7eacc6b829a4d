package api

import (
	"testing"

	"slipstick/keys"
)

// TestLinks verifies that documents link to the OpenAPI document and the page of the tool, problems
// to their explanation, and rows to the next page. It also verifies that all targets exist.
func TestLinks(t *testing.T) {
	s := startBatches(t, nil)
	key := s.issue(t, keys.Free)
	const desc = `</api/docs>; rel="service-desc"; type="application/json"`
	for path, want := range map[string]string{
		"/api":      desc,
		"/api/docs": desc,
		"/api/fspl": desc + `, </t/fspl>; rel="help"; type="text/html"`,
		"/api/fslp": `</problems/tool-not-found>; rel="help"`,
	} {
		if got := s.call(t, "GET", path, "").header.Get("Link"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"/api/docs", "/t/fspl", "/problems/tool-not-found"} {
		if r := s.call(t, "GET", path, ""); r.status != 200 {
			t.Errorf("%s: %d", path, r.status)
		}
	}
	id := s.finish(t, contractExample, key).ID
	next := "/api/batches/" + id + "/results?limit=2"
	for _, want := range []string{"</api/batches/" + id + `/results?from=2&limit=2>; rel="next"`,
		""} {
		r := s.call(t, "GET", next, "", key)
		if got := r.header.Get("Link"); r.status != 200 || got != want {
			t.Errorf("%d, %q, want %q", r.status, got, want)
		}
		next = "/api/batches/" + id + "/results?from=2&limit=2"
	}
}
