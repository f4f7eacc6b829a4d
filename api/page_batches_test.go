package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipstick/batch/service"
	"slipstick/keys"
)

// TestPageBatches verifies that a page runs batches without quota but within the limits of the
// page, and that other callers cannot read them.
func TestPageBatches(t *testing.T) {
	s := startBatches(t, map[keys.Tier]int{keys.Anonymous: 1})
	var fresh struct{ Token string }
	s.call(t, "GET", "/ui/token", "", "Sec-Fetch-Site: same-origin").json(t, &fresh)
	headers := []string{"Sec-Fetch-Site: same-origin", "X-Page-Token: " + fresh.Token,
		"Content-Type: application/json"}
	sweep := `{"tool":"fspl","input":{"freq_mhz":915},"collect":["fspl_db"],"vary":[{"field":"/dist_km","from":1,"to":100,"points":%d}]%s}`
	r := s.call(t, "POST", "/ui/batches", fmt.Sprintf(sweep, 61, ""), headers...)
	var b service.Batch
	if r.json(t, &b); r.status != 202 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for until := time.Now().Add(time.Minute); b.Summary == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("no end of %+v", b)
		}
		s.call(t, "GET", "/ui/batches/"+b.ID, "", headers...).json(t, &b)
	}
	var rows struct{ Columns map[string][]json.Number }
	if s.call(t, "GET", "/ui/batches/"+b.ID+"/results", "", headers...).json(t,
		&rows); len(rows.Columns["fspl_db"]) != 61 {
		t.Errorf("%v", rows)
	}
	stream := s.call(t, "GET", "/ui/batches/"+b.ID+"/events", "", headers...)
	var seen []string
	for _, e := range readBatchEvents(t, stream.body) {
		seen = append(seen, e.name)
	}
	if stream.status != 200 || strings.Join(seen, " ") != "progress summary end" {
		t.Errorf("%d, events %v", stream.status, seen)
	}
	if r := s.call(t, "GET", "/ui/batches/"+b.ID+"/events", ""); r.status != 403 {
		t.Errorf("events for another site: %d %s", r.status, r.body)
	}
	for path, want := range map[string]int{"/api/batches/": 404, "/ui/batches/": 403} {
		if r := s.call(t, "GET", path+b.ID, ""); r.status != want {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := s.call(t, "GET", "/ui/batches/"+b.ID+"/runs/60", "", headers...); r.status != 200 ||
		!strings.Contains(r.body, `"fspl_db":131.676`) {
		t.Errorf("a run: %d %s", r.status, r.body)
	}
	if r := s.call(t, "DELETE", "/ui/batches/"+b.ID, "", headers...); r.status != 200 ||
		!strings.Contains(r.body, `"state":"done"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.call(t, "POST", "/ui/batches", fmt.Sprintf(sweep, 61, `,"dry_run":true`),
		headers...); r.status != 200 || !strings.Contains(r.body, `"runs_total":61`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.call(t, "POST", "/ui/batches", fmt.Sprintf(sweep, 1001, ""), headers...); r.status !=
		400 || !strings.Contains(r.body, "at most 1000") {
		t.Errorf("%d %s", r.status, r.body)
	}
	solve := `{"tool":"fspl","input":{"freq_mhz":915},"mode":"solve","target":{"name":"fspl_db","value":100},"vary":[{"field":"/dist_km","from":1,"to":100}]}`
	if r := s.call(t, "POST", "/ui/batches", solve, headers...); r.status != 202 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.call(t, "POST", "/ui/batches", fmt.Sprintf(sweep, 61, ""),
		"Content-Type: application/json"); r.status != 403 {
		t.Errorf("without a token: %d %s", r.status, r.body)
	}
}
