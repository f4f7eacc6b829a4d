package specctra

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/autorouter/board"
	"slipstick/autorouter/placed"
	"slipstick/internal/corpus"
	"slipstick/internal/cputime"
)

var (
	designs = flag.String("designs", "", "folder of .dsn files to route (make bench-router)")
	results = flag.String("results", "", "folder of results, which a later run continues")
	largest = flag.Int("components", 150, "skip designs with more components")
	every   = flag.Int("every", 1, "take each n-th design")
	limit   = flag.Duration("limit", time.Minute, "limit of the processor time of a design")
)

// outcome is one row of the table of results.
type outcome struct {
	Design      string
	Refused     string `json:",omitempty"`
	Skipped     bool   `json:",omitempty"` // whether the design has too many components
	Components  int
	Layers      int
	Connections int
	Open        int
	Faults      int
	Vias        int
	LengthMM    float64
	Seconds     float64
	// ReferenceVias and ReferenceMM are the number of vias and the track length [mm] of the routed
	// reference design in the same folder. They are 0 without a reference.
	ReferenceVias int     `json:",omitempty"`
	ReferenceMM   float64 `json:",omitempty"`
}

// TestCorpus routes public designs and prints a table of results. The repository does not contain
// the designs; docs/boards.md explains how to download them.
func TestCorpus(t *testing.T) {
	if *designs == "" {
		t.Skip("-designs names no folder")
	}
	rows := corpus.Open(t, corpus.Folder(t, *results),
		func(o *outcome) *string { return &o.Design })
	paths := corpus.Files(t, *designs, func(name string) bool {
		return strings.EqualFold(filepath.Ext(name), ".dsn") &&
			!strings.HasPrefix(name, "reference")
	})
	fmt.Println(
		"design | components | layers | open of connections | rules | vias (reference) | wire mm (reference) | s",
	)
	var all []outcome
	for i := 0; i < len(paths); i += max(1, *every) {
		name, err := filepath.Rel(*designs, paths[i])
		if err != nil {
			t.Fatal(err)
		}
		o := rows.Row(name, func() outcome { return route1(t, paths[i]) })
		all = append(all, o)
		o.print()
	}
	summarize(all)
}

func (o *outcome) print() {
	switch {
	case o.Refused != "":
		fmt.Printf("%s | refused: %s\n", o.Design, o.Refused)
	case !o.Skipped:
		fmt.Printf(
			"%s | %d | %d | %d of %d | %d | %d (%d) | %.0f (%.0f) | %.1f\n",
			o.Design,
			o.Components,
			o.Layers,
			o.Open,
			o.Connections,
			o.Faults,
			o.Vias,
			o.ReferenceVias,
			o.LengthMM,
			o.ReferenceMM,
			o.Seconds,
		)
	}
}

// route1 routes the design at path and returns its row of the table.
func route1(t *testing.T, path string) (o outcome) {
	text, err := os.ReadFile(path)
	if err != nil {
		return outcome{Refused: err.Error()}
	}
	d, err := Read(string(text))
	if err != nil {
		return outcome{Refused: err.Error()}
	}
	o.Components, o.Layers = len(d.components), len(d.Layers)
	if o.Components > *largest {
		o.Skipped = true
		return o
	}
	r, err := d.Route(t.Context(), Options{}, placed.Options{TimeLimit: *limit,
		Now: func() time.Time { return time.Time{}.Add(cputime.Process()) }})
	if err != nil {
		o.Refused = err.Error()
		return o
	}
	o.Connections, o.Open, o.Faults = r.Connections, len(r.Open), len(r.RoutingViolations)
	o.Vias, o.LengthMM, o.Seconds = len(r.Vias), r.LengthMM, r.Runtime.Seconds()
	if text, err = os.ReadFile(filepath.Join(filepath.Dir(path), "reference-routed.dsn")); err ==
		nil {
		if ref, err := Read(string(text)); err == nil {
			o.ReferenceVias, o.ReferenceMM = ref.wiring()
		}
	}
	return o
}

// wiring returns the number of vias and the track length [mm] of a design.
func (d *Design) wiring() (vias int, mm float64) {
	for _, w := range d.wires {
		if w.via != "" {
			vias++
		}
		g := polygonOf(w.points)
		for i := 1; i < len(g); i++ {
			mm += board.Distance(g[i-1], g[i]) / 1e6
		}
	}
	return vias, mm
}

func summarize(all []outcome) {
	var routed, complete, clean, connections, open, vias, refVias, refused, skipped int
	var seconds []float64
	var wire, refWire float64
	for _, o := range all {
		switch {
		case o.Refused != "":
			refused++
			continue
		case o.Skipped:
			skipped++
			continue
		}
		routed++
		connections, open = connections+o.Connections, open+o.Open
		seconds = append(seconds, o.Seconds)
		if o.Open > 0 {
			continue
		}
		complete++
		if o.Faults == 0 {
			clean++
		}
		if o.ReferenceMM > 0 {
			vias, refVias, wire, refWire = vias+o.Vias, refVias+o.ReferenceVias, wire+o.LengthMM,
				refWire+o.ReferenceMM
		}
	}
	if routed == 0 {
		return
	}
	slices.Sort(seconds)
	fmt.Printf(
		"%d designs: %d refused, %d with more than %d components, %d routed\n",
		len(all),
		refused,
		skipped,
		*largest,
		routed,
	)
	fmt.Printf(
		"complete %d (%.1f %%), without violation %d; connections made %.2f %%\n",
		complete,
		100*float64(
			complete,
		)/float64(
			routed,
		),
		clean,
		100*float64(connections-open)/float64(max(1, connections)),
	)
	fmt.Printf(
		"time: median %.1f s, 95 %% %.1f s, longest %.1f s\n",
		seconds[len(seconds)/2],
		seconds[len(seconds)*95/100],
		seconds[len(seconds)-1],
	)
	fmt.Printf(
		"complete designs beside their reference: vias %d to %d, wire %.0f to %.0f mm\n",
		vias,
		refVias,
		wire,
		refWire,
	)
}
