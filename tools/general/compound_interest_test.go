package general

import (
	"math"
	"testing"

	"slipstick/tools/tooltest"
)

func TestCompoundInterest(t *testing.T) {
	tooltest.Examples(t, CompoundInterest)
	tooltest.Cases(t, CompoundInterest, []tooltest.Case{
		{"the periods of a contribution of 0",
			`{"principal":1000,"annual_rate_pct":10,"years":2,"compounds_per_year":1,"contributions_per_year":4,"contribution_timing":"begin"}`,
			`{"final_amount":1210.0000000000,"warnings":["~contributions_per_year was ignored","~contribution_timing was ignored"]}`},
		{"yearly, by hand: 1000 × 1.1² = 1210",
			`{"principal":1000,"annual_rate_pct":10,"years":2,"compounds_per_year":1}`,
			`{"final_amount":1210.0000000000,"total_interest":210.0000000000,"effective_annual_rate_pct":10.0000000000,"growth_multiple":1.21000000000,"doubling_time_years":7.27254089734,
			"yearly":[{"year":1,"balance":1100.0000000000,"contributions":0,"interest":100.0000000000},{"year":2,"balance":1210.0000000000,"contributions":0,"interest":110.0000000000}]}`},
		{"continuous: 1000 e^0.5",
			`{"principal":1000,"annual_rate_pct":5,"years":10,"continuous":true}`,
			`{"final_amount":1648.721270700,"doubling_time_years":13.862943611199}`},
		{"annuity, by hand: 100 at the end of 3 years at 10 %: 121 + 110 + 100", `{"principal":0,"annual_rate_pct":10,"years":3,"compounds_per_year":1,"contribution":100,"contributions_per_year":1}`,
			`{"final_amount":331.0000000000,"total_contributions":300,"total_interest":31.0000000000,"growth_multiple":null}`},
		{"annuity due: 133.1 + 121 + 110", `{"principal":0,"annual_rate_pct":10,"years":3,"compounds_per_year":1,"contribution":100,"contributions_per_year":1,"contribution_timing":"begin"}`,
			`{"final_amount":364.1000000000,"total_interest":64.1000000000}`},
		{"half a period more: (121 + 110 + 100) × 1.1^0.5", `{"principal":0,"annual_rate_pct":10,"years":3.5,"compounds_per_year":1,"contribution":100,"contributions_per_year":1}`,
			`{"final_amount":347.1557287443,"total_contributions":300,"warnings":["~part period"]}`},
		{"monthly into yearly compounding: i = 1.12^(1/12) - 1, 100 × 0.12/i = 1264.6498", `{"principal":0,"annual_rate_pct":12,"years":1,"compounds_per_year":1,"contribution":100}`,
			`{"final_amount":1264.649790835,"total_contributions":1200}`},
		{"no interest", `{"principal":500,"annual_rate_pct":0,"years":2,"contribution":10}`,
			`{"final_amount":740,"total_interest":0,"doubling_time_years":null}`},
		{"a loss: 0.9²", `{"principal":100,"annual_rate_pct":-10,"years":2,"compounds_per_year":1}`,
			`{"final_amount":81.0000000000,"total_interest":-19.0000000000,"doubling_time_years":null}`},
		{"365 periods per year for 1.4 years are 511; the product is 6e-14 less", `{"principal":0,"annual_rate_pct":0,"years":1.4,"contribution":1,"contributions_per_year":365}`, `{"total_contributions":511,"warnings":[]}`},
		{"10 periods a year for 2.3 years are 23", `{"principal":0,"annual_rate_pct":0,"years":2.3,"contribution":1,"contributions_per_year":10}`, `{"total_contributions":23,"warnings":[]}`},
		{"a billionth of a percent: 12 payments earn (11+10+…+0) × 1e-11/12 each",
			`{"principal":0,"annual_rate_pct":1e-9,"years":1,"contribution":1}`,
			`{"total_interest":5.5000000000e-11}`},
		{"nothing", `{"principal":0,"annual_rate_pct":5,"years":0.5}`,
			`{"final_amount":0,"yearly":[],"warnings":["~nothing is invested"]}`},
		{"XIRR: Microsoft, 37.3363 %", `{"cash_flows":[{"date":"2008-01-01","amount":-10000},{"date":"2008-03-01","amount":2750},{"date":"2008-10-30","amount":4250},{"date":"2009-02-15","amount":3250},{"date":"2009-04-01","amount":2750}]}`,
			`{"effective_annual_rate_pct":37.33625,"final_amount":13000,"total_contributions":10000,"total_interest":3000,"growth_multiple":1.3000000,"yearly":[],"warnings":[]}`},
		{"XIRR by hand: 1100 for 1000 after 365 days, listed in any order", `{"cash_flows":[{"date":"2026-01-01","amount":1100},{"date":"2025-01-01","amount":-1000}]}`,
			`{"effective_annual_rate_pct":10.000000000}`},
		{"XIRR by hand: a loss of a half in 730 days, √0.5 - 1", `{"cash_flows":[{"date":"2025-01-01","amount":-1000},{"date":"2027-01-01","amount":500}]}`,
			`{"effective_annual_rate_pct":-29.2893218813,"doubling_time_years":null}`},
		{"XIRR by hand: roots 5 % and 5.1 %, 0.1 % apart", `{"cash_flows":[{"date":"2025-01-01","amount":-1000},{"date":"2026-01-01","amount":2101},{"date":"2027-01-01","amount":-1103.55}]}`,
			`{"effective_annual_rate_pct":5.00000,"warnings":["~change their sign 2 times"]}`},
		{"XIRR by hand: -100, 230, -132 a year apart: roots 10 % and 20 %", `{"cash_flows":[{"date":"2025-01-01","amount":-100},{"date":"2026-01-01","amount":230},{"date":"2027-01-01","amount":-132}]}`,
			`{"effective_annual_rate_pct":10.000000000,"warnings":["~several rates"]}`},
		{"XIRR by hand: 1 % in 73 days is 1.01^5 - 1 in a year", `{"cash_flows":[{"date":"2025-01-01","amount":-100},{"date":"2025-03-15","amount":101}]}`,
			`{"effective_annual_rate_pct":5.10100501,"warnings":["~less than a year"]}`},
		{"XIRR by hand: the payments of a day in any order: 110 for 100 after 365 days", `{"cash_flows":[{"date":"2024-01-01","amount":5},{"date":"2024-01-01","amount":-5},{"date":"2025-01-01","amount":100},{"date":"2025-01-01","amount":-200},{"date":"2026-01-01","amount":110}]}`,
			`{"effective_annual_rate_pct":10.000000000,"warnings":[]}`},
		{"XIRR by hand: a date without payment long before, 100 % in 365 days", `{"cash_flows":[{"date":"0001-01-01","amount":0},{"date":"2025-01-01","amount":-100},{"date":"2026-01-01","amount":200}]}`,
			`{"effective_annual_rate_pct":100.00000000}`},
		{"XIRR by hand: amounts whose product underflows", `{"cash_flows":[{"date":"2025-01-01","amount":-1e-200},{"date":"2026-01-01","amount":2e-200}]}`,
			`{"effective_annual_rate_pct":100.00000000}`},
		{"compounding given twice",
			`{"principal":1,"annual_rate_pct":5,"years":1,"continuous":true,"compounds_per_year":4}`, `{"warnings":["~compounds_per_year is ignored"]}`},
	})
	tooltest.InvalidCases(t, CompoundInterest, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"principal", "annual_rate_pct", "years"}, "is required"},
		{"payments of one sign", `{"cash_flows":[{"date":"2025-01-01","amount":1},{"date":"2026-01-01","amount":1}]}`,
			[]string{"cash_flows"}, "negative amount"},
		{"all on one day", `{"cash_flows":[{"date":"2025-01-01","amount":-1},{"date":"2025-01-01","amount":2}]}`,
			[]string{"cash_flows"}, "no rate of return"},
		{"all on one day, as much out as in: every rate balances them", `{"cash_flows":[{"date":"2025-01-01","amount":-1},{"date":"2025-01-01","amount":1}]}`,
			[]string{"cash_flows"}, "no rate of return"},
		{"no day", `{"cash_flows":[{"date":"2025-01-01","amount":-1},{"date":"2025-02-30","amount":2}]}`,
			[]string{"cash_flows[1].date"}, "not a day"},
		{"payments and a principal", `{"principal":1,"cash_flows":[{"date":"2025-01-01","amount":-1},{"date":"2026-01-01","amount":2}]}`,
			[]string{"principal"}, "contradicts cash_flows"},
		{"negative principal", `{"principal":-1,"annual_rate_pct":5,"years":1}`,
			[]string{"principal"}, "0 to 1e+15"},
		{"no time", `{"principal":1,"annual_rate_pct":5,"years":0}`, []string{"years"},
			"greater than 0"},
		{"never compounded", `{"principal":1,"annual_rate_pct":5,"years":1,"compounds_per_year":0}`,
			[]string{"compounds_per_year"}, "1 to 8760"},
		{"total loss", `{"principal":1,"annual_rate_pct":-100,"years":1}`,
			[]string{"annual_rate_pct"}, "greater than -100"},
		{"beyond the doubles: e^2000",
			`{"principal":1,"annual_rate_pct":1000,"years":200,"continuous":true}`,
			[]string{"annual_rate_pct", "years"}, "outgrows"},
	})
}

