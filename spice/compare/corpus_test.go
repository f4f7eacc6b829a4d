package compare

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"slipstick/internal/cputime"
	"slipstick/internal/ngspice"
	"slipstick/spice"
	"slipstick/spice/analysis"
	"slipstick/spice/library"
	"slipstick/spice/netlist"
)

var (
	corpusDir = flag.String("corpus", "",
		"folder with the corpus's repositories as OWNER/NAME, bare or checked out")
	refusals = flag.Bool("refusals", false, "run the corpus here alone, without ngspice")
	deckName = flag.String("deck", "", "run the decks whose repository and path match, and print each text sent to ngspice that disagrees")
)

// deck is one netlist of the corpus, which is a file in another public repository.
type deck struct {
	Repository string `json:"repository"` // owner/name on GitHub
	Commit     string `json:"commit"`
	Path       string `json:"path"`
	// Expect is the expected result. It is "runs", "missing" for a missing model or file, "device"
	// for an unsupported element or model level, or "analysis" if all analyses are unsupported.
	Expect string `json:"expect"`
	// Compare holds the directives of *compare lines, separated by spaces.
	Compare string `json:"compare,omitempty"`
	// Cause explains a rejection, a missing reference, a disagreement with ngspice, or Compare.
	Cause string `json:"cause,omitempty"`
}

// reason returns the cause in parentheses after a space, or "" if there is none.
func (d *deck) reason() string {
	if d.Cause == "" {
		return ""
	}
	return " (" + d.Cause + ")"
}

// excerpt returns s, or its first 200 bytes and an ellipsis if s is longer.
func excerpt(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}

func (d *deck) name() string { return d.Repository + "/" + d.Path }

// verdict is the result of one deck.
type verdict struct {
	deck     *deck
	refusal  string // cause of the rejection, without names of the deck; "" if the deck ran
	detail   string // message of the rejection
	compared bool
	problem  string // disagreement with ngspice, or the reason for a missing reference
	// reference is the kind of a missing reference, one of missingReferences.
	reference string
	// undetermined lists the vectors in which two accurate references disagree. undrawn lists the
	// vectors that the points of the result, joined by straight lines, do not reproduce within half
	// the limit.
	undetermined, undrawn []string
	budgets               int // multiple of the default budget that the comparison required
}

// TestCorpus runs every deck of testdata/corpus.json in this simulator and in ngspice. It prints
// the rejections by cause and the agreement. The goals are that 80 % of the decks with the
// expectation "runs" run, and that 97 % of these with a reference agree with it.
func TestCorpus(t *testing.T) {
	if *corpusDir == "" {
		t.Skip("NOT RUN: -corpus names no folder; CORPUS=/path make corpus")
	}
	ng := ngspice.Program(t)
	text, err := os.ReadFile("../testdata/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	var decks []deck
	if err := json.Unmarshal(text, &decks); err != nil {
		t.Fatal(err)
	}
	verdicts := make([]*verdict, len(decks))
	absent := map[string]bool{}
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	r := &runner{ngspice: ng}
	wanted, err := regexp.Compile(*deckName)
	if err != nil {
		t.Fatal(err)
	}
	for i := range decks {
		d := &decks[i]
		if *deckName != "" && !wanted.MatchString(d.name()) {
			continue
		}
		source, err := d.read(*corpusDir)
		if err != nil {
			if !absent[d.Repository] {
				absent[d.Repository] = true
				fmt.Printf("absent: %s: git clone --bare https://github.com/%s %s/%s\n",
					d.Repository, d.Repository, *corpusDir, d.Repository)
			}
			continue
		}
		group.Add(1)
		slots <- struct{}{}
		go func() {
			defer group.Done()
			verdicts[i] = r.judge(d, source)
			if v := verdicts[i]; v.problem != "" {
				t.Logf("%s: %s", d.name(), v.problem)
			}
			<-slots
		}()
	}
	group.Wait()
	reportCorpus(t, verdicts)
}

// read returns the text of the deck as UTF-8. LTspice writes UTF-16 or Latin-1. dir contains the
// repositories.
func (d *deck) read(dir string) (string, error) {
	cmd := exec.Command("git", "cat-file", "blob", d.Commit+":"+d.Path)
	cmd.Dir = filepath.Join(dir, filepath.FromSlash(d.Repository))
	b, err := cmd.Output()
	if err != nil {
		return "", err
	}
	if len(b) > 1 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff) {
		var units []uint16
		for k := 2; k+1 < len(b); k += 2 {
			units = append(units, uint16(b[k+int(b[0]&1^1)])|uint16(b[k+int(b[0]&1)])<<8)
		}
		return string(utf16.Decode(units)), nil
	}
	if utf8.Valid(b) {
		return string(b), nil
	}
	var latin strings.Builder
	for _, c := range b {
		latin.WriteRune(rune(c))
	}
	return latin.String(), nil
}

