package quota

import (
	"context"
	"errors"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"slipstick/keys"
	"slipstick/keys/usage"
)

type finder map[string]keys.Record

func (f finder) Lookup(_ context.Context, key string) (keys.Record, error) {
	if r, ok := f[key]; ok {
		return r, nil
	}
	return keys.Record{}, &keys.InvalidKeyError{Reason: "no such key"}
}

var known = finder{
	"sl_free":  {Prefix: "sl_free00001", Tier: keys.Free},
	"sl_free2": {Prefix: "sl_free00002", Tier: keys.Free},
	"sl_paid":  {Prefix: "sl_paid00001", Tier: keys.Agent},
}

// bench is a Limiter over a Store in memory, with a clock that the test sets.
type bench struct {
	*Limiter
	store usage.Store
	mu    sync.Mutex
	now   time.Time
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) set(t time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = t
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func newBench(t *testing.T, path string) *bench {
	t.Helper()
	store, err := usage.OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	l := usage.New(usage.Options{Store: store})
	t.Cleanup(func() { l.Close(); _ = store.Close() })
	b := &bench{store: store, now: noon}
	b.Limiter = New(Options{Keys: known, Counter: l, Limits: map[keys.Tier]int{keys.Anonymous: 5,
		keys.Free: 8}, Now: b.clock})
	return b
}

func from(address string) keys.Caller { return keys.Caller{Address: netip.MustParseAddr(address)} }

func (b *bench) call(t *testing.T, caller keys.Caller,
	outcome keys.Outcome) (*keys.Reservation, error) {
	t.Helper()
	p, err := b.Reserve(t.Context(), caller, 1)
	if err != nil {
		return nil, err
	}
	if err := p.Commit(t.Context(), "fspl", outcome, 1500*time.Microsecond); err != nil {
		t.Fatal(err)
	}
	return p, nil
}

func (b *bench) uses(t *testing.T) map[string]keys.UsageRecord {
	t.Helper()
	id := usage.NewID()
	if err := b.store.Rotate(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	list, err := b.store.ReadBatch(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]keys.UsageRecord{}
	for _, u := range list {
		all[u.Prefix+" "+string(u.Outcome)] = u
	}
	return all
}

// TestWhoseDay verifies which callers share a daily quota, and that the day ends at 00:00 UTC.
func TestWhoseDay(t *testing.T) {
	for _, c := range []struct {
		name         string
		first, other keys.Caller
		limit        int
		shared       bool
	}{
		{"one IPv4 address", from("203.0.113.7"), from("203.0.113.7"), 5, true},
		{"two IPv4 addresses", from("203.0.113.7"), from("203.0.113.8"), 5, false},
		{"IPv4 written as IPv6", from("203.0.113.7"), from("::ffff:203.0.113.7"), 5, true},
		{"one IPv6 /64", from("2001:db8:1:2::1"), from("2001:db8:1:2:ffff:ffff:ffff:ffff"), 5,
			true},
		{"two IPv6 /64", from("2001:db8:1:2::1"), from("2001:db8:1:3::1"), 5, false},
		{"a zone", from("fe80::1%eth0"), from("fe80::1%eth1"), 5, true},
		{"unknown addresses", keys.Caller{}, keys.Caller{}, 5, true},
		{"an address and a key", from("203.0.113.7"),
			keys.Caller{Key: "sl_free", Address: netip.MustParseAddr("203.0.113.7")}, 5, false},
		{"a key from two addresses",
			keys.Caller{Key: "sl_free", Address: netip.MustParseAddr("203.0.113.7")},
			keys.Caller{Key: "sl_free", Address: netip.MustParseAddr("203.0.113.8")}, 8, true},
		{"two keys from one address", keys.Caller{Key: "sl_free"}, keys.Caller{Key: "sl_free2"}, 8,
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, usage.Memory)
			for i := range c.limit {
				p, err := b.call(t, c.first, keys.Computed)
				if err != nil {
					t.Fatal(err)
				}
				want := keys.Allowance{Limit: c.limit, Remaining: c.limit - 1 - i,
					Window: 24 * time.Hour, Reset: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)}
				if p.Allowance != want {
					t.Errorf("%+v, want %+v", p.Allowance, want)
				}
			}
			_, err := b.call(t, c.other, keys.Computed)
			var limit *keys.LimitError
			if errors.As(err, &limit) != c.shared {
				t.Fatalf("the other: %v", err)
			}
			if !c.shared {
				return
			}
			if limit.Policy != "day" || limit.RetryAfter != 12*time.Hour ||
				limit.Allowance.Limit != c.limit || limit.Allowance.Remaining != 0 {
				t.Errorf("%+v", limit)
			}
			b.set(noon.Add(12*time.Hour - time.Nanosecond))
			if _, err := b.call(t, c.other, keys.Computed); err == nil {
				t.Error("admitted in the last moment of the day")
			}
			b.set(noon.Add(12 * time.Hour))
			if p, err := b.call(t, c.other, keys.Computed); err != nil ||
				p.Allowance.Remaining != c.limit-1 {
				t.Errorf("on the next day: %+v %v", p, err)
			}
		})
	}
}

