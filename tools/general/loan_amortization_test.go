package general

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/decimal"
	"slipstick/tools/tooltest"
)

func TestLoanAmortization(t *testing.T) {
	tooltest.Examples(t, LoanAmortization)
	tooltest.Cases(t, LoanAmortization, []tooltest.Case{
		{"by hand: 1000 at 1 % a month, 3 payments of 340.02; 10.00, 6.6998 and 3.3666 of interest; Jan 31, Feb 29, Mar 31",
			`{"principal":1000,"annual_rate_pct":12,"term_months":3,"first_payment_date":"2024-01-31"}`,
			`{"payment":340.02,"total_interest":20.07,"total_paid":1020.07,"payoff_date":"2024-03-31","warnings":[],"schedule":[
			{"period":1,"date":"2024-01-31","payment":340.02,"interest":10,"principal":330.02,"extra":0,"balance":669.98},
			{"period":2,"date":"2024-02-29","payment":340.02,"interest":6.7,"principal":333.32,"extra":0,"balance":336.66},
			{"period":3,"date":"2024-03-31","payment":340.03,"interest":3.37,"principal":336.66,"extra":0,"balance":0}]}`},
		{"no interest: 333.33, 333.33, 333.34",
			`{"principal":1000,"annual_rate_pct":0,"term_months":3,"include_schedule":false}`, `{"payment":333.33,"total_interest":0,"total_paid":1000,"effective_annual_rate_pct":0}`},
		{"21 % yearly is 10 % half-yearly: 1000/(1/1.1 + 1/1.21) = 576.19", `{"principal":1000,"annual_rate_pct":21,"term_years":1,"payments_per_year":2,"compounding_per_year":1}`,
			`{"payment":576.19,"total_interest":152.38,"effective_annual_rate_pct":21.0000000000,"schedule":[{"interest":100,"balance":523.81},{"interest":52.38,"payment":576.19,"balance":0}]}`},
		{"half a cent rounds away from zero: 1 at 0.5 % for one month is 1.005",
			`{"principal":1,"annual_rate_pct":6,"term_months":1,"include_schedule":false}`,
			`{"payment":1.01,"total_interest":0.01}`},
		{"with 60-digit decimals: biweekly, 780 payments", `{"principal":250000,"annual_rate_pct":3.875,"term_years":30,"payments_per_year":26,"first_payment_date":"2024-01-05","include_schedule":false}`,
			`{"payment":542.33,"total_interest":173020.27,"number_of_payments":780,"payoff_date":"2053-11-14"}`},
		{"with 60-digit decimals: weekly, compounded monthly; the last payment carries what rounding left", `{"principal":150000,"annual_rate_pct":4.5,"term_years":15,"payments_per_year":52,"compounding_per_year":12,"include_schedule":false}`,
			`{"payment":264.42,"total_interest":56252.25,"warnings":["~last payment is 269.07"]}`},
		{"single extras: 5000 in period 2; 7546.39 - 2484.28 - 5000 = 62.11 are left; period 9 comes too late", `{"principal":10000,"annual_rate_pct":5,"term_years":1,"payments_per_year":4,"extra_payments":[{"period":2,"amount":5000},{"period":9,"amount":1}]}`,
			`{"number_of_payments":3,"interest_saved":94.33,"payments_saved":1,"warnings":["~62.89","~period 9"],"schedule":[{"extra":0},{"extra":5000,"balance":62.11},{"payment":62.89,"interest":0.78,"balance":0}]}`},
		{"an extra beyond the balance is cut", `{"principal":1000,"annual_rate_pct":12,"term_months":12,"extra_payments":[{"period":1,"amount":5000}]}`,
			`{"number_of_payments":1,"total_interest":10,"payoff_date":null,"warnings":["~not needed in full"],"schedule":[{"payment":88.85,"principal":78.85,"extra":921.15,"balance":0}]}`},
		{"more than two decimals",
			`{"principal":12345.675,"annual_rate_pct":7.25,"term_years":5,"include_schedule":false}`, `{"payment":245.92,"total_paid":14755,"warnings":["~more than two decimals"]}`},
		{"a high rate", `{"principal":100,"annual_rate_pct":40,"term_years":1,"payments_per_year":1,"include_schedule":false}`, `{"payment":140,"warnings":["~above 36"]}`},
		{"the payment is that of equal periods: 1e6 at 6 % over 30 years", `{"principal":1000000,"annual_rate_pct":6,"term_years":30,"first_payment_date":"2024-02-01","start_date":"2024-01-01","day_count":"actual_360"}`,
			`{"payment":5995.51}`},
		{"by hand, actual/365, one payment after 366 days: 100000 × 5 % × 366/365", `{"principal":100000,"annual_rate_pct":5,"term_years":1,"payments_per_year":1,"first_payment_date":"2025-01-01","start_date":"2024-01-01","day_count":"actual_365","include_schedule":false}`,
			`{"total_interest":5013.70,"final_payment":105013.70,"payment":105000.00}`},
		{"by hand, actual/360, one payment after 366 days: 100000 × 5 % × 366/360", `{"principal":100000,"annual_rate_pct":5,"term_years":1,"payments_per_year":1,"first_payment_date":"2025-01-01","start_date":"2024-01-01","day_count":"actual_360","include_schedule":false}`,
			`{"total_interest":5083.33,"final_payment":105083.33}`},
		{"by hand, actual/360 over two months: 31 days on 1200 are 12.40, 29 days on 603.39 are 5.83", `{"principal":1200,"annual_rate_pct":12,"term_months":2,"first_payment_date":"2024-02-01","start_date":"2024-01-01","day_count":"actual_360"}`,
			`{"payment":609.01,"schedule":[{"interest":12.40,"principal":596.61,"balance":603.39},{"interest":5.83,"principal":603.39,"balance":0}],"final_payment":609.22,"total_interest":18.23}`},
		{"the last payment without a day count",
			`{"principal":1200,"annual_rate_pct":12,"term_months":2}`,
			`{"payment":609.01,"final_payment":609.02}`},
		{"APR by hand: one payment of 1100 for 950 is 15.789 %", `{"principal":1000,"annual_rate_pct":10,"term_years":1,"payments_per_year":1,"fees":50,"include_schedule":false}`, `{"payment":1100,"apr_pct":15.7894737}`},
		{"APR by hand: 576.19 twice for 900, 900 x² - 576.19 x - 576.19 = 0, x = 1.1818936", `{"principal":1000,"annual_rate_pct":20,"term_years":1,"payments_per_year":2,"fees":100,"include_schedule":false}`, `{"payment":576.19,"apr_pct":36.3787}`},
		{"APR by hand: no interest, 50 of 1000 kept, 1000/950 - 1", `{"principal":1000,"annual_rate_pct":0,"term_years":1,"payments_per_year":1,"fees":50,"include_schedule":false}`, `{"apr_pct":5.26315789}`},
		{"APR of the contract: extra payments do not change it", `{"principal":1000,"annual_rate_pct":20,"term_years":1,"payments_per_year":2,"fees":100,"extra_payment":50,"include_schedule":false}`, `{"apr_pct":36.3787,"interest_saved":5.0000}`},
		{"balloon: formsbirds.com, 500000 at 6 %, payment of 180 months, due after 60: 384265.10 with rounding", `{"principal":500000,"annual_rate_pct":6,"term_months":60,"amortization_years":15,"include_schedule":false}`,
			`{"payment":4219.28,"final_payment":384265.10,"total_interest":133202.62,"total_paid":633202.62,"number_of_payments":60,"warnings":["~balloon"]}`},
		{"balloon: HP 40gs manual, mortgage with balloon payment: 948.10 a month", `{"principal":150000,"annual_rate_pct":6.5,"term_years":10,"amortization_years":30,"include_schedule":false}`,
			`{"payment":948.10}`},
		{"balloon: mortgagevox.com, five years of 30 at 7.5 %, 699.21 and 94617 left", `{"principal":100000,"annual_rate_pct":7.5,"term_years":5,"amortization_years":30,"include_schedule":false}`,
			`{"payment":699.21}`},
		{"residual: gauthmath.com, 36 payments of 100 and 1676.57", `{"principal":4688.11,"annual_rate_pct":6,"term_years":3,"balloon":1676.57,"include_schedule":false}`,
			`{"payment":100,"number_of_payments":36,"warnings":["~balloon"]}`},
		{"residual: csr.engine.ac.nz, 55000 at 6 %, 20566.18 left after 48 months", `{"principal":55000,"annual_rate_pct":6,"term_years":4,"balloon":20566.18,"include_schedule":false}`,
			`{"payment":911.51}`},
		{"interest only: propertycalcs.com, 490000 at 5 %: 2042 a month and 490000", `{"principal":490000,"annual_rate_pct":5,"term_years":3,"balloon":490000,"include_schedule":false}`,
			`{"payment":2041.67,"final_payment":492041.67}`},
		{"no balloon is left: an amortization as long as the term", `{"principal":1200,"annual_rate_pct":0,"term_years":1,"amortization_years":1,"include_schedule":false}`,
			`{"payment":100,"final_payment":100,"warnings":[]}`},
		{"no balloon is left: by hand, (1200 - 600)/12 = 50 and 70 extra end after 10 periods", `{"principal":1200,"annual_rate_pct":0,"term_years":1,"balloon":600,"extra_payment":70,"include_schedule":false}`,
			`{"payment":50,"final_payment":50,"number_of_payments":10,"warnings":[]}`},
		{"residual without interest: (1000 - 400)/6", `{"principal":1000,"annual_rate_pct":0,"term_months":6,"balloon":400,"include_schedule":false}`,
			`{"payment":100,"final_payment":500,"total_interest":0}`},
		{"accelerated: efunda.com, 920.51 every two weeks, 13 years of 15", `{"principal":200000,"annual_rate_pct":7.5,"term_years":15,"payments_per_year":26,"compounding_per_year":2,"accelerated":true,"include_schedule":false}`,
			`{"payment":920.51,"number_of_payments":339}`},
		{"not accelerated: efunda.com, 848.30", `{"principal":200000,"annual_rate_pct":7.5,"term_years":15,"payments_per_year":26,"compounding_per_year":2,"include_schedule":false}`,
			`{"payment":848.30}`},
		{"accelerated: amortizationcalc.ca, half of 600.00", `{"principal":111768.97,"annual_rate_pct":5,"term_years":30,"payments_per_year":26,"accelerated":true,"include_schedule":false}`,
			`{"payment":300}`},
		{"accelerated weekly: a quarter of efunda's 1841.03", `{"principal":200000,"annual_rate_pct":7.5,"term_years":15,"payments_per_year":52,"compounding_per_year":2,"accelerated":true,"include_schedule":false}`,
			`{"payment":460.26}`},
		{"accelerated weekly: seewhylearning.com, a quarter of 1000", `{"principal":12000,"annual_rate_pct":0,"term_years":1,"payments_per_year":52,"accelerated":true,"include_schedule":false}`,
			`{"payment":250}`},
		{"accelerated weekly: clickmortgage.ca, a quarter of 1500", `{"principal":18000,"annual_rate_pct":0,"term_years":1,"payments_per_year":52,"accelerated":true,"include_schedule":false}`,
			`{"payment":375}`},
		{"accelerated every two weeks: clickmortgage.ca, 320000 at 2.99 % over 25 years, 756", `{"principal":320000,"annual_rate_pct":2.99,"term_years":25,"payments_per_year":26,"compounding_per_year":2,"accelerated":true,"include_schedule":false}`,
			`{"payment":7.56e2}`},
		{"accelerated with a balloon, by hand: 600/24 = 25 a month, 52 of 12.50 repay 650", `{"principal":1200,"annual_rate_pct":0,"term_years":2,"balloon":600,"payments_per_year":26,"accelerated":true,"include_schedule":false}`,
			`{"payment":12.5,"final_payment":562.5,"warnings":["~balloon: it needs","~550.00 of it"]}`},
		{"interest only by days: 31 days of 360 exceed a twelfth", `{"principal":100000,"annual_rate_pct":6,"term_months":2,"balloon":100000,"day_count":"actual_360","start_date":"2024-01-01","first_payment_date":"2024-02-01","include_schedule":false}`,
			`{"payment":500,"warnings":["~balloon","~does not cover"]}`},
		{"no fees, no APR",
			`{"principal":1000,"annual_rate_pct":10,"term_years":1,"include_schedule":false}`,
			`{"apr_pct":null}`},
	})
	tooltest.InvalidCases(t, LoanAmortization, []tooltest.InvalidCase{
		{"fees beyond the loan",
			`{"principal":1000,"annual_rate_pct":10,"term_years":1,"fees":1000}`, []string{"fees"},
			"below principal"},
		{"an amortization below the term", `{"principal":1000,"annual_rate_pct":10,"term_years":2,"amortization_years":1}`,
			[]string{"amortization_years"}, "at least the term of 2"},
		{"both balloons", `{"principal":1000,"annual_rate_pct":10,"term_years":2,"amortization_years":3,"balloon":1}`,
			[]string{"balloon"}, "give one of them"},
		{"a balloon above the loan", `{"principal":1000,"annual_rate_pct":10,"term_years":2,"balloon":1001}`,
			[]string{"balloon"}, "at most principal"},
		{"accelerated monthly", `{"principal":1000,"annual_rate_pct":10,"term_years":2,"accelerated":true}`,
			[]string{"accelerated"}, "26 or 52"},
		{"part of a month", `{"principal":1000,"annual_rate_pct":10,"term_years":2,"amortization_years":2.03}`,
			[]string{"amortization_years"}, "whole number"},
		{"a day count without dates",
			`{"principal":1,"annual_rate_pct":1,"term_years":1,"day_count":"actual_360"}`,
			[]string{"start_date", "first_payment_date"}, "is required for day_count"},
		{"a start after the first payment", `{"principal":1,"annual_rate_pct":1,"term_years":1,"day_count":"actual_365","start_date":"2024-02-02","first_payment_date":"2024-02-01"}`, []string{"start_date"}, "1 to 366 days before"},
		{"a start without a day count",
			`{"principal":1,"annual_rate_pct":1,"term_years":1,"start_date":"2024-02-02"}`,
			[]string{"start_date"}, "day_count"},
		{"no date", `{"principal":1,"annual_rate_pct":1,"term_years":1,"day_count":"actual_365","start_date":"soon","first_payment_date":"2024-02-01","compounding_per_year":2}`, []string{"compounding_per_year"}, "contradicts"},
		{"nothing", `{}`, []string{"principal", "annual_rate_pct"}, "is required"},
		{"no term", `{"principal":1000,"annual_rate_pct":5}`, []string{"term_years", "term_months"},
			"exactly one"},
		{"two terms", `{"principal":1000,"annual_rate_pct":5,"term_years":1,"term_months":12}`,
			[]string{"term_years", "term_months"}, "exactly one"},
		{"no principal", `{"principal":0,"annual_rate_pct":5,"term_years":1}`,
			[]string{"principal"}, "0.01 to 1e+12"},
		{"a string", `{"principal":"1000","annual_rate_pct":5,"term_years":1}`,
			[]string{"principal"}, "must be a number"},
		{"negative rate", `{"principal":1000,"annual_rate_pct":-1,"term_years":1}`,
			[]string{"annual_rate_pct"}, "0 to 100"},
		{"half a payment",
			`{"principal":1000,"annual_rate_pct":5,"term_months":1,"payments_per_year":26}`,
			[]string{"term_months"}, "whole number of payments"},
		{"51 years", `{"principal":1000,"annual_rate_pct":5,"term_years":51}`,
			[]string{"term_years"}, "at most 50"},
		{"3 payments a year",
			`{"principal":1000,"annual_rate_pct":5,"term_years":1,"payments_per_year":3}`,
			[]string{"payments_per_year"}, "1, 2, 4, 12, 26 or 52"},
		{"period 0 and a negative extra", `{"principal":1000,"annual_rate_pct":5,"term_years":1,"extra_payments":[{"period":0,"amount":1}]}`, []string{"extra_payments[0].period"}, "at least 1"},
		{"a negative extra", `{"principal":1000,"annual_rate_pct":5,"term_years":1,"extra_payments":[{"period":1,"amount":-1}]}`, []string{"extra_payments[0].amount"}, "0.01"},
		{"no such day", `{"principal":1000,"annual_rate_pct":5,"term_years":1,"first_payment_date":"2023-02-29"}`, []string{"first_payment_date"}, "not a day"},
		{"after the end of the calendar", `{"principal":1000,"annual_rate_pct":5,"term_years":1,"first_payment_date":"9999-06-01"}`, []string{"first_payment_date"}, "9999"},
	})
}

