package cmd

import (
	"os/exec"
	"strings"
	"testing"
)

// TestManPage verifies that the page has the visible commands and their options, and that groff, if
// installed, formats the page without a warning.
func TestManPage(t *testing.T) {
	page, _, err := runCLI(t, "", "man")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".TH SLIPSTICK 1", `.SS "slipstick serve"`, `.SS "slipstick queue drain POOL"`,
		`\-\-burst\-size`, "SLIPSTICK_BURST_SIZE", "Exit codes:",
		`.SS "slipstick run TOOL [field=value ...] [@file | \-]"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(page, "slipstick child") {
		t.Error("the page has a hidden command")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("SKIPPED: groff is not installed")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
