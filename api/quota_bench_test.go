package api

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/internal/redistest"
	"slipstick/keys"
	"slipstick/keys/keystest"
	"slipstick/keys/quota"
	"slipstick/keys/usage"
)

// BenchmarkQuota measures the cost of authentication, limit and usage record in POST /api/fspl with
// a real Redis on this machine. It reports the ratios of elapsed time and CPU time, Redis included,
// of a server with a Quota to a server without one. Both sides use 64 keep-alive connections and
// alternate, because load then disturbs both equally. The ratios are medians.
func BenchmarkQuota(b *testing.B) {
	rdb := redis.NewClient(&redis.Options{Addr: redistest.Start(b).Addr()})
	b.Cleanup(func() { _ = rdb.Close() })
	service := keystest.NewService(b)
	counts := usage.New(usage.Options{Store: usage.NewRedis(rdb)})
	b.Cleanup(counts.Close)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	gated := start(b, Options{Log: quiet, Quota: quota.New(quota.Options{
		Keys: service, Counter: counts, Limits: map[keys.Tier]int{keys.Anonymous: 1 << 40,
			keys.Free: 1 << 40},
	})})
	open := start(b, Options{Log: quiet})
	for _, caller := range []struct {
		name string
		key  func() string
	}{
		{"paid key", func() string { return issueForBench(b, service, keys.Developer) }},
		{"free key", func() string { return issueForBench(b, service, keys.Free) }},
		{"no key", func() string { return "" }},
	} {
		b.Run(caller.name, func(b *testing.B) {
			request := fsplRequest(caller.key())
			with, without := connect(b, gated.addr, 64), connect(b, open.addr, 64)
			turns := takeTurns(b, request, with, without, func() time.Duration {
				return redisCPU(b, rdb)
			})
			turns.report(b, "gated/s", "open/s")
			b.ReportMetric(turns.ratio(), "ratio")
			b.ReportMetric(turns.cpuRatio(), "cpu-ratio")
		})
	}
}

func fsplRequest(key string) []byte {
	const body = `{"freq_mhz":915,"dist_km":5}`
	if key != "" {
		key = headerKey + ": " + key + "\r\n"
	}
	return []byte("POST /api/fspl HTTP/1.1\r\nHost: localhost\r\n" + key +
		"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\n\r\n" + body)
}

func issueForBench(b *testing.B, r *keys.Service, tier keys.Tier) string {
	b.Helper()
	key, _, err := r.Issue(b.Context(), keys.IssueParams{Tier: tier})
	if err != nil {
		b.Fatal(err)
	}
	return key
}

// redisCPU returns the CPU time of Redis.
func redisCPU(b *testing.B, rdb redis.UniversalClient) time.Duration {
	b.Helper()
	text, err := rdb.Info(context.Background(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	sum := 0.0
	for line := range strings.Lines(text) {
		for _, name := range []string{"used_cpu_sys:", "used_cpu_user:"} {
			if v, ok := strings.CutPrefix(line, name); ok {
				s, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
				if err != nil {
					b.Fatal(err)
				}
				sum += s
			}
		}
	}
	return time.Duration(sum * float64(time.Second))
}
