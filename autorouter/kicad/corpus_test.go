package kicad

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/footprint"
	"slipstick/autorouter/placed"
	"slipstick/internal/corpus"
)

var (
	boards  = flag.String("boards", "", "folder of .kicad_pcb files to route (make bench-kicad)")
	results = flag.String("results", "",
		"folder of routed files and their figures, which a later run continues")
	most   = flag.Int("footprints", 150, "skip boards with more footprints")
	fewest = flag.Int("least", 0, "skip boards with fewer footprints")
	every  = flag.Int("every", 1, "take each n-th board")
	limit  = flag.Duration("limit", time.Minute, "time limit of a board")
	dryRun = flag.Bool("read", false, "read the boards only")
)

// outcome is one row of the table of results.
type outcome struct {
	Board       string
	Refused     string `json:",omitempty"`
	Skipped     bool   `json:",omitempty"`
	Footprints  int
	Layers      int
	AreaMM2     float64
	Connections int
	Open        int
	Faults      int
	Vias        int
	LengthMM    float64
	Seconds     float64
	// HumanVias is the number of vias and HumanMM the track length [mm] of the original file.
	HumanVias int
	HumanMM   float64
}

// TestCorpus routes public boards without their tracks and prints a table of results. The
// repository does not contain the files; docs/boards.md explains how to download them.
func TestCorpus(t *testing.T) {
	if *boards == "" {
		t.Skip("-boards names no folder")
	}
	paths := corpus.Files(t, *boards, corpus.IsKiCadBoard)
	folder := corpus.Folder(t, *results)
	rows := corpus.Open(t, folder, func(o *outcome) *string { return &o.Board })
	fmt.Println("board | footprints | layers | mm² | open of connections | rules | vias (file) | wire mm (file) | s")
	for i := 0; i < len(paths); i += max(1, *every) {
		name, err := filepath.Rel(*boards, paths[i])
		if err != nil {
			t.Fatal(err)
		}
		o := rows.Row(name, func() outcome {
			return routeFile(paths[i], filepath.Join(folder, strings.ReplaceAll(name, "/", "_")))
		})
		switch {
		case o.Refused != "":
			fmt.Printf("%s | refused: %s\n", name, o.Refused)
		case !o.Skipped:
			fmt.Printf("%s | %d | %d | %.0f | %d of %d | %d | %d (%d) | %.0f (%.0f) | %.1f\n", name,
				o.Footprints,
				o.Layers, o.AreaMM2, o.Open, o.Connections, o.Faults, o.Vias, o.HumanVias,
				o.LengthMM, o.HumanMM, o.Seconds)
		}
	}
}

// routeFile routes the board file at path without its tracks and writes the result to the file
// named to. It returns the row of the table for the board.
func routeFile(path, to string) (o outcome) {
	text, err := os.ReadFile(path)
	if err != nil {
		return outcome{Refused: err.Error()}
	}
	project, _ := os.ReadFile(strings.TrimSuffix(path, ".kicad_pcb") + ".kicad_pro")
	d, err := Read(string(text), string(project))
	if err != nil {
		return outcome{Refused: err.Error()}
	}
	o.Footprints, o.Layers = len(d.root.Each("footprint"))+len(d.root.Each("module")), len(d.Layers)
	o.HumanVias = len(d.root.Each("via"))
	for head, kind := range map[string]string{"segment": "line", "arc": "arc"} {
		for _, n := range d.root.Each(head) {
			points, _, err := footprint.ReadShape(n, kind)
			if err != nil {
				return outcome{Refused: err.Error()}
			}
			for i := 1; i < len(points); i++ {
				o.HumanMM += board.Distance(points[i-1], points[i]) / 1e6
			}
		}
	}
	if o.Footprints > *most || o.Footprints < *fewest {
		o.Skipped = true
		return o
	}
	options := Options{Keep: KeepNone}
	if *dryRun {
		if _, err := d.Board(options); err != nil {
			o.Refused = err.Error()
		}
		return o
	}
	r, err := d.Route(context.Background(), options, placed.Options{TimeLimit: *limit})
	if err != nil {
		o.Refused = err.Error()
		return o
	}
	o.AreaMM2 = r.Outline.Area() / 1e12
	o.Connections, o.Open, o.Faults = r.Connections, len(r.Open), len(r.RoutingViolations)
	o.Vias, o.LengthMM, o.Seconds = len(r.Vias), r.LengthMM, r.Runtime.Seconds()
	if err := os.WriteFile(to, r.File(), 0o600); err != nil {
		o.Refused = err.Error()
	}
	if len(project) > 0 {
		if err := os.WriteFile(strings.TrimSuffix(to, ".kicad_pcb")+".kicad_pro", project,
			0o600); err != nil {
			o.Refused = err.Error()
		}
	}
	return o
}
