package compare

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

var (
	everything = flag.Bool("all", false, "compare every netlist, not only testdata/circuits")
	only       = flag.String("only", "", "compare netlists whose name matches")
	cacheDir   = flag.String("cache", "", "keep ngspice's results in this directory")
)

// directives modify the comparison of a netlist as the package comment describes.
type directives struct {
	window
	period string // vector whose periods align an autonomous circuit; "" if none
	reltol float64
	extra  string  // further .options cards for ngspice
	points bool    // a separate .op per point is the reference of .dc
	step   float64 // additional divisor of the largest step of the reference
	skip   string
}

var directive = regexp.MustCompile(`(?m)^\*compare (shift|period|reltol|abstol|maxord|step|dc|skip)=(.*)$`)

// ofExamples is the file with the directives of examples/netlists.
const ofExamples = "../testdata/compare/examples.tsv"

// directivesFor returns the directives of the netlist with the given file name and text.
func directivesFor(file, text string) (directives, error) {
	all := text
	if filepath.Base(filepath.Dir(file)) == "netlists" {
		list, err := os.ReadFile(ofExamples)
		if err != nil {
			return directives{}, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".cir")
		for line := range strings.Lines(string(list)) {
			if of, words, _ := strings.Cut(line, "\t"); of == name {
				all += "\n*compare " + words
			}
		}
	}
	d, err := readDirectives(all)
	if err == nil && isNonlinear(text) {
		d.drift = eventDrift
	}
	return d, err
}

// isNonlinear reports whether a netlist has a nonlinear device. Only such a circuit has events
// whose time depends on the solution.
func isNonlinear(text string) bool {
	ckt, err := netlist.Parse(text, netlist.Config{MaxElements: 150, Library: library.Text})
	if err != nil {
		return false
	}
	return slices.ContainsFunc(ckt.Elements, func(e netlist.Element) bool {
		return strings.IndexByte("abdjmqswz", e.Kind) >= 0
	})
}

func readDirectives(text string) (d directives, err error) {
	d.reltol, d.shift, d.step = 1e-6, 1e-6, 1
	for _, m := range directive.FindAllStringSubmatch(text, -1) {
		v := strings.TrimSpace(m[2])
		word := strings.Fields(v)[0] // the other words are a comment
		switch m[1] {
		case "shift":
			d.shift, err = strconv.ParseFloat(word, 64)
		case "reltol":
			d.reltol, err = strconv.ParseFloat(word, 64)
		case "step":
			d.step, err = strconv.ParseFloat(word, 64)
		case "dc":
			d.points = true
		case "abstol", "maxord":
			d.extra += " " + m[1] + "=" + word
		case "period":
			d.period = word
		case "skip":
			d.skip = v
		}
		if err != nil {
			return d, err
		}
	}
	return d, nil
}

// TestDirectivesOfExamples verifies that each line of examples.tsv names an example and has valid
// directives.
func TestDirectivesOfExamples(t *testing.T) {
	list, err := os.ReadFile(ofExamples)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		name, words, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		n++
		file := "../../examples/netlists/" + name + ".cir"
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if directive.Match(text) {
			t.Errorf("%s: the published netlist holds a directive of the tests", name)
		}
		how, err := directivesFor(file, string(text))
		if plain, _ := readDirectives(string(text)); err != nil || how == plain {
			t.Errorf("%s: %s says nothing: %v", name, strings.TrimSpace(words), err)
		}
	}
	if n == 0 {
		t.Error("the list is empty")
	}
}

// outcome is the comparison of one analysis or measure of one netlist with ngspice.
type outcome struct {
	name, kind, where string
	distance          float64
	// estimate is the error estimate of this simulator as a fraction. It is negative if there is
	// none.
	estimate float64
	problem  string
}

// resolution is the least published error estimate, a fraction of peak-to-peak.
const resolution = 5e-4

// TestAgainstNgspice compares every analysis of every netlist with ngspice and prints a table.
func TestAgainstNgspice(t *testing.T) {
	ng := ngspice.Program(t)
	var all []outcome
	for _, file := range netlists(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		how, err := directivesFor(file, string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".cir")
		for _, kind := range []string{"op", "dc", "ac", "tran"} {
			if !regexp.MustCompile(`(?mi)^\s*\.` + kind + `\b`).MatchString(string(text)) {
				continue
			}
			if how.skip != "" {
				fmt.Printf("not compared: %s/%s: %s\n", name, kind, how.skip)
				continue
			}
			all = append(all, compare(t, ng, name, string(text), kind, how)...)
		}
	}
	report(t, all)
}

