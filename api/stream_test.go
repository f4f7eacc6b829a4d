package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"slipstick/keys/ratelimit"
	"slipstick/tools"
	"slipstick/worker"
	"slipstick/worker/queuetest"
)

type wideIn struct {
	Bytes int `json:"bytes" gt:"0" doc:"Size"`
	Seed  int `json:"seed" default:"0" doc:"To tell jobs apart"`
}
type wideOut struct {
	Text string `json:"text" doc:"Filler"`
	tools.Warnings
}

// wide is a queued tool with a result of selectable size, which gzip compresses to about half.
var wide = tools.Define(tools.Spec{
	Name: "wide", Title: "Wide", Summary: "Makes a large result", Method: "none",
	Sources:  []string{"test"},
	Heavy:    &tools.Heavy{Pool: "test", Timeout: time.Minute},
	Examples: []tools.Example{{Title: "one", In: `{"bytes":1}`}},
}, func(_ context.Context, in wideIn) (out wideOut, err error) {
	random := rand.New(rand.NewPCG(1, uint64(in.Seed)))
	b := make([]byte, (in.Bytes+1)/2)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return wideOut{Text: hex.EncodeToString(b)}, nil
})

// startReal starts a server with its own queue and worker.
func startReal(t *testing.T, o Options, budgets worker.Budgets) *running {
	t.Helper()
	rdb := queuetest.Redis(t)
	o.Catalog = testCatalog(t, wide)
	queuetest.Serve(t, worker.ServerOptions{Redis: rdb, Catalog: o.Catalog, Budgets: budgets})
	if o.Reads == nil {
		o.Reads = worker.NewReadLimiter(worker.ReadBudgets{})
	}
	o.Queue = queuetest.Client(t, worker.ClientOptions{Redis: rdb, Reads: o.Reads,
		Budgets: budgets})
	s := start(t, o)
	s.redis = rdb
	return s
}

// largeJob computes a large result and returns the path of its job.
func largeJob(t *testing.T, s *running, bytes, seed int) string {
	t.Helper()
	r := s.post(t, "/api/wide", fmt.Sprintf(`{"bytes":%d,"seed":%d}`, bytes, seed),
		"Prefer: respond-async")
	if r.status != 202 {
		t.Fatalf("%d %.200s", r.status, r.body)
	}
	at := r.header.Get("Location")
	eventually(t, func() bool {
		r := s.call(t, "HEAD", at, "")
		return r.status == 200 && r.header.Get("Retry-After") == ""
	})
	return at
}

// silent sends a request and does not read the response.
func silent(t *testing.T, s *running, request string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return c
}

// withoutTime removes the time of computation from a response.
func withoutTime(body string) string {
	return regexp.MustCompile(`"computed_at":"[^"]*"`).ReplaceAllString(body, "")
}

// TestLargeResultInFull verifies that every interface returns a large result in full.
func TestLargeResultInFull(t *testing.T) {
	s := startReal(t, Options{}, worker.Budgets{})
	const bytes = 2_000_000
	at := largeJob(t, s, bytes, 0)
	posted := s.post(t, "/api/wide", fmt.Sprintf(`{"bytes":%d}`, bytes))
	var e struct {
		Result     wideOut `json:"result"`
		Tool       string  `json:"tool"`
		ComputedAt string  `json:"computed_at"`
	}
	posted.json(t, &e)
	if posted.status != 200 || len(e.Result.Text) != bytes || e.Tool != "wide" ||
		e.ComputedAt == "" {
		t.Fatalf("%d, %d bytes, %s", posted.status, len(e.Result.Text), e.Tool)
	}
	again := s.post(t, "/api/wide", fmt.Sprintf(`{"bytes":%d}`, bytes))
	if withoutTime(again.body) != withoutTime(posted.body) {
		t.Error("the finished job has another response")
	}
	got := s.call(t, "GET", at, "", "Accept-Encoding: identity")
	var job Job
	got.json(t, &job)
	if got.status != 200 || job.State != worker.Done || job.Problem != nil || len(job.Links) != 2 ||
		withoutTime(string(job.Result)) != withoutTime(posted.body) {
		t.Errorf("%d %.300s", got.status, got.body)
	}
	if h := s.call(t, "HEAD", at, "", "Accept-Encoding: identity"); h.status != 200 ||
		h.header.Get("Content-Length") != got.header.Get("Content-Length") || h.body != "" {
		t.Errorf("HEAD: %d %v, %v", h.status, h.header, got.header)
	}
	eventually(t, func() bool { return s.opt.Reads.Held() == 0 })
}