// TestWhatCounts verifies that computed and invalid calls count, and that calls with a server error
// are refunded and recorded. Calls of paid keys are only recorded; a rejected call is neither
// counted nor recorded.
func TestWhatCounts(t *testing.T) {
	b := newBench(t, usage.Memory)
	free, paid := keys.Caller{Key: "sl_free"}, keys.Caller{Key: "sl_paid"}
	for range 4 {
		for _, o := range []keys.Outcome{keys.ServerError, keys.Computed, keys.Invalid} {
			if _, err := b.call(t, free, o); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := b.call(t, free, keys.Computed); err == nil {
		t.Error("the ninth call that counts was admitted")
	}
	for range 100 {
		p, err := b.call(t, paid, keys.Computed)
		if err != nil || p.Allowance != (keys.Allowance{}) || !p.Tier.Paid() {
			t.Fatal(p, err)
		}
	}
	uses := b.uses(t)
	for name, calls := range map[string]int64{"sl_free00001 computed": 4, "sl_free00001 invalid": 4,
		"sl_free00001 unserved": 4, "sl_paid00001 computed": 100} {
		want := keys.UsageRecord{
			Prefix: name[:12], Tool: "fspl", Day: noon.Truncate(24 * time.Hour),
			Outcome: keys.Outcome(name[13:]),
			Calls:   calls, ComputeMS: 1.5 * float64(calls), LastUsed: noon,
		}
		if uses[name] != want {
			t.Errorf("%s: %+v, want %+v", name, uses[name], want)
		}
	}
	if len(uses) != 4 {
		t.Errorf("%v", uses)
	}
}

// TestRun verifies that Run counts a call as Reserve and Commit do. It also verifies that Run
// executes no further calls after it has rejected a call for an exhausted quota.
func TestRun(t *testing.T) {
	b := newBench(t, usage.Memory)
	free := keys.Caller{Key: "sl_free"}
	computed := 0
	run := func(outcome keys.Outcome) (keys.Allowance, error) {
		r, err := b.Run(t.Context(), free, "fspl",
			func(context.Context) (keys.Outcome, time.Duration) {
				computed++
				return outcome, 1500 * time.Microsecond
			})
		if err == nil && (r.Outcome != outcome || r.Tier != keys.Free) {
			t.Errorf("%+v, want %s of a free key", r, outcome)
		}
		return r.Allowance, err
	}
	for i := range 8 {
		if _, err := run(keys.ServerError); err != nil {
			t.Fatal(err)
		}
		outcome := []keys.Outcome{keys.Computed, keys.Invalid}[i%2]
		if left, err := run(outcome); err != nil || left.Remaining != 7-i || left.Limit != 8 {
			t.Fatalf("call %d: %+v %v", i, left, err)
		}
	}
	for i := range 10 {
		var limit *keys.LimitError
		if _, err := run(keys.Computed); !errors.As(err, &limit) || limit.Policy != "day" {
			t.Fatalf("%v", err)
		}
		if want := 17; computed != want {
			t.Errorf("%d calls were computed after %d refusals, want %d", computed, i+1, want)
		}
	}
	uses := b.uses(t)
	for name, calls := range map[string]int64{"sl_free00001 computed": 4, "sl_free00001 invalid": 4,
		"sl_free00001 unserved": 8} {
		if u := uses[name]; u.Calls != calls || u.ComputeMS != 1.5*float64(calls) {
			t.Errorf("%s: %+v, want %d", name, u, calls)
		}
	}
	if len(uses) != 3 {
		t.Errorf("%v", uses)
	}
	b.set(noon.Add(12 * time.Hour))
	if left, err := run(keys.Computed); err != nil || left.Remaining != 7 {
		t.Errorf("on the next day: %+v %v", left, err)
	}
	if _, err := b.Run(t.Context(), keys.Caller{Key: "sl_wrong"}, "fspl",
		func(context.Context) (keys.Outcome, time.Duration) {
			t.Error("computed for a key that is not good")
			return keys.Computed, 0
		}); err == nil {
		t.Error("a key that is not good was let in")
	}
}

// TestGivenBack verifies that a caller with an exhausted quota is admitted again after a refund.
func TestGivenBack(t *testing.T) {
	b := newBench(t, usage.Memory)
	caller := from("203.0.113.7")
	held, err := b.Reserve(t.Context(), caller, 5)
	if err != nil {
		t.Fatal(err)
	}
	run := func() error {
		_, err := b.Run(t.Context(), caller, "fspl",
			func(context.Context) (keys.Outcome, time.Duration) {
				return keys.Computed, 0
			})
		return err
	}
	for range 2 {
		if run() == nil {
			t.Error("let in over the limit")
		}
	}
	if err := held.Commit(t.Context(), "pcb_layout", keys.ServerError, 0); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := run(); err != nil {
			t.Error(err)
		}
	}
	if run() == nil {
		t.Error("let in over the limit")
	}
}

// TestUnknownKey verifies that an invalid key is rejected and not treated as a missing key.
func TestUnknownKey(t *testing.T) {
	b := newBench(t, usage.Memory)
	var unknown *keys.InvalidKeyError
	if _, err := b.call(t,
		keys.Caller{Key: "sl_wrong", Address: netip.MustParseAddr("203.0.113.7")},
		keys.Computed); !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
}

// TestItems verifies that a request for several calls is accepted as a whole or not at all. It also
// verifies that a request for no calls costs nothing.
func TestItems(t *testing.T) {
	b := newBench(t, usage.Memory)
	caller := from("203.0.113.7")
	for i, c := range []struct {
		calls, left int
		isRejected  bool
	}{{3, 2, false}, {3, 2, true}, {0, 0, false}, {2, 0, false}, {1, 0, true}, {0, 0, false}} {
		p, err := b.Reserve(t.Context(), caller, c.calls)
		var limit *keys.LimitError
		switch {
		case errors.As(err, &limit) != c.isRejected:
			t.Fatalf("%d: %v", i, err)
		case c.isRejected && limit.Allowance.Remaining != c.left, !c.isRejected &&
			p.Allowance.Remaining != c.left:
			t.Errorf("%d: %+v %+v", i, p, limit)
		}
	}
}

// TestRestart verifies that a restart does not reset the daily quota.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts.db")
	for i := range 2 {
		b := newBench(t, path)
		for range 2 {
			if _, err := b.call(t, from("203.0.113.7"), keys.Computed); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 {
			if p, err := b.call(t, from("203.0.113.7"), keys.Computed); err != nil ||
				p.Allowance.Remaining != 0 {
				t.Errorf("%+v %v", p, err)
			}
		}
	}
}

func TestIssues(t *testing.T) {
	b := newBench(t, usage.Memory)
	issues := &IssuanceLimiter{Store: b.store, Now: b.clock}
	a, neighbour := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	for range FreeKeysPerHour {
		if err := issues.Allow(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	var limit *keys.LimitError
	if err := issues.Allow(t.Context(), neighbour); !errors.As(err, &limit) ||
		limit.RetryAfter != time.Hour {
		t.Errorf("the sixth: %v", err)
	}
	if err := issues.Allow(t.Context(), netip.MustParseAddr("203.0.113.7")); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	b.set(noon.Add(time.Hour))
	if err := issues.Allow(t.Context(), a); err != nil {
		t.Errorf("an hour later: %v", err)
	}
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := issues.Allow(t.Context(), a); !errors.Is(err, keys.ErrUnavailable) {
		t.Errorf("without the Store: %v", err)
	}
}

// TestWhoseTurn verifies that an address and its free keys share one turn in the queues, and that
// the paid keys of one subject do too.
func TestWhoseTurn(t *testing.T) {
	finder := finder{
		"free": {Prefix: "sl_1", Tier: keys.Free}, "free2": {Prefix: "sl_2", Tier: keys.Free},
		"paid":  {Prefix: "sl_3", Tier: keys.Agent, Owner: "ann"},
		"paid2": {Prefix: "sl_4", Tier: keys.Network, Owner: "ann"},
		"old":   {Prefix: "sl_5", Tier: keys.Agent},
	}
	g := New(Options{Keys: finder})
	for _, c := range []struct{ key, address, account, group string }{
		{"", "192.0.2.1", "address:192.0.2.1", "address:192.0.2.1"},
		{"free", "192.0.2.1", "key:sl_1", "address:192.0.2.1"},
		{"free2", "192.0.2.1", "key:sl_2", "address:192.0.2.1"},
		{"free", "2001:db8::1", "key:sl_1", "address:2001:db8::/64"},
		{"paid", "192.0.2.1", "key:sl_3", "owner:ann"},
		{"paid2", "192.0.2.2", "key:sl_4", "owner:ann"},
		{"old", "192.0.2.2", "key:sl_5", "key:sl_5"},
	} {
		p, err := g.Reserve(t.Context(),
			keys.Caller{Key: c.key, Address: netip.MustParseAddr(c.address)}, 0)
		if err != nil || p.QuotaKey != c.account || p.Group != c.group {
			t.Errorf("%s from %s: account %q, group %q, %v", c.key, c.address, p.QuotaKey,
				p.Group, err)
		}
	}
}

// TestVoid verifies that Void refunds a debit once if it was made, and that a void debit cannot be
// made later.
func TestVoid(t *testing.T) {
	b := newBench(t, usage.Memory)
	caller, ctx := from("203.0.113.7"), t.Context()
	prepare := func(calls int) *keys.Reservation {
		t.Helper()
		r, err := b.Prepare(ctx, caller, calls)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, late, many := prepare(4), prepare(1), prepare(2)
	if err := b.Debit(ctx, "one", one); err != nil || one.Allowance.Remaining != 1 {
		t.Errorf("%+v %v", one.Allowance, err)
	}
	var limit *keys.LimitError
	if err := b.Debit(ctx, "many", many); !errors.As(err, &limit) ||
		limit.Allowance.Remaining != 1 || limit.Policy != "day" {
		t.Errorf("%+v %v", many.Allowance, err)
	}
	for range 2 {
		for id, r := range map[string]*keys.Reservation{"one": one, "late": late, "many": many} {
			if err := b.Void(ctx, id, r.Debit); err != nil {
				t.Error(err)
			}
		}
	}
	for _, id := range []string{"one", "late", "many"} {
		if err := b.Debit(ctx, id, prepare(1)); !errors.Is(err, keys.ErrUnavailable) {
			t.Errorf("a void debit %s is made: %v", id, err)
		}
	}
	all := prepare(5)
	if err := b.Debit(ctx, "all", all); err != nil || all.Allowance.Remaining != 0 {
		t.Errorf("%+v %v", all.Allowance, err)
	}
	if len(b.uses(t)) != 0 {
		t.Error("usage is recorded without a key")
	}
}
