package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// smuggled is the request after an invalid one. The server must never respond to it.
const smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

// TestRequestSmuggling verifies that a request with ambiguous framing (RFC 9112, 6.1 and 6.3) is
// rejected. It also verifies that the server closes the connection and does not respond to the
// bytes after the request.
func TestRequestSmuggling(t *testing.T) {
	s := start(t, Options{BodyLimit: 10000})
	const post = "POST /api/sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	const good = `{"numbers":[1]}`
	length := fmt.Sprintf("Content-Length: %d\r\n", len(good))
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(good), good)
	for _, c := range []struct{ name, sent string }{
		{"a length and chunks", post + length + "Transfer-Encoding: chunked\r\n\r\n" + chunked},
		{"chunks and a length", post + "Transfer-Encoding: chunked\r\n" + length +
			"\r\n" + chunked},
		{"no chunk and a length",
			post + "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n"},
		{"a length of the first chunk's line",
			post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked},
		{"chunks of which none has come",
			post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"a length that is none, and chunks",
			post + "Transfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n" + chunked},
		{"Transfer-Encoding twice",
			post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked},
		{"chunked and identity",
			post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunked},
		{"identity and chunked",
			post + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked},
		{"capitals", post + length + "TRANSFER-ENCODING: CHUNKED\r\n\r\n" + chunked},
		{"identity and a length", post + "Transfer-Encoding: identity\r\n" + length +
			"\r\n" + good},
		{"identity", post + "Transfer-Encoding: identity\r\n\r\n"},
		{"chunked in a list", post + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunked},
		{"gzip, chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunked},
		{"xchunked", post + "Transfer-Encoding: xchunked\r\n\r\n" + chunked},
		{"xchunked and a length", post + "Transfer-Encoding: xchunked\r\n" + length +
			"\r\n" + good},
		{"an empty Transfer-Encoding", post + "Transfer-Encoding:\r\n" + length + "\r\n" + good},
		{"a vertical tab before chunked", post + "Transfer-Encoding: \x0bchunked\r\n" + length +
			"\r\n" + good},
		{"a space before the colon", post + "Transfer-Encoding : chunked\r\n" + length +
			"\r\n" + good},
		{"a tab before the colon", post + "Transfer-Encoding\t: chunked\r\n" + length +
			"\r\n" + good},
		{"a vertical tab before the colon", post + "Transfer-Encoding\x0b: chunked\r\n" + length +
			"\r\n" + good},
		{"a NUL in the name", post + "Transfer-Encoding\x00: chunked\r\n" + length + "\r\n" + good},
		{"a NUL in a value", post + "X-A: b\x00c\r\n" + length + "\r\n" + good},
		{"a space before the name", post + " Transfer-Encoding: chunked\r\n" + length +
			"\r\n" + good},
		{"a folded line that looks like a field",
			post + "X-A: b\r\n Transfer-Encoding: chunked\r\n" + length + "\r\n" + good},
		{"a folded value", post + "Transfer-Encoding:\r\n chunked\r\n\r\n" + chunked},
		{"a folded value of another field", post + "X-A: b\r\n\tc\r\n" + length + "\r\n" + good},
		{"a field behind a bare carriage return", post + "X-A: b\rTransfer-Encoding: chunked\r\n" +
			length + "\r\n" + good},
		{"two lengths that differ", post + length + "Content-Length: 5\r\n\r\n" + good},
		{"two equal lengths", post + length + length + "\r\n" + good},
		{"no host", strings.Replace(post, "Host: x\r\n", "", 1) + length + "\r\n" + good},
		{"two hosts", post + "host: y\r\n" + length + "\r\n" + good},
		{"a list of lengths", post + "Content-Length: 15, 15\r\n\r\n" + good},
		{"a signed length", post + "Content-Length: +15\r\n\r\n" + good},
		{"a negative length", post + "Content-Length: -1\r\n\r\n" + good},
		{"a hexadecimal length", post + "Content-Length: 0xf\r\n\r\n" + good},
		{"an empty length", post + "Content-Length:\r\n\r\n" + good},
		{"a length beyond 64 bits", post + "Content-Length: 18446744073709551631\r\n\r\n" + good},
		{"a space before the colon of the length", post + "Content-Length : 15\r\n\r\n" + good},
		{"chunks in HTTP/1.0", strings.Replace(post, "1.1", "1.0", 1) +
			"Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked},
		{"a GET with both", "GET /api HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"a HEAD with both", "HEAD /api HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"both and Expect", post + "Expect: 100-continue\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"a chunk size that is none", post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"},
		{"a chunk longer than its size", post + "Transfer-Encoding: chunked\r\n\r\n3\r\n" + good +
			"\r\n0\r\n\r\n"},
	} {
		for _, before := range []string{"", "a good request before"} {
			t.Run(c.name+", "+before, func(t *testing.T) {
				conn, r := dial(t, s)
				if before != "" {
					send(t, conn, smuggled)
					if a := receive(t, r); a.status != 200 || a.close {
						t.Fatalf("the request before: %d, closed %v", a.status, a.close)
					}
				}
				send(t, conn, c.sent+smuggled)
				method, _, _ := strings.Cut(c.sent, " ")
				res, err := http.ReadResponse(r, &http.Request{Method: method})
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				if err != nil {
					t.Fatal(err)
				}
				if !res.Close {
					t.Error("the response does not have Connection: close")
				}
				if method != "HEAD" {
					checkProblem(t, &reply{res.StatusCode, res.Header, string(body), res.Close},
						400, "bad-request")
				} else if res.StatusCode != 400 {
					t.Errorf("status %d", res.StatusCode)
				}
				if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
					t.Errorf("after the response: %q, %v", rest, err)
				}
			})
		}
	}
}

