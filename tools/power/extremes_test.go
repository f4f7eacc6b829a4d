package power

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Whatever is allowed by the ranges is answered or refused as an input, never a panic, and a
// result parses as JSON.
func TestExtremeInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tool := range Category().Tools {
		answered := 0
		for range 600 {
			body, err := json.Marshal(randomObject(r, tool.Input))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := tool.Run(context.Background(), body)
			if err != nil {
				if tools.AsInputError(err) == nil {
					t.Fatalf("%s %s: %v", tool.Name, body, err)
				}
				continue
			}
			if !json.Valid(raw) {
				t.Fatalf("%s %s: %s", tool.Name, body, raw)
			}
			answered++
		}
		if answered == 0 {
			t.Errorf("%s: no random input was answered, so nothing was tested", tool.Name)
		}
	}
}

func randomObject(r *rand.Rand, n *schema.Node) map[string]any {
	out := map[string]any{}
	for _, f := range n.Fields {
		if f.Required || r.IntN(3) == 0 {
			out[f.Name] = randomValue(r, &f.Node)
		}
	}
	return out
}

// randomValue favours the ends of the range and spreads the rest over the decades.
func randomValue(r *rand.Rand, n *schema.Node) any {
	switch n.Kind {
	case schema.Number, schema.Integer:
		lo, hi := 1e-9, 1e9
		for _, b := range []*float64{n.Min, n.GT} {
			if b != nil {
				lo = *b
			}
		}
		for _, b := range []*float64{n.Max, n.LT} {
			if b != nil {
				hi = *b
			}
		}
		var x float64
		switch r.IntN(4) {
		case 0:
			x = lo
			if n.GT != nil {
				x = math.Nextafter(lo, hi)
			}
		case 1:
			x = hi
			if n.LT != nil {
				x = math.Nextafter(hi, lo)
			}
		case 2:
			x = lo + (hi-lo)*r.Float64()
		default:
			x = math.Max(lo, math.Min(hi, math.Pow(10, 6*r.Float64()-2)))
		}
		if n.Kind == schema.Integer {
			return math.Trunc(x)
		}
		return x
	case schema.String:
		if len(n.Enum) > 0 {
			return n.Enum[r.IntN(len(n.Enum))]
		}
		return "x"
	case schema.Boolean:
		return r.IntN(2) == 0
	case schema.Array:
		list := make([]any, 1+r.IntN(4))
		for i := range list {
			list[i] = randomValue(r, n.Elem)
		}
		return list
	case schema.Object:
		return randomObject(r, n)
	default: // a conductor size
		return []any{12, 30, "1/0", "4/0", 500, 2000, 18}[r.IntN(7)]
	}
}
