package drc

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"

	"slipstick/autorouter/board"
)

// MaxPerRule is how many violations of one rule a report lists; Omitted counts the rest.
const MaxPerRule = 100

// maxKept bounds the memory for a hopeless board; beyond it violations of a rule are only counted.
const maxKept = 20000

// Severity says whether a board with the violation passes.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Violation is a rule broken at a place. ActualMM and RequiredMM are rounded to the nanometre; both are
// zero where the rule has no measure.
type Violation struct {
	Rule       string   `json:"rule"`
	Severity   Severity `json:"severity"`
	Message    string   `json:"message"`
	X          float64  `json:"x_mm"`
	Y          float64  `json:"y_mm"`
	Layer      string   `json:"layer"` // top, bottom or both
	Items      []string `json:"items"` // U1.3 for a pad, U1 for a part, "net GND" for other copper
	ActualMM   float64  `json:"actual_mm"`
	RequiredMM float64  `json:"required_mm"`
}

// Join is a connection that is missing: the nearest pads of two copper islands of a net, by
// their centres.
type Join struct {
	Net      int
	From, To string // REF.PAD
	Distance float64
	At       board.Point // of From
}

// Report is the outcome of a check.
type Report struct {
	Passed       bool           `json:"passed"` // no error
	ErrorCount   int            `json:"error_count"`
	WarningCount int            `json:"warning_count"`
	RulesChecked []string       `json:"rules_checked"`
	Violations   []Violation    `json:"violations"`        // by rule, then from left to right
	Omitted      map[string]int `json:"omitted,omitempty"` // per rule, counted but not listed
	Unrouted     []Join         `json:"-"`                 // all of them, by net
}

// Silk is a stroke of the legend with round ends. The legend is drawn by the exporter and is not
// part of the board.
type Silk struct {
	Layer board.Layer
	A, B  board.Point
	Width int64
	Ref   string // the part it belongs to, for the report
}

// Check runs every rule on a board, except silk_over_mask, which needs the legend.
func Check(ctx context.Context, b *board.Board) (Report, error) {
	return run(ctx, b, nil, false)
}

// CheckWithSilk is Check with the legend as it is exported.
func CheckWithSilk(ctx context.Context, b *board.Board, silk []Silk) (Report, error) {
	return run(ctx, b, silk, true)
}

func run(ctx context.Context, b *board.Board, silk []Silk, hasSilk bool) (Report, error) {
	s, err := newSurvey(ctx, b)
	if err != nil {
		return Report{}, err
	}
	if err := s.scan(s.maxClearance()); err != nil {
		return Report{}, err
	}
	s.silk, s.joins = silk, s.missingJoins()
	rep := Report{Violations: []Violation{}}
	for _, r := range rules {
		if r.needsSilk && !hasSilk {
			continue
		}
		f := findings{rule: r}
		if err := r.check(s, &f); err != nil {
			return Report{}, err
		}
		rep.add(&f)
	}
	rep.Passed = rep.ErrorCount == 0
	rep.Unrouted = s.joins
	return rep, nil
}

func (rep *Report) add(f *findings) {
	rep.RulesChecked = append(rep.RulesChecked, f.rule.name)
	if f.rule.severity == Error {
		rep.ErrorCount += f.count
	} else {
		rep.WarningCount += f.count
	}
	sort.SliceStable(f.list, func(i, j int) bool {
		a, b := &f.list[i], &f.list[j]
		switch {
		case a.X != b.X:
			return a.X < b.X
		case a.Y != b.Y:
			return a.Y < b.Y
		case a.Layer != b.Layer:
			return a.Layer < b.Layer
		}
		return a.Message < b.Message
	})
	listed := f.list[:min(len(f.list), MaxPerRule)]
	rep.Violations = append(rep.Violations, listed...)
	if rest := f.count - len(listed); rest > 0 {
		if rep.Omitted == nil {
			rep.Omitted = map[string]int{}
		}
		rep.Omitted[f.rule.name] = rest
	}
}

// finding is a violation in nanometres.
type finding struct {
	at               vec
	layer            string
	message          string
	items            []string
	actual, required float64
}

// findings collects the violations of one rule.
type findings struct {
	rule  *rule
	list  []Violation
	count int
}

func (f *findings) add(v finding) {
	f.count++
	if len(f.list) >= maxKept {
		return
	}
	f.list = append(f.list, Violation{
		Rule: f.rule.name, Severity: f.rule.severity, Message: v.message, Layer: v.layer, Items: v.items,
		X: roundMM(v.at.x), Y: roundMM(v.at.y), ActualMM: roundMM(v.actual), RequiredMM: roundMM(v.required),
	})
}

// tooSmall reports whether a measure misses its limit.
func tooSmall(actual, limit float64) bool { return actual < limit-tolerance }

// roundMM is a length in nanometres as millimetres, to the nanometre. Zero has no sign.
func roundMM(nm float64) float64 {
	r := math.Round(nm)
	if r == 0 {
		return 0
	}
	return r / 1e6
}

// mm writes a length for a message.
func mm(nm float64) string { return strconv.FormatFloat(roundMM(nm), 'f', -1, 64) + " mm" }

// limits is the tail of a message: what was wanted and what was found.
func limits(limit, actual float64) string {
	return fmt.Sprintf("(limit %s; actual %s)", mm(limit), mm(actual))
}
