package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"slipstick/batch/service"
	"slipstick/keys"
)

// batchEvent is a server-sent event.
type batchEvent struct{ id, name, data string }

// readBatchEvents parses the text of a stream that has ended.
func readBatchEvents(t *testing.T, text string) (all []batchEvent) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		var e batchEvent
		if _, err := fmt.Sscanf(block, "id: %s\nevent: %s\n", &e.id, &e.name); err != nil {
			t.Fatalf("%q: %v", block, err)
		}
		_, e.data, _ = strings.Cut(block, "\ndata: ")
		all = append(all, e)
	}
	return all
}

// TestBatchEvents verifies that the stream of a batch has its progress, each row once and in order,
// the summary, and the end. It also verifies that the stream of a finished batch has all rows, and
// that Last-Event-ID skips the rows up to that event.
func TestBatchEvents(t *testing.T) {
	s := startBatches(t, nil)
	const runs = 2500
	body := fmt.Sprintf(`{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": %d, "points": %[1]d}]}`, runs)
	read := func(path string, from int, header ...string) {
		t.Helper()
		r := s.call(t, "GET", path, "", header...)
		if r.status != 200 || r.header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%d %v", r.status, r.header)
		}
		all := readBatchEvents(t, r.body)
		next, names := from, ""
		for _, e := range all {
			if e.name == "rows" {
				var rows struct {
					Columns struct {
						Index []int
						Dist  []float64 `json:"/dist_km"`
					}
					From, Count, Total int
				}
				if err := json.Unmarshal([]byte(e.data), &rows); err != nil || rows.From != next ||
					rows.Total != runs {
					t.Fatalf("%+v after %d rows, %v", rows, next, err)
				}
				for i, index := range rows.Columns.Index {
					if index != next || rows.Columns.Dist[i] != float64(next+1) {
						t.Fatalf("row %d at %g, want %d", index, rows.Columns.Dist[i], next)
					}
					next++
				}
			}
			if e.id != fmt.Sprint(next) {
				t.Errorf("event %s has id %s after %d rows", e.name, e.id, next)
			}
			if !strings.HasSuffix(names, e.name+" ") {
				names += e.name + " "
			}
		}
		if next != runs || !strings.HasPrefix(names, "progress ") ||
			!strings.HasSuffix(names, "summary end ") {
			t.Errorf("%d rows; events %s", next, names)
		}
		var last service.Progress
		for _, e := range all {
			if e.name == "progress" && json.Unmarshal([]byte(e.data), &last) != nil {
				t.Error(e.data)
			}
		}
		if last.State != service.Done || last.RunsDone != runs || last.RunsTotal != runs ||
			last.EtaS != nil {
			t.Errorf("%+v", last)
		}
		if end := all[len(all)-1]; end.data != `{"state":"done"}` {
			t.Errorf("%+v", end)
		}
	}
	r := s.post(t, "/api/batches", body)
	if r.status != 202 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	path := r.header.Get("Location") + "/events"
	read(path, 0) // while it runs
	read(path, 0)
	read(path, 2499, "Last-Event-ID: 2499")
	read(path, 2500, "Last-Event-ID: 2500")
	for _, id := range []string{"x", "-1", "100001"} {
		if r := s.call(t, "GET", path, "", "Last-Event-ID: "+id); r.status != 400 ||
			!strings.Contains(r.body, "Last-Event-ID") {
			t.Errorf("%s: %d %s", id, r.status, r.body)
		}
	}
	if r := s.call(t, "GET", path, "", s.issue(t, keys.Agent)); r.status != 404 {
		t.Errorf("another caller: %d %s", r.status, r.body)
	}
}
