package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/keys"
	"slipstick/keys/gate"
	"slipstick/keys/ledger"
	"slipstick/keys/sqlite"
)

// BenchmarkGate says what the key check, the limit and the metering add to POST /api/fspl, with a
// real Redis on this machine: the time with a Gate over the time without one, over 64 kept-alive
// connections. The two take turns, so that a noisy machine disturbs both alike; the ratio is the
// median over the turns.
func BenchmarkGate(b *testing.B) {
	rdb := redisForBench(b)
	store, err := sqlite.Open(b.Context(), sqlite.Memory)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(store.Close)
	registry, err := keys.NewRegistry(b.Context(), keys.RegistryOptions{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	counts := ledger.New(ledger.Options{Book: ledger.NewRedis(rdb)})
	b.Cleanup(counts.Close)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	gated := start(b, Options{Log: quiet, Gate: gate.New(gate.Options{
		Keys: registry, Ledger: counts, Limits: map[keys.Tier]int{keys.Anonymous: 1 << 40, keys.Free: 1 << 40},
	})})
	open := start(b, Options{Log: quiet})
	for _, who := range []struct {
		name string
		key  func() string
	}{
		{"paid key", func() string { return issueForBench(b, registry, keys.Developer) }},
		{"free key", func() string { return issueForBench(b, registry, keys.Free) }},
		{"no key", func() string { return "" }},
	} {
		b.Run(who.name, func(b *testing.B) {
			request := fsplRequest(who.key())
			with, without := connect(b, gated.addr, 64), connect(b, open.addr, 64)
			load(b, with, request, 4000)
			load(b, without, request, 4000)
			var withTook, withoutTook time.Duration
			var ratios []float64
			b.ResetTimer()
			done := 0
			for done < b.N {
				n := min(2000, b.N-done)
				a, o := load(b, with, request, n), load(b, without, request, n)
				withTook, withoutTook, done = withTook+a, withoutTook+o, done+n
				ratios = append(ratios, a.Seconds()/o.Seconds())
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			b.ReportMetric(float64(done)/withTook.Seconds(), "gated/s")
			b.ReportMetric(float64(done)/withoutTook.Seconds(), "open/s")
		})
	}
}

func fsplRequest(key string) []byte {
	const body = `{"freq_mhz":915,"dist_km":5}`
	if key != "" {
		key = headerKey + ": " + key + "\r\n"
	}
	return []byte("POST /api/fspl HTTP/1.1\r\nHost: localhost\r\n" + key + "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

func issueForBench(b *testing.B, r *keys.Registry, tier keys.Tier) string {
	b.Helper()
	key, _, err := r.Issue(b.Context(), keys.Order{Tier: tier})
	if err != nil {
		b.Fatal(err)
	}
	return key
}

func redisForBench(b *testing.B) redis.UniversalClient {
	b.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
			b.Fatal("redis-server is not installed, and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
		}
		b.Skip("SKIPPED: redis-server is not installed (Debian package redis-server)")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	_ = l.Close()
	cmd := exec.Command("redis-server", "--port", fmt.Sprint(l.Addr().(*net.TCPAddr).Port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", b.TempDir())
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	rdb := redis.NewClient(&redis.Options{Addr: l.Addr().String()})
	b.Cleanup(func() { _ = rdb.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 500 {
		if rdb.Ping(context.Background()).Err() == nil {
			return rdb
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatal("redis-server does not answer")
	return nil
}
