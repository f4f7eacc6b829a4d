// Package storetest is a conformance test suite for implementations of keys.Store.
package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"slipstick/keys"
)

var (
	now   = time.Date(2026, 3, 4, 5, 6, 7, 890123e3, time.UTC)
	today = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	all   = keys.Scope{All: true}
	first = keys.Page{Limit: 100}
)

func mine(owner string) keys.Scope { return keys.Scope{Owner: owner} }

// record returns the record of a key with the given prefix. The key is created at the time now and
// valid for one day.
func record(prefix, owner string) keys.Record {
	return keys.Record{
		Hash: sha256.Sum256([]byte(prefix)), Prefix: prefix, Tier: keys.Developer, Owner: owner,
		CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour),
	}
}

// Run runs the suite on a store. open returns an empty store, which the suite closes after each
// test.
func Run(t *testing.T, open func(*testing.T) keys.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, keys.Store)
	}{
		{"a key reads back", readsBack},
		{"prefixes are unique", prefixesAreUnique},
		{"an owner has so many active keys and no more", atMost},
		{"concurrent Inserts stop at the limit", atMostAtOnce},
		{"a list holds the active keys of its scope", lists},
		{"a list comes in pages", pages},
		{"revoking ends a key once", revokes},
		{"one of many concurrent revocations succeeds", revokesOnce},
		{"usage adds up", addsUp},
		{"a batch counts once", countsOnce},
		{"many batches at once", manyBatches},
		{"a batch is added whole or not at all", wholeOrNot},
		{"usage is seen by its scope", usageScope},
		{"everybody gets the same secret", sameSecret},
		{"purging forgets what is over", purges},
		{"hostile text is only text", hostileText},
		{"a cancelled context ends a call", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(s.Close)
			if err := s.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.test(t, s)
		})
	}
}

func insert(t *testing.T, s keys.Store, records ...keys.Record) {
	t.Helper()
	for _, r := range records {
		if err := s.Insert(t.Context(), r, 0); err != nil {
			t.Fatalf("%s: %v", r.Prefix, err)
		}
	}
}

func byHash(t *testing.T, s keys.Store, prefix string) keys.Record {
	t.Helper()
	r, err := s.ByHash(t.Context(), sha256.Sum256([]byte(prefix)))
	if err != nil {
		t.Fatalf("%s: %v", prefix, err)
	}
	return r
}

