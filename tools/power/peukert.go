package power

import "math"

// peukertFactor is how much faster a battery empties at a current [A] than its capacity [Ah]
// at the rated hours suggests: (I·H/C)^(k-1), and never below 1, because a gentle load does
// not make a battery larger than its rating. Any one unit of charge does, mAh with mA too.
func peukertFactor(current, capacity, ratedHours, exponent float64) float64 {
	return math.Pow(math.Max(1, current*ratedHours/capacity), exponent-1)
}
