package idempotency

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"slipstick/internal/redistest"
)

func open(t *testing.T) (*Store, *miniredis.Miniredis) {
	t.Helper()
	mini := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: mini.Addr()})
	t.Cleanup(func() { _ = rdb.Close() })
	return New(rdb), mini
}

// respond begins a request and finishes it with a body of size bytes.
func respond(t *testing.T, s *Store, caller, key string, size int) {
	t.Helper()
	r, stored, err := s.Begin(t.Context(), caller, key, "")
	if err != nil || stored != nil {
		t.Fatalf("%s: %v %v", key, stored, err)
	}
	if err := r.Finish(t.Context(),
		Response{Status: 200, Body: bytes.Repeat([]byte("a"), size)}); err != nil {
		t.Fatal(err)
	}
}

// isStored reports whether the response to a request is stored.
func isStored(t *testing.T, s *Store, caller, key string) bool {
	t.Helper()
	r, stored, err := s.Begin(t.Context(), caller, key, "")
	if err != nil {
		t.Fatal(err)
	}
	if r != nil {
		if err := r.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return stored != nil
}

// TestLockOfDeadProcess verifies that the request of a dead process may run again after its lock
// has expired. It also verifies that a late response of the first process does not replace the
// response of the second.
func TestLockOfDeadProcess(t *testing.T) {
	s, mini := open(t)
	dead, _, err := s.Begin(t.Context(), "caller", "key", "POST")
	if err != nil {
		t.Fatal(err)
	}
	dead.stop()
	if _, _, err := s.Begin(t.Context(), "caller", "key", "POST"); !errors.Is(err, ErrInProgress) {
		t.Errorf("in progress: %v", err)
	}
	mini.FastForward(lockTime + time.Second)
	next, _, err := s.Begin(t.Context(), "caller", "key", "POST")
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Finish(t.Context(),
		Response{Status: 201, Header: map[string]string{"Location": "/"}}); err != nil {
		t.Fatal(err)
	}
	if err := dead.Finish(t.Context(), Response{Status: 500}); err != nil {
		t.Fatal(err)
	}
	_, got, err := s.Begin(t.Context(), "caller", "key", "POST")
	if err != nil || got.Status != 201 || got.Header["Location"] != "/" {
		t.Errorf("%v %v", got, err)
	}
	mini.FastForward(TTL)
	if isStored(t, s, "caller", "key") {
		t.Error("the response is stored for longer than a day")
	}
}

// TestResponseBudget verifies that a caller's new responses replace its own oldest responses and
// not those of other callers. It also verifies that the total size is bounded.
func TestResponseBudget(t *testing.T) {
	s, mini := open(t)
	const size = 40 << 10 // 54 kB in base64
	now := time.Now()
	tick := func() { now = now.Add(time.Second); mini.SetTime(now) }
	respond(t, s, "other", "first", size)
	perCaller := callerBytes / (size * 4 / 3)
	for i := range perCaller + 5 {
		tick()
		respond(t, s, "caller", fmt.Sprint(i), size)
	}
	if !isStored(t, s, "other", "first") || isStored(t, s, "caller", "0") ||
		!isStored(t, s, "caller", fmt.Sprint(perCaller+4)) {
		t.Error("the wrong responses are stored")
	}
	for caller := range totalBytes / callerBytes {
		for i := range perCaller {
			tick()
			respond(t, s, fmt.Sprint(caller), fmt.Sprint(i), size)
		}
	}
	if isStored(t, s, "other", "first") {
		t.Error("the oldest response of all is stored")
	}
	total := 0
	for _, key := range mini.Keys() {
		if strings.HasPrefix(key, prefix+"record:") {
			total += len(mini.HGet(key, "answer"))
		}
	}
	if total > totalBytes || total < totalBytes*8/10 ||
		mini.HGet(prefix+"bytes", "all") != fmt.Sprint(total) {
		t.Errorf("%d bytes are stored, %s counted", total, mini.HGet(prefix+"bytes", "all"))
	}
	now = now.Add(2 * TTL)
	mini.SetTime(now)
	mini.FastForward(2 * TTL)
	for i := range 20 { // each call deletes at most 100 expired entries
		respond(t, s, "late", fmt.Sprint(i), 10)
	}
	if n, _ := mini.ZMembers(prefix + "all"); len(n) != 20 {
		t.Errorf("%d entries after expiry", len(n))
	}
}

// TestLargeResponse verifies that a response above MaxResponse is not stored, and that the request
// may be repeated.
func TestLargeResponse(t *testing.T) {
	s, _ := open(t)
	respond(t, s, "caller", "key", MaxResponse+1)
	if isStored(t, s, "caller", "key") {
		t.Error("it is stored")
	}
}

// TestResponsesInSmallRedis verifies that a Redis with little memory keeps fewer responses.
func TestResponsesInSmallRedis(t *testing.T) {
	const memory = 40 << 20
	const callersOfBudget = totalBytes / callerBytes
	server := redistest.Start(t, "--maxmemory", fmt.Sprint(memory))
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = rdb.Close() })
	s := New(rdb)
	for caller := range 12 {
		for i := range 8 {
			respond(t, s, fmt.Sprint(caller), fmt.Sprint(i), 40<<10)
		}
	}
	counted, err := rdb.HGetAll(t.Context(), prefix+"bytes").Result()
	if err != nil {
		t.Fatal(err)
	}
	for field, bytes := range counted {
		limit := memoryShare * memory
		if field != "all" {
			limit /= callersOfBudget
		}
		if n, err := strconv.Atoi(bytes); err != nil || float64(n) > limit || field == "all" &&
			float64(n) < limit*0.8 {
			t.Errorf("%s: %s bytes, at most %.0f are allowed", field, bytes, limit)
		}
	}
}
