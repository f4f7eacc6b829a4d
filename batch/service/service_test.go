package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"slipstick/batch"
	"slipstick/internal/redistest"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

type in struct {
	N  int `json:"n" min:"0" max:"99000" default:"0" doc:"a number"`
	MS int `json:"ms" default:"0" doc:"duration"`
}

type out struct {
	Square float64 `json:"square" doc:"the square"`
	tools.Warnings
}

func define(name string, heavy *tools.Heavy, f func(context.Context, in) (out, error)) *tools.Tool {
	return tools.Define(tools.Spec{
		Name: name, Title: name, Summary: name, Method: name, Sources: []string{"test"},
		Examples: []tools.Example{{In: "{}"}}, Heavy: heavy,
	}, f)
}

// square rejects every hundredth number.
func square(ctx context.Context, i in) (out, error) {
	if i.N%100 == 99 {
		return out{}, tools.Invalid("n", "must not end in 99")
	}
	select {
	case <-time.After(time.Duration(i.MS) * time.Millisecond):
	case <-ctx.Done():
		return out{}, ctx.Err()
	}
	return out{Square: float64(i.N * i.N)}, nil
}

func newCatalog(t *testing.T) *tools.Catalog {
	t.Helper()
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test", Tools: []*tools.Tool{
		define("square", nil, square),
		define("slow_square", &tools.Heavy{Pool: "spice", Timeout: 5 * time.Second}, square),
		define("refuse", nil, func(context.Context, in) (out, error) {
			return out{}, tools.Invalid("n", "must not be%s", strings.Repeat(" such a number", 30))
		}),
		define("fragile", &tools.Heavy{Pool: "spice", Timeout: 5 * time.Second},
			func(ctx context.Context, i in) (out, error) {
				if i.N == 7 {
					panic("as asked")
				}
				return square(ctx, i)
			}),
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// forEachRedis runs a test on the embedded Redis and on a redis-server.
func forEachRedis(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("embedded", func(t *testing.T) {
		e, err := worker.StartEmbedded()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Stop)
		f(t, e.URL())
	})
	t.Run("redis", func(t *testing.T) { f(t, startRedis(t)) })
}

func startRedis(t *testing.T) string { return redistest.Start(t).URL(0) }

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("no %s within a minute", what)
		}
	}
}

// startWorker starts a worker of two slots; stop requeues its jobs.
func startWorker(t *testing.T, url string) (stop func()) { return startSlots(t, url, 2) }

