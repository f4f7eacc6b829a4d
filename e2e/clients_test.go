package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	slipstick "slipstick/clients/go"
)

// fakeBatch is the id of the batch of a scriptedService.
const fakeBatch = "00112233445566778899aabbccddeeff"

// scriptedService simulates a service that is busy, loses connections and interrupts streams. It
// records the requests of a client.
type scriptedService struct {
	*httptest.Server
	mu       sync.Mutex
	requests map[string]int
	keys     []string // Idempotency-Key of POST /api/batches
	resumed  string   // Last-Event-ID of the second stream
}

func newScriptedService(t *testing.T) *scriptedService {
	s := &scriptedService{requests: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *scriptedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.Method + " " + r.URL.Path
	s.requests[name]++
	problem := func(status int, retryAfter, detail string) {
		w.Header().Set("Retry-After", retryAfter)
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type": "/problems/x", "title": "X", "status": %d, "detail": %q, "instance": "urn:x", "request_id": "x"}`, status, detail)
	}
	const fspl = `{"result": {"fspl_db": 42, "warnings": []}, "tool": "fspl", "version": "1", "computed_at": "2026-01-01T00:00:00Z", "chain": {"feeds": [], "accepts_from": []}}`
	const job = `{"id": "ffeeddccbbaa99887766554433221100", "tool": "spice_simulate", "version": "1", "state": "running", "progress": {"phase": "transient", "percent": 1},
		"enqueued_at": "2026-01-01T00:00:00Z", "finished_at": null, "expires_at": null, "result": null, "problem": null, "links": []}`
	const batch = `{"id": "` + fakeBatch + `", "state": "queued", "tool": "fspl", "tool_version": "1", "mode": "grid", "label": "", "runs_total": 1, "runs_done": 0, "runs_failed": 0,
		"created_at": "2026-01-01T00:00:00Z", "started_at": null, "finished_at": null, "expires_at": null, "rate_per_s": 0, "eta_s": null}`
	switch n := s.requests[name]; {
	case name == "POST /api/fspl" && n == 1:
		problem(429, "1", "too fast")
	case name == "POST /api/fspl" && n == 2:
		problem(503, "1", "the queue is full")
	case name == "POST /api/fspl":
		fmt.Fprint(w, fspl)
	case name == "POST /api/link_budget":
		problem(429, "3600", "the calls of the day are used up")
	case name == "POST /api/dipole":
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html>of a proxy")
	case name == "POST /api/spice_simulate":
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, job)
	case r.URL.Path == "/api/jobs/ffeeddccbbaa99887766554433221100":
		w.Header().Set("Retry-After", "1")
		fmt.Fprint(w, job)
	case name == "GET /api/batches/"+fakeBatch+"/runs/0" && n == 1:
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, strings.Replace(job, "ffeedd", "aaeedd", 1))
	case name == "GET /api/batches/"+fakeBatch+"/runs/0":
		fmt.Fprint(w, strings.TrimSuffix(fspl, "}")+`, "input": {"dist_km": 7}}`)
	case r.URL.Path == "/api/jobs/aaeeddccbbaa99887766554433221100":
		fmt.Fprint(w, strings.NewReplacer(`"running"`, `"done"`, `"finished_at": null`,
			`"finished_at": "2026-01-01T00:00:01Z"`,
			`"result": null`, `"result": `+fspl).Replace(job))
	case name == "POST /api/batches":
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		if n == 1 {
			panic(http.ErrAbortHandler) // closes the connection
		}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, batch)
	case name == "GET /api/batches/"+fakeBatch+"/events" && n == 1:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "id: 7\nevent: progress\ndata: {\"runs_done\":\ndata: 1}\n\nid: 8\nevent: rows\ndata: {\"cut")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case name == "GET /api/batches/"+fakeBatch+"/events":
		s.resumed = r.Header.Get("Last-Event-ID")
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": comment\n\nid: 8\nevent: rows\ndata: {}\n\nid: 9\nevent: end\ndata: {\"state\":\"done\"}\n\n")
	default:
		problem(404, "", name)
	}
}

