package general

import (
	"math"
	"slices"

	"slipstick/tools"
)

// scale is a unit that is no multiple of another: a level or a gauge. toBase gives the value in
// the base unit of the category (W, m²), fromBase the opposite for a value above 0.
type scale struct {
	id, category     string
	toBase, fromBase func(float64) float64
}

// scales returns the logarithmic units: levels of power (IEC 60027-3) and the American wire gauge
// (ASTM B258: diameter 0.127 mm · 92^((36 - n)/39), with n = 0 for 1/0 and -3 for 4/0).
func scales() []scale {
	const finest, ratio, steps = 0.127e-3, 92.0, 39.0 // diameter of 36 AWG [m]
	return []scale{
		{"dBm", "power", func(x float64) float64 { return math.Pow(10, x/10-3) }, func(w float64) float64 { return 10*math.Log10(w) + 30 }},
		{"dBW", "power", func(x float64) float64 { return math.Pow(10, x/10) }, func(w float64) float64 { return 10 * math.Log10(w) }},
		{
			"AWG", "area",
			func(n float64) float64 {
				d := finest * math.Pow(ratio, (36-n)/steps)
				return math.Pi / 4 * d * d
			},
			func(area float64) float64 {
				return 36 - steps*math.Log(math.Sqrt(4*area/math.Pi)/finest)/math.Log(ratio)
			},
		},
	}
}

// scaleOf finds a scale by its id.
func scaleOf(id string) (scale, bool) {
	all := scales()
	i := slices.IndexFunc(all, func(s scale) bool { return s.id == id })
	if i < 0 {
		return scale{}, false
	}
	return all[i], true
}

// scaled converts where from or to is a scale; false where neither is.
func (out *unitConvertOut) scaled(in unitConvertIn, from, to *unit) (bool, error) {
	source, isSource := scaleOf(from.id)
	target, isTarget := scaleOf(to.id)
	if !isSource && !isTarget {
		return false, nil
	}
	base := in.Value * from.factor.float()
	if isSource {
		base = source.toBase(in.Value)
	}
	out.Result = base / to.factor.float()
	if isTarget {
		if base <= 0 {
			var f tools.FieldErrors
			f.AddValue("value", in.Value, "must be above 0 for the logarithmic unit %s", to.id)
			return true, f.Err()
		}
		out.Result = target.fromBase(base)
	}
	if from.id == to.id {
		out.Result = in.Value
	}
	out.Formula = shortest(in.Value) + " " + from.id + " = " + shortest(out.Result) + " " + to.id
	return true, nil
}