// TestLoanSchedules verifies in whole cents that every schedule repays the principal. It also
// verifies that each payment is the sum of interest and principal, and that all payments except the
// last are equal. The totals are the sums of the rows.
func TestLoanSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perYear := rapid.SampledFrom([]int{1, 2, 4, 12, 26, 52}).Draw(t, "per year")
		principal := rapid.IntRange(1, 1e8).Draw(t, "cents")
		in := fmt.Sprintf(`{"principal":%d.%02d,"annual_rate_pct":%g,"term_years":%d,"payments_per_year":%d,"compounding_per_year":%d,"extra_payment":%d}`,
			principal/100, principal%100, float64(rapid.IntRange(0, 4000).Draw(t, "rate"))/100,
			rapid.IntRange(1, 10).Draw(t, "years"),
			perYear, rapid.SampledFrom([]int{1, 2, perYear, 365}).Draw(t, "compounding"),
			rapid.SampledFrom([]int{0, 0, 7, 500}).Draw(t, "extra"))
		raw, err := LoanAmortization.Run(t.Context(), []byte(in))
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		var out loanAmortizationOut
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		cents := func(x float64) int { return int(math.Round(100 * x)) }
		repaid, interest, balance := 0, 0, principal
		for i, r := range out.Schedule {
			if cents(r.Payment) != cents(r.Interest)+cents(r.Principal) {
				t.Fatalf("%s: period %d: the payment is not interest and principal: %+v", in, i+1,
					r)
			}
			balance -= cents(r.Principal) + cents(r.Extra)
			if balance != cents(r.Balance) || r.Principal < 0 || r.Extra < 0 {
				t.Fatalf("%s: period %d: balance %d cents, shown %+v", in, i+1, balance, r)
			}
			if i+1 < len(out.Schedule) && cents(r.Payment) != cents(out.Payment) {
				t.Fatalf("%s: period %d does not have the regular payment: %+v", in, i+1, r)
			}
			repaid += cents(r.Principal) + cents(r.Extra)
			interest += cents(r.Interest)
		}
		if balance != 0 || repaid != principal || interest != cents(out.TotalInterest) ||
			principal+interest != cents(out.TotalPaid) || out.InterestSaved < 0 {
			t.Fatalf("%s: ends at %d, repaid %d of %d, interest %d, %+v", in, balance, repaid,
				principal, interest, out)
		}
	})
}

