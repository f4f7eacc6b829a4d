package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowNetlist returns an LC tank over so many periods that the simulator is busy for seconds.
// Different comments yield different jobs.
func slowNetlist(comment string) map[string]any {
	return map[string]any{"netlist": "slow " + comment + `
V1 in 0 SIN(0 1 1meg)
R1 in a 10
L1 a out 10u
C1 out 0 1n
D1 out 0 dm
.model dm D(IS=1e-14 CJO=2p TT=5n)
.tran 5n 20m
.end`}
}

type simulation struct {
	Vectors        map[string][]float64 `json:"vectors"`
	AnalysisType   string               `json:"analysis_type"`
	Nodes          []string             `json:"nodes"`
	ComponentCount int                  `json:"component_count"`
	Warnings       []string             `json:"warnings"`
}

func TestReadmeCurl(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	base := serveEmbedded(t)
	var line string
	for l := range strings.Lines(string(readme)) {
		if strings.HasPrefix(strings.TrimSpace(l),
			"curl -s http://localhost:8080/api/spice_simulate") {
			line = strings.TrimSpace(l)
		}
	}
	if line == "" {
		t.Fatal("the README has no curl of spice_simulate")
	}
	_, body, _ := strings.Cut(line, "--json '")
	var result simulation
	if err := compute(base, "spice_simulate", []byte(strings.TrimSuffix(body, "'")),
		&result); err != nil {
		t.Fatal(err)
	}
	f, mag, phase := result.Vectors["frequency"], result.Vectors["v(out)_mag"],
		result.Vectors["v(out)_phase_deg"]
	found := false
	for i := range f {
		if f[i] > 1591 && f[i] < 1592 {
			found = true
			if mag[i] < 0.7070 || mag[i] > 0.7072 || phase[i] > -44.99 || phase[i] < -45.01 {
				t.Errorf("at %g Hz: %g, %g°, want -3.01 dB and -45°", f[i], mag[i], phase[i])
			}
		}
	}
	if !found {
		t.Errorf("no point at the corner frequency in %v", f)
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	path, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	run := func(stdin string, args ...string) (string, int) {
		cmd := exec.Command(path, args...)
		cmd.Stdin = strings.NewReader(stdin)
		cmd.Dir = ".."
		out, err := cmd.CombinedOutput()
		code := 0
		if err != nil {
			code = cmd.ProcessState.ExitCode()
		}
		return string(out), code
	}
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
		code  int
		want  []string
	}{
		{"fields", "", []string{"run", "fspl", "freq_mhz=915", "dist_km=5"}, 0,
			[]string{"Free-space path loss", "105.6556", "dB"}},
		{"stdin", `{"freq_mhz":915,"dist_km":5}`, []string{"run", "fspl", "-"}, 0,
			[]string{"105.6556"}},
		{"file", "", []string{"run", "fspl", "@examples/requests/fspl.json"}, 0,
			[]string{"105.6556"}},
		{"json envelope", "", []string{"run", "fspl", "freq_mhz=915", "dist_km=5", "--json"}, 0,
			[]string{`"tool": "fspl"`, `"fspl_db": 105.6556`, `"computed_at"`}},
		{"netlist", "", []string{"run", "spice_simulate",
			"netlist=@examples/netlists/rc_low_pass.cir"}, 0, []string{"frequency", "v(out)_mag",
			"v(out)_phase_deg"}},
		{"value out of range", "", []string{"run", "fspl", "freq_mhz=915", "dist_km=-5"}, 2,
			[]string{"dist_km: must be greater than 0, got -5"}},
		{"no such tool", "", []string{"run", "fpsl"}, 2, []string{"did you mean fspl"}},
		{"no such file", "", []string{"run", "fspl", "@nowhere.json"}, 2, []string{"nowhere.json"}},
		{"list", "", []string{"tools"}, 0, []string{"fspl ", "spice_simulate"}},
		{"category", "", []string{"tools", "rf"}, 0, []string{"fspl ", "spice_simulate"}},
		{"search", "", []string{"tools", "coax", "loss"}, 0, []string{"link_budget"}},
		{"no such category or tool", "", []string{"tools", "xyzzy"}, 2,
			[]string{`no tool is found for "xyzzy"; the categories are rf, mesh`}},
		{"version", "", []string{"version"}, 0, []string{"slipstick "}},
		{"version option", "", []string{"--version"}, 0, []string{"slipstick version "}},
		{"fields of a tool", "", []string{"run", "fspl", "--help"}, 0,
			[]string{"Frequency [MHz]: Carrier frequency", "greater than 0; required"}},
		{"csv", "", []string{"run", "fspl", "freq_mhz=915", "dist_km=5", "--csv"}, 0,
			[]string{
				"fspl_db,wavelength_m,path_loss_db,crossover_km,diffraction_parameter\n105.6556"}},
		{"manual page", "", []string{"man"}, 0, []string{".TH SLIPSTICK 1"}},
		{"no such command", "", []string{"wroker"}, 2, []string{"did you mean worker?"}},
		{"no such option", "", []string{"worker", "--concurency", "2"}, 2,
			[]string{"did you mean --concurrency?"}},
		{"setting out of range", "", []string{"serve", "--burst-size", "0"}, 2,
			[]string{"--burst-size or SLIPSTICK_BURST_SIZE must be an integer of at least 1"}},
		{"time limit", "", []string{"run", "pcb_layout", "@examples/boards/led_blinker_555.json",
			"--timeout", "1ms"}, 1, []string{"did not end within --timeout 1ms"}},
		{"help", "", []string{"--help"}, 0, []string{"serve", "worker", "slipstick run fspl"}},
		{"completion", "", []string{"completion", "bash"}, 0, []string{"complete"}},
		{"api without Redis", "", []string{"api"}, 2,
			[]string{"--redis-url", "SLIPSTICK_REDIS_URL"}},
		{"token without a secret", "", []string{"token", "--sub", "ann"}, 2,
			[]string{"SLIPSTICK_JWT_SECRET"}},
		{"token with a short secret", "", []string{"token", "--sub", "ann", "--jwt-secret",
			"short"}, 2, []string{"at least 32 bytes"}},
		{"token of a tier that is not sold", "", []string{"token", "--sub", "ann", "--tier", "free",
			"--jwt-secret", strings.Repeat("x", 32)}, 2, []string{"developer, network, agent"}},
		{"token", "", []string{"token", "--sub", "ann", "--jwt-secret", strings.Repeat("x", 32)}, 0,
			[]string{"eyJ"}},
		{"serve with a short secret", "", []string{"serve", "--data", ":memory:", "--addr",
			"127.0.0.1:0", "--jwt-secret", "short"}, 2, []string{"at least 32 bytes",
			"SLIPSTICK_JWT_SECRET"}},
		{"serve with a short pepper", "", []string{"serve", "--data", ":memory:", "--addr",
			"127.0.0.1:0", "--key-pepper", "short"}, 2, []string{"at least 32 bytes",
			"SLIPSTICK_KEY_PEPPER"}},
		{"serve on a Postgres that is not there", "", []string{"serve", "--database-url",
			"postgres://u:hidden@127.0.0.1:1/x"}, 1, []string{"--database-url",
			"SLIPSTICK_DATABASE_URL", "connection refused"}},
		{"worker on a Redis that is not there", "", []string{"worker", "--redis-url",
			"redis://127.0.0.1:1"}, 1, []string{"cannot be reached", "connection refused",
			"--redis-url"}},
		// No machine has an address of RFC 5737.
		{"private address in use or foreign", "", []string{"serve", "--addr", "127.0.0.1:0",
			"--admin-addr", "192.0.2.1:8080", "--data", ":memory:"}, 1, []string{"cannot listen",
			"--admin-addr"}},
		{"address in use or foreign", "", []string{"serve", "--addr", "192.0.2.1:8080", "--data",
			":memory:"}, 1, []string{"cannot listen", "--addr"}},
		{"wrong address", "", []string{"serve", "--addr", "127.0.0.1:99999", "--data", ":memory:"},
			2, []string{"--addr or SLIPSTICK_ADDR must be an address"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, code := run(c.stdin, c.args...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			contains(t, out, c.want...)
		})
	}
}

// TestHostileRequests verifies that requests of attackers and broken clients get a 4xx with the
// reason within two seconds, and that the service remains available.
func TestHostileRequests(t *testing.T) {
	base := serveEmbedded(t)
	netlist := func(text string) []byte {
		raw, _ := json.Marshal(map[string]string{"netlist": text})
		return raw
	}
	for _, c := range []struct {
		name   string
		tool   string
		body   []byte
		status int
		want   string
	}{
		{"invalid JSON", "fspl", []byte(`{"freq_mhz":`), 400, "JSON"},
		{"wrong type", "fspl", []byte(`{"freq_mhz":"915","dist_km":5}`), 400, "freq_mhz"},
		{"missing field", "fspl", []byte(`{"freq_mhz":915}`), 400, "dist_km"},
		{"out of range", "fspl", []byte(`{"freq_mhz":915,"dist_km":-1}`), 400, "greater than 0"},
		{"unknown tool", "fsplx", []byte(`{}`), 404, "fspl"},
		{"empty body", "fspl", nil, 400, "empty"},
		{"10 MB body", "fspl", append([]byte(`{"freq_mhz":1`), make([]byte, 10<<20)...), 413,
			"the body is larger than"},
		{"deep nesting", "fspl", []byte(strings.Repeat(`{"a":`, 100000)), 400, "nested"},
		{"deep arrays", "fspl", []byte(strings.Repeat(`[`, 500000)), 400, "nested"},
		{"NaN", "fspl", []byte(`{"freq_mhz":NaN,"dist_km":5}`), 400, "NaN"},
		{"Infinity", "fspl", []byte(`{"freq_mhz":Infinity,"dist_km":5}`), 400, "Infinity"},
		{"too large a number", "fspl", []byte(`{"freq_mhz":1e999,"dist_km":5}`), 400, "freq_mhz"},
		{"no analysis", "spice_simulate", netlist("t\nR1 a 0 1k\nV1 a 0 1\n.end"), 400, "analysis"},
		{"no .end", "spice_simulate", netlist("t\nR1 a 0 1k\nV1 a 0 1\n.op"), 400, ".end"},
		{"unknown element", "spice_simulate", netlist("t\nZ1 a 0 1k\nV1 a 0 1\n.op\n.end"),
			400, "line 2"},
		{"loop of two voltage sources", "spice_simulate",
			netlist("t\nV1 a 0 1\nV2 a 0 2\n.op\n.end"), 400, "v2"},
		{"floating node", "spice_simulate",
			netlist("t\nV1 a 0 1\nR1 a 0 1k\nC1 a b 1n\nC2 b 0 1n\nI1 0 b 1m\n.op\n.end"), 400,
			"no return path at DC from node b"},
		{"file access", "spice_simulate",
			netlist("t\n.include /etc/passwd\nV1 a 0 1\nD1 a 0 root\n.op\n.end"), 400,
			"/etc/passwd"},
		{"a billion points", "spice_simulate",
			netlist("t\nV1 a 0 1\nR1 a 0 1k\n.ac lin 1000000000 1 1k\n.end"), 400, "line 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			status, header, response, err := post(context.Background(), base, c.tool, c.body)
			if err != nil && c.status != 413 { // the server may close while the client still sends
				t.Fatal(err)
			}
			if err == nil && status != c.status {
				t.Fatalf("status %d, want %d: %s", status, c.status, response)
			}
			if d := time.Since(begin); d > 2*time.Second {
				t.Errorf("took %s", d)
			}
			if err == nil {
				contains(t, string(response), c.want)
				if got := header.Get("Content-Type"); got != "application/problem+json" {
					t.Errorf("content type %q", got)
				}
			}
		})
	}
	if err := compute(base, "fspl", map[string]any{"freq_mhz": 915, "dist_km": 5},
		&struct{}{}); err != nil {
		t.Errorf("after all that the service no longer computes: %v", err)
	}
}

