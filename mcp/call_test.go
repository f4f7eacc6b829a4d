package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipstick/call"
	"slipstick/internal/schematest"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker"
)

// TestDirectResponsesEqualMCPGo compares the responses of callInPlace with the responses of
// mcp-go. The inputs are every worked example of the synchronous tools, and invalid inputs.
func TestDirectResponsesEqualMCPGo(t *testing.T) {
	s := newServer(t, Options{})
	for _, e := range s.opt.Catalog.All() {
		if e.Heavy != nil {
			continue
		}
		inputs := []string{`{}`, `null`, `[]`, `"a <b> & \u2028 text"`,
			`{"no_such_field":"\u0000"}`}
		for _, x := range e.Examples {
			inputs = append(inputs, x.In)
		}
		for i, in := range inputs {
			id := []string{`7`, `"seven \"<é>\""`, `-1`}[i%3]
			body := strings.Replace(callBody(e.Name, in, `"t"`), `"id":1`, `"id":`+id, 1)
			x := s.read([]byte(body), Caller{Base: "http://here"}, nil)
			if x.ready != nil {
				t.Fatalf("%s %s: %s", e.Name, in, x.ready.Body)
			}
			fast := x.callInPlace(t.Context())
			other, _ := s.read([]byte(body), Caller{Base: "http://here"}, nil).dispatch(t.Context())
			var a, b any
			if err := json.Unmarshal(fast, &a); err != nil {
				t.Fatalf("%s %s: %v: %s", e.Name, in, err, fast)
			}
			if err := json.Unmarshal(other, &b); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s %s:\nhere   %s\nmcp-go %s", e.Name, in, fast, other)
			}
		}
	}
}

// TestDigitsSurvive verifies that the literal text of a number reaches the tool unchanged. Decoding
// into a map of float64 would lose digits.
func TestDigitsSurvive(t *testing.T) {
	s := newServer(t, Options{})
	_, r := s.call(t, callBody("sig_figs", `{"value": 4.500}`, ""), nil)
	var out struct {
		Figures int `json:"sig_figs"`
	}
	if err := json.Unmarshal(r.Result.Structured, &out); err != nil || out.Figures != 4 {
		t.Errorf("4.500 has %d figures (%v): %s", out.Figures, err, r.text())
	}
}

