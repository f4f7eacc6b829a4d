package general

import (
	"context"

	"slipstick/tools"
	"slipstick/tools/choice"
)

// SalaryToHourly converts pay between hourly, daily, weekly, monthly and yearly amounts.
var SalaryToHourly = tools.Define(tools.Spec{
	Name:    "salary_to_hourly",
	Title:   "Salary to hourly wage",
	Summary: "Pay for one period converted to an hour, a day, a week, two weeks, half a month, a month and a year",
	Method: "With h hours and d days a week and w paid weeks a year: annual = amount × (h w for an hour, d w for a day, w for a week, w/2 for two weeks, " +
		"24 for half a month, 12 for a month); hourly = annual/(h w); weekly = annual/w; daily = weekly/d; biweekly = 2 weekly; " +
		"semimonthly = annual/24; monthly = annual/12. Overtime adds hourly × multiplier × overtime hours × w. Nothing is rounded",
	Sources: []string{"U.S. Office of Personnel Management, computation of hourly rates of pay, in its general form annual/(hours × weeks); OPM's own divisor is 2087 hours"},
	Limits:  []string{"Gross pay: taxes, benefits and unpaid leave other than through weeks_per_year are not modelled"},
	Aliases: []string{"wage", "hourly rate", "annual salary", "pay", "overtime", "biweekly"},
	Examples: []tools.Example{{
		Title: "75000 a year, 40 hours a week",
		In:    `{"amount": 75000}`,
		Want:  `{"hourly": 36.05769231, "weekly": 1442.307692, "biweekly": 2884.615385, "monthly": 6250, "annual": 75000, "hours_per_year": 2080, "warnings": []}`,
	}, {
		Title: "20 per hour",
		In:    `{"amount": 20, "period": "hour"}`,
		Want:  `{"annual": 41600, "weekly": 800}`,
		From:  "by hand: 40 hours, 52 weeks",
	}, {
		Title: "4000 per month",
		In:    `{"amount": 4000, "period": "month"}`,
		Want:  `{"annual": 48000, "hourly": 23.07692}`,
		From:  "by hand: 48000/2080",
	}},
}, salaryToHourly)

type salaryToHourlyIn struct {
	Amount             float64 `json:"amount" unit:"currency" gt:"0" max:"1e15" example:"75000" label:"Gross pay" doc:"Gross pay for one period"`
	Period             string  `json:"period" enum:"hour,day,week,biweek,semimonth,month,year" default:"year" label:"Pay period" doc:"Period of the amount"`
	HoursPerWeek       float64 `json:"hours_per_week" unit:"h" gt:"0" max:"168" default:"40" label:"Hours per week" doc:"Regular hours per week"`
	WeeksPerYear       float64 `json:"weeks_per_year" unit:"week" gt:"0" max:"53" default:"52" label:"Paid weeks per year" doc:"Paid weeks per year"`
	DaysPerWeek        float64 `json:"days_per_week" unit:"d" gt:"0" max:"7" default:"5" label:"Working days per week" doc:"Working days per week"`
	OvertimeHours      float64 `json:"overtime_hours_per_week" unit:"h" min:"0" max:"168" default:"0" label:"Overtime hours per week" doc:"Overtime hours per week, in addition to the regular ones"`
	OvertimeMultiplier float64 `json:"overtime_multiplier" unit:"1" min:"1" max:"100" default:"1.5" label:"Overtime multiplier" doc:"Pay of an overtime hour relative to a regular one"`
}

type salaryToHourlyOut struct {
	Hourly             float64 `json:"hourly" unit:"currency/h" label:"Hourly pay" doc:"Pay per hour"`
	Daily              float64 `json:"daily" unit:"currency" label:"Daily pay" doc:"Pay per working day"`
	Weekly             float64 `json:"weekly" unit:"currency" label:"Weekly pay" doc:"Pay per week"`
	Biweekly           float64 `json:"biweekly" unit:"currency" label:"Biweekly pay" doc:"Pay per two weeks"`
	Semimonthly        float64 `json:"semimonthly" unit:"currency" label:"Semimonthly pay" doc:"Pay per half month (24 per year)"`
	Monthly            float64 `json:"monthly" unit:"currency" label:"Monthly pay" doc:"Pay per month"`
	Annual             float64 `json:"annual" unit:"currency" label:"Annual pay" doc:"Pay per year without overtime"`
	HoursPerYear       float64 `json:"hours_per_year" unit:"h" label:"Hours per year" doc:"Regular hours per year"`
	AnnualWithOvertime float64 `json:"annual_with_overtime" unit:"currency" label:"Annual pay with overtime" doc:"Pay per year with overtime"`
	tools.Warnings
}

func salaryToHourly(_ context.Context, in salaryToHourlyIn) (salaryToHourlyOut, error) {
	var out salaryToHourlyOut
	if in.HoursPerWeek+in.OvertimeHours > 168 {
		var f tools.FieldErrors
		f.AddValue("overtime_hours_per_week", in.OvertimeHours,
			"a week has 168 hours, of which hours_per_week takes %g", in.HoursPerWeek)
		return out, f.Err()
	}
	h, w := in.HoursPerWeek, in.WeeksPerYear
	periods := map[string]struct {
		perYear float64
		field   *float64
	}{
		"hour":      {h * w, &out.Hourly},
		"day":       {in.DaysPerWeek * w, &out.Daily},
		"week":      {w, &out.Weekly},
		"biweek":    {w / 2, &out.Biweekly},
		"semimonth": {24, &out.Semimonthly},
		"month":     {12, &out.Monthly},
		"year":      {1, &out.Annual},
	}
	given := periods[in.Period]
	annual := in.Amount * given.perYear
	for _, p := range periods {
		*p.field = annual / p.perYear
	}
	*given.field = in.Amount // returned as given, not converted to a year and back
	out.HoursPerYear = h * w
	out.AnnualWithOvertime = annual + out.Hourly*in.OvertimeMultiplier*in.OvertimeHours*w
	choice.Ignored(&out.Warnings, "it needs overtime_hours_per_week",
		choice.Of("overtime_multiplier", in.OvertimeHours == 0 && in.OvertimeMultiplier != 1.5))
	if total := h + in.OvertimeHours; total > 60 {
		out.Warn("%g hours a week is above 60; check hours_per_week", total)
	}
	if w > 52 {
		out.Warn("weeks_per_year is above 52: a year has 52 weeks and one or two days")
	}
	return out, nil
}
