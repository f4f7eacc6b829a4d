package money

import (
	"math/big"
	"testing"

	"slipstick/tools/decimal"
)

func TestToUnits(t *testing.T) {
	for _, c := range []struct {
		amount string
		places int
		want   int64
	}{{"1.005", 2, 101}, {"-1.005", 2, -101}, {"1.0049999999", 2, 100}, {"0.105", 2, 11},
		{"2.5", 0, 3}, {"-2.5", 0, -3}, {"1/3", 4, 3333}, {"2/3", 4, 6667}, {"0", 2, 0}} {
		r, _ := new(big.Rat).SetString(c.amount)
		if got := ToUnits(decimal.FromRat(r), c.places); got != c.want {
			t.Errorf("%s to %d places: got %v, want %d", c.amount, c.places, got, c.want)
		}
	}
}
