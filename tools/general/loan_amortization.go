package general

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"slipstick/tools"
	"slipstick/tools/calendar"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
	"slipstick/tools/money"
)

// LoanAmortization computes the repayment schedule of a loan to the cent.
var LoanAmortization = tools.Define(tools.Spec{
	Name:    "loan_amortization",
	Title:   "Loan amortization",
	Summary: "Payment, interest and repayment schedule of a loan, exact to the cent, with extra payments and balloons",
	Method: "Rate of a period i = (1 + r/m)^(m/p) - 1 for m compoundings and p payments a year; payment P i/(1 - (1 + i)^-n), or P/n at 0 %, rounded to the cent. " +
		"Each period: interest = balance × i rounded, principal = payment - interest, then extra payments. The last payment is what is left. " +
		"Balloon B: payment P' i/(1 - (1 + i)^-n) + B i with P' = P - B; amortization_years sets n of the payment alone. Accelerated: a half or a quarter of the monthly payment. " +
		"With a day count: interest = balance × r × days/360 or days/365 between the due dates, the payment as without. " +
		"APR: p × the rate of a period at which all payments, without the extra ones, are worth the principal less the fees. " +
		"All money is exact decimal, rounded half away from zero",
	Sources: []string{
		"S. G. Kellison, The Theory of Interest, 3rd edition (2009), chapter 5 (amortization schedules)",
		"Interest Act (Canada), section 6: mortgage interest calculated yearly or half-yearly, not in advance (compounding_per_year 2)",
		"12 CFR 1026 (Regulation Z), appendix J: annual percentage rate by the actuarial method",
		"ISDA Definitions 2006, section 4.16 (actual/360 and actual/365 fixed day counts)",
	},
	Limits: []string{
		"Equal periods without day_count; fees are paid at the start; no insurance",
		"A fixed rate for the whole term",
	},
	Aliases: []string{"mortgage", "loan payment", "repayment schedule", "amortisation", "car loan",
		"extra payment", "balloon", "residual value", "interest-only", "accelerated biweekly"},
	Examples: []tools.Example{
		{
			Title: "200000 at 6 % over 30 years",
			In:    `{"principal": 200000, "annual_rate_pct": 6, "term_years": 30, "include_schedule": false}`,
			Want:  `{"payment": 1199.1, "total_interest": 231677.04, "number_of_payments": 360, "interest_saved": 0, "schedule": null}`,
		},
		{
			Title: "The same with 200 more each month",
			In:    `{"principal": 200000, "annual_rate_pct": 6, "term_years": 30, "extra_payment": 200, "include_schedule": false}`,
			Want:  `{"number_of_payments": 252, "interest_saved": 79800.86, "payments_saved": 108}`,
		},
		{
			Title: "Canadian mortgage, compounded half-yearly",
			In:    `{"principal": 300000, "annual_rate_pct": 5, "term_years": 25, "compounding_per_year": 2, "include_schedule": false}`,
			Want:  `{"payment": 1744.81}`,
		},
	},
}, loanAmortization)

