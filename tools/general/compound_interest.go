package general

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"slipstick/tools"
	"slipstick/tools/calendar"
	"slipstick/tools/choice"
	"slipstick/tools/money"
	"slipstick/tools/special"
)

// CompoundInterest computes the growth of a sum, with or without regular contributions.
var CompoundInterest = tools.Define(tools.Spec{
	Name:    "compound_interest",
	Title:   "Compound interest",
	Summary: "Growth of a principal and regular contributions at compound interest, with yearly balances; XIRR of dated payments",
	Method: "Growth of a year a = (1 + r/n)^n, or e^r when continuous; i = a^(1/m) - 1 for m contributions a year; N = whole periods in the time. " +
		"Final = P a^years + Σ for k = 1 to N of c (1 + i)^(m years - k), one power more when paid at the beginning. " +
		"Effective rate 100 (a - 1) %; doubling time ln 2 / ln a. " +
		"Dated payments: the rate r with Σ amount / (1 + r)^(days/365) = 0, days from the first date",
	Sources: []string{
		"S. G. Kellison, The Theory of Interest, 3rd edition (2009), chapters 1 (compound interest) and 3 (annuities)",
		"Regulation DD (12 CFR 1030), appendix A: annual percentage yield",
		"Microsoft, XIRR function: the equation and days over 365",
	},
	Limits: []string{"A constant rate; no taxes, fees or inflation. Contributions earn at the equivalent rate of their own period"},
	Aliases: []string{"future value", "investment", "savings", "APY", "effective annual rate",
		"rule of 72", "doubling time", "XIRR", "internal rate of return",
		"money-weighted return"},
	Examples: []tools.Example{{
		Title: "10000 at 5 % for ten years, monthly",
		In:    `{"principal": 10000, "annual_rate_pct": 5, "years": 10}`,
		Want:  `{"final_amount": 16470.09498, "effective_annual_rate_pct": 5.116189788, "doubling_time_years": 13.89180473, "total_interest": 6470.09498, "warnings": []}`,
	}, {
		Title: "Yearly, 6 %",
		In:    `{"principal": 10000, "annual_rate_pct": 6, "years": 2, "compounds_per_year": 1}`,
		Want:  `{"final_amount": 11236, "total_interest": 1236}`,
		From:  "by hand: 1.06²",
	}, {
		Title: "Continuous, 5 % for ten years",
		In:    `{"principal": 1000, "annual_rate_pct": 5, "years": 10, "continuous": true}`,
		Want:  `{"final_amount": 1648.721}`,
		From:  "by hand: 1000 e^0.5",
	}},
}, compoundInterest)

type compoundInterestIn struct {
	Principal            *float64       `json:"principal" unit:"currency" min:"0" max:"1e15" example:"10000" label:"Principal" doc:"Initial amount; alternative to cash_flows"`
	AnnualRatePct        *float64       `json:"annual_rate_pct" unit:"%" gt:"-100" max:"1000" example:"5" label:"Annual interest rate" doc:"Nominal annual interest rate"`
	Years                *float64       `json:"years" unit:"year" gt:"0" max:"200" example:"10" label:"Term" doc:"Term in years"`
	CompoundsPerYear     int            `json:"compounds_per_year" unit:"1" min:"1" max:"8760" default:"12" label:"Compounding periods per year" doc:"Compounding periods per year"`
	Continuous           bool           `json:"continuous" default:"false" label:"Continuous compounding" doc:"Compound continuously; compounds_per_year is then ignored"`
	Contribution         float64        `json:"contribution" unit:"currency" min:"0" max:"1e15" default:"0" label:"Contribution" doc:"Amount added per contribution period"`
	ContributionsPerYear int            `json:"contributions_per_year" unit:"1" min:"1" max:"365" default:"12" label:"Contributions per year" doc:"Contribution periods per year"`
	ContributionTiming   string         `json:"contribution_timing" enum:"end,begin" default:"end" label:"Contribution timing" doc:"Contribution at the end or at the beginning of its period"`
	CashFlows            *[]datedAmount `json:"cash_flows" minItems:"2" maxItems:"1000" label:"Dated payments" doc:"Payments by date, in place of principal, rate and years; effective_annual_rate_pct is their XIRR"`
}

