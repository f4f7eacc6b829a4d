package batch

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Names of the result fields that contain vectors and measurements.
const (
	vectorsField  = "vectors"
	measuresField = "measures"
	// clockField is the result field with the duration of a computation. It differs between equal
	// runs, so it is collected only on request.
	clockField = "runtime_ms"
)

// sweepVectors are the possible names of the sweep variable in the vectors of an analysis.
var sweepVectors = []string{"time", "frequency", "sweep"}

// column extracts one collected value from a result.
type column struct {
	name     string
	title    string // label of the result field; "" if unknown
	unit     string // "" if unknown
	boolean  bool   // values are displayed as true and false
	textual  bool   // values may be texts
	onlyText bool   // all values are texts
	// read returns a number, or NaN and a text; both are absent for any other value.
	read func(result tools.Result) (number float64, text string)
}

// newColumns compiles collect. If collect is empty, it selects every top-level number and boolean
// of the result except clockField.
func newColumns(tool *tools.Tool, collect []Collected, errs *tools.FieldErrors) []column {
	var out []column
	if len(collect) == 0 {
		for _, f := range tool.Output.Fields {
			if isScalar(f.Kind) && f.Name != clockField {
				c := pointerColumn(f.Name, []string{f.Name}, f.Kind)
				c.title, c.unit = f.Label, f.Unit
				out = append(out, c)
			}
		}
		return out
	}
	seen := map[string]bool{}
	for i := range collect {
		path := fmt.Sprintf("collect[%d]", i)
		if c, ok := newColumn(tool, &collect[i].collected, path, errs); ok {
			if seen[c.name] {
				errs.AddValue(path, c.name, "is the name of an earlier entry")
			}
			seen[c.name] = true
			out = append(out, c)
		}
	}
	return out
}

func isScalar(k schema.Kind) bool {
	return k == schema.Number || k == schema.Integer || k == schema.Boolean
}

// isTextual reports whether values of a kind may be texts.
func isTextual(k schema.Kind) bool {
	return k == schema.String || k == schema.Any || k == schema.CustomT
}

// newColumn compiles an entry of collect. It reports an invalid entry in errs and returns false.
func newColumn(tool *tools.Tool, c *collected, path string,
	errs *tools.FieldErrors) (column, bool) {
	sources := 0
	for _, isSet := range []bool{c.Pointer != nil, c.Measure != nil, c.Vector != nil} {
		if isSet {
			sources++
		}
	}
	switch {
	case sources != 1:
		errs.Add(path, "needs one of pointer, measure and vector, has %d", sources)
		return column{}, false
	case c.Vector == nil && (c.Reduce != nil || c.At != nil):
		errs.Add(path, "has reduce or at, which belong to a vector")
		return column{}, false
	case c.Vector != nil && (c.Reduce == nil) == (c.At == nil):
		errs.Add(path, "needs one of reduce and at beside the vector")
		return column{}, false
	case c.Measure != nil && tool.Output.Field(measuresField) == nil:
		errs.Add(path+".measure", "belongs to tools with measurements; %s has none", tool.Name)
		return column{}, false
	case c.Vector != nil && tool.Output.Field(vectorsField) == nil:
		errs.Add(path+".vector", "belongs to tools with vectors; %s has none", tool.Name)
		return column{}, false
	}
	switch {
	case c.Measure != nil:
		return pointerColumn(c.Name, []string{measuresField, strings.ToLower(*c.Measure)},
			schema.Number), true
	case c.Vector != nil:
		return vectorColumn(c), true
	}
	steps, ok := pointerSteps(*c.Pointer)
	if !ok {
		steps = []string{*c.Pointer} // the name of a top-level field
	}
	kind, detail := resultKind(tool.Output, steps)
	if detail != "" {
		errs.AddValue(path, *c.Pointer, "%s", detail)
		return column{}, false
	}
	out := pointerColumn(c.Name, steps, kind)
	if f := tool.Output.Field(steps[0]); len(steps) == 1 && f != nil {
		out.title, out.unit = f.Label, f.Unit
	}
	return out, true
}

// resultKind returns the kind of the result value at a pointer. For an invalid pointer, detail
// describes the error.
func resultKind(n *schema.Node, steps []string) (kind schema.Kind, detail string) {
	for _, step := range steps {
		switch n.Kind {
		case schema.Object:
			f := n.Field(step)
			if f == nil {
				_, names := childNode(n, step)
				return "", "names no field of the result: there is no " + quoted(step) +
					nearestNames(step, names)
			}
			n = &f.Node
		case schema.Map:
			n = n.Elem
		case schema.Array:
			if k, err := strconv.Atoi(step); err != nil || k < 0 {
				return "", "needs the index of a list entry in place of " + quoted(step)
			}
			n = n.Elem
		case schema.Any, schema.CustomT:
			return schema.Any, ""
		default:
			return "", "leads through a " + string(n.Kind) + ", which has no " + quoted(step)
		}
	}
	if !isScalar(n.Kind) && !isTextual(n.Kind) {
		return "", "leads to a " + string(n.Kind) + "; collected are numbers, booleans and texts"
	}
	if n.IsText() {
		return schema.String, ""
	}
	return n.Kind, ""
}

