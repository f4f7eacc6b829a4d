package general

import (
	"fmt"
	"testing"

	"slipstick/tools/tooltest"
)

func TestSalaryToHourly(t *testing.T) {
	tooltest.Examples(t, SalaryToHourly)
	tooltest.Cases(t, SalaryToHourly, []tooltest.Case{
		{"a multiplier without overtime", `{"amount":52000,"overtime_multiplier":2}`,
			`{"hourly":25,"annual_with_overtime":52000,"warnings":["~overtime_multiplier was ignored"]}`},
		{"25 an hour: × 40 × 52 = 52000", `{"amount":25,"period":"hour"}`, `{"annual":52000,"hourly":25,"daily":200,"weekly":1000,"biweekly":2000,"monthly":4333.33333333333,"semimonthly":2166.66666666667}`},
		{"200 a day: × 5 × 52", `{"amount":200,"period":"day"}`,
			`{"annual":52000,"hourly":25,"daily":200}`},
		{"2000 in two weeks: × 26", `{"amount":2000,"period":"biweek"}`,
			`{"annual":52000,"weekly":1000}`},
		{"1000 in half a month: × 24", `{"amount":1000,"period":"semimonth"}`,
			`{"annual":24000,"monthly":2000,"semimonthly":1000}`},
		{"3000 a month, 35 hours: 36000/1820 = 19.78021978",
			`{"amount":3000,"period":"month","hours_per_week":35}`,
			`{"hourly":19.78021978,"hours_per_year":1820}`},
		{"20 an hour, 10 hours at time and a half: 41600 + 20 × 1.5 × 10 × 52 = 57200",
			`{"amount":20,"period":"hour","overtime_hours_per_week":10}`,
			`{"annual":41600,"annual_with_overtime":57200,"warnings":[]}`},
		{"part of the year: 1000 a week, 40 paid weeks, 4 days",
			`{"amount":1000,"period":"week","weeks_per_year":40,"days_per_week":4}`,
			`{"annual":40000,"daily":250,"hours_per_year":1600}`},
		{"long weeks, long year",
			`{"amount":1000,"period":"week","weeks_per_year":52.2,"hours_per_week":61}`,
			`{"weekly":1000,"warnings":["~above 60","~above 52"]}`},
	})
	tooltest.InvalidCases(t, SalaryToHourly, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"amount"}, "is required"},
		{"zero", `{"amount":0}`, []string{"amount"}, "greater than 0"},
		{"fortnight", `{"amount":1,"period":"fortnight"}`, []string{"period"}, "biweek"},
		{"more hours than a week has", `{"amount":1,"hours_per_week":169}`,
			[]string{"hours_per_week"}, "at most 168"},
		{"overtime beyond the week",
			`{"amount":1,"hours_per_week":100,"overtime_hours_per_week":69}`,
			[]string{"overtime_hours_per_week"}, "168 hours"},
		{"a multiplier that takes away", `{"amount":1,"overtime_multiplier":0.5}`,
			[]string{"overtime_multiplier"}, "1 to 100"},
		{"no weeks", `{"amount":1,"weeks_per_year":0}`, []string{"weeks_per_year"},
			"greater than 0"},
	})
}

// TestSalaryRoundTrip verifies that conversion to a period and back returns the annual pay.
func TestSalaryRoundTrip(t *testing.T) {
	out, err := salaryToHourly(t.Context(), salaryToHourlyIn{Amount: 1234.5, Period: "month",
		HoursPerWeek: 37.5, WeeksPerYear: 46, DaysPerWeek: 4.5, OvertimeMultiplier: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	var cases []tooltest.Case
	for period, v := range map[string]float64{"hour": out.Hourly, "day": out.Daily,
		"week": out.Weekly, "biweek": out.Biweekly, "semimonth": out.Semimonthly,
		"year": out.Annual} {
		cases = append(cases, tooltest.Case{
			Name: "12 × 1234.5, by the " + period,
			In:   fmt.Sprintf(`{"amount":%.17g,"period":%q,"hours_per_week":37.5,"weeks_per_year":46,"days_per_week":4.5}`, v, period),
			Want: `{"annual":14814.0000000000}`,
		})
	}
	tooltest.Cases(t, SalaryToHourly, cases)
}