// check verifies that a client sent the expected requests.
func (s *scriptedService) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, want := range map[string]int{
		"POST /api/fspl": 3, "POST /api/link_budget": 1, "POST /api/dipole": 1,
		"POST /api/batches":                                 2,
		"GET /api/batches/" + fakeBatch + "/events":         2,
		"GET /api/batches/" + fakeBatch + "/runs/0":         2,
		"DELETE /api/jobs/ffeeddccbbaa99887766554433221100": 1,
	} {
		if got := s.requests[name]; got != want {
			t.Errorf("%d requests %s, want %d", got, name, want)
		}
	}
	if len(s.keys) != 2 || s.keys[0] == "" || s.keys[0] != s.keys[1] {
		t.Errorf("Idempotency-Key %q", s.keys)
	}
	if s.resumed != "7" {
		t.Errorf("Last-Event-ID %q", s.resumed)
	}
}

// pythons returns the distinct installed interpreters of Python 3.11 or newer. Only some may have
// numpy.
func pythons(t *testing.T) []string {
	t.Helper()
	var programs []string
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		out, err := exec.Command(name, "-c",
			"import sys; assert sys.version_info >= (3, 11); print(sys.executable)").Output()
		if program := strings.TrimSpace(string(out)); err == nil &&
			!slices.Contains(programs, program) {
			programs = append(programs, program)
		}
	}
	if len(programs) == 0 {
		t.Skip("SKIPPED: there is no Python 3.11 or newer")
	}
	return programs
}

// TestPythonClient runs the tests of the Python client, and checks its types.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	programs, base := pythons(t), serveEmbedded(t)
	for _, program := range programs {
		fake := newScriptedService(t)
		cmd := exec.CommandContext(t.Context(), program, "-B", "-W", "error", "-m", "unittest",
			"discover", "-v", "-s", "test")
		cmd.Dir = "../clients/python"
		cmd.Env = append(os.Environ(), "SLIPSTICK_URL="+base, "SLIPSTICK_FAKE_URL="+fake.URL,
			"PYTHONPATH=src")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
		fake.check(t)
	}
	if modules := os.Getenv("SLIPSTICK_PYRIGHT"); modules != "" {
		runIn(t, "../clients/python", filepath.Join(modules, "node_modules", ".bin", "pyright"))
	} else {
		t.Log("SKIPPED: types of the Python client: SLIPSTICK_PYRIGHT is not set; .ci/run sets it")
	}
}

// TestTypeScriptClient compiles the TypeScript client in strict mode and runs its tests.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	modules := nodeModules(t, "SLIPSTICK_GENERATORS", "typescript and node@22")
	bin, dir := filepath.Join(modules, "node_modules", ".bin"), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../clients/typescript")); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(bin, "node")
	runIn(t, dir, node, filepath.Join(bin, "tsc"), "-p", ".")
	runIn(t, dir, node, filepath.Join(bin, "tsc"), "-p", "test")
	fake := newScriptedService(t)
	cmd := exec.CommandContext(t.Context(), node, "--test", "test/out/test/client.test.js")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SLIPSTICK_URL="+serveEmbedded(t),
		"SLIPSTICK_FAKE_URL="+fake.URL)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	fake.check(t)
}

// result returns the result of a call. It panics if the call returned an error.
func result[R any](r *R, err error) *R {
	if err != nil {
		panic(err)
	}
	return r
}

