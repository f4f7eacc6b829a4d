package spice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/diag"
	"slipstick/spice/netlist"
)

// MaxRuns is the largest number of runs of .step cards.
const MaxRuns = 1000

// Step is the value of one .step card in a run.
type Step struct {
	Name  string // as in netlist.Step
	Value float64
}

// analyseSteps runs the cards at the first values of all .step cards, then at all others. The
// first .step card varies fastest, as the first source of .dc. The runs share one budget. A run
// that fails has a warning instead of vectors.
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
	progressOf := func(run int) func(string, float64) {
		if req.Progress == nil {
			return nil
		}
		return func(phase string, fraction float64) {
			req.Progress(phase, (float64(run)+fraction)/float64(runs))
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
	cfg.Steps = make([]int, len(steps))
	for k := range res.Others {
		res.Others[k].setStep(steps, cfg.Steps)
	}
	res.setStep(steps, cfg.Steps)
	for run := 1; run < runs; run++ {
		for k := range cfg.Steps {
			if cfg.Steps[k]++; cfg.Steps[k] < len(steps[k].Values) {
				break
			}
			cfg.Steps[k] = 0
		}
		if limit := job.Budget.Exhausted(used); limit != "" {
			res.Warnings = append(res.Warnings, fmt.Sprintf(
				"the %s of all runs was reached; %d of %d runs of .step were made",
				limit, run, runs))
			return nil
		}
		cfg.Run = run
		one, err := res.runStep(ctx, job, &used, req, cfg, progressOf(run))
		var fault *Error
		if errors.As(err, &fault) && fault.Code == diag.Canceled {
			return err
		}
		if err != nil {
			none := AnalysisResult{Analysis: cards[0].Kind, Card: job.Circuit.Card(cards[0]),
				Warnings: []string{"no result: " + err.Error()}}
			none.setStep(steps, cfg.Steps)
			res.Others = append(res.Others, none)
			continue
		}
		for _, r := range append([]AnalysisResult{one.AnalysisResult}, one.Others...) {
			r.setStep(steps, cfg.Steps)
			r.Warnings = slices.DeleteFunc(r.Warnings, func(w string) bool {
				return slices.Contains(res.Warnings, w)
			})
			res.Others = append(res.Others, r)
		}
	}
	return nil
}

// runStep reads the netlist again at the values of cfg and runs its cards.
func (res *Result) runStep(ctx context.Context, base *analysis.Job, used *analysis.Usage,
	req Request,
	cfg netlist.Config, progress func(string, float64)) (*Result, error) {
	began := time.Now()
	ckt, err := check(req.Netlist, cfg)
	used.Wall += time.Since(began) // a large netlist takes long to read
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
	job := *base
	job.Circuit, job.Options, job.Used, job.Window = ckt, opt, *used, nil
	err = one.analyse(ctx, &job, cards, progress)
	*used = job.Used
	return one, err
}

// setStep notes the values of a run, also behind the card as a comment.
func (r *AnalysisResult) setStep(steps []netlist.Step, at []int) {
	var text []string
	r.Step = nil
	for k, s := range steps {
		r.Step = append(r.Step, Step{s.Name, s.Values[at[k]]})
		text = append(text, fmt.Sprintf("%s = %.6g", s.Name, s.Values[at[k]]))
	}
	r.Card += " ; " + strings.Join(text, ", ")
}
