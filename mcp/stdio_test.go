package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// startLines starts a server on a pair of pipes. send writes a line, and receive returns the next
// one. closeInput closes the input and returns the error of ServeLines.
func startLines(t *testing.T, s *Server,
	only Selection) (send func(string), receive func() rpc, closeInput func() error) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := s.ServeLines(context.Background(), in, out, Caller{Only: only})
		_ = out.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(fromServer)
	lines.Buffer(nil, maxLine)
	send = func(line string) {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	receive = func() (r rpc) {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("no more lines: %v", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		return r
	}
	return send, receive, func() error { _ = toServer.Close(); return <-ended }
}

// TestLines verifies the handshake, a synchronous call, invalid messages and a cancelled queued
// call. It also verifies that a queued call with progress ends after a synchronous call that was
// sent later.
func TestLines(t *testing.T) {
	stopped := make(chan string, 1)
	s := newServer(t, Options{Catalog: stepsCatalog(t, stopped), InProcess: true})
	before := runtime.NumGoroutine()
	send, receive, closeInput := startLines(t, s, nil)
	send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if r := receive(); r.Error != nil || string(r.ID) != "0" {
		t.Fatalf("%+v", r)
	}
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`nonsense`)
	if r := receive(); r.Error == nil || r.Error.Code != -32700 {
		t.Errorf("%+v", r)
	}
	send("")
	send(strings.Replace(callBody("steps", `{"steps":15}`, `"p"`), `"id":1`, `"id":"slow"`, 1))
	send(callBody("panics", `{"steps":1}`, ""))
	progress, order := 0, []string{}
	for len(order) < 2 {
		switch r := receive(); {
		case r.ID == nil:
			progress++
		default:
			order = append(order, string(r.ID))
			if string(r.ID) == `"slow"` && !strings.Contains(r.text(), "steps: 15") {
				t.Errorf("got %s", r.text())
			}
		}
	}
	if progress == 0 || order[0] != "1" {
		t.Errorf("%d notifications, answered in order %v", progress, order)
	}
	send(strings.Replace(callBody("steps", `{"steps":900,"name":"long"}`, `"p"`), `"id":1`,
		`"id":5`, 1))
	for range 3 {
		receive()
	}
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	select {
	case <-stopped:
	case <-time.After(5 * time.Second):
		t.Error("the computation goes on")
	}
	send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	for {
		if r := receive(); r.ID != nil {
			if string(r.ID) != "6" {
				t.Errorf("the cancelled call got a response: %s %s", r.ID, r.text())
			}
			break
		}
	}
	if err := closeInput(); err != nil {
		t.Errorf("the end of input is an error: %v", err)
	}
	eventually(t, "every goroutine has ended", func() bool {
		return runtime.NumGoroutine() <= before+1
	})
}