// TestGoClient verifies the Go client with ten tools, a queued one with progress, and a batch.
func TestGoClient(t *testing.T) {
	t.Parallel()
	base := serveEmbedded(t)
	ctx, c := t.Context(), slipstick.New(base)
	number := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// The expected values are the same as in testdata/generators.
	fspl := result(c.Fspl(ctx, slipstick.FsplInput{FreqMhz: 915, DistKm: 5}))
	number("fspl", fspl.FsplDb, 105.65560518993271)
	link := result(c.LinkBudget(ctx, slipstick.LinkBudgetInput{TxDbm: 20, FreqMhz: 915, DistKm: 5}))
	number("link_budget", link.EirpDbm, 22.15)
	if link.MarginDb != nil {
		t.Errorf("margin_db is %v", *link.MarginDb)
	}
	dipole := result(c.Dipole(ctx, slipstick.DipoleInput{FreqMhz: 915, Type: new("half_wave")}))
	number("dipole", dipole.WavelengthM, 0.32764203060109287)
	cascade := result(c.NoiseFigureCascade(ctx, slipstick.NoiseFigureCascadeInput{
		Stages: []slipstick.NoiseFigureCascadeInputStages{{NfDb: 2, GainDb: 10}},
	}))
	number("noise_figure_cascade", cascade.TotalNfDb, 2)
	airtime := result(c.LoraAirtime(ctx, slipstick.LoraAirtimeInput{PayloadBytes: 20, BwKhz: 125}))
	number("lora_airtime", airtime.AirtimeMs, 370.688)
	ohm := result(c.OhmsLaw(ctx, slipstick.OhmsLawInput{VoltageV: new(5.0), CurrentA: new(0.02)}))
	number("ohms_law", ohm.ResistanceOhm, 250)
	vswr := result(c.Vswr(ctx, slipstick.VswrInput{Vswr: new(3.0)}))
	number("vswr", vswr.ReflectionCoefficient, 0.5)
	pool := result(c.ZfsCapacity(ctx, slipstick.ZfsCapacityInput{RaidLevel: "raidz2",
		DriveSizeTb: 4, DrivesPerVdev: new(6)}))
	number("zfs_capacity", pool.RawTb, 24)
	days := result(c.DateDifference(ctx, slipstick.DateDifferenceInput{StartDate: "2026-01-01",
		EndDate: "2026-02-01"}))
	number("date_difference", float64(days.TotalDays), 31)
	template := result(c.SpiceTemplate(ctx,
		slipstick.SpiceTemplateInput{Template: "voltage_divider", Params: map[string]float64{}}))
	number("spice_template", float64(template.ComponentCount), 3)

	var problem *slipstick.Error
	_, err := c.Fspl(ctx, slipstick.FsplInput{FreqMhz: -1, DistKm: 5})
	if !errors.As(err, &problem) || problem.Status != 400 || problem.Errors[0].Field != "freq_mhz" {
		t.Errorf("invalid input: %v", err)
	}

	netlist := fmt.Sprintf("Go %d\nV1 in 0 10\nR1 in out 10k\nR2 out 0 10k\n.op\n.end",
		time.Now().UnixNano())
	divider := result(c.SpiceSimulate(ctx, slipstick.SpiceSimulateInput{Netlist: netlist}))
	number("spice_simulate", divider.Vectors["v(out)"][0], 5)
	var states []string
	divider = result(c.SpiceSimulate(ctx, slipstick.SpiceSimulateInput{Netlist: "again " + netlist},
		slipstick.OnProgress(func(j slipstick.Job) {
			states = append(states, j.State)
		})))
	number("spice_simulate with progress", divider.Vectors["v(out)"][0], 5)
	if len(states) == 0 {
		t.Error("no progress")
	}

	request := slipstick.BatchRequest{
		Tool: "fspl", Input: map[string]any{"freq_mhz": 915},
		Vary: []slipstick.BatchRequestVary{{Field: "/dist_km", From: new(1.0), To: new(100.0),
			Points: new(3), Scale: new("log")}},
	}
	dry := result(c.DryRunBatch(ctx, request))
	number("dry run", float64(dry.RunsTotal), 3)
	b := result(c.CreateBatch(ctx, request))
	b = result(c.WaitBatch(ctx, b.ID, func(slipstick.Batch) {}))
	if b.State != "done" || b.RunsDone != 3 {
		t.Errorf("%+v", b)
	}
	loss, err := result(c.BatchRows(ctx, b.ID)).Floats("fspl_db")
	if err != nil {
		t.Fatal(err)
	}
	number("row 2", math.Round(loss[2]*1e3), 131676) // path loss at 100 km: 131.676 dB
	run := result(c.BatchRun(ctx, b.ID, 0))
	if run.Tool != "fspl" || len(run.Input) == 0 {
		t.Errorf("%+v", run)
	}
	key := result(c.IssueKey(ctx, "clients"))
	if key.Tier != "free" {
		t.Errorf("%+v", key)
	}
	result(slipstick.New(base, slipstick.WithAPIKey(key.Key)).Fspl(ctx,
		slipstick.FsplInput{FreqMhz: 915, DistKm: 5}))
}

