package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"slipstick/keys"
	"slipstick/keys/keystest"
	"slipstick/keys/quota"
	"slipstick/keys/usage"
	"slipstick/tools"
	"slipstick/worker"
	"slipstick/worker/queuetest"
)

type input struct {
	Do   string `json:"do" enum:"add,panic,fail,block" default:"add" doc:"What the tool does"`
	X    int    `json:"x" min:"0" max:"9" default:"1" doc:"A number"`
	Name string `json:"name" default:"" doc:"Makes a job of its own"`
}

type output struct {
	Double int `json:"double" unit:"1" doc:"Twice x"`
	tools.Warnings
}

// newTool defines a tool. A run with "do":"block" sends its name to blocked, and blocks until its
// context ends or end is closed. If its context ends, it sends its name to stopped.
func (b *bench) newTool(name string, heavy *tools.Heavy, end <-chan struct{}) *tools.Tool {
	return tools.Define(tools.Spec{
		Name: name, Title: "Double", Summary: "Doubles", Method: "2x", Sources: []string{"Euclid"},
		Examples:    []tools.Example{{Title: "one", In: `{}`, Want: `{"double":2}`}},
		Heavy:       heavy,
		Interactive: map[string]json.RawMessage{"x": json.RawMessage("3")},
	}, func(ctx context.Context, in input) (out output, err error) {
		switch in.Do {
		case "panic":
			panic("the secret of the tool")
		case "fail":
			return out, errors.New("the secret cause")
		case "block":
			b.blocked <- in.Name
			select {
			case <-ctx.Done():
				b.stopped <- in.Name
				return out, ctx.Err()
			case <-end:
			}
		}
		out.Double = 2 * in.X
		return out, nil
	})
}

// bench is a Runner over an embedded Redis with a worker, and over quotas and usage in SQLite.
type bench struct {
	*Runner
	sync, queued *tools.Tool
	key          string // key of the tier Free
	paid         string
	queue        *worker.Client
	log          *lockedBuffer
	metrics      *prometheus.Registry
	spans        *tracetest.SpanRecorder
	blocked      chan string // names of runs that block
	stopped      chan string // names of blocked runs whose context ended
	book         usage.Store
}

// dayLimit is the daily quota of limited callers.
const dayLimit = 5

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{
		log: &lockedBuffer{}, metrics: prometheus.NewRegistry(), spans: tracetest.NewSpanRecorder(),
		blocked: make(chan string, 10), stopped: make(chan string, 10),
	}
	end := make(chan struct{})
	b.sync = b.newTool("double", nil, end)
	heavy := &tools.Heavy{Pool: "test", Timeout: 20 * time.Second}
	b.queued = b.newTool("slow_double", heavy, end)
	all, err := tools.NewCatalog([]tools.Category{
		{Name: "test", Title: "Test", Tools: []*tools.Tool{b.sync, b.queued}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rdb := queuetest.Redis(t)
	queuetest.Serve(t, worker.ServerOptions{Redis: rdb, Catalog: all, Concurrency: 2})
	b.queue = queuetest.Client(t, worker.ClientOptions{Redis: rdb})
	t.Cleanup(func() { close(end) })
	log := slog.New(slog.NewTextHandler(b.log, nil))
	b.Runner, err = NewRunner(RunnerOptions{
		Quota: b.startQuota(t), Queue: b.queue, Log: log, Metrics: b.metrics,
		Tracer: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(b.spans)).Tracer("test"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) startQuota(t *testing.T) keys.Quota {
	t.Helper()
	var err error
	service := keystest.NewService(t)
	for tier, key := range map[keys.Tier]*string{keys.Free: &b.key, keys.Agent: &b.paid} {
		if *key, _, err = service.Issue(t.Context(), keys.IssueParams{Tier: tier}); err != nil {
			t.Fatal(err)
		}
	}
	if b.book, err = usage.OpenSQLite(t.Context(), usage.Memory); err != nil {
		t.Fatal(err)
	}
	counts := usage.New(usage.Options{Store: b.book})
	t.Cleanup(func() { counts.Close(); _ = b.book.Close() })
	return quota.New(quota.Options{Keys: service, Counter: counts, Limits: map[keys.Tier]int{
		keys.Anonymous: dayLimit, keys.Free: dayLimit,
	}})
}

// free returns the caller with the free key.
func (b *bench) free() Caller {
	return Caller{
		Caller:    keys.Caller{Key: b.key, Address: netip.MustParseAddr("203.0.113.7")},
		RequestID: "request-1",
	}
}

// remaining calls the synchronous tool and returns the number of calls that the caller had left for
// the day before.
func (b *bench) remaining(t *testing.T, caller Caller) int {
	t.Helper()
	r, err := b.Run(t.Context(), caller, b.sync, []byte(`{}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Allowance.Remaining + 1
}

// used returns the number of recorded calls by outcome, since the start or the previous call of
// used.
func (b *bench) used(t *testing.T) map[keys.Outcome]int64 {
	t.Helper()
	id := usage.NewID()
	if err := b.book.Rotate(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	list, err := b.book.ReadBatch(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	all := map[keys.Outcome]int64{}
	for _, u := range list {
		all[u.Outcome] += u.Calls
	}
	return all
}

// observed returns the number of observations of the metric for a tool and an outcome.
func (b *bench) observed(t *testing.T, tool string, o keys.Outcome) uint64 {
	t.Helper()
	families, err := b.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["tool"] == tool && labels["outcome"] == string(o) {
				return m.GetHistogram().GetSampleCount()
			}
		}
	}
	return 0
}

// lockedBuffer is a log for concurrent writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
