package power

import (
	"context"
	"math"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/money"
	"slipstick/tools/tolerance"
)

// SolarROI computes the return of a solar system.
var SolarROI = tools.Define(tools.Spec{
	Name:    "solar_roi",
	Title:   "Solar ROI",
	Summary: "Payback, net present value, internal rate of return and levelized cost of a solar system",
	Method: "Year t: E = E1 (1 - d)^(t-1); S = E (sc × (rate + peak share × (peak rate - rate)) + (1 - sc) × export)(1 + e)^(t-1) - cost (1 + ec)^(t-1) - replacement in its year, at year end; net cost = cost (1 - incentive) - amount. " +
		"Payback: the cumulative flow reaches 0, linear within the year. NPV = Σ S / (1 + r)^t - net; IRR: the rate that makes it 0 (the highest one, between -99 and 10000 %). " +
		"ROI = (Σ S - net) / net. LCOE = (net + discounted costs) / discounted energy. E1 = kW × peak sun hours × performance ratio × 365 when the size is given",
	Sources: []string{
		"W. Short, D. J. Packey, T. Holt, A Manual for the Economic Evaluation of Energy Efficiency and Renewable Energy Technologies, NREL/TP-462-5173 (1995): NPV, IRR, payback, LCOE",
	},
	Limits: []string{
		"Before taxes and without a loan; incentives count at the start",
		"Time of use has two prices, with one share for all years; no demand charge",
		"One replacement, such as the inverter's; payback is the first time that the sum reaches 0, a later replacement may lower it again",
	},
	Aliases: []string{"solar payback", "LCOE", "solar return on investment", "solar savings",
		"NPV", "IRR"},
	Primary: []string{"payback_years"},
	Examples: []tools.Example{{
		Title: "15 000 for 8000 kWh a year at 0.18",
		In:    `{"system_cost": 15000, "annual_kwh": 8000, "electricity_rate_per_kwh": 0.18}`,
		Want: `{"net_cost": 15000, "year1_savings": 1440.0, "simple_payback_years": 10.41667, "payback_years": 10.67152, "discounted_payback_years": 15.81696,
			"npv": 4360.876, "irr_pct": 7.806678, "roi_pct": 126.1371, "lcoe_per_kwh": 0.1394565, "warnings": []}`,
	}, {
		Title: "A tax credit of 30 %",
		In:    `{"system_cost": 20000, "annual_kwh": 10000, "electricity_rate_per_kwh": 0.2, "incentive_pct": 30}`,
		Want:  `{"net_cost": 14000, "year1_savings": 2000, "simple_payback_years": 7}`,
		From:  "by hand",
	}, {
		Title: "An inverter for 2000 in year 12",
		In: `{"system_cost": 10000, "annual_kwh": 5000, "electricity_rate_per_kwh": 0.2, "degradation_pct": 0, "discount_rate_pct": 0, "analysis_years": 20,
			"replacement_cost": 2000}`,
		Want: `{"lifetime_savings": 18000, "npv": 8000, "payback_years": 10}`,
		From: "by hand: 20 × 1000 - 2000",
	}, {
		Title: "Time of use: 58.45 % of the yield in peak hours",
		In:    `{"system_cost": 15000, "annual_kwh": 8000, "electricity_rate_per_kwh": 0.17581, "peak_rate_per_kwh": 0.19935, "peak_share_pct": 58.45}`,
		Want:  `{"year1_savings": 1516.6}`,
		From:  "community.sense.com, topic 10780: 0.189567 per kWh on average",
	}},
}, solarROI)