// TestAnnuityInterest compares the closed form with the sum of the interest of each payment.
func TestAnnuityInterest(t *testing.T) {
	for _, λ := range []float64{-0.3, -1e-4, 1e-7, 9e-5, 0.004, 0.05} {
		for _, first := range []float64{0, 0.25, 1} {
			n := 1200
			want := 0.0
			for j := range n {
				want += math.Expm1(λ * (first + float64(j)))
			}
			if got := annuityInterest(λ, first, n); !(math.Abs(got/want-1) < 1e-12) {
				t.Errorf("λ = %g, first %g: %.15g, want %.15g", λ, first, got, want)
			}
		}
	}
}

// TestCompoundYearsAddUp verifies that the yearly results sum to the totals. It also verifies that
// the interest of a year is the change of the balance minus the contributions.
func TestCompoundYearsAddUp(t *testing.T) {
	out, err := compoundInterest(t.Context(), compoundInterestIn{Principal: new(5000.0),
		AnnualRatePct: new(7.3), Years: new(30.0), CompoundsPerYear: 365,
		Contribution: 250, ContributionsPerYear: 26, ContributionTiming: "begin"})
	if err != nil || len(out.Yearly) != 30 {
		t.Fatalf("%d years, %v", len(out.Yearly), err)
	}
	balance, interest := 5000.0, 0.0
	for _, y := range out.Yearly {
		if gain := y.Balance - balance - y.Contributions; math.Abs(gain-y.Interest) > 1e-8 {
			t.Errorf("year %d: gained %g, interest %g", y.Year, gain, y.Interest)
		}
		balance = y.Balance
		interest += y.Interest
	}
	if math.Abs(balance-out.FinalAmount) > 1e-8 || math.Abs(interest-out.TotalInterest) > 1e-8 {
		t.Errorf("the years end at %.10g with %.10g interest, the whole at %.10g with %.10g",
			balance, interest, out.FinalAmount, out.TotalInterest)
	}
}