type loanAmortizationIn struct {
	Principal          decimal.Number `json:"principal" unit:"currency" example:"200000" label:"Loan amount" doc:"Loan amount, at most 1e12"`
	AnnualRatePct      float64        `json:"annual_rate_pct" unit:"%" min:"0" max:"100" example:"6" label:"Annual interest rate" doc:"Nominal annual interest rate"`
	TermYears          *float64       `json:"term_years" unit:"year" gt:"0" max:"50" example:"30" label:"Term (years)" doc:"Loan term in years, a whole number of payments; alternative to term_months"`
	TermMonths         *float64       `json:"term_months" unit:"month" gt:"0" max:"600" label:"Term (months)" doc:"Loan term in months"`
	PaymentsPerYear    int            `json:"payments_per_year" unit:"1" default:"12" label:"Payments per year" doc:"Payments per year: 1, 2, 4, 12, 26 or 52"`
	CompoundingPerYear *int           `json:"compounding_per_year" unit:"1" min:"1" max:"365" label:"Compounding periods per year" doc:"Compounding periods per year; default: payments_per_year, 12 if accelerated"`
	ExtraPayment       decimal.Number `json:"extra_payment" unit:"currency" default:"0" label:"Extra payment per period" doc:"Extra payment per period"`
	ExtraPayments      *[]extraAmount `json:"extra_payments" maxItems:"100" label:"Single extra payments" doc:"Single extra payments"`
	FirstPaymentDate   *string        `json:"first_payment_date" example:"2024-01-31" label:"First payment date" doc:"Date of the first payment, YYYY-MM-DD"`
	DayCount           string         `json:"day_count" enum:"periodic,actual_360,actual_365" default:"periodic" label:"Day count" doc:"Interest by equal periods, or by the days between the due dates over 360 or 365"`
	StartDate          *string        `json:"start_date" example:"2023-12-31" label:"Start date" doc:"Date from which interest runs, YYYY-MM-DD; required for a day count, with first_payment_date"`
	IncludeSchedule    bool           `json:"include_schedule" default:"true" label:"Payment schedule" doc:"List every payment"`
	Fees               decimal.Number `json:"fees" unit:"currency" default:"0" label:"Fees" doc:"Prepaid finance charge, deducted from the loan amount; gives apr_pct"`
	AmortizationYears  *float64       `json:"amortization_years" unit:"year" gt:"0" max:"50" label:"Amortization" doc:"Amortization period that sets the payment, at least the term; the remaining balance is due at the end of the term"`
	Balloon            decimal.Number `json:"balloon" unit:"currency" default:"0" label:"Balloon" doc:"Balance due with the last payment, at most principal"`
	Accelerated        bool           `json:"accelerated" default:"false" label:"Accelerated" doc:"Pays half (26 per year) or a quarter (52 per year) of the monthly payment"`
}

type extraAmount struct {
	Period int            `json:"period" unit:"1" min:"1" label:"Payment number" doc:"Number of the payment to which it is added"`
	Amount decimal.Number `json:"amount" unit:"currency" label:"Amount" doc:"Amount, greater than 0"`
}

type loanAmortizationOut struct {
	Payment          float64         `json:"payment" unit:"currency" label:"Payment" doc:"Regular payment"`
	NumberOfPayments int             `json:"number_of_payments" unit:"1" label:"Number of payments" doc:"Payments until the balance is 0"`
	TotalInterest    float64         `json:"total_interest" unit:"currency" label:"Total interest" doc:"Total interest"`
	TotalPaid        float64         `json:"total_paid" unit:"currency" label:"Total paid" doc:"Principal and interest"`
	InterestSaved    float64         `json:"interest_saved" unit:"currency" label:"Interest saved" doc:"Interest saved by the extra payments"`
	PaymentsSaved    int             `json:"payments_saved" unit:"1" label:"Payments saved" doc:"Payments saved by the extra payments"`
	EffectiveRatePct float64         `json:"effective_annual_rate_pct" unit:"%" label:"Effective annual rate" doc:"Annual interest with compounding"`
	PayoffDate       *string         `json:"payoff_date" label:"Payoff date" doc:"Date of the last payment; null without first_payment_date"`
	FinalPayment     float64         `json:"final_payment" unit:"currency" label:"Final payment" doc:"Last payment: remaining balance and its interest"`
	Schedule         []loanPeriodRow `json:"schedule" nullable:"true" plot:"period" label:"Payment schedule" doc:"Every payment; null unless requested"`
	APRPct           *float64        `json:"apr_pct" unit:"%" label:"APR" doc:"Annual percentage rate with the fees, by equal periods and without extra payments; null without fees"`
	tools.Warnings
}

type loanPeriodRow struct {
	Period    int     `json:"period" unit:"1" label:"Payment number" doc:"Number of the payment"`
	Date      *string `json:"date" label:"Date" doc:"Date; null without first_payment_date"`
	Payment   float64 `json:"payment" unit:"currency" label:"Payment" doc:"Interest and principal"`
	Interest  float64 `json:"interest" unit:"currency" label:"Interest" doc:"Interest of the period"`
	Principal float64 `json:"principal" unit:"currency" label:"Principal" doc:"Principal repaid by the payment"`
	Extra     float64 `json:"extra" unit:"currency" label:"Extra payment" doc:"Extra principal repaid"`
	Balance   float64 `json:"balance" unit:"currency" label:"Balance" doc:"Remaining balance"`
}