type solarROIIn struct {
	Cost            float64  `json:"system_cost" unit:"currency" gt:"0" max:"1e15" example:"15000" label:"System cost" doc:"Price of the system, before incentives"`
	AnnualKWh       *float64 `json:"annual_kwh" unit:"kWh" gt:"0" max:"1e15" example:"8000" label:"Annual energy" doc:"Energy of the first year; alternative to system_kw"`
	SystemKW        *float64 `json:"system_kw" unit:"kW" gt:"0" max:"1e12" label:"Array power" doc:"Rated power of the array, with peak_sun_hours; alternative to annual_kwh"`
	PeakSunHours    *float64 `json:"peak_sun_hours" unit:"h" gt:"0" max:"12" label:"Peak sun hours" doc:"Mean daily peak sun hours over the year; required with system_kw"`
	RatioPct        float64  `json:"performance_ratio_pct" unit:"%" gt:"0" max:"100" default:"80" label:"Performance ratio" doc:"Energy delivered divided by rated power times sun hours; used with system_kw"`
	Rate            float64  `json:"electricity_rate_per_kwh" unit:"currency/kWh" gt:"0" max:"1e9" example:"0.18" label:"Electricity price" doc:"Price of the grid electricity saved"`
	SelfPct         float64  `json:"self_consumption_pct" unit:"%" min:"0" max:"100" default:"100" label:"Self-consumption" doc:"Share of the energy used on site"`
	ExportRate      float64  `json:"export_rate_per_kwh" unit:"currency/kWh" min:"0" max:"1e9" default:"0" label:"Feed-in tariff" doc:"Payment for exported energy"`
	EscalationPct   float64  `json:"rate_escalation_pct" unit:"%/yr" gt:"-100" max:"100" default:"0" label:"Electricity price increase" doc:"Yearly increase of electricity price and feed-in tariff"`
	DegradationPct  float64  `json:"degradation_pct" unit:"%/yr" min:"0" max:"100" default:"0.5" label:"Degradation" doc:"Yearly loss of output"`
	IncentivePct    float64  `json:"incentive_pct" unit:"%" min:"0" max:"100" default:"0" label:"Incentive" doc:"Share of the system cost that is refunded"`
	IncentiveMoney  float64  `json:"incentive_amount" unit:"currency" min:"0" max:"1e15" default:"0" label:"Rebate" doc:"Fixed rebate, in addition to incentive_pct"`
	AnnualCost      float64  `json:"annual_cost" unit:"currency" min:"0" max:"1e15" default:"0" label:"Annual operating cost" doc:"Maintenance and insurance in the first year"`
	CostRisePct     float64  `json:"cost_escalation_pct" unit:"%/yr" gt:"-100" max:"100" default:"0" label:"Operating cost increase" doc:"Yearly increase of annual_cost"`
	DiscountPct     float64  `json:"discount_rate_pct" unit:"%/yr" min:"0" max:"100" default:"5" label:"Discount rate" doc:"Discount rate"`
	Years           int      `json:"analysis_years" unit:"yr" min:"1" max:"50" default:"25" label:"Analysis period" doc:"Analysis period in years"`
	Replacement     float64  `json:"replacement_cost" unit:"currency" min:"0" max:"1e15" default:"0" label:"Replacement cost" doc:"Cost of replacing the inverter or battery, paid once in replacement_year"`
	PeakRate        *float64 `json:"peak_rate_per_kwh" unit:"currency/kWh" gt:"0" max:"1e9" label:"Peak price" doc:"Time-of-use price in peak hours; used with peak_share_pct"`
	PeakSharePct    float64  `json:"peak_share_pct" unit:"%" min:"0" max:"100" default:"0" label:"Peak share" doc:"Share of the self-consumed energy in peak hours"`
	ReplacementYear int      `json:"replacement_year" unit:"1" min:"1" max:"50" default:"12" label:"Replacement year" doc:"Year in which replacement_cost is paid"`
}

type solarROIOut struct {
	NetCost           float64        `json:"net_cost" unit:"currency" label:"Net cost" doc:"System cost after incentives"`
	AnnualKWh         float64        `json:"annual_kwh" unit:"kWh" label:"First-year energy" doc:"Energy of the first year"`
	Year1Savings      float64        `json:"year1_savings" unit:"currency" label:"First-year savings" doc:"Savings and export income of the first year, minus annual_cost, without a replacement"`
	SimplePayback     *float64       `json:"simple_payback_years" unit:"yr" label:"Simple payback time" doc:"Net cost divided by the first year's savings; null when these are not positive"`
	Payback           *float64       `json:"payback_years" unit:"yr" label:"Payback time" doc:"Time until the savings cover the net cost; null beyond the analysis period"`
	DiscountedPayback *float64       `json:"discounted_payback_years" unit:"yr" label:"Discounted payback time" doc:"Payback time with discounted savings"`
	NPV               float64        `json:"npv" unit:"currency" label:"Net present value" doc:"Net present value"`
	IRRPct            *float64       `json:"irr_pct" unit:"%/yr" label:"Internal rate of return" doc:"Internal rate of return; null when none lies between -99 and 10000 %"`
	ROIPct            float64        `json:"roi_pct" unit:"%" label:"Return on investment" doc:"Gain divided by net cost, undiscounted"`
	LifetimeKWh       float64        `json:"lifetime_kwh" unit:"kWh" label:"Lifetime energy" doc:"Energy of all years"`
	LifetimeSavings   float64        `json:"lifetime_savings" unit:"currency" label:"Lifetime savings" doc:"Savings of all years"`
	LCOE              float64        `json:"lcoe_per_kwh" unit:"currency/kWh" label:"LCOE" doc:"Levelized cost of energy"`
	CashFlow          []solarROIYear `json:"cash_flow" plot:"year" label:"Cash flow" doc:"Cash flow by year"`
	tools.Warnings
}

