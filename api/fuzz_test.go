package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"slipstick/tools"
)

// FuzzBody verifies that a synchronous tool responds to any body with 200 or a 4xx status, and
// always with valid JSON of the documented schema.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"numbers":[1,2,3]}`, `{"numbers":[]}`, `{"numbers":[1e308,1e308],"scale":2}`,
		`{"numbers":null}`, `{`, ``, `[[[[`, `{"a":{"b":[1,{"c":null}]},"numbers":[1]}`,
		`{"numbers":["\ud800"]}`, "{\"\x00\":1}", `{"numbers":[NaN]}`,
		`{"numbers":[1],"numbers":[2]}`, `{"numbers":[1],"<script>":"\u2028"}`, "\xef\xbb\xbf{}",
	} {
		f.Add([]byte(seed), "application/json")
	}
	f.Add([]byte(`{}`), "text/plain; charset=\xff")
	s, err := New(Options{Catalog: testCatalog(f),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		var ctx fasthttp.RequestCtx
		ctx.Init(&fasthttp.Request{}, nil, nil)
		ctx.Request.Header.SetMethod("POST")
		ctx.Request.SetRequestURI("/api/sum")
		ctx.Request.Header.SetContentType(contentType)
		ctx.Request.SetBody(body)
		s.serve(&ctx)
		status, response := ctx.Response.StatusCode(), ctx.Response.Body()
		switch {
		case status == 200:
			var e struct {
				Result     struct{ Sum *float64 }
				ComputedAt string `json:"computed_at"`
			}
			if err := json.Unmarshal(response, &e); err != nil || e.Result.Sum == nil ||
				e.ComputedAt == "" {
				t.Errorf("%q: %s (%v)", body, response, err)
			}
		case status == 400 || status == 415:
			var p Problem
			if err := json.Unmarshal(response, &p); err != nil || p.Status != status ||
				p.Detail == "" {
				t.Errorf("%q: %s (%v)", body, response, err)
			}
		default:
			t.Errorf("%q, %q: %d %s", body, contentType, status, response)
		}
	})
}

// FuzzRequest verifies that no bytes on a connection crash the server or cause a 5xx status, except
// 503 for tools that need a queue.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"GET /api HTTP/1.1\r\nHost: x\r\n\r\nGET /api/fspl HTTP/1.1\r\nHost: x\r\nIf-None-Match: W/\"\", *\r\n\r\n",
		"POST /api/sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"numbers\":[1]}",
		"POST /api/sum HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"POST /api/slow_sum HTTP/1.1\r\nPrefer: wait=9, respond-async;;=,\r\nContent-Length: 0\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\n\r\n", "BREW /api HTTP/1.1\r\nX-Request-Id: \x00\r\n\r\n",
		"GET /api?category=%zz&category HTTP/1.0\r\n\r\n",
		"GET /api/../../%2e%2e//problems/ HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip;q=\r\n\r\n",
		"DELETE /api/jobs/0123 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	// The catalog omits the tools with deliberate faults.
	c, err := tools.NewCatalog([]tools.Category{{Name: "test", Title: "Test", Tools: []*tools.Tool{
		testTool("sum", nil, sum), testTool("slow_sum", &tools.Heavy{Pool: "test"}, sum),
	}}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	s, err := New(Options{Catalog: c, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		conn := &preloadedConn{in: bytes.NewReader(sent)}
		stuck := time.AfterFunc(5*time.Second, func() {
			panic(fmt.Sprintf("no end after %q", sent))
		})
		_ = s.app.Server().ServeConn(conn)
		stuck.Stop()
		for response := conn.out.Bytes(); ; {
			at := bytes.Index(response, []byte("HTTP/1.1 5"))
			if at < 0 {
				return
			}
			response = response[at+9:]
			if !bytes.HasPrefix(response, []byte("503 ")) {
				t.Fatalf("%q: %s", sent, conn.out.Bytes())
			}
		}
	})
}

// preloadedConn is a connection whose client has sent all its bytes in advance.
type preloadedConn struct {
	net.Conn
	in  *bytes.Reader
	out bytes.Buffer
}

func (c *preloadedConn) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (c *preloadedConn) Write(p []byte) (int, error)      { return c.out.Write(p) }
func (c *preloadedConn) Close() error                     { return nil }
func (c *preloadedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *preloadedConn) SetWriteDeadline(time.Time) error { return nil }
func (c *preloadedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *preloadedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
