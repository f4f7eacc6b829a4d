package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"slipstick/deploy/capacity"
	"slipstick/keys/postgres/pgtest"
)

var measureCapacity = flag.Bool("capacity", false, "measure runs of 1, 2 and 4 workers beside the model of slipstick/deploy/capacity; takes four minutes")

// TestCapacity sends simulations at random times to 1, 2 and 4 worker processes with one slot each.
// It prints the measured times beside those of the model. It has no pass criterion, because the
// figures depend on the machine and its load.
func TestCapacity(t *testing.T) {
	if !*measureCapacity {
		t.Skip("a measurement: make capacity")
	}
	redis := redisServer(t)
	addr := freeAddr(t)
	base := "http://" + addr
	start(t, "api", "--redis-url", redis, "--addr", addr, "--database-url",
		pgtest.Start(t).Database(t), "--anonymous-calls", "0", "--jobs-per-caller", "1000")
	waitReady(t, base)
	number := 0
	var numbering sync.Mutex
	simulate := func() (total, alone float64, err error) {
		numbering.Lock()
		number++
		body := heavierNetlist(number)
		numbering.Unlock()
		began := time.Now()
		status, _, response, err := post(t.Context(), base, "spice_simulate", body)
		total = time.Since(began).Seconds()
		if err != nil {
			return 0, 0, err
		}
		if status != http.StatusOK {
			return 0, 0, fmt.Errorf("%d %.200s", status, response)
		}
		var e struct {
			Result struct {
				RuntimeMS float64 `json:"runtime_ms"`
			} `json:"result"`
		}
		err = json.Unmarshal(response, &e)
		return total, e.Result.RuntimeMS / 1000, err
	}

	first := start(t, "worker", "--redis-url", redis, "--concurrency", "1")
	var service, overhead []float64
	for i := range 60 {
		total, alone, err := simulate()
		if err != nil {
			t.Fatal(err)
		}
		if i >= 10 {
			service = append(service, alone)
			overhead = append(overhead, total-alone)
		}
	}
	slices.Sort(overhead)
	load := capacity.Load{ServiceS: service, OverheadS: overhead[len(overhead)/2]}
	mean := 0.0
	for _, s := range service {
		mean += s / float64(len(service))
	}
	t.Logf(
		"one simulation: %.1f ms alone, %.1f ms more through HTTP, queue and child (medians of %d)", mean*1e3, load.OverheadS*1e3, len(service))
	d := &batchDeployment{redis: redis, base: base}
	d.run(t, simulationBatch(10))
	run := d.run(t, simulationBatch(200)).Seconds() / 200
	t.Logf("a run of a batch: %.1f ms on one worker", run*1e3)
	// Rows of the tables in docs/capacity.md.
	t.Log("| workers | jobs per second | load | p50 measured | p50 model | p99 measured | p99 model | calls |")
	beside := "| workers | jobs per second | p50 measured | p50 model | p99 measured | p99 model | runs per second measured | model |\n"
	workers := []*process{first}
	for _, n := range []int{1, 2, 4} {
		for len(workers) < n {
			workers = append(workers, start(t, "worker", "--redis-url", redis,
				"--concurrency", "1"))
		}
		time.Sleep(time.Second)
		load.Slots, load.Cores = n, min(n, runtime.NumCPU())
		// The overhead of a job outside the simulator uses the same cores, so it counts as service
		// time.
		busy := load
		busy.ServiceS = make([]float64, len(service))
		for i, s := range service {
			busy.ServiceS[i] = s + load.OverheadS
		}
		busy.OverheadS = 0
		for _, share := range []float64{0.4, 0.6, 0.8} {
			busy.RatePerS = share * float64(busy.Cores) / (mean + load.OverheadS)
			times, err := offer(busy.RatePerS, 20*time.Second, simulate)
			if err != nil {
				t.Fatal(err)
			}
			model, err := capacity.Simulate(busy, 50_000, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("| %d | %.1f | %.0f %% | %.1f ms | %.1f ms | %.1f ms | %.1f ms | %d |", n,
				busy.RatePerS, share*100,
				times[len(times)/2]*1e3, model.P50S*1e3, times[len(times)*99/100]*1e3,
				model.P99S*1e3, len(times))
		}
		// The second table has the response times beside a batch with a permanent backlog.
		busy.RatePerS, busy.BatchS = 0.4*float64(busy.Cores)/(mean+load.OverheadS), []float64{run}
		model, err := capacity.Simulate(busy, 50_000, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, began := d.create(t, simulationBatch(10_000)), time.Now()
		times, err := offer(busy.RatePerS, 20*time.Second, simulate)
		if err != nil {
			t.Fatal(err)
		}
		requestBatch(t, "DELETE", base+"/api/batches/"+b.ID, "", "", http.StatusOK, &b)
		rate := float64(b.RunsDone) / time.Since(began).Seconds()
		beside += fmt.Sprintf(
			"| %d | %.1f | %.1f ms | %.1f ms | %.1f ms | %.1f ms | %.1f | %.1f |\n", n,
			busy.RatePerS,
			times[len(times)/2]*1e3, model.P50S*1e3, times[len(times)*99/100]*1e3, model.P99S*1e3,
			rate, model.BatchPerS)
	}
	t.Log("beside a batch\n" + beside)
}

// offer calls a function at random times with the given mean rate per second, independent of the
// responses. It returns the sorted response times and the last error.
func offer(rate float64, during time.Duration,
	call func() (float64, float64, error)) ([]float64, error) {
	random := rand.New(rand.NewPCG(1, uint64(rate*1000)))
	var (
		mu     sync.Mutex
		times  []float64
		failed error
		wg     sync.WaitGroup
	)
	for until := time.Now().Add(during); time.Now().Before(until); {
		time.Sleep(time.Duration(random.ExpFloat64() / rate * float64(time.Second)))
		wg.Go(func() {
			took, _, err := call()
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
				return
			}
			times = append(times, took)
		})
	}
	wg.Wait()
	slices.Sort(times)
	return times, failed
}

// heavierNetlist returns a simulation that takes some tens of milliseconds. Each number yields a
// different job.
func heavierNetlist(i int) map[string]any {
	r2 := 1000 + float64(i)/16
	return map[string]any{"netlist": fmt.Sprintf("rectifier %d\nV1 in 0 SIN(0 10 1k)\nD1 in out 1n4148\nC1 out 0 1u\nR1 out 0 %g\n.tran 1u 20m\n.end", i, r2)}
}
