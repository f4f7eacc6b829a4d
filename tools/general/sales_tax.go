package general

import (
	"context"
	"slices"

	"slipstick/tools"
	"slipstick/tools/choice"
	"slipstick/tools/decimal"
	"slipstick/tools/money"
)

// SalesTax adds sales tax to a price, or extracts it from a total.
var SalesTax = tools.Define(tools.Spec{
	Name:    "sales_tax",
	Title:   "Sales tax",
	Summary: "Sales tax or VAT on a price, with several rates, quantity and discount, or contained in a total",
	Method: "Exact decimal arithmetic, each amount rounded half away from zero. subtotal = price " +
		"× quantity; discount = subtotal × discount %; taxable = subtotal - discount; tax = " +
		"taxable × sum of the rates, rounded once. Its breakdown is rounded by largest remainder " +
		"so that it adds up. A stacked rate r adds r (1 + sum of the rates before it). From a " +
		"total: taxable = total / (1 + rate), tax = total - taxable",
	Sources: []string{
		"Council Directive 2006/112/EC, articles 73, 78, 79 and 226 (taxable amount net of discounts; VAT rate and amount)",
		"M. Balinski, H. P. Young, Fair Representation, 2nd edition (2001) (Hamilton's method of largest remainders)",
	},
	Limits: []string{
		"One line of goods: an invoice whose lines are rounded one by one can differ by a cent",
		"Tax on tax is rounded once with the rest; a law that rounds each tax can differ by a cent",
	},
	Aliases: []string{"vat", "gst", "price with tax", "tax included", "reverse sales tax",
		"tax on tax", "compound tax"},
	Primary: []string{"total", "subtotal"},
	Examples: []tools.Example{
		{
			Title: "49.99 at 8.25 %",
			In:    `{"price": 49.99, "rate_pct": 8.25}`,
			Want:  `{"subtotal": 49.99, "tax": 4.12, "total": 54.11, "reverse": false, "warnings": []}`,
		},
		{
			Title: "Half a cent goes up",
			In:    `{"price": 1.5, "rate_pct": 7}`,
			Want:  `{"tax": 0.11, "total": 1.61}`,
		},
		{
			Title: "VAT of 20 % in a total of 120",
			In:    `{"total": 120, "rate_pct": 20}`,
			Want:  `{"taxable": 100, "tax": 20, "total": 120, "reverse": true}`,
		},
	},
}, salesTax)

type salesTaxIn struct {
	Price       *decimal.Decimal `json:"price" unit:"currency" min:"0" max:"1e12" example:"49.99" label:"Unit price" doc:"Price of one item before tax; alternative to total"`
	Total       *decimal.Decimal `json:"total" unit:"currency" min:"0" max:"1e12" label:"Total with tax" doc:"Amount with tax, from which the tax is extracted; alternative to price"`
	RatePct     *float64         `json:"rate_pct" unit:"%" min:"0" max:"100" example:"8.25" label:"Tax rate" doc:"Tax rate; alternative to rates"`
	Rates       *[]taxRate       `json:"rates" minItems:"1" maxItems:"10" label:"Tax rates" doc:"Several rates, for example state and city"`
	Quantity    int              `json:"quantity" unit:"1" min:"1" max:"1000000000" default:"1" label:"Quantity" doc:"Number of items"`
	DiscountPct float64          `json:"discount_pct" unit:"%" min:"0" max:"100" default:"0" label:"Discount" doc:"Discount on the subtotal, before tax"`
	Decimals    int              `json:"decimals" unit:"1" min:"0" max:"4" default:"2" label:"Decimal places" doc:"Decimal places of the currency"`
}

type taxRate struct {
	Name    string  `json:"name" default:"Tax" maxLength:"100" label:"Tax" doc:"Name of the tax"`
	RatePct float64 `json:"rate_pct" unit:"%" min:"0" max:"100" label:"Tax rate" doc:"Tax rate"`
	Stacked bool    `json:"stacked" default:"false" label:"Tax on tax" doc:"Applies to the price plus the taxes before it in the list"`
}

type salesTaxOut struct {
	Subtotal  float64    `json:"subtotal" unit:"currency" label:"Subtotal" doc:"Price times quantity; the taxable amount when the tax was extracted from a total"`
	Discount  float64    `json:"discount" unit:"currency" label:"Discount" doc:"Discount on the subtotal"`
	Taxable   float64    `json:"taxable" unit:"currency" label:"Taxable amount" doc:"Taxable amount"`
	Tax       float64    `json:"tax" unit:"currency" label:"Tax" doc:"Tax"`
	Total     float64    `json:"total" unit:"currency" label:"Total" doc:"Taxable amount plus tax"`
	RatePct   float64    `json:"rate_pct" unit:"%" label:"Tax rate" doc:"Total rate, with tax on tax"`
	Breakdown []taxShare `json:"breakdown" label:"Tax by rate" doc:"Tax by rate"`
	Reverse   bool       `json:"reverse" label:"Tax extracted" doc:"The tax was extracted from a total"`
	tools.Warnings
}

