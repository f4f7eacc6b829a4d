package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/worker/queuetest"
)

// taskResponse is a response with a task.
type taskResponse struct {
	Error  *rpcError
	Result struct {
		ResultType    string
		TaskID        string
		Status        string
		StatusMessage string
		CreatedAt     time.Time
		LastUpdatedAt time.Time
		TTLMs         *int64
		PollInterval  int64 `json:"pollIntervalMs"`
		Result        struct {
			Content    []struct{ Text string }
			IsError    bool
			ResultType string
		}
		Content []struct{ Text string }
	}
}

// taskRequest sends a request of a client with the tasks extension.
func (s *Server) taskRequest(
	t *testing.T, method, params string, notify func([]byte),
) taskResponse {
	t.Helper()
	body := strings.Replace(statelessBody(method, params), `:{},"progressToken"`,
		`:{"extensions":{"`+tasksExtension+`":{}}},"progressToken"`, 1)
	headerOf := map[string]string{protocol.HeaderMethod: method,
		protocol.HeaderName: unquotedMember(params, "name")}
	a, err := s.Parse(t.Context(), Request{
		Body: []byte(body), Version: protocol.ProtocolVersion20260728,
		Header: func(name string) string { return headerOf[name] },
	}).Handle(t.Context(), notify)
	if err != nil {
		t.Fatal(err)
	}
	var r taskResponse
	if err := json.Unmarshal(a.Body, &r); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return r
}

// TestTask verifies that a call of a slow tool returns a task, which can be polled, subscribed to
// and cancelled.
func TestTask(t *testing.T) {
	rdb, stopped := queuetest.Redis(t), make(chan string, 8)
	all := stepsCatalog(t, stopped)
	s := newServer(t, Options{Catalog: all, Redis: rdb, Queue: newQueue(t, rdb, all)})
	start := func(steps int) taskResponse {
		t.Helper()
		r := s.taskRequest(t, "tools/call",
			fmt.Sprintf(`"name":"steps","arguments":{"steps":%d}`, steps), nil)
		if r.Error != nil || r.Result.ResultType != "task" || r.Result.Status != "working" ||
			!isJobID(r.Result.TaskID) || r.Result.TTLMs == nil || *r.Result.TTLMs < 1_200_000 ||
			r.Result.PollInterval < 1 || r.Result.CreatedAt.IsZero() ||
			r.Result.LastUpdatedAt.Before(r.Result.CreatedAt) || len(r.Result.Content) > 0 {
			t.Fatalf("%+v", r)
		}
		return r
	}
	get := func(id string) taskResponse {
		t.Helper()
		return s.taskRequest(t, methodTaskGet, `"taskId":"`+id+`"`, nil)
	}

	id := start(250).Result.TaskID
	var e events
	s.taskRequest(t, "subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`, e.notify)
	if len(e.list) < 3 || !strings.Contains(string(e.list[0]), `{"taskIds":["`+id+`"]}`) {
		t.Fatalf("%d notifications: %s", len(e.list), slices.Concat(e.list...))
	}
	last := string(e.list[len(e.list)-1])
	for _, part := range []string{`"method":"notifications/tasks"`, `"status":"completed"`,
		`"structuredContent":{"steps":250`, `"io.modelcontextprotocol/subscriptionId":"a"`} {
		if !strings.Contains(last, part) {
			t.Errorf("no %s in %s", part, last)
		}
	}
	done := get(id)
	if done.Result.Status != "completed" || done.Result.ResultType != "complete" ||
		done.Result.Result.ResultType != "complete" || done.Result.Result.IsError ||
		len(done.Result.Result.Content) == 0 {
		t.Errorf("%+v", done)
	}

	id = start(1000).Result.TaskID
	foreign := s.Parse(t.Context(), Request{
		Body: []byte(strings.Replace(statelessBody(methodTaskCancel, `"taskId":"`+id+`"`),
			`:{},"progressToken"`, `:{"extensions":{"`+tasksExtension+`":{}}},"progressToken"`, 1)),
		Version: protocol.ProtocolVersion20260728, Header: func(name string) string {
			return map[string]string{protocol.HeaderMethod: methodTaskCancel}[name]
		},
		Caller: Caller{QuotaKey: func() string { return "" }}, // an invalid key
	})
	if a, err := foreign.Handle(t.Context(), nil); err != nil ||
		!strings.Contains(string(a.Body), "another key") {
		t.Errorf("%v: %s", err, a.Body)
	}
	for _, method := range []string{methodTaskUpdate, methodTaskCancel} {
		r := s.taskRequest(t, method, `"taskId":"`+id+`","inputResponses":{}`, nil)
		if r.Error != nil || r.Result.ResultType != "complete" || r.Result.TaskID != "" {
			t.Errorf("%s: %+v", method, r)
		}
	}
	select {
	case <-stopped:
	case <-time.After(10 * time.Second):
		t.Error("the cancelled task runs on")
	}
	if r := get(id); r.Result.Status != "cancelled" {
		t.Errorf("%+v", r)
	}
	// A call whose job is short returns the result instead of a task.
	if r := s.taskRequest(t, "tools/call", `"name":"steps","arguments":{"steps":1}`,
		nil); r.Result.ResultType != "complete" || len(r.Result.Content) == 0 {
		t.Errorf("%+v", r)
	}

	for params, want := range map[string]string{
		`"taskId":"x"`: "must be the id of a task",
		`"taskId":"` + strings.Repeat("0", 32) + `"`: "there is no task",
	} {
		if r := s.taskRequest(t, methodTaskGet, params, nil); r.Error == nil ||
			r.Error.Code != protocol.INVALID_PARAMS || !strings.Contains(r.Error.Message, want) {
			t.Errorf("%s: %+v", params, r)
		}
	}
	// A client without the capability cannot read tasks.
	for method, params := range map[string]string{
		methodTaskGet:          `"taskId":"` + id + `"`,
		"subscriptions/listen": `"notifications":{"taskIds":["` + id + `"]}`,
	} {
		_, r := s.statelessRequest(t, method, params, e.notify)
		if r.Error == nil || r.Error.Code != protocol.MISSING_REQUIRED_CLIENT_CAPABILITY {
			t.Errorf("%s: %+v", method, r)
		}
	}
}

// TestTaskNotes verifies that the result of a task has the warning about the name of its tool.
func TestTaskNotes(t *testing.T) {
	rdb, all := queuetest.Redis(t), stepsCatalog(t, make(chan string, 8))
	s := newServer(t, Options{Catalog: all, Redis: rdb, Queue: newQueue(t, rdb, all)})
	r := s.taskRequest(t, "tools/call", `"name":"Steps","arguments":{"steps":250}`, nil)
	if r.Result.ResultType != "task" {
		t.Fatalf("%+v", r)
	}
	var e events
	s.taskRequest(t, "subscriptions/listen", `"notifications":{"taskIds":["`+r.Result.TaskID+`"]}`,
		e.notify)
	done := s.taskRequest(t, methodTaskGet, `"taskId":"`+r.Result.TaskID+`"`, nil)
	if c := done.Result.Result.Content; len(c) == 0 ||
		!strings.Contains(c[0].Text, `tool "Steps": read as steps`) {
		t.Errorf("%+v", done)
	}
}
