package pcb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"slipstick/autorouter/board"
	"slipstick/autorouter/fabrication"
)

// example is a board of examples/boards, laid out once for all tests that use it.
type example struct {
	name string
	body []byte
	out  func() (pcbLayoutOut, error)
}

var examples = sync.OnceValues(func() ([]example, error) {
	return boardsIn("../../examples/boards")
})

// boardsIn returns the requests of a folder.
func boardsIn(folder string) ([]example, error) {
	paths, err := filepath.Glob(folder + "/*.json")
	var out []example
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		out = append(out, example{strings.TrimSuffix(filepath.Base(path), ".json"), body,
			sync.OnceValues(func() (pcbLayoutOut, error) {
				return layoutOf(body)
			})})
	}
	return out, err
}

// eachExample runs a test on every example board with its layout.
func eachExample(t *testing.T, test func(t *testing.T, name string, body []byte,
	out pcbLayoutOut)) {
	t.Helper()
	list, err := examples()
	if err != nil || len(list) < 8 {
		t.Fatalf("%d example boards, %v", len(list), err)
	}
	for _, e := range list {
		t.Run(e.name, func(t *testing.T) {
			out, err := e.out()
			if err != nil {
				t.Fatal(err)
			}
			test(t, e.name, e.body, out)
		})
	}
}

func layoutOf(body []byte) (out pcbLayoutOut, err error) {
	raw, err := PCBLayout.Run(context.Background(), body)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}

func layout(t *testing.T, body []byte) pcbLayoutOut {
	t.Helper()
	out, err := layoutOf(body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// copper returns the part of a layout that must be reproducible.
func copper(t *testing.T, o pcbLayoutOut) []byte {
	t.Helper()
	raw, err := json.Marshal([]any{o.Board, o.Placements, o.Tracks, o.Vias, o.Zones,
		o.Files, o.Zip})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestExampleBoards verifies that every example board is complete and passes its rule check without
// a warning. For boards of up to 50 parts, it also verifies that the same request returns the same
// board.
func TestExampleBoards(t *testing.T) {
	eachExample(t, func(t *testing.T, _ string, body []byte, out pcbLayoutOut) {
		if out.Status != "complete" || !out.DRC.Passed || out.DRC.WarningCount > 0 {
			t.Errorf("%s, unrouted %v, violations %v", out.Status, out.Unrouted, out.DRC.Violations)
		}
		if out.Statistics.Components > 50 {
			return // large boards are laid out once
		}
		if again := layout(t, body); !bytes.Equal(copper(t, out), copper(t, again)) {
			t.Error("the same request gave two different boards")
		}
	})
}

// TestExampleCopper verifies the copper of each example from the Gerber, drill and test point files
// alone. It connects every net, has no shorts, and keeps the clearances. The smallest clearance
// must equal the value in the statistics, which separate code measures on the board model.
func TestExampleCopper(t *testing.T) {
	eachExample(t, func(t *testing.T, _ string, _ []byte, out pcbLayoutOut) {
		verifyCopper(t, out)
	})
}

// verifyCopper verifies that nets are open exactly where the layout reports missing connections,
// and that there are no other errors.
func verifyCopper(t *testing.T, out pcbLayoutOut, ties ...fabrication.Tie) {
	t.Helper()
	b, err := fabrication.Read(out.Files)
	if err != nil {
		t.Fatal(err)
	}
	limits := limitsOf(out)
	limits.Ties = ties
	p, err := b.Verify(limits)
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, u := range out.Unrouted {
		missing[u.Net] = true
	}
	open := map[string]bool{}
	for _, f := range p.Findings {
		if f.Kind == "open" && missing[f.Net] {
			open[f.Net] = true
			continue
		}
		t.Errorf("%s at %.3f, %.3f mm: %s", f.Kind, board.ToMM(f.At.X),
			board.ToMM(f.At.Y), f.Message)
	}
	for net := range missing {
		if !open[net] {
			t.Errorf("net %s is reported unrouted but its copper is one piece", net)
		}
	}
	have := "none within 1 mm"
	if p.MinClearance < 1e6 {
		have = fmt.Sprintf("%.6f mm", p.MinClearance/1e6)
	}
	if want := out.Statistics.MinClearance; want != nil && *want < 1 {
		if d := p.MinClearance - *want*1e6; d < -2 || d > 2 {
			t.Errorf("smallest clearance in the files %s, in the statistics %.6f mm", have, *want)
		}
	}
	t.Logf("%d nets, smallest clearance %s", p.Nets, have)
}

func limitsOf(out pcbLayoutOut) fabrication.Limits {
	r := out.Rules
	return fabrication.Limits{
		Clearance: board.MM(r.Clearance), EdgeClearance: board.MM(r.EdgeClearance),
		HoleClearance: board.MM(r.HoleClearance),
		HoleToHole:    board.MM(r.HoleToHole), Ring: board.MM(0.1),
	}
}
