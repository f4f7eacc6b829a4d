package compare

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipstick/internal/cputime"
	"slipstick/internal/ngspice"
	"slipstick/spice"
)

var times = flag.Bool("times", false, "compare the time of the heaviest circuits with ngspice")

// timing holds the processor times [s] and errors of one transient in both simulators.
type timing struct {
	name, file  string
	text        string
	ours, their float64
	stats       spice.Statistics
	counts      counts // counters of ngspice
	// wrong holds the errors of this simulator, of ngspice, and of ngspice with careful settings,
	// as fractions of the peak-to-peak value. A negative value is unknown.
	wrong [3]float64
}

// errors computes c.wrong by comparison with the reference. An error remains -1 if its result or
// the reference is missing.
func (c *timing) errors(ng string) {
	c.wrong = [3]float64{-1, -1, -1}
	how, err := directivesFor(c.file, c.text)
	if err != nil {
		return
	}
	how.period = ""
	want, _, err := reference(ng, c.text, "tran", how)
	if err != nil {
		return
	}
	if r, err := spice.Simulate(context.Background(),
		spice.Request{Netlist: c.text, Analysis: "tran"}); err == nil {
		if d, _, err := distance(r, want, how); err == nil {
			c.wrong[0] = d
		}
	}
	for k, step := range [...]float64{0, largestStep(c.text)} {
		options := ".options"
		if k == 1 {
			options = ".options reltol=1e-4 trtol=1"
		}
		full, err := prepare(c.text, "tran", step, options)
		if err != nil {
			return
		}
		raw, err := batch(ng, full)
		if err != nil {
			continue
		}
		r := &spice.Result{AnalysisResult: spice.AnalysisResult{Analysis: "tran"}}
		for _, v := range raw {
			r.Vectors = append(r.Vectors, spice.Vector{Name: v.Name, Values: v.Real})
		}
		if d, _, err := distance(r, want, how); err == nil {
			c.wrong[k+1] = d
		}
	}
}

// repetitions is the number of transients in a row whose mean time is measured.
const repetitions = 4

// garbagePercent is the GOGC value of a child of a worker with a memory limit.
const garbagePercent = 400

// transientTime returns the mean processor time [s] and the result of several transients in this
// simulator. Others run before them until the garbage collector has run, because page faults of new
// memory take up to a third of the time. In ngspice a first transient takes these faults.
func transientTime(text string) (sec float64, r *spice.Result, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent))
	req := spice.Request{Netlist: text, Analysis: "tran", Cores: 1}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	collections := m.NumGC
	for k := 0; k < 30 && m.NumGC == collections; k++ {
		if _, err = spice.Simulate(context.Background(), req); err != nil {
			return 0, nil, err
		}
		runtime.ReadMemStats(&m)
	}
	before := cputime.Process().Seconds()
	for range repetitions {
		if r, err = spice.Simulate(context.Background(), req); err != nil {
			return 0, nil, err
		}
	}
	return (cputime.Process().Seconds() - before) / repetitions, r, nil
}

// theirNetlist returns a netlist for ngspice without its analysis, and the transient as a command.
// If careful is set, ngspice has reltol 1e-4, trtol 1 and the largest step of this simulator.
func theirNetlist(text string, careful bool) (body, command string, err error) {
	step, options := 0.0, ".options acct"
	if careful {
		step, options = largestStep(text), ".options acct reltol=1e-4 trtol=1"
	}
	full, err := prepare(text, "tran", step, options)
	if err != nil {
		return "", "", err
	}
	at := strings.LastIndex(full, "\n.tran ") + 1
	card, rest, _ := strings.Cut(full[at:], "\n")
	return full[:at] + rest, card[1:], nil
}

// theirTime returns the processor time [s] of the transient of a netlist in ngspice, which records
// all vectors. careful selects the settings of theirNetlist. The time is the difference between a
// process with several repetitions and a process with one repetition, each the least of several
// measurements. The "Total analysis time" that ngspice prints is not used. With OpenMP, as in
// Debian, it is elapsed time, which grows with the load of the machine.
func theirTime(ng, text string, careful bool, measurements int) (float64, error) {
	body, command, err := theirNetlist(text, careful)
	if err != nil {
		return 0, err
	}
	one, many := math.Inf(1), math.Inf(1)
	for range measurements {
		t, err := ngspiceTimeOf(ng, body, command, 1, false)
		if err != nil {
			return 0, err
		}
		one = min(one, t)
		if t, err = ngspiceTimeOf(ng, body, command, 1+repetitions, false); err != nil {
			return 0, err
		}
		many = min(many, t)
	}
	// The processor time of a process has a resolution of about 1 ms.
	return max(many-one, 1e-3) / repetitions, nil
}

// counts holds the Newton iterations and the accepted and rejected time points of a transient in
// ngspice.
type counts struct{ iterations, accepted, rejected int }

var countLine = regexp.MustCompile(
	`(?m)^(Transient iterations|Accepted timepoints|Rejected timepoints) = (\d+)`)