// TestLargeResultAsStored verifies that a client that accepts gzip gets the stored bytes, even with
// warnings of its own. It also verifies that they decompress to the response that other clients
// get. A record of version 1.0 cannot be divided, so every client must get it uncompressed.
func TestLargeResultAsStored(t *testing.T) {
	s := startReal(t, Options{}, worker.Budgets{})
	at := largeJob(t, s, 300_000, 0)
	const body = `{"bytes":300000,"unknown":1}`
	requests := []func(headers ...string) *reply{
		func(h ...string) *reply { return s.call(t, "GET", at, "", h...) },
		func(h ...string) *reply { return s.post(t, "/api/wide", `{"bytes":300000}`, h...) },
		func(h ...string) *reply { return s.post(t, "/api/wide", body, h...) },
	}
	for _, stored := range []string{"as now", "as by version 1.0"} {
		want := "gzip"
		if stored != "as now" {
			want = ""
			storeAsVersion10(t, s, strings.TrimPrefix(at, "/api/jobs/"))
		}
		for i, get := range requests {
			plain := get("Accept-Encoding: identity")
			packed := get("Accept-Encoding: gzip, br")
			if packed.status != 200 || packed.header.Get("Content-Encoding") != want ||
				packed.header.Get("Vary") != "Accept-Encoding" ||
				plain.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s, %d: %d %v", stored, i, packed.status, packed.header)
			}
			got := decoded(t, packed)
			if withoutTime(got) != withoutTime(plain.body) || len(got) < 300_000 {
				t.Errorf("%s, %d: %d bytes instead of %d", stored, i, len(got), len(plain.body))
			}
			if warned := strings.Contains(got, `unknown field \"unknown\" was ignored`); warned !=
				(i == 2) {
				t.Errorf("%s, %d: %.200s", stored, i, got[len(got)-200:])
			}
			if want != "" && len(packed.body) > len(plain.body)*2/3 {
				t.Errorf("%s, %d: %d bytes of %d", stored, i, len(packed.body), len(plain.body))
			}
			if r := get("Accept-Encoding: gzip;q=0.1, identity"); r.header.Get(
				"Content-Encoding") != "" {
				t.Errorf("gzip although identity is preferred")
			}
		}
		get, head := s.call(t, "GET", at, "", "Accept-Encoding: gzip"),
			s.call(t, "HEAD", at, "", "Accept-Encoding: gzip")
		if head.header.Get("Content-Length") != get.header.Get("Content-Length") ||
			head.header.Get("Content-Encoding") != want {
			t.Errorf("%s: HEAD %v instead of %v", stored, head.header, get.header)
		}
	}
	eventually(t, func() bool { return s.opt.Reads.Held() == 0 })
}

