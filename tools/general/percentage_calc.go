package general

import (
	"context"
	"fmt"
	"math"
	"slices"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
)

// PercentageCalc answers common questions about percentages.
var PercentageCalc = tools.Define(tools.Spec{
	Name:    "percentage_calc",
	Title:   "Percentage",
	Summary: "Percent of a value, what percent, whole from percent, adding, subtracting and taking back percentages, percent difference",
	Method: "percent_of: p/100 v. what_percent: 100 part/whole. whole_from_percent: 100 part/p. add_percent, subtract_percent: v (1 ± p/100). " +
		"reverse_add, reverse_subtract: the value before a percentage was added or taken off, v / (1 ± p/100). percent_difference: 100 |a - b| / ((|a| + |b|)/2). " +
		"Computed in exact fractions and rounded once to a double",
	Sources: []string{"ISO 80000-1:2022 (per cent, %, is the number 0.01)"},
	Limits:  []string{"A percentage of a percentage is not a difference in percentage points"},
	Aliases: []string{"percent", "percent of", "reverse percentage", "discount", "markup",
		"VAT included", "percent difference"},
	Examples: []tools.Example{
		{
			Title: "15 % of 80",
			In:    `{"percent": 15, "value": 80}`,
			Want:  `{"result": 12, "operation": "percent_of", "formula": "15 / 100 × 80 = 12", "warnings": []}`,
		},
		{
			Title: "A price of 121 before 21 % VAT",
			In:    `{"operation": "reverse_add", "value": 121, "percent": 21}`,
			Want:  `{"result": 100, "warnings": []}`,
		},
		{
			Title: "45 of 60 parts",
			In:    `{"operation": "what_percent", "part": 45, "whole": 60}`,
			Want:  `{"result": 75}`,
			From:  "by hand: 45/60",
		},
	},
}, percentageCalc)

type percentageCalcIn struct {
	Operation string   `json:"operation" enum:"percent_of,what_percent,whole_from_percent,add_percent,subtract_percent,reverse_add,reverse_subtract,percent_difference" default:"percent_of" label:"Operation" doc:"Operation; it determines the required fields"`
	Percent   *float64 `json:"percent" unit:"%" example:"15" label:"Percentage" doc:"Percentage, for all operations except what_percent and percent_difference"`
	Value     *float64 `json:"value" unit:"1" example:"80" label:"Value" doc:"Value to which the percentage applies, for percent_of, add_percent, subtract_percent, reverse_add and reverse_subtract"`
	Part      *float64 `json:"part" unit:"1" label:"Part" doc:"Part, for what_percent and whole_from_percent"`
	Whole     *float64 `json:"whole" unit:"1" label:"Whole" doc:"Whole, for what_percent"`
	A         *float64 `json:"a" unit:"1" label:"First value" doc:"First value, for percent_difference"`
	B         *float64 `json:"b" unit:"1" label:"Second value" doc:"Second value, for percent_difference"`
}

type percentageCalcOut struct {
	Result    *float64 `json:"result" unit:"1" unitFrom:"operation what_percent=% percent_difference=%" label:"Result" doc:"Result: a percentage for what_percent and percent_difference, otherwise a value; null below the range of a double"`
	Operation string   `json:"operation" label:"Operation" doc:"The operation"`
	Formula   string   `json:"formula" label:"Calculation" doc:"The calculation with its numbers"`
	tools.Warnings
}

// percentFields are the fields that each operation needs.
var percentFields = map[string][]string{
	"percent_of":         {"percent", "value"},
	"what_percent":       {"part", "whole"},
	"whole_from_percent": {"part", "percent"},
	"add_percent":        {"value", "percent"},
	"subtract_percent":   {"value", "percent"},
	"reverse_add":        {"value", "percent"},
	"reverse_subtract":   {"value", "percent"},
	"percent_difference": {"a", "b"},
}

