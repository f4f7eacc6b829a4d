package api

import (
	"encoding/json"
	"strings"
	"testing"

	"slipstick/worker"
)

// TestDesignService verifies that POST /api/designs/route has the media types, jobs and idempotency
// of queued tools. It also verifies that the service is not listed as a tool.
func TestDesignService(t *testing.T) {
	s := startReal(t, Options{}, worker.Budgets{})
	r := s.post(t, "/api/designs/route", `{"numbers":[1,2]}`)
	var e struct {
		Tool   string
		Result struct{ Sum float64 }
	}
	if err := json.Unmarshal([]byte(r.body), &e); err != nil || r.status != 200 ||
		e.Tool != "route_design" || e.Result.Sum != 3 {
		t.Errorf("%d %s", r.status, r.body)
	}
	r = s.post(t, "/api/designs/route", `{"numbers":[1,3]}`, "Prefer: respond-async")
	if r.status != 202 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if job := s.call(t, "GET", r.header.Get("Location"), "",
		"Prefer: wait=20"); !strings.Contains(job.body, `"sum":4`) {
		t.Errorf("%d %s", job.status, job.body)
	}
	if r = s.post(t, "/api/designs/route", `{"numbers":[]}`); r.status != 400 ||
		!strings.Contains(r.body, "numbers") {
		t.Errorf("%d %s", r.status, r.body)
	}
	for path, want := range map[string]int{"/api/route_design": 404, "/api/designs/other": 404} {
		if r = s.post(t, path, `{"numbers":[1]}`); r.status != want {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if list := s.call(t, "GET", "/api", ""); strings.Contains(list.body, "route_design") {
		t.Error("the list of tools has the service")
	}
	if docs := s.call(t, "GET", "/api/docs", ""); !strings.Contains(docs.body,
		`"/api/designs/route"`) {
		t.Error("the OpenAPI document does not have the service")
	}
}
