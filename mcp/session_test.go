package mcp

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"slipstick/worker"
	"slipstick/worker/queuetest"
)

// TestSessionsAreEverybodys verifies that instances on one Redis accept each other's sessions, and
// that a restarted instance accepts its earlier ones. It also verifies that sessions signed with
// another secret are invalid.
func TestSessionsAreEverybodys(t *testing.T) {
	rdb := queuetest.Redis(t)
	all := stepsCatalog(t, nil)
	a, b := newServer(t, Options{Catalog: all, Redis: rdb}),
		newServer(t, Options{Catalog: all, Redis: rdb})
	stranger := newServer(t, Options{Catalog: all})
	session := a.sessions.create()
	for name, s := range map[string]*Server{"itself": a, "the other": b,
		"itself, started again": newServer(t, Options{Catalog: all, Redis: rdb})} {
		if !s.sessions.valid(t.Context(), session) {
			t.Errorf("%s does not know the session", name)
		}
	}
	if stranger.sessions.valid(t.Context(), session) {
		t.Error("a server with another Redis knows the session")
	}
	if !a.End(t.Context(), session) || a.End(t.Context(), session) {
		t.Error("a session ends not once")
	}
	// The end of a session is published once, possibly before the other instance has subscribed.
	// The test therefore repeats it with new sessions.
	eventually(t, "the other hears that a session has ended", func() bool {
		one := a.sessions.create()
		a.End(t.Context(), one)
		time.Sleep(20 * time.Millisecond)
		return !b.sessions.valid(t.Context(), one)
	})
}

// TestSessionAge verifies that expired sessions, sessions from the future and forged ids are
// invalid.
func TestSessionAge(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := newSessions(nil, slog.New(slog.DiscardHandler), func() time.Time { return now })
	id := s.create()
	for _, c := range []struct {
		after time.Duration
		known bool
	}{{0, true}, {sessionTTL - time.Minute, true}, {sessionTTL + time.Minute, false},
		{-2 * time.Hour, false}} {
		now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(c.after)
		if s.valid(t.Context(), id) != c.known {
			t.Errorf("after %s: known %t", c.after, !c.known)
		}
	}
	now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range len(id) {
		forged := []byte(id)
		forged[i] ^= 1
		if s.valid(t.Context(), string(forged)) {
			t.Errorf("known with character %d changed", i)
		}
	}
}

// TestSecretIsLost verifies that a running instance keeps its sessions after Redis has lost the
// secret, and that it accepts sessions signed with the new secret.
func TestSecretIsLost(t *testing.T) {
	rdb := queuetest.Redis(t)
	all := stepsCatalog(t, nil)
	now := time.Now()
	old := newServer(t, Options{Catalog: all, Redis: rdb, Now: func() time.Time { return now }})
	before := old.sessions.create()
	if err := rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	young := newServer(t, Options{Catalog: all, Redis: rdb})
	after := young.sessions.create()
	now = now.Add(2 * secretInterval)
	if !old.sessions.valid(t.Context(), after) {
		t.Error("the older instance does not learn the new secret")
	}
	if !old.sessions.valid(t.Context(), before) {
		t.Error("the older instance forgets its own sessions")
	}
}

// TestSessionsWithoutRedis verifies that an instance accepts its own sessions while Redis is
// unavailable, and rejects forged ones.
func TestSessionsWithoutRedis(t *testing.T) {
	away, err := worker.Dial("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	s := newServer(t, Options{Catalog: stepsCatalog(t, nil), Redis: away})
	id := s.sessions.create()
	if !s.sessions.valid(t.Context(), id) {
		t.Error("its own session is not known")
	}
	if s.sessions.valid(t.Context(), flipped(id)) {
		t.Error("a forged session is known")
	}
}

// TestHandshakesLeaveNothing verifies that creating and ending a hundred thousand sessions retains
// at most 8 MiB of memory.
func TestHandshakesLeaveNothing(t *testing.T) {
	s := newServer(t, Options{Catalog: stepsCatalog(t, nil)})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	begin := heap()
	for range 100_000 {
		s.End(t.Context(), s.sessions.create())
	}
	if grown := int64(heap()) - int64(begin); grown > 8<<20 {
		t.Errorf("%d kB are kept", grown>>10)
	}
	for i := range 50 {
		if a, _ := s.call(t,
			fmt.Sprintf(
				`{"jsonrpc":"2.0","id":%d,"method":"logging/setLevel","params":{"level":"debug"}}`, i), nil); a.Status != 200 {
			t.Fatalf("%s", a.Body)
		}
	}
}
