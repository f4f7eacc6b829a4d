// Package money rounds amounts of money to the smallest unit of a currency, and locates the sign
// changes of present values.
package money

import (
	"slipstick/tools"
	"slipstick/tools/decimal"
)

// Max is the maximum amount of money. Doubles represent amounts up to this size with exact cents.
const Max = 1e12

// ToUnits rounds an amount of money half away from zero to a multiple of 10^-places, which is cents
// for 2 places. The result fits int64 for amounts of the order of Max.
func ToUnits(amount decimal.Fraction, places int) int64 {
	return amount.Times(decimal.FromScientific(1, places)).Rounded().Num
}

// FromUnits returns the double nearest to units · 10^-places.
func FromUnits(units int64, places int) float64 {
	return decimal.FromScientific(units, -places).Float()
}

// Check adds an error if a given amount is negative or above Max.
func Check(f *tools.FieldErrors, path string, d *decimal.Decimal) {
	if d != nil && !d.Within(0, Max) {
		f.AddValue(path, *d, "must be 0 to 1e12")
	}
}
