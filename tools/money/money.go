// Package money rounds amounts of money to the smallest unit of a currency.
package money

import (
	"slipstick/tools"
	"slipstick/tools/decimal"
)

// Max bounds amounts of money, so that cents survive in the doubles of a result.
const Max = 1e12

// ToUnits rounds an amount of money half away from zero to a count of 10^-places, cents
// for 2 places. An int64 holds it for amounts of the order of Max and the few places of a currency.
func ToUnits(amount decimal.Fraction, places int) int64 {
	return amount.Times(decimal.FromScientific(1, places)).Rounded().Num
}

// FromUnits is the amount of a count of 10^-places, the double nearest to it.
func FromUnits(units int64, places int) float64 {
	return decimal.FromScientific(units, -places).Float()
}

// Check notes a fault when an amount that was given is negative or above Max.
func Check(f *tools.FieldErrors, path string, d *decimal.Decimal) {
	if d != nil && !d.Within(0, Max) {
		f.AddValue(path, *d, "must be 0 to 1e12")
	}
}
