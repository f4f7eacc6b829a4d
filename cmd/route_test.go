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

// TestRoute verifies that the session is written to the named file, to the design's name with .ses,
// or to standard output. It also verifies the statistics on standard error.
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
	// If a wall separates the pads, the session is written and the exit code is exitFailure.
	wall := strings.Replace(twoPads, "(via v)", "(via v) (keepout (rect signal 9 0 10 10)) (keepout (rect signal 0 6.5 20 10)) (keepout (rect signal 0 0 20 3.5))", 1)
	out, remarks, err = runCLI(t, wall, "route", "--effort", "fast", "-o", "-", "-")
	if exitCode(err, new(strings.Builder)) != exitFailure ||
		!strings.Contains(out, "(network_out") ||
		!strings.Contains(remarks, "open: net A, R1.1 to R2.1: no free path") {
		t.Errorf("%v %s\n%s", err, remarks, out)
	}
}

// twoPadsKiCad is a board file with one net of two pads, 10 mm apart.
const twoPadsKiCad = `(kicad_pcb (version 20221018)
  (layers (0 "F.Cu" signal) (31 "B.Cu" signal) (44 "Edge.Cuts" user))
  (net 0 "") (net 1 "A")
  (footprint "P" (layer "F.Cu") (at 105 105) (fp_text reference "R1" (at 0 0) (layer "F.Fab"))
    (pad "1" smd circle (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (footprint "P" (layer "F.Cu") (at 115 105) (fp_text reference "R2" (at 0 0) (layer "F.Fab"))
    (pad "1" smd circle (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "A")))
  (gr_rect (start 100 100) (end 120 110) (layer "Edge.Cuts") (width 0.1))
)
`

// TestRouteKiCad verifies that the routed board file is written beside the original, with the rules
// of the project file beside it or of --project.
func TestRouteKiCad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "two.kicad_pcb")
	other := filepath.Join(dir, "other.kicad_pro")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	project := func(widthMM string) string {
		return `{"net_settings": {"classes": [{"name": "Default", "track_width": ` +
			widthMM + `}]}}`
	}
	write(path, twoPadsKiCad)
	write(other, project("0.4"))
	for _, c := range []struct {
		width string
		args  []string
	}{{"0.25", nil}, {"0.4", []string{"--project", other}}, {"0.3", nil}} {
		if c.width == "0.3" {
			write(filepath.Join(dir, "two.kicad_pro"), project("0.3"))
		}
		_, remarks, err := runCLI(t, "", append(append([]string{"route"}, c.args...), path)...)
		text, readErr := os.ReadFile(filepath.Join(dir, "two-routed.kicad_pcb"))
		want := `(width ` + c.width + `) (layer "F.Cu") (net 1)`
		if err != nil || readErr != nil || !strings.Contains(string(text), want) ||
			!strings.Contains(remarks, "1 of 1 connections") {
			t.Errorf("%v: %v %v %s\n%s\nwant %s", c.args, err, readErr, remarks, text, want)
		}
	}
	out, _, err := runCLI(t, twoPadsKiCad, "route", "--keep", "none", "-o", "-", "-")
	if err != nil || !strings.HasPrefix(out, "(kicad_pcb") || !strings.Contains(out, "(segment ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRouteMistakes verifies that invalid arguments and designs return the exit code of usage
// errors, with a message that names the cause.
func TestRouteMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		"name one design file": {}, "efforts are fast, normal and high": {"--effort", "best", "-"},
		"1 to 3600 s are valid":            {"--time-limit", "0", "-"},
		"0 to 10 mm are valid":             {"--edge-clearance", "-1", "-"},
		"choices are locked, all and none": {"--keep", "some", "-"},
		"no such file":                     {"missing.dsn"}, "-: the design is empty": {"-"},
	} {
		_, _, err := runCLI(t, "", append([]string{"route"}, args...)...)
		if exitCode(err, new(strings.Builder)) != exitUsage ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