// ngspiceTime is the limit of the processor time of ngspice.
const ngspiceTime = 60 * time.Second

// corpusTime is the limit of the processor time of this simulator. The other limits of a budget
// normally end a run earlier.
const corpusTime = 10 * time.Minute

// corpusReltol is the relative tolerance of the reference without refinement.
const corpusReltol = 1e-5

// runner evaluates decks with an ngspice executable.
type runner struct {
	ngspice string
	// alone is locked during a run of this simulator. The processor time of the process therefore
	// belongs to that run.
	alone sync.Mutex
}

// errCorpusTime reports a run that exceeds its time limit.
var errCorpusTime = errors.New("stopped at its processor time")

// simulate simulates a deck with the given multiple of the default budget. limit is a limit of
// processor time, so the result does not depend on the machine load.
func (r *runner) simulate(source string, budgets int, limit time.Duration) (*spice.Result, error) {
	r.alone.Lock()
	defer r.alone.Unlock()
	budget := analysis.DefaultBudget()
	budget.Newton, budget.Numbers = budgets*budget.Newton, budgets*budget.Numbers
	budget.Wall = 24 * time.Hour
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	began := cputime.Process().Seconds()
	go func() {
		for tick := time.Tick(10 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick:
				if cputime.Process().Seconds()-began >= limit.Seconds() {
					cancel(errCorpusTime)
				}
			}
		}
	}()
	got, err := spice.Simulate(ctx, spice.Request{Netlist: source, AddEnd: true,
		Budget: &budget, Options: map[string]any{"points_max": 200000.0}})
	if errors.Is(context.Cause(ctx), errCorpusTime) {
		return nil, fmt.Errorf("%w of %s", errCorpusTime, limit)
	}
	return got, err
}

// largerBudget is the multiple of the default budget for the second run of a transient. This run
// follows if the error exceeds the limit with the default budget.
const largerBudget = 10

// endedByBudget reports whether the budget left the error of a result above the limit or unknown.
// It decides by the warnings.
func endedByBudget(r *spice.Result) bool {
	return slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.Contains(w, "the budget ") || strings.HasPrefix(w, "stopped at ") ||
			strings.Contains(w, "budget of a refinement")
	})
}

