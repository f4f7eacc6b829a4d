package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/headers"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

// adapt parses the Caddyfile with Caddy's own adapter, with the environment of the test.
func adapt(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "deploy/compose/Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	config, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(text,
		map[string]any{"filename": "Caddyfile"})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Errorf("line %d: %s", w.Line, w.Message)
	}
	return config
}

// startCaddy runs Caddy with the Caddyfile in front of an API at a loopback address, and returns
// the proxy's own address.
func startCaddy(t *testing.T, api string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(api)
	if err != nil {
		t.Fatal(err)
	}
	at := freeAddr(t)
	t.Setenv("API_HOST", host)
	t.Setenv("API_PORT", port)
	t.Setenv("SITE_ADDRESS", "http://"+at)
	config := strings.ReplaceAll(string(adapt(t)), "127.0.0.1:8081", "127.0.0.1:0")
	if err := caddy.Load([]byte(config), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
	return at
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// clientAt returns a client that connects from the given loopback address. Linux accepts every
// address of 127.0.0.0/8.
func clientAt(t *testing.T, addr string) *http.Client {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}
	if l, err := net.Listen("tcp", addr+":0"); err != nil {
		t.Skipf("SKIPPED: this machine has no %s: %v", addr, err)
	} else {
		l.Close()
	}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// TestCaddyfile verifies that Caddy accepts the file without settings, and serves a domain with
// TLS.
func TestCaddyfile(t *testing.T) {
	for name, want := range map[string]string{"": `":8080"`,
		"calc.example.com": `"host":["calc.example.com"]`} {
		t.Setenv("SITE_ADDRESS", name)
		if name == "" {
			os.Unsetenv("SITE_ADDRESS")
		}
		config := adapt(t)
		if !strings.Contains(string(config), want) {
			t.Errorf("site %q: there is no %s in %s", name, want, config)
		}
		var read caddy.Config
		if err := json.Unmarshal(config, &read); err != nil {
			t.Fatal(err)
		}
		if err := caddy.Validate(&read); err != nil {
			t.Errorf("site %q: %v", name, err)
		}
	}
}

// TestForwardedByProxy verifies that a client's headers do not change the address that the API
// gets. This is the address of the proxy's peer or, behind a load balancer, the client address that
// the load balancer reports.
func TestForwardedByProxy(t *testing.T) {
	t.Setenv("LOAD_BALANCERS", "127.0.0.20/32 127.0.0.21/32")
	var got http.Header
	backend := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		// The stream ends when the client has received its first event and disconnects.
		<-r.Context().Done()
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = backend.Serve(l) }()
	t.Cleanup(func() { _ = backend.Close() })
	proxy := startCaddy(t, l.Addr().String())
	for _, c := range []struct {
		name, from string
		sent       []string
		want       string
	}{
		{"nothing sent", "127.0.0.9", nil, "127.0.0.9"},
		{"forged", "127.0.0.9", []string{"198.51.100.1"}, "127.0.0.9"},
		{"a forged list", "127.0.0.9", []string{"198.51.100.1, 127.0.0.20"}, "127.0.0.9"},
		{"several headers", "127.0.0.9", []string{"198.51.100.1", "127.0.0.1"}, "127.0.0.9"},
		{"nonsense", "127.0.0.9", []string{",,unknown"}, "127.0.0.9"},
		{"by a load balancer", "127.0.0.20", []string{"203.0.113.5"}, "203.0.113.5"},
		{"forged before a load balancer", "127.0.0.20", []string{"198.51.100.1, 203.0.113.5"},
			"203.0.113.5"},
		{"two load balancers", "127.0.0.20", []string{"198.51.100.1, 203.0.113.5, 127.0.0.21"},
			"203.0.113.5"},
	} {
		req, err := http.NewRequest(http.MethodGet, "http://"+proxy+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.sent {
			req.Header.Add("X-Forwarded-For", v)
		}
		req.Header.Set("X-Request-Id", "mine")
		resp, err := clientAt(t, c.from).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		event := make([]byte, len("data: 1\n\n"))
		if _, err := io.ReadFull(resp.Body, event); err != nil || string(event) != "data: 1\n\n" {
			t.Errorf("%s: the event is %q, %v", c.name, event, err)
		}
		resp.Body.Close()
		if had := got.Values("X-Forwarded-For"); !slices.Equal(had, []string{c.want}) {
			t.Errorf("%s: the API is told %q, want %q", c.name, had, c.want)
		}
		if id := got.Values("X-Request-Id"); len(id) != 1 || len(id[0]) < 16 {
			t.Errorf("%s: request id %q", c.name, id)
		}
	}
}

// TestForgedAddressBehindProxy verifies that a client behind Caddy that forges its address in every
// way gets one quota. The service trusts only the proxy's address, as in the compose file. The
// client has the address of the gateway, as all clients do behind a rootless engine or the userland
// proxy.
func TestForgedAddressBehindProxy(t *testing.T) {
	const quota = 5
	api := startService(t, "--anonymous-calls", fmt.Sprint(quota), "--trusted-proxies", "127.0.0.1")
	proxy := startCaddy(t, api)
	call := func(client *http.Client, forged ...string) int {
		req, err := http.NewRequest(http.MethodPost, "http://"+proxy+"/api/fspl",
			strings.NewReader(`{"freq_mhz":915,"dist_km":5}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for _, v := range forged {
			req.Header.Add("X-Forwarded-For", v)
			req.Header.Add("Forwarded", "for="+v)
			req.Header.Set("X-Real-IP", v)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode
	}
	gateway, answered := clientAt(t, "127.0.0.9"), 0
	for n := range 20 {
		other := fmt.Sprintf("198.51.100.%d", n+1)
		for _, forged := range [][]string{{other}, {other + ", 127.0.0.9"}, {other, "127.0.0.1"},
			{"127.0.0.1, " + other}} {
			switch status := call(gateway, forged...); status {
			case http.StatusOK:
				answered++
			case http.StatusTooManyRequests:
			default:
				t.Fatalf("%q: %d", forged, status)
			}
		}
	}
	if answered != quota {
		t.Errorf("80 calls of one address with forged ones: %d were answered, want %d",
			answered, quota)
	}
	if status := call(clientAt(t, "127.0.0.10")); status != http.StatusOK {
		t.Errorf("the first call of another address: %d", status)
	}
}

// startService builds the program, serves with a quota in memory, and returns the address.
func startService(t *testing.T, args ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "slipstick")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = root(t)
	run(t, build)
	addr := freeAddr(t)
	ctx, stop := context.WithCancel(context.Background())
	serve := exec.CommandContext(ctx, binary,
		append([]string{"serve", "--addr", addr, "--data", ":memory:", "--log-level", "warn"},
			args...)...)
	serve.Stderr = os.Stderr
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = serve.Wait()
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get("http://" + addr + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return addr
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the service is not ready within a minute: %v", err)
		}
	}
}
