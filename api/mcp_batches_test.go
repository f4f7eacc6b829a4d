package api

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"slipstick/keys"
)

const agentSweep = `{"tool":"fspl","input":{"freq_mhz":915},"collect":["fspl_db"],"vary":[{"field":"/dist_km","from":1,"to":100,"points":30,"scale":"log"}]}`

// TestAgentBatches verifies that an agent can run a batch within its quota and read it, and that
// other callers cannot read it.
func TestAgentBatches(t *testing.T) {
	s := startBatches(t, map[keys.Tier]int{keys.Anonymous: 40})
	session := headerSession + ": " + s.initialize(t)
	key := s.issue(t, keys.Agent)
	a := s.post(t, "/mcp", toolCall("batch_run", agentSweep, "p"), session, key,
		"Accept: application/json")
	var response struct {
		Result struct {
			Structured struct {
				ID       string
				RunsDone int `json:"runs_done"`
			} `json:"structuredContent"`
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(a.body), &response); err != nil || response.Result.IsError ||
		response.Result.Structured.RunsDone != 30 {
		t.Fatalf("%v %s", err, a.body)
	}
	if !strings.Contains(a.body, `"mimeType":"image/png"`) {
		t.Error("there is no picture")
	}
	rows := toolCall("batch_results", `{"id":"`+response.Result.Structured.ID+`"}`, "p")
	if a := s.post(t, "/mcp", rows, session, key); !strings.Contains(a.body,
		"Rows 0 to 29, the last of 30") {
		t.Errorf("%s", a.body)
	}
	if a := s.post(t, "/mcp", rows, session); !strings.Contains(a.body, "no such batch") {
		t.Errorf("another caller reads %s", a.body)
	}
	for range 2 { // the remaining anonymous daily quota allows one batch
		a = s.post(t, "/mcp", toolCall("batch_run", agentSweep, "p"), session,
			"Accept: application/json")
	}
	if !strings.Contains(a.body, `"isError":true`) ||
		!regexp.MustCompile(`\b10\b`).MatchString(a.body) {
		t.Errorf("%s", a.body)
	}
	if a := s.post(t, "/mcp", toolCall("batch_run", agentSweep, "p"), session,
		"X-Api-Key: no-such-key"); a.status != 401 {
		t.Errorf("%d %s", a.status, a.body)
	}
	stream := s.post(t, "/mcp", toolCall("batch_status", `{"id":"`+response.Result.Structured.ID+`"}`,
		"p"), session, key)
	if !strings.Contains(stream.body, "is done: 30 of 30") {
		t.Errorf("%s", stream.body)
	}
}