func (r *runner) judge(d *deck, source string) *verdict {
	v := &verdict{deck: d}
	got, err := r.simulate(source, 1, corpusTime)
	if err != nil {
		if errors.Is(err, errCorpusTime) {
			v.refusal, v.detail = "processor_time", err.Error()
			return v
		}
		var e *spice.Error
		if !errors.As(err, &e) {
			v.refusal, v.detail = "other", err.Error()
			return v
		}
		v.refusal, v.detail = string(e.Code), e.Error()
		return v
	}
	if d.Expect != "runs" || *refusals {
		return v
	}
	how, err := readDirectives(strings.ReplaceAll("\n*compare "+d.Compare, " ", "\n*compare "))
	if err != nil {
		v.problem, v.reference = "no reference: "+err.Error(), missingReferences[3]
		return v
	}
	v.budgets = 1
	ng := r.ngspice
	off, where, reference, err := v.compare(ng, source, got, how)
	if off > limits["tran"] && got.Analysis == "tran" && endedByBudget(got) {
		if more, failed := r.simulate(source, largerBudget, corpusTime); failed == nil {
			v.budgets, v.undetermined = largerBudget, nil
			got = more
			off, where, reference, err = v.compare(ng, source, got, how)
		}
	}
	v.compared = reference != nil
	switch {
	case err != nil:
		v.problem, v.reference = err.Error(), kindOfMissing(err)
	case !(off <= limits[got.Analysis]):
		v.problem = fmt.Sprintf("%.3g %% off at %s", 100*off, where)
	}
	if v.problem != "" && *deckName != "" {
		text, _ := corpusText(source, got, 0, 1)
		fmt.Printf("==== %s: %s\n%s\n", d.name(), v.problem, text)
		for _, w := range got.Warnings {
			fmt.Println("warning:", w)
		}
		for _, g := range got.Vectors {
			for _, w := range reference {
				if n := len(w.Real); w.Name == g.Name && n > 0 {
					fmt.Printf("%-20s first %.5g, ngspice %.5g; last %.5g, ngspice %.5g\n", g.Name,
						g.Values[0], w.Real[0], g.Values[len(g.Values)-1], w.Real[n-1])
				}
			}
		}
	}
	return v
}

// compare returns the distance between the result got of a deck and the reference, the vector with
// the largest distance, and the reference. The reference is nil if there is none. source is the
// text of the deck.
func (v *verdict) compare(ng, source string, got *spice.Result,
	how directives) (off float64, where string, reference []ngspice.Vector, err error) {
	reference, err = corpusReference(ng, source, got, 1)
	if err != nil {
		return 0, "", nil, fmt.Errorf("no reference: %w", err)
	}
	got, v.undrawn = drawn(got)
	if len(got.Vectors) <= len(v.undrawn) {
		return 0, "", nil, fmt.Errorf("no reference: %w", errUndrawn)
	}
	off, where, err = corpusDistance(got, reference, how)
	if err == nil && !(off <= limits[got.Analysis]) && got.Analysis == "tran" {
		off, where, err = v.refine(ng, source, got, reference, how)
		if errors.Is(err, errUndetermined) {
			return 0, "", nil, fmt.Errorf("no reference: %w", err)
		}
	}
	return off, where, reference, err
}

// drawn returns the result without the vectors that its points, joined by straight lines, do not
// reproduce within half the limit. It also returns the names of the removed vectors.
func drawn(r *spice.Result) (*spice.Result, []string) {
	var undrawn []string
	for _, x := range r.Thinned {
		if x.Extremes || x.Bound > limits["tran"]/2 {
			undrawn = append(undrawn, x.Vector)
		}
	}
	kept := *r
	kept.Vectors = slices.DeleteFunc(slices.Clone(r.Vectors), func(v spice.Vector) bool {
		return slices.Contains(undrawn, v.Name)
	})
	return &kept, undrawn
}

// refinements are divisors of the largest step and the tolerance of the reference. They apply if a
// transient disagrees.
var refinements = [...]float64{4, 16, 64}

// errUndetermined reports that two accurate runs of ngspice disagree, so there is no reference.
var errUndetermined = errors.New(
	"the two finest runs of ngspice differ in most vectors by more than the limit")

// errUndrawn reports that the points of the result do not reproduce most vectors accurately.
var errUndrawn = errors.New("the points draw less than half of the vectors")

// missingReferences lists the kinds of missing references. A crash of ngspice is distinct from a
// time limit.
var missingReferences = [...]string{"ngspice did not finish in its processor time",
	"ngspice crashed", "ngspice does not determine the vectors, or our points do not draw them",
	"ngspice does not run the deck"}

// kindOfMissing returns the element of missingReferences for an error.
func kindOfMissing(err error) string {
	switch {
	case errors.Is(err, ngspice.ErrProcessorTime):
		return missingReferences[0]
	case errors.Is(err, ngspice.ErrCrash):
		return missingReferences[1]
	case errors.Is(err, errUndetermined), errors.Is(err, errUndrawn):
		return missingReferences[2]
	}
	return missingReferences[3]
}

