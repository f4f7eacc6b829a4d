package pcb

import (
	"math"

	"slipstick/tools"
)

// slack is the relative amount by which a value may miss a whole number or a limit and still
// count as being on it, so that binary noise never adds a via.
const slack = 1e-9

// above says that x exceeds a limit that is not negative.
func above(x, limit float64) bool { return x > limit*(1+slack) }

// below says that x falls short of a limit that is not negative.
func below(x, limit float64) bool { return x < limit*(1-slack) }

// maxParts is the largest number of parts that is still an answer.
const maxParts = 1e9

// parts is the number of parts needed, at least one; the error names the field whose value
// made it absurd.
func parts(x float64, field string, value float64) (int, error) {
	if !(x <= maxParts) {
		var f tools.FieldErrors
		f.AddValue(field, value, "leads to more than %g parts; the inputs are too far apart", float64(maxParts))
		return 0, f.Err()
	}
	return max(1, int(math.Ceil(x*(1-slack)))), nil
}
