package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipstick/keys/postgres/pgtest"
)

// agent is a minimal client of /mcp.
type agent struct {
	base, session string
}

// send posts a message and returns the response. The caller must close its body.
func (a *agent) send(ctx context.Context, body any) (*http.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/mcp",
		bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if a.session != "" {
		req.Header.Set("Mcp-Session-Id", a.session)
	}
	return http.DefaultClient.Do(req)
}

// connect initializes a session.
func connect(t *testing.T, base string) *agent {
	t.Helper()
	a := &agent{base: base}
	res, err := a.send(t.Context(),
		message(0, "initialize", map[string]any{"protocolVersion": "2025-11-25",
			"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "e2e",
				"version": "1"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if a.session = res.Header.Get("Mcp-Session-Id"); a.session == "" {
		body, _ := io.ReadAll(res.Body)
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	return a
}

func message(id any, method string, params any) map[string]any {
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id != nil {
		m["id"] = id
	}
	return m
}

func toolCall(id any, tool string, arguments any) map[string]any {
	return message(id, "tools/call", map[string]any{"name": tool, "arguments": arguments,
		"_meta": map[string]any{"progressToken": id}})
}

// call posts a message and returns the body of the response.
func (a *agent) call(t *testing.T, body any) string {
	t.Helper()
	res, err := a.send(t.Context(), body)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// hundredParts returns a board of fifty LEDs with their resistors between two headers.
func hundredParts(name string) map[string]any {
	parts := []map[string]any{{"ref": "J1", "footprint": "PinHeader_1x02"}}
	vcc, gnd := []string{"J1.1"}, []string{"J1.2"}
	nets := []map[string]any{}
	for i := 1; i <= 50; i++ {
		parts = append(parts, map[string]any{"ref": fmt.Sprintf("R%d", i), "footprint": "R_0805",
			"value": "330"}, map[string]any{"ref": fmt.Sprintf("D%d", i), "footprint": "LED_0805"})
		vcc, gnd = append(vcc, fmt.Sprintf("R%d.1", i)), append(gnd, fmt.Sprintf("D%d.K", i))
		nets = append(nets, map[string]any{"name": fmt.Sprintf("N%d", i),
			"pins": []string{fmt.Sprintf("R%d.2", i), fmt.Sprintf("D%d.A", i)}})
	}
	nets = append(nets, map[string]any{"name": "VCC", "pins": vcc},
		map[string]any{"name": "GND", "pins": gnd})
	return map[string]any{"name": name, "components": parts, "nets": nets}
}

// TestBoardForAnAgent verifies that a request for a board of a hundred parts yields progress
// notifications and a shortened result, with the files as resources. It also verifies that the
// cancellation of a second board stops its job.
func TestBoardForAnAgent(t *testing.T) {
	addr := freeAddr(t)
	p := start(t, "serve", "--addr", addr, "--data", ":memory:", "--log-level", "debug")
	waitReady(t, "http://"+addr)
	a := connect(t, "http://"+addr)
	progress, response := 0, ""
	for range 4 { // the wait is bounded; the same call waits again
		res, err := a.send(t.Context(), toolCall(1, "pcb_layout", hundredParts("hundred")))
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewReader(res.Body); ; {
			line, err := lines.ReadString('\n')
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if strings.Contains(data, "notifications/progress") {
					progress++
				} else {
					response = data
				}
			}
			if err != nil {
				break
			}
		}
		_ = res.Body.Close()
		if !strings.Contains(response, "Not finished yet") {
			break
		}
	}
	t.Logf("%d notifications; the response has %d bytes", progress, len(response))
	if progress < 1 {
		t.Errorf("%d progress notifications", progress)
	}
	contains(t, response, `"structuredContent"`, "Shortened", "resource_link", "slipstick://jobs/")
	if len(response) > 8_000+2*80_000 { // the response has two pictures in Base64
		t.Errorf("the response has %d bytes", len(response))
	}
	_, job, _ := strings.Cut(response, "slipstick://jobs/")
	file := a.call(t,
		message(2, "resources/read",
			map[string]any{"uri": "slipstick://jobs/" + job[:32] + "/files/hundred.gtl"}))
	contains(t, file, "TF.FileFunction,Copper,L1,Top", "text/plain")

	events := make(chan string, 100)
	go func() {
		defer close(events)
		res, err := a.send(context.Background(), toolCall("second", "pcb_layout",
			hundredParts("another")))
		if err != nil {
			return
		}
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				events <- data
			}
		}
	}()
	for range 3 {
		<-events
	}
	stopped := strings.Count(p.out.String(), "job stopped")
	begin := time.Now()
	if body := a.call(t, message(nil, "notifications/cancelled",
		map[string]any{"requestId": "second", "reason": "enough"})); body != "" {
		t.Errorf("a notification got a response: %s", body)
	}
	for e := range events {
		if !strings.Contains(e, "notifications/progress") {
			t.Errorf("the cancelled call got a response: %s", e)
		}
	}
	eventually(t, "the job is stopped", func() bool {
		return strings.Count(p.out.String(), "job stopped") > stopped
	})
	// The target is one second; a loaded machine takes longer.
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("stopped after %s", d)
	}
}

// roundRobin starts a proxy that sends each request to the next address, and tries the others if it
// is unavailable.
func roundRobin(t *testing.T, addrs ...string) string {
	t.Helper()
	var next atomic.Int64
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addrs[int(next.Add(1))%len(addrs)]})
		},
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context,
			network, addr string) (net.Conn, error) {
			var d net.Dialer
			conn, err := d.DialContext(ctx, network, addr)
			for i := 0; err != nil && i < len(addrs); i++ {
				conn, err = d.DialContext(ctx, network, addrs[i])
			}
			return conn, err
		}},
	})
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// TestSessionOverTwoInstances verifies a session with two API processes behind a proxy that
// alternates between them. Different processes may handle a queued call, its progress and its
// cancellation. It also verifies that the session remains valid while the processes restart one
// after the other.
func TestSessionOverTwoInstances(t *testing.T) {
	t.Parallel()
	redisURL, database := redisServer(t), pgtest.Start(t).Database(t)
	addrs := []string{freeAddr(t), freeAddr(t)}
	var apis []*process
	for _, addr := range addrs {
		apis = append(apis, start(t, "api", "--addr", addr, "--redis-url", redisURL,
			"--database-url", database))
		waitReady(t, "http://"+addr)
	}
	work := start(t, "worker", "--redis-url", redisURL, "--concurrency", "2",
		"--log-level", "debug")
	a := connect(t, roundRobin(t, addrs...))
	calls := func(when string) {
		t.Helper()
		for i := range 6 {
			if body := a.call(t,
				toolCall(i, "fspl", map[string]any{"freq_mhz": 915,
					"dist_km": 5})); !strings.Contains(body, "105.655") {
				t.Fatalf("%s: call %d: %s", when, i, body)
			}
		}
	}
	calls("two instances")
	if list := a.call(t, message(1, "tools/list", map[string]any{})); strings.Count(list,
		`"inputSchema"`) != 92 {
		t.Errorf("%d tools", strings.Count(list, `"inputSchema"`))
	}

	for round := range 2 { // in one of two rounds, the other instance gets the cancellation
		if round == 1 {
			a.call(t, message(1, "ping", map[string]any{})) // ping changes the order of instances
		}
		id := fmt.Sprintf("queued %d", round)
		res, err := a.send(t.Context(), toolCall(id, "spice_simulate", slowNetlist(id)))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(res.Body)
		var data []string
		for lines.Scan() {
			d, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			if data = append(data, d); len(data) == 2 {
				a.call(t, message(nil, "notifications/cancelled", map[string]any{"requestId": id}))
			}
		}
		_ = res.Body.Close()
		isResponse := func(d string) bool { return !strings.Contains(d, "notifications/progress") }
		if len(data) < 2 || slices.ContainsFunc(data, isResponse) {
			t.Errorf("round %d: %q", round, data)
		}
		eventually(t, "the worker has stopped", func() bool {
			return strings.Count(work.out.String(), "job stopped") > round
		})
	}

	restart := func(i int) {
		t.Helper()
		_ = apis[i].Process.Kill()
		<-apis[i].ended
		apis[i] = start(t, "api", "--addr", addrs[i], "--redis-url", redisURL,
			"--database-url", database)
		waitReady(t, "http://"+addrs[i])
	}
	restart(0)
	calls("one was started again")
	restart(1)
	calls("both were started again")
	stranger := agent{base: a.base, session: strings.Repeat("A", len(a.session))}
	if body := stranger.call(t, message(1, "ping", map[string]any{})); !strings.Contains(body,
		"not known") {
		t.Errorf("a session nobody made: %s", body)
	}
}