// refine compares the transient got with more accurate references until it agrees or ngspice
// exceeds its time limit. It returns the distance and the vector with the largest distance. Without
// the directive period, an edge may shift by two steps of the reference, the time resolution of
// ngspice.
//
// A vector in which the two most accurate references disagree is omitted, because ngspice does not
// determine it within the limit. If no more accurate reference exists, these two are the first
// reference and a reference with twice the largest step.
func (v *verdict) refine(ng, source string, got *spice.Result, reference []ngspice.Vector,
	how directives) (off float64, where string, err error) {
	limit, least, before := limits["tran"], how.shift, reference
	for k, finer := range refinements {
		next, fineErr := corpusReference(ng, source, got, finer)
		if fineErr != nil {
			if *deckName != "" {
				fmt.Printf("reference finer by %g: %v\n", finer, fineErr)
			}
			if k == 0 {
				if coarse, err := corpusReference(ng, source, got, 0.5); err == nil {
					before = coarse
				}
			}
			break
		}
		how.shift = max(least,
			2*corpusStep(got, finer)/got.Vectors[0].Values[len(got.Vectors[0].Values)-1])
		if off, where, err = corpusDistance(got, next, how); err == nil && off <= limit {
			return off, where, nil
		}
		before, reference = reference, next
	}
	kept, undetermined := determined(before, reference, limit, how.shift)
	if len(undetermined) > len(kept)-1 {
		return 0, "", errUndetermined
	}
	v.undetermined = undetermined
	return corpusDistance(got, kept, how)
}

// determined returns the vectors of fine that agree with coarse within limit, and the names of the
// others. shift is the largest time shift as a fraction of the duration.
func determined(coarse, fine []ngspice.Vector,
	limit, shift float64) (kept []ngspice.Vector, others []string) {
	kept = append(kept, fine[0])
	begin := min(3, len(fine[0].Real)-1) // ngspice has no error control in the first two steps
	for _, w := range fine[1:] {
		for _, c := range coarse[1:] {
			if c.Name != w.Name || len(c.Real) < 2 {
				continue
			}
			least := leastV
			if strings.HasPrefix(w.Name, "i(") {
				least = leastI
			}
			if distanceTran(coarse[0].Real, c.Real, fine[0].Real[begin:], w.Real[begin:],
				peakToPeak(w.Real[begin:], least),
				shift) <= limit {
				kept = append(kept, w)
			} else {
				others = append(others, w.Name)
			}
		}
	}
	return kept, others
}

// corpusDistance returns the distance between a result and its reference at their common points,
// and the vector with the largest distance. ngspice loses the last point of some sweeps by
// rounding, and a run of this simulator may end at its budget.
func corpusDistance(got *spice.Result, want []ngspice.Vector,
	how directives) (float64, string, error) {
	if got.Analysis == "op" {
		return distance(got, want, how)
	}
	ours, theirs := got.Vectors[0].Values, want[0].Real
	if got.Analysis == "tran" {
		end := len(theirs)
		for end > 0 && theirs[end-1] > ours[len(ours)-1]*(1+1e-9) {
			end--
		}
		// ngspice has no error control in its first two steps.
		begin := min(3, end)
		cut := make([]ngspice.Vector, len(want))
		for i, w := range want {
			w.Real = w.Real[begin:end]
			cut[i] = w
		}
		return distance(got, cut, how)
	}
	// Compare the points that ngspice also has.
	var kept []int
	for i, x := range ours {
		if k := len(kept); k < len(theirs) && math.Abs(x-theirs[k]) <= 1e-6*math.Abs(x)+1e-12 {
			kept = append(kept, i)
		}
	}
	if missing := len(ours) - len(kept); len(kept) < len(theirs) || missing > len(ours)/2 {
		return distance(got, want, how)
	}
	same := *got
	same.Vectors = make([]spice.Vector, len(got.Vectors))
	for i, v := range got.Vectors {
		same.Vectors[i] = spice.Vector{Name: v.Name, Unit: v.Unit}
		for _, k := range kept {
			same.Vectors[i].Values = append(same.Vectors[i].Values, v.Values[k])
		}
	}
	return distance(&same, want, how)
}

