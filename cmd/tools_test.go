package cmd

import (
	"strings"
	"testing"
)

// TestListOfTools verifies that "slipstick tools" lists categories, and otherwise searches.
func TestListOfTools(t *testing.T) {
	for _, c := range []struct {
		words       string
		first, last string // tools of the list
	}{
		{"", "fspl", ""},
		{"rf", "fspl", "spice_simulate"},
		{"mesh rf", "fspl", ""},
		{"coax loss", "link_budget", ""},
		{"battery life", "battery_life", ""},
		{"pcb trace impedance", "microstrip", ""},
	} {
		out, _, err := runCLI(t, "", append([]string{"tools"}, strings.Fields(c.words)...)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if err != nil || !strings.HasPrefix(lines[0], c.first+" ") ||
			!strings.HasPrefix(lines[len(lines)-1], c.last) {
			t.Errorf("%q: %v, %s to %s", c.words, err, lines[0], lines[len(lines)-1])
		}
	}
	_, _, err := runCLI(t, "", "tools", "xyzzy")
	if err == nil || !strings.Contains(err.Error(), `no tool is found for "xyzzy"; the categories`) {
		t.Errorf("xyzzy: %v", err)
	}
}
