package power

import (
	"math"

	"slipstick/tools"
)

// slack is the relative amount by which a value may miss a whole number or a limit and still
// count as being on it, so that binary noise never adds a panel.
const slack = 1e-9

// maxCount is the largest number of panels or modules that is still an answer.
const maxCount = 1e9

func wholeUp(x float64) float64   { return math.Ceil(x * (1 - slack)) }
func wholeDown(x float64) float64 { return math.Floor(x * (1 + slack)) }

// above says that x exceeds a positive limit.
func above(x, limit float64) bool { return x > limit*(1+slack) }

// below says that x falls short of a positive limit.
func below(x, limit float64) bool { return x < limit*(1-slack) }

// count makes an int of a whole number; the error names the field that made it absurd.
func count(x float64, field string, value float64) (int, error) {
	if !(x <= maxCount) {
		var f tools.FieldErrors
		f.AddValue(field, value, "leads to a count above %g; the inputs are too far apart", float64(maxCount))
		return 0, f.Err()
	}
	return int(x), nil
}