// startSlots starts a worker with a number of slots; stop requeues its jobs.
func startSlots(t *testing.T, url string, slots int) (stop func()) {
	t.Helper()
	rdb, err := worker.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	all, err := batch.WorkerCatalog(newCatalog(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := worker.NewServer(worker.ServerOptions{
		Redis: rdb, Catalog: all, Concurrency: slots, ShutdownTimeout: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = s.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(func() { stop(); rdb.Close() })
	return stop
}

// api is the batch part of an API process.
type api struct {
	*Service
	queue *worker.Client
	stop  func() // ends the coordination
}

func startAPI(t *testing.T, url string, edit ...func(*Options)) *api {
	t.Helper()
	rdb, err := worker.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rdb.Close() })
	queue, err := worker.NewClient(worker.ClientOptions{Redis: rdb})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { queue.Close() })
	o := Options{
		Redis: rdb, Catalog: newCatalog(t), Queue: queue,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, e := range edit {
		e(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	a := &api{Service: s, queue: queue, stop: func() { cancel(); <-ended }}
	t.Cleanup(a.stop)
	return a
}

func (a *api) create(t *testing.T, body string) *Batch {
	t.Helper()
	p, err := a.Plan([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := a.Create(t.Context(), keys.Caller{Address: netip.MustParseAddr("203.0.113.7")}, p,
		[]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wait waits until a batch is finalized and returns it.
func (a *api) wait(t *testing.T, id string) *Batch {
	t.Helper()
	var b *Batch
	eventually(t, "end of the batch", func() bool {
		var err error
		if b, err = a.Get(t.Context(), id, ""); err != nil {
			t.Fatal(err)
		}
		return b.State.Finished() && b.Summary != nil
	})
	return b
}

// TestDoneHasSummary verifies that a batch is not done for its caller before its summary is stored.
func TestDoneHasSummary(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		b := a.wait(t, a.create(t, search).ID)
		a.stop()
		key := recordKey(b.ID)
		summary, err := a.store.rdb.HGet(t.Context(), key, "summary").Result()
		if err != nil || b.State != Done {
			t.Fatal(b.State, err)
		}
		states := func() (got, listed State) {
			t.Helper()
			b, err := a.Get(t.Context(), b.ID, "")
			all, listErr := a.List(t.Context(), "")
			if err != nil || listErr != nil || len(all) != 1 {
				t.Fatal(err, listErr, len(all))
			}
			return b.State, all[0].State
		}
		if err := a.store.rdb.HDel(t.Context(), key, "summary").Err(); err != nil {
			t.Fatal(err)
		}
		if got, listed := states(); got != Running || listed != Running {
			t.Errorf("without its summary the batch is %s, in the list %s", got, listed)
		}
		if err := a.store.rdb.HSet(t.Context(), key, "summary", summary).Err(); err != nil {
			t.Fatal(err)
		}
		if got, listed := states(); got != Done || listed != Done {
			t.Errorf("with its summary the batch is %s, in the list %s", got, listed)
		}
	})
}

// check compares the rows and the summary of a batch with the results of Plan.Execute.
func (a *api) check(t *testing.T, body string, b *Batch) {
	t.Helper()
	p, err := a.Plan([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Execute(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []batch.Run
	for len(got) < len(want) {
		page, err := a.Rows(t.Context(), b.ID, "", len(got), 1000, false)
		if err != nil || len(page.Rows.Runs) == 0 {
			t.Fatalf("%d of %d rows, %v", len(got), len(want), err)
		}
		got = append(got, page.Rows.Runs...)
	}
	failed := 0
	for i := range want {
		if want[i].Err != "" {
			failed++
		}
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
		}
	}
	if b.State != Done || len(got) != len(want) || b.RunsDone != len(want) ||
		b.RunsTotal != len(want) || b.RunsFailed != failed {
		t.Errorf("%+v, want %d runs, %d failed", b, len(want), failed)
	}
	summary, err := json.Marshal(p.Summarize(want))
	if err != nil {
		t.Fatal(err)
	}
	var x, y any
	if json.Unmarshal(summary, &x) != nil || json.Unmarshal(b.Summary, &y) != nil ||
		!reflect.DeepEqual(x, y) {
		t.Errorf("summary %s, want %s", b.Summary, summary)
	}
}

const (
	syncSweep = `{"tool": "square", "vary": [{"field": "/n", "from": 0, "to": 11999, "points": 12000}]}`
	slow      = `{"tool": "slow_square", "input": {"ms": 5}, "vary": [{"field": "/n", "from": 0, "to": 999, "points": 1000}]}`
	search    = `{"tool": "square", "mode": "list", "inputs": [{"n": 3}, {"n": 199}, {"n": 5, "ms": 1}]}`
	best      = `{"tool": "slow_square", "mode": "minimize", "objective": "square", "n": 40, "vary": [{"field": "/n", "values": [5, 4, 3, 2, 1, 9]}]}`
)

// TestEqualsSingleCalls verifies that the rows and statistics of a batch on workers equal the
// results of Plan.Execute.
func TestEqualsSingleCalls(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		for _, body := range []string{syncSweep, search, best} {
			a.check(t, body, a.wait(t, a.create(t, body).ID))
		}
	})
}

// TestTakeover verifies that each index has one row and that the counts are exact after a worker is
// stopped and the coordinating process is replaced.
func TestTakeover(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		stopWorker := startWorker(t, url)
		startWorker(t, url)
		first := startAPI(t, url)
		b := first.create(t, slow)
		second := startAPI(t, url)
		some := func(n int) func() bool {
			return func() bool {
				g, err := second.Get(t.Context(), b.ID, "")
				if err != nil {
					t.Fatal(err)
				}
				return g.RunsDone >= n
			}
		}
		eventually(t, "rows", some(1))
		first.stop()
		stopWorker()
		b = second.wait(t, b.ID)
		second.check(t, slow, b)
		segments, err := second.store.segments(t.Context(), b.ID)
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, g := range segments {
			if g.from != next {
				t.Fatalf("rows from %d, want %d", g.from, next)
			}
			next += g.count
		}
	})
}

// TestFencing verifies that a coordinator without the lease writes nothing.
func TestFencing(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		a := startAPI(t, url)
		a.stop()
		b := a.create(t, slow)
		ctx := t.Context()
		if id, err := a.store.lease(ctx, "new"); id != b.ID || err != nil {
			t.Fatal(id, err)
		}
		if id, err := a.store.lease(ctx, "other"); id != "" || err != nil {
			t.Fatal("leased twice", id, err)
		}
		e := chunkResult{runs: []batch.Run{{Collected: []float64{1}},
			{Collected: []float64{2}, Err: "x"}}}
		if err := a.store.commit(ctx, b.ID, "old", 0, &e); !errors.Is(err, errLost) {
			t.Error("an old coordinator commits:", err)
		}
		for range 2 {
			if err := a.store.commit(ctx, b.ID, "new", 0, &e); err != nil {
				t.Error(err)
			}
		}
		if g, err := a.Get(ctx, b.ID, ""); err != nil || g.RunsDone != 2 || g.RunsFailed != 1 {
			t.Errorf("%+v %v", g, err)
		}
		if err := a.store.end(ctx, b.ID, "old", Done, "", 2); !errors.Is(err, errLost) {
			t.Error("an old coordinator ends the batch:", err)
		}
		if err := a.store.end(ctx, b.ID, "new", Done, "", 1000); !errors.Is(err, errRows) {
			t.Error("a batch ends without its rows:", err)
		}
		if err := a.store.finalize(ctx, b.ID, "new", []byte("null")); !errors.Is(err, errLost) {
			t.Error("a running batch is finalized:", err)
		}
	})
}

// TestCrash verifies that a run that crashes yields one failed row, and that the other runs keep
// their results.
func TestCrash(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		b := a.wait(t,
			a.create(t,
				`{"tool": "fragile", "vary": [{"field": "/n", "from": 0, "to": 19, "points": 20}]}`).ID)
		page, err := a.Rows(t.Context(), b.ID, "", 0, 100, false)
		if err != nil || b.State != Done || b.RunsDone != 20 || b.RunsFailed != 1 ||
			len(page.Rows.Runs) != 20 {
			t.Fatalf("%+v %v", b, err)
		}
		for i, r := range page.Rows.Runs {
			if (r.Err != "") != (i == 7) || i != 7 && r.Collected[0] != float64(i*i) ||
				string(r.Values[0]) != fmt.Sprint(i) {
				t.Errorf("row %d: %+v", i, r)
			}
		}
	})
}