// theirCounts returns the counters of a transient in ngspice with default settings.
func theirCounts(ng, text string) (c counts, err error) {
	full, err := prepare(text, "tran", 0, ".options acct")
	if err != nil {
		return c, err
	}
	_, printed, err := ngspice.Simulate(ng, full)
	for _, m := range countLine.FindAllStringSubmatch(printed, -1) {
		n, _ := strconv.Atoi(m[2])
		switch m[1][0] {
		case 'T':
			c.iterations = n
		case 'A':
			c.accepted = n
		default:
			c.rejected = n
		}
	}
	if err == nil && strings.Contains(strings.ToLower(printed), "timestep too small") {
		err = errors.New("ngspice failed: timestep too small")
	}
	return c, err
}

// hasTransient reports whether a netlist has a .tran line.
func hasTransient(text string) bool {
	return regexp.MustCompile(`(?mi)^\s*\.tran\b`).MatchString(text)
}

// BenchmarkTransients runs the transient of every netlist. It provides the profile of the
// profile-guided build (make pgo).
func BenchmarkTransients(b *testing.B) {
	*everything = true
	for b.Loop() {
		for _, file := range netlists(b) {
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			if hasTransient(string(text)) {
				if _, _, err := transientTime(string(text)); err != nil {
					b.Errorf("%s: %v", file, err)
				}
			}
		}
	}
}

// TestBench prints the times and errors of the 15 heaviest transients of all netlists, and those of
// the next 15. It compares the processor time of a complete simulation in this simulator, including
// the error estimate, with that of the analysis in ngspice. The heaviest transients have the
// largest product of both times, which favours neither simulator. Circuits without a result of
// ngspice at its default settings are omitted. The last columns are errors relative to the
// reference without alignment of periods.
func TestBench(t *testing.T) {
	if !*times {
		t.Skip("runs with -times: make bench-spice")
	}
	ng := ngspice.Program(t)
	*everything = true
	var all []timing
	for _, file := range netlists(t) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if !hasTransient(text) {
			continue
		}
		c := timing{name: strings.TrimSuffix(filepath.Base(file), ".cir"), file: file, text: text}
		var r *spice.Result
		if c.ours, r, err = transientTime(text); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		c.stats = r.Statistics
		if c.counts, err = theirCounts(ng, text); err == nil {
			c.their, err = theirTime(ng, text, false, 1)
		}
		if err != nil {
			fmt.Printf("left out: %s: %v\n", c.name, err)
			continue
		}
		all = append(all, c)
	}
	sort.Slice(all, func(i, k int) bool {
		return all[i].ours*all[i].their > all[k].ours*all[k].their
	})
	compareTimes(ng, "the 15 heaviest transients", all[:min(15, len(all))])
	compareTimes(ng, "the next 15", all[min(15, len(all)):min(30, len(all))])
	peak(t)
}

// compareTimes prints the times and errors of a list of transients. Each time is the least of five
// measurements, with careful settings of two.
func compareTimes(ng, title string, list []timing) {
	fmt.Printf("\n%s\n%-22s %8s %8s %8s %6s | %-27s | %-27s | %9s %9s %9s %9s\n", title,
		"transient", "ours ms", "ngspice", "careful", "ratio", "newton  steps  rej.   us/it",
		"ngspice: the same", "estimate", "error", "ngspice", "careful")
	sum, above, n := 0.0, 0, 0
	sum2, n2 := 0.0, 0
	for _, c := range list {
		for range 4 {
			if s, _, err := transientTime(c.text); err == nil {
				c.ours = math.Min(c.ours, s)
			}
		}
		if s, err := theirTime(ng, c.text, false, 5); err == nil {
			c.their = s
		}
		e := "-"
		if p := c.stats.ErrorEstimatePct; p != nil {
			e = fmt.Sprintf("%.2g %%", *p)
		}
		ratio := c.ours / c.their
		c.errors(ng)
		slow, err := theirTime(ng, c.text, true, 2)
		if err == nil && slow > 0 {
			sum2 += math.Log(c.ours / slow)
			n2++
		}
		ours, their := c.stats, c.counts
		fmt.Printf("%-22s %8.1f %8.1f %8.1f %6.2f | %6d %6d %5d %7.2f | %6d %6d %5d %7.2f | "+
			"%9s %7.2g %% %7.2g %% %7.2g %%\n", c.name, 1e3*c.ours, 1e3*c.their, 1e3*slow, ratio,
			ours.NewtonIterations, ours.TimeSteps, ours.RejectedSteps,
			1e6*c.ours/float64(ours.NewtonIterations), their.iterations, their.accepted,
			their.rejected, 1e6*c.their/float64(their.iterations), e, 100*c.wrong[0],
			100*c.wrong[1], 100*c.wrong[2])
		sum += math.Log(ratio)
		n++
		if ratio > 1 {
			above++
		}
	}
	fmt.Printf("geometric mean %.2f, %d above 1; beside ngspice at reltol 1e-4, trtol 1 and a quarter of its largest step %.2f\n",
		math.Exp(sum/float64(n)), above, math.Exp(sum2/float64(n2)))
}

// peak prints the peak memory use during the transient of the largest RC ladder.
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
		req := spice.Request{Netlist: string(b), Analysis: "tran"}
		if _, err := spice.Simulate(context.Background(), req); err != nil {
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
