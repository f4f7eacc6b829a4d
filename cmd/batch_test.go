package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const sweepRequest = `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 3, "scale": "log"}]}`

// TestBatch verifies rows, statistics and plots of a batch on the command line.
func TestBatch(t *testing.T) {
	out, remarks, err := runCLI(t, sweepRequest, "batch", "-")
	if err != nil || remarks != "" || !strings.Contains(out, "3 runs of fspl, 0 failed") ||
		!strings.Contains(out, "111.676") {
		t.Errorf("%v %s\n%s", err, remarks, out)
	}
	written := strings.NewReplacer(`"freq_mhz": 915`, `"frequency": "915 MHz"`,
		`"from": 1,`, `"from": "1000 m",`).Replace(sweepRequest)
	out, remarks, err = runCLI(t, written, "batch", "-")
	if err != nil || !strings.Contains(out, "111.676") ||
		!strings.Contains(remarks, "warning: input.frequency: read as freq_mhz") ||
		!strings.Contains(remarks, `warning: vary[0].from: "1000 m" is read as 1 km`) {
		t.Errorf("%v %s\n%s", err, remarks, out)
	}
	_, remarks, err = runCLI(t, strings.Replace(sweepRequest, "fspl", "FSPL", 1), "batch", "-")
	if err != nil || remarks != "warning: tool: \"FSPL\" is read as fspl\n" {
		t.Errorf("%v %s", err, remarks)
	}
	out, _, err = runCLI(t, sweepRequest, "batch", "-o", "-", "-")
	if lines := strings.Split(out, "\n"); err != nil || len(lines) != 5 ||
		!strings.HasPrefix(lines[2], "1,10,111.67620510321234,") {
		t.Errorf("%v\n%s", err, out)
	}
	folder := t.TempDir()
	for _, name := range []string{"rows.csv", "rows.ndjson", "rows.json"} {
		plot := filepath.Join(folder, name+".svg")
		out, _, err = runCLI(t, sweepRequest, "batch", "-o", filepath.Join(folder, name), "--plot",
			plot, "--column", "fspl_db", "--json", "-")
		if err != nil || !json.Valid([]byte(out)) {
			t.Errorf("%v\n%s", err, out)
		}
		rows, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !bytes.Contains(rows, []byte("131.67620510321234")) {
			t.Errorf("%v\n%s", err, rows)
		}
		if svg, err := os.ReadFile(plot); err != nil || !bytes.Contains(svg, []byte("</svg>")) {
			t.Errorf("%v\n%s", err, svg)
		}
	}
	dry := strings.Replace(sweepRequest, "{", `{"dry_run": true, `, 1)
	if out, _, err = runCLI(t, dry, "batch", "-"); err != nil ||
		!strings.Contains(out, `"runs_total": 3`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestBatchMistakes verifies that invalid arguments and requests return the exit code of usage
// errors, with a message that names the cause.
func TestBatchMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		"needs one request file": {}, "must end in .csv": {"-o", "x.txt", "-"},
		"must end in .svg": {"--plot", "x.jpg", "-"},
		"not collected":    {"--column", "loss", "-"}, "at least 1": {"--workers", "0", "-"},
		"no such file": {"missing.json"},
	} {
		_, _, err := runCLI(t, sweepRequest, append([]string{"batch"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), want) ||
			exitCode(err, &bytes.Buffer{}) != exitUsage {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	if _, _, err := runCLI(t, `{"tool": "fspll"}`, "batch", "-"); err == nil ||
		!strings.Contains(err.Error(), "fspl") {
		t.Error(err)
	}
}

// TestProgressLine verifies the bar, the rate and the remaining time.
func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		done    int
		elapsed time.Duration
		want    string
	}{
		{1, 2 * time.Second, "[------------------------] 1 of 100 runs, 0.5 per second, 3m18s left"},
		{50, 10 * time.Second, "[############------------] 50 of 100 runs, 5 per second, 10s left"},
		{100, time.Second, "[########################] 100 of 100 runs, 100 per second, 0s left"},
	} {
		if line := progressLine(c.done, 100, c.elapsed); line != c.want {
			t.Errorf("%q, want %q", line, c.want)
		}
	}
}
