package spice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// MaxRuns is the largest number of runs of all .step cards together.
const MaxRuns = 1000

// Step is the value of one .step card in a run.
type Step struct {
	Name  string // parameter, model parameter or source as written, or "temp"
	Value float64
}

// maxConcurrentRuns is the largest number of concurrent .step runs, each of which requires its own
// memory.
const maxConcurrentRuns = 4

// stepSeries is the state of analyseSteps.
type stepSeries struct {
	res     *Result
	job     *analysis.Job // job of the first run
	cards   []netlist.Analysis
	req     Request
	cfg     netlist.Config
	runs    int
	index   []int        // indices of the values of the last started run, one for each .step card
	started int          // number of started runs
	ahead   []*stepRun   // started runs after the last completed one, in order
	awaited atomic.Int64 // index of the run whose progress is reported
	used    analysis.Usage
}

// analyseSteps runs the cards with the first values of all .step cards and then with all other
// combinations of values. The first .step card varies fastest, like the first source of .dc. The
// runs share one budget. A failed run has a warning instead of vectors.
//
// If req.Cores is above 1, later runs start speculatively with the budget that remains at that
// time. The results are used in order. A run whose result may depend on the exact remaining budget
// is repeated with that budget. Unless time runs out, the results are the same for any number of
// cores.
func (res *Result) analyseSteps(ctx context.Context, job *analysis.Job, cards []netlist.Analysis,
	req Request, cfg netlist.Config) error {
	steps := job.Circuit.Steps
	s := &stepSeries{res: res, job: job, cards: cards, req: req, cfg: cfg,
		runs: res.countRuns(steps), index: make([]int, len(steps)), started: 1}
	began := time.Now()
	first := *job
	if err := res.analyse(ctx, &first, cards, s.progress(0)); err != nil {
		return err
	}
	if len(steps) == 0 {
		return nil
	}
	s.used = first.Used
	for k := range res.Others {
		res.Others[k].setStep(steps, s.index)
	}
	res.setStep(steps, s.index)

	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		for _, r := range s.ahead {
			<-r.done
		}
	}()
	concurrent := min(max(req.Cores, 1), maxConcurrentRuns)
	job.Cores = req.Cores / min(concurrent, max(s.runs-1, 1))
	for run := 1; run < s.runs; run++ {
		s.used.Wall = time.Since(began)
		if limit := job.Budget.Exhausted(s.used); limit != "" {
			res.Warnings = append(res.Warnings, fmt.Sprintf(
				"the %s of all runs was reached; %d of %d runs of .step were made",
				limit, run, s.runs))
			return nil
		}
		for s.started < s.runs && s.started < run+concurrent {
			s.startNext(ctx)
		}
		if err := s.add(s.await(ctx, run)); err != nil {
			return err
		}
	}
	return nil
}

// countRuns returns the number of runs of the .step cards, with a warning if it is limited.
func (res *Result) countRuns(steps []netlist.Step) int {
	runs := 1
	for _, s := range steps {
		if runs *= len(s.Values); runs > MaxRuns {
			res.Warnings = append(res.Warnings, fmt.Sprintf(
				"the .step cards ask for more than %d runs; the first %d are made", MaxRuns,
				MaxRuns))
			return MaxRuns
		}
	}
	return runs
}

// progress returns the function that reports the progress of a run, or nil.
func (s *stepSeries) progress(run int) func(phase string, fraction float64) {
	if s.req.Progress == nil {
		return nil
	}
	return func(phase string, fraction float64) {
		if s.awaited.Load() == int64(run) {
			s.req.Progress(phase, (float64(run)+fraction)/float64(s.runs))
		}
	}
}

// startNext starts the next run.
func (s *stepSeries) startNext(ctx context.Context) {
	next(s.index, s.job.Circuit.Steps)
	s.cfg.Run, s.cfg.Steps = s.started, slices.Clone(s.index)
	r := &stepRun{cfg: s.cfg, before: s.used, done: make(chan struct{})}
	r.start(ctx, s.job, s.req, s.progress(s.started))
	s.ahead = append(s.ahead, r)
	s.started++
}

// await returns a run, which is the first one ahead, after its end. It repeats the run if its
// result may depend on the remaining budget.
func (s *stepSeries) await(ctx context.Context, run int) *stepRun {
	s.awaited.Store(int64(run))
	r := s.ahead[0]
	<-r.done
	s.ahead = s.ahead[1:]
	if r.dependsOn(s.job.Budget, s.used) {
		r.before, r.done = s.used, make(chan struct{})
		r.start(ctx, s.job, s.req, s.progress(run))
		<-r.done
	}
	return r
}