type datedAmount struct {
	Date   string  `json:"date" label:"Date" doc:"YYYY-MM-DD"`
	Amount float64 `json:"amount" unit:"currency" min:"-1e15" max:"1e15" label:"Amount" doc:"Negative when paid in, positive when paid out"`
}

type compoundInterestOut struct {
	FinalAmount        float64        `json:"final_amount" unit:"currency" label:"Final amount" doc:"Amount at the end, or total paid out by cash_flows"`
	TotalContributions float64        `json:"total_contributions" unit:"currency" label:"Total contributions" doc:"Sum of the contributions without the principal, or total paid in by cash_flows"`
	TotalInterest      float64        `json:"total_interest" unit:"currency" label:"Total interest" doc:"Interest earned"`
	EffectiveRatePct   float64        `json:"effective_annual_rate_pct" unit:"%" label:"Effective annual rate" doc:"Annual growth with compounding"`
	DoublingTimeYears  *float64       `json:"doubling_time_years" unit:"year" label:"Doubling time" doc:"Time in which an amount doubles; null without growth"`
	GrowthMultiple     *float64       `json:"growth_multiple" unit:"1" label:"Growth multiple" doc:"Final amount divided by principal, or total paid out divided by total paid in; null for a principal of 0"`
	Yearly             []compoundYear `json:"yearly" plot:"year" label:"Yearly balance" doc:"Balance of each full year"`
	tools.Warnings
}

type compoundYear struct {
	Year          int     `json:"year" unit:"1" label:"Year" doc:"Number of the year, from 1"`
	Balance       float64 `json:"balance" unit:"currency" label:"Balance" doc:"Balance at the end of the year"`
	Contributions float64 `json:"contributions" unit:"currency" label:"Contributions" doc:"Contributions in this year"`
	Interest      float64 `json:"interest" unit:"currency" label:"Interest" doc:"Interest earned in this year"`
}

func compoundInterest(_ context.Context, in compoundInterestIn) (compoundInterestOut, error) {
	var out compoundInterestOut
	if in.CashFlows != nil {
		err := in.fromCashFlows(&out)
		return out, err
	}
	if err := in.complete(); err != nil {
		return out, err
	}
	principal, years := *in.Principal, *in.Years
	rate := *in.AnnualRatePct / 100
	growth := rate // ln a
	if !in.Continuous {
		n := float64(in.CompoundsPerYear)
		growth = n * math.Log1p(rate/n)
	}
	m := float64(in.ContributionsPerYear)
	periods := years * m
	// 1.4 years of 365 periods each are 511 periods, although the floating-point product is
	// slightly smaller
	whole := math.Floor(periods * (1 + 1e-9))
	if math.Abs(periods-whole) <= 1e-9*periods {
		periods = whole
	}

	if growth*years > 600 {
		var f tools.FieldErrors
		f.AddValue("annual_rate_pct", *in.AnnualRatePct,
			"the sum outgrows every number in this time; take a lower rate or fewer years")
		f.AddValue("years", years, "the sum outgrows every number at this rate")
		return out, f.Err()
	}

	first := periods - whole // periods for which the last contribution earns interest
	if in.ContributionTiming == "begin" {
		first++
	}
	earned := annuityInterest(growth/m, first, int(whole))
	out.TotalContributions = in.Contribution * whole
	out.TotalInterest = principal*math.Expm1(growth*years) + in.Contribution*earned
	out.FinalAmount = principal*math.Exp(growth*years) + in.Contribution*(whole+earned)
	out.EffectiveRatePct = 100 * math.Expm1(growth)
	if growth > 0 {
		out.DoublingTimeYears = tools.Finite(math.Ln2 / growth)
	}
	if principal > 0 {
		out.GrowthMultiple = tools.Finite(out.FinalAmount / principal)
	}

	out.Yearly = in.yearly(growth)
	if in.Contribution > 0 && periods != whole {
		out.Warn(
			"%g years are not a whole number of contribution periods: the last part period earns interest and gets no contribution",
			years,
		)
	}
	if principal == 0 && in.Contribution == 0 {
		out.Warn("nothing is invested: principal and contribution are both 0")
	}
	if in.Contribution == 0 {
		choice.Ignored(&out.Warnings, "it needs a contribution", in.contributionFields()...)
	}
	if in.Continuous && in.CompoundsPerYear != 12 {
		out.Warn("compounds_per_year is ignored: compounding is continuous")
	}
	return out, nil
}

