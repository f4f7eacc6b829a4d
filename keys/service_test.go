package keys_test

import (
	"context"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/keys"
	"slipstick/keys/sqlite"
)

// testService is a Service over a store in memory that the test can break, with a clock that the
// test sets.
type testService struct {
	*keys.Service
	*flaky
}

// flaky is the state of the store and the clock.
type flaky struct {
	kept    keys.Store
	mu      sync.Mutex
	now     time.Time
	broken  error
	lookups int
	taken   int           // number of further inserts with a taken prefix
	hold    chan struct{} // blocks look-ups until it is closed
}

// counted is a keys.Store that counts look-ups and fails as flaky determines.
type counted struct {
	keys.Store
	*flaky
}

func (s counted) ByHash(ctx context.Context, hash [32]byte) (keys.Record, error) {
	s.mu.Lock()
	broken, hold := s.broken, s.hold
	s.mu.Unlock()
	r, err := keys.Record{}, broken
	if broken == nil {
		r, err = s.Store.ByHash(ctx, hash)
	}
	s.mu.Lock()
	s.lookups++ // counted after the read, because tests wait for it
	s.mu.Unlock()
	if hold != nil {
		<-hold
	}
	return r, err
}

func (s counted) Insert(ctx context.Context, r keys.Record, limit int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if s.taken > 0 {
		s.taken--
		return keys.ErrPrefixTaken
	}
	return s.Store.Insert(ctx, r, limit)
}

func (s *flaky) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *flaky) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}

func (s *flaky) lookupCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lookups
}

