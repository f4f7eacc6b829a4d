package compare

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
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