type jobResponse struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	Progress struct {
		Phase   string  `json:"phase"`
		Percent float64 `json:"percent"`
	} `json:"progress"`
	Result json.RawMessage `json:"result"`
}

func getJob(t *testing.T, base, location, method string) (int, jobResponse) {
	t.Helper()
	req, _ := http.NewRequest(method, base+location, nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var j jobResponse
	if err := json.Unmarshal(raw, &j); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return resp.StatusCode, j
}

// TestJobs verifies long jobs: 202 immediately or after the requested wait, progress, and
// cancellation.
func TestJobs(t *testing.T) {
	base := serveEmbedded(t)
	status, header, response, err := post(context.Background(), base, "spice_simulate",
		slowNetlist("async"), "Prefer", "respond-async")
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("respond-async: %d %s %v", status, response, err)
	}
	location := header.Get("Location")
	if !strings.HasPrefix(location, "/api/jobs/") || header.Get("Retry-After") == "" {
		t.Fatalf("202 without Location or Retry-After: %v", header)
	}
	eventually(t, "the job shows progress", func() bool {
		_, j := getJob(t, base, location, http.MethodGet)
		return j.State == "running" && j.Progress.Percent > 0
	})
	if status, j := getJob(t, base, location, http.MethodDelete); status != http.StatusOK ||
		j.State != "cancelled" {
		t.Errorf("DELETE: %d, state %q", status, j.State)
	}

	begin := time.Now()
	status, header, response, err = post(context.Background(), base, "spice_simulate",
		slowNetlist("waiting"), "Prefer", "wait=1")
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("wait=1: %d %s %v", status, response, err)
	}
	if d := time.Since(begin); d < 900*time.Millisecond || d > 3*time.Second {
		t.Errorf("wait=1 waited %s", d)
	}
	getJob(t, base, header.Get("Location"), http.MethodDelete)

}

