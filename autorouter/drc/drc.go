package drc

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"

	"slipstick/autorouter/board"
	"slipstick/autorouter/geom"
)

// MaxPerRule is the maximum number of violations listed per rule in a report. Report.Omitted counts
// the violations beyond it.
const MaxPerRule = 100

// tolerance is the tolerance of every comparison [nm]: half the resolution of the exported files.
const tolerance = 0.5

// maxKept is the maximum number of violations per rule kept in memory. Violations beyond it are
// only counted.
const maxKept = 20000

// Severity determines whether a board with the violation passes.
type Severity string

// Severities of a violation.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Violation is a rule violation at a position. ActualMM and RequiredMM are rounded to the
// nanometre; each is zero if the rule has no such value.
type Violation struct {
	Rule       string   `json:"rule"`
	Severity   Severity `json:"severity"`
	Message    string   `json:"message"`
	X          float64  `json:"x_mm"`
	Y          float64  `json:"y_mm"`
	Layer      string   `json:"layer"` // layer name of the stackup, or "both" for several layers
	Items      []string `json:"items"` // U1.3 for a pad, U1 for a part, "net GND" for other copper
	ActualMM   float64  `json:"actual_mm"`
	RequiredMM float64  `json:"required_mm"`
}

// Unconnected is a missing connection between two copper clusters of a net, given by their closest
// pads (centre to centre).
type Unconnected struct {
	Net      int
	From, To string // REF.PAD
	Distance float64
	At       board.Point // position of From
}

// Report is the result of a design rule check.
type Report struct {
	Passed       bool     `json:"passed"` // true if no violation has the severity Error
	ErrorCount   int      `json:"error_count"`
	WarningCount int      `json:"warning_count"`
	RulesChecked []string `json:"rules_checked"`
	// Violations is sorted by rule in the order of Rules, then by position.
	Violations []Violation `json:"violations"`
	// Omitted is the number of violations per rule that are not listed.
	Omitted  map[string]int `json:"omitted,omitempty"`
	Unrouted []Unconnected  `json:"-"` // all missing connections, sorted by net
}

// Silk is a silkscreen stroke with round ends. Strokes come from the exporter because the board
// does not contain the silkscreen.
type Silk struct {
	Side  board.Side
	A, B  board.Point
	Width int64
	Ref   string // reference designator of the part; "" for a stroke of the board
}

// Check runs all rules on a board, except silk_over_mask, which needs the silkscreen. It returns an
// error if the board is invalid or the context is cancelled.
func Check(ctx context.Context, b *board.Board) (Report, error) {
	return run(ctx, b, nil, false)
}

// CheckWithSilk is like Check but also checks the exported silkscreen.
func CheckWithSilk(ctx context.Context, b *board.Board, silk []Silk) (Report, error) {
	return run(ctx, b, silk, true)
}

func run(ctx context.Context, b *board.Board, silk []Silk, hasSilk bool) (Report, error) {
	s, err := newChecker(ctx, b)
	if err != nil {
		return Report{}, err
	}
	if err := s.scan(s.maxClearance()); err != nil {
		return Report{}, err
	}
	s.silk, s.unconnected = silk, s.ratsnest()
	if ctx.Err() != nil {
		return Report{}, ctx.Err()
	}
	rep := Report{Violations: []Violation{}}
	for _, r := range rules {
		if r.needsSilk && !hasSilk {
			continue
		}
		f := collector{rule: r}
		if err := r.check(s, &f); err != nil {
			return Report{}, err
		}
		rep.add(&f)
	}
	rep.Passed = rep.ErrorCount == 0
	rep.Unrouted = s.unconnected
	return rep, nil
}

func (rep *Report) add(f *collector) {
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

// violation is a Violation with lengths in nanometres.
type violation struct {
	at               geom.Vec
	layer            string
	message          string
	items            []string
	actual, required float64
}

// collector counts the violations of one rule and lists the first maxKept of them.
type collector struct {
	rule  *rule
	list  []Violation
	count int
}

func (f *collector) add(v violation) {
	f.count++
	if len(f.list) >= maxKept {
		return
	}
	f.list = append(f.list, Violation{
		Rule: f.rule.name, Severity: f.rule.severity, Message: v.message, Layer: v.layer,
		Items: v.items,
		X:     roundMM(v.at.X), Y: roundMM(v.at.Y), ActualMM: roundMM(v.actual),
		RequiredMM: roundMM(v.required),
	})
}

// tooSmall reports whether a measured value is below its limit by more than the tolerance [nm].
func tooSmall(actual, limit float64) bool { return actual < limit-tolerance }

// roundMM converts nanometres to millimetres, rounded to the nanometre. It never returns negative
// zero.
func roundMM(nm float64) float64 {
	r := math.Round(nm)
	if r == 0 {
		return 0
	}
	return r / 1e6
}

// mm formats a length [nm] as text in millimetres, with the unit.
func mm(nm float64) string { return strconv.FormatFloat(roundMM(nm), 'f', -1, 64) + " mm" }

// limits formats a limit and an actual value [nm] for a message.
func limits(limit, actual float64) string {
	return fmt.Sprintf("(limit %s; actual %s)", mm(limit), mm(actual))
}
