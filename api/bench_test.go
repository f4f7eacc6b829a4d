package api

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"slipstick/internal/cputime"
	"slipstick/mcp"
)

// BenchmarkCompute compares POST /api/fspl, including the operator's metrics, with a bare Fiber
// handler that returns as many bytes of JSON. Both sides use 64 keep-alive connections on the
// loopback. They alternate, because load then disturbs both equally.
//
// It reports requests per second of each side, their ratio and the ratio of CPU time, which other
// programs disturb less. Ratios are medians over the turns.
func BenchmarkCompute(b *testing.B) {
	s := start(b, Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Metrics: prometheus.NewRegistry()})
	body := []byte(`{"freq_mhz":915,"dist_km":5}`)
	response := []byte(s.post(b, "/api/fspl", string(body)).body)

	echo := fiber.New(fiber.Config{DisableStartupMessage: true, Network: "tcp"})
	echo.Post("/api/fspl", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(response)
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = echo.Listener(ln) }()
	defer func() { _ = echo.Shutdown() }()

	ours, bare := connect(b, s.addr, 64), connect(b, ln.Addr().String(), 64)
	request := append([]byte("POST /api/fspl HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\n\r\n"), body...)
	turns := takeTurns(b, request, ours, bare, nil)
	turns.report(b, "fspl/s", "echo/s")
	b.ReportMetric(1/turns.ratio(), "ratio")
	b.ReportMetric(1/turns.cpuRatio(), "cpu-ratio")
}

// turns holds the durations of both sides.
type turns struct {
	done         int
	took, cpu    [2]time.Duration
	ratios, cpus []float64 // first side divided by second side, per turn
}

// takeTurns loads two sides in turns. extra returns the CPU time of other processes that work for
// the first side; nil means that there are none.
func takeTurns(b *testing.B, request []byte, first, second []net.Conn,
	extra func() time.Duration) *turns {
	b.Helper()
	if extra == nil {
		extra = func() time.Duration { return 0 }
	}
	// requests per turn; large enough that connections that are idle at its end do not matter
	const turn = 6000
	t := &turns{}
	measure := func(side int, conns []net.Conn, n int) {
		cpu := cputime.Process() + extra()
		t.took[side] += load(b, conns, request, n)
		t.cpu[side] += cputime.Process() + extra() - cpu
	}
	load(b, first, request, 2*turn)
	load(b, second, request, 2*turn)
	b.ResetTimer()
	for t.done < b.N {
		n, took, cpu := min(turn, b.N-t.done), t.took, t.cpu
		measure(0, first, n)
		measure(1, second, n)
		t.ratios = append(t.ratios, (t.took[0]-took[0]).Seconds()/(t.took[1]-took[1]).Seconds())
		t.cpus = append(t.cpus, (t.cpu[0]-cpu[0]).Seconds()/(t.cpu[1]-cpu[1]).Seconds())
		t.done += n
	}
	b.StopTimer()
	return t
}

func (t *turns) ratio() float64    { return median(t.ratios) }
func (t *turns) cpuRatio() float64 { return median(t.cpus) }

func (t *turns) report(b *testing.B, first, second string) {
	b.ReportMetric(float64(t.done)/t.took[0].Seconds(), first)
	b.ReportMetric(float64(t.done)/t.took[1].Seconds(), second)
	b.ReportMetric(float64(t.cpu[0].Nanoseconds())/1e3/float64(t.done), "cpu-µs/op")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

func connect(b *testing.B, addr string, n int) []net.Conn {
	b.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = c.Close() })
		conns[i] = c
	}
	return conns
}

// load sends about n requests over all connections and waits for the responses.
func load(b *testing.B, conns []net.Conn, request []byte, n int) time.Duration {
	var all sync.WaitGroup
	began := time.Now()
	for _, c := range conns {
		all.Go(func() {
			r := bufio.NewReaderSize(c, 4096)
			for range (n + len(conns) - 1) / len(conns) {
				if _, err := c.Write(request); err != nil {
					b.Error(err)
					return
				}
				if err := skipResponse(r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

var lengthHeader, okLine = []byte("Content-Length: "), []byte("HTTP/1.1 200")

func skipResponse(r *bufio.Reader) error {
	length := 0
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, okLine) {
			return io.ErrUnexpectedEOF
		}
		if v, ok := bytes.CutPrefix(line, lengthHeader); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(v)))
		}
		if len(line) == 2 {
			_, err := r.Discard(length)
			return err
		}
	}
}

// BenchmarkMCP compares tools/call of fspl at /mcp with POST /api/fspl, as BenchmarkCompute does.
// It reports calls per second of each side, and their ratio.
func BenchmarkMCP(b *testing.B) {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	catalog := testCatalog(b)
	agents, err := mcp.New(mcp.Options{Catalog: catalog, Log: log})
	if err != nil {
		b.Fatal(err)
	}
	s := start(b, Options{Catalog: catalog, Log: log, MCP: agents})
	session := s.initialize(b)
	request := func(path, headers, body string) []byte {
		return []byte("POST " + path +
			" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers +
			"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	}
	rest := request("/api/fspl", "", `{"freq_mhz":915,"dist_km":5}`)
	call := request("/mcp", "Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: "+session+"\r\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fspl","arguments":{"freq_mhz":915,"dist_km":5}}}`)
	conns := connect(b, s.addr, 64)
	load(b, conns, rest, 2000)
	load(b, conns, call, 2000)
	var restTook, callTook time.Duration
	const turn = 10000
	b.ResetTimer()
	done := 0
	for done < b.N {
		n := min(turn, b.N-done)
		restTook += load(b, conns, rest, n)
		callTook += load(b, conns, call, n)
		done += n
	}
	b.ReportMetric(float64(done)/callTook.Seconds(), "mcp/s")
	b.ReportMetric(float64(done)/restTook.Seconds(), "rest/s")
	b.ReportMetric(restTook.Seconds()/callTook.Seconds(), "ratio")
}