type solarROIYear struct {
	Year       int     `json:"year" unit:"1" label:"Year" doc:"Year, from 1"`
	KWh        float64 `json:"kwh" unit:"kWh" label:"Energy" doc:"Energy of the year"`
	Savings    float64 `json:"savings" unit:"currency" label:"Savings" doc:"Savings of the year, minus its cost"`
	Cumulative float64 `json:"cumulative" unit:"currency" label:"Cumulative cash flow" doc:"Savings to date, minus the net cost"`
}

func solarROI(_ context.Context, in solarROIIn) (solarROIOut, error) {
	out := solarROIOut{NetCost: in.Cost*(1-in.IncentivePct/100) - in.IncentiveMoney}
	if err := in.check(out.NetCost); err != nil {
		return solarROIOut{}, err
	}
	if in.AnnualKWh != nil {
		out.AnnualKWh = *in.AnnualKWh
	} else {
		out.AnnualKWh = *in.SystemKW * *in.PeakSunHours * in.RatioPct / 100 * 365
	}
	saved := in.Rate
	if in.PeakRate != nil {
		saved += in.PeakSharePct / 100 * (*in.PeakRate - in.Rate)
	}
	worth := in.SelfPct/100*saved + (1-in.SelfPct/100)*in.ExportRate

	out.CashFlow = make([]solarROIYear, in.Years)
	kept, dearer, costlier := 1-in.DegradationPct/100, 1+in.EscalationPct/100, 1+in.CostRisePct/100
	discount := 1 / (1 + in.DiscountPct/100)
	cumulative, discounted := -out.NetCost, -out.NetCost
	levelCost, levelKWh := out.NetCost, 0.0
	for i := range out.CashFlow {
		age, present := float64(i), math.Pow(discount, float64(i+1))
		kwh := out.AnnualKWh * math.Pow(kept, age)
		cost := in.AnnualCost * math.Pow(costlier, age)
		if i+1 == in.ReplacementYear {
			cost += in.Replacement
		}
		savings := kwh*worth*math.Pow(dearer, age) - cost
		payback(&out.Payback, age, cumulative, savings, out.NetCost)
		payback(&out.DiscountedPayback, age, discounted, savings*present, out.NetCost)
		cumulative += savings
		discounted += savings * present
		levelCost += cost * present
		levelKWh += kwh * present
		out.LifetimeKWh += kwh
		out.LifetimeSavings += savings
		out.CashFlow[i] = solarROIYear{i + 1, kwh, savings, cumulative}
	}
	out.Year1Savings = out.CashFlow[0].Savings
	if in.ReplacementYear == 1 {
		out.Year1Savings += in.Replacement
	}
	if out.Year1Savings > 0 {
		years := out.NetCost / out.Year1Savings
		out.SimplePayback = &years
	}
	out.NPV = discounted
	out.IRRPct = internalRate(out.NetCost, out.CashFlow)
	out.ROIPct = 100 * (out.LifetimeSavings - out.NetCost) / out.NetCost
	out.LCOE = levelCost / levelKWh
	in.warn(&out)
	return out, nil
}

func (in solarROIIn) check(net float64) error {
	var f tools.FieldErrors
	choice.ExactlyOne(&f, choice.Of("annual_kwh", in.AnnualKWh != nil),
		choice.Of("system_kw", in.SystemKW != nil))
	if in.SystemKW != nil && in.PeakSunHours == nil {
		f.Add("peak_sun_hours",
			"is required with system_kw, to give the energy: a number greater than 0 and at most 12, in h")
	}
	if net <= tolerance.Relative*in.Cost {
		const detail = "leaves nothing to pay: the incentives must be below system_cost %g"
		if in.IncentivePct > 0 {
			f.AddValue("incentive_pct", in.IncentivePct, detail, in.Cost)
		}
		if in.IncentiveMoney > 0 {
			f.AddValue("incentive_amount", in.IncentiveMoney, detail, in.Cost)
		}
	}
	return f.Err()
}