// corpusCards matches the cards that the reference omits: analyses, output cards and cards that
// open files. The analysis to compare is added again as this simulator parsed it.
var corpusCards = regexp.MustCompile(`(?i)^\s*\.(op|dc|ac|tran|noise|tf|sens|pz|disto|meas|measure|four|fourier|fft|save|print|plot|probe|wave|graph|width|backanno|include|inc|incl|lib|step|end|net|title)\b`)

// constantSource matches independent sources with a constant value. The option startup turns them
// into ramps.
var constantSource = regexp.MustCompile(
	`(?i)^(\s*[vi]\S*\s+\S+\s+\S+)\s+(?:dc\s+)?([-+.\d]\S*)\s*$`)

// multiple matches a subcircuit instance with m=, the number of parallel copies.
var multiple = regexp.MustCompile(`(?i)^(\s*X\S+)(\s.*?)\sm\s*=\s*([1-9]\d?)(?:\s+(.*))?$`)

// ownMultiple matches a subcircuit that declares a parameter m.
var ownMultiple = regexp.MustCompile(`(?im)^\s*\.subckt\b.*\sm\s*=`)

// copies replaces an instance with m= by that many instances. ngspice ignores the factor for nested
// instances and for sources inside them. The first instance keeps its name.
func copies(line string) (out []string) {
	m := multiple.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
	if m == nil {
		return []string{line}
	}
	n, _ := strconv.Atoi(m[3])
	for k := range n {
		name := m[1]
		if k > 0 {
			name += fmt.Sprintf("_copy%d", k)
		}
		out = append(out, name+m[2]+" "+m[4])
	}
	return out
}

// edges matches waveforms whose default times are the time step of .tran.
var edges = regexp.MustCompile(`(?i)\b(pulse|exp)\b`)

// corpusText returns the deck for ngspice, with the analysis as this simulator parsed it. step is
// the largest time step [s], or 0 for that of the deck. finer is the divisor of the step and the
// tolerance.
func corpusText(source string, got *spice.Result, step, finer float64) (string, error) {
	ckt, err := netlist.Parse(source, netlist.Config{MaxElements: 150, Library: library.Text,
		AddEnd: true})
	if err != nil {
		return "", err
	}
	var card *netlist.Analysis
	for i := range ckt.Analyses {
		if a := &ckt.Analyses[i]; a.Kind == got.Analysis && card == nil {
			card = a
		}
	}
	if card == nil {
		return "", fmt.Errorf("no .%s card", got.Analysis)
	}
	out := []string{"deck of the corpus"}
	stepped := map[string]bool{}
	for _, step := range ckt.Steps {
		stepped[step.Name] = true
		if step.Name == "temp" {
			out = append(out, fmt.Sprintf(".temp %g", step.Values[0]))
		} else {
			out = append(out, fmt.Sprintf(".param %s=%g", step.Name, step.Values[0]))
		}
	}
	skipping := false
	for i, l := range ckt.Lines {
		if m := regexp.MustCompile(`(?i)^\s*\.param\s+(\w+)\s*=`).FindStringSubmatch(l); m != nil &&
			stepped[strings.ToLower(m[1])] {
			continue
		}
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "+") && skipping {
			continue
		}
		if !strings.HasPrefix(trimmed, "*") {
			skipping = false
		}
		if corpusCards.MatchString(l) && !strings.HasPrefix(strings.ToLower(trimmed), ".ends") {
			skipping = true
			continue
		}
		if i+1 == ckt.TitleLine {
			continue
		}
		if !ownMultiple.MatchString(source) {
			out = append(out, copies(l)...)
		} else {
			out = append(out, l)
		}
	}
	if card.Startup > 0 {
		ramp := fmt.Sprintf("$1 PWL(0 0 %g $2)", card.Startup)
		for i, l := range out {
			out[i] = constantSource.ReplaceAllString(l, ramp)
		}
	}
	switch card.Kind {
	case "tran":
		if !edges.MatchString(source) {
			// The first step h of ngspice is proportional to card.Step. Unless card.Step is a rise
			// time, a very small value only adds a rounding error, the current C·1e-16 V/h of a
			// capacitance C. A finer run begins with another value, so that its rounding error also
			// differs.
			card.Step = max(card.Step, 1e-5*card.Stop) * (1 + (finer-1)/(finer*finer))
		}
		c := fmt.Sprintf(".tran %g %g %g", card.Step, card.Stop, card.Start)
		if card.MaxStep > 0 && (step == 0 || card.MaxStep < step) {
			step = card.MaxStep
		}
		if step > 0 {
			c += fmt.Sprintf(" %g", step)
		}
		if card.UIC {
			c += " uic"
		}
		out = append(out, c)
	case "ac":
		out = append(out, fmt.Sprintf(".ac %s %g %.15g %.15g", card.Variation, card.Points,
			card.From, card.To))
	case "dc":
		c := ".dc"
		for _, s := range card.Sweeps {
			c += fmt.Sprintf(" %s %.15g %.15g %.15g", s.Source, s.Start, s.Stop, s.Step)
		}
		out = append(out, c)
	default:
		out = append(out, ".op")
	}
	all := strings.Join(out, "\n")
	for _, p := range library.Parts() {
		if regexp.MustCompile(`(?im)\b`+regexp.QuoteMeta(p.Name)+`\b`).MatchString(all) &&
			!regexp.MustCompile(`(?im)^\s*\.(model|subckt)\s+`+regexp.QuoteMeta(
				p.Name)+`\b`).MatchString(all) {
			t, _ := library.Text(p.Name)
			all += "\n" + strings.TrimRight(t, "\n")
		}
	}
	return all + "\n", nil
}