// TestClientDisconnect verifies that a client that disconnects cancels its job, unless another
// client waits for the same job.
func TestClientDisconnect(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	base := "http://" + addr
	p := start(t, "serve", "--addr", addr, "--data", ":memory:", "--log-level", "debug")
	waitReady(t, base)

	ctx, disconnect := context.WithCancel(context.Background())
	left := make(chan error, 1)
	go func() {
		_, _, _, err := post(ctx, base, "spice_simulate", slowNetlist("left alone"))
		left <- err
	}()
	eventually(t, "the job runs", func() bool {
		return strings.Contains(p.out.String(), "job started")
	})
	disconnect()
	if err := <-left; err == nil {
		t.Fatal("the request was answered before the caller left")
	}
	eventually(t, "the job is stopped", func() bool {
		return strings.Contains(p.out.String(), "job stopped")
	})

	body := slowNetlist("shared")
	body["options"] = map[string]any{"reltol": 1e-3}
	begun := strings.Count(p.out.String(), "job started")
	ctx, disconnect = context.WithCancel(context.Background())
	defer disconnect()
	go func() {
		_, _, _, err := post(ctx, base, "spice_simulate", body)
		left <- err
	}()
	stays := make(chan error, 1)
	go func() {
		status, _, response, err := post(context.Background(), base, "spice_simulate", body,
			"Prefer", "wait=20")
		if err == nil && status != http.StatusOK && status != http.StatusAccepted {
			err = fmt.Errorf("%d %s", status, response)
		}
		stays <- err
	}()
	eventually(t, "the shared job runs", func() bool {
		return strings.Count(p.out.String(), "job started") > begun
	})
	disconnect()
	<-left
	if err := <-stays; err != nil {
		t.Errorf("the caller that stayed: %v", err)
	}
}