// pointerColumn returns a column that reads the value at a JSON pointer with the given steps.
func pointerColumn(name string, steps []string, kind schema.Kind) column {
	return column{name: name, boolean: kind == schema.Boolean, textual: isTextual(kind),
		onlyText: kind == schema.String,
		read: func(result tools.Result) (float64, string) {
			value := result.Value(steps[0])
			if x, ok := value.(float64); ok && len(steps) == 1 {
				return x, ""
			}
			raw := descend(value, steps)
			return scalar(raw), unquoted(raw)
		}}
}

// descend follows all steps but the first, which has led to value. It returns the JSON of the value
// at the last step, or nil if there is none.
func descend(value any, steps []string) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	for _, step := range steps[1:] {
		if len(raw) == 0 {
			return nil
		}
		if raw[0] == '[' {
			var list []json.RawMessage
			k, err := strconv.Atoi(step)
			if err != nil || json.Unmarshal(raw, &list) != nil || k < 0 || k >= len(list) {
				return nil
			}
			raw = list[k]
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			return nil
		}
		raw = fields[step]
	}
	return raw
}

// scalar returns the value of a JSON number or boolean, and NaN for any other JSON value.
func scalar(raw json.RawMessage) float64 {
	switch string(raw) {
	case "true":
		return 1
	case "false":
		return 0
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// unquoted returns the value of a JSON string, and "" for any other JSON value.
func unquoted(raw json.RawMessage) (s string) {
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s) // cannot fail: json.Marshal made the string
	}
	return s
}

// vectorColumn returns a column that reduces a vector to one value, or interpolates it at a value
// of the sweep variable.
func vectorColumn(c *collected) column {
	name := strings.ToLower(*c.Vector)
	reduce := func(x, y []float64) float64 { return interpolate(x, y, *c.At) }
	if c.Reduce != nil {
		reduce = reductions[*c.Reduce]
	}
	read := func(result tools.Result) float64 {
		vectors, _ := result.Value(vectorsField).(map[string][]float64)
		y := vectors[name]
		if len(y) == 0 {
			return math.NaN()
		}
		var x []float64
		for _, sweep := range sweepVectors {
			var ok bool
			if x, ok = vectors[sweep]; !ok {
				continue
			}
			if len(x) != len(y) {
				return math.NaN()
			}
			if sweep != "time" && c.Reduce != nil && (*c.Reduce == "mean" || *c.Reduce == "rms") {
				x = nil
			}
			break
		}
		return reduce(x, y)
	}
	return column{name: c.Name, read: func(result tools.Result) (float64, string) {
		return read(result), ""
	}}
}

// reductions map a vector y over x to one value. If x is nil, all points have equal weight, and
// argmax and argmin return indices.
var reductions = map[string]func(x, y []float64) float64{
	"max":    func(_, y []float64) float64 { return y[extreme(y, 1)] },
	"min":    func(_, y []float64) float64 { return y[extreme(y, -1)] },
	"pp":     func(_, y []float64) float64 { return y[extreme(y, 1)] - y[extreme(y, -1)] },
	"mean":   func(x, y []float64) float64 { return average(x, y, 1) },
	"rms":    func(x, y []float64) float64 { return math.Sqrt(average(x, y, 2)) },
	"last":   func(_, y []float64) float64 { return y[len(y)-1] },
	"argmax": func(x, y []float64) float64 { return at(x, extreme(y, 1)) },
	"argmin": func(x, y []float64) float64 { return at(x, extreme(y, -1)) },
}

func at(x []float64, i int) float64 {
	if x == nil {
		return float64(i)
	}
	return x[i]
}

// extreme returns the index of the first maximum or, if sign is -1, of the first minimum.
func extreme(y []float64, sign float64) int {
	best := 0
	for i := range y {
		if sign*y[i] > sign*y[best] {
			best = i
		}
	}
	return best
}

// average returns the mean of y or, if power is 2, the mean of its square. It integrates the
// piecewise linear y, or its square, exactly over x. If x is nil or has no range, all points have
// equal weight.
func average(x, y []float64, power int) float64 {
	sum, span := 0.0, 0.0
	if x == nil || len(y) == 1 || x[len(x)-1] == x[0] {
		for _, v := range y {
			sum += math.Pow(v, float64(power))
		}
		return sum / float64(len(y))
	}
	for i := 1; i < len(y); i++ {
		dx, a, b := x[i]-x[i-1], y[i-1], y[i]
		span += dx
		if power == 2 {
			sum += dx * (a*a + a*b + b*b) / 3
		} else {
			sum += dx * (a + b) / 2
		}
	}
	return sum / span
}

// interpolate returns y at a value of x. x may be ascending or descending. It returns NaN outside
// the range of x.
func interpolate(x, y []float64, at float64) float64 {
	for k := range x {
		if x[k] == at {
			return y[k]
		}
		if k > 0 && (at-x[k-1])*(at-x[k]) < 0 {
			return y[k-1] + (at-x[k-1])/(x[k]-x[k-1])*(y[k]-y[k-1])
		}
	}
	return math.NaN()
}
