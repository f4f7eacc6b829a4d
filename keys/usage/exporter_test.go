package usage

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"slipstick/keys"
	"slipstick/keys/sqlite"
)

type fixture struct {
	book  Store
	store *faultyStore
	calls int64
}

// faultyStore fails before or after it stores a batch, like a database whose connection breaks.
type faultyStore struct {
	keys.Store
	n atomic.Int64
	// fail returns the failure of the nth AddUsage: 1 before it, 2 after it, 0 none.
	fail func(n int64) int
}

var errBroken = errors.New("the connection broke")

func (s *faultyStore) AddUsage(ctx context.Context, id string,
	uses []keys.UsageRecord) (bool, error) {
	how := 0
	if s.fail != nil {
		how = s.fail(s.n.Add(1))
	}
	if how == 1 {
		return false, errBroken
	}
	fresh, err := s.Store.AddUsage(ctx, id, uses)
	if how == 2 {
		return false, errBroken
	}
	return fresh, err
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	book, err := OpenSQLite(t.Context(), Memory)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close(); store.Close() })
	err = store.Insert(t.Context(), keys.Record{Hash: [32]byte{1}, Prefix: "sl_000000001",
		Tier: keys.Developer, Owner: "o", CreatedAt: day, ExpiresAt: day.AddDate(10, 0, 0)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{book: book, store: &faultyStore{Store: store}}
}

func (f *fixture) use(t *testing.T, outcome keys.Outcome) {
	t.Helper()
	if outcome != keys.ServerError {
		f.calls++
	}
	u := keys.UsageRecord{Prefix: "sl_000000001", Tool: "fspl", Day: day, Outcome: outcome,
		Calls: 1, ComputeMS: 1, LastUsed: day.Add(time.Duration(f.calls) * time.Minute)}
	if err := f.book.Commit(t.Context(), &Batch{Records: []keys.UsageRecord{u}}); err != nil {
		t.Fatal(err)
	}
}

// check compares the record of the key with the calls.
func (f *fixture) check(t *testing.T) {
	t.Helper()
	r, err := f.store.ByHash(t.Context(), [32]byte{1})
	if err != nil || r.RequestCount != f.calls || r.LastUsedAt == nil ||
		!r.LastUsedAt.Equal(day.Add(time.Duration(f.calls)*time.Minute)) {
		t.Errorf("%+v %v, want %d calls", r, err, f.calls)
	}
}

func TestExport(t *testing.T) {
	f := newFixture(t)
	m := NewExporter(ExporterOptions{Counters: f.book, Keys: f.store})
	for range 5 {
		for range 3 {
			f.use(t, keys.Computed)
			f.use(t, keys.Invalid)
		}
		if err := m.move(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		f.check(t)
	}
	f.use(t, keys.ServerError)
	if err := m.move(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	uses, err := f.store.Usage(t.Context(), keys.Scope{All: true}, "sl_000000001", day, day)
	if err != nil || len(uses) != 3 {
		t.Errorf("%v %v", uses, err)
	}
}

// TestBrokenStore verifies that a batch is stored once, regardless of whether it was stored when
// the connection broke.
func TestBrokenStore(t *testing.T) {
	f := newFixture(t)
	f.store.fail = func(n int64) int { return int(n % 3) }
	m := NewExporter(ExporterOptions{Counters: f.book, Keys: f.store,
		Log: slog.New(slog.DiscardHandler)})
	for range 60 {
		f.use(t, keys.Computed)
		m.flush(t.Context(), flushTimeout, false)
	}
	f.store.fail = nil
	for range 2 { // the second flush rotates records that stayed open because of maxBatches
		m.flush(t.Context(), flushTimeout, true)
	}
	f.check(t)
	if ids, err := f.book.Batches(t.Context()); err != nil || len(ids) != 0 {
		t.Errorf("left behind: %v %v", ids, err)
	}
}

// TestLag verifies that the lag grows while records cannot be stored, and falls when they are.
func TestLag(t *testing.T) {
	f := newFixture(t)
	now := day
	m := NewExporter(ExporterOptions{Counters: f.book, Keys: f.store,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time {
			return now
		}})
	lagOf := func() float64 {
		ch := make(chan prometheus.Metric, 1)
		m.Collect(ch)
		var out dto.Metric
		if err := (<-ch).Write(&out); err != nil {
			t.Fatal(err)
		}
		return out.GetGauge().GetValue()
	}
	f.use(t, keys.Computed)
	f.store.fail = func(int64) int { return 1 }
	now = now.Add(10 * time.Second)
	m.flush(t.Context(), flushTimeout, true)
	if got := lagOf(); got != 10 {
		t.Errorf("while the store is away: %g s, want 10", got)
	}
	f.store.fail = nil
	now = now.Add(20 * time.Second)
	m.flush(t.Context(), flushTimeout, true)
	now = now.Add(time.Second)
	if got := lagOf(); got != 1 {
		t.Errorf("a second after everything was stored: %g s, want 1", got)
	}
	f.check(t)
}

// TestSeveralExporters verifies that each batch is added once, including the batches of an exporter
// that stopped after Rotate.
func TestSeveralExporters(t *testing.T) {
	f := newFixture(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{}, 3)
	for range 3 {
		m := NewExporter(ExporterOptions{Counters: f.book, Keys: f.store, Every: time.Millisecond})
		go func() { m.Run(ctx); ended <- struct{}{} }()
	}
	for i := range 300 {
		f.use(t, keys.Computed)
		if i%50 == 0 {
			if err := f.book.Rotate(t.Context(), NewID()); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop()
	for range 3 {
		<-ended
	}
	f.check(t)
}
