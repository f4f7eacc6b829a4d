package catalog

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipstick/internal/schematest"
	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/tools/tooltest"
)

func mustCatalog(t testing.TB) *tools.Catalog {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLaws verifies that every tool of the catalog has valid JSON Schemas, and descriptions and
// units of all fields. Its examples match their schemas and expected results.
func TestLaws(t *testing.T) {
	c := mustCatalog(t)
	for _, e := range c.All() {
		t.Run(e.Name, func(t *testing.T) {
			input := schematest.Compile(t, e.InputSchema())
			output := schematest.Compile(t, e.OutputSchema())
			for key := range e.InputSchema() {
				if key == "oneOf" || key == "anyOf" || key == "allOf" {
					t.Errorf(
						"%s at the top of the input schema: model providers refuse the whole list", key)
				}
			}
			checkNode(t, "input", e.Input)
			checkNode(t, "output", e.Output)
			if strings.HasSuffix(e.Summary, ".") || strings.Contains(e.Summary, "\n") {
				t.Errorf("summary %q is one line without a full stop", e.Summary)
			}
			tooltest.Examples(t, e.Tool)
			for _, x := range e.Examples {
				if err := schematest.Validate(input, []byte(x.In)); err != nil {
					t.Errorf("example %q does not fit the input schema: %v", x.Title, err)
				}
				result, err := e.Run(context.Background(), []byte(x.In))
				if err != nil {
					t.Fatalf("example %q: %v", x.Title, err)
				}
				if err := schematest.Validate(output, result); err != nil {
					t.Errorf("example %q: the result does not fit the output schema: %v",
						x.Title, err)
				}
			}
		})
	}
}

// checkNode verifies a description on every field and a unit on every number.
func checkNode(t *testing.T, path string, n *schema.Node) {
	t.Helper()
	switch n.Kind {
	case schema.Object:
		for _, f := range n.Fields {
			at := path + "." + f.Name
			if f.Doc == "" {
				t.Errorf("%s has no description", at)
			}
			checkNode(t, at, &f.Node)
		}
	case schema.Array, schema.Map:
		checkNode(t, path+"[]", n.Elem)
	case schema.Number, schema.Integer:
		if n.Unit == "" {
			t.Errorf("%s has no unit (\"1\" says dimensionless)", path)
		}
	}
}

// TestSweep sends every tool random inputs that match its schema, and corrupted ones. It verifies
// that each returns a result that matches the output schema, or an input error.
func TestSweep(t *testing.T) {
	c := mustCatalog(t)
	for _, e := range c.All() {
		t.Run(e.Name, func(t *testing.T) {
			output := schematest.Compile(t, e.OutputSchema())
			examples := make([]map[string]any, len(e.Examples))
			for i, x := range e.Examples {
				if err := json.Unmarshal([]byte(x.In), &examples[i]); err != nil {
					t.Fatal(err)
				}
			}
			rapid.Check(t, func(t *rapid.T) {
				in := map[string]any{}
				if rapid.Bool().Draw(t, "from example") {
					for k, v := range rapid.SampledFrom(examples).Draw(t, "example") {
						in[k] = v
					}
				}
				for _, f := range e.Input.Fields {
					if _, given := in[f.Name]; given && rapid.IntRange(0, 3).Draw(t,
						"keep "+f.Name) > 0 {
						continue
					}
					if !f.Required && rapid.Bool().Draw(t, "omit "+f.Name) {
						delete(in, f.Name)
						continue
					}
					in[f.Name] = drawValue(t, f.Name, &f.Node)
				}
				if rapid.IntRange(0, 3).Draw(t, "spoil") == 0 && len(in) > 0 {
					f := rapid.SampledFrom(e.Input.Fields).Draw(t, "spoilt")
					in[f.Name] = rapid.SampledFrom([]any{nil, "x", -1.0, 0.0, 1e308, -1e308, 5e-324,
						true, []any{}, map[string]any{}, []any{nil, "y"}, 0.5}).Draw(t, "junk")
				}
				body, err := json.Marshal(in)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				result, err := e.Run(ctx, body)
				if err != nil {
					if bad := tools.AsInputError(err); bad == nil {
						t.Fatalf("%s: not a refusal: %v", body, err)
					} else if len(bad.Fields) == 0 || bad.Fields[0].Detail == "" {
						t.Fatalf("%s: a refusal that says nothing", body)
					}
					return
				}
				if err := schematest.Validate(output, result); err != nil {
					t.Fatalf("%s: result %s: %v", body, result, err)
				}
			})
		})
	}
}

// drawValue draws a value that matches the node.
func drawValue(t *rapid.T, label string, n *schema.Node) any {
	switch n.Kind {
	case schema.Number, schema.Integer:
		lo, hi := -1e9, 1e9
		if n.Min != nil {
			lo = *n.Min
		}
		if n.GT != nil {
			lo = *n.GT
		}
		if n.Max != nil {
			hi = *n.Max
		}
		if n.LT != nil {
			hi = *n.LT
		}
		if n.Kind == schema.Integer {
			return rapid.Int64Range(int64(max(lo, -1<<53)), int64(min(hi, 1<<53))).Draw(t, label)
		}
		switch rapid.IntRange(0, 3).Draw(t, label+" size") {
		case 0:
			return lo
		case 1:
			return hi
		case 2:
			return min(hi, max(lo, rapid.Float64Range(0, 100).Draw(t, label)))
		}
		return rapid.Float64Range(lo, max(lo, hi)).Draw(t, label)
	case schema.String:
		if len(n.Enum) > 0 {
			return rapid.SampledFrom(n.Enum).Draw(t, label)
		}
		return rapid.StringN(n.MinLength, 40, -1).Draw(t, label)
	case schema.Boolean:
		return rapid.Bool().Draw(t, label)
	case schema.Array:
		limit := max(n.MinItems, 4)
		if n.MaxItems > 0 {
			limit = min(limit, n.MaxItems)
		}
		list := make([]any, rapid.IntRange(n.MinItems, limit).Draw(t, label+" count"))
		for i := range list {
			list[i] = drawValue(t, label, n.Elem)
		}
		return list
	case schema.Map:
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, label+" count") {
			m[rapid.StringMatching(`[a-z][a-z0-9_]{0,12}`).Draw(t, label+" key")] = drawValue(t,
				label, n.Elem)
		}
		return m
	case schema.Object:
		m := map[string]any{}
		for _, f := range n.Fields {
			if f.Required || rapid.Bool().Draw(t, label+"."+f.Name+" given") {
				m[f.Name] = drawValue(t, label+"."+f.Name, &f.Node)
			}
		}
		return m
	default:
		return rapid.OneOf(
			rapid.Map(rapid.Float64Range(-1e6, 1e6), func(x float64) any { return x }),
			rapid.Map(rapid.StringN(0, 12, -1), func(s string) any { return s }),
		).Draw(t, label)
	}
}
