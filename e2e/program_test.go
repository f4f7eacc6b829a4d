package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// builtBinary builds the program under test once and returns its path.
var builtBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "slipstick-e2e-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // other users run it too, see startAsNobody
		return "", err
	}
	path := filepath.Join(dir, "slipstick")
	out, err := exec.Command("go", "build", "-o", path, "slipstick").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	idleBrowsers.close()
	if path, err := builtBinary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// output collects the output of a process.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// process is a running program that ends with the test.
type process struct {
	*exec.Cmd
	out   *output
	ended chan struct{}
}

// start runs the binary with arguments.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	path, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	return startCommand(t, exec.Command(path, args...))
}

// startAsNobody starts the binary as an unprivileged user. It requires root, and passes only PATH
// of root's environment.
func startAsNobody(t testing.TB, args ...string) *process {
	t.Helper()
	path, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
	if cmd.SysProcAttr, err = asNobody(); err != nil {
		t.Skipf("SKIPPED: there is no user nobody: %v", err)
	}
	return startCommand(t, cmd)
}

func startCommand(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, out: &output{}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%v printed:\n%s", cmd.Args, p.out)
		}
	})
	return p
}

// returned has the addresses that freeAddr has returned. The server of a parallel test may not
// listen yet, or may be restarting.
var returned sync.Map

// freeAddr returns a loopback address with a free port that no other test uses.
func freeAddr(t testing.TB) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		_ = l.Close()
		if _, again := returned.LoadOrStore(addr, true); !again {
			return addr
		}
	}
}

// eventually waits until ok returns true, and fails the test after a minute.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	within(t, time.Minute, what, ok)
}

// within waits until ok returns true, and fails the test after a limit.
func within(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(
		20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("%v passed without: %s", limit, what)
}

// serveEmbedded starts "slipstick serve" and returns its address.
func serveEmbedded(t testing.TB, settings ...string) string {
	t.Helper()
	addr := freeAddr(t)
	start(t, append([]string{"serve", "--addr", addr, "--data", ":memory:"}, settings...)...)
	waitReady(t, "http://"+addr)
	return "http://" + addr
}

func waitReady(t testing.TB, base string) {
	t.Helper()
	eventually(t, base+" is ready", func() bool {
		resp, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// redisServer starts a real Redis on a free port, or skips the test if none is installed.
func redisServer(t *testing.T) (url string) {
	t.Helper()
	addr := freeAddr(t)
	startRedis(t, addr)
	return "redis://" + addr
}

// startRedis starts a real Redis at a loopback address and waits until it listens.
func startRedis(t *testing.T, addr string) *process {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
			t.Fatal(
				"redis-server is not installed, and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
		}
		t.Skip("SKIPPED: redis-server is not installed (Debian package redis-server)")
	}
	_, port, _ := net.SplitHostPort(addr)
	p := startCommand(t, exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1",
		"--save", "", "--appendonly", "no", "--dir", t.TempDir()))
	eventually(t, "redis listens", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return p
}

// post sends a body to a tool and returns status, header and response. It encodes a body as JSON
// unless the body is a []byte.
func post(ctx context.Context, base, tool string, body any,
	header ...string) (int, http.Header, []byte, error) {
	raw, ok := body.([]byte)
	if !ok {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return 0, nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/"+tool,
		bytes.NewReader(raw))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	// A buffer of the right size measures the service rather than the growth of the buffer.
	var response bytes.Buffer
	response.Grow(max(0, int(resp.ContentLength)) + bytes.MinRead)
	_, err = response.ReadFrom(resp.Body)
	return resp.StatusCode, resp.Header, response.Bytes(), err
}

// compute posts a body and decodes the result of a response with status 200.
func compute(base, tool string, body, result any, header ...string) error {
	status, _, response, err := post(context.Background(), base, tool, body, header...)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: %d %s", tool, status, response)
	}
	var e struct {
		Result json.RawMessage `json:"result"`
	}
	return errors.Join(json.Unmarshal(response, &e), json.Unmarshal(e.Result, result))
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not contain %q", text, p)
		}
	}
}
