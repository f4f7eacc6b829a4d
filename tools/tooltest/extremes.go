package tooltest

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// FuzzBounds runs every tool with random inputs within its ranges, often at the bounds. draws is
// the number of inputs per tool, texts the candidates for strings and other free values. Each run
// must return JSON or a field error without panicking, and at least 1 % must return results.
func FuzzBounds(t *testing.T, all []*tools.Tool, draws int, texts ...any) {
	t.Helper()
	e := extremes{rand.New(rand.NewPCG(3, 4)), texts}
	for _, tool := range all {
		results := 0
		for range draws {
			body, err := json.Marshal(e.object(tool.Input))
			if err != nil {
				t.Fatal(err)
			}
			result, err := tool.Run(context.Background(), body)
			if err == nil {
				if results++; !json.Valid(result) {
					t.Fatalf("%s %s: %s", tool.Name, body, result)
				}
				continue
			}
			bad := tools.AsInputError(err)
			if bad == nil {
				t.Fatalf("%s %s: %v", tool.Name, body, err)
			}
			for _, f := range bad.Fields {
				if f.Path == "" && f.Detail == "" {
					t.Errorf("%s %s: a refusal that names nothing: %v", tool.Name, body, err)
				}
			}
		}
		if results < draws/100 {
			t.Errorf("%s: %d of %d inputs have results", tool.Name, results, draws)
		}
	}
}

type extremes struct {
	*rand.Rand
	texts []any
}

func (e extremes) object(n *schema.Node) map[string]any {
	out := map[string]any{}
	for _, f := range n.Fields {
		if f.Required || e.IntN(3) == 0 {
			out[f.Name] = e.value(&f.Node)
		}
	}
	return out
}

// value returns a bound of the range in half of the cases, otherwise a random value within the
// range or of any decade.
func (e extremes) value(n *schema.Node) any {
	switch n.Kind {
	case schema.Number, schema.Integer:
		lo, hi := 0.0, 1e9
		if n.GT != nil {
			lo = math.Nextafter(*n.GT, math.Inf(1))
		} else if n.Min != nil {
			lo = *n.Min
		}
		if n.LT != nil {
			hi = math.Nextafter(*n.LT, math.Inf(-1))
		} else if n.Max != nil {
			hi = *n.Max
		}
		x := []float64{lo, hi, lo + (hi-lo)*e.Float64(),
			max(lo, min(hi, math.Pow(10, 6*e.Float64()-2)))}[e.IntN(4)]
		if n.Kind == schema.Integer {
			return math.Trunc(x)
		}
		return x
	case schema.Boolean:
		return e.IntN(2) == 0
	case schema.Array:
		list := make([]any, 1+e.IntN(4))
		for i := range list {
			list[i] = e.value(n.Elem)
		}
		return list
	case schema.Object:
		return e.object(n)
	}
	if len(n.Enum) > 0 {
		return n.Enum[e.IntN(len(n.Enum))]
	}
	return e.texts[e.IntN(len(e.texts))]
}
