package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
	"slipstick/tools/catalog"
	"slipstick/worker"
	"slipstick/worker/queuetest"
)

// wholeCatalog returns a catalog of all tools.
func wholeCatalog(t testing.TB) *tools.Catalog {
	t.Helper()
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// newServer returns a server, over the whole catalog unless the options have another.
func newServer(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Catalog == nil {
		o.Catalog = wholeCatalog(t)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newQueue starts a worker that computes in this process, and returns its queue.
func newQueue(t testing.TB, rdb redis.UniversalClient, all *tools.Catalog) worker.Queue {
	t.Helper()
	queue := queuetest.Client(t, worker.ClientOptions{Redis: rdb})
	queuetest.Serve(t, worker.ServerOptions{Redis: rdb, Catalog: all, Concurrency: 2})
	return queue
}

type stepsIn struct {
	Steps  int    `json:"steps" min:"1" max:"1000" doc:"How many"`
	Points int    `json:"points" min:"0" max:"100000" default:"0" doc:"Length of the vectors"`
	Name   string `json:"name" default:"" doc:"Makes a job of its own"`
}

type stepsOut struct {
	Steps   int                  `json:"steps" unit:"1" doc:"As asked for"`
	Vectors map[string][]float64 `json:"vectors" unit:"V" doc:"Some numbers"`
	Files   map[string]string    `json:"files" doc:"Some texts"`
	tools.Warnings
}

// stepEvery is the duration of a step of the tool "steps".
const stepEvery = 20 * time.Millisecond

// steps returns a queued tool that reports each of its steps. Unless the channel stopped is nil, it
// receives the name of each cancelled run.
func steps(stopped chan<- string) *tools.Tool {
	return tools.Define(tools.Spec{
		Name: "steps", Title: "Steps", Summary: "Takes steps", Method: "One after the other",
		Sources:  []string{"Zeno"},
		Heavy:    &tools.Heavy{Pool: "test", Timeout: 20 * time.Second},
		Examples: []tools.Example{{Title: "one", In: `{"steps":1}`, Want: `{"steps":1}`}},
	}, func(ctx context.Context, in stepsIn) (stepsOut, error) {
		out := stepsOut{Steps: in.Steps, Vectors: map[string][]float64{},
			Files: map[string]string{}}
		for i := range in.Steps {
			select {
			case <-time.After(stepEvery):
			case <-ctx.Done():
				if stopped != nil {
					stopped <- in.Name
				}
				return out, ctx.Err()
			}
			tools.Report(ctx, tools.Progress{Phase: "stepping",
				Percent: 100 * float64(i+1) / float64(in.Steps)})
		}
		for _, name := range []string{"time", "v(a)"} {
			if in.Points > 0 {
				out.Vectors[name] = make([]float64, in.Points)
			}
			for i := range in.Points {
				out.Vectors[name][i] = float64(i)
			}
		}
		if in.Points > 0 {
			out.Vectors["v(a)"][in.Points/3] = -7.5
			out.Files["a.gtl"] = strings.Repeat("G04*\n", 1000)
		}
		return out, nil
	})
}

func stepsCatalog(t testing.TB, stopped chan<- string) *tools.Catalog {
	t.Helper()
	panics := tools.Define(tools.Spec{
		Name: "panics", Title: "Panic", Summary: "Panics", Method: "Panic",
		Sources:  []string{"Pan"},
		Examples: []tools.Example{{Title: "any", In: `{"steps":1}`}},
	}, func(context.Context, stepsIn) (stepsOut, error) { panic("the secret of the tool") })
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test",
		Tools: []*tools.Tool{steps(stopped), panics}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rpc is a decoded response.
type rpc struct {
	ID     json.RawMessage `json:"id"`
	Error  *rpcError       `json:"error"`
	Result struct {
		Contents []struct{ Text, Blob, MIMEType string } // of a resource
		Content  []struct {
			Type string `json:"type"`
			Text string `json:"text"`
			URI  string `json:"uri"`
			Data string `json:"data"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	} `json:"result"`
}

func (r *rpc) text() string {
	if len(r.Result.Content) == 0 {
		return ""
	}
	return r.Result.Content[0].Text
}

func callBody(tool, arguments string, token string) string {
	meta := ""
	if token != "" {
		meta = `"_meta":{"progressToken":` + token + `},`
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `"name":"` + tool +
		`","arguments":` + arguments + `}}`
}

// events collects the notifications of a call.
type events struct {
	mu   sync.Mutex
	list [][]byte
}

func (e *events) notify(event []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, event)
}

func (e *events) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.list)
}

// call sends a message within a session and returns the response.
func (s *Server) call(t testing.TB, body string, notify func([]byte),
	caller ...Caller) (Response, rpc) {
	t.Helper()
	r := Request{Body: []byte(body), Session: s.sessions.create()}
	if len(caller) > 0 {
		r.Caller = caller[0]
	}
	response, err := s.Parse(t.Context(), r).Handle(t.Context(), notify)
	if err != nil {
		t.Fatal(err)
	}
	var decoded rpc
	if response.Body != nil {
		if err := json.Unmarshal(response.Body, &decoded); err != nil {
			t.Fatalf("%v: %s", err, response.Body)
		}
	}
	return response, decoded
}

// eventually waits until ok returns true, and fails the test after 20 s.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(
		5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("without: %s", what)
}

// contents returns the text of a resources/read response.
func (r rpc) contents(t *testing.T) string {
	t.Helper()
	if r.Error != nil || len(r.Result.Contents) != 1 {
		t.Fatalf("%+v", r)
	}
	return r.Result.Contents[0].Text
}