// TestLoanShortcutsAreExact compares the fast computation of interest and payment with exact
// arithmetic.
func TestLoanShortcutsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		annual := rapid.OneOf(rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(1, 10000).Draw(t, "hundredths")) / 100
		}),
			rapid.Float64Range(1e-9, 100)).Draw(t, "rate")
		m, p := rapid.IntRange(1, 365).Draw(t, "compounding"),
			rapid.SampledFrom([]int{1, 2, 4, 12, 26, 52}).Draw(t, "per year")
		if rapid.Bool().Draw(t, "same") {
			m = p
		}
		l := loan{rate: periodRate(annual, m, p)}
		balance := rapid.OneOf(rapid.Int64Range(1, 1e6), rapid.Int64Range(1, 1e14)).Draw(t,
			"balance")
		if got, want := l.interest(balance, l.shortRate()),
			decimal.RoundHalfAway(new(big.Rat).Mul(big.NewRat(balance, 1),
				l.rate.Rat())).Int64(); got != want {
			t.Fatalf("%d at %v: interest %d, want %d", balance, l.rate.Rat(), got, want)
		}
		n := rapid.IntRange(1, 600).Draw(t, "n")
		balloon := rapid.SampledFrom([]int64{0, balance / 3, balance}).Draw(t, "balloon")
		parts := rapid.SampledFrom([]int64{1, 2, 4}).Draw(t, "parts")
		if got, want := levelPayment(balance, balloon, l.rate, n, parts),
			exactPayment(balance, balloon, l.rate, n, parts); got != want {
			t.Fatalf("%d at %v over %d: payment %d, want %d", balance, l.rate.Rat(), n, got, want)
		}
	})
	l := loan{rate: decimal.Quotient(1, 200)} // half cents round up: 100 cents at 0.5 %
	if got := l.interest(100, l.shortRate()); got != 1 {
		t.Errorf("half a cent became %d", got)
	}
	if got := l.interest(99, l.shortRate()); got != 0 {
		t.Errorf("0.495 cents became %d", got)
	}
}
