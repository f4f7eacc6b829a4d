package general

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"slipstick/tools"
	"slipstick/tools/calendar"
	"slipstick/tools/choice"
)

// DateDifference computes the time between two dates.
var DateDifference = tools.Define(tools.Spec{
	Name:    "date_difference",
	Title:   "Days between dates",
	Summary: "Days, weeks, months, years and business days between two dates",
	Method: "The interval runs from the earlier date up to, not including, the later one; " +
		"include_end_date makes it one day longer. Months: the most whole months that fit, each " +
		"counted from the first day and clamped to the end of its month (Jan 31 + 1 = Feb 29). " +
		"The rest is days. Business days = days less weekend days less holidays on other days. " +
		"Proleptic Gregorian calendar",
	Sources: []string{"ISO 8601-1:2019, 4.2.1 (the Gregorian calendar, proleptic before 1582)"},
	Limits: []string{
		"Calendar days without time of day or time zone; public holidays must be given"},
	Aliases: []string{"days between", "date calculator", "age", "business days", "working days",
		"duration"},
	Examples: []tools.Example{
		{
			Title: "End of January to March in a leap year",
			In:    `{"start_date": "2024-01-31", "end_date": "2024-03-01"}`,
			Want: `{"total_days": 30, "years": 0, "months": 1, "days": 1, "business_days": 22, "weekend_days": 8, "start_weekday": "Wednesday",
				"direction": "forward", "weeks": 4, "weeks_remainder_days": 2, "warnings": []}`,
		},
		{
			Title: "Backwards",
			In:    `{"start_date": "2024-03-10", "end_date": "2024-01-10"}`,
			Want:  `{"total_days": -60, "direction": "backward", "months": 2, "days": 0}`,
		},
		{
			Title: "Over a leap day",
			In:    `{"start_date": "2024-02-28", "end_date": "2024-03-01"}`,
			Want:  `{"total_days": 2}`,
			From:  "by hand",
		},
	},
}, dateDifference)

type dateDifferenceIn struct {
	StartDate      string    `json:"start_date" example:"2024-01-31" label:"Start date" doc:"First date, YYYY-MM-DD"`
	EndDate        string    `json:"end_date" example:"2024-03-01" label:"End date" doc:"Second date, YYYY-MM-DD; may be the earlier one"`
	IncludeEndDate bool      `json:"include_end_date" default:"false" label:"Include end date" doc:"Count the end date as well"`
	Weekend        []string  `json:"weekend" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" maxItems:"6" default:"[\"saturday\",\"sunday\"]" label:"Weekend" doc:"Days of the week that are not business days"`
	Holidays       *[]string `json:"holidays" maxItems:"1000" label:"Holidays" doc:"Additional days that are not business days, YYYY-MM-DD"`
}

type dateDifferenceOut struct {
	TotalDays       int    `json:"total_days" unit:"d" label:"Total days" doc:"Days of the interval; negative when the end is before the start"`
	Direction       string `json:"direction" label:"Direction" doc:"forward, backward or same"`
	Years           int    `json:"years" unit:"year" label:"Years" doc:"Whole years"`
	Months          int    `json:"months" unit:"month" label:"Months" doc:"Whole months beyond the years"`
	Days            int    `json:"days" unit:"d" label:"Days" doc:"Days beyond the months"`
	TotalMonths     int    `json:"total_months" unit:"month" label:"Total months" doc:"Whole months in total"`
	Weeks           int    `json:"weeks" unit:"week" label:"Weeks" doc:"Whole weeks"`
	WeeksRemainder  int    `json:"weeks_remainder_days" unit:"d" label:"Remaining days" doc:"Days beyond the weeks"`
	BusinessDays    int    `json:"business_days" unit:"d" label:"Business days" doc:"Days that are neither weekend nor holiday"`
	WeekendDays     int    `json:"weekend_days" unit:"d" label:"Weekend days" doc:"Weekend days"`
	HolidaysCounted int    `json:"holidays_counted" unit:"d" label:"Holidays counted" doc:"Holidays in the interval that are not weekend days"`
	StartWeekday    string `json:"start_weekday" label:"Start weekday" doc:"Day of the week of start_date"`
	EndWeekday      string `json:"end_weekday" label:"End weekday" doc:"Day of the week of end_date"`
	tools.Warnings
}

func dateDifference(_ context.Context, in dateDifferenceIn) (dateDifferenceOut, error) {
	var out dateDifferenceOut
	var f tools.FieldErrors
	read := func(path, s string) time.Time {
		d, err := calendar.ParseDay(s)
		if err != nil {
			f.AddValue(path, s, "%v", err)
		}
		return d
	}
	start, end := read("start_date", in.StartDate), read("end_date", in.EndDate)
	var holidays []time.Time
	for i, s := range choice.Or(in.Holidays, nil) {
		holidays = append(holidays, read(fmt.Sprintf("holidays[%d]", i), s))
	}
	if err := f.Err(); err != nil {
		return out, err
	}

	out.StartWeekday, out.EndWeekday = start.Weekday().String(), end.Weekday().String()
	from, to := start, end
	sign := 1
	switch {
	case end.After(start):
		out.Direction = "forward"
	case end.Before(start):
		out.Direction = "backward"
		from, to, sign = end, start, -1
	default:
		out.Direction = "same"
	}
	if in.IncludeEndDate {
		to = to.AddDate(0, 0, 1)
	}
	days := calendar.DaysBetween(from, to)
	out.TotalDays = sign * days
	out.Weeks, out.WeeksRemainder = days/7, days%7

	months := (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
	if calendar.AddMonths(from, months).After(to) {
		months--
	}
	out.TotalMonths, out.Years, out.Months = months, months/12, months%12
	out.Days = calendar.DaysBetween(calendar.AddMonths(from, months), to)

	out.countBusinessDays(in.Weekend, holidays, from, to)
	if from.Before(time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC)) {
		out.Warn("dates before 1582-10-15 use the Gregorian calendar, which was not in use then")
	}
	return out, nil
}

// countBusinessDays adds the numbers of weekend days, holidays and business days from one day up to
// the day before another.
func (out *dateDifferenceOut) countBusinessDays(weekend []string, holidays []time.Time,
	from, to time.Time) {
	days := calendar.DaysBetween(from, to)
	isWeekend := [7]bool{}
	for _, name := range weekend {
		isWeekend[weekdayNamed(name)] = true
	}
	for day, off := range isWeekend {
		if !off {
			continue
		}
		out.WeekendDays += days / 7
		if (day-int(from.Weekday())+7)%7 < days%7 {
			out.WeekendDays++
		}
	}
	ignored := 0
	slices.SortFunc(holidays, time.Time.Compare)
	for _, h := range slices.CompactFunc(holidays, time.Time.Equal) {
		if h.Before(from) || !h.Before(to) || isWeekend[h.Weekday()] {
			ignored++
		} else {
			out.HolidaysCounted++
		}
	}
	out.BusinessDays = days - out.WeekendDays - out.HolidaysCounted

	if ignored > 0 {
		out.Warn("%d of the holidays do not count: they lie outside the interval or on a weekend",
			ignored)
	}
}

// weekdayNamed returns the day of the week with an English name in lower case.
func weekdayNamed(name string) time.Weekday {
	for d := time.Sunday; d < time.Saturday; d++ {
		if strings.EqualFold(d.String(), name) {
			return d
		}
	}
	return time.Saturday
}
