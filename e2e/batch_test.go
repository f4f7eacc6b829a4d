package e2e

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/batch"
	"slipstick/keys/postgres/pgtest"
	"slipstick/tools/catalog"
)

var batchRuns = flag.Int("batch-runs", 1000,
	"how many runs the batch has whose worker, API and Redis are killed")

// batchState is the response of GET /api/batches/{id}.
type batchState struct {
	ID         string
	State      string
	RunsDone   int        `json:"runs_done"`
	RunsFailed int        `json:"runs_failed"`
	FinishedAt *time.Time `json:"finished_at"`
	Summary    json.RawMessage
}

// requestBatch sends a request with a key, verifies the status, and decodes the response.
func requestBatch(t *testing.T, method, url, key, body string, status int, response any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status || json.Unmarshal(text, response) != nil {
		t.Fatalf("%s %s: %d %s %v", method, url, res.StatusCode, text, err)
	}
}

// batchAmplifier is the amplifier of examples/netlists with a transient that takes some
// milliseconds to simulate.
const batchAmplifier = `common-emitter amplifier
VCC vcc 0 12
V1 in 0 SIN(0 5m 1k)
C1 in b 10u
R1 vcc b 47k
R2 b 0 10k
RC vcc c 2.2k
RE e 0 470
CE e 0 100u
C2 c out 10u
RL out 0 10k
Q1 c b e qnpn
.model qnpn NPN(IS=6.734f BF=416.4 VAF=74.03 RB=10 RC=1 CJE=4.5p CJC=3.6p TF=301p)
.tran 10u 20m
.meas tran swing pp v(out) from=10m to=20m
.end`

// startDurableRedis starts a Redis that keeps an append-only file in a folder.
func startDurableRedis(t *testing.T, addr, dir string) *process {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
			t.Fatal(
				"redis-server is not installed, and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
		}
		t.Skip("SKIPPED: redis-server is not installed (Debian package redis-server)")
	}
	_, port, _ := net.SplitHostPort(addr)
	p := startCommand(t, exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1",
		"--save", "",
		"--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction",
		"--dir", dir))
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	defer rdb.Close()
	eventually(t, "redis responds", func() bool { return rdb.Ping(t.Context()).Err() == nil })
	return p
}

// TestBatchSurvivesKills runs a Monte Carlo analysis of an amplifier on three workers. Meanwhile
// the test kills a worker, kills and replaces the coordinating API, and restarts Redis from its
// append-only file. It verifies that each run has one row, equal to the result of a single call of
// the tool. The calls of the key must be counted exactly. The subtest with rows in Postgres also
// restarts Postgres.
func TestBatchSurvivesKills(t *testing.T) {
	t.Parallel()
	// All kills must come before the last row, also if the start of an API takes a second.
	t.Run("redis", func(t *testing.T) { batchSurvivesKills(t, false, 2**batchRuns) })
	t.Run("postgres", func(t *testing.T) { batchSurvivesKills(t, true, 2**batchRuns) })
}

