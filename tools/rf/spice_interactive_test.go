package rf

import (
	"context"
	"strings"
	"testing"
)

// TestMissingEndByFrontEnd verifies that a netlist without .end is rejected by Run, as for REST,
// but accepted with a warning after InteractiveInput. It also verifies that InteractiveInput does
// not change an explicit add_end, or a body that is not an object.
func TestMissingEndByFrontEnd(t *testing.T) {
	const body = `{"netlist": "t\nV1 a 0 1\nR1 a 0 1k\n.op"}`
	if _, err := SpiceSimulate.Run(context.Background(), []byte(body)); err == nil ||
		!strings.Contains(err.Error(), ".op\n.end") {
		t.Errorf("REST: %v", err)
	}
	out, err := SpiceSimulate.Run(context.Background(),
		SpiceSimulate.InteractiveInput([]byte(body)))
	if err != nil ||
		!strings.Contains(string(out), "the netlist has no .end line; it is read as if") {
		t.Errorf("front ends: %s, %v", out, err)
	}
	const refused = `{"add_end": false, "netlist": "t\nV1 a 0 1\nR1 a 0 1k\n.op"}`
	if got := SpiceSimulate.InteractiveInput([]byte(refused)); string(got) != refused {
		t.Errorf("add_end=false became %s", got)
	}
	for _, other := range []string{"", "null", "[1]", "{"} {
		if got := SpiceSimulate.InteractiveInput([]byte(other)); string(got) != other {
			t.Errorf("%q became %s", other, got)
		}
	}
}
