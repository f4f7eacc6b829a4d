package spice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"slipstick/spice/analysis"
	"slipstick/spice/diag"
	"slipstick/spice/measure"
	"slipstick/spice/netlist"
)

// MaxAnalyses is the largest number of analysis cards that are run.
const MaxAnalyses = 20

// chooseCards returns the analysis cards to run. If kind is set, it returns only the first card of
// that kind, or an error if there is none. Otherwise it returns the first card other than .op,
// followed by the others in netlist order, at most MaxAnalyses in total. It adds warnings about
// repeated and surplus cards to res.
func chooseCards(ckt *netlist.Circuit, kind string, res *Result) ([]netlist.Analysis, error) {
	kind = strings.ToLower(strings.TrimSpace(kind))
	if names := analysis.Names(); kind != "" && !slices.Contains(names, kind) {
		last := len(names) - 1
		return nil, diag.In(diag.BadRequest, "analysis", "analysis must be %s or %s, not %q",
			strings.Join(names[:last], ", "), names[last], kind)
	}
	at := slices.IndexFunc(ckt.Analyses, func(a netlist.Analysis) bool {
		return kind == "" && a.Kind != "op" || kind != "" && a.Kind == kind
	})
	if at < 0 && kind != "" {
		return nil, diag.In(diag.AnalysisMissing, "analysis",
			"the netlist has no .%s card; add one or ask for .%s", kind, ckt.Analyses[0].Kind)
	}
	at = max(at, 0)
	cards := []netlist.Analysis{ckt.Analyses[at]}
	var again, left []netlist.Analysis // repeated cards, and other cards that are not run
	for i, a := range ckt.Analyses {
		switch {
		case i == at:
		case kind != "" && a.Kind != kind:
		case slices.ContainsFunc(cards, func(b netlist.Analysis) bool { return equalCards(a, b) }):
			again = append(again, a)
		case kind != "" || len(cards) == MaxAnalyses:
			left = append(left, a)
		default:
			cards = append(cards, a)
		}
	}
	if len(again) > 0 {
		res.Warnings = append(res.Warnings,
			"run once, because an earlier card is equal: "+cardList(again))
	}
	switch {
	case len(left) > 0 && kind != "":
		res.Warnings = append(res.Warnings,
			fmt.Sprintf("analysis %s takes the first card of the kind "+
				"(line %d); not run: %s", kind, cards[0].Line, cardList(left)))
	case len(left) > 0:
		res.Warnings = append(res.Warnings,
			fmt.Sprintf("at most %d analyses are run; not run: %s", MaxAnalyses, cardList(left)))
	}
	return cards, nil
}

// equalCards reports whether two cards are equal apart from their line numbers.
func equalCards(a, b netlist.Analysis) bool {
	a.Line = b.Line
	return reflect.DeepEqual(a, b)
}

// cardList returns the kinds and line numbers of the first ten cards as text for a message.
func cardList(cards []netlist.Analysis) string {
	var names []string
	for _, a := range cards[:min(len(cards), 10)] {
		names = append(names, fmt.Sprintf(".%s (line %d)", a.Kind, a.Line))
	}
	if n := len(cards) - 10; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// analyse runs the cards in order, stores their results in res and adds their usage to job.Used. It
// reports the phase and the completed fraction (0 to 1) to progress, which may be nil. It returns
// an error if the first card fails or the simulation is cancelled. Any other card that fails has a
// warning instead of vectors.
func (res *Result) analyse(ctx context.Context, job *analysis.Job, cards []netlist.Analysis,
	progress func(string, float64)) error {
	var kinds []string
	for i, card := range cards {
		if limit := job.Budget.Exhausted(job.Used); i > 0 && limit != "" {
			res.Warnings = append(res.Warnings, fmt.Sprintf(
				"the %s of all analyses was reached; not run: %s", limit, cardList(cards[i:])))
			break
		}
		job.Analysis = card
		if i > 0 {
			job.Window = nil
		}
		if progress != nil {
			job.Progress = func(phase string, fraction float64) {
				progress(phase, (float64(i)+fraction)/float64(len(cards)))
			}
		}
		one, err := analyseOne(ctx, job)
		var fault *Error
		switch {
		case i == 0 && err != nil, errors.As(err, &fault) && fault.Code == diag.Canceled:
			return err
		case i == 0:
			one.Warnings = append(res.Warnings, one.Warnings...)
			res.AnalysisResult = *one
		default:
			if err != nil {
				one.Warnings = append(one.Warnings, "no result: "+err.Error())
			}
			one.Warnings = slices.DeleteFunc(one.Warnings, func(w string) bool {
				return slices.Contains(res.Warnings, w)
			})
			res.Others = append(res.Others, *one)
		}
		kinds = append(kinds, card.Kind)
	}
	res.Warnings = append(res.Warnings, measure.Unused(job.Circuit, kinds)...)
	return nil
}

// analyseOne runs the card of a job and adds its usage to job.Used. If it fails, the result
// contains only the kind and the text of the card.
func analyseOne(ctx context.Context, job *analysis.Job) (*AnalysisResult, error) {
	card := job.Analysis
	none := &AnalysisResult{Analysis: card.Kind, Card: job.Circuit.Card(card)}
	one := *none
	requestTraces(job)
	began := time.Now()
	before := job.Used
	out, err := analysis.Run(ctx, *job)
	if out == nil {
		out = &analysis.Output{}
	}
	job.Used.Add(out, time.Since(began))
	job.Needed = job.Needed.Extended(before, out.Needed)
	if err != nil {
		return none, err
	}
	one.Vectors, one.OperatingPoint, one.Statistics = out.Vectors, out.Points, out.Statistics
	one.Decimated, one.Detail, one.Warnings = out.Decimated, out.Detail, out.Warnings
	one.addMeasures(job.Circuit, card.Kind, out)
	for _, v := range one.Vectors {
		for _, x := range v.Values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return none, &Error{Code: diag.NoConvergence, Field: "netlist", Line: card.Line,
					Detail: v.Name + " is not finite"}
			}
		}
	}
	return &one, nil
}
