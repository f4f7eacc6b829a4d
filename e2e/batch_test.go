package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"slipstick/keys/postgres/pgtest"
)

// batchState is a batch as GET /api/batches/{id} answers it.
type batchState struct {
	ID         string
	State      string
	RunsDone   int `json:"runs_done"`
	RunsFailed int `json:"runs_failed"`
	Summary    json.RawMessage
}

// askBatch sends a request with a key and decodes the answer.
func askBatch(t *testing.T, method, url, key, body string, status int, answer any) {
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
	if err != nil || res.StatusCode != status || json.Unmarshal(text, answer) != nil {
		t.Fatalf("%s %s: %d %s %v", method, url, res.StatusCode, text, err)
	}
}

// TestBatchSurvivesKills: with a worker and the coordinating API killed in the middle of a batch,
// each index has one row, which has the result of the circuit's equation, and the counts are exact.
func TestBatchSurvivesKills(t *testing.T) {
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	var workers [2]*process
	for i := range workers {
		workers[i] = start(t, "worker", "--redis-url", redis, "--concurrency", "1")
	}
	api := func() (base string, p *process) {
		addr := freeAddr(t)
		p = start(t, "api", "--redis-url", redis, "--database-url", database, "--addr", addr, "--jwt-secret", jwtSecret)
		waitReady(t, "http://"+addr)
		return "http://" + addr, p
	}
	first, coordinator := api()
	key := newKey(t, first, paidToken(t, "batch")).Key
	const runs = 1200
	body := fmt.Sprintf(`{"tool": "spice_simulate", "input": {"netlist": "divider\nV1 in 0 10\nR1 in out 1k\nR2 out 0 1k\nC1 out 0 1p\nV2 x 0 SIN(0 1 1k)\nR3 x 0 1k\n.tran 2u 10m\n.end"},
		"vary": [{"field": "element:R2", "from": 1000, "to": %d, "points": %d}],
		"collect": [{"name": "out", "vector": "v(out)", "reduce": "last"}]}`, 999+runs, runs)
	var b batchState
	askBatch(t, "POST", first+"/api/batches", key, body, 202, &b)
	second, _ := api()
	path := second + "/api/batches/" + b.ID
	poll := func() { askBatch(t, "GET", path, key, "", 200, &b) }
	eventually(t, "rows", func() bool { poll(); return b.RunsDone > 0 })
	if b.RunsDone == runs {
		t.Fatal("the batch ended before the kills")
	}
	_ = workers[0].Process.Kill()
	_ = coordinator.Process.Kill()
	eventually(t, "end of the batch", func() bool { poll(); return b.Summary != nil })
	if b.State != "done" || b.RunsDone != runs || b.RunsFailed != 0 {
		t.Errorf("%+v", b)
	}
	var rows struct {
		Columns struct {
			Index []int
			Out   []float64
		}
	}
	askBatch(t, "GET", path+"/results", key, "", 200, &rows)
	if len(rows.Columns.Index) != runs {
		t.Fatalf("%d rows", len(rows.Columns.Index))
	}
	for i, got := range rows.Columns.Out {
		r2 := float64(1000 + i) // voltage divider: V R2 / (R1 + R2)
		if want := 10 * r2 / (1000 + r2); rows.Columns.Index[i] != i || math.Abs(got-want) > 1e-3*want {
			t.Fatalf("row %d has index %d and %g V, want %g V", i, rows.Columns.Index[i], got, want)
		}
	}
}

// TestIdempotencySurvivesKill: a batch that is sent again to another API after the first one was
// killed is the same batch, with the same answer.
func TestIdempotencySurvivesKill(t *testing.T) {
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	const body = `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "values": [1, 10]}]}`
	var answers [2]string
	var key string
	for i := range answers {
		addr := freeAddr(t)
		p := start(t, "api", "--redis-url", redis, "--database-url", database, "--addr", addr, "--jwt-secret", jwtSecret)
		waitReady(t, "http://"+addr)
		if key == "" {
			key = newKey(t, "http://"+addr, paidToken(t, "idempotency")).Key
		}
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr+"/api/batches", strings.NewReader(body))
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
		if replayed := res.Header.Get("Idempotent-Replayed") == "true"; err != nil || res.StatusCode != 202 || replayed != (i == 1) {
			t.Fatalf("%d %v %s %v", res.StatusCode, res.Header, text, err)
		}
		answers[i] = res.Header.Get("Location") + string(text)
		_ = p.Process.Kill()
	}
	if answers[0] != answers[1] {
		t.Errorf("%s\n%s", answers[0], answers[1])
	}
}
