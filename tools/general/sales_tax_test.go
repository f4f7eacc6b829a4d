package general

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/decimal"
	"slipstick/tools/tooltest"
)

func TestSalesTax(t *testing.T) {
	tooltest.Examples(t, SalesTax)
	tooltest.Cases(t, SalesTax, []tooltest.Case{
		{"contract: 49.99 · 0.0825 = 4.124175", `{"price":"49.99","rate_pct":8.25}`, `{"subtotal":49.99,"discount":0,"taxable":49.99,"tax":4.12,"total":54.11,"rate_pct":8.25,"breakdown":[{"name":"Tax","rate_pct":8.25,"tax":4.12}],"reverse":false}`},
		{"1.005 is exactly 1.005: 1.01", `{"price":1.005,"rate_pct":0}`,
			`{"subtotal":1.01,"total":1.01,"warnings":["~3 decimals"]}`},
		{"by hand: 3·19.99 = 59.97 less 6.00 = 53.97; 8.75 % = 4.722375; shares 3.373125, 0.80955, 0.5397", `{"price":19.99,"quantity":3,"discount_pct":10,"rates":[{"name":"state","rate_pct":6.25},{"name":"county","rate_pct":1.5},{"name":"city","rate_pct":1}]}`,
			`{"subtotal":59.97,"discount":6,"taxable":53.97,"tax":4.72,"total":58.69,"rate_pct":8.75,"breakdown":[{"name":"state","rate_pct":6.25,"tax":3.37},{"name":"county","rate_pct":1.5,"tax":0.81},{"name":"city","rate_pct":1,"tax":0.54}]}`},
		{"largest remainder: 10 cents on three equal rates",
			`{"price":1,"rates":[{"rate_pct":3.3333},{"rate_pct":3.3333},{"rate_pct":3.3333}]}`, `{"tax":0.1,"breakdown":[{"name":"Tax","rate_pct":3.3333,"tax":0.04},{"tax":0.03},{"tax":0.03}]}`},
		{"99.99/1.21 = 82.6364 (reverse)", `{"total":99.99,"rate_pct":21}`,
			`{"subtotal":82.64,"taxable":82.64,"tax":17.35,"total":99.99,"reverse":true}`},
		{"reverse of the first example", `{"total":54.11,"rate_pct":8.25}`,
			`{"taxable":49.99,"tax":4.12}`},
		{"quantity does not apply to a total",
			`{"total":121,"rate_pct":21,"quantity":2,"discount_pct":5}`,
			`{"taxable":100,"warnings":["~quantity","~discount_pct"]}`},
		{"Quebec until 2012, 9.5 % on price and GST of 5 % (Revenu Québec: 9.975 % of the price since): 14.98", `{"price":100,"rates":[{"name":"GST","rate_pct":5},{"name":"QST","rate_pct":9.5,"stacked":true}]}`,
			`{"tax":14.98,"total":114.98,"rate_pct":14.9750000000,"breakdown":[{"name":"GST","rate_pct":5,"tax":5},{"name":"QST","rate_pct":9.5,"tax":9.98}],"warnings":[]}`},
		{"stacked 9.975 % on 5 % (svksoftware.atlassian.net): 115.47", `{"price":100,"rates":[{"rate_pct":5},{"rate_pct":9.975,"stacked":true}]}`,
			`{"total":115.47,"tax":15.47}`},
		{"out of that total", `{"total":115.47,"rates":[{"rate_pct":5},{"rate_pct":9.975,"stacked":true}]}`,
			`{"taxable":100,"tax":15.47,"breakdown":[{"tax":5},{"tax":10.47}]}`},
		{"by hand, excise of 10 % and a VAT of 20 % on both: 1.1 · 1.2 = 1.32", `{"price":50,"rates":[{"rate_pct":10},{"rate_pct":20,"stacked":true}]}`,
			`{"total":66,"tax":16,"rate_pct":32.000000000,"breakdown":[{"tax":5},{"tax":11}]}`},
		{"the first rate has nothing below it", `{"price":50,"rates":[{"rate_pct":10,"stacked":true}]}`,
			`{"total":55,"warnings":["~no tax stands before it"]}`},
		{"yen", `{"price":105,"rate_pct":10,"decimals":0}`, `{"tax":11,"total":116}`},
		{"dinar with three places", `{"price":"1.2345","rate_pct":5,"decimals":3}`,
			`{"subtotal":1.235,"tax":0.062,"total":1.297,"warnings":["~4 decimals"]}`},
		{"nothing to pay", `{"price":0,"rate_pct":7}`, `{"tax":0,"total":0}`},
		{"everything discounted", `{"price":9.99,"rate_pct":7,"discount_pct":100}`,
			`{"discount":9.99,"taxable":0,"total":0}`},
		{"a high rate", `{"price":100,"rate_pct":31}`, `{"tax":31,"warnings":["~high"]}`},
		{"fuel at 1.999 a litre: 41.5 litres cannot be pieces, 40 can",
			`{"price":1.999,"quantity":40,"rate_pct":0}`, `{"subtotal":79.96}`},
	})
	tooltest.InvalidCases(t, SalesTax, []tooltest.InvalidCase{
		{"nothing", `{}`, []string{"price", "total", "rate_pct", "rates"}, "exactly one"},
		{"both amounts", `{"price":1,"total":2,"rate_pct":1}`, []string{"price", "total"},
			"exactly one"},
		{"both rates", `{"price":1,"rate_pct":1,"rates":[{"rate_pct":1}]}`,
			[]string{"rate_pct", "rates"}, "exactly one"},
		{"negative price", `{"price":-1,"rate_pct":1}`, []string{"price"}, "0 to 1e12"},
		{"negative total", `{"total":"-0.01","rate_pct":1}`, []string{"total"}, "0 to 1e12"},
		{"discount above 100 %", `{"price":1,"rate_pct":1,"discount_pct":101}`,
			[]string{"discount_pct"}, "0 to 100"},
		{"rate above 100 %", `{"price":1,"rates":[{"rate_pct":101}]}`,
			[]string{"rates[0].rate_pct"}, "0 to 100"},
		{"too much in all", `{"price":1e12,"quantity":2,"rate_pct":1}`, []string{"quantity"},
			"at most 1e12"},
		{"not a decimal", `{"price":"1,50","rate_pct":1}`, []string{"price"}, "decimal number"},
	})
}

func TestLargestRemainder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 1e12).Draw(t, "total")
		counts := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 10).Draw(t, "weights")
		weights := make([]decimal.Fraction, len(counts))
		all := int64(0)
		for i, c := range counts {
			weights[i] = decimal.Quotient(c, 7)
			all += c
		}
		sum := int64(0)
		for i, part := range largestRemainder(total, weights) {
			sum += part
			if all == 0 {
				continue
			}
			quota := new(big.Rat).Mul(big.NewRat(counts[i], all), big.NewRat(total, 1))
			if gap := quota.Sub(quota, new(big.Rat).SetInt64(part)); gap.Abs(gap).Cmp(big.NewRat(1,
				1)) >= 0 {
				t.Fatalf("part %d of %d in %v is off by one or more", i, total, counts)
			}
		}
		if all != 0 && sum != total {
			t.Fatalf("%d in %v adds up to %d", total, counts, sum)
		}
	})
}
