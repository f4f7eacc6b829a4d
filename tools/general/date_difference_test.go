package general

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipstick/tools/calendar"
	"slipstick/tools/tooltest"
)

func TestDateDifference(t *testing.T) {
	tooltest.Examples(t, DateDifference)
	tooltest.Cases(t, DateDifference, []tooltest.Case{
		{"the leap year 2024 has 366 days, 262 of them Monday to Friday",
			`{"start_date":"2024-01-01","end_date":"2025-01-01"}`,
			`{"total_days":366,"years":1,"months":0,"days":0,"total_months":12,"weeks":52,"weeks_remainder_days":2,"business_days":262,"weekend_days":104}`},
		{"python: date(2000,2,29) to date(2024,2,28) is 8765 days",
			`{"start_date":"2000-02-29","end_date":"2024-02-28"}`,
			`{"total_days":8765,"years":23,"months":11,"days":30}`},
		{"Feb 29 plus twelve months is Feb 28",
			`{"start_date":"2024-02-29","end_date":"2025-02-28"}`,
			`{"years":1,"months":0,"days":0,"total_days":365}`},
		{"no drift: Jan 31 plus three months is Apr 30",
			`{"start_date":"2023-01-31","end_date":"2023-04-30"}`, `{"months":3,"days":0}`},
		{"one work week with the Friday",
			`{"start_date":"2024-03-04","end_date":"2024-03-08","include_end_date":true}`,
			`{"total_days":5,"business_days":5,"weekend_days":0,"end_weekday":"Friday"}`},
		{"one day", `{"start_date":"2024-03-04","end_date":"2024-03-04","include_end_date":true}`,
			`{"total_days":1,"direction":"same","days":1,"business_days":1}`},
		{"no day", `{"start_date":"2024-03-04","end_date":"2024-03-04"}`,
			`{"total_days":0,"direction":"same","business_days":0,"months":0}`},
		{"Christmas 2024 from Monday 23rd: 5 days less the 25th and 26th; the 28th is a Saturday, 2023 is outside", `{"start_date":"2024-12-23","end_date":"2024-12-30","holidays":["2024-12-25","2024-12-26","2024-12-25","2024-12-28","2023-12-25"]}`,
			`{"business_days":3,"weekend_days":2,"holidays_counted":2,"warnings":["~2 of the holidays"]}`},
		{"a Friday and Saturday weekend",
			`{"start_date":"2024-03-03","end_date":"2024-03-10","weekend":["friday","saturday"]}`, `{"business_days":5,"weekend_days":2}`},
		{"no weekend", `{"start_date":"2024-03-03","end_date":"2024-03-10","weekend":[]}`,
			`{"business_days":7,"weekend_days":0}`},
		{"backward, with the end",
			`{"start_date":"2024-03-10","end_date":"2024-01-10","include_end_date":true}`,
			`{"total_days":-61,"months":2,"days":1}`},
		{"the whole calendar: 9999 years of 365.2425 days less one day",
			`{"start_date":"0001-01-01","end_date":"9999-12-31","include_end_date":true}`,
			`{"total_days":3652059,"years":9999,"warnings":["~1582"]}`},
	})
	tooltest.InvalidCases(t, DateDifference, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"start_date", "end_date"}, "is required"},
		{"no leap year", `{"start_date":"2023-02-29","end_date":"2024-01-01"}`,
			[]string{"start_date"}, "not a day"},
		{"written otherwise", `{"start_date":"01/31/2024","end_date":"2024-1-1"}`,
			[]string{"start_date", "end_date"}, "YYYY-MM-DD"},
		{"year 0", `{"start_date":"0000-01-01","end_date":"2024-01-01"}`, []string{"start_date"},
			"0001 to 9999"},
		{"unknown weekday", `{"start_date":"2024-01-01","end_date":"2024-01-02","weekend":["Sat"]}`,
			[]string{"weekend[0]"}, "saturday"},
		{"bad holiday", `{"start_date":"2024-01-01","end_date":"2024-01-02","holidays":["2024-01-01","2024-13-01"]}`, []string{"holidays[1]"}, "not a day"},
		{"a week of weekends", `{"start_date":"2024-01-01","end_date":"2024-01-02","weekend":["monday","tuesday","wednesday","thursday","friday","saturday","sunday"]}`, []string{"weekend"}, "at most 6"},
	})
}

// TestDatePartsAddUp compares the number of weekend days with a count day by day. It also verifies
// that the start plus years, months and days is the end.
func TestDatePartsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epoch := time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
		start := epoch.AddDate(0, 0, rapid.IntRange(0, 3000).Draw(t, "start"))
		end := start.AddDate(0, 0, rapid.IntRange(0, 3000).Draw(t, "length"))
		out, err := dateDifference(t.Context(),
			dateDifferenceIn{StartDate: start.Format(time.DateOnly),
				EndDate: end.Format(time.DateOnly), Weekend: []string{"wednesday", "sunday"}})
		if err != nil {
			t.Fatal(err)
		}
		weekend := 0
		for d := start; d.Before(end); d = d.AddDate(0, 0, 1) {
			if d.Weekday() == time.Wednesday || d.Weekday() == time.Sunday {
				weekend++
			}
		}
		if weekend != out.WeekendDays || out.BusinessDays+weekend != out.TotalDays {
			t.Fatalf("%d weekend days, counted %d, of %d with %d business days", out.WeekendDays,
				weekend, out.TotalDays, out.BusinessDays)
		}
		if back := calendar.AddMonths(start, out.Years*12+out.Months).AddDate(0, 0,
			out.Days); !back.Equal(end) || out.Days > 30 {
			t.Fatalf("%d years, %d months, %d days lead to %v, not %v", out.Years, out.Months,
				out.Days, back, end)
		}
	})
}