// TestLinesKeepResults routes a board over a pair of streams and reads its files from the result
// that the server keeps in memory. It also verifies that a call that exceeds the wait is no error
// and can be read later.
func TestLinesKeepResults(t *testing.T) {
	board, err := os.ReadFile("../examples/boards/led_blinker_555.json")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, Options{InProcess: true})
	send, receive, closeInput := startLines(t, s, nil)
	send(callBody("pcb_layout", compact(string(board)), ""))
	r := receive()
	if r.Result.IsError || len(r.Result.Content) != 4 || r.Result.Content[1].Type != "image" ||
		r.Result.Content[3].Type != "resource_link" ||
		!strings.Contains(r.text(), "until this program ends") {
		t.Fatalf("%+v", r)
	}
	uri := r.Result.Content[3].URI
	read := func(uri string) rpc {
		t.Helper()
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":%q}}`,
			uri))
		return receive()
	}
	whole := read(uri).contents(t)
	var result struct {
		Files map[string]string `json:"files"`
	}
	if err := json.Unmarshal([]byte(whole), &result); err != nil || len(result.Files) < 8 {
		t.Fatalf("%v, %d files", err, len(result.Files))
	}
	for name, text := range result.Files {
		if got := read(uri + "/files/" + url.PathEscape(name)).contents(t); got != text {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(text))
		}
	}
	if r := read("slipstick://jobs/" + strings.Repeat("0", 32)); r.Error == nil {
		t.Errorf("a job that never was: %+v", r)
	}
	if err := closeInput(); err != nil {
		t.Error(err)
	}

	s = newServer(t, Options{Catalog: stepsCatalog(t, nil), InProcess: true,
		Wait: 100 * time.Millisecond})
	send, receive, closeInput = startLines(t, s, nil)
	call := callBody("steps", `{"steps":40,"stepss":1}`, "")
	send(call)
	r = receive()
	if r.Result.IsError || !strings.Contains(r.text(), "Not finished yet") ||
		!strings.Contains(r.text(), `"stepss" was ignored`) ||
		!strings.Contains(string(r.Result.Structured), `"state":"`) {
		t.Fatalf("%+v", r)
	}
	uri = r.Result.Content[1].URI
	if state := read(uri).contents(t); !strings.Contains(state, `"state":"running"`) &&
		!strings.Contains(state, `"state":"queued"`) {
		t.Errorf("the unfinished job reads %s", state)
	}
	eventually(t, "the same call gives the result", func() bool {
		send(call)
		r := receive()
		return !r.Result.IsError && strings.Contains(string(r.Result.Structured), `"steps":40`) &&
			strings.Contains(string(r.Result.Structured), "stepss")
	})
	if got := read(uri).contents(t); !strings.Contains(got, `"steps":40`) ||
		!strings.Contains(got, "stepss") {
		t.Errorf("the finished job reads %s", got)
	}
	if err := closeInput(); err != nil {
		t.Error(err)
	}
}

// TestLinesNarrowed verifies that a session can be limited to some tools.
func TestLinesNarrowed(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	only, err := Select(s.opt.Catalog, "rf")
	if err != nil {
		t.Fatal(err)
	}
	send, receive, closeInput := startLines(t, s, only)
	send(callBody("loan_amortization", `{}`, ""))
	if r := receive(); r.Error == nil || !strings.Contains(r.Error.Message, "narrowed") {
		t.Errorf("%+v", r)
	}
	send(callBody("fspl", `{"freq_mhz":915,"dist_km":5}`, ""))
	if r := receive(); r.Error != nil || r.Result.IsError {
		t.Errorf("%+v", r)
	}
	if err := closeInput(); err != nil {
		t.Error(err)
	}
}

// TestPendingCallsAreBounded verifies that calls beyond maxPendingBytes get an error while the
// earlier calls wait, and that short calls still get responses.
func TestPendingCallsAreBounded(t *testing.T) {
	s := newServer(t, Options{Catalog: stepsCatalog(t, nil), InProcess: true})
	ctx, cancel := context.WithCancel(t.Context())
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.ServeLines(ctx, in, out, Caller{}); _ = out.Close() }()
	call := callBody("steps", `{"steps":900,"name":"long"}`, "")
	fit := maxPendingBytes / (2*len(call) + pendingOverhead)
	const beyond = 7
	go func() {
		for range fit + beyond {
			_, _ = io.WriteString(toServer, call+"\n")
		}
		_, _ = io.WriteString(toServer, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	}()
	lines, rejected := bufio.NewScanner(fromServer), 0
	for lines.Scan() {
		var r rpc
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		if string(r.ID) == "2" {
			break
		}
		if r.Error == nil || !strings.Contains(r.Error.Message, "too many calls") {
			t.Fatalf("a call got a response: %s", lines.Bytes())
		}
		rejected++
	}
	if rejected != beyond {
		t.Errorf("%d of %d calls were rejected, want %d", rejected, fit+beyond, beyond)
	}
	cancel()
	for lines.Scan() { // cancelled calls get responses
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLongLine verifies that an endless line uses bounded memory.
func TestLongLine(t *testing.T) {
	s := newServer(t, Options{Catalog: stepsCatalog(t, nil)})
	err := s.ServeLines(t.Context(), io.LimitReader(endless{}, 2*maxLine), io.Discard, Caller{})
	if err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