// payback records the time at which a year's cash flow raises the sum to 0, unless a time is
// already recorded. A tolerance covers rounding of the last cent, which would turn "at the end of
// the last year" into "never".
func payback(at **float64, age, before, flow, net float64) {
	if *at == nil && flow > 0 && before+flow >= -tolerance.Relative*net {
		t := age + math.Min(1, -before/flow)
		*at = &t
	}
}

func (in solarROIIn) warn(out *solarROIOut) {
	if out.Payback == nil {
		out.Warn("the system does not pay back within %d years", in.Years)
	}
	if out.Payback != nil && *out.Payback < 0.25 {
		out.Warn(
			"payback_years of %.3g is implausible: check system_cost %g and electricity_rate_per_kwh %g, in currency per kWh and not in cents",
			*out.Payback, in.Cost, in.Rate)
	}
	if tolerance.Above(in.EscalationPct, 5) {
		out.Warn(
			"a rate_escalation_pct of %g is optimistic: electricity prices have rarely risen more than 5 %% a year for long",
			in.EscalationPct,
		)
	}
	choice.Ignored(&out.Warnings, "it needs peak_rate_per_kwh",
		choice.Of("peak_share_pct", in.PeakRate == nil && in.PeakSharePct != 0))
	choice.Ignored(&out.Warnings, "it needs peak_share_pct",
		choice.Of("peak_rate_per_kwh", in.PeakRate != nil && in.PeakSharePct == 0))
	choice.Ignored(&out.Warnings, "it needs replacement_cost",
		choice.Of("replacement_year", in.Replacement == 0 && in.ReplacementYear != 12))
	if in.Replacement > 0 && in.ReplacementYear > in.Years {
		out.Warn("replacement_year %d is after the analysis_years %d: its cost is left out",
			in.ReplacementYear, in.Years)
	}
	if end := out.CashFlow[in.Years-1].Cumulative; in.Replacement > 0 && out.Payback != nil &&
		end < -tolerance.Relative*out.NetCost {
		out.Warn(
			"the system does not pay back: after payback_years the replacement lowers the sum below 0, to %.6g at the end",
			end,
		)
	}
	if in.DegradationPct == 0 {
		out.Warn("a degradation_pct of 0 is optimistic: modules lose about 0.5 %% a year")
	}
	if in.AnnualKWh != nil {
		if in.PeakSunHours != nil {
			choice.Ignored(&out.Warnings, "it has a meaning with system_kw only",
				choice.Of("peak_sun_hours", true))
		}
		if in.RatioPct != 80 {
			choice.Ignored(&out.Warnings, "it has a meaning with system_kw only",
				choice.Of("performance_ratio_pct", true))
		}
	}
}

// Search for the internal rate in terms of the discount factor v = 1/(1 + rate), in which the value
// is a polynomial. It covers 10000 % (v = 1/101) to -99 % (v = 100) in steps of 10 %.
const (
	irrLowest  = 1.0 / 101
	irrHighest = 100.0
	irrSteps   = 96
)

// internalRate returns the internal rate of return in percent, at which the discounted savings
// equal the net cost. It returns the highest such rate, or nil if the search finds none.
func internalRate(net float64, flow []solarROIYear) *float64 {
	value := func(v float64) float64 {
		sum := 0.0
		for i := len(flow) - 1; i >= 0; i-- {
			sum = (sum + flow[i].Savings) * v
		}
		return sum - net
	}
	step := math.Pow(irrHighest/irrLowest, 1.0/irrSteps)
	lo, atLo := irrLowest, value(irrLowest)
	before := lo
	for range irrSteps {
		hi := lo * step
		atHi := value(hi)
		if (atLo < 0) == (atHi < 0) {
			between, ok := money.Turn(value, before, lo, hi)
			if !ok {
				before, lo, atLo = lo, hi, atHi
				continue
			}
			lo, hi = before, between // two rates within one step
		}
		for range 64 { // reduces an interval of 10 % to the last bit
			mid := lo + (hi-lo)/2
			if mid <= lo || mid >= hi {
				break
			}
			if (value(mid) < 0) == (atLo < 0) {
				lo = mid
			} else {
				hi = mid
			}
		}
		rate := 100 * (1 - hi) / hi
		return &rate
	}
	return nil
}