// TestFramingOfGoodRequests verifies that requests with valid framing keep their connection.
func TestFramingOfGoodRequests(t *testing.T) {
	s := start(t, Options{})
	conn, r := dial(t, s)
	for _, sent := range []string{
		"POST /api/sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"numbers\":[1]}",
		"POST /api/sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n{\"numbers\":[1]}\r\n0\r\n\r\n",
		"POST /api/sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding:  Chunked \r\n\r\n5\r\n{\"num\r\na\r\nbers\":[1]}\r\n0\r\n\r\n",
		"POST /api/sum HTTP/1.1\r\nHost: x\r\ncontent-type:application/json\r\ncontent-length:15\r\nx-empty:\r\nX-_!#$%&'*+.^`|~9: \xc3\xa4\r\n\r\n{\"numbers\":[1]}",
		"POST /api/sum HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 15\n\n{\"numbers\":[1]}",
		"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
		"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	} {
		send(t, conn, sent+sent)
		for range 2 {
			if a := receive(t, r); a.status != 200 || a.close {
				t.Errorf("%q: %d, closed %v: %s", sent, a.status, a.close, a.body)
			}
		}
	}
}

// TestExpectOfLongBody verifies that a client which waits for 100 Continue before a body above the
// limit gets 413 in its place, and that a body within the limit is requested.
func TestExpectOfLongBody(t *testing.T) {
	s := start(t, Options{BodyLimit: 1000})
	for length, want := range map[int]string{
		1001: "HTTP/1.1 413 ", 1000: "HTTP/1.1 100 Continue",
	} {
		conn, r := dial(t, s)
		send(t, conn, fmt.Sprintf("POST /api/sum HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", length))
		if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
			t.Errorf("%d bytes: %q, %v", length, line, err)
		}
	}
}

// TestLongChunks verifies that a chunked body above the limit gets 413, as one with a length does.
func TestLongChunks(t *testing.T) {
	s := start(t, Options{BodyLimit: 1000})
	conn, r := dial(t, s)
	send(t, conn, "POST /api/sum HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
		"Transfer-Encoding: chunked\r\n\r\n3e9\r\n"+strings.Repeat(" ", 1001)+"\r\n0\r\n\r\n")
	if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 413 ") {
		t.Errorf("%q, %v", line, err)
	}
}

// browserRequest has the headers that browsers send.
const browserRequest = "POST /api/sum HTTP/1.1\r\nHost: calc.example.com\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
	"Accept: */*\r\nAccept-Language: de,en-US;q=0.7,en;q=0.3\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" +
	"Referer: https://calc.example.com/t/sum\r\nContent-Type: application/json\r\nContent-Length: 15\r\n" +
	"Origin: https://calc.example.com\r\nSec-Fetch-Site: same-origin\r\n\r\n{\"numbers\":[1]}"

// BenchmarkFraming measures a synchronous call on one connection, with the headers that browsers
// send.
func BenchmarkFraming(b *testing.B) {
	s := start(b, Options{})
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	r := bufio.NewReader(c)
	for b.Loop() {
		if _, err := io.WriteString(c, browserRequest); err != nil {
			b.Fatal(err)
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
	}
}