// TestGoClientRetries verifies that the Go client retries requests, cancels jobs and resumes
// streams.
func TestGoClientRetries(t *testing.T) {
	t.Parallel()
	fake := newScriptedService(t)
	ctx, c := t.Context(), slipstick.New(fake.URL)
	fspl, err := c.Fspl(ctx, slipstick.FsplInput{})
	if err != nil || fspl.FsplDb != 42 {
		t.Errorf("%v %v", fspl, err)
	}
	var problem *slipstick.Error
	if _, err = c.LinkBudget(ctx, slipstick.LinkBudgetInput{}); !errors.As(err, &problem) ||
		problem.Status != 429 || problem.RetryAfter != time.Hour {
		t.Errorf("the daily limit: %v", err)
	}
	if _, err = c.Dipole(ctx, slipstick.DipoleInput{}); !errors.As(err, &problem) ||
		problem.Status != 502 {
		t.Errorf("a proxy: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err = c.SpiceSimulate(short, slipstick.SpiceSimulateInput{}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("a time limit: %v", err)
	}
	b, err := c.CreateBatch(ctx, slipstick.BatchRequest{Tool: "fspl"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for event, err := range c.BatchEvents(ctx, b.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(event.Data) {
			t.Errorf("%s: %s", event.Name, event.Data)
		}
		names = append(names, event.Name)
	}
	if fmt.Sprint(names) != "[progress rows end]" {
		t.Errorf("events %v", names)
	}
	run, err := c.BatchRun(ctx, b.ID, 0)
	if err != nil || string(run.Input) != `{"dist_km": 7}` {
		t.Errorf("a run of a queued tool: %+v %v", run, err)
	}
	fake.check(t)
}

// TestClientSnippets runs the programs in the README files of the repository and of the clients.
func TestClientSnippets(t *testing.T) {
	t.Parallel()
	interpreter := pythons(t)[0]
	base, dir := serveEmbedded(t), t.TempDir()
	modules := os.Getenv("SLIPSTICK_GENERATORS")
	if modules == "" {
		t.Log("SKIPPED: TypeScript: SLIPSTICK_GENERATORS is not set; .ci/run sets it where registries are reached")
	}
	python, err := filepath.Abs("../clients/python/src")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```(go|ts|python)\n(.*?)```")
	ran := map[string]int{}
	for _, name := range []string{"README.md", "clients/go/README.md",
		"clients/typescript/README.md", "clients/python/README.md"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range block.FindAllStringSubmatch(string(text), -1) {
			language, code := m[1], strings.ReplaceAll(m[2], "http://localhost:8080", base)
			file := filepath.Join(dir, fmt.Sprintf("%s-%d.%s", strings.ReplaceAll(name, "/", "-"),
				i, language))
			switch language {
			case "go":
				if !strings.Contains(code, "package main") {
					code = inMain(code)
				}
			case "ts":
				if modules == "" {
					continue
				}
				client, err := filepath.Abs("../clients/typescript/src/index.ts")
				if err != nil {
					t.Fatal(err)
				}
				code = strings.ReplaceAll(code, `"@slipstick/client"`, fmt.Sprintf("%q", client))
			}
			if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			ran[language]++
			switch language {
			case "go":
				runIn(t, "..", "go", "run", file)
			case "ts":
				bin := filepath.Join(modules, "node_modules", ".bin")
				runIn(t, dir, filepath.Join(bin, "node"), filepath.Join(bin, "tsc"), "--strict",
					"--noEmit", "--target", "es2022",
					"--module", "esnext", "--moduleResolution", "bundler",
					"--allowImportingTsExtensions", "--lib", "es2022,dom,dom.asynciterable", file)
				runIn(t, dir, filepath.Join(bin, "esbuild"), file, "--bundle", "--platform=node",
					"--format=esm", "--outfile="+file+".mjs")
				runIn(t, dir, filepath.Join(bin, "node"), file+".mjs")
			case "python":
				cmd := exec.CommandContext(t.Context(), interpreter, "-B", file)
				cmd.Env = append(os.Environ(), "PYTHONPATH="+python)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", file, err, out)
				}
			}
		}
	}
	for _, language := range []string{"go", "ts", "python"} {
		if ran[language] < 3 && (language != "ts" || modules != "") {
			t.Errorf("%d programs in %s ran", ran[language], language)
		}
	}
}

// inMain returns a program that runs statements of a README. The statements use ctx, fmt and
// slipstick.
func inMain(code string) string {
	return `package main

import (
	"context"
	"fmt"

	slipstick "slipstick/clients/go"
)

func main() {
	ctx := context.Background()
` + code + "}\n"
}