// TestCancel verifies that a cancelled batch keeps its rows and gains none.
func TestCancel(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		a := startAPI(t, url)
		b := a.create(t, `{"tool": "slow_square", "input": {"ms": 300}, "vary": [{"field": "/n", "from": 0, "to": 999, "points": 1000}]}`)
		eventually(t, "rows", func() bool {
			g, err := a.Get(t.Context(), b.ID, "")
			return err == nil && g.RunsDone > 0
		})
		if _, err := a.Cancel(t.Context(), b.ID, "another"); !errors.Is(err, ErrNotFound) {
			t.Error("another caller cancels:", err)
		}
		c, err := a.Cancel(t.Context(), b.ID, "")
		if err != nil || c.State != Cancelled || c.FinishedAt == nil {
			t.Fatalf("%+v %v", c, err)
		}
		g := a.wait(t, b.ID)
		page, err := a.Rows(t.Context(), b.ID, "", 0, 1000, true)
		if err != nil || g.RunsDone != c.RunsDone || len(page.Rows.Runs) != g.RunsDone ||
			page.Total != 1000 {
			t.Errorf("%+v after %+v, %d rows, %v", g, c, len(page.Rows.Runs), err)
		}
		eventually(t, "idle worker", func() bool {
			list, err := a.queue.InFlight(t.Context(), "spice", 10)
			return err == nil && len(list) == 0
		})
	})
}

