package e2e

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/keys/postgres/pgtest"
)

// dividerNetlist returns a short simulation with a known result, 10 V × r2/(r1+r2). A few thousand
// transient steps keep a worker busy for some milliseconds.
func dividerNetlist(i int) (netlist map[string]any, out float64) {
	r2 := 1000 + i
	return map[string]any{"netlist": fmt.Sprintf("divider %d\nV1 in 0 10\nR1 in out 1k\nR2 out 0 %d\nC1 out 0 1p\nV2 x 0 SIN(0 1 1k)\nR3 x 0 1k\n.tran 2u 10m\n.end", i, r2)}, 10 * float64(r2) / float64(1000+r2)
}

// deployment is an API and two workers on a real Redis.
type deployment struct {
	base    string
	redis   string
	workers [2]*process
	keys    []string // paid keys of several subjects: jobs per subject are limited
}

func deploy(t *testing.T) deployment {
	t.Helper()
	d := deployment{redis: redisServer(t)}
	addr := freeAddr(t)
	d.base = "http://" + addr
	for i := range d.workers {
		d.workers[i] = start(t, "worker", "--redis-url", d.redis, "--concurrency", "2",
			"--log-level", "debug")
	}
	start(t, "api", "--redis-url", d.redis, "--database-url", pgtest.Start(t).Database(t), "--addr",
		addr, "--jwt-secret", jwtSecret)
	waitReady(t, d.base)
	for k := range 5 {
		d.keys = append(d.keys, newKey(t, d.base, paidToken(t, fmt.Sprint("load ", k))).Key)
	}
	return d
}

// callAll sends n different simulations at once, with the keys in turn, and verifies every result.
func callAll(t *testing.T, base string, from, n int, keys ...string) {
	t.Helper()
	var group sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		group.Go(func() {
			body, want := dividerNetlist(from + i)
			var (
				r       simulation
				account []string
			)
			if len(keys) > 0 {
				account = []string{"X-Api-Key", keys[i%len(keys)]}
			}
			if errs[i] = compute(base, "spice_simulate", body, &r, account...); errs[i] != nil {
				return
			}
			out := r.Vectors["v(out)"]
			if got := out[len(out)-1]; math.Abs(got-want) > 1e-6*want {
				errs[i] = fmt.Errorf("simulation %d: %g V, want %g", i, got, want)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestTwoWorkersShareTheLoad(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	callAll(t, d.base, 0, 200, d.keys...)
	for i, w := range d.workers {
		if done := strings.Count(w.out.String(), "job finished"); done < 20 {
			t.Errorf("worker %d finished %d of 200 jobs", i, done)
		} else {
			t.Logf("worker %d finished %d of 200 jobs", i, done)
		}
	}
}

func TestWorkerKilledMidJob(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	var killing sync.WaitGroup
	killing.Go(func() {
		eventually(t, "the first worker has begun", func() bool {
			return strings.Contains(d.workers[0].out.String(), "job finished")
		})
		_ = d.workers[0].Process.Kill()
	})
	callAll(t, d.base, 1000, 200, d.keys...)
	killing.Wait()
	select {
	case <-d.workers[0].ended:
	case <-time.After(10 * time.Second):
		t.Error("the first worker was not killed while the jobs ran")
	}
}

// TestRedisGoesAndReturns verifies that synchronous tools work without Redis, and that calls of
// queued tools get 503 with Retry-After. It also verifies that afterwards everything works without
// a restart.
func TestRedisGoesAndReturns(t *testing.T) {
	t.Parallel()
	at := freeAddr(t)
	redis, url := startRedis(t, at), "redis://"+at
	addr := freeAddr(t)
	base := "http://" + addr
	start(t, "worker", "--redis-url", url)
	start(t, "api", "--redis-url", url, "--database-url", pgtest.Start(t).Database(t),
		"--addr", addr)
	waitReady(t, base)
	callAll(t, base, 0, 5)

	_ = redis.Process.Kill()
	<-redis.ended
	body, _ := dividerNetlist(77)
	eventually(t, "503 from a queued tool", func() bool {
		status, header, _, err := post(context.Background(), base, "spice_simulate", body)
		return err == nil && status == http.StatusServiceUnavailable &&
			header.Get("Retry-After") != ""
	})
	if err := compute(base, "fspl", map[string]any{"freq_mhz": 1, "dist_km": 1},
		&struct{}{}); err != nil {
		t.Errorf("a cheap tool needs no Redis: %v", err)
	}

	startRedis(t, at)
	eventually(t, "queued tools work again", func() bool {
		var r simulation
		return compute(base, "spice_simulate", body, &r) == nil
	})
}
