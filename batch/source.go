package batch

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// source generates the values of one varied field. A listed source has count values selected by
// index. A drawn source maps a uniform number in (0, 1) to a value.
type source struct {
	count  int // number of values; 0 for a drawn source
	at     func(i int) Value
	draw   func(u float64) float64
	values []Value // values of a list; nil if the source generates numbers
	whole  bool    // a search takes whole numbers of the range only
}

// Kinds of sources, selected by the fields of a Variation.
const (
	fromValues       = "values"
	fromRange        = "from, to"
	fromDistribution = "distribution"
	fromTolerance    = "tolerance_pct"
)

// kindOf returns the kind of source that the fields of v select. If they select none or several, it
// reports an error and returns "".
func (v *Variation) kindOf(path string, errs *tools.FieldErrors) string {
	kind := ""
	for _, k := range []struct {
		name  string
		isSet bool
	}{
		{fromValues, len(v.Values) > 0}, {fromRange, v.From != nil || v.To != nil},
		{fromTolerance, v.TolerancePct != nil}, {fromDistribution, v.Distribution != nil &&
			v.TolerancePct == nil},
	} {
		if k.isSet && kind != "" {
			errs.Add(path, "has two sources of values, %s and %s; allowed is one", kind, k.name)
			return ""
		}
		if k.isSet {
			kind = k.name
		}
	}
	if kind == "" {
		errs.Add(path, "has no source of values; give values, or from and to, or distribution, or tolerance_pct")
		return ""
	}
	return kind
}

// distributionFields lists the fields of each distribution.
var distributionFields = map[string][]string{
	"normal": {"mean", "sigma"}, "uniform": {"min", "max"},
	"lognormal": {"median", "sigma_ln"}, "triangular": {"min", "mode", "max"},
}

// numbers returns the optional numeric fields of v by name.
func (v *Variation) numbers() map[string]*float64 {
	return map[string]*float64{
		"from": v.From, "to": v.To, "mean": v.Mean, "sigma": v.Sigma, "min": v.Min, "mode": v.Mode,
		"max":    v.Max,
		"median": v.Median, "sigma_ln": v.SigmaLn, "tolerance_pct": v.TolerancePct,
		"truncate_sigma": v.TruncateSigma,
	}
}

// rejectOthers reports the fields of v that do not apply to its kind of source.
func (v *Variation) rejectOthers(path, kind string, errs *tools.FieldErrors) {
	belongs := map[string]bool{}
	switch kind {
	case fromRange:
		belongs["from"], belongs["to"] = true, true
	case fromTolerance:
		belongs["tolerance_pct"] = true
	case fromDistribution:
		for _, name := range distributionFields[*v.Distribution] {
			belongs[name] = true
		}
		belongs["truncate_sigma"] = *v.Distribution == "normal"
	}
	for _, name := range []string{"from", "to", "mean", "sigma", "min", "mode", "max", "median",
		"sigma_ln", "tolerance_pct", "truncate_sigma"} {
		if v.numbers()[name] != nil && !belongs[name] {
			errs.AddValue(path+"."+name, *v.numbers()[name], "does not belong to the source %s",
				kind)
		}
	}
	if kind != fromRange && v.Points != nil {
		errs.AddValue(path+".points", *v.Points, "belongs to from and to")
	}
	if kind != fromRange && v.Scale != nil {
		errs.AddValue(path+".scale", *v.Scale, "belongs to from and to")
	}
}

// listed creates the source for values or a range.
func (v *Variation) listed(path, kind string, errs *tools.FieldErrors) source {
	if kind == fromValues {
		for i, x := range v.Values {
			// A netlist cannot contain a JSON string because its quotes would end the input's
			// string.
			if v.inNetlist() && !isNumber(x) {
				valuePath := fmt.Sprintf("%s.values[%d]", path, i)
				errs.AddValue(valuePath, x, "must be a number, as %s stands in the netlist",
					v.Field)
			}
		}
		return source{count: len(v.Values), values: v.Values,
			at: func(i int) Value { return v.Values[i] }}
	}
	from, to, ok := v.interval(path, errs)
	if !ok {
		return source{}
	}
	if v.Points == nil {
		errs.Add(path+".points", "is required with from and to; allowed is 2 to %d", MaxRuns)
		return source{}
	}
	points, at := *v.Points, position(from, to, v.logScale())
	return source{count: points, at: func(i int) Value {
		return number(at(float64(i) / float64(points-1)))
	}}
}

// interval validates the range and returns its ends. ok is false if the range is invalid.
func (v *Variation) interval(path string, errs *tools.FieldErrors) (from, to float64, ok bool) {
	switch {
	case v.From == nil || v.To == nil:
		errs.Add(path, "needs both from and to")
		return 0, 0, false
	case *v.From == *v.To:
		errs.AddValue(path+".to", *v.To, "must differ from from")
		return 0, 0, false
	case v.logScale() && (*v.From <= 0 || *v.To <= 0):
		errs.Add(path+".scale", "log needs from and to above 0")
		return 0, 0, false
	}
	return *v.From, *v.To, true
}

// logScale reports whether the values of a range are spaced logarithmically.
func (v *Variation) logScale() bool { return v.Scale != nil && *v.Scale == "log" }

