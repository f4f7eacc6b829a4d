package netlist

import (
	"math"
	"sort"
	"strings"
)

// function is a function of one variable and its derivative.
type function struct {
	names  string // names of the function, separated by blanks
	eval   func(x float64) (y, slope float64)
	lo, hi float64 // limits of the domain in which eval does not overflow
	// linearOutside selects extrapolation along the tangent outside the domain. Otherwise the
	// function is constant there.
	linearOutside bool
}

// evalExtended returns the value and the derivative of a function. Outside the domain it returns
// those of the continuation.
func (f *function) evalExtended(x float64) (y, slope float64) {
	edge := min(max(x, f.lo), f.hi)
	y, slope = f.eval(edge)
	if edge != x {
		if !f.linearOutside {
			return y, 0
		}
		y += slope * (x - edge)
	}
	if math.IsInf(slope, 0) {
		slope = 0
	}
	return y, slope
}

var inf = math.Inf(1)

// functions lists all functions of one variable. As in ngspice, log is the natural logarithm.
var functions = [...]function{
	{"sqr", func(x float64) (float64, float64) { return x * x, 2 * x }, -inf, inf, false},
	{"sqrt", func(x float64) (float64, float64) {
		y := math.Sqrt(x)
		return y, 0.5 / y
	}, 0, inf, false},
	{"abs", func(x float64) (float64, float64) {
		return math.Abs(x), boolToFloat(x > 0) - boolToFloat(x < 0)
	}, -inf, inf, false},
	{"exp", func(x float64) (float64, float64) { y := math.Exp(x); return y, y }, -inf, 227, true},
	{"ln log", func(x float64) (float64, float64) { return math.Log(x), 1 / x }, 1e-99, inf, false},
	{"log10", func(x float64) (float64, float64) {
		return math.Log10(x), 1 / (x * math.Ln10)
	}, 1e-99, inf, false},
	{"sin", func(x float64) (float64, float64) {
		return math.Sin(x), math.Cos(x)
	}, -inf, inf, false},
	{"cos", func(x float64) (float64, float64) {
		return math.Cos(x), -math.Sin(x)
	}, -inf, inf, false},
	{"tan", func(x float64) (float64, float64) {
		y := math.Tan(x)
		return y, 1 + y*y
	}, -inf, inf, false},
	{"asin arcsin", func(x float64) (float64, float64) {
		return math.Asin(x), 1 / math.Sqrt(1-x*x)
	}, -1, 1, false},
	{"acos arccos", func(x float64) (float64, float64) {
		return math.Acos(x), -1 / math.Sqrt(1-x*x)
	}, -1, 1, false},
	{"atan arctan", func(x float64) (float64, float64) {
		return math.Atan(x), 1 / (1 + x*x)
	}, -inf, inf, false},
	{"sinh", func(x float64) (float64, float64) {
		return math.Sinh(x), math.Cosh(x)
	}, -227, 227, true},
	{"cosh", func(x float64) (float64, float64) {
		return math.Cosh(x), math.Sinh(x)
	}, -227, 227, true},
	{"tanh", func(x float64) (float64, float64) {
		y := math.Tanh(x)
		return y, 1 - y*y
	}, -inf, inf, false},
	{"asinh", func(x float64) (float64, float64) {
		return math.Asinh(x), 1 / math.Sqrt(1+x*x)
	}, -inf, inf, false},
	{"acosh", func(x float64) (float64, float64) {
		return math.Acosh(x), 1 / math.Sqrt(x*x-1)
	}, 1, inf, false},
	{"atanh", func(x float64) (float64, float64) {
		return math.Atanh(x), 1 / (1 - x*x)
	}, -1 + 1e-15, 1 - 1e-15, false},
	{"sgn sign", func(x float64) (float64, float64) {
		return boolToFloat(x > 0) - boolToFloat(x < 0), 0
	}, -inf, inf, false},
	{"int", func(x float64) (float64, float64) { return math.Trunc(x), 0 }, -inf, inf, false},
	{"floor", func(x float64) (float64, float64) { return math.Floor(x), 0 }, -inf, inf, false},
	{"ceil", func(x float64) (float64, float64) { return math.Ceil(x), 0 }, -inf, inf, false},
	{"nint round", func(x float64) (float64, float64) {
		return math.RoundToEven(x), 0
	}, -inf, inf, false},
	{"buf", func(x float64) (float64, float64) {
		return boolToFloat(x > 0.5), 0
	}, -inf, inf, false},
	{"inv", func(x float64) (float64, float64) {
		return boolToFloat(!(x > 0.5)), 0
	}, -inf, inf, false},
	{"u stp", func(x float64) (float64, float64) {
		return (1 + boolToFloat(x > 0) - boolToFloat(x < 0)) / 2, 0
	}, -inf, inf, false},
	{"rand", func(x float64) (float64, float64) {
		return uniformAt(math.Floor(x)), 0
	}, -math.MaxFloat64, math.MaxFloat64, false},
	{"random", func(x float64) (float64, float64) {
		return between(x, func(f float64) (float64, float64) {
			return f * f * (3 - 2*f), 6 * f * (1 - f)
		})
	}, -math.MaxFloat64, math.MaxFloat64, false},
	{"white", func(x float64) (float64, float64) {
		y, slope := between(x, func(f float64) (float64, float64) {
			return f * f * f * (10 - f*(15-6*f)), 30 * f * f * (1 - f) * (1 - f)
		})
		return y - 0.5, slope
	}, -math.MaxFloat64, math.MaxFloat64, false},
	{"uramp", func(x float64) (float64, float64) {
		return max(x, 0), boolToFloat(x > 0)
	}, -inf, inf, false},
}

// uniformAt returns the number from 0 to 1 that rand() has at an integer x.
func uniformAt(x float64) float64 {
	return float64(SplitMix64(math.Float64bits(x+0))>>11) / (1 << 53) // x+0 has no negative zero
}

// between interpolates uniformAt between the integers around x. blend returns a value from 0 to 1
// and its slope for a position from 0 to 1.
func between(x float64, blend func(f float64) (y, slope float64)) (y, slope float64) {
	n := math.Floor(x)
	f, df := blend(x - n)
	from := uniformAt(n)
	step := uniformAt(n+1) - from
	return from + step*f, step * df
}

// functionNamed returns the function with this name, or nil.
func functionNamed(name string) *function {
	for i := range functions {
		for n := range strings.FieldsSeq(functions[i].names) {
			if n == name {
				return &functions[i]
			}
		}
	}
	return nil
}

// piecewiseLinear returns the piecewise linear function through the points x1, y1, x2, y2, ... with
// ascending x. The function is constant outside the points.
func piecewiseLinear(points []float64) *function {
	n := len(points) / 2
	at := func(x float64) (y, slope float64) {
		i := sort.Search(n, func(i int) bool { return points[2*i] > x })
		switch i {
		case 0:
			return points[1], 0
		case n:
			return points[2*n-1], 0
		}
		x0, y0, x1, y1 := points[2*i-2], points[2*i-1], points[2*i], points[2*i+1]
		slope = (y1 - y0) / (x1 - x0)
		return y0 + slope*(x-x0), slope
	}
	return &function{names: "table", eval: at, lo: -inf, hi: inf}
}