// TestBounds verifies that too many unfinished batches are rejected, and that the oldest ended
// batch is evicted for a new one. It also verifies that a batch with too many bytes of rows is
// invalid and that ended batches expire.
func TestBounds(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		startWorker(t, url)
		now := time.Now()
		a := startAPI(t, url, func(o *Options) {
			o.TotalBytes, o.BatchBytes, o.CallerShare, o.MaxUnfinished = 12000, 4000, 1, 2
			o.Now = func() time.Time { return now }
		})
		large :=
			`{"tool": "square", "vary": [{"field": "/n", "from": 0, "to": 200, "points": 201}]}`
		var invalid *tools.InputError
		if _, err := a.Plan([]byte(large)); !errors.As(err, &invalid) ||
			invalid.Fields[0].Path != "collect" ||
			!strings.Contains(err.Error(), "more than the 0.00381 MiB that one batch may store") {
			t.Error(err)
		}
		small := `{"tool": "square", "vary": [{"field": "/n", "from": 0, "to": 4, "points": 5}]}`
		first := a.wait(t, a.create(t, small).ID)
		if first.State != Done {
			t.Fatalf("%+v", first)
		}
		for range 6 {
			a.wait(t, a.create(t, small).ID)
		}
		if _, err := a.Get(t.Context(), first.ID, ""); !errors.Is(err, ErrNotFound) {
			t.Error("no room was made:", err)
		}
		last := a.wait(t, a.create(t, small).ID)
		now = now.Add(25 * time.Hour)
		if _, err := a.Get(t.Context(), last.ID, ""); !errors.Is(err, ErrNotFound) {
			t.Error("an expired batch:", err)
		}
		now = now.Add(-25 * time.Hour)
		a.stop()
		a.create(t, small)
		a.create(t, small)
		p, err := a.Plan([]byte(small))
		if err != nil {
			t.Fatal(err)
		}
		var busy *worker.BusyError
		if _, _, err := a.Create(t.Context(), keys.Caller{}, p, []byte(small)); !errors.As(err,
			&busy) {
			t.Error("a third unfinished batch:", err)
		}
	})
}

// TestSizeLimit verifies that neither the input, a list of inputs nor a varied field can raise the
// size limit of a tool.
func TestSizeLimit(t *testing.T) {
	tool := define("square", nil, square)
	tool.SizeLimit = &tools.SizeLimit{Input: "n", Default: 10, Max: 99}
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test",
		Tools: []*tools.Tool{tool}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := startAPI(t, startRedis(t), func(o *Options) { o.Catalog = c })
	for body, valid := range map[string]bool{
		`{"tool":"square","input":{"n":10},"vary":[{"field":"/ms","values":[0,1]}]}`: true,
		`{"tool":"square","input":{"n":11},"vary":[{"field":"/ms","values":[0,1]}]}`: false,
		`{"tool":"square","vary":[{"field":"/n","values":[1,99]}]}`:                  false,
		`{"tool":"square","mode":"list","inputs":[{"n":1},{"n":99}]}`:                false,
	} {
		if _, err := s.Plan([]byte(body)); (err == nil) != valid {
			t.Errorf("%s: %v", body, err)
		}
	}
}