// TestGracefulShutdown verifies that SIGTERM shuts down the service gracefully and in time.
func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	p := start(t, "serve", "--addr", addr, "--data", ":memory:")
	waitReady(t, "http://"+addr)
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
		if code := p.ProcessState.ExitCode(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(20 * time.Second):
		t.Error("still running 20 s after SIGTERM")
	}
}

// TestBoardJob verifies that a queued job routes a board, and that the result is in the response
// or, with respond-async, in the job.
func TestBoardJob(t *testing.T) {
	t.Parallel()
	base := serveEmbedded(t)
	body, err := os.ReadFile("../examples/boards/opamp_filter.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Status string            `json:"status"`
		Files  map[string]string `json:"files"`
	}
	if err := compute(base, "pcb_layout", body, &board); err != nil {
		t.Fatal(err)
	}
	if board.Status != "complete" || !strings.Contains(board.Files["opamp_filter.gtl"],
		"TF.FileFunction,Copper,L1,Top") {
		t.Errorf("status %q, %d files", board.Status, len(board.Files))
	}
	matrix, err := os.ReadFile("../examples/boards/led_matrix_5x5.json")
	if err != nil {
		t.Fatal(err)
	}
	status, header, response, err := post(context.Background(), base, "pcb_layout", matrix, "Prefer",
		"respond-async")
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("respond-async: %d %s %v", status, response, err)
	}
	eventually(t, "the board is done", func() bool {
		_, j := getJob(t, base, header.Get("Location"), http.MethodGet)
		return j.State == "done" && strings.Contains(string(j.Result), `"status":"complete"`)
	})
}