type taxShare struct {
	Name    string  `json:"name" label:"Tax" doc:"Name of the tax"`
	RatePct float64 `json:"rate_pct" unit:"%" label:"Tax rate" doc:"Tax rate"`
	Tax     float64 `json:"tax" unit:"currency" label:"Tax amount" doc:"Tax at this rate"`
}

func salesTax(_ context.Context, in salesTaxIn) (salesTaxOut, error) {
	var f tools.FieldErrors
	choice.ExactlyOneMarked(&f, choice.Of("price", in.Price != nil),
		choice.Of("total", in.Total != nil))
	choice.ExactlyOneMarked(&f, choice.Of("rate_pct", in.RatePct != nil),
		choice.Of("rates", in.Rates != nil))
	money.Check(&f, "price", in.Price)
	money.Check(&f, "total", in.Total)
	if err := f.Err(); err != nil {
		return salesTaxOut{}, err
	}
	rates := []taxRate{{Name: "Tax", RatePct: choice.Or(in.RatePct, 0)}}
	if in.Rates != nil {
		rates = *in.Rates
	}
	parts := make([]decimal.Fraction, len(rates)) // each rate as a fraction of 1
	sum := decimal.Whole(0)
	for i, r := range rates {
		parts[i] = decimal.FromPercent(r.RatePct)
		if r.Stacked {
			parts[i] = parts[i].Times(decimal.Whole(1).Plus(sum))
		}
		sum = sum.Plus(parts[i])
	}
	out := salesTaxOut{Reverse: in.Total != nil}
	currency := func(units int64) float64 { return money.FromUnits(units, in.Decimals) }
	percent := func(units int64, rate decimal.Fraction) int64 {
		return decimal.Whole(units).Times(rate).Rounded().Num
	}
	amount, name := in.Price, "price"
	var subtotal, discount, taxable, tax int64
	if out.Reverse {
		amount, name = in.Total, "total"
		total := money.ToUnits(in.Total.Exact(), in.Decimals)
		taxable = percent(total, decimal.Whole(1).Over(decimal.Whole(1).Plus(sum)))
		subtotal, tax = taxable, total-taxable
		choice.Ignored(&out.Warnings, "it has no meaning for a total",
			choice.Of("quantity", in.Quantity != 1), choice.Of("discount_pct", in.DiscountPct != 0))
	} else {
		exact := in.Price.Exact().Times(decimal.Whole(int64(in.Quantity)))
		if exact.Cmp(decimal.Whole(money.Max)) > 0 {
			f.AddValue("quantity", in.Quantity, "price times quantity must be at most 1e12")
			return out, f.Err()
		}
		subtotal = money.ToUnits(exact, in.Decimals)
		discount = percent(subtotal, decimal.FromPercent(in.DiscountPct))
		taxable = subtotal - discount
		tax = percent(taxable, sum)
	}
	out.Subtotal, out.Discount, out.Taxable, out.Tax = currency(
		subtotal,
	), currency(
		discount,
	), currency(
		taxable,
	), currency(tax)
	out.Total = currency(taxable + tax)
	out.RatePct = sum.Times(decimal.Whole(100)).Float()
	out.Breakdown = make([]taxShare, len(rates))
	for i, share := range largestRemainder(tax, parts) {
		out.Breakdown[i] = taxShare{rates[i].Name, rates[i].RatePct, currency(share)}
	}
	if places := amount.Places(); places > in.Decimals {
		out.Warn("%s has %d decimals and the currency %d: the amounts are rounded to %d",
			name, places,
			in.Decimals, in.Decimals)
	}
	if in.Rates != nil && rates[0].Stacked {
		out.Warn("rates[0] is stacked, but no tax stands before it: list the tax it applies to first")
	}
	if out.RatePct > 30 {
		out.Warn("the rate of %s %% is unusually high for a sales tax",
			decimal.Shortest(out.RatePct))
	}
	return out, nil
}

// largestRemainder splits a total in proportion to weights that are not negative. Each part gets
// its share rounded down. The remaining units go to the parts with the largest remainders, earlier
// parts first. If all weights are 0, all parts are 0.
func largestRemainder(total int64, weights []decimal.Fraction) []int64 {
	parts := make([]int64, len(weights))
	sum := decimal.Whole(0)
	for _, w := range weights {
		sum = sum.Plus(w)
	}
	if sum.Sign() == 0 {
		return parts
	}
	lost := make([]decimal.Fraction, len(weights))
	order := make([]int, len(weights))
	left := total
	for i, w := range weights {
		share := w.Over(sum).Times(decimal.Whole(total))
		down := share.Floor()
		parts[i], lost[i] = down.Num, share.Minus(down)
		left -= parts[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return lost[j].Cmp(lost[i]) })
	// left is less than the number of parts because each part lost less than one unit.
	for _, i := range order[:left] {
		parts[i]++
	}
	return parts
}