// yearly returns the state at the end of each whole year. growth is the logarithm of the factor by
// which a sum grows per year.
func (in compoundInterestIn) yearly(growth float64) []compoundYear {
	principal, years, m := *in.Principal, *in.Years, float64(in.ContributionsPerYear)
	start := 0.0
	if in.ContributionTiming == "begin" {
		start = 1
	}
	yearInterest := in.Contribution * annuityInterest(growth/m, start, in.ContributionsPerYear)
	balance := principal
	var list []compoundYear
	for year := 1; float64(year) <= years*(1+1e-12); year++ {
		t := float64(year)
		interest := balance*math.Expm1(growth) + yearInterest
		balance = principal*math.Exp(growth*t) + in.Contribution*(m*t+annuityInterest(growth/m,
			start, year*in.ContributionsPerYear))
		list = append(list, compoundYear{year, balance, in.Contribution * m, interest})
	}
	return list
}

// complete checks the required fields that cash_flows would replace.
func (in *compoundInterestIn) complete() error {
	var f tools.FieldErrors
	for _, g := range in.growth() {
		if !g.Given {
			f.Add(g.Name, "is required: give principal, annual_rate_pct and years, or cash_flows")
		}
	}
	return f.Err()
}

// growth returns the fields that describe growth at a known rate.
func (in *compoundInterestIn) growth() []choice.Field {
	return []choice.Field{
		choice.Of("principal", in.Principal != nil),
		choice.Of("annual_rate_pct", in.AnnualRatePct != nil),
		choice.Of("years", in.Years != nil),
	}
}

// contributionFields returns the fields that describe the contributions. Those with their default
// do not count as given.
func (in *compoundInterestIn) contributionFields() []choice.Field {
	return []choice.Field{
		choice.Of("contributions_per_year", in.ContributionsPerYear != 12),
		choice.Of("contribution_timing", in.ContributionTiming != "end"),
	}
}

// fromCashFlows computes the results for dated payments.
func (in *compoundInterestIn) fromCashFlows(out *compoundInterestOut) error {
	var f tools.FieldErrors
	for _, name := range choice.Names(in.growth()...) {
		f.Add(name, "contradicts cash_flows: give one of them")
	}
	choice.Ignored(&out.Warnings, "it has no meaning for cash_flows",
		choice.Of("compounds_per_year", in.CompoundsPerYear != 12),
		choice.Of("continuous", in.Continuous),
		choice.Of("contribution", in.Contribution != 0))
	choice.Ignored(&out.Warnings, "it has no meaning for cash_flows", in.contributionFields()...)
	type flow struct {
		day    time.Time
		amount float64
	}
	flows := make([]flow, len(*in.CashFlows))
	for i, c := range *in.CashFlows {
		day, err := calendar.ParseDay(c.Date)
		if err != nil {
			f.AddValue(fmt.Sprintf("cash_flows[%d].date", i), c.Date, "%v", err)
		}
		flows[i] = flow{day, c.Amount}
		out.FinalAmount += max(0, c.Amount)
		out.TotalContributions += max(0, -c.Amount)
	}
	if out.FinalAmount == 0 || out.TotalContributions == 0 {
		f.Add("cash_flows", "must hold a negative amount, paid in, and a positive one, paid out")
	}
	if err := f.Err(); err != nil {
		return err
	}
	slices.SortStableFunc(flows, func(a, b flow) int { return a.day.Compare(b.day) })
	start := flows[0].day
	var years, amounts []float64
	changes := 0
	for len(flows) > 0 { // payments on the same day count as one; a sum of 0 is ignored
		n, sum := 0, 0.0
		for ; n < len(flows) && flows[n].day.Equal(flows[0].day); n++ {
			sum += flows[n].amount
		}
		if sum != 0 {
			if last := len(amounts) - 1; last >= 0 && (amounts[last] < 0) != (sum < 0) {
				changes++
			}
			years = append(years, float64(calendar.DaysBetween(start, flows[0].day))/365)
			amounts = append(amounts, sum)
		}
		flows = flows[n:]
	}
	if changes == 0 {
		f.Add("cash_flows",
			"have no rate of return: it needs a day with more paid in and a day with more paid out")
		return f.Err()
	}
	growth, ok := internalRate(years, amounts)
	if !ok {
		f.Add("cash_flows", "have no rate of return: no yearly growth of 1e-6 to 1e+6 balances them")
		return f.Err()
	}
	if changes > 1 {
		out.Warn(
			"the payments change their sign %d times: several rates can balance them, and the one nearest to 0 is given",
			changes)
	}
	if years[len(years)-1]-years[0] < 1 {
		out.Warn("the payments span less than a year: the rate extrapolates them to a year")
	}
	out.TotalInterest = out.FinalAmount - out.TotalContributions
	out.GrowthMultiple = tools.Finite(out.FinalAmount / out.TotalContributions)
	out.EffectiveRatePct = 100 * math.Expm1(growth)
	if growth > 0 {
		out.DoublingTimeYears = tools.Finite(math.Ln2 / growth)
	}
	out.Yearly = []compoundYear{}
	return nil
}

