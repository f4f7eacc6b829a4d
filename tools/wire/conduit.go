package wire

import "slipstick/tools/tolerance"

// thhnAreas contains NEC chapter 9 table 5: the area of an insulated THHN or THWN-2 conductor
// [in²].
var thhnAreas = map[Gauge]float64{
	"14": .0097, "12": .0133, "10": .0211, "8": .0366, "6": .0507, "4": .0824, "3": .0973,
	"2": .1158, "1": .1562,
	"1/0": .1855, "2/0": .2223, "3/0": .2679, "4/0": .3237, "250 kcmil": .3970, "300 kcmil": .4608,
	"350 kcmil": .5242,
	"400 kcmil": .5863, "500 kcmil": .7073, "600 kcmil": .8676, "700 kcmil": .9887,
	"750 kcmil": 1.0496,
	"800 kcmil": 1.1085, "900 kcmil": 1.2311, "1000 kcmil": 1.3478,
}

// tradeSizes are the trade sizes of table 4 [in].
var tradeSizes = [...]string{
	"1/2", "3/4", "1", "1 1/4", "1 1/2", "2", "2 1/2", "3", "3 1/2", "4", "5", "6",
}

// conduitAreas contains the total areas of table 4 by trade size [in²]: articles 358, 344 and 352.
var conduitAreas = map[string][]float64{
	"emt":    {.304, .533, .864, 1.496, 2.036, 3.356, 5.858, 8.846, 11.545, 14.753},
	"rmc":    {.314, .549, .887, 1.526, 2.071, 3.408, 4.866, 7.499, 10.010, 12.882, 20.212, 29.158},
	"pvc_40": {.285, .508, .832, 1.453, 1.986, 3.291, 4.695, 7.268, 9.737, 12.554, 19.761, 28.567},
}

// ConduitSize returns the smallest conduit for a number of equal THHN conductors, and its fill [%].
// NEC chapter 9 table 1 limits the fill to 53 % for one, 31 % for two and 40 % for more conductors.
// A calculated number with a decimal of 0.8 or more is rounded up, as in note 7 and the tables of
// annex C. ConduitSize returns false if table 5 lacks the conductor or table 4 lacks a sufficient
// conduit.
func ConduitSize(
	g Gauge, conductors int, conduit string,
) (tradeSize string, fillPct float64, ok bool) {
	each, known := thhnAreas[g]
	if !known {
		return "", 0, false
	}
	share := 0.4
	switch conductors {
	case 1:
		share = 0.53
	case 2:
		share = 0.31
	}
	total := each * float64(conductors)
	for i, area := range conduitAreas[conduit] {
		if !tolerance.Above(total-0.2*each, area*share) {
			return tradeSizes[i], 100 * total / area, true
		}
	}
	return "", 0, false
}