// nodeModules returns the folder of npm packages for a test, or skips the test.
func nodeModules(t *testing.T, env, npmPackage string) string {
	t.Helper()
	dir := os.Getenv(env)
	_, err := exec.LookPath("node")
	if dir == "" || err != nil {
		t.Skipf("SKIPPED: node, or the npm package %s in a folder that %s names, is not there; .ci/run installs it", npmPackage, env)
	}
	return dir
}

// TestOfficialClient verifies that the official TypeScript client lists the tools and calls each
// with all its worked examples, over HTTP and over standard input. The client validates every
// structured result against the tool's outputSchema.
func TestOfficialClient(t *testing.T) {
	t.Parallel()
	modules := nodeModules(t, "SLIPSTICK_MCP_SDK", "@modelcontextprotocol/sdk")
	// the calls of all examples exceed the default limit
	base := serveEmbedded(t, "--anonymous-calls", "1000")
	program, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	all, _ := toolCounts(t)
	for name, args := range map[string][]string{"http": {base},
		"stdio": {"stdio", base, program, "mcp"}} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "node",
				append([]string{"../mcp/testdata/client.mjs"}, args...)...)
			cmd.Env = append(os.Environ(), "SLIPSTICK_MCP_SDK="+modules)
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, errOut.Bytes())
			}
			var report struct {
				Tools, Calls, Structured, Progress, Files, Prompts, Resources int
				Failures                                                      []string
				BatchTools, BatchRows, Pictures                               int
				Aborted                                                       bool
			}
			if err := json.Unmarshal(out, &report); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Logf("%s", out)
			if len(report.Failures) > 0 || report.Tools != all || report.Calls < all ||
				report.Structured != report.Calls || report.Progress < 3 || report.Files < 8 ||
				!report.Aborted || report.Prompts != 3 || report.Resources != 2 ||
				report.BatchTools != 3 || report.BatchRows != 20 || report.Pictures != 1 {
				t.Errorf("%s", strings.Join(report.Failures, "\n"))
			}
		})
	}
}