func batchSurvivesKills(t *testing.T, rowsInPostgres bool, runs int) {
	var budgets []string
	if rowsInPostgres { // rows in Postgres do not count toward the memory budget in Redis
		budgets = []string{"--batch-budget-per-batch-mib", "1", "--batch-budget-mib", "1",
			"--batch-budget-per-caller-pct", "2", "--batch-database-budget-mib", "4096"}
	}
	addr, dir := freeAddr(t), t.TempDir()
	store, postgres := startDurableRedis(t, addr, dir), pgtest.Start(t)
	redisURL, database := "redis://"+addr, postgres.Database(t)
	var workers [3]*process
	for i := range workers {
		workers[i] = start(t, "worker", "--redis-url", redisURL, "--concurrency", "1",
			"--log-level", "warn")
	}
	coordinator, first := startAPI(t, redisURL, database, budgets...)
	jwt := paidToken(t, "batch")
	key := newKey(t, first, jwt).Key
	netlist, err := json.Marshal(batchAmplifier)
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(
		`{"tool": "spice_simulate", "mode": "random", "n": %d, "input": {"netlist": %s},
		"vary": [{"field": "element:RC", "tolerance_pct": 5}, {"field": "element:RE", "tolerance_pct": 5},
			{"field": "element:R1", "tolerance_pct": 5}, {"field": "element:R2", "tolerance_pct": 5, "distribution": "normal"}],
		"collect": [{"name": "swing", "measure": "swing"}, {"name": "top", "vector": "v(c)", "reduce": "max"}],
		"limits": {"swing": {"min": 1}}}`, runs, netlist)
	var b batchState
	requestBatch(t, "POST", first+"/api/batches", key, body, 202, &b)
	_, second := startAPI(t, redisURL, database, budgets...)
	path := second + "/api/batches/" + b.ID
	until := func(done int) {
		t.Helper()
		within(t, time.Minute+time.Duration(runs)*50*time.Millisecond, fmt.Sprint(done, " rows"),
			func() bool {
				a := send(t, "GET", path, "", "X-Api-Key", key)
				if a.status == http.StatusServiceUnavailable { // Redis is unavailable
					return false
				}
				a.read(t, &b)
				return b.RunsDone >= done
			})
	}
	before := func(what string) {
		t.Helper()
		if t.Logf("%s after %d rows", what, b.RunsDone); b.State != "running" {
			t.Fatalf("the batch is %s before: %s", b.State, what)
		}
	}
	until(runs / 20)
	before("a worker is killed")
	program, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := exec.Command(program, "queue", "batches", "--redis-url",
		redisURL).CombinedOutput()
	if err != nil || !strings.Contains(string(listed), b.ID+"  spice_simulate  random  running") {
		t.Errorf("%s %v", listed, err)
	}
	kill(workers[0])
	until(runs / 10)
	before("the API is killed")
	kill(coordinator)
	startAPI(t, redisURL, database, budgets...)
	until(b.RunsDone + 1)
	before("Redis is restarted")
	kill(store)
	startDurableRedis(t, addr, dir)
	if rowsInPostgres {
		until(b.RunsDone + 1)
		before("Postgres is restarted")
		postgres.Stop()
		time.Sleep(time.Second)
		postgres.Restart(t)
	}
	until(runs)
	eventually(t, "the summary", func() bool {
		requestBatch(t, "GET", path, key, "", 200, &b)
		return b.Summary != nil
	})
	if b.State != "done" || b.RunsDone != runs || b.RunsFailed != 0 {
		t.Errorf("%+v", b)
	}
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	defer rdb.Close()
	inPostgres, err := rdb.Get(t.Context(), "slipstick:{batches}:bytes:database").Int()
	if rowsInPostgres != (inPostgres >= runs*64) || !rowsInPostgres && !errors.Is(err, redis.Nil) {
		t.Errorf("%d bytes of rows are in Postgres, %v", inPostgres, err)
	}
	compareWithSingleCalls(t, path, key, body, runs)
	const again = 3
	for i := range again { // each request for a run counts as a call
		requestBatch(t, "GET", fmt.Sprint(path, "/runs/", i*(runs-1)/(again-1)), key, "", 200,
			&struct{}{})
	}
	eventually(t, "the counts", func() bool {
		return counted(t, second, jwt, key) >= int64(runs+again)
	})
	time.Sleep(2500 * time.Millisecond) // a double count would appear by now
	if n := counted(t, second, jwt, key); n != int64(runs+again) {
		t.Errorf("%d calls are counted, want %d", n, runs+again)
	}
}

// compareWithSingleCalls compares the rows of a batch with rows that the test process computes.
func compareWithSingleCalls(t *testing.T, path, key, body string, runs int) {
	t.Helper()
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	request, err := batch.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := batch.NewPlan(all, request)
	if err != nil {
		t.Fatal(err)
	}
	want, err := plan.Execute(t.Context(), runtime.NumCPU(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Only every tenth row is compared with a single call, because decoding a call takes time.
	for i := 0; i < runs; i += 10 {
		raw, err := plan.Tool.Run(t.Context(), plan.Input(i))
		var call struct{ Measures map[string]float64 }
		if err != nil || json.Unmarshal(raw, &call) != nil ||
			call.Measures["swing"] != want[i].Collected[0] {
			t.Fatalf("row %d has %v, the call %v, %v", i, want[i].Collected[0], call.Measures, err)
		}
	}
	const page = 1000
	for from := 0; from < runs; from += page {
		var got batch.Columns
		requestBatch(t, "GET", fmt.Sprintf("%s/results?from=%d&limit=%d", path, from, page), key,
			"", 200, &got)
		rows := plan.Columns(batch.Rows{From: from, Runs: want[from:min(from+page, runs)]}, runs)
		if got.From != from || got.Total != runs || got.Count != rows.Count ||
			string(got.Columns) != string(rows.Columns) {
			t.Fatalf("rows from %d: %d of %d\n%.300s\nwant %d\n%.300s", from, got.Count, got.Total,
				got.Columns, rows.Count, rows.Columns)
		}
	}
}

// TestIdempotencySurvivesKill verifies that a batch request with the same Idempotency-Key gets the
// same response from a second API, after the first was killed.
func TestIdempotencySurvivesKill(t *testing.T) {
	t.Parallel()
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	const body = `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "values": [1, 10]}]}`
	var responses [2]string
	var key string
	for i := range responses {
		addr := freeAddr(t)
		p := start(t, "api", "--redis-url", redis, "--database-url", database, "--addr", addr,
			"--jwt-secret", jwtSecret)
		waitReady(t, "http://"+addr)
		if key == "" {
			key = newKey(t, "http://"+addr, paidToken(t, "idempotency")).Key
		}
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr+"/api/batches",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"X-Api-Key": {key}, "Content-Type": {"application/json"},
			"Idempotency-Key": {`"2a1c1a2e-6a5c-4f0e-9d7c-3f6f2c9f6a10"`},
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if replayed := res.Header.Get("Idempotent-Replayed") == "true"; err != nil ||
			res.StatusCode != 202 || replayed != (i == 1) {
			t.Fatalf("%d %v %s %v", res.StatusCode, res.Header, text, err)
		}
		responses[i] = res.Header.Get("Location") + string(text)
		_ = p.Process.Kill()
	}
	if responses[0] != responses[1] {
		t.Errorf("%s\n%s", responses[0], responses[1])
	}
}