// add adds the usage and the results of a run. It returns the error of a canceled run and an
// internal error.
func (s *stepSeries) add(r *stepRun) error {
	s.used.Newton += r.used.Newton
	s.used.Numbers += r.used.Numbers
	var fault *Error
	if errors.As(r.err, &fault) && (fault.Code == diag.Canceled || fault.Code == diag.Internal) {
		return r.err
	}
	for _, one := range s.results(r) {
		one.setStep(s.job.Circuit.Steps, r.cfg.Steps)
		one.Warnings = slices.DeleteFunc(one.Warnings, func(w string) bool {
			return slices.Contains(s.res.Warnings, w)
		})
		s.res.Others = append(s.res.Others, one)
	}
	return nil
}

// results returns the results of all analyses of the run. A run that failed has one result without
// values, whose warning is the error.
func (s *stepSeries) results(r *stepRun) []AnalysisResult {
	if r.err == nil {
		return append([]AnalysisResult{r.result.AnalysisResult}, r.result.Others...)
	}
	first := s.cards[0]
	return []AnalysisResult{{Analysis: first.Kind, Card: s.job.Circuit.Card(first),
		Warnings: []string{"no result: " + r.err.Error()}}}
}

// next advances at, the value indices of the .step cards, to the next run. The index of the first
// card varies fastest.
func next(at []int, steps []netlist.Step) {
	for k := range at {
		if at[k]++; at[k] < len(steps[k].Values) {
			break
		}
		at[k] = 0
	}
}

// stepRun is one run of the cards with fixed values of the .step cards.
type stepRun struct {
	cfg    netlist.Config
	before analysis.Usage // usage of the earlier runs, as far as it was known when this run started
	done   chan struct{}  // closed when the fields below are set
	result *Result
	used   analysis.Usage // usage of this run alone
	needed analysis.Usage // smallest remaining budget that yields the same result
	err    error
}

// start runs the cards in a goroutine, which closes r.done at the end. base is the job of the first
// run, and progress receives the phase and the completed fraction.
func (r *stepRun) start(ctx context.Context, base *analysis.Job, req Request,
	progress func(string, float64)) {
	go func() {
		defer close(r.done)
		defer func() {
			if p := recover(); p != nil {
				r.err = internalError(p)
			}
		}()
		job := *base
		job.Used = r.before
		r.result, r.err = runStep(ctx, &job, req, r.cfg, progress)
		r.used = analysis.Usage{Newton: job.Used.Newton - r.before.Newton,
			Numbers: job.Used.Numbers - r.before.Numbers}
		r.needed = analysis.Usage{Newton: job.Needed.Newton - r.before.Newton,
			Numbers: job.Needed.Numbers - r.before.Numbers}
	}()
}

// dependsOn reports whether the run must be repeated because used, the usage of the earlier runs,
// differs from r.before. b is the budget of all runs. A failed run is always repeated if the usage
// differs, because its message may state the remaining budget.
func (r *stepRun) dependsOn(b analysis.Budget, used analysis.Usage) bool {
	if r.before.Newton == used.Newton && r.before.Numbers == used.Numbers {
		return false
	}
	left := analysis.Usage{Newton: used.Newton + r.needed.Newton,
		Numbers: used.Numbers + r.needed.Numbers}
	return r.err != nil || b.Exhausted(left) != ""
}

// runStep parses the netlist of the request again with the .step values that cfg selects, and runs
// its cards. It adds the usage to job.Used.
func runStep(ctx context.Context, job *analysis.Job, req Request, cfg netlist.Config,
	progress func(string, float64)) (*Result, error) {
	began := time.Now()
	ckt, err := check(req.Netlist, cfg)
	job.Used.Wall += time.Since(began) // parsing a large netlist takes long
	if err != nil {
		return nil, err
	}
	one := &Result{}
	one.Warnings = ckt.Warnings
	cards, err := chooseCards(ckt, req.Analysis, one)
	if err != nil {
		return nil, err
	}
	opt, err := options(ckt, req, one)
	if err != nil {
		return nil, err
	}
	job.Circuit, job.Options, job.Window = ckt, opt, nil
	job.Vary = withParameter(req.Netlist, cfg)
	return one, one.analyse(ctx, job, cards, progress)
}

// setStep records the values of a run. at holds the index of the value of each .step card. The
// values are also appended to the card as a comment.
func (r *AnalysisResult) setStep(steps []netlist.Step, at []int) {
	var text []string
	r.Step = nil
	for k, s := range steps {
		r.Step = append(r.Step, Step{s.Label, s.Values[at[k]]})
		text = append(text, fmt.Sprintf("%s = %.6g", s.Label, s.Values[at[k]]))
	}
	r.Card += " ; " + strings.Join(text, ", ")
}