// storeAsVersion10 replaces the record of a large result with a record in the format of version
// 1.0.
func storeAsVersion10(t *testing.T, s *running, id string) {
	t.Helper()
	key := "slipstick:result:{" + id + "}"
	record, err := s.redis.Get(t.Context(), key).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	line, packed, _ := bytes.Cut(record[2:], []byte("\n"))
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`,"gzip":{.*?"tail":"[^,]*"}`).ReplaceAll(line, nil)
	old := bytes.NewBuffer(append(append(record[:2:2], head...), '\n'))
	if len(head) == len(line) {
		t.Fatalf("no description in %s", line)
	}
	w, _ := gzip.NewWriterLevel(old, gzip.BestSpeed)
	if _, err := io.Copy(w, z); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if err := s.redis.Set(t.Context(), key, old.Bytes(), time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestResultsNotRead verifies the memory bound with clients that request a result of 27 MB and do
// not read it. It also verifies that other clients are served and the slow ones are disconnected.
func TestResultsNotRead(t *testing.T) {
	s := startReal(t, Options{WriteTimeout: time.Second}, worker.Budgets{})
	at := largeJob(t, s, 27_000_000, 0)
	memory := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	for _, clients := range []int{40, 400} {
		runtime.GC()
		before, most := memory(), uint64(0)
		for range clients {
			silent(t, s, "GET "+at+" HTTP/1.1\r\nHost: x\r\n\r\n")
			most = max(most, memory())
		}
		eventually(t, func() bool { return s.opt.Reads.Held() > 13_000_000 })
		for i := range 20 {
			most = max(most, memory())
			if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`); r.status != 200 {
				t.Fatalf("a synchronous call: %d %s", r.status, r.body)
			}
			if r := s.post(t, "/api/wide", fmt.Sprintf(`{"bytes":%d,"seed":%d}`, 1000,
				i)); r.status != 200 {
				t.Fatalf("a queued call with a small result: %d %s", r.status, r.body)
			}
		}
		grown := int64(most) - int64(before)
		t.Logf("%d clients: the heap grew by %.1f MB, %.1f MB are held", clients,
			float64(grown)/1e6, float64(s.opt.Reads.Held())/1e6)
		if grown > 300<<20 {
			t.Errorf("%d clients that do not read cost %.1f MB", clients, float64(grown)/1e6)
		}
		// the write timeout disconnects the slow clients
		eventually(t, func() bool { return s.opt.Reads.Held() == 0 })
	}
}

// TestReadsOfOneAddress verifies that an address above its read limit is rejected while another
// address is served.
func TestReadsOfOneAddress(t *testing.T) {
	s := startReal(t, Options{
		Proxies: Proxies{netip.MustParsePrefix("127.0.0.0/8")},
		Reads: worker.NewReadLimiter(worker.ReadBudgets{Total: 60 << 20, PerReader: 8 << 20,
			Patience: 100 * time.Millisecond}),
	}, worker.Budgets{})
	first, second := largeJob(t, s, 10_000_000, 1), largeJob(t, s, 10_000_000, 2)
	silent(t, s, "GET "+first+" HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.5\r\n\r\n")
	eventually(t, func() bool { return s.opt.Reads.Held() > 5_000_000 })
	r := s.call(t, "GET", second, "", "X-Forwarded-For: 203.0.113.5")
	if r.status != 429 || r.header.Get("Retry-After") == "" ||
		!strings.Contains(r.body, "your address is reading") {
		t.Errorf("%d %v %.300s", r.status, r.header, r.body)
	}
	p := s.post(t, "/api/wide", `{"bytes":10000000,"seed":2}`, "X-Forwarded-For: 203.0.113.5")
	if p.status != 429 || p.header.Get("Location") != second {
		t.Errorf("POST: %d %v", p.status, p.header)
	}
	if r := s.call(t, "GET", second, "", "X-Forwarded-For: 203.0.113.6"); r.status != 200 ||
		len(r.body) < 10_000_000 {
		t.Errorf("another address: %d %.300s", r.status, r.body)
	}
}

// TestPollsCount verifies that polls of a job count against the rate limit of all requests. Reads
// of a large result count against the limit of reads.
func TestPollsCount(t *testing.T) {
	s := startReal(t, Options{
		Proxies: Proxies{netip.MustParsePrefix("127.0.0.0/8")},
		Bursts: Bursts{Any: ratelimit.Rate{PerSecond: 0.01, Size: 10},
			Reads: ratelimit.Rate{PerSecond: 0.01, Size: 2}},
	}, worker.Budgets{})
	large := largeJob(t, s, 200_000, 1)
	status := func(address string) (all []int) {
		for range 12 {
			r := s.call(t, "GET", large, "", "X-Forwarded-For: "+address)
			if r.status == 429 && r.header.Get("Retry-After") == "" {
				t.Error("429 without Retry-After")
			}
			all = append(all, r.status)
		}
		return all
	}
	if got := fmt.Sprint(status("203.0.113.5")); got != fmt.Sprint([]int{200, 200, 429, 429, 429,
		429, 429, 429, 429, 429, 429, 429}) {
		t.Error(got)
	}
	for range 10 {
		s.call(t, "GET", "/api/jobs/"+strings.Repeat("0", 32), "", "X-Forwarded-For: 203.0.113.7")
	}
	if r := s.call(t, "GET", "/api/jobs/"+strings.Repeat("0", 32), "",
		"X-Forwarded-For: 203.0.113.7"); r.status != 429 {
		t.Errorf("the eleventh poll: %d", r.status)
	}
}

// TestEventsCount verifies that event streams of jobs count as reads of results.
func TestEventsCount(t *testing.T) {
	s := start(t, Options{
		Queue: newFakeQueue(), Proxies: Proxies{netip.MustParsePrefix("127.0.0.0/8")},
		Bursts: Bursts{Reads: ratelimit.Rate{PerSecond: 0.01, Size: 2}},
	})
	for _, want := range []int{200, 200, 429} {
		r := s.call(t, "HEAD", "/api/jobs/"+testJob+"/events", "", "X-Forwarded-For: 203.0.113.5")
		if r.status != want {
			t.Errorf("%d, want %d", r.status, want)
		}
	}
}

// TestDroppedResult verifies that a request for a dropped result gets the reason.
func TestDroppedResult(t *testing.T) {
	s := startReal(t, Options{}, worker.Budgets{Results: 2_000_000, ResultsPerCaller: 500_000})
	first := largeJob(t, s, 600_000, 1)
	for i := range 8 {
		largeJob(t, s, 600_000, 2+i)
	}
	r := s.call(t, "GET", first, "")
	var p Problem
	r.json(t, &p)
	if r.status != 410 || p.Type != "/problems/result-dropped" ||
		!strings.Contains(p.Detail, "room") && !strings.Contains(p.Detail, "caller") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := s.post(t, "/api/wide", `{"bytes":600000,"seed":1}`); r.status != 200 ||
		len(r.body) < 600_000 {
		t.Errorf("sent again: %d %.200s", r.status, r.body)
	}
}

// TestSlowReader verifies that the write timeout disconnects a client that stops reading within a
// response, and that the server continues.
func TestSlowReader(t *testing.T) {
	s := startReal(t, Options{WriteTimeout: 300 * time.Millisecond}, worker.Budgets{})
	silent(t, s, "GET "+largeJob(t, s, 27_000_000, 1)+" HTTP/1.1\r\nHost: x\r\n\r\n")
	eventually(t, func() bool { return s.opt.Reads.Held() > 0 })
	eventually(t, func() bool { return s.opt.Reads.Held() == 0 })
	if r := s.call(t, "GET", "/healthz", ""); r.status != 200 {
		t.Error(r.status)
	}
}

// eventually waits up to 40 s for a condition.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(40 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("waited in vain")
		}
	}
}
