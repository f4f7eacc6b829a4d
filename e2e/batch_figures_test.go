package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"slipstick/keys/postgres/pgtest"
)

// TestBatchFigures prints performance figures of batches, as TestFigures does. It does not enforce
// the targets.
func TestBatchFigures(t *testing.T) {
	if !*printFigures {
		t.Skip("a measurement: make bench")
	}
	var table bytes.Buffer
	row := func(what, figure, aim string) {
		fmt.Fprintf(&table, "%-58s %-14s %s\n", what, figure, aim)
	}
	row("figure", "measured", "aim")
	d := newBatchDeployment(t)
	d.worker(t, 0)
	d.run(t, fsplBatch(1000))
	d.run(t, simulationBatch(8))

	const calls, simulations = 10_000, 300
	var alone, both []float64
	for range 3 { // alternating runs expose both sides to the same disturbances
		alone = append(alone, d.run(t, simulationBatch(simulations)).Seconds())
		second := d.worker(t, 1)
		d.run(t, simulationBatch(8)) // starts its subprocess
		both = append(both, d.run(t, simulationBatch(simulations)).Seconds())
		end(t, second)
	}
	row("a batch of simulations on two workers / on one",
		fmt.Sprintf("%.2f", median(alone)/median(both)), "1.85")
	d.worker(t, 1)
	took := min(d.run(t, fsplBatch(calls)), d.run(t, fsplBatch(calls)), d.run(t, fsplBatch(calls)))
	row("10,000 runs of fspl on two workers, end to end", fmt.Sprintf("%.2f s", took.Seconds()),
		"2 s")

	var quiet, disturbed []float64
	for range 2 {
		quiet = append(quiet, d.interactive(t))
		b := d.create(t, simulationBatch(5000))
		disturbed = append(disturbed, d.interactive(t))
		requestBatch(t, "DELETE", d.base+"/api/batches/"+b.ID, d.key, "", 200, &b)
		if b.State != "cancelled" {
			t.Errorf("the batch ended before the calls: %+v", b)
		}
	}
	without, with := slices.Min(quiet), slices.Min(disturbed)
	row("a single simulation, 99 of 100, without a batch", fmt.Sprintf("%.0f ms", without*1e3), "")
	row("the same beside a batch", fmt.Sprintf("%.0f ms", with*1e3),
		fmt.Sprintf("%.0f ms", (1.5*without+0.05)*1e3))
	t.Log("\n" + table.String())
}

// batchDeployment is an API with a database and Redis. Each of its workers has one slot and is
// pinned to a core.
type batchDeployment struct{ redis, base, key string }

func newBatchDeployment(t *testing.T) *batchDeployment {
	t.Helper()
	redis, database := redisServer(t), pgtest.Start(t).Database(t)
	_, base := startAPI(t, redis, database)
	return &batchDeployment{redis, base, newKey(t, base, paidToken(t, "figures")).Key}
}

// worker starts a worker, pinned to one core if taskset is installed.
func (d *batchDeployment) worker(t *testing.T, core int) *process {
	t.Helper()
	program, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{program, "worker", "--redis-url", d.redis, "--concurrency", "1",
		"--log-level", "error"}
	if taskset, err := exec.LookPath("taskset"); err == nil {
		args = append([]string{taskset, "-c", strconv.Itoa(core % runtime.NumCPU())}, args...)
	}
	return startCommand(t, exec.Command(args[0], args[1:]...))
}

func (d *batchDeployment) create(t *testing.T, body string) (b batchState) {
	t.Helper()
	requestBatch(t, "POST", d.base+"/api/batches", d.key, body, 202, &b)
	return b
}

// run returns the time from a batch request to the end of the batch. It polls only every 25 ms,
// because the API needs the cores of the workers.
func (d *batchDeployment) run(t *testing.T, body string) time.Duration {
	t.Helper()
	began := time.Now()
	b := d.create(t, body)
	for {
		requestBatch(t, "GET", d.base+"/api/batches/"+b.ID, d.key, "", 200, &b)
		if b.State != "queued" && b.State != "running" {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	if b.State != "done" || b.RunsFailed > 0 || b.FinishedAt == nil {
		t.Fatalf("%+v", b)
	}
	return b.FinishedAt.Sub(began)
}

// interactive returns the 99th percentile of the response times of single simulations, in seconds.
// The simulations arrive at random, on average ten per second.
func (d *batchDeployment) interactive(t *testing.T) float64 {
	t.Helper()
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	times, err := offer(10, 15*time.Second, func() (float64, float64, error) {
		mu.Lock()
		number := random.IntN(1e9)
		mu.Unlock()
		began := time.Now()
		status, _, response, err := post(t.Context(), d.base, "spice_simulate",
			map[string]any{"netlist": fmt.Sprintf(figureNetlist, number)}, "X-Api-Key", d.key)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%d %.200s", status, response)
		}
		return time.Since(began).Seconds(), 0, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return times[len(times)*99/100]
}

func fsplBatch(runs int) string {
	return fmt.Sprintf(`{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": %d, "points": %[1]d}]}`, runs)
}

// figureNetlist is a netlist whose simulation takes some tens of milliseconds.
const figureNetlist = "figure %d\nV1 in 0 SIN(0 10 1k)\nD1 in out 1n4148\nC1 out 0 1u\nR1 out 0 1k\n.tran 2u 20m 0 2u\n.measure tran top max v(out)\n.end"

func simulationBatch(runs int) string {
	netlist, _ := json.Marshal(fmt.Sprintf(figureNetlist, 0)) // encoding a string cannot fail
	return fmt.Sprintf(
		`{"tool": "spice_simulate", "mode": "random", "n": %d, "input": {"netlist": %s},
		"vary": [{"field": "element:R1", "tolerance_pct": 1}], "collect": [{"name": "top", "measure": "top"}]}`, runs, netlist)
}