func prefixes(t *testing.T, s keys.Store, scope keys.Scope, p keys.Page, now time.Time) []string {
	t.Helper()
	list, err := s.List(t.Context(), scope, p, now)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, r := range list {
		names = append(names, r.Prefix)
	}
	return names
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func readsBack(t *testing.T, s keys.Store) {
	label := "żółw 🐢 'quoted' \"twice\""
	want := record("sl_0123456789", "someone")
	want.Label = &label
	insert(t, s, want, record("sl_other00000", ""))
	got := byHash(t, s, "sl_0123456789")
	if got.Label == nil || *got.Label != label {
		t.Errorf("label %v", got.Label)
	}
	if !got.CreatedAt.Equal(now) || got.CreatedAt.Location() != time.UTC ||
		!got.ExpiresAt.Equal(want.ExpiresAt) {
		t.Errorf("times %v %v", got.CreatedAt, got.ExpiresAt)
	}
	if got.Hash != want.Hash || got.Prefix != want.Prefix || got.Tier != want.Tier ||
		got.Owner != want.Owner {
		t.Errorf("got %+v", got)
	}
	if got.RevokedAt != nil || got.LastUsedAt != nil || got.RequestCount != 0 {
		t.Errorf("a new key has a past: %+v", got)
	}
	if r := byHash(t, s, "sl_other00000"); r.Label != nil || r.Owner != "" {
		t.Errorf("got %+v", r)
	}
	if _, err := s.ByHash(t.Context(), [32]byte{1}); !errors.Is(err, keys.ErrKeyNotFound) {
		t.Errorf("an unknown hash: %v", err)
	}
}

// atMost checks that the limit of active keys ignores expired and revoked keys, keys of other
// owners and keys without an owner.
func atMost(t *testing.T, s keys.Store) {
	const most = 3
	issue := func(what, prefix, owner string, after time.Duration, want error) {
		t.Helper()
		r := record(prefix, owner)
		r.CreatedAt, r.ExpiresAt = r.CreatedAt.Add(after), r.ExpiresAt.Add(after)
		if err := s.Insert(t.Context(), r, most); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if _, err := s.ByHash(t.Context(), r.Hash); (want == nil) != (err == nil) {
			t.Errorf("%s: reading it: %v", what, err)
		}
	}
	for i := range most {
		issue("there is room", fmt.Sprintf("sl_a0000000%d", i), "a", 0, nil)
		issue("nobody's", fmt.Sprintf("sl_f0000000%d", i), "", 0, nil)
	}
	issue("one more", "sl_a00000009", "a", 0, keys.ErrTooManyKeys)
	issue("nobody's, one more", "sl_f00000009", "", 0, nil)
	issue("somebody else's", "sl_b00000000", "b", 0, nil)
	if _, err := s.Revoke(t.Context(), mine("a"), "sl_a00000001", now); err != nil {
		t.Fatal(err)
	}
	issue("after one was revoked", "sl_a00000003", "a", 0, nil)
	issue("and one more", "sl_a00000004", "a", 0, keys.ErrTooManyKeys)
	issue("in the last moment of the others", "sl_a00000005", "a", 24*time.Hour-time.Microsecond,
		keys.ErrTooManyKeys)
	issue("when the others expire", "sl_a00000006", "a", 24*time.Hour, nil)
}

func atMostAtOnce(t *testing.T, s keys.Store) {
	const most, tries = 5, 40
	var (
		all    sync.WaitGroup
		issued atomic.Int64
	)
	for i := range tries {
		all.Go(func() {
			switch err := s.Insert(t.Context(), record(fmt.Sprintf("sl_%09d", i), "a"), most); {
			case err == nil:
				issued.Add(1)
			case !errors.Is(err, keys.ErrTooManyKeys):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n, listed := issued.Load(), len(prefixes(t, s, mine("a"), first, now)); n != most ||
		listed != most {
		t.Errorf("%d issued, %d listed, want %d", n, listed, most)
	}
}

func prefixesAreUnique(t *testing.T, s keys.Store) {
	insert(t, s, record("sl_000000001", "a"))
	twin := record("sl_000000001", "b")
	twin.Hash[0]++
	if err := s.Insert(t.Context(), twin, 0); !errors.Is(err, keys.ErrPrefixTaken) {
		t.Errorf("the same prefix again: %v", err)
	}
	if _, err := s.ByHash(t.Context(), twin.Hash); !errors.Is(err, keys.ErrKeyNotFound) {
		t.Errorf("the second key is there: %v", err)
	}
}

func lists(t *testing.T, s keys.Store) {
	older, newer := record("sl_000000001", "ann"), record("sl_000000002", "ann")
	older.CreatedAt = now.Add(-time.Hour)
	expired := record("sl_000000003", "ann")
	expired.ExpiresAt = now
	insert(t, s, older, newer, expired, record("sl_000000004", "ann"),
		record("sl_000000005", "bob"),
		record("sl_000000006", ""))
	if _, err := s.Revoke(t.Context(), mine("ann"), "sl_000000004", now); err != nil {
		t.Fatal(err)
	}
	same(t, "ann's", prefixes(t, s, mine("ann"), first, now),
		[]string{"sl_000000002", "sl_000000001"})
	same(t, "bob's", prefixes(t, s, mine("bob"), first, now), []string{"sl_000000005"})
	same(t, "all", prefixes(t, s, all, first, now),
		[]string{"sl_000000006", "sl_000000005", "sl_000000002", "sl_000000001"})
	same(t, "nobody's", prefixes(t, s, mine(""), first, now), []string{})
	same(t, "a day later", prefixes(t, s, all, first, now.Add(24*time.Hour)), []string{})
}

func pages(t *testing.T, s keys.Store) {
	var want []string
	for i := range 25 {
		r := record(fmt.Sprintf("sl_%09d", i), "ann")
		// five keys have the same creation time
		r.CreatedAt = now.Add(time.Duration(i/5) * time.Second)
		insert(t, s, r)
		want = append([]string{r.Prefix}, want...)
	}
	var got []string
	page := keys.Page{Limit: 7}
	for range 10 {
		part := prefixes(t, s, all, page, now)
		got = append(got, part...)
		if len(part) < page.Limit {
			break
		}
		page.After = part[len(part)-1]
	}
	same(t, "pages", got, want)
	same(t, "after a prefix that is not there",
		prefixes(t, s, all, keys.Page{After: "sl_nowhere00", Limit: 9}, now), []string{})
}

func revokes(t *testing.T, s keys.Store) {
	expired := record("sl_000000003", "ann")
	expired.ExpiresAt = now
	insert(t, s, record("sl_000000001", "ann"), record("sl_000000002", ""), expired)
	for _, c := range []struct {
		name   string
		scope  keys.Scope
		prefix string
		want   error
	}{
		{"somebody else's", mine("bob"), "sl_000000001", keys.ErrKeyNotFound},
		{"nobody's", mine(""), "sl_000000002", keys.ErrKeyNotFound},
		{"unknown", all, "sl_000000009", keys.ErrKeyNotFound},
		{"expired", mine("ann"), "sl_000000003", keys.ErrKeyNotFound},
		{"own", mine("ann"), "sl_000000001", nil},
		{"own, again", mine("ann"), "sl_000000001", keys.ErrKeyNotFound},
		{"a free one", all, "sl_000000002", nil},
		{"a free one, again", all, "sl_000000002", keys.ErrKeyNotFound},
	} {
		r, err := s.Revoke(t.Context(), c.scope, c.prefix, now)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil &&
			(r.Prefix != c.prefix || r.Hash != sha256.Sum256([]byte(c.prefix)) ||
				r.RevokedAt == nil || !r.RevokedAt.Equal(now)) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	if r := byHash(t, s, "sl_000000001"); r.RevokedAt == nil || !r.RevokedAt.Equal(now) {
		t.Errorf("a revoked key is found as %+v", r)
	}
}

// revokesOnce checks that one of several concurrent revocations of a key succeeds.
func revokesOnce(t *testing.T, s keys.Store) {
	const count, callers = 100, 4
	for i := range count {
		insert(t, s, record(fmt.Sprintf("sl_%09d", i), "ann"))
	}
	var (
		calls sync.WaitGroup
		mu    sync.Mutex
		won   [count]int
	)
	for range callers {
		for i := range count {
			calls.Go(func() {
				_, err := s.Revoke(t.Context(), mine("ann"), fmt.Sprintf("sl_%09d", i), now)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won[i]++
				case !errors.Is(err, keys.ErrKeyNotFound):
					t.Error(err)
				}
			})
		}
	}
	calls.Wait()
	for i, n := range won {
		if n != 1 {
			t.Errorf("key %d was revoked %d times", i, n)
		}
	}
}

func use(prefix, tool string, day time.Time, outcome keys.Outcome, calls int64) keys.UsageRecord {
	return keys.UsageRecord{
		Prefix: prefix, Tool: tool, Day: day, Outcome: outcome, Calls: calls,
		ComputeMS: float64(calls) / 2, LastUsed: day.Add(time.Duration(calls) * time.Second),
	}
}

func addBatch(t *testing.T, s keys.Store, batch string, want bool, uses ...keys.UsageRecord) {
	t.Helper()
	fresh, err := s.AddUsage(t.Context(), batch, uses)
	if err != nil || fresh != want {
		t.Fatalf("batch %s: fresh %t, %v", batch, fresh, err)
	}
}

func usage(t *testing.T, s keys.Store, prefix string, from, to time.Time) string {
	t.Helper()
	uses, err := s.Usage(t.Context(), all, prefix, from, to)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, u := range uses {
		if u.Prefix != prefix || u.Day.Location() != time.UTC {
			t.Errorf("got %+v", u)
		}
		text += fmt.Sprintf("%s %s %s %d %g;", u.Day.Format(time.DateOnly), u.Tool,
			u.Outcome, u.Calls,
			u.ComputeMS)
	}
	return text
}

func addsUp(t *testing.T, s keys.Store) {
	insert(t, s, record("sl_000000001", "ann"), record("sl_000000002", "ann"))
	tomorrow := today.Add(24 * time.Hour)
	addBatch(t, s, "1", true,
		use("sl_000000001", "fspl", today, keys.Computed, 10),
		use("sl_000000001", "fspl", today, keys.Computed, 4), // repeated in one batch
		use("sl_000000001", "fspl", today, keys.Invalid, 2),
		use("sl_000000001", "fspl", today, keys.ServerError, 7),
		use("sl_000000002", "vswr", today, keys.Computed, 1),
		use("sl_gone00000", "vswr", today, keys.Computed, 1)) // record of a key that was purged
	addBatch(t, s, "2", true,
		use("sl_000000001", "fspl", today, keys.Computed, 6),
		use("sl_000000001", "dipole", tomorrow, keys.Computed, 3))
	addBatch(t, s, "3", true)

	r := byHash(t, s, "sl_000000001")
	if r.RequestCount != 10+4+2+6+3 {
		t.Errorf("request_count %d; calls that ended with a server error do not count",
			r.RequestCount)
	}
	if r.LastUsedAt == nil || !r.LastUsedAt.Equal(tomorrow.Add(3*time.Second)) {
		t.Errorf("last used %v", r.LastUsedAt)
	}
	addBatch(t, s, "late", true, use("sl_000000001", "fspl", today, keys.Computed, 1))
	if r := byHash(t, s, "sl_000000001"); !r.LastUsedAt.Equal(tomorrow.Add(3 * time.Second)) {
		t.Errorf("a late batch took last_used_at back to %v", r.LastUsedAt)
	}
	same(t, "usage", usage(t, s, "sl_000000001", today, tomorrow),
		"2026-03-04 fspl computed 21 10.5;2026-03-04 fspl invalid 2 1;2026-03-04 fspl unserved 7 3.5;2026-03-05 dipole computed 3 1.5;")
	same(t, "one day", usage(t, s, "sl_000000001", tomorrow, tomorrow),
		"2026-03-05 dipole computed 3 1.5;")
	same(t, "before", usage(t, s, "sl_000000001", today.Add(-48*time.Hour),
		today.Add(-24*time.Hour)), "")
	same(t, "another key", usage(t, s, "sl_000000002", today, tomorrow),
		"2026-03-04 vswr computed 1 0.5;")
}

func countsOnce(t *testing.T, s keys.Store) {
	insert(t, s, record("sl_000000001", "ann"))
	addBatch(t, s, "1", true, use("sl_000000001", "fspl", today, keys.Computed, 5))
	addBatch(t, s, "1", false, use("sl_000000001", "fspl", today, keys.Computed, 5))
	var (
		calls sync.WaitGroup
		mu    sync.Mutex
		added int
	)
	for range 8 {
		calls.Go(func() {
			fresh, err := s.AddUsage(t.Context(), "2",
				[]keys.UsageRecord{use("sl_000000001", "fspl", today, keys.Computed, 1)})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if fresh {
				added++
			}
		})
	}
	calls.Wait()
	if added != 1 || byHash(t, s, "sl_000000001").RequestCount != 6 {
		t.Errorf("added %d times, request_count %d", added,
			byHash(t, s, "sl_000000001").RequestCount)
	}
}

// manyBatches checks that concurrent batches that update the same keys in different orders do not
// deadlock.
func manyBatches(t *testing.T, s keys.Store) {
	const batches, count = 20, 10
	for i := range count {
		insert(t, s, record(fmt.Sprintf("sl_%09d", i), "ann"))
	}
	var calls sync.WaitGroup
	for b := range batches {
		calls.Go(func() {
			var uses []keys.UsageRecord
			for i := range count {
				uses = append(uses, use(fmt.Sprintf("sl_%09d", i), "fspl", today, keys.Computed, 1))
			}
			if b%2 == 1 {
				slices.Reverse(uses)
			}
			if fresh, err := s.AddUsage(t.Context(), fmt.Sprint(b), uses); err != nil || !fresh {
				t.Errorf("batch %d: %t %v", b, fresh, err)
			}
		})
	}
	calls.Wait()
	for i := range count {
		if n := byHash(t, s, fmt.Sprintf("sl_%09d", i)).RequestCount; n != batches {
			t.Errorf("key %d: %d", i, n)
		}
	}
}

// wholeOrNot checks that a batch that fails changes nothing, and that its id can be used again.
func wholeOrNot(t *testing.T, s keys.Store) {
	insert(t, s, record("sl_000000001", "ann"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.AddUsage(ctx, "1",
		[]keys.UsageRecord{use("sl_000000001", "fspl", today, keys.Computed, 5)}); err == nil {
		t.Error("added under a context that had ended")
	}
	if n := byHash(t, s, "sl_000000001").RequestCount; n != 0 {
		t.Errorf("request_count %d", n)
	}
	addBatch(t, s, "1", true, use("sl_000000001", "fspl", today, keys.Computed, 5))
}

func usageScope(t *testing.T, s keys.Store) {
	insert(t, s, record("sl_000000001", "ann"), record("sl_000000002", ""))
	if _, err := s.Revoke(t.Context(), mine("ann"), "sl_000000001", now); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		scope  keys.Scope
		prefix string
		want   error
	}{
		{"own, though revoked", mine("ann"), "sl_000000001", nil},
		{"somebody else's", mine("bob"), "sl_000000001", keys.ErrKeyNotFound},
		{"nobody's", mine(""), "sl_000000002", keys.ErrKeyNotFound},
		{"free, by admin", all, "sl_000000002", nil},
		{"unknown", all, "sl_000000003", keys.ErrKeyNotFound},
	} {
		_, err := s.Usage(t.Context(), c.scope, c.prefix, today, today)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func sameSecret(t *testing.T, s keys.Store) {
	var (
		calls sync.WaitGroup
		got   [8]string
	)
	for i := range got {
		calls.Go(func() {
			v, err := s.Secret(t.Context(), "pepper", fmt.Appendf(nil, "proposal %d\x00\xff", i))
			if err != nil {
				t.Error(err)
			}
			got[i] = string(v)
		})
	}
	calls.Wait()
	for i := range got {
		if got[i] != got[0] || got[i] == "" {
			t.Errorf("%q and %q", got[0], got[i])
		}
	}
	if v, err := s.Secret(t.Context(), "another", []byte("x")); err != nil || string(v) != "x" {
		t.Errorf("%q %v", v, err)
	}
}

func purges(t *testing.T, s keys.Store) {
	expired, revoked, paid := record(
		"sl_000000001", "",
	), record(
		"sl_000000002", "",
	), record("sl_000000003", "ann")
	expired.ExpiresAt, paid.ExpiresAt = now.Add(-time.Hour), now.Add(-time.Hour)
	insert(t, s, expired, revoked, paid, record("sl_000000004", ""))
	if _, err := s.Revoke(t.Context(), all, "sl_000000002", now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"sl_000000001", "sl_000000002", "sl_000000003", "sl_000000004"} {
		addBatch(t, s, "of "+p, true, use(p, "fspl", today, keys.Computed, 1))
	}
	if err := s.Purge(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	for p, kept := range map[string]bool{"sl_000000001": false, "sl_000000002": false,
		"sl_000000003": true, "sl_000000004": true} {
		_, err := s.ByHash(t.Context(), sha256.Sum256([]byte(p)))
		if kept != (err == nil) || err != nil && !errors.Is(err, keys.ErrKeyNotFound) {
			t.Errorf("%s: %v", p, err)
		}
		if _, err := s.Usage(t.Context(), all, p, today, today); kept != (err == nil) {
			t.Errorf("usage of %s: %v", p, err)
		}
	}
	// The usage of a deleted key is deleted, so a new key with the same prefix starts at zero.
	insert(t, s, record("sl_000000001", ""))
	same(t, "usage of a new key", usage(t, s, "sl_000000001", today, today), "")
	// The batches were just added, so a purge with a time one hour from now deletes their ids.
	addBatch(t, s, "of sl_000000004", false)
	if err := s.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	addBatch(t, s, "of sl_000000004", true)
}

func hostileText(t *testing.T, s keys.Store) {
	insert(t, s, record("sl_000000001", "ann"))
	for _, text := range []string{"' OR '1'='1", "sl_%", "sl________%",
		"'; DROP TABLE api_keys; --", "../../etc/passwd", "ｓｌ_000000001", "\u202e100", "",
		"SL_000000001"} {
		if _, err := s.Revoke(t.Context(), all, text, now); !errors.Is(err, keys.ErrKeyNotFound) {
			t.Errorf("revoke %q: %v", text, err)
		}
		if _, err := s.Usage(t.Context(), all, text, today, today); !errors.Is(err,
			keys.ErrKeyNotFound) {
			t.Errorf("usage of %q: %v", text, err)
		}
		same(t, "owner "+text, prefixes(t, s, mine(text), first, now), []string{})
		same(t, "after "+text, prefixes(t, s, mine(text), keys.Page{After: text, Limit: 9}, now),
			[]string{})
	}
	same(t, "what is there", prefixes(t, s, all, first, now), []string{"sl_000000001"})
}

func cancelled(t *testing.T, s keys.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Insert(ctx, record("sl_000000001", ""), 0); err == nil {
		t.Error("inserted")
	}
	if _, err := s.ByHash(ctx, [32]byte{}); err == nil || errors.Is(err, keys.ErrKeyNotFound) {
		t.Errorf("looked up: %v", err)
	}
	if err := s.Ping(ctx); err == nil {
		t.Error("pinged")
	}
}
