package general

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"slipstick/tools/tooltest"
)

func TestTipCalculator(t *testing.T) {
	tooltest.Examples(t, TipCalculator)
	tooltest.Cases(t, TipCalculator, []tooltest.Case{
		{"a rounding mode without a multiple", `{"bill_amount":40,"round_mode":"down"}`,
			`{"total":46,"warnings":["~round_mode was ignored: it needs round_to"]}`},
		{"default 15 % of 40", `{"bill_amount":40}`,
			`{"base_amount":40,"tip_amount":6,"total":46,"split":1,"shares":[46],"per_person":46}`},
		{"before tax: 20 % of 50 - 4", `{"bill_amount":50,"tax_amount":4,"tip_pct":20}`,
			`{"base_amount":46,"tip_amount":9.2,"total":59.2,"effective_tip_pct":20}`},
		{"on tax too", `{"bill_amount":50,"tax_amount":4,"tip_pct":20,"tip_on_pre_tax":false}`,
			`{"base_amount":50,"tip_amount":10,"total":60}`},
		{"half a cent goes up: 15 % of 0.10 is 0.015", `{"bill_amount":0.10}`,
			`{"tip_amount":0.02,"total":0.12,"effective_tip_pct":20}`},
		{"two cents left for seven", `{"bill_amount":100,"tip_pct":0,"split":7}`,
			`{"shares":[14.29,14.29,14.29,14.29,14.28,14.28,14.28],"per_person":14.28}`},
		{"total up to a whole 5: 46 to 50", `{"bill_amount":40,"round_to":5}`,
			`{"tip_amount":10,"total":50,"effective_tip_pct":25,"warnings":[]}`},
		{"a total that is a multiple stays", `{"bill_amount":40,"round_to":0.5}`, `{"total":46}`},
		{"nearest quarter: 28.75 · 1.15 = 33.0625, 33.06 to 33.00",
			`{"bill_amount":28.75,"round_to":0.25,"round_mode":"nearest"}`,
			`{"tip_amount":4.25,"total":33,"warnings":["~lowers the tip from 4.31 to 4.25"]}`},
		{"down to whole: 46.50 to 46",
			`{"bill_amount":40,"tip_pct":16.25,"round_to":1,"round_mode":"down"}`,
			`{"tip_amount":6,"total":46,"effective_tip_pct":15,"warnings":["~lowers the tip"]}`},
		{"never below the bill",
			`{"bill_amount":99,"tip_pct":0.5,"round_to":50,"round_mode":"down"}`,
			`{"tip_amount":0.5,"total":99.5,"warnings":["~below the bill"]}`},
		{"nothing to pay", `{"bill_amount":0}`,
			`{"total":0,"effective_tip_pct":null,"shares":[0]}`},
		{"generous", `{"bill_amount":10,"tip_pct":60}`, `{"tip_amount":6,"warnings":["~high"]}`},
	})
	tooltest.InvalidCases(t, TipCalculator, []tooltest.InvalidCase{
		{"missing", `{}`, []string{"bill_amount"}, "is required"},
		{"negative", `{"bill_amount":-1}`, []string{"bill_amount"}, "0 to 1e12"},
		{"a string", `{"bill_amount":"10"}`, []string{"bill_amount"}, "must be a number"},
		{"nobody", `{"bill_amount":1,"split":0}`, []string{"split"}, "1 to 1000"},
		{"more tax than bill", `{"bill_amount":10,"tax_amount":10.01}`, []string{"tax_amount"},
			"at most the bill"},
		{"tip above 100 %", `{"bill_amount":10,"tip_pct":101}`, []string{"tip_pct"}, "0 to 100"},
		{"not in cents", `{"bill_amount":10,"round_to":0.001}`, []string{"round_to"}, "cents"},
	})
}

func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := fmt.Sprintf(`{"bill_amount":%d.%02d,"tip_pct":%d,"split":%d}`,
			rapid.IntRange(0, 1e9).Draw(t, "bill"), rapid.IntRange(0, 99).Draw(t, "cents"),
			rapid.IntRange(0, 100).Draw(t, "tip"), rapid.IntRange(1, 50).Draw(t, "split"))
		raw, err := TipCalculator.Run(context.Background(), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Total     float64
			PerPerson float64 `json:"per_person"`
			Shares    []float64
		}
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, s := range out.Shares {
			sum += math.Round(100 * s)
			if s < out.PerPerson || s > out.PerPerson+0.0101 {
				t.Fatalf("%s: share %v beside %v", body, s, out.PerPerson)
			}
		}
		if sum != math.Round(100*out.Total) {
			t.Fatalf("%s: the shares add up to %v, the total is %v", body, sum/100, out.Total)
		}
	})
}
