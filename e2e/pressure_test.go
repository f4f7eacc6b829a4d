package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/keys/postgres/pgtest"
)

var pressure = flag.Int("pressure", 0, "how many large transients to put on a deployment with a small Redis; 0: 60 of two fifths of the size")

// ladder returns a transient of a 73-stage RC ladder; number makes it a separate job.
func ladder(number int, stop string) map[string]any {
	var b strings.Builder
	fmt.Fprintf(&b, "ladder\nV1 n0 0 PULSE(0 5 0 1u 1u 1m 2m)\n")
	for i := 1; i <= 73; i++ {
		fmt.Fprintf(&b, "R%d n%d n%d %d\nC%d n%d 0 10n\n", i, i-1, i, 1000+number, i, i)
	}
	fmt.Fprintf(&b, ".tran 1u %s\n.end", stop)
	return map[string]any{"netlist": b.String()}
}

// TestSmallRedis loads two APIs and two workers on a Redis of 64 MB. Large results, many times that
// size in total, alternate with synchronous and small queued calls. The test verifies that every
// call is answered, counts are exact, and memory stays bounded. It also verifies that the metrics
// on which the alerts depend show that Redis is full.
func TestSmallRedis(t *testing.T) {
	const callers, limit = 20, 100_000
	large, stop := *pressure, "100m"
	if large == 0 {
		large, stop = 60, "40m"
	}
	redisAt := freeAddr(t)
	_, port, _ := net.SplitHostPort(redisAt)
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("SKIPPED: redis-server is not installed (Debian package redis-server)")
	}
	startCommand(t, exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save",
		"", "--appendonly", "no",
		"--maxmemory", "64mb", "--maxmemory-policy", "noeviction"))
	rdb := redis.NewClient(&redis.Options{Addr: redisAt})
	defer rdb.Close()
	eventually(t, "Redis", func() bool { return rdb.Ping(t.Context()).Err() == nil })
	database := pgtest.Start(t).Database(t)
	var apis [2]*process
	var at, admin [2]string
	for i := range apis {
		start(t, "worker", "--redis-url", "redis://"+redisAt, "--concurrency", "1",
			"--log-level", "error")
		at[i], admin[i] = freeAddr(t), freeAddr(t)
		apis[i] = start(t, "api", "--redis-url", "redis://"+redisAt, "--database-url", database,
			"--addr", at[i], "--admin-addr", admin[i],
			"--trusted-proxies", "127.0.0.0/8", "--anonymous-calls", strconv.Itoa(limit),
			"--log-level", "error")
	}
	for _, a := range at {
		waitReady(t, "http://"+a)
	}

	var (
		all                                   sync.WaitGroup
		next, arrived, dropped, full, checked atomic.Int64
		counted                               [callers]int64
		began                                 = time.Now()
	)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers},
		Timeout: 3 * time.Minute}
	for n := range callers {
		address := fmt.Sprintf("203.0.113.%d", n+1)
		send := func(method, url string, body any) (int, http.Header, []byte, error) {
			text, _ := json.Marshal(body)
			req, _ := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(text))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Forwarded-For", address)
			resp, err := client.Do(req)
			if err != nil {
				return 0, nil, nil, err
			}
			defer resp.Body.Close()
			response, err := io.ReadAll(resp.Body)
			return resp.StatusCode, resp.Header, response, err
		}
		// call repeats a call until it is accepted, and returns the result of its job.
		call := func(i int, tool string, body any) []byte {
			for {
				status, header, response, err := send("POST", "http://"+at[i%2]+"/api/"+tool, body)
				switch {
				case err != nil:
					t.Errorf("%s: %v", tool, err)
					return nil
				case status == 200:
					counted[n]++
					return response
				case status == 202:
					counted[n]++
					for url := "http://" + at[i%2] +
						header.Get("Location"); ; time.Sleep(time.Second) {
						status, header, response, err = send("GET", url, nil)
						switch {
						case err == nil && status == 200 && header.Get("Retry-After") != "":
						case err == nil && status == 200:
							return response
						case err == nil && status == 410:
							dropped.Add(1)
							return nil
						default:
							t.Errorf("polling %s: %d %.300s %v", tool, status, response, err)
							return nil
						}
					}
				case status == 503 && header.Get("Retry-After") != "" && bytes.Contains(response,
					[]byte("/problems/busy")) && !bytes.Contains(response, []byte("memory")):
					full.Add(1)
					time.Sleep(time.Second)
				default:
					t.Errorf("%s: %d %.300s", tool, status, response)
					return nil
				}
			}
		}
		all.Go(func() {
			for {
				i := int(next.Add(1))
				if i > large {
					return
				}
				if response := call(i, "spice_simulate", ladder(i, stop)); response != nil {
					if len(response) < 1_000_000 || !bytes.HasSuffix(response, []byte("}")) {
						t.Errorf("a large result has %d bytes", len(response))
					}
					arrived.Add(1)
				}
				call(i, "fspl", map[string]any{"freq_mhz": 915, "dist_km": i})
				call(i, "spice_simulate",
					map[string]any{
						"netlist": fmt.Sprintf(
							"divider %d\nV1 in 0 10\nR1 in out 1k\nR2 out 0 %d\n.op\n.end",
							i, 1000+i)})
				checked.Add(2)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	metric := func(i int, name string) float64 { return metricSum(t, admin[i], name) }
	for i := range apis {
		peak := resident(t, apis[i], "VmHWM")
		t.Logf(
			"api %d: at most %.1f MB; Redis %.1f of %.1f MB, results %.1f MB of a budget of %.1f MB", i, float64(peak)/1e6,
			metric(i, "slipstick_redis_memory_used_bytes")/1e6,
			metric(i, "slipstick_redis_memory_max_bytes")/1e6,
			metric(i, "slipstick_result_bytes")/1e6, metric(i, "slipstick_result_budget_bytes")/1e6)
		if peak > 512<<20 {
			t.Errorf("api %d had %.1f MB", i, float64(peak)/1e6)
		}
		if metric(i, "slipstick_result_bytes") > metric(i, "slipstick_result_budget_bytes") ||
			metric(i, "slipstick_redis_memory_max_bytes") != 64<<20 {
			t.Error("the budget does not hold")
		}
	}
	t.Logf("%d large results in %.0f s: %d delivered, %d dropped before they were fetched; %d small calls; %d honest refusals",
		large, took.Seconds(), arrived.Load(), dropped.Load(), checked.Load(), full.Load())
	if arrived.Load() != int64(large) {
		t.Errorf("%d of %d large results arrived", arrived.Load(), large)
	}
	// The RateLimit header gives the remaining calls of an address.
	left := regexp.MustCompile(`r=(\d+)`)
	for n := range callers {
		_, header, _, err := post(t.Context(), "http://"+at[n%2], "fspl",
			map[string]any{"freq_mhz": 1, "dist_km": 1}, "X-Forwarded-For",
			fmt.Sprintf("203.0.113.%d", n+1))
		m := left.FindStringSubmatch(header.Get("RateLimit"))
		if err != nil || m == nil || m[1] != strconv.FormatInt(limit-counted[n]-1, 10) {
			t.Errorf("caller %d made %d calls: %q, %v", n, counted[n]+1, header.Get("RateLimit"),
				err)
		}
	}

	// When other data fill Redis, the metrics on which the alerts depend show it. Synchronous calls
	// work, and queued calls get the reason. Then the service recovers.
	junk := func() {
		for size := 1 << 20; size > 100; size /= 8 {
			for i := 0; rdb.Set(context.Background(), fmt.Sprint("junk", size, " ", i,
				time.Now().UnixNano()), strings.Repeat("x", size), 0).Err() == nil; i++ {
			}
		}
	}
	eventually(t, "the metrics of the alerts", func() bool {
		junk()
		return metric(0, "slipstick_redis_writable") == 0 &&
			metric(0, "slipstick_redis_write_failures_total") > 0 &&
			metric(0, "slipstick_redis_memory_used_bytes") > 0.85*metric(0,
				"slipstick_redis_memory_max_bytes")
	})
	t.Logf("%.0f s: Redis is full", time.Since(began).Seconds())
	if status, _, response, err := post(t.Context(), "http://"+at[0], "fspl",
		map[string]any{"freq_mhz": 1, "dist_km": 1}); err != nil || status != 200 {
		t.Errorf("a synchronous call: %d %s %v", status, response, err)
	}
	resp, err := http.Get("http://" + at[0] + "/readyz")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("/readyz: %v %v", resp, err)
	}
	t.Logf("%.0f s: a synchronous call was answered", time.Since(began).Seconds())
	n := 0
	eventually(t, "a refusal that names the reason", func() bool {
		junk()
		n++
		status, header, response, err := post(t.Context(), "http://"+at[0], "spice_simulate",
			map[string]any{"netlist": fmt.Sprintf("full %d\nV1 a 0 1\nR1 a 0 %d\n.op\n.end",
				n, 7000+n)})
		return err == nil && status == 503 && header.Get("Retry-After") != "" &&
			bytes.Contains(response, []byte("memory"))
	})
	t.Logf("%.0f s: a queued call was rejected", time.Since(began).Seconds())
	for keys := rdb.Scan(t.Context(), 0, "junk*", 1000).Iterator(); keys.Next(t.Context()); {
		rdb.Del(t.Context(), keys.Val())
	}
	t.Logf("%.0f s: there is room again", time.Since(began).Seconds())
	eventually(t, "queued calls to be accepted again", func() bool {
		n++
		status, _, _, err := post(t.Context(), "http://"+at[1], "spice_simulate",
			map[string]any{"netlist": fmt.Sprintf("well %d\nV1 a 0 1\nR1 a 0 %d\n.op\n.end",
				n, 7000+n)})
		return err == nil && status == 200
	})
	eventually(t, "the metrics to be well", func() bool {
		return metric(0, "slipstick_redis_writable") == 1
	})
	t.Logf("%.0f s: all is well", time.Since(began).Seconds())
}

// metricSum returns the sum of a metric's series.
func metricSum(t *testing.T, admin, name string) (sum float64) {
	t.Helper()
	resp, err := http.Get("http://" + admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^`+name+`(?:\{[^}]*\})? (\S+)$`).FindAllSubmatch(text,
		-1) {
		v, _ := strconv.ParseFloat(string(m[1]), 64)
		sum += v
	}
	return sum
}