func percentageCalc(_ context.Context, in percentageCalcIn) (percentageCalcOut, error) {
	out := percentageCalcOut{Operation: in.Operation}
	var f tools.FieldErrors
	for _, field := range []struct {
		name string
		sent *float64
	}{{"percent", in.Percent}, {"value", in.Value}, {"part", in.Part}, {"whole", in.Whole},
		{"a", in.A}, {"b", in.B}} {
		switch needed := slices.Contains(percentFields[in.Operation], field.name); {
		case needed && field.sent == nil:
			f.Add(field.name, "is required for %s: a number", in.Operation)
		case !needed:
			choice.Ignored(&out.Warnings, "it has no meaning for "+in.Operation,
				choice.Of(field.name, field.sent != nil))
		}
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	switch {
	case in.Operation == "what_percent" && *in.Whole == 0:
		f.AddValue("whole", *in.Whole, "must not be 0: no part has a percentage of nothing")
	case in.Operation == "whole_from_percent" && *in.Percent == 0:
		f.AddValue("percent", *in.Percent, "must not be 0: 0 %% of any whole is 0")
	case in.Operation == "reverse_add" && *in.Percent == -100:
		f.AddValue("percent", *in.Percent, "must not be -100: adding -100 %% leaves 0 of any value")
	case in.Operation == "reverse_subtract" && *in.Percent == 100:
		f.AddValue("percent", *in.Percent,
			"must not be 100: subtracting 100 %% leaves 0 of any value")
	case in.Operation == "percent_difference" && *in.A == 0 && *in.B == 0:
		f.Add("a", "a and b must not both be 0: their mean is 0")
		f.Add("b", "a and b must not both be 0: their mean is 0")
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	if in.Operation == "what_percent" && *in.Whole < 0 {
		out.Warn("the whole is negative: the percentage has the sign of part/whole")
	}
	if slices.Contains(percentFields[in.Operation], "percent") && math.Abs(*in.Percent) > 1000 {
		out.Warn("%s %% is more than ten times the whole: 100 means all of it",
			decimal.Shortest(*in.Percent))
	}
	result, formula := percentage(in)
	out.Formula = formula
	if out.Result = nearestDouble(&out.Warnings, result); out.Result != nil {
		out.Formula += " = " + decimal.Shortest(*out.Result)
	}
	return out, nil
}

// percentage computes an operation. Its fields must be present and its divisors must not be 0.
func percentage(in percentageCalcIn) (result decimal.Fraction, formula string) {
	hundred := decimal.Whole(100)
	// with returns 1 ± p/100.
	with := func(sign int64) decimal.Fraction {
		return decimal.FromFloat(*in.Percent).Times(decimal.Quotient(sign,
			100)).Plus(decimal.Whole(1))
	}
	switch in.Operation {
	case "what_percent":
		return hundred.Times(decimal.FromFloat(*in.Part)).Over(decimal.FromFloat(*in.Whole)),
			"100 × " + decimal.Operand(*in.Part) + " / " + decimal.Operand(*in.Whole)
	case "whole_from_percent":
		return hundred.Times(decimal.FromFloat(*in.Part)).Over(decimal.FromFloat(*in.Percent)),
			"100 × " + decimal.Operand(*in.Part) + " / " + decimal.Operand(*in.Percent)
	case "add_percent":
		return decimal.FromFloat(*in.Value).Times(with(1)),
			decimal.Operand(*in.Value) + " × (1 + " + decimal.Operand(*in.Percent) + " / 100)"
	case "subtract_percent":
		return decimal.FromFloat(*in.Value).Times(with(-1)),
			decimal.Operand(*in.Value) + " × (1 - " + decimal.Operand(*in.Percent) + " / 100)"
	case "reverse_add":
		return decimal.FromFloat(*in.Value).Over(with(1)), decimal.Operand(*in.Value) + " / (1 + " +
			decimal.Operand(*in.Percent) + " / 100)"
	case "reverse_subtract":
		return decimal.FromFloat(*in.Value).Over(with(-1)),
			decimal.Operand(*in.Value) + " / (1 - " + decimal.Operand(*in.Percent) + " / 100)"
	case "percent_difference":
		a, b := decimal.FromFloat(*in.A), decimal.FromFloat(*in.B)
		return decimal.Whole(200).Times(a.Minus(b).Abs()).Over(a.Abs().Plus(b.Abs())),
			fmt.Sprintf("100 × |%s - %s| / ((|%s| + |%s|) / 2)", decimal.Shortest(*in.A),
				decimal.Operand(*in.B), decimal.Shortest(*in.A), decimal.Shortest(*in.B))
	default: // percent_of
		return decimal.FromFloat(*in.Percent).Times(decimal.FromFloat(*in.Value)).Over(hundred),
			decimal.Operand(*in.Percent) + " / 100 × " + decimal.Operand(*in.Value)
	}
}
