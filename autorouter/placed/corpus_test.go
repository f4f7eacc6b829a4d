package placed_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/placed"
	"slipstick/internal/corpus"
	"slipstick/internal/cputime"
)

var (
	problems = flag.String("problems", "", "folder of .simple-route.json files (make bench-router)")
	results  = flag.String("results", "", "folder of results and answers, which a later run continues")
	every    = flag.Int("every", 1, "take each n-th problem")
	limit    = flag.Duration("limit", 30*time.Second, "limit of the processor time of a problem")
)

// outcome is one row of the result table.
type outcome struct {
	Problem     string
	Refused     string `json:",omitempty"`
	Layers      int
	Connections int
	Open        int
	Faults      int
	OwnFaults   int // violations between obstacles
	Vias        int
	LengthMM    float64
	Seconds     float64
}

// TestCorpus routes the problems of @tscircuit/autorouting-dataset-01 and prints a table
// (docs/boards.md). The problems are not part of the repository.
func TestCorpus(t *testing.T) {
	if *problems == "" {
		t.Skip("-problems names no folder")
	}
	folder := corpus.Folder(t, *results)
	rows := corpus.Open(t, folder, func(o *outcome) *string { return &o.Problem })
	paths, err := filepath.Glob(filepath.Join(*problems, "*.simple-route.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no problems", err)
	}
	fmt.Println("problem | layers | open of connections | faults (of obstacles) | vias | wire mm | s")
	var all []outcome
	for i := 0; i < len(paths); i += max(1, *every) {
		name := strings.TrimSuffix(filepath.Base(paths[i]), ".simple-route.json")
		o := rows.Row(name, func() outcome {
			return routeProblem(t, paths[i], filepath.Join(folder, name+".json"))
		})
		all = append(all, o)
		if o.Refused != "" {
			fmt.Printf("%s | refused: %s\n", name, o.Refused)
			continue
		}
		fmt.Printf("%s | %d | %d of %d | %d (%d) | %d | %.0f | %.2f\n", name, o.Layers, o.Open,
			o.Connections, o.Faults, o.OwnFaults, o.Vias, o.LengthMM, o.Seconds)
	}
	summarize(all)
}

// routeProblem routes one problem and writes its traces to the file answer.
func routeProblem(t *testing.T, path, answer string) outcome {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := readProblem(text)
	if err != nil {
		return outcome{Refused: err.Error()}
	}
	attempts := []placed.Attempt{}
	r, err := placed.Route(context.Background(), placed.Options{TimeLimit: *limit,
		Now: func() time.Time { return time.Time{}.Add(cputime.Process()) }},
		func(int, int, bool) (placed.Attempt, error) {
			one := *b
			attempts = append(attempts, placed.Attempt{Board: &one})
			return attempts[len(attempts)-1], nil
		})
	if err != nil {
		return outcome{Refused: err.Error()}
	}
	best := attempts[r.Attempt].Board
	solved, err := json.Marshal(map[string]any{"solved": len(r.Open) == 0, "traces": traces(best),
		"ms": r.Runtime.Milliseconds()})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(answer, solved, 0o600); err != nil {
		t.Fatal(err)
	}
	return outcome{Layers: len(b.Stackup), Connections: r.Connections, Open: len(r.Open),
		Faults: len(r.RoutingViolations), OwnFaults: r.OwnViolations, Vias: len(best.Vias),
		LengthMM: r.LengthMM, Seconds: r.Runtime.Seconds()}
}

func summarize(all []outcome) {
	var complete, clean, refused, connections, open, vias int
	var seconds []float64
	for _, o := range all {
		if o.Refused != "" {
			refused++
			continue
		}
		connections, open, vias = connections+o.Connections, open+o.Open, vias+o.Vias
		seconds = append(seconds, o.Seconds)
		if o.Open == 0 {
			complete++
			if o.Faults == 0 {
				clean++
			}
		}
	}
	n := len(seconds)
	if n == 0 {
		return
	}
	slices.Sort(seconds)
	fmt.Printf("%d problems, %d refused; complete %d (%.1f %%), without violation %d; "+
		"connections made %.2f %%\n", len(all), refused, complete,
		100*float64(complete)/float64(n), clean,
		100*float64(connections-open)/float64(max(1, connections)))
	fmt.Printf("time: median %.2f s, 95 %% %.2f s, longest %.2f s; vias on average %.1f\n",
		seconds[n/2], seconds[n*95/100], seconds[n-1], float64(vias)/float64(n))
}