func loanAmortization(_ context.Context, in loanAmortizationIn) (loanAmortizationOut, error) {
	var out loanAmortizationOut
	l, first, err := in.loan(&out.Warnings)
	if err != nil {
		return out, err
	}

	plan := l.run()
	plain := plan
	if l.extra != 0 || len(l.extras) > 0 {
		bare := l
		bare.extra, bare.extras = 0, nil
		plain = bare.run()
	}
	last := plan.rows[len(plan.rows)-1]
	out.Payment = currency(l.payment)
	out.NumberOfPayments = len(plan.rows)
	out.TotalInterest, out.TotalPaid = currency(plan.interest), currency(l.principal+plan.interest)
	out.InterestSaved, out.PaymentsSaved = currency(plain.interest-plan.interest),
		len(plain.rows)-len(plan.rows)
	m := float64(in.compounding())
	out.EffectiveRatePct = 100 * math.Expm1(m*math.Log1p(in.AnnualRatePct/100/m))

	if l.fees > 0 {
		out.APRPct = new(100 * float64(l.perYear) * plain.yield(l.principal-l.fees))
	}

	date := func(int) *string { return nil }
	if first != nil {
		if due(*first, l.perYear, len(plan.rows)).Year() > 9999 {
			return out, tools.Invalid("first_payment_date", "the loan must end by the year 9999")
		}
		date = func(period int) *string {
			s := due(*first, l.perYear, period).Format(time.DateOnly)
			return &s
		}
	}
	out.PayoffDate = date(len(plan.rows))
	if in.IncludeSchedule {
		out.Schedule = make([]loanPeriodRow, len(plan.rows))
		for i, r := range plan.rows {
			out.Schedule[i] = loanPeriodRow{
				i + 1, date(i + 1), currency(r.interest + r.principal), currency(r.interest),
				currency(r.principal), currency(r.extra), currency(r.balance),
			}
		}
	}

	final := last.interest + last.principal
	out.FinalPayment = currency(final)
	switch {
	case (in.AmortizationYears != nil || l.balloon > 0) && 100*(final-l.payment) > l.payment:
		out.Warn("the last payment of %.2f is a balloon: it needs that money, or a new loan",
			currency(final))
	case 100*max(final-l.payment, l.payment-final) > l.payment:
		out.Warn("the last payment is %.2f, not %.2f", currency(final), currency(l.payment))
	}
	if left := final - l.payment; in.Accelerated && l.balloon > 0 && l.balloon-left > l.payment {
		out.Warn("the accelerated payments repay more than a balloon of %.2f leaves: %.2f of it is left for the last payment",
			currency(l.balloon), currency(max(0, left)))
	}
	if i := slices.IndexFunc(plan.rows, func(r loanRow) bool { return r.principal < 0 }); i >= 0 {
		out.Warn(
			"the payment of %.2f does not cover the interest of period %d, %.2f: the balance grows; take a longer term without a day count, or a smaller balloon",
			currency(l.payment), i+1, currency(plan.rows[i].interest))
	}
	for _, period := range plan.unused {
		out.Warn(
			"an extra payment of period %d was not needed in full: the loan is paid off by period %d",
			period, len(plan.rows),
		)
	}
	if in.AnnualRatePct > 36 {
		out.Warn("a rate above 36 %% exceeds the legal limit in many countries; check it")
	}
	return out, nil
}

