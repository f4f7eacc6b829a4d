package general

import (
	"context"

	"slipstick/tools"
)

// SalaryToHourly converts pay between an hour, a day, a week, a month and a year.
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
	}},
}, salaryToHourly)

type salaryToHourlyIn struct {
	Amount             float64 `json:"amount" unit:"currency" gt:"0" max:"1e15" example:"75000" doc:"Gross pay for one period"`
	Period             string  `json:"period" enum:"hour,day,week,biweek,semimonth,month,year" default:"year" doc:"What the amount is paid for"`
	HoursPerWeek       float64 `json:"hours_per_week" unit:"h" gt:"0" max:"168" default:"40" doc:"Regular hours a week"`
	WeeksPerYear       float64 `json:"weeks_per_year" unit:"week" gt:"0" max:"53" default:"52" doc:"Paid weeks a year"`
	DaysPerWeek        float64 `json:"days_per_week" unit:"d" gt:"0" max:"7" default:"5" doc:"Working days a week"`
	OvertimeHours      float64 `json:"overtime_hours_per_week" unit:"h" min:"0" max:"168" default:"0" doc:"Overtime hours a week, on top of the regular ones"`
	OvertimeMultiplier float64 `json:"overtime_multiplier" unit:"1" min:"1" max:"100" default:"1.5" doc:"Pay of an overtime hour against a regular one"`
}

type salaryToHourlyOut struct {
	Hourly             float64 `json:"hourly" unit:"currency/h" doc:"Pay of an hour"`
	Daily              float64 `json:"daily" unit:"currency" doc:"Pay of a working day"`
	Weekly             float64 `json:"weekly" unit:"currency" doc:"Pay of a week"`
	Biweekly           float64 `json:"biweekly" unit:"currency" doc:"Pay of two weeks"`
	Semimonthly        float64 `json:"semimonthly" unit:"currency" doc:"Pay of half a month (24 a year)"`
	Monthly            float64 `json:"monthly" unit:"currency" doc:"Pay of a month"`
	Annual             float64 `json:"annual" unit:"currency" doc:"Pay of a year without overtime"`
	HoursPerYear       float64 `json:"hours_per_year" unit:"h" doc:"Regular hours a year"`
	AnnualWithOvertime float64 `json:"annual_with_overtime" unit:"currency" doc:"Pay of a year with overtime"`
	tools.Warnings
}

func salaryToHourly(_ context.Context, in salaryToHourlyIn) (salaryToHourlyOut, error) {
	var out salaryToHourlyOut
	if in.HoursPerWeek+in.OvertimeHours > 168 {
		var f tools.Faults
		f.AddValue("overtime_hours_per_week", in.OvertimeHours, "a week has 168 hours, of which hours_per_week takes %g", in.HoursPerWeek)
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
	*given.field = in.Amount // not by way of the year and back
	out.HoursPerYear = h * w
	out.AnnualWithOvertime = annual + out.Hourly*in.OvertimeMultiplier*in.OvertimeHours*w
	if total := h + in.OvertimeHours; total > 60 {
		out.Warn("%g hours a week is above 60", total)
	}
	if w > 52 {
		out.Warn("weeks_per_year is above 52: a year has 52 weeks and one or two days")
	}
	return out, nil
}
