package compare

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"slipstick/spice"
)

var times = flag.Bool("times", false, "compare the time of the heaviest circuits with ngspice")

// timing is one circuit's transient in both simulators, s of processor time.
type timing struct {
	name, text  string
	ours, their float64
	stats       spice.Statistics
	rows        int
}

// processorTime is what this process has used so far, all threads and the kernel included.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func measure(text string) (sec float64, r *spice.Result, err error) {
	runtime.GC()
	before := processorTime()
	r, err = spice.Simulate(context.Background(), spice.Request{Netlist: text, Analysis: "tran"})
	return processorTime() - before, r, err
}

var (
	analysisTime  = regexp.MustCompile(`Total analysis time \(seconds\) = (\S+)`)
	analysisFails = regexp.MustCompile(`(?i)timestep too small|aborted`)
)

// theirTime is the "Total analysis time" ngspice states with its own default settings and
// all vectors written away, as ours are kept; the start of the process is not in it.
func theirTime(ng, text string) (float64, error) {
	full, err := prepare(text, "tran", 0, ".options acct")
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	cir := filepath.Join(dir, "a.cir")
	if err := os.WriteFile(cir, []byte(full), 0o600); err != nil {
		return 0, err
	}
	out, err := exec.Command(ng, "-b", "-r", "/dev/null", cir).CombinedOutput()
	m := analysisTime.FindSubmatch(out)
	if err != nil || m == nil || analysisFails.Match(out) {
		return 0, fmt.Errorf("ngspice failed: %v", err)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// TestBench prints the 15 heaviest transients of all netlists: the processor time of a
// whole simulation here, its error estimate included, beside ngspice's analysis time. The
// heaviest are those with the largest product of both times, so that neither side picks.
// Circuits ngspice gives up on at its defaults are left out.
func TestBench(t *testing.T) {
	if !*times {
		t.Skip("runs with -times: make bench-spice")
	}
	ng := find(t)
	*everything = true
	var all []timing
	for _, file := range netlists(t) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if !regexp.MustCompile(`(?mi)^\s*\.tran\b`).MatchString(text) {
			continue
		}
		c := timing{name: strings.TrimSuffix(filepath.Base(file), ".cir"), text: text}
		var r *spice.Result
		if c.ours, r, err = measure(text); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		c.stats, c.rows = r.Statistics, len(r.Vectors[0].Values)
		if c.their, err = theirTime(ng, text); err != nil {
			fmt.Printf("left out: %s: %v\n", c.name, err)
			continue
		}
		all = append(all, c)
	}
	sort.Slice(all, func(i, k int) bool { return all[i].ours*all[i].their > all[k].ours*all[k].their })
	fmt.Printf("\n%-20s %9s %9s %6s %9s %8s %9s\n", "transient", "ours ms", "ngspice", "ratio", "newton", "steps", "estimate")
	sum, above, n := 0.0, 0, 0
	for _, c := range all[:min(15, len(all))] {
		for range 4 {
			if s, _, err := measure(c.text); err == nil {
				c.ours = math.Min(c.ours, s)
			}
			if s, err := theirTime(ng, c.text); err == nil {
				c.their = math.Min(c.their, s)
			}
		}
		e := "-"
		if p := c.stats.ErrorEstimatePct; p != nil {
			e = fmt.Sprintf("%.2g %%", *p)
		}
		ratio := c.ours / c.their
		fmt.Printf("%-20s %9.1f %9.1f %6.2f %9d %8d %9s\n", c.name, 1e3*c.ours, 1e3*c.their, ratio, c.stats.NewtonIterations, c.stats.TimeSteps, e)
		sum += math.Log(ratio)
		n++
		if ratio > 1 {
			above++
		}
	}
	fmt.Printf("geometric mean %.2f, %d above 1\n", math.Exp(sum/float64(n)), above)
	peak(t)
}

// peak prints the most memory in use during the transient of the largest ladder.
func peak(t *testing.T) {
	b, err := os.ReadFile("../testdata/compare/ladder_rc74.cir")
	if err != nil {
		t.Fatal(err)
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base, most := m.HeapInuse, uint64(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, _, err := measure(string(b)); err != nil {
			t.Error(err)
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(time.Millisecond):
		}
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse-min(base, m.HeapInuse))
	}
	fmt.Printf("peak heap of a transient with 149 components: %.1f MB\n", float64(most)/1e6)
}