// corpusReference returns the vectors of the reference for the result got of a deck. It runs
// ngspice with increasing tolerances until it returns a result. If all runs fail, it repeats them
// with the LTspice and PSpice compatibility of ngspice. finer divides the tolerance and the largest
// step.
func corpusReference(ng, source string, got *spice.Result,
	finer float64) ([]ngspice.Vector, error) {
	step := 0.0
	if got.Analysis == "tran" {
		step = corpusStep(got, finer)
	}
	text, err := corpusText(source, got, step, finer)
	if err != nil {
		return nil, err
	}
	extra := ""
	for _, w := range got.Warnings {
		if strings.Contains(w, "has no DC path to ground") {
			// The option connects 1e-12 S from every node to ground, the conductance that this
			// simulator adds at floating nodes.
			extra = " rshunt=1e12"
		}
	}
	stopped := false
	for _, init := range []string{noTransientPoint, noTransientPoint + "set ngbehavior=ltps\n"} {
		for _, i := range []int{0, 2, 4} {
			options := setting(i, corpusReltol/finer) + extra
			raw, runErr := keptOr(init+options+text, "raw", func() ([]byte, error) {
				return ngspice.SimulateWith(ngspiceTime, ng, init,
					text+".options "+options+"\n.end\n")
			})
			if runErr == nil {
				var vectors []ngspice.Vector
				if vectors, runErr = ngspice.Read(raw); runErr == nil {
					return vectors, nil
				}
			}
			if err == nil || errors.Is(runErr, ngspice.ErrCrash) &&
				!errors.Is(err, ngspice.ErrProcessorTime) {
				err = runErr
			}
			// A finer run that exceeds its time limit is repeated once with larger tolerances.
			if errors.Is(runErr, ngspice.ErrProcessorTime) {
				if stopped = stopped || finer == 1; stopped {
					return nil, runErr
				}
				stopped = true
			}
		}
	}
	return nil, err
}

// noTransientPoint disables the last convergence aid of ngspice, a transient of 10 us. Its result
// has uncharged coupling capacitors.
const noTransientPoint = "optran 1 1 1 0 0 0\n"

