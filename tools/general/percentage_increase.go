package general

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/decimal"
)

// PercentageIncrease computes the change from one value to another, relative to the first.
var PercentageIncrease = tools.Define(tools.Spec{
	Name:    "percentage_increase",
	Title:   "Percentage increase",
	Summary: "Percentage change between two values, the reverse change, and the compound growth rate per period",
	Method: "change = new - original; percent = 100 change / |original|, so that its sign is the direction; multiplier = new/original; " +
		"way back = 100 (original - new) / |new|; compound rate = 100 ((new/original)^(1/periods) - 1). Exact fractions, rounded once; the root in 256 bits",
	Sources: []string{"T. Törnqvist, P. Vartia, Y. Vartia, How should relative changes be measured?, The American Statistician 39 (1985), 43-46"},
	Limits: []string{
		"A percentage of a negative base describes its size only; there is no compound rate then",
		"The compound rate is a mean: it says nothing about the path between the two values",
	},
	Aliases: []string{"percent change", "percentage decrease", "growth rate", "CAGR",
		"relative change"},
	Primary: []string{"percent_change"},
	Examples: []tools.Example{
		{
			Title: "From 80 to 100",
			In:    `{"original_value": 80, "new_value": 100}`,
			Want:  `{"change": 20, "percent_change": 25, "direction": "increase", "multiplier": 1.25, "reverse_percent": -20, "cagr_pct": null, "warnings": []}`,
		},
		{
			Title: "A loss that shrinks",
			In:    `{"original_value": -100, "new_value": -50}`,
			Want:  `{"change": 50, "percent_change": 50, "direction": "increase"}`,
		},
		{
			Title: "A price that doubles in four years",
			In:    `{"original_value": 100, "new_value": 200, "periods": 4}`,
			Want:  `{"percent_change": 100, "cagr_pct": 18.92071}`,
			From:  "by hand: 2^(1/4) - 1",
		},
	},
}, percentageIncrease)

type percentageIncreaseIn struct {
	Original float64  `json:"original_value" unit:"1" example:"80" label:"Original value" doc:"Value before the change"`
	New      float64  `json:"new_value" unit:"1" example:"100" label:"New value" doc:"Value after the change"`
	Periods  *float64 `json:"periods" unit:"1" gt:"0" label:"Number of periods" doc:"Periods between the two values, for the compound growth rate"`
}

type percentageIncreaseOut struct {
	Change         float64  `json:"change" unit:"1" label:"Change" doc:"New value minus original value"`
	PercentChange  *float64 `json:"percent_change" unit:"%" label:"Percentage change" doc:"Change relative to the size of the original value; null when that is 0 and the new value is not"`
	Direction      string   `json:"direction" label:"Direction" doc:"increase, decrease or no_change, by the sign of the change"`
	Multiplier     *float64 `json:"multiplier" unit:"1" label:"Multiplier" doc:"New value divided by the original; null when that is 0"`
	ReversePercent *float64 `json:"reverse_percent" unit:"%" label:"Reverse change" doc:"Change back to the original, relative to the size of the new value; null when that is 0"`
	CAGRPct        *float64 `json:"cagr_pct" unit:"%" label:"CAGR" doc:"Compound growth per period; null without periods or unless both values are positive"`
	tools.Warnings
}

func percentageIncrease(_ context.Context, in percentageIncreaseIn) (percentageIncreaseOut, error) {
	var out percentageIncreaseOut
	original, current := decimal.FromFloat(in.Original), decimal.FromFloat(in.New)
	change := current.Minus(original)
	out.Change = change.Float()
	out.Direction = [...]string{"decrease", "no_change", "increase"}[change.Sign()+1]
	if in.Original != 0 {
		out.PercentChange = decimal.PercentOf(change, original)
		multiplier := current.Over(original).Float()
		out.Multiplier = &multiplier
	} else if in.New == 0 {
		out.PercentChange = new(float64)
	}
	if in.New != 0 {
		out.ReversePercent = decimal.PercentOf(change.Negative(), current)
	}
	switch {
	case in.Original == 0:
		out.Warn("the original value is 0: a change relative to it is undefined")
	case in.Original < 0:
		out.Warn(
			"the original value is negative: the percentage is relative to its magnitude and cannot be compounded",
		)
	}
	if in.Original < 0 && in.New > 0 || in.Original > 0 && in.New < 0 {
		out.Warn(
			"the values have different signs: a percentage is not meaningful for a change of sign")
	}
	if in.Periods == nil {
		return out, nil
	}
	if in.Original <= 0 || in.New <= 0 {
		out.Warn("the compound growth rate needs two positive values: cagr_pct is null")
		return out, nil
	}
	out.CAGRPct = compoundRate(in.Original, in.New, *in.Periods)
	if out.CAGRPct == nil {
		out.Warn("the growth per period is beyond the range of a double: cagr_pct is null")
	}
	return out, nil
}

// compoundRate returns the growth per period in percent, or nil beyond the range of doubles.
func compoundRate(original, current, periods float64) *float64 {
	if original == current {
		return new(float64)
	}
	ratio := decimal.FloatText(current).Over(decimal.FloatText(original))
	growth, ok := ratio.Power(decimal.Whole(1).Over(decimal.FromFloat(periods)))
	if ok {
		if rate := 100 * growth.MinusOne(); !math.IsInf(rate, 0) {
			return &rate
		}
	} else if current < original {
		rate := -100.0
		return &rate
	}
	return nil
}
