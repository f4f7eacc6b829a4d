package general

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
	"slipstick/tools/money"
)

// TipCalculator computes a tip and splits the bill to the cent.
var TipCalculator = tools.Define(tools.Spec{
	Name:    "tip_calculator",
	Title:   "Tip",
	Summary: "Tip on a bill, optional rounding of the total, and shares that add up to the cent",
	Method: "base = bill - tax, or the bill; tip = base × tip %, rounded half away from zero to cents; total = bill + tip. " +
		"Rounding the total to a multiple changes the tip. The shares differ by a cent at most and add up to the total",
	Sources: []string{"Arithmetic in exact decimals; customs of tipping before tax: Emily Post's Etiquette, 19th edition (2017)"},
	Limits: []string{"Amounts have two decimal places",
		"Every share is equal to the cent: no split by what each one ate"},
	Aliases: []string{"gratuity", "split bill", "restaurant bill", "tip per person"},
	Primary: []string{"tip_amount"},
	Examples: []tools.Example{
		{
			Title: "84.50 with 18 % for two",
			In:    `{"bill_amount": 84.50, "tip_pct": 18, "split": 2}`,
			Want:  `{"base_amount": 84.5, "tip_amount": 15.21, "total": 99.71, "shares": [49.86, 49.85], "per_person": 49.85, "effective_tip_pct": 18, "warnings": []}`,
		},
		{
			Title: "100 without a tip for three",
			In:    `{"bill_amount": 100, "tip_pct": 0, "split": 3}`,
			Want:  `{"shares": [33.34, 33.33, 33.33], "per_person": 33.33}`,
		},
		{
			Title: "20 % for four",
			In:    `{"bill_amount": 120, "tip_pct": 20, "split": 4}`,
			Want:  `{"tip_amount": 24, "total": 144, "per_person": 36}`,
			From:  "by hand",
		},
	},
}, tipCalculator)

type tipCalculatorIn struct {
	Bill        decimal.Number `json:"bill_amount" unit:"currency" min:"0" max:"1e12" example:"84.50" label:"Bill amount" doc:"Amount of the bill, with tax"`
	TipPct      float64        `json:"tip_pct" unit:"%" min:"0" max:"100" default:"15" label:"Tip" doc:"Tip"`
	Tax         decimal.Number `json:"tax_amount" unit:"currency" min:"0" default:"0" label:"Tax amount" doc:"Tax included in the bill"`
	TipOnPreTax bool           `json:"tip_on_pre_tax" default:"true" label:"Tip on pre-tax amount" doc:"The tip is computed on the bill without tax"`
	Split       int            `json:"split" unit:"1" min:"1" max:"1000" default:"1" label:"Number of people" doc:"Number of people"`
	RoundTo     float64        `json:"round_to" unit:"currency" min:"0" max:"1e6" default:"0" label:"Round to" doc:"Multiple to which the total is rounded, in whole cents; 0 does not round"`
	RoundMode   string         `json:"round_mode" enum:"up,nearest,down" default:"up" label:"Rounding mode" doc:"Rounding direction of round_to"`
}

type tipCalculatorOut struct {
	Base            float64   `json:"base_amount" unit:"currency" label:"Base amount" doc:"Amount on which the tip is computed"`
	Tip             float64   `json:"tip_amount" unit:"currency" label:"Tip" doc:"Tip"`
	EffectiveTipPct *float64  `json:"effective_tip_pct" unit:"%" label:"Effective tip" doc:"Tip relative to the base, after all rounding; null when the base is 0"`
	Total           float64   `json:"total" unit:"currency" label:"Total" doc:"Bill and tip"`
	Split           int       `json:"split" unit:"1" label:"Number of people" doc:"Number of people"`
	PerPerson       float64   `json:"per_person" unit:"currency" label:"Per person" doc:"Smallest share"`
	Shares          []float64 `json:"shares" unit:"currency" label:"Shares" doc:"Amount per person; the sum is the total"`
	tools.Warnings
}

// cents is the number of decimal places of money.
const cents = 2

func tipCalculator(_ context.Context, in tipCalculatorIn) (tipCalculatorOut, error) {
	var out tipCalculatorOut
	var f tools.FieldErrors
	money.Check(&f, "bill_amount", &in.Bill.Decimal)
	money.Check(&f, "tax_amount", &in.Tax.Decimal)
	multiple := decimal.FromFloat(in.RoundTo).Times(decimal.Whole(100))
	if !multiple.IsWhole() {
		f.AddValue("round_to", in.RoundTo,
			"must be a whole number of cents, such as 0.05, 0.25 or 1, or 0 for no rounding")
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	bill, tax := money.ToUnits(in.Bill.Exact(), cents), money.ToUnits(in.Tax.Exact(), cents)
	if tax > bill {
		f.AddValue("tax_amount", in.Tax, "must be at most the bill of %s, of which it is a part",
			in.Bill.Written())
		return out, f.Err()
	}
	if in.Bill.Places() > cents || in.Tax.Places() > cents {
		out.Warn("amounts with more than two decimals are rounded to cents")
	}
	base := bill
	if in.TipOnPreTax {
		base = bill - tax
	}
	tip := decimal.Whole(base).Times(decimal.FromPercent(in.TipPct)).Rounded().Num
	total := bill + tip
	choice.Ignored(&out.Warnings, "it needs round_to",
		choice.Of("round_mode", in.RoundTo == 0 && in.RoundMode != "up"))
	if in.RoundTo > 0 {
		rounded := roundToMultiple(total, multiple.Num, in.RoundMode)
		switch {
		case rounded < bill:
			out.Warn("rounding the total to %s would take it below the bill: it was left as it is",
				decimal.Shortest(money.FromUnits(rounded, cents)))
			rounded = total
		case rounded < total:
			out.Warn("rounding the total down lowers the tip from %s to %s",
				decimal.Shortest(money.FromUnits(tip, cents)),
				decimal.Shortest(money.FromUnits(rounded-bill, cents)))
		}
		total = rounded
		tip = total - bill
	}
	if in.TipPct > 50 {
		out.Warn("a tip of %s %% is unusually high", decimal.Shortest(in.TipPct))
	}
	out.Base, out.Tip, out.Total, out.Split = money.FromUnits(
		base, cents,
	), money.FromUnits(
		tip, cents,
	), money.FromUnits(total, cents), in.Split
	if base > 0 {
		out.EffectiveTipPct = decimal.PercentOf(decimal.Whole(tip), decimal.Whole(base))
	}
	each, rest := total/int64(in.Split), total%int64(in.Split)
	out.PerPerson = money.FromUnits(each, cents)
	more := money.FromUnits(each+1, cents)
	out.Shares = make([]float64, in.Split)
	for i := range out.Shares {
		if int64(i) < rest {
			out.Shares[i] = more
		} else {
			out.Shares[i] = out.PerPerson
		}
	}
	return out, nil
}

// roundToMultiple rounds n >= 0 to a multiple of m > 0. Mode nearest rounds halves up.
func roundToMultiple(n, m int64, mode string) int64 {
	switch mode {
	case "up":
		n += m - 1
	case "nearest":
		n += m / 2
	}
	return n - n%m
}