// internalRate returns the ln(1 + r) nearest to 0, within ±13.8, for which the present values of
// the amounts sum to 0. ok is false if there is none.
func internalRate(years, amounts []float64) (growth float64, ok bool) {
	value := func(x float64) float64 {
		sum, origin := 0.0, years[0]
		if x < 0 { // discounts to the last date to avoid overflow of the powers
			origin = years[len(years)-1]
		}
		for i, t := range years {
			t -= origin
			sum += amounts[i] * math.Exp(-x*t)
		}
		return sum
	}
	const most = 13.8 // ln 1e6
	up, down, at := 0.0, 0.0, value(0)
	// Signs are compared because the product of two small values underflows.
	reached := func(v float64) bool { return v == 0 || (v < 0) != (at < 0) }
	beforeUp, beforeDown := -1e-4, 1e-4
	for step := 1e-4; min(up, -down) < most; step *= 1.05 {
		x := min(up+step, most)
		if at == 0 || reached(value(x)) {
			return bisect(value, up, x), true
		}
		if reached(value(-x)) {
			return bisect(value, down, -x), true
		}
		// Two roots may lie between neighbouring samples.
		if between, ok := money.Turn(value, beforeUp, up, x); ok {
			return bisect(value, beforeUp, between), true
		}
		if between, ok := money.Turn(value, beforeDown, down, -x); ok {
			return bisect(value, beforeDown, between), true
		}
		beforeUp, beforeDown = up, down
		up, down = x, -x
	}
	return 0, false
}

// bisect returns a zero of f between a and b. f must have opposite signs there, or be 0 at one of
// them.
func bisect(f func(float64) float64, a, b float64) float64 {
	fa := f(a)
	if fa == 0 {
		return a
	}
	for range 100 {
		middle := (a + b) / 2
		if v := f(middle); v != 0 && (v < 0) == (fa < 0) {
			a = middle
		} else {
			b = middle
		}
	}
	return (a + b) / 2
}

// annuityInterest returns the interest on n payments of 1 at the growth λ = ln(1 + i) per period.
// The last payment earns interest for first periods, each earlier payment for one period more. The
// result is Σ over j from 0 to n-1 of e^(λ(first + j)) - 1.
//
// It uses E(x) = e^x - 1 - x because the usual formula e^(λ first) (e^(nλ) - 1)/(e^λ - 1) - n
// cancels when little interest accrues.
func annuityInterest(λ, first float64, n int) float64 {
	if λ == 0 || n == 0 {
		return 0
	}
	count := float64(n)
	gain := special.Expm1mx(count*λ)*math.Exp(λ*first) + count*λ*math.Expm1(λ*first) -
		count*special.Expm1mx(λ)
	return gain / math.Expm1(λ)
}