// loan converts the input to cents, an exact rate, and the first date if there is one.
func (in loanAmortizationIn) loan(w *tools.Warnings) (loan, *time.Time, error) {
	var f tools.FieldErrors
	cents := func(path string, d decimal.Number, least float64) int64 {
		if !d.Within(least, money.Max) {
			f.AddValue(path, d, "must be %g to %g", least, float64(money.Max))
			return 0
		}
		if d.Places() > 2 {
			w.Warn("%s has more than two decimals and was rounded to the cent", path)
		}
		if d.Float() < 0.005 {
			return 0
		}
		return money.ToUnits(d.Exact(), 2)
	}
	l := loan{perYear: in.PaymentsPerYear}
	l.principal = cents("principal", in.Principal, 0.01)
	l.extra = cents("extra_payment", in.ExtraPayment, 0)
	if l.fees = cents("fees", in.Fees, 0); l.fees > 0 && l.fees >= l.principal {
		f.AddValue("fees", in.Fees, "must be below principal")
	}
	if l.balloon = cents("balloon", in.Balloon, 0); l.balloon > l.principal {
		f.AddValue("balloon", in.Balloon, "must be at most principal")
	}
	if in.ExtraPayments != nil {
		l.extras = map[int]int64{}
	}
	for i, e := range choice.Or(in.ExtraPayments, nil) {
		l.extras[e.Period] += cents(fmt.Sprintf("extra_payments[%d].amount", i), e.Amount, 0.01)
	}

	if !slices.Contains([]int{1, 2, 4, 12, 26, 52}, in.PaymentsPerYear) {
		f.AddValue("payments_per_year", in.PaymentsPerYear, "must be 1, 2, 4, 12, 26 or 52")
	}
	choice.ExactlyOneMarked(&f, choice.Of("term_years", in.TermYears != nil),
		choice.Of("term_months", in.TermMonths != nil))
	term, name, value := choice.Or(in.TermYears, 0), "term_years", in.TermYears
	if in.TermMonths != nil {
		term, name, value = *in.TermMonths/12, "term_months", in.TermMonths
	}
	payments := term * float64(in.PaymentsPerYear)
	l.periods = int(math.Round(payments))
	if value != nil && (l.periods < 1 || math.Abs(payments-float64(l.periods)) > 1e-9*payments) {
		f.AddValue(name, *value,
			"must hold a whole number of payments; at payments_per_year %d it holds %g",
			in.PaymentsPerYear, payments)
	}

	level := in.levelPeriods(&f, term, l.periods)

	var first *time.Time
	if in.FirstPaymentDate != nil {
		d, err := calendar.ParseDay(*in.FirstPaymentDate)
		if err != nil {
			f.AddValue("first_payment_date", *in.FirstPaymentDate, "%v", err)
		}
		first = &d
	}
	if err := f.Err(); err != nil {
		return l, nil, err
	}
	if err := in.countDays(&l, first, &f); err != nil {
		return l, nil, err
	}
	l.rate = periodRate(in.AnnualRatePct, in.compounding(), in.PaymentsPerYear)
	if in.Accelerated { // the monthly payment is divided by 2 (26 per year) or 4 (52 per year)
		l.payment = levelPayment(l.principal, l.balloon,
			periodRate(in.AnnualRatePct, in.compounding(), 12), level, int64(in.PaymentsPerYear/13))
	} else {
		l.payment = levelPayment(l.principal, l.balloon, l.rate, level, 1)
	}
	return l, first, nil
}

// compounding returns the number of compounding periods per year.
func (in loanAmortizationIn) compounding() int {
	usual := in.PaymentsPerYear
	if in.Accelerated {
		usual = 12
	}
	return choice.Or(in.CompoundingPerYear, usual)
}

// levelPeriods returns the number of periods from which the level payment is computed; for
// accelerated payments these are months. It is periods, the number of payments, unless the
// amortization is longer or the payments are accelerated.
func (in loanAmortizationIn) levelPeriods(f *tools.FieldErrors, term float64, periods int) int {
	years, name := term, "term_years"
	if in.TermMonths != nil {
		name = "term_months"
	}
	if in.AmortizationYears != nil {
		years, name = *in.AmortizationYears, "amortization_years"
		if years < term*(1-1e-12) {
			f.AddValue(name, years, "must be at least the term of %g years", term)
		}
		if in.Balloon.Float() > 0 {
			f.AddValue("balloon", in.Balloon, "contradicts amortization_years: give one of them")
		}
	}
	perYear := in.PaymentsPerYear
	if in.Accelerated {
		if perYear != 26 && perYear != 52 {
			f.AddValue("accelerated", true, "needs payments_per_year 26 or 52")
		}
		perYear = 12
	} else if in.AmortizationYears == nil {
		return periods
	}
	exact := years * float64(perYear)
	count := math.Round(exact)
	if count < 1 || math.Abs(exact-count) > 1e-9*exact {
		f.AddValue(name, years,
			"must hold a whole number of periods that set the payment; at %d a year it holds %g",
			perYear, exact)
	}
	return int(count)
}