// TestNewestClient verifies that version 2 of the official TypeScript client, for the protocol
// revision without sessions, calls each tool. It also verifies that no request fails, including the
// first.
func TestNewestClient(t *testing.T) {
	t.Parallel()
	modules := nodeModules(t, "SLIPSTICK_MCP_CLIENT", "@modelcontextprotocol/client")
	base := serveEmbedded(t)
	cmd := exec.CommandContext(t.Context(), "node", "../mcp/testdata/client2.mjs", base)
	cmd.Env = append(os.Environ(), "SLIPSTICK_MCP_CLIENT="+modules)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errOut.Bytes())
	}
	var report struct {
		Requests, Tools, Calls, Pictures, Files int
		Statuses, Versions, Failures            []string
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	if len(report.Failures)+len(report.Statuses) > 0 ||
		!slices.Equal(report.Versions, []string{"2026-07-28"}) ||
		report.Tools != 92 || report.Calls != 92 || report.Pictures < 5 || report.Files < 8 {
		t.Errorf("%s", out)
	}
}

// TestInspector verifies that the official inspector's command line lists the tools and calls one.
func TestInspector(t *testing.T) {
	t.Parallel()
	modules := nodeModules(t, "SLIPSTICK_MCP_INSPECTOR", "@modelcontextprotocol/inspector")
	base := serveEmbedded(t)
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), filepath.Join(modules, "node_modules", ".bin",
			"mcp-inspector"), append([]string{"--cli", base + "/mcp", "--transport", "http"},
			args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if list := run("--method", "tools/list"); strings.Count(list, `"inputSchema"`) != 92 {
		t.Errorf("%d tools", strings.Count(list, `"inputSchema"`))
	}
	contains(t, run("--method", "tools/call", "--tool-name", "fspl", "--tool-arg", "freq_mhz=915",
		"--tool-arg", "dist_km=5"), "105.655", "structuredContent")
}

// TestDesktopClient verifies that "slipstick mcp" works with the messages of a desktop client.
func TestDesktopClient(t *testing.T) {
	t.Parallel()
	path, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	for _, m := range []any{
		message(0, "initialize", map[string]any{"protocolVersion": "2025-06-18",
			"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "e2e",
				"version": "1"}}),
		message(nil, "notifications/initialized", map[string]any{}),
		message(1, "tools/list", map[string]any{}),
		toolCall(2, "fspl", map[string]any{"freq_mhz": 915, "dist_km": 5}),
		toolCall(3, "pcb_layout", hundredParts("desktop")),
	} {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(raw, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), path, "mcp")
	cmd.Stdin = &in
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errOut.Bytes())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	progress := strings.Count(out.String(), "notifications/progress")
	if len(lines) != 4+progress || progress < 1 {
		t.Errorf("%d lines, %d of them progress", len(lines), progress)
	}
	contains(t, lines[0], `"protocolVersion":"2025-06-18"`)
	if n := strings.Count(lines[1], `"inputSchema"`); n != 92 {
		t.Errorf("%d tools", n)
	}
	contains(t, lines[2], "105.655")
	contains(t, lines[len(lines)-1], `"id":3`, `"structuredContent"`, "slipstick://jobs/")
}
