package api

import (
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fasthttp"

	"slipstick/mcp"
	"slipstick/tools/catalog"
	"slipstick/worker"
)

// decoded returns the body of a reply without its content coding. It reads gzip with the standard
// library, which shares no code with the server's gzip writer.
func decoded(t *testing.T, r *reply) string {
	t.Helper()
	var in io.Reader = strings.NewReader(r.body)
	var err error
	switch r.header.Get("Content-Encoding") {
	case "gzip":
		in, err = gzip.NewReader(in)
	case "zstd":
		in, err = zstd.NewReader(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestCodingFor compares the negotiated coding with the rules of RFC 9110, section 12.5.3.
func TestCodingFor(t *testing.T) {
	for _, c := range []struct {
		accept string
		size   int
		want   coding
	}{
		{"", 1e6, identity},
		{"gzip", 1e6, codingGzip},
		{"gzip", 100, identity},
		{"x-gzip", 1e6, codingGzip},
		{"GZIP", 1e6, codingGzip},
		{"gzip, deflate, br, zstd", 1e6, codingGzip},
		{"gzip;q=0.9, zstd", 1e6, codingZstd},
		{"gzip, deflate, br", 1e6, codingGzip},
		{"br, deflate", 1e6, identity},
		{"*", 1e6, codingGzip},
		{"*;q=0", 1e6, identity},
		{"gzip;q=0", 1e6, identity},
		{"gzip;q=0.0, zstd;q=0", 1e6, identity},
		{"gzip; q=0.5 , zstd; Q=0.4", 1e6, codingGzip},
		{"gzip;q=0.5, identity", 1e6, identity},
		{"gzip;q=0.5, identity;q=0.2", 1e6, codingGzip},
		{"zstd;q=0, *", 1e6, codingGzip},
		{"identity;q=0", 1e6, identity}, // no coding is acceptable: identity
		{"identity;q=0, gzip", 10, codingGzip},
		{"*;q=0, zstd", 10, codingZstd},
		{"identity;q=0, gzip", 0, identity},
		{"gzip;q=2", 1e6, identity},
		{"gzip;q=NaN", 1e6, identity},
		{"gzip;level=9", 1e6, identity},
		{", ,;;q=,=", 1e6, identity},
		{"notgzip", 1e6, identity},
	} {
		if got := codingFor([]byte(c.accept), c.size); got != c.want {
			t.Errorf("%q with %d bytes: %q instead of %q", c.accept, c.size, got, c.want)
		}
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	f.Add("gzip;q=0.5, *;q=0")
	f.Fuzz(func(t *testing.T, value string) {
		got := codingFor([]byte(value), 1e6)
		lower := strings.ToLower(value)
		if got != identity && !strings.Contains(lower, string(got)) &&
			!strings.Contains(value, "*") {
			t.Errorf("%q: %s", value, got)
		}
	})
}

// TestEveryResponseIsCompressed compares compressed responses of every kind, in each coding, with
// the uncompressed responses.
func TestEveryResponseIsCompressed(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	agents, err := mcp.New(mcp.Options{Catalog: all})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Catalog: all, MCP: agents})
	listing := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	const accept = "Accept: application/json, text/event-stream"
	session := "Mcp-Session-Id: " + s.initialize(t)
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/api", ""},
		{"GET", "/api/docs", ""},
		{"GET", "/api/fspl", ""},
		{"GET", "/problems", ""},
		{"GET", "/static/app.css", ""},
		{"GET", "/docs", ""}, // a page
		{"POST", "/mcp", listing},
		{"POST", "/api/loan_amortization",
			`{"principal":100000,"annual_rate_pct":5,"term_years":3}`},
	} {
		call := func(method string, headers ...string) *reply {
			headers = append(headers, "Content-Type: application/json", accept, session)
			return s.call(t, method, c.path, c.body, headers...)
		}
		plain := call(c.method, "Accept-Encoding: identity")
		if plain.status != 200 || plain.header.Get("Content-Encoding") != "" ||
			len(plain.body) < minCompressed {
			t.Errorf("%s: %d, %d bytes", c.path, plain.status, len(plain.body))
			continue
		}
		for _, to := range []string{"gzip", "zstd"} {
			r := call(c.method, "Accept-Encoding: "+to)
			if r.header.Get("Content-Encoding") != to ||
				!strings.Contains(r.header.Get("Vary"), "Accept-Encoding") {
				t.Errorf("%s: %v", c.path, r.header)
			}
			if !strings.Contains(plain.header.Get("Vary"), "Accept-Encoding") {
				t.Errorf("%s without coding: %v", c.path, plain.header)
			}
			got, want := decoded(t, r), plain.body
			// these responses contain a token or a time
			if c.path == "/docs" || c.path == "/api/loan_amortization" {
				got, want = got[:100], want[:100]
			}
			if got != want || len(r.body) > len(plain.body)*2/3 {
				t.Errorf("%s in %s: %d bytes of %d", c.path, to, len(r.body), len(plain.body))
			}
			if c.method != "GET" {
				continue
			}
			// The server does not support ranges.
			part := call("GET", "Accept-Encoding: "+to, "Range: bytes=0-9")
			if part.status != 200 || part.header.Get("Content-Range") != "" ||
				len(decoded(t, part)) != len(plain.body) {
				t.Errorf("%s with a range: %d %v", c.path, part.status, part.header)
			}
			head := call("HEAD", "Accept-Encoding: "+to)
			if head.body != "" || head.header.Get("Content-Encoding") != to ||
				c.path != "/docs" &&
					head.header.Get("Content-Length") != r.header.Get("Content-Length") {
				t.Errorf("HEAD %s: %v instead of %v", c.path, head.header, r.header)
			}
			tag := r.header.Get("ETag")
			if tag != plain.header.Get("ETag") {
				t.Errorf("%s: tags %s and %s", c.path, tag, plain.header.Get("ETag"))
			}
			if tag != "" {
				same := call("GET", "Accept-Encoding: "+to, "If-None-Match: "+tag)
				if same.status != 304 || same.body != "" ||
					same.header.Get("Content-Encoding") != "" ||
					!strings.Contains(same.header.Get("Vary"), "Accept-Encoding") {
					t.Errorf("%s: %d %v", c.path, same.status, same.header)
				}
			}
		}
	}
	small := s.call(t, "GET", "/healthz", "", "Accept-Encoding: gzip, zstd")
	if small.header.Get("Content-Encoding") != "" || small.header.Get("Vary") != "" {
		t.Errorf("a small response: %v", small.header)
	}
	only := s.call(t, "GET", "/healthz", "", "Accept-Encoding: gzip, identity;q=0")
	if only.header.Get("Content-Encoding") != "gzip" || decoded(t, only) != small.body {
		t.Errorf("without identity: %v %q", only.header, only.body)
	}
	if none := s.call(t, "GET", "/healthz", "", "Accept-Encoding: identity;q=0"); none.body !=
		small.body {
		t.Errorf("nothing is acceptable: %d %v", none.status, none.header)
	}
}

// TestEventsAreNotCompressed verifies that an event reaches the client immediately.
func TestEventsAreNotCompressed(t *testing.T) {
	q := newFakeQueue()
	s := start(t, Options{Queue: q})
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/ui/jobs/"+testJob+"/events",
		nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip, zstd")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		t.Fatalf("%d %s", res.StatusCode, kind)
	}
	if e := res.Header.Get("Content-Encoding"); e != "" {
		t.Errorf("events in %s", e)
	}
}

// TestProblemAfterCompression verifies that a problem has no Content-Encoding if it replaces a
// compressed response that exceeds the read limits.
func TestProblemAfterCompression(t *testing.T) {
	reads := worker.NewReadLimiter(worker.ReadBudgets{Total: 1000, Patience: time.Millisecond})
	release, err := reads.Reserve(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	s := start(t, Options{Reads: reads})
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.Set("Accept-Encoding", "gzip")
	ctx.Response.Header.SetContentType("text/csv")
	c := s.app.AcquireCtx(&ctx)
	defer s.app.ReleaseCtx(c)
	random := rand.New(rand.NewPCG(1, 2))
	var rows []byte
	for len(rows) < 4*minCounted {
		rows = strconv.AppendFloat(append(rows, '\n'), random.Float64(), 'g', -1, 64)
	}
	err = s.sendCounted(c, rows)
	if err == nil {
		t.Fatal("there was room")
	}
	s.writeProblem(&ctx, err)
	if e := ctx.Response.Header.ContentEncoding(); len(e) > 0 || ctx.Response.Body()[0] != '{' {
		t.Errorf("%s in %s", ctx.Response.Body()[:10], e)
	}
}