// TestErrorsTellWhatToDo verifies that each error of a call is a result with a remedy, and that its
// outcome is the same as for POST /api/{tool}.
func TestErrorsTellWhatToDo(t *testing.T) {
	reset := time.Date(2026, 5, 6, 0, 0, 0, 0, time.UTC)
	var outcomes []keys.Outcome
	admit := &testQuota{commit: func(o keys.Outcome) error {
		outcomes = append(outcomes, o)
		return nil
	}}
	failing := func(err error) *testQuota { return &testQuota{rejection: err} }
	late := &testQuota{commit: func(keys.Outcome) error { // rejects after the computation
		return &keys.LimitError{Policy: "day", RetryAfter: time.Minute, Reason: "the day is over"}
	}}
	all := stepsCatalog(t, nil)
	queue := &stubQueue{}
	for _, c := range []struct {
		name      string
		server    Options
		body      string
		quota     *testQuota
		job       worker.Job
		submitErr error
		contains  []string
		outcome   keys.Outcome // "" for none
	}{
		{"computed", Options{}, callBody("fspl", `{"freq_mhz":915,"dist_km":5}`, ""), admit,
			worker.Job{}, nil, []string{"fspl_db: 105.655", " dB"}, keys.Computed},
		{"wrong values", Options{}, callBody("fspl", `{"freq_mhz":"915","dist_km":-5}`, ""), admit,
			worker.Job{}, nil, []string{`freq_mhz: "915" is read as 915 MHz`,
				"dist_km: must be greater than 0, got -5"}, keys.Invalid},
		{"no arguments", Options{},
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fspl"}}`, admit,
			worker.Job{}, nil, []string{"freq_mhz", "dist_km"}, keys.Invalid},
		{"limit", Options{}, callBody("fspl", `{}`, ""),
			failing(&keys.LimitError{Policy: "day", Allowance: keys.Allowance{Limit: 200,
				Reset: reset}, RetryAfter: 90 * time.Second,
				Reason: "the 200 calls of this day are used up"}), worker.Job{}, nil,
			[]string{"200 calls", "90 s", "2026-05-06T00:00:00Z"}, ""},
		{"rejected after the computation", Options{}, callBody("fspl", `{"freq_mhz":915,"dist_km":5}`,
			""), late, worker.Job{}, nil, []string{"the day is over"}, ""},
		{"counting is down", Options{}, callBody("fspl", `{}`, ""), failing(worker.ErrUnavailable),
			worker.Job{}, nil, []string{"try again"}, ""},
		{"panic", Options{Catalog: all}, callBody("panics", `{"steps":1}`, ""), admit, worker.Job{},
			nil, []string{"defect"}, keys.ServerError},
		{"no queue", Options{Catalog: all}, callBody("steps", `{"steps":1}`, ""), admit,
			worker.Job{}, nil, []string{"no queued tools"}, keys.ServerError},
		{"busy", Options{Catalog: all, Queue: queue}, callBody("steps", `{"steps":1}`, ""), admit,
			worker.Job{}, &worker.BusyError{RetryAfter: 3 * time.Second,
				Reason: "the queue is full"}, []string{"the queue is full", "3 s"},
			keys.ServerError},
		{"not finished", Options{Catalog: all, Queue: queue}, callBody("steps", `{"steps":1}`, ""),
			admit, worker.Job{ID: "j1", State: worker.Running,
				Progress: tools.Progress{Phase: "stepping", Percent: 40}}, nil, []string{"j1",
				"stepping", "40 %", "same arguments", "slipstick://jobs/j1",
				"https://x.example/api/jobs/j1"}, keys.Computed},
		{"cancelled by somebody", Options{Catalog: all, Queue: queue},
			callBody("steps", `{"steps":1}`, ""), admit,
			worker.Job{ID: "j1", State: worker.Cancelled}, nil, []string{"cancelled", "call again"},
			keys.Invalid},
		{"out of time", Options{Catalog: all, Queue: queue}, callBody("steps", `{"steps":1}`, ""),
			admit, worker.Job{ID: "j1", State: worker.Failed,
				Outcome: worker.Outcome{Cause: worker.TimedOut, Failure: "Stopped after 20 s."}},
			nil, []string{"Stopped after 20 s.", "Ask for less"}, keys.ServerError},
		{"rejected by the worker", Options{Catalog: all, Queue: queue},
			callBody("steps", `{"steps":1}`, ""), admit,
			worker.Job{ID: "j1", State: worker.Rejected,
				Outcome: worker.Outcome{FieldErrors: faults("netlist", "node b floats")}}, nil,
			[]string{"netlist: node b floats"}, keys.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			outcomes = nil
			queue.job, queue.submitErr = c.job, c.submitErr
			s := newServer(t, c.server)
			response, r := s.call(t, c.body, nil, Caller{Run: s.runWith(c.quota),
				Base: "https://x.example"})
			if response.Status != 200 || r.Error != nil {
				t.Fatalf("%d %s", response.Status, response.Body)
			}
			if good := c.name == "computed" || c.name == "not finished"; r.Result.IsError == good ||
				(r.Result.Structured != nil) != good {
				t.Errorf("isError %t, structured %s", r.Result.IsError, r.Result.Structured)
			}
			for _, s := range c.contains {
				if !strings.Contains(r.text(), s) {
					t.Errorf("no %q in the response: %s", s, r.text())
				}
			}
			if strings.Contains(r.text(), "secret") {
				t.Errorf("a secret is told: %s", r.text())
			}
			if c.outcome == "" && len(outcomes) > 0 || c.outcome != "" && (len(outcomes) != 1 ||
				outcomes[0] != c.outcome) {
				t.Errorf("counted as %v, want %q", outcomes, c.outcome)
			}
		})
	}
}