// ledGrid returns a board of n by n LEDs with a resistor per row. Routing takes some seconds.
func ledGrid(n int) map[string]any {
	type part struct {
		Ref       string `json:"ref"`
		Footprint string `json:"footprint"`
	}
	type net struct {
		Name string   `json:"name"`
		Pins []string `json:"pins"`
	}
	parts, nets := []part{{"J1", fmt.Sprintf("PinHeader_1x%02d", 2*n)}}, []net(nil)
	for i := range n {
		r := fmt.Sprintf("R%d", i+1)
		parts = append(parts, part{r, "R_0805"})
		row, column := net{fmt.Sprintf("ROW%d", i+1), []string{r + ".2"}},
			net{fmt.Sprintf("COL%d", i+1), []string{fmt.Sprintf("J1.%d", n+i+1)}}
		for k := range n {
			row.Pins = append(row.Pins, fmt.Sprintf("D%d.A", i*n+k+1))
			column.Pins = append(column.Pins, fmt.Sprintf("D%d.K", k*n+i+1))
			parts = append(parts, part{fmt.Sprintf("D%d", i*n+k+1), "LED_0805"})
		}
		nets = append(nets, net{fmt.Sprintf("IN%d", i+1), []string{fmt.Sprintf("J1.%d", i+1),
			r + ".1"}}, row, column)
	}
	return map[string]any{"components": parts, "nets": nets, "effort": "high", "time_limit_s": 60}
}

// TestBoardJobProgress verifies that the progress of a long board never decreases, and that DELETE
// stops the job.
func TestBoardJobProgress(t *testing.T) {
	addr := freeAddr(t)
	base := "http://" + addr
	p := start(t, "serve", "--addr", addr, "--data", ":memory:")
	waitReady(t, base)
	status, header, response, err := post(context.Background(), base, "pcb_layout", ledGrid(11),
		"Prefer", "respond-async")
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("respond-async: %d %s %v", status, response, err)
	}
	location := header.Get("Location")
	last, moves, phases := -1.0, 0, map[string]bool{}
	eventually(t, "the progress has moved three times, in two phases", func() bool {
		_, j := getJob(t, base, location, http.MethodGet)
		if j.State != "running" && j.State != "queued" {
			t.Fatalf("the job is %s", j.State)
		}
		if p := j.Progress; p.Phase != "" {
			if p.Percent < last {
				t.Errorf("%g %% after %g %%", p.Percent, last)
			}
			if p.Percent > last {
				last = p.Percent
				moves++
			}
			phases[p.Phase] = true
		}
		return moves >= 3 && len(phases) >= 2
	})
	begin := time.Now()
	if status, j := getJob(t, base, location, http.MethodDelete); status != http.StatusOK ||
		j.State != "cancelled" {
		t.Errorf("DELETE: %d, state %q", status, j.State)
	}
	eventually(t, "the worker has stopped the board", func() bool {
		return strings.Contains(p.out.String(), "job stopped")
	})
	// The target is one second; a loaded machine takes longer.
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("stopped after %s", d)
	} else {
		t.Logf("stopped after %s", d)
	}
}