func (s *testService) newService(t *testing.T) *keys.Service {
	t.Helper()
	r, err := keys.NewService(t.Context(), keys.ServiceOptions{Store: counted{s.kept, s.flaky},
		Now: func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.now
		}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newTestService(t *testing.T) *testService {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s := &testService{flaky: &flaky{kept: store, now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}}
	s.Service = s.newService(t)
	return s
}

func (s *testService) issue(t *testing.T, o keys.IssueParams) (string, keys.Record) {
	t.Helper()
	key, record, err := s.Issue(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return key, record
}

// rejects verifies that a key is rejected with a reason that contains the given text.
func (s *testService) rejects(t *testing.T, key, want string) {
	t.Helper()
	_, err := s.Lookup(t.Context(), key)
	var bad *keys.InvalidKeyError
	if !errors.As(err, &bad) || !strings.Contains(bad.Reason, want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if len(key) > keys.PrefixLength && err != nil && strings.Contains(err.Error(), key) {
		t.Errorf("the reason shows the key: %v", err)
	}
}

func (s *testService) admitted(t *testing.T, key string) {
	t.Helper()
	if _, err := s.Lookup(t.Context(), key); err != nil {
		t.Error(err)
	}
}

// TestMaxActiveKeys verifies the limit of active paid keys per owner, and that its error differs
// from the error of an unavailable store.
func TestMaxActiveKeys(t *testing.T) {
	s := newTestService(t)
	ann := keys.IssueParams{Tier: keys.Developer, Owner: "ann"}
	for range keys.MaxActiveKeys {
		s.issue(t, ann)
		s.issue(t, keys.IssueParams{Tier: keys.Free})
	}
	if _, _, err := s.Issue(t.Context(), ann); !errors.Is(err, keys.ErrTooManyKeys) ||
		errors.Is(err, keys.ErrUnavailable) {
		t.Errorf("one more: %v", err)
	}
	s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.pass(30 * 24 * time.Hour)
	s.issue(t, ann)
}

func TestIssue(t *testing.T) {
	s := newTestService(t)
	shape := regexp.MustCompile(`^sl_[0-9a-f]{40}$`)
	seen := map[string]bool{}
	for _, c := range []struct {
		order keys.IssueParams
		life  time.Duration
	}{
		{keys.IssueParams{Tier: keys.Free}, 24 * time.Hour},
		{keys.IssueParams{Tier: keys.Developer, Owner: "ann"}, 30 * 24 * time.Hour},
		{keys.IssueParams{Tier: keys.Network, Owner: "ann"}, 30 * 24 * time.Hour},
		{keys.IssueParams{Tier: keys.Agent, Owner: "ann"}, 30 * 24 * time.Hour},
	} {
		key, record := s.issue(t, c.order)
		if !shape.MatchString(key) || record.Prefix != key[:12] || seen[key] {
			t.Errorf("%s: %s %s", c.order.Tier, key, record.Prefix)
		}
		seen[key] = true
		if record.Tier != c.order.Tier || record.Owner != c.order.Owner ||
			!record.CreatedAt.Equal(s.now) || record.ExpiresAt.Sub(record.CreatedAt) != c.life {
			t.Errorf("%+v", record)
		}
		// The store must not contain a part of the key.
		kept, err := s.kept.List(t.Context(), keys.Scope{All: true}, keys.Page{Limit: 100}, s.now)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kept {
			if strings.Contains(key, hex.EncodeToString(k.Hash[:8])) {
				t.Errorf("the store holds a part of %s", key)
			}
		}
		found, err := s.Lookup(t.Context(), key)
		if err != nil || found.Prefix != record.Prefix || found.Tier != record.Tier {
			t.Errorf("%+v %v", found, err)
		}
	}
}

func TestIssueTakesAnotherPrefix(t *testing.T) {
	s := newTestService(t)
	s.taken = 3
	key, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.admitted(t, key)
	s.taken = 1000
	if _, _, err := s.Issue(t.Context(), keys.IssueParams{Tier: keys.Free}); !errors.Is(err,
		keys.ErrUnavailable) {
		t.Errorf("without an end of collisions: %v", err)
	}
}

func TestKeysThatAreNotGood(t *testing.T) {
	s := newTestService(t)
	free, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	paid, record := s.issue(t, keys.IssueParams{Tier: keys.Agent, Owner: "ann"})
	for _, bad := range []string{
		"", "sl_", free[:12], free + "0", strings.ToUpper(free), " " + free, free + "\n",
		"xx" + free[2:], strings.Replace(free, free[20:21], "g", 1),
		"sl_" + strings.Repeat("0", 40), strings.Repeat("a", 1<<20), "' OR '1'='1",
		"sl_" + strings.Repeat("é", 20),
	} {
		s.rejects(t, bad, "not known")
	}
	if _, err := s.Revoke(t.Context(), keys.Scope{Owner: "ann"}, record.Prefix); err != nil {
		t.Fatal(err)
	}
	s.rejects(t, paid, "revoked at 2026-03-04T05:06:07Z") // immediately, although it is cached
	s.admitted(t, free)
	s.pass(24*time.Hour - time.Second)
	s.admitted(t, free)
	s.pass(time.Second)
	s.rejects(t, free, "expired at 2026-03-05T05:06:07Z")
}

// TestStaleness verifies that a key revoked on another instance is rejected within keys.CacheTTL.
func TestStaleness(t *testing.T) {
	s := newTestService(t)
	key, record := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.admitted(t, key)
	if _, err := s.newService(t).Revoke(t.Context(), keys.Scope{All: true},
		record.Prefix); err != nil {
		t.Fatal(err)
	}
	s.pass(keys.CacheTTL)
	s.rejects(t, key, "revoked")
}

func TestLookupsAreRemembered(t *testing.T) {
	s := newTestService(t)
	key, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	for range 100 {
		s.admitted(t, key)
		s.rejects(t, "sl_"+strings.Repeat("0", 40), "not known")
		s.rejects(t, "something else", "not known")
	}
	if n := s.lookupCount(); n != 2 {
		t.Errorf("the store was asked %d times for one good and one unknown key", n)
	}
	s.pass(keys.CacheTTL)
	s.admitted(t, key)
	if n := s.lookupCount(); n != 3 {
		t.Errorf("the store was asked %d times after the look-up grew old", n)
	}
}

// TestLookupsAreShared verifies that concurrent look-ups of one key make one query to the store.
func TestLookupsAreShared(t *testing.T) {
	s := newTestService(t)
	key, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.hold = make(chan struct{})
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() { s.admitted(t, key) })
	}
	for s.lookupCount() == 0 {
		time.Sleep(time.Millisecond)
	}
	close(s.hold)
	calls.Wait()
	if n := s.lookupCount(); n != 1 {
		t.Errorf("the store was asked %d times", n)
	}
}

// TestLookupDuringRevocation verifies that a look-up that began before a revocation does not
// restore the key in the cache.
func TestLookupDuringRevocation(t *testing.T) {
	s := newTestService(t)
	key, record := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.hold = make(chan struct{})
	var calls sync.WaitGroup
	calls.Go(func() { s.admitted(t, key) })
	for s.lookupCount() == 0 {
		time.Sleep(time.Millisecond)
	}
	// The look-up has read the active key and waits.
	if _, err := s.Revoke(t.Context(), keys.Scope{All: true}, record.Prefix); err != nil {
		t.Fatal(err)
	}
	close(s.hold)
	calls.Wait()
	s.rejects(t, key, "revoked")
}

func TestStoreDown(t *testing.T) {
	s := newTestService(t)
	seen, record := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.admitted(t, seen)
	unseen, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.fail(errors.New("dial tcp: refused"))

	s.pass(keys.CacheTTL)
	s.admitted(t, seen)
	before := s.lookupCount()
	for range 100 {
		s.admitted(t, seen)
	}
	if n := s.lookupCount() - before; n != 0 {
		t.Errorf("%d calls waited for a store that had just failed", n)
	}
	if _, err := s.Lookup(t.Context(), unseen); !errors.Is(err, keys.ErrUnavailable) ||
		s.lookupCount() != before {
		t.Errorf("a key not seen before waited for a store that had just failed, or got %v", err)
	}
	s.pass(time.Second)
	for what, err := range map[string]error{
		"look-up of a key not seen before": func() error {
			_, err := s.Lookup(t.Context(), unseen)
			return err
		}(),
		"issuing": func() error {
			_, _, err := s.Issue(t.Context(), keys.IssueParams{Tier: keys.Free})
			return err
		}(),
	} {
		if !errors.Is(err, keys.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.pass(keys.StaleIfErrorTTL)
	if _, err := s.Lookup(t.Context(), seen); !errors.Is(err, keys.ErrUnavailable) {
		t.Errorf("after the grace: %v", err)
	}
	s.fail(nil)
	s.pass(2 * time.Second)
	s.admitted(t, seen)
	s.admitted(t, unseen)
	if _, err := s.Revoke(t.Context(), keys.Scope{All: true}, record.Prefix); err != nil {
		t.Error(err)
	}
}

// TestFloodOfUnknownKeys verifies that more unknown keys than the cache holds do not evict a valid
// key.
func TestFloodOfUnknownKeys(t *testing.T) {
	s := newTestService(t)
	key, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.admitted(t, key)
	s.fail(keys.ErrKeyNotFound)
	for i := range 25_000 {
		s.rejects(t,
			"sl_"+hex.EncodeToString([]byte{byte(i >> 16), byte(i >> 8), byte(i)})+strings.Repeat(
				"0", 34), "not known")
	}
	before := s.lookupCount()
	s.admitted(t, key)
	if s.lookupCount() != before {
		t.Error("the flood drove a good key out of the cache")
	}
}

func TestPepper(t *testing.T) {
	s := newTestService(t)
	key, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	open := func(pepper string) (*keys.Service, error) {
		return keys.NewService(t.Context(), keys.ServiceOptions{Store: counted{s.kept, s.flaky},
			Pepper: []byte(pepper), Now: func() time.Time {
				return s.now
			}})
	}
	if _, err := open("short"); err == nil || !strings.Contains(err.Error(), "at least 32 bytes") {
		t.Errorf("a short pepper: %v", err)
	}
	other, err := open(strings.Repeat("x", 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Lookup(t.Context(), key); err == nil {
		t.Error("a key is known under another pepper")
	}
	// Without a configured pepper, all instances use the pepper in the store.
	if _, err := s.newService(t).Lookup(t.Context(), key); err != nil {
		t.Error(err)
	}
}

func TestManageRejectsInvalidPrefix(t *testing.T) {
	s := newTestService(t)
	key, record := s.issue(t, keys.IssueParams{Tier: keys.Free})
	all := keys.Scope{All: true}
	for _, bad := range []string{"", "sl_", key, key[:11], strings.ToUpper(record.Prefix),
		"sl_%%%%%%%%%", "../../../etc", "sl_00000000\x00", "ｓｌ_0000"} {
		if _, err := s.Revoke(t.Context(), all, bad); !errors.Is(err, keys.ErrKeyNotFound) {
			t.Errorf("revoke %q: %v", bad, err)
		}
		if _, err := s.Usage(t.Context(), all, bad, s.now, s.now); !errors.Is(err,
			keys.ErrKeyNotFound) {
			t.Errorf("usage of %q: %v", bad, err)
		}
	}
	s.admitted(t, key)
}

func TestPurge(t *testing.T) {
	s := newTestService(t)
	key, _ := s.issue(t, keys.IssueParams{Tier: keys.Free})
	s.pass(31*24*time.Hour - time.Second)
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.rejects(t, key, "expired")
	s.pass(10 * time.Second)
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.rejects(t, key, "not known")
}

func TestRedact(t *testing.T) {
	key := "sl_" + strings.Repeat("0123456789", 4)
	for _, c := range []struct{ in, want string }{
		{"/api/keys/" + key, "/api/keys/sl_012345678…"},
		{"/api/keys/sl_012345678", "/api/keys/sl_012345678"},
		{key + " and " + key + "/usage", "sl_012345678… and sl_012345678…/usage"},
		{"sl_" + key, "sl_sl_012345678…"},
		{strings.Replace(key, "a", "A", 1) + "ABC", "sl_012345678…"},
		{"nothing sl", "nothing sl"},
		{"", ""},
	} {
		if got := keys.Redact(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	store, err := sqlite.Open(b.Context(), sqlite.Memory)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	r, err := keys.NewService(b.Context(), keys.ServiceOptions{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	key, _, err := r.Issue(b.Context(), keys.IssueParams{Tier: keys.Free})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.Lookup(b.Context(), key); err != nil {
			b.Fatal(err)
		}
	}
}
