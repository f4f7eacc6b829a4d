package pcb

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipstick/internal/cputime"
)

// BenchmarkBoards lays out the boards of examples/boards and generated ones of 20 to 150 parts, at
// a utilization of 45 % on one core. It prints connections made, DRC errors, vias, and track length
// over the Euclidean minimum spanning trees (nets without a zone). It also prints the CPU time of
// the layout with its files, and the peak of the process's memory, which includes the benchmark.
// PARTS and SEED in the environment select boards.
func BenchmarkBoards(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range b.N {
		fmt.Printf("\n%-22s %5s %9s %5s %7s %6s %5s %7s %6s %7s %6s\n", "board", "parts", "size mm",
			"used", "done", "errors", "vias", "wl/mst", "passes", "cpu ms", "MB")
		var all tally
		for _, c := range benchBoards(b) {
			all.add(b, c)
		}
		all.print()
	}
}

// BenchmarkScattered lays out generated boards of 60, 100 and 150 parts with random nets of two to
// six pins. The target utilization is 45 %, and the time limit is 20 s on one core. It prints
// connections made, DRC errors besides open connections, vias, track length, and the CPU time of
// the layout with its files. PARTS and SEED in the environment select boards, and PIN_USE is the
// percentage of the pins that are on a net.
func BenchmarkScattered(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	sizes, seeds, pinUse := []int{60, 100, 150}, []int{1, 2, 3, 4, 5}, 60
	if s := os.Getenv("PARTS"); s != "" {
		sizes = []int{wholeNumber(b, s)}
	}
	if s := os.Getenv("SEED"); s != "" {
		seeds = []int{wholeNumber(b, s)}
	}
	if s := os.Getenv("PIN_USE"); s != "" {
		pinUse = wholeNumber(b, s)
	}
	for range b.N {
		fmt.Printf("\n%5s %4s %9s %5s %11s %7s %6s %5s %7s %6s %7s\n", "parts", "seed", "size mm",
			"used", "made", "done", "errors", "vias", "wire mm", "passes", "cpu ms")
		for _, n := range sizes {
			made, all, errors, vias, wire, longest := 0, 0, 0, 0, 0.0, time.Duration(0)
			for _, seed := range seeds {
				begun := cputime.Process()
				raw, err := PCBLayout.Run(context.Background(),
					scattered(b, n, uint64(seed), float64(pinUse)/100, nil))
				if err != nil {
					b.Fatal(err)
				}
				took := cputime.Process() - begun
				var o pcbLayoutOut
				if err := json.Unmarshal(raw, &o); err != nil {
					b.Fatal(err)
				}
				s := o.Statistics
				faults := o.DRC.ErrorCount - (s.Connections - s.Routed)
				fmt.Printf("%5d %4d %4.0fx%-4.0f %4.0f%% %5d/%5d %6.2f%% %6d %5d %7.0f %6d %7d\n",
					n, seed, o.Board.Width, o.Board.Height, s.Utilization, s.Routed, s.Connections,
					s.Completion, faults, s.ViaCount, s.Wirelength, s.Passes,
					took.Milliseconds())
				made, all, errors, vias = made+s.Routed, all+s.Connections, errors+faults,
					vias+s.ViaCount
				wire, longest = wire+s.Wirelength, max(longest, took)
			}
			fmt.Printf("%5d  all %15s %5d/%5d %6.2f%% %6d %5d %7.0f %6s %7d\n", n, "", made, all,
				100*float64(made)/float64(all), errors, vias, wire, "max", longest.Milliseconds())
		}
	}
}

type benchBoard struct {
	name string
	body []byte
}

func benchBoards(tb testing.TB) []benchBoard {
	var out []benchBoard
	sizes, seeds := []int{20, 30, 50, 80, 110, 150}, []int{1, 2, 3}
	if s := os.Getenv("SEED"); s != "" {
		seeds = []int{wholeNumber(tb, s)}
	}
	if s := os.Getenv("PARTS"); s != "" {
		sizes = []int{wholeNumber(tb, s)}
	} else {
		paths, err := filepath.Glob("../../examples/boards/*.json")
		if err != nil || len(paths) == 0 {
			tb.Fatal("no example boards", err)
		}
		for _, p := range paths {
			body, err := os.ReadFile(p)
			if err != nil {
				tb.Fatal(err)
			}
			out = append(out, benchBoard{strings.TrimSuffix(filepath.Base(p), ".json"), body})
		}
	}
	for _, n := range sizes {
		for _, seed := range seeds {
			out = append(out, benchBoard{fmt.Sprintf("generated, seed %d", seed),
				generated(tb, n, uint64(seed), nil)})
		}
	}
	return out
}

func wholeNumber(tb testing.TB, s string) int {
	v, err := strconv.Atoi(s)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// tally summarizes a table.
type tally struct {
	boards, complete, clean int
	ratio, vias             float64
	small, large            time.Duration // longest CPU times for up to 30 and up to 150 parts
	peak                    float64       // MB
}

func (a *tally) add(b *testing.B, c benchBoard) {
	debug.FreeOSMemory()
	resetPeak()
	begun := cputime.Process()
	raw, err := PCBLayout.Run(context.Background(), c.body)
	if err != nil {
		b.Fatalf("%s: %v", c.name, err)
	}
	took, peak := cputime.Process()-begun, peakMB()
	var o pcbLayoutOut
	if err := json.Unmarshal(raw, &o); err != nil {
		b.Fatal(err)
	}
	s := o.Statistics
	limited := ""
	if s.TimeLimited {
		limited = " time limit"
	}
	fmt.Printf("%-22s %5d %4.0fx%-4.0f %4.0f%% %6.1f%% %6d %5d %7.3f %6d %7d %6.0f%s\n", c.name,
		s.Components, o.Board.Width, o.Board.Height, s.Utilization,
		s.Completion, o.DRC.ErrorCount, s.ViaCount, s.Ratio, s.Passes, took.Milliseconds(),
		peak, limited)
	a.boards++
	if o.Status == "complete" {
		a.complete++
	}
	if o.DRC.ErrorCount == 0 {
		a.clean++
	}
	a.ratio, a.vias, a.peak = a.ratio+s.Ratio, a.vias+float64(s.ViaCount), max(a.peak, peak)
	if s.Components <= 30 {
		a.small = max(a.small, took)
	}
	a.large = max(a.large, took)
}

func (a *tally) print() {
	verdict := func(met bool) string {
		if met {
			return "met"
		}
		return "NOT met"
	}
	n := float64(a.boards)
	fmt.Printf("\n%d of %d boards complete, %d without an error: %s\n", a.complete, a.boards,
		a.clean, verdict(a.complete == a.boards && a.clean == a.boards))
	fmt.Printf(
		"wirelength over spanning tree %.3f on average, aim 1.25: %s; %.0f vias on average\n",
		a.ratio/n, verdict(a.ratio/n <= 1.25), a.vias/n)
	fmt.Printf(
		"longest of up to 30 parts %d ms, aim 500: %s; longest of all %d ms, aim 10000: %s\n",
		a.small.Milliseconds(), verdict(a.small <= 500*time.Millisecond), a.large.Milliseconds(),
		verdict(a.large <= 10*time.Second))
	fmt.Printf("peak memory %.0f MB, aim 300: %s\n", a.peak, verdict(a.peak <= 300))
}

// resetPeak resets the peak of resident memory on Linux.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMB returns the peak of resident memory since resetPeak [MB], or 0 where it is unavailable.
func peakMB() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kB float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kB); n == 1 {
			return kB / 1024
		}
	}
	return 0
}
