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
	Name  string // parameter, model parameter, source or "temp", as in netlist.Step
	Value float64
}

// mostAtOnce is the largest number of concurrent .step runs, each of which requires its own memory.
const mostAtOnce = 4

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
	runs := 1
	for _, s := range steps {
		runs = min(runs*len(s.Values), 1<<20)
	}
	if runs > MaxRuns {
		res.Warnings = append(res.Warnings, fmt.Sprintf(
			"the .step cards ask for more than %d runs; the first %d are made", MaxRuns, MaxRuns))
		runs = MaxRuns
	}
	began := time.Now()
	var awaited atomic.Int64 // index of the run whose progress is reported
	progressOf := func(run int) func(string, float64) {
		if req.Progress == nil {
			return nil
		}
		return func(phase string, fraction float64) {
			if awaited.Load() == int64(run) {
				req.Progress(phase, (float64(run)+fraction)/float64(runs))
			}
		}
	}
	first := *job
	if err := res.analyse(ctx, &first, cards, progressOf(0)); err != nil {
		return err
	}
	used := first.Used
	if len(steps) == 0 {
		return nil
	}
	at := make([]int, len(steps))
	for k := range res.Others {
		res.Others[k].setStep(steps, at)
	}
	res.setStep(steps, at)

	ctx, cancel := context.WithCancel(ctx)
	var ahead []*stepRun // speculative runs in order
	defer func() {
		cancel()
		for _, r := range ahead {
			<-r.done
		}
	}()
	atOnce := min(max(req.Cores, 1), mostAtOnce)
	job.Cores = req.Cores / min(atOnce, max(runs-1, 1))
	started := 1
	for run := 1; run < runs; run++ {
		used.Wall = time.Since(began)
		if limit := job.Budget.Exhausted(used); limit != "" {
			res.Warnings = append(res.Warnings, fmt.Sprintf(
				"the %s of all runs was reached; %d of %d runs of .step were made",
				limit, run, runs))
			return nil
		}
		for started < runs && started < run+atOnce {
			next(at, steps)
			cfg.Run, cfg.Steps = started, slices.Clone(at)
			r := &stepRun{cfg: cfg, before: used, done: make(chan struct{})}
			r.start(ctx, job, req, progressOf(started))
			ahead = append(ahead, r)
			started++
		}
		awaited.Store(int64(run))
		r := ahead[0]
		<-r.done
		ahead = ahead[1:]
		if r.dependsOn(job.Budget, used) {
			r.before, r.done = used, make(chan struct{})
			r.start(ctx, job, req, progressOf(run))
			<-r.done
		}
		used.Newton += r.used.Newton
		used.Numbers += r.used.Numbers
		var fault *Error
		if errors.As(r.err, &fault) &&
			(fault.Code == diag.Canceled || fault.Code == diag.Internal) {
			return r.err
		}
		if r.err != nil {
			none := AnalysisResult{Analysis: cards[0].Kind, Card: job.Circuit.Card(cards[0]),
				Warnings: []string{"no result: " + r.err.Error()}}
			none.setStep(steps, r.cfg.Steps)
			res.Others = append(res.Others, none)
			continue
		}
		for _, one := range append([]AnalysisResult{r.result.AnalysisResult},
			r.result.Others...) {
			one.setStep(steps, r.cfg.Steps)
			one.Warnings = slices.DeleteFunc(one.Warnings, func(w string) bool {
				return slices.Contains(res.Warnings, w)
			})
			res.Others = append(res.Others, one)
		}
	}
	return nil
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
	cards, err := choose(ckt, req.Analysis, one)
	if err != nil {
		return nil, err
	}
	opt, err := options(ckt, req, one)
	if err != nil {
		return nil, err
	}
	job.Circuit, job.Options, job.Window = ckt, opt, nil
	job.Vary = vary(req.Netlist, cfg)
	return one, one.analyse(ctx, job, cards, progress)
}

// setStep records the values of a run. at holds the index of the value of each .step card. The
// values are also appended to the card as a comment.
func (r *AnalysisResult) setStep(steps []netlist.Step, at []int) {
	var text []string
	r.Step = nil
	for k, s := range steps {
		r.Step = append(r.Step, Step{s.Name, s.Values[at[k]]})
		text = append(text, fmt.Sprintf("%s = %.6g", s.Name, s.Values[at[k]]))
	}
	r.Card += " ; " + strings.Join(text, ", ")
}