// countDays sets the rate of each period of a loan from its number of days, unless day_count is
// periodic.
func (in loanAmortizationIn) countDays(l *loan, first *time.Time, f *tools.FieldErrors) error {
	if in.DayCount == "periodic" {
		if in.StartDate != nil {
			f.Add("start_date", "has a meaning for day_count actual_360 and actual_365 only")
		}
		return f.Err()
	}
	if in.StartDate == nil {
		f.Add("start_date", "is required for day_count %s: the date from which interest runs",
			in.DayCount)
	}
	if first == nil {
		f.Add("first_payment_date", "is required for day_count %s", in.DayCount)
	}
	if in.CompoundingPerYear != nil {
		f.Add("compounding_per_year",
			"contradicts day_count %s, whose interest is simple within a period", in.DayCount)
	}
	if err := f.Err(); err != nil {
		return err
	}
	start, err := calendar.ParseDay(*in.StartDate)
	if err != nil {
		f.AddValue("start_date", *in.StartDate, "%v", err)
		return f.Err()
	}
	if days := calendar.DaysBetween(start, *first); days < 1 || days > 366 {
		f.AddValue("start_date", *in.StartDate,
			"must be 1 to 366 days before first_payment_date %s",
			*in.FirstPaymentDate)
		return f.Err()
	}
	basis := int64(360)
	if in.DayCount == "actual_365" {
		basis = 365
	}
	yearly := decimal.FromFloat(in.AnnualRatePct)
	perYear, from := l.perYear, *first
	l.dayRate = func(period int) decimal.Fraction {
		before := start
		if period > 1 {
			before = due(from, perYear, period-1)
		}
		return yearly.Times(
			decimal.Quotient(int64(calendar.DaysBetween(before, due(from, perYear, period))),
				100*basis),
		)
	}
	return nil
}

// loan is a loan to be repaid. Money is in cents.
type loan struct {
	principal, payment int64
	rate               decimal.Fraction // rate per period
	periods            int
	perYear            int
	extra              int64         // each period
	fees               int64         // paid at the start
	balloon            int64         // balance left for the last payment
	extras             map[int]int64 // by period

	// dayRate returns the rate of each period by its days. It is nil for equal periods.
	dayRate func(period int) decimal.Fraction
}

// loanRow is one period of a repayment schedule.
type loanRow struct{ interest, principal, extra, balance int64 }

type loanPlan struct {
	rows     []loanRow
	interest int64
	unused   []int // periods whose extra payments were not needed in full
}