// position returns a function that maps the interval from 0 to 1 to a range and returns the ends of
// the range exactly. The ends of a logarithmic range must have the same sign.
func position(from, to float64, log bool) func(u float64) float64 {
	return func(u float64) float64 {
		switch {
		case u <= 0:
			return from
		case u >= 1:
			return to
		case log:
			// With twelve digits, the decades from 1 to 100 are 1, 10, 100, not 10.000000000000002.
			// The quotient to/from may overflow, but these two powers cannot.
			x := roundDigits(math.Pow(math.Abs(from), 1-u)*math.Pow(math.Abs(to), u), 12)
			return math.Copysign(x, from)
		}
		return roundDigits(from*(1-u)+to*u, 14)
	}
}

// takesWhole reports whether a field takes whole numbers only.
func (v *Variation) takesWhole(tool *tools.Tool) bool {
	n := inputNode(tool, v.Field)
	return n != nil && n.Kind == schema.Integer
}

// roundInward replaces the ends of a range by the first and the last whole number in it. A search
// needs two of them.
func (v *Variation) roundInward(path string, errs *tools.FieldErrors) {
	low, high := min(*v.From, *v.To), max(*v.From, *v.To)
	from, to := math.Ceil(low)+0, math.Floor(high)+0 // + 0 because an input has no number -0
	if from >= to {
		errs.Add(path, "needs two whole numbers from %g to %g", low, high)
		return
	}
	if *v.From > *v.To {
		from, to = to, from
	}
	v.From, v.To = &from, &to
}

// roundDigits rounds x to the given number of significant digits.
func roundDigits(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// drawn creates the source for a distribution, or for a tolerance around base. base is nil if the
// input has no number at the field.
func (v *Variation) drawn(path, kind string, base *float64, errs *tools.FieldErrors) source {
	out := v.distributed(path, kind, base, errs)
	if out.draw == nil {
		return out
	}
	for _, u := range [...]float64{leastUniform, 1 - leastUniform} {
		if x := out.draw(u); math.IsInf(x, 0) || math.IsNaN(x) {
			errs.Add(path, "gives values beyond the largest number, %g", math.MaxFloat64)
			break
		}
	}
	return out
}

// distributed is the variant of drawn that does not check the values.
func (v *Variation) distributed(
	path, kind string, base *float64, errs *tools.FieldErrors,
) source {
	if kind == fromTolerance {
		return v.toleranceSource(path, base, errs)
	}
	get := func(name string) float64 {
		if x := v.numbers()[name]; x != nil {
			return *x
		}
		errs.Add(path+"."+name, "is required by distribution %s", *v.Distribution)
		return 0
	}
	switch *v.Distribution {
	case "normal":
		mean, sigma := get("mean"), get("sigma")
		return source{draw: normal(mean, sigma, orInf(v.TruncateSigma))}
	case "lognormal":
		median, sigma := get("median"), get("sigma_ln")
		return source{draw: func(u float64) float64 {
			return median * math.Exp(sigma*distuv.UnitNormal.Quantile(u))
		}}
	case "uniform":
		low, high := get("min"), get("max")
		if low >= high && v.Min != nil && v.Max != nil {
			errs.AddValue(path+".max", high, "must be above min, %g", low)
		}
		return source{draw: func(u float64) float64 { return low*(1-u) + high*u }}
	default:
		low, mode, high := get("min"), get("mode"), get("max")
		if v.Min == nil || v.Mode == nil || v.Max == nil {
			return source{}
		}
		if low >= high || mode < low || mode > high {
			errs.Add(path, "needs min <= mode <= max and min < max")
			return source{}
		}
		return source{draw: distuv.NewTriangle(low, high, mode, nil).Quantile}
	}
}

func (v *Variation) toleranceSource(path string, base *float64, errs *tools.FieldErrors) source {
	switch {
	case base == nil && !v.inNetlist() && !strings.HasPrefix(v.Field, "/"):
		return source{} // the field has its own error
	case base == nil:
		errs.Add(path+".tolerance_pct", "needs a base value, and the input has no number at %s",
			v.Field)
		return source{}
	case *base == 0:
		errs.Add(path+".tolerance_pct", "needs a base value other than 0 at %s; for a spread "+
			"around 0 give distribution uniform with min and max, or normal with sigma", v.Field)
		return source{}
	}
	t := math.Abs(*base) * *v.TolerancePct / 100
	switch {
	case v.Distribution == nil || *v.Distribution == "uniform":
		return source{draw: func(u float64) float64 { return *base + t*(2*u-1) }}
	case *v.Distribution == "normal":
		return source{draw: normal(*base, t/3, 3)}
	}
	errs.AddValue(path+".distribution", *v.Distribution,
		"of a tolerance must be uniform or normal")
	return source{}
}

// normal returns the quantile function of a normal distribution truncated at k standard deviations
// on both sides.
func normal(mean, sigma, k float64) func(float64) float64 {
	low, high := distuv.UnitNormal.CDF(-k), distuv.UnitNormal.CDF(k)
	return func(u float64) float64 {
		return mean + sigma*distuv.UnitNormal.Quantile(low+u*(high-low))
	}
}

func orInf(x *float64) float64 {
	if x == nil {
		return math.Inf(1)
	}
	return *x
}

// isNumber reports whether a JSON value is a number.
func isNumber(v Value) bool {
	return string(v) != "true" && string(v) != "false" && !math.IsNaN(scalar(json.RawMessage(v)))
}

// number returns the shortest JSON text that parses as x.
func number(x float64) Value {
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(nil, x, format, -1, 64)
}
