package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoPads has one net of two pads, 10 mm apart.
const twoPads = `(pcb board (resolution mm 1000) (unit mm)
  (structure (layer top (type signal)) (layer bottom (type signal))
    (boundary (rect pcb 0 0 20 10)) (via v) (rule (width 0.25) (clearance 0.2)))
  (placement (component r (place R1 5 5 front 0) (place R2 15 5 front 0)))
  (library (image r (pin p 1 0 0))
    (padstack p (shape (circle top 1))) (padstack v (shape (circle signal 0.6))))
  (network (net A (pins R1-1 R2-1))))`

// TestRoute: the session goes to the named file, to the design's name with .ses, or to standard
// output; the figures go to standard error.
func TestRoute(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "two.dsn")
	if err := os.WriteFile(path, []byte(twoPads), 0o600); err != nil {
		t.Fatal(err)
	}
	out, remarks, err := runCLI(t, twoPads, "route", "-o", "-", "-")
	if err != nil || !strings.Contains(out, "(path top 250 15000 5000 5000 5000)") ||
		!strings.Contains(remarks, "1 of 1 connections, 1 tracks of 10.0 mm, 0 vias") {
		t.Errorf("%v %s\n%s", err, remarks, out)
	}
	other := filepath.Join(dir, "other.ses")
	for want, args := range map[string][]string{
		filepath.Join(dir, "two.ses"): {path}, other: {"-o", other, "--effort", "fast", path},
	} {
		_, _, err := runCLI(t, "", append([]string{"route"}, args...)...)
		session, readErr := os.ReadFile(want)
		if err != nil || readErr != nil || !strings.HasPrefix(string(session), "(session two.ses") {
			t.Errorf("%s: %v %v %s", want, err, readErr, session)
		}
	}
	// A wall between the pads: the session is written, and the exit code is that of a failure.
	wall := strings.Replace(twoPads, "(via v)", "(via v) (keepout (rect signal 9 0 10 10)) (keepout (rect signal 0 6.5 20 10)) (keepout (rect signal 0 0 20 3.5))", 1)
	out, remarks, err = runCLI(t, wall, "route", "--effort", "fast", "-o", "-", "-")
	if exitCode(err, new(strings.Builder)) != exitFailure || !strings.Contains(out, "(network_out") ||
		!strings.Contains(remarks, "open: net A, R1.1 to R2.1: no free path") {
		t.Errorf("%v %s\n%s", err, remarks, out)
	}
}

// TestRouteMistakes: mistakes have the exit code of usage and name their cause.
func TestRouteMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		"name one design file": {}, "efforts are fast, normal and high": {"--effort", "best", "-"},
		"1 to 3600 s are valid": {"--time-limit", "0", "-"}, "0 to 10 mm are valid": {"--edge-clearance", "-1", "-"},
		"no such file": {"missing.dsn"}, "-: the design is empty": {"-"},
	} {
		_, _, err := runCLI(t, "", append([]string{"route"}, args...)...)
		if exitCode(err, new(strings.Builder)) != exitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
