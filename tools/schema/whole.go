package schema

import (
	"math"
	"math/big"
)

const notWholeNumber = "must be a whole number"

// notWhole returns the reason why the literal raw is not an integer within the exact range of
// doubles, or "". x is the nearest double. The digits decide if x is rounded: the double nearest to
// 7.0000000000000001 is 7, and the double nearest to 2^53 + 1 is 2^53.
func notWhole(raw []byte, x float64) string {
	const beyond = notWholeNumber + " between -2^53 and 2^53"
	switch {
	case x != math.Trunc(x):
		return notWholeNumber
	case math.Abs(x) > 1<<53:
		return beyond
	case x == 0 || onlyDigits(raw): // values too small for a double count as 0
		return ""
	}
	// The exponent is small because 1 <= |x| <= 2^53.
	exact, ok := new(big.Rat).SetString(string(raw))
	switch {
	case !ok || !exact.IsInt():
		return notWholeNumber
	case exact.Abs(exact).Cmp(new(big.Rat).SetInt64(1<<53)) > 0:
		return beyond
	}
	return ""
}

// onlyDigits reports whether a number has no point or exponent and is too short to have been
// rounded.
func onlyDigits(raw []byte) bool {
	if len(raw) > 15 {
		return false
	}
	for _, c := range raw {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
