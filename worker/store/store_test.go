package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/internal/redistest"
	"slipstick/worker/gzipped"
	"slipstick/worker/internal/workertest"
)

// shared is the server of all tests that need a real Redis without data.
var shared redistest.Shared

func TestMain(m *testing.M) {
	code := m.Run()
	shared.Kill()
	os.Exit(code)
}

// forEachBackend runs a test on miniredis and on a redis-server.
func forEachBackend(t *testing.T, f func(t *testing.T, url string)) {
	t.Parallel()
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		e, err := StartEmbedded()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Stop)
		f(t, e.URL())
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		f(t, shared.URL(t))
	})
}

func dial(t *testing.T, url string) redis.UniversalClient {
	t.Helper()
	rdb, err := Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

func newStore(t *testing.T, rdb redis.UniversalClient, b Budgets) *Store {
	t.Helper()
	s, err := New(Options{Redis: rdb, Budgets: b, Log: workertest.Log(t)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAwaitedResultStays verifies that a result is not evicted while its caller is connected and
// has not read it. A second large result must wait for the delivery; a small result need not.
func TestAwaitedResultStays(t *testing.T) {
	t.Parallel()
	url := shared.URL(t)
	s := newStore(t, dial(t, url), Budgets{Results: 1500 + 2*EntryOverhead,
		ResultsPerCaller: 1 << 20, Inputs: 1})
	ctx := context.Background()
	if err := s.enter(ctx, "first", "ann", 1000, time.Minute, true, enterWait); err != nil {
		t.Fatal(err)
	}
	if err := s.enter(ctx, "second", "bob", 1000, time.Minute, true, enterWait); !errors.Is(err,
		errNoRoom) {
		t.Errorf("a result beside one that is awaited: %v", err)
	}
	if err := s.enter(ctx, "small", "bob", 100, time.Minute, false, enterSmall); err != nil {
		t.Errorf("a small result: %v", err)
	}
	s.delivered(ctx, "first")
	if err := s.enter(ctx, "second", "bob", 1000, time.Minute, true, enterWait); err != nil {
		t.Errorf("after the delivery: %v", err)
	}
	if err := s.enter(ctx, "third", "bob", 1000, time.Minute, true, enterAll); err != nil {
		t.Errorf("by force: %v", err)
	}
}

// TestAccountHeals verifies that the account drops expired results, repeats an eviction that a
// crash interrupted, and is exact after Redis has lost its data.
func TestAccountHeals(t *testing.T) {
	forEachBackend(t, func(t *testing.T, url string) {
		rdb := dial(t, url)
		s := newStore(t, rdb, Budgets{Results: 4 << 20, ResultsPerCaller: 1 << 20})
		ctx := context.Background()
		enter := func(id string, life time.Duration) {
			t.Helper()
			if err := s.enter(ctx, id, "ann", 1000, life, false, enterWait); err != nil {
				t.Fatal(err)
			}
		}
		want := func(results int64, when string) {
			t.Helper()
			st, err := s.ResultTotals(ctx)
			if err != nil || st.Results != results || st.Bytes != results*(1000+EntryOverhead) {
				t.Errorf("%s: %+v, %v", when, st, err)
			}
		}
		enter("short", time.Minute)
		enter("long", time.Minute)
		enter("long", time.Minute)
		want(2, "entered")
		rdb.ZAdd(ctx, expiresKey, redis.Z{Score: 1, Member: "short"}) // expired in 1970
		enter("next", time.Minute)
		want(2, "after one expired")

		// This is the state after a worker selected a result for eviction and died.
		rdb.Set(ctx, ResultKey("victim"), "d", time.Minute)
		rdb.ZAdd(ctx, leavingKey, redis.Z{Score: 1, Member: "victim"})
		enter("one more", time.Minute)
		if n := rdb.Exists(ctx, ResultKey("victim")).Val() +
			rdb.ZCard(ctx, leavingKey).Val(); n != 0 {
			t.Error("a result that was selected for eviction remains")
		}
		want(3, "after a repeated eviction")

		rdb.FlushDB(ctx)
		enter("after", time.Minute)
		want(1, "after Redis lost its data")
	})
}

// TestReadLimiter verifies that reads of one result share its bytes, and that the bytes per reader
// and in total are bounded.
func TestReadLimiter(t *testing.T) {
	t.Parallel()
	a := NewReadLimiter(ReadBudgets{Total: 1000, PerReader: 500})
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // an ended context keeps Reserve from waiting
	take := func(job, reader string, size, own int64) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		_, _, err := a.tryReserve(job, reader, size, own)
		return err
	}
	var limit *ReadLimitError
	for range 4 {
		if err := take("j", "ann", 100, 100); err != nil {
			t.Fatal(err)
		}
	}
	if a.Held() != 500 {
		t.Errorf("%d bytes are counted", a.Held())
	}
	if err := take("j", "ann", 100, 100); !errors.As(err, &limit) || !limit.OfReader {
		t.Errorf("a fifth reading: %v", err)
	}
	if err := take("j", "bob", 100, 300); err != nil {
		t.Error(err)
	}
	if err := take("k", "carl", 100, 300); !errors.As(err, &limit) || limit.OfReader {
		t.Errorf("more than all may: %v", err)
	}
	rec := a.shared["j"]
	for range 4 {
		a.release("j", "ann", rec, 100)
	}
	a.release("j", "bob", rec, 300)
	if a.Held() != 0 || len(a.shared) != 0 || len(a.readers) != 0 {
		t.Errorf("%d bytes are counted without a reading: %+v", a.Held(), a)
	}
	if err := take("huge", "ann", 5000, 1); err != nil {
		t.Errorf("one alone: %v", err)
	}
	if _, err := a.Reserve(ctx, "bob", 100); err == nil {
		t.Error("beside it")
	}
}

func TestRecords(t *testing.T) {
	c, now := newCodec(), time.UnixMilli(1_700_000_000_000).UTC()
	for _, o := range []Outcome{
		{Result: []byte(`{"a":1}`), ComputeMS: 1.5},
		{Result: []byte(`{"a":"` + strings.Repeat("x\\n", 5000) + `"}`)},
		{Failure: "no\nway", Cause: Crashed},
	} {
		state := Done
		if o.Failure != "" {
			state = Failed
		}
		want := Job{ID: "id", Tool: "t", Version: "1", EnqueuedAt: now}.Finish(state, o, now,
			time.Minute)
		record, err := c.pack(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.unpack("id", record)
		if err != nil {
			t.Fatal(err)
		}
		if got.State != want.State ||
			!bytes.Equal(got.Outcome.Result, o.Result) || got.Outcome.Failure != o.Failure ||
			got.Outcome.Cause != o.Cause || !got.ExpiresAt.Equal(now.Add(time.Minute)) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	large := []byte(`{"v":"` + strings.Repeat("0123456789", 10000) + `","warnings":[]}`)
	packed, err := gzipped.NewCompressor().Compress(large, 1)
	if err != nil {
		t.Fatal(err)
	}
	var records [2][]byte
	// The first result is compressed in this process, and the second by a child.
	for i, o := range []Outcome{{Result: large}, {Gzipped: packed}} {
		j := Job{ID: "id", Tool: "t", Version: "1"}.Finish(Done, o, now, time.Minute)
		if records[i], err = c.pack(j); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(records[0], records[1]) {
		t.Error("the record depends on the process that compresses the result")
	}
	if len(records[0]) > len(large)/10 || len(records[0]) < len(packed.Data) {
		t.Errorf("the record has %d bytes", len(records[0]))
	}
	if _, offset, z, err := unpackHead("id", records[0]); err != nil ||
		z.Size != int64(len(large)) ||
		!bytes.Equal(z.Tail, packed.Tail) || !bytes.Equal(records[0][offset:], packed.Data) {
		t.Errorf("%v, %+v", err, z)
	}
	for _, bad := range []string{"", "d", "xp{}\n", "dp{}", "dz{}", "dp{\n"} {
		if _, err := c.unpack("id", []byte(bad)); err == nil {
			t.Errorf("unpack(%q) succeeds", bad)
		}
	}
}

// TestSentinelWithoutMaster verifies that the error for a master that the Sentinels do not know
// names it. The test replies as a Sentinel does: with a null to SENTINEL GET-MASTER-ADDR-BY-NAME.
func TestSentinelWithoutMaster(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go replyAsSentinel(c)
		}
	}()
	url := "redis-sentinel://" + l.Addr().String() + "?master=nope"
	rdb, err := Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	defer rdb.Close()
	if err := Reach(t.Context(), rdb, url); err == nil ||
		err.Error() != `no Sentinel knows the master "nope"` {
		t.Errorf("%v", err)
	}
}

// replyAsSentinel replies to commands until the connection ends.
func replyAsSentinel(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		header, err := r.ReadString('\n') // *2
		if err != nil {
			return
		}
		n, _ := strconv.Atoi(strings.TrimSpace(header[1:]))
		words := make([]string, 0, n)
		for range n {
			_, _ = r.ReadString('\n') // $8, the length
			word, _ := r.ReadString('\n')
			words = append(words, strings.ToLower(strings.TrimSpace(word)))
		}
		reply := "+OK\r\n"
		switch words[0] {
		case "hello":
			reply = "-ERR unknown command\r\n"
		case "sentinel":
			reply = "*-1\r\n"
		}
		_, _ = io.WriteString(c, reply)
	}
}

// TestLossySettings verifies that a Redis with other settings than those of docs/operations.md is
// logged, and one with these settings is not.
func TestLossySettings(t *testing.T) {
	server := redistest.Start(t)
	rdb, err := Dial(server.URL(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rdb.Close() })
	for _, c := range []struct{ policy, append, want string }{
		{"allkeys-lru", "no", `settings="appendonly no, maxmemory-policy allkeys-lru"`},
		{"noeviction", "no", `settings="appendonly no"`},
		{"volatile-ttl", "yes", `settings="maxmemory-policy volatile-ttl"`},
		{"noeviction", "yes", ""},
	} {
		for name, value := range map[string]string{"maxmemory-policy": c.policy,
			"appendonly": c.append} {
			if err := rdb.ConfigSet(t.Context(), name, value).Err(); err != nil {
				t.Fatal(err)
			}
		}
		var log bytes.Buffer
		s, err := New(Options{Redis: rdb, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		quit := make(chan struct{})
		close(quit) // Maintain then returns after its first round
		s.Maintain(quit)
		if !strings.Contains(log.String(), c.want) || (log.Len() == 0) != (c.want == "") {
			t.Errorf("policy %s, appendonly %s: %s", c.policy, c.append, &log)
		}
	}
}

// refuseInfo is a hook of a Redis client that refuses a section of INFO.
type refuseInfo struct{ section string }

func (refuseInfo) DialHook(next redis.DialHook) redis.DialHook { return next }

func (refuseInfo) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (r refuseInfo) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "info" && cmd.Args()[1] == r.section {
			err := errors.New("NOPERM no permission")
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}

// TestLossySettingsPartly verifies that a setting is found although the other section of INFO is
// refused.
func TestLossySettingsPartly(t *testing.T) {
	server := redistest.Start(t)
	for section, want := range map[string]string{
		"memory": "appendonly no", "persistence": "maxmemory-policy allkeys-lru"} {
		rdb, err := Dial(server.URL(0))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { rdb.Close() })
		for name, value := range map[string]string{"maxmemory-policy": "allkeys-lru",
			"appendonly": "no"} {
			if err := rdb.ConfigSet(t.Context(), name, value).Err(); err != nil {
				t.Fatal(err)
			}
		}
		rdb.AddHook(refuseInfo{section})
		var log bytes.Buffer
		s, err := New(Options{Redis: rdb, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		quit := make(chan struct{})
		close(quit)
		s.Maintain(quit)
		if !strings.Contains(log.String(), `settings="`+want+`"`) {
			t.Errorf("without INFO %s: %s", section, &log)
		}
	}
}

// TestRedactedURL verifies that messages contain the server of a Redis URL, and no part of a user,
// password or query.
func TestRedactedURL(t *testing.T) {
	for url, want := range map[string]string{
		"redis://h:8210/99":               "redis://h:8210/99",
		"redis://ann:secret@h:8210/99":    "redis://h:8210/99",
		"rediss://:se@cret@h":             "rediss://h",
		"redis://:se?cret@h":              "redis://...",
		"localhost:6379":                  "localhost:6379",
		":secret@localhost:6379":          "localhost:6379",
		"unix:///run/redis.sock":          "unix:///run/redis.sock",
		"redis-cluster://:secret@a:1,b:2": "redis-cluster://a:1,b:2",
		"redis-sentinel://:secret@a:1,b:2/0?master=m&sentinel_password=se@cret": "redis-sentinel://" +
			"a:1,b:2/0",
		"redis://[::1]:6379":  "redis://[::1]:6379",
		"redis://:secret":     "redis://...",
		"redis://:se@cr?et@h": "redis://...",
		":secret://b@h:1":     "h:1",
		"secret":              "...",
		"redis:secret":        "...",
		"h=x://:secret":       "...",
		"name.redis.cache.windows.net:6380,password=secret=,ssl=True": "...",
	} {
		if got := RedactedURL(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