// corpusStep returns the largest step [s] of the reference of a transient. With finer = 1 the
// reference has at least 1000 steps and half as many as the result, but at most 200,000. With
// longer steps ngspice may skip whole periods of a source.
func corpusStep(got *spice.Result, finer float64) float64 {
	t := got.Vectors[0].Values
	return t[len(t)-1] / min(finer*max(1000, float64(len(t))/2), max(200000, 12500*finer))
}

func reportCorpus(t *testing.T, verdicts []*verdict) {
	type count struct{ all, ran int }
	classes, causes := map[string]*count{}, map[string][]*verdict{}
	repositories := map[string]bool{}
	compared, agreed, enlarged := 0, 0, 0
	var disagreed, unreferenced, partial []*verdict
	for _, v := range verdicts {
		if v == nil {
			continue
		}
		repositories[v.deck.Repository] = true
		c := classes[v.deck.Expect]
		if c == nil {
			c = &count{}
			classes[v.deck.Expect] = c
		}
		c.all++
		if v.refusal != "" {
			if v.deck.Expect == "runs" {
				causes[v.refusal] = append(causes[v.refusal], v)
			}
			continue
		}
		c.ran++
		switch {
		case v.deck.Expect != "runs":
		case !v.compared:
			unreferenced = append(unreferenced, v)
		case v.problem != "":
			compared++
			disagreed = append(disagreed, v)
		default:
			compared++
			agreed++
			if v.budgets > 1 {
				enlarged++
			}
			if v.undetermined != nil || v.undrawn != nil || v.budgets > 1 {
				partial = append(partial, v)
			}
		}
	}
	fmt.Printf("\n%d repositories\n%-10s %6s %6s\n", len(repositories), "expected", "decks", "ran")
	for _, name := range []string{"runs", "missing", "device", "analysis"} {
		if c := classes[name]; c != nil {
			fmt.Printf("%-10s %6d %6d\n", name, c.all, c.ran)
		}
	}
	var order []string
	for cause := range causes {
		order = append(order, cause)
	}
	sort.Slice(order, func(i, j int) bool { return len(causes[order[i]]) > len(causes[order[j]]) })
	fmt.Println("\nrefused, of those expected to run, by cause:")
	for _, cause := range order {
		fmt.Printf("%5d  %s\n", len(causes[cause]), cause)
		for _, v := range causes[cause] {
			fmt.Printf("       %s: %s%s\n", v.deck.name(), excerpt(v.detail), v.deck.reason())
		}
	}
	fmt.Printf("\nno reference: %d\n", len(unreferenced))
	for _, kind := range missingReferences {
		of := slices.DeleteFunc(slices.Clone(unreferenced),
			func(v *verdict) bool { return v.reference != kind })
		fmt.Printf("%5d  %s\n", len(of), kind)
		for _, v := range of {
			fmt.Printf("       %s: %s%s\n", v.deck.name(), excerpt(v.problem), v.deck.reason())
		}
	}
	fmt.Printf("\ndisagreed: %d\n", len(disagreed))
	for _, v := range disagreed {
		fmt.Printf("       %s: %s%s\n", v.deck.name(), excerpt(v.problem), v.deck.reason())
	}
	fmt.Printf("\nagreed with a larger budget or in a part of the vectors: %d\n", len(partial))
	for _, v := range partial {
		fmt.Printf("       %s: budget times %d; ngspice does not determine: %s; not drawn: %s\n",
			v.deck.name(), v.budgets, excerpt(strings.Join(v.undetermined, " ")),
			excerpt(strings.Join(v.undrawn, " ")))
	}
	c := classes["runs"]
	if c == nil {
		return
	}
	fmt.Printf("\n%d of %d ran (%.1f %%); %d of %d agree with ngspice (%.1f %%), "+
		"%d of them with %d times the budget\n", c.ran, c.all,
		100*float64(c.ran)/float64(c.all), agreed, compared,
		100*float64(agreed)/float64(max(1, compared)), enlarged, largerBudget)
	if *deckName == "" && !*refusals && (10*c.ran < 8*c.all || 100*agreed < 97*compared) {
		t.Error("below the goals of 80 % and 97 %")
	}
}
