package homelab

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Whatever the ranges allow is answered, or refused at a field: never a panic, and never a
// result that is not finite.
func TestExtremeInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, tool := range Category().Tools[:10] {
		answered := 0
		for range 2000 {
			body, err := json.Marshal(extremeObject(r, tool.Input))
			if err != nil {
				t.Fatal(err)
			}
			_, err = tool.Run(context.Background(), body)
			if err == nil {
				answered++
				continue
			}
			bad := tools.AsInputError(err)
			if bad == nil {
				t.Fatalf("%s %s: %v", tool.Name, body, err)
			}
			for _, f := range bad.Faults {
				if f.Path == "" {
					t.Errorf("%s %s: %v", tool.Name, body, err)
				}
			}
		}
		if answered < 20 {
			t.Errorf("%s: %d inputs were answered", tool.Name, answered)
		}
	}
}

func extremeObject(r *rand.Rand, n *schema.Node) map[string]any {
	out := map[string]any{}
	for _, f := range n.Fields {
		if f.Required || r.IntN(3) == 0 {
			out[f.Name] = extremeValue(r, &f.Node)
		}
	}
	return out
}

// extremeValue is at an end of the range half of the time, else anywhere between.
func extremeValue(r *rand.Rand, n *schema.Node) any {
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
		x := []float64{lo, hi, lo + (hi-lo)*r.Float64(), max(lo, min(hi, math.Pow(10, 6*r.Float64()-2)))}[r.IntN(4)]
		if n.Kind == schema.Integer {
			return math.Trunc(x)
		}
		return x
	case schema.String:
		if len(n.Enum) > 0 {
			return n.Enum[r.IntN(len(n.Enum))]
		}
		return []string{"0.0.0.0/0", "255.255.255.255", "10.1.2.3 255.255.255.254", "::/0", "ffff::/127", "1.2.3.4", "x"}[r.IntN(7)]
	case schema.Boolean:
		return r.IntN(2) == 0
	case schema.Array:
		list := make([]any, 1+r.IntN(4))
		for i := range list {
			list[i] = extremeValue(r, n.Elem)
		}
		return list
	default:
		return extremeObject(r, n)
	}
}