// yield returns the rate per period at which the present value of the payments equals amount. It
// uses bisection because the value decreases with the rate. The payments exceed the amount, so the
// rate is positive.
func (p loanPlan) yield(amount int64) float64 {
	value := func(rate float64) float64 {
		sum := 0.0
		for i := len(p.rows) - 1; i >= 0; i-- {
			r := p.rows[i]
			sum = (sum + float64(r.interest+r.principal+r.extra)) / (1 + rate)
		}
		return sum
	}
	low, high := 0.0, 1.0
	for value(high) > float64(amount) {
		high *= 2
	}
	for range 100 {
		middle := (low + high) / 2
		if value(middle) > float64(amount) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// run computes the repayment. The last row has a balance of 0 and belongs to period l.periods or an
// earlier one.
func (l loan) run() loanPlan {
	plan := loanPlan{rows: make([]loanRow, 0, l.periods)}
	rate := l.shortRate()
	balance := l.principal
	for period := 1; balance > 0; period++ {
		var row loanRow
		if l.dayRate != nil {
			row.interest = decimal.Whole(balance).Times(l.dayRate(period)).Rounded().Num
		} else {
			row.interest = l.interest(balance, rate)
		}
		if period == l.periods || l.payment >= balance+row.interest {
			row.principal = balance
		} else {
			row.principal = l.payment - row.interest
		}
		balance -= row.principal
		single := l.extras[period]
		row.extra = min(balance, l.extra+single)
		if single > 0 && row.extra < single {
			plan.unused = append(plan.unused, period)
		}
		balance -= row.extra
		row.balance = balance
		plan.interest += row.interest
		plan.rows = append(plan.rows, row)
	}
	for period := range l.extras {
		if period > len(plan.rows) {
			plan.unused = append(plan.unused, period)
		}
	}
	slices.Sort(plan.unused)
	return plan
}

// shortRate returns the rate of a period, below 2, as a multiple of 2^-63, truncated.
func (l loan) shortRate() uint64 {
	f := decimal.FixedFraction(l.rate)
	const shift = decimal.FixedPlaces - 63 - 128
	return f[3]<<(64-shift) | f[2]>>shift
}

// interest returns balance × rate, rounded half away from zero. The short rate is at most 2^-63
// below the rate. It determines the result unless a half is so close that the exact rate is needed.
func (l loan) interest(balance int64, rate uint64) int64 {
	// In units of 2^-63, the product is too small by less than balance units.
	hi, lo := bits.Mul64(uint64(balance), rate)
	rounded := func(more uint64) int64 {
		low, carry := bits.Add64(lo, more+1<<62, 0)
		return int64((hi+carry)<<1 | low>>63)
	}
	if least := rounded(0); least == rounded(uint64(balance)) {
		return least
	}
	return decimal.Whole(balance).Times(l.rate).Rounded().Num
}

// periodRate returns (1 + r/m)^(m/p) - 1. It is exactly r/m if interest is compounded with each
// payment. Otherwise it has about 190 bits, which suffice to round amounts up to 10^12 to the cent.
func periodRate(annualPct float64, m, p int) decimal.Fraction {
	r := decimal.FromFloat(annualPct).Over(decimal.Whole(int64(100 * m)))
	if m == p || r.Sign() == 0 {
		return r
	}
	// The growth is below e, so its decimal exponent is 0 and its mantissa is its value.
	growth, _ := decimal.Float{M: decimal.FixedFraction(r.Plus(decimal.Whole(1)))}.Power(
		decimal.Quotient(int64(m), int64(p)))
	i := growth.M.Minus(decimal.FixedOne)
	// 21 % per year is exactly 10 % per half-year. A rate with at most 12 decimals must be exact,
	// or its last bit would decide how half cents are rounded.
	n := int64(math.Round(i.Float() * 1e12))
	ends := decimal.FixedRatio(uint64(n), 1e12)
	if i.Less(ends.Plus(fixedNegligible)) && ends.Less(i.Plus(fixedNegligible)) {
		return decimal.FromScientific(n, -12)
	}
	return i.Fraction()
}

// fixedNegligible is 2^-100, a generous bound of the error of an irrational period rate.
var fixedNegligible = decimal.Fixed{2: 1 << (decimal.FixedPlaces - 100 - 2*64)}

// levelPayment returns 1/parts of the level payment (P - B) i/(1 - (1 + i)^-n) + B i for the
// balloon B, rounded to the cent. If i is 0 or negligible, the payment is (P - B)/n.
func levelPayment(principal, balloon int64, i decimal.Fraction, n int, parts int64) int64 {
	x := i.Float()
	if x < 0x1p-100 {
		return decimal.Quotient(principal-balloon, int64(n)*parts).Rounded().Num
	}
	// About 15 digits are sufficient unless the payment is close to half a cent.
	near := (float64(principal-balloon)*x/-math.Expm1(-float64(n)*math.Log1p(x)) +
		float64(balloon)*x) / float64(parts)
	if _, cents := math.Modf(near); math.Abs(cents-0.5) > 1e-13*near {
		return int64(math.Round(near))
	}
	return exactPayment(principal, balloon, i, n, parts)
}

// exactPayment is the variant of levelPayment for i > 0 with 256 bits.
func exactPayment(principal, balloon int64, i decimal.Fraction, n int, parts int64) int64 {
	rate := new(big.Float).SetPrec(ratePrec).SetRat(i.Rat())
	grown := powFloat(new(big.Float).SetPrec(ratePrec).Add(rate, big.NewFloat(1)), n)
	// i ((P - B) g/(g - 1) + B) with g = (1 + i)^n
	payment := new(big.Float).SetPrec(ratePrec).SetInt64(principal - balloon)
	payment.Mul(payment, grown)
	payment.Quo(payment, grown.Sub(grown, big.NewFloat(1)))
	payment.Add(payment, new(big.Float).SetInt64(balloon))
	payment.Mul(payment, rate)
	payment.Quo(payment, new(big.Float).SetInt64(parts))
	exact, _ := payment.Rat(nil)
	// The margin ensures that the last bit does not miss half a cent.
	return decimal.FromRat(exact).Plus(fixedNegligible.Fraction()).Rounded().Num
}

// ratePrec is the precision in bits for a payment close to half a cent.
const ratePrec = 256

// powFloat returns x^n by repeated squaring.
func powFloat(x *big.Float, n int) *big.Float {
	y := new(big.Float).SetPrec(ratePrec).SetInt64(1)
	square := new(big.Float).Copy(x)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y.Mul(y, square)
		}
		square.Mul(square, square)
	}
	return y
}

// due returns the date of a payment. period is counted from 1.
func due(first time.Time, perYear, period int) time.Time {
	if perYear > 12 {
		// The interval is 14 days for 26 payments per year, 7 days for 52.
		return first.AddDate(0, 0, (period-1)*(364/perYear))
	}
	return calendar.AddMonths(first, (period-1)*(12/perYear))
}

// currency converts cents to units of currency.
func currency(cents int64) float64 { return float64(cents) / 100 }