// TestNotLetIn verifies that a request with an invalid key is rejected as a whole, not with a
// result.
func TestNotLetIn(t *testing.T) {
	s := newServer(t, Options{Catalog: stepsCatalog(t, nil)})
	for _, tool := range []string{"steps", "panics"} {
		x := s.Parse(t.Context(), Request{Body: []byte(callBody(tool, `{"steps":1}`, "")),
			Session: s.sessions.create(), Caller: Caller{
				Run: s.runWith(
					&testQuota{rejection: &keys.InvalidKeyError{Reason: "this key has expired"}}),
			}})
		_, err := x.Handle(t.Context(), nil)
		var unknown *keys.InvalidKeyError
		if !errors.As(err, &unknown) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// TestFreeOfCharge verifies that requests other than tool calls do not count against the quota.
func TestFreeOfCharge(t *testing.T) {
	s := newServer(t, Options{})
	caller := Caller{Run: s.runWith(&testQuota{commit: func(keys.Outcome) error {
		t.Error("this was counted")
		return nil
	}})}
	for _, method := range []string{"initialize", "ping", "tools/list", "prompts/list",
		"resources/list", "resources/templates/list"} {
		if a, r := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`, nil,
			caller); a.Status != 200 || r.Error != nil {
			t.Errorf("%s: %s", method, a.Body)
		}
	}
	s.call(t, callBody("fslp", `{}`, ""), nil, caller)
}

// testQuota either rejects every call, or accepts every call and passes its outcome to commit.
type testQuota struct {
	rejection error
	commit    func(keys.Outcome) error
}

func (q *testQuota) Reserve(context.Context, keys.Caller, int) (*keys.Reservation, error) {
	if q.rejection != nil {
		return nil, q.rejection
	}
	return &keys.Reservation{
		Tier: keys.Free, QuotaKey: "a",
		Commit: func(_ context.Context, _ string, o keys.Outcome, _ time.Duration) error {
			return q.commit(o)
		},
	}, nil
}

func (q *testQuota) Run(ctx context.Context, caller keys.Caller, tool string,
	compute keys.CallFunc) (keys.CallResult, error) {
	return keys.ReserveAndRun(ctx, q.Reserve, caller, tool, compute)
}

func (*testQuota) DailyLimit(keys.Tier) int { return 0 }

// runWith returns a Caller.Run function that runs calls within a quota.
func (s *Server) runWith(q keys.Quota) func(context.Context, *tools.Entry, []byte, call.Options) (
	*call.Result, error) {
	return func(ctx context.Context, tool *tools.Entry, body []byte,
		o call.Options) (*call.Result, error) {
		return s.calls.Run(ctx, call.Caller{Quota: q}, tool.Tool, body, o)
	}
}

func faults(path, detail string) []schema.FieldError {
	return []schema.FieldError{{Path: path, Detail: detail}}
}

// stubQueue returns one fixed job.
type stubQueue struct {
	worker.Queue
	job       worker.Job
	submitErr error
}

func (q *stubQueue) Submit(context.Context, *tools.Tool, []byte,
	worker.SubmitOptions) (worker.Job, error) {
	return q.job, q.submitErr
}

func (q *stubQueue) Wait(context.Context, string, string, time.Duration) (worker.Job, error) {
	return q.job, nil
}

func (q *stubQueue) Get(_ context.Context, id, _ string) (worker.Job, error) {
	if id != q.job.ID {
		return worker.Job{}, worker.ErrJobNotFound
	}
	return q.job, nil
}

func (q *stubQueue) KeepWarnings(context.Context, string, string, []string) error { return nil }

func (q *stubQueue) Warnings(context.Context, string, string) ([]string, error) { return nil, nil }

// schemas compiles the schemas of every tool in tools/list and returns the output schemas.
func schemas(t *testing.T, s *Server) map[string]*jsonschema.Schema {
	t.Helper()
	response, _ := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil,
		Caller{List: ListOptions{Full: true}})
	var list struct {
		Result struct {
			Tools []struct {
				Name         string          `json:"name"`
				InputSchema  json.RawMessage `json:"inputSchema"`
				OutputSchema json.RawMessage `json:"outputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(response.Body, &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]*jsonschema.Schema{}
	for _, tool := range list.Result.Tools {
		if isBatchTool(tool.Name) {
			continue // batch tools have no output schema
		}
		for part, raw := range map[string]json.RawMessage{"in": tool.InputSchema,
			"out": tool.OutputSchema} {
			var top map[string]any
			if err := json.Unmarshal(raw, &top); err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"oneOf", "anyOf", "allOf"} {
				if top[word] != nil {
					t.Errorf("%s: %s stands at the top of a schema, which model providers reject",
						tool.Name, word)
				}
			}
			if top["type"] != "object" {
				t.Errorf("%s: the schema is of type %v", tool.Name, top["type"])
			}
			compiled := schematest.Compile(t, raw)
			if part == "out" {
				out[tool.Name] = compiled
			}
		}
	}
	return out
}

// firstResponse returns the size in bytes of a response without its pictures.
func firstResponse(a Response, r rpc) (bytes int) {
	bytes = len(a.Body)
	for _, c := range r.Result.Content {
		if c.Type == "image" {
			bytes -= len(c.Data)
		}
	}
	return bytes
}

// TestStructuredResultSchemas validates the results of every worked example, and large
// results, with an independent validator. It also verifies that no response exceeds 8 kB without
// its pictures.
func TestStructuredResultSchemas(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	output := schemas(t, s)
	if len(output) != len(s.opt.Catalog.All()) {
		t.Fatalf("%d tools", len(output))
	}
	shortened := 0
	check := func(name, in string, large bool) {
		t.Helper()
		a, r := s.call(t, callBody(name, in, ""), nil, Caller{Base: "http://here"})
		if r.Error != nil || r.Result.IsError {
			t.Fatalf("%s: %v %s", name, r.Error, r.text())
		}
		if err := schematest.Validate(output[name], r.Result.Structured); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := firstResponse(a, r); n > responseLimit {
			t.Errorf("%s: the response has %d bytes, of them text %d, structured %d", name, n,
				len(r.text()), len(r.Result.Structured))
		}
		noted := strings.Contains(r.text(), "Shortened")
		if noted {
			shortened++
		}
		if large && !noted {
			t.Errorf("%s: the result is not shortened", name)
		}
	}
	for _, e := range s.opt.Catalog.All() {
		for _, x := range e.Examples {
			raw, err := e.Run(t.Context(), []byte(x.In))
			if err != nil {
				t.Fatal(err)
			}
			check(e.Name, x.In, len(raw) > responseLimit)
		}
	}
	var many strings.Builder
	many.WriteString("ladder\nV1 n0 0 SIN(0 1 1k)\n")
	for i := range 70 {
		fmt.Fprintf(&many, "R%d n%d n%d 1k\nC%d n%d 0 1n\n", i, i, i+1, i, i+1)
	}
	many.WriteString(".tran 1u 5m\n.end")
	for _, netlist := range []string{
		"rc\nV1 in 0 SIN(0 1 1meg)\nR1 in out 1k\nC1 out 0 1n\n.tran 5n 100u\n.end",
		many.String(),
	} {
		in, _ := json.Marshal(map[string]string{"netlist": netlist})
		check("spice_simulate", string(in), true)
	}
	for _, file := range []string{"led_matrix_5x5", "usb_serial_atmega328"} {
		board, err := os.ReadFile("../examples/boards/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		check("pcb_layout", string(board), true)
	}
	for _, file := range []string{"opamp_741_follower", "common_emitter", "buck_converter",
		"npn_output_curves"} {
		netlist, err := os.ReadFile("../examples/netlists/" + file + ".cir")
		if err != nil {
			t.Fatal(err)
		}
		in, _ := json.Marshal(map[string]string{"netlist": string(netlist)})
		check("spice_simulate", string(in), true)
	}
	if shortened > 18 { // at most large waveforms and the boards of pcb_layout
		t.Errorf("%d responses are shortened", shortened)
	}
}