func netlists(t testing.TB) []string {
	patterns := []string{"../testdata/circuits/*.cir"}
	if *everything {
		patterns = append(patterns, "../testdata/compare/*.cir", "../../examples/netlists/*.cir")
	}
	var files []string
	for _, p := range patterns {
		f, err := filepath.Glob(p)
		if err != nil || len(f) < 3 {
			t.Fatalf("%s: %d files, %v", p, len(f), err)
		}
		files = append(files, f...)
	}
	if *only != "" {
		re, kept := regexp.MustCompile(*only), files[:0]
		for _, f := range files {
			if re.MatchString(f) {
				kept = append(kept, f)
			}
		}
		files = kept
	}
	return files
}

func compare(t *testing.T, ng, name, text, kind string, how directives) []outcome {
	o := outcome{name: name, kind: kind, estimate: -1}
	got, err := spice.Simulate(context.Background(), spice.Request{Netlist: text, Analysis: kind})
	if err != nil {
		o.problem = err.Error()
		return []outcome{o}
	}
	want, eased, err := reference(ng, text, kind, how)
	if kind == "dc" && how.points {
		want, err = sweepByPoints(ng, text, got, how)
	}
	if err != nil {
		o.problem = err.Error()
		return []outcome{o}
	}
	if o.distance, o.where, err = distance(got, want, how); err != nil {
		o.problem = err.Error()
	} else if !(o.distance <= limits[kind]) {
		o.problem = fmt.Sprintf("%.3g %% off at %s", 100*o.distance, o.where)
	}
	s := got.Statistics
	if e := s.ErrorEstimatePct; e != nil {
		o.estimate = *e / 100
	}
	if eased > 0 {
		fmt.Printf("note: %s/%s: ngspice gave up on %d tighter settings; reference at %s\n", name,
			kind, eased, setting(eased, how.reltol))
	}
	if testing.Verbose() {
		fmt.Printf(
			"%-28s %-5s %9.2e %-14s est %8.1e newton %7d steps %6d/%d aid %s rows %d/%d %v\n", name,
			kind, o.distance, o.where, o.estimate, s.NewtonIterations, s.TimeSteps, s.RejectedSteps,
			s.ConvergenceAid, len(got.Vectors[0].Values), len(want[0].Real), got.Runtime)
	}
	return append([]outcome{o}, compareMeasures(ng, name, text, got, eased, how)...)
}

// report prints the median and the largest distance per analysis, the failing cases and their
// number.
func report(t *testing.T, all []outcome) {
	passed, failed := 0, 0
	fmt.Printf("\n%-9s %6s %8s  %9s %9s %9s  %s\n", "analysis", "cases", "failed", "limit",
		"median", "worst", "at")
	for _, kind := range []string{"op", "dc", "ac", "tran", "measure", "thd"} {
		var d []float64
		bad, worst := 0, outcome{}
		for _, o := range all {
			if o.kind != kind {
				continue
			}
			if o.problem != "" {
				bad++
			}
			if o.problem == "" || o.distance > 0 {
				d = append(d, o.distance)
				if o.distance >= worst.distance {
					worst = o
				}
			}
		}
		if len(d) == 0 {
			continue
		}
		sort.Float64s(d)
		passed += len(d) - bad
		fmt.Printf("%-9s %6d %8d  %8.2g%% %8.2g%% %8.2g%%  %s %s\n", kind, len(d), bad,
			100*limits[kind], 100*d[len(d)/2], 100*d[len(d)-1], worst.name, worst.where)
	}
	passed = 0
	over, near, small, low, estimated := 0, 0, 0, 0, 0
	for _, o := range all {
		if o.estimate >= 0 {
			estimated++
			if o.distance > o.estimate+0.002 { // allow 0.2 % for straight lines
				over++
			}
			switch {
			case o.estimate <= 3*o.distance && o.distance <= 3*o.estimate:
				near++
			case o.estimate <= resolution && o.distance <= resolution:
				small++
			}
			if o.distance > 5*o.estimate {
				low++
			}
		}
		if o.problem == "" {
			passed++
			continue
		}
		failed++
		fmt.Printf("FAIL %s/%s: %s\n", o.name, o.kind, o.problem)
	}
	fmt.Printf(
		"the distance was above the estimate by more than 0.2 %% in %d of %d transients\n",
		over, estimated)
	fmt.Printf("the estimate was within a factor 3 of the distance in %d, below a fifth in %d; "+
		"both were at most %g %% in %d more\n", near, low, 100*resolution, small)
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		t.Errorf("%d of %d comparisons failed", failed, passed+failed)
	}
}
