package schema

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"slipstick/internal/schematest"
)

// junk returns a generator of values of any type near the bounds of rich.
func junk(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.SampledFrom([]any{nil, true, false, 0, 1, -1, 2, 5, 6, 10, 11, 300, 301, 0.5, 1.0,
			-0.5, 1e300, 5e-324}),
		rapid.SampledFrom([]any{"", "a", "ab", "abcd", "abcde", "äöüß", "one", "two", "three", "A",
			"1.5", "-2"}),
	}
	if depth > 0 {
		kinds = append(kinds,
			rapid.Map(rapid.SliceOfN(junk(depth-1), 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "x", "", "a/b"}),
				junk(depth-1), 0, 3), func(m map[string]any) any {
				return m
			}),
		)
	}
	return rapid.OneOf(kinds...)
}

// richBody returns a generator of objects that almost match rich. They have no duplicate names,
// which JSON Schema cannot express.
func richBody() *rapid.Generator[map[string]any] {
	plausible := map[string][]any{
		"x": {1, 300, 0.001, 0}, "lt": {0, -1, 1, 0.999}, "n": {1, 5, 3.0, 0},
		"word": {"one", "two"}, "text": {"ab", "äöüß", "abcde"},
		"pattern": {"abc", "aBc"}, "flag": {true}, "optional": {-7}, "with_default": {0},
		"list":   {[]any{1}, []any{1, 2, 3, 4}, []any{-1}},
		"matrix": {[]any{[]any{1, 2}}, []any{[]any{}, []any{0.5}}},
		"items":  {[]any{map[string]any{"a": 1, "b": nil}}, []any{map[string]any{"b": 1}}},
		"params": {map[string]any{"r": 1}, map[string]any{"r": 0}},
		"nested": {map[string]any{"a": 1, "z": 0}}, "money": {1.5, "1.5", "x"}, "shared": {false},
	}
	return rapid.Custom(func(t *rapid.T) map[string]any {
		body := map[string]any{"x": 1}
		for _, f := range richNode.Fields {
			// rapid draws small numbers most often, so most fields remain unchanged.
			switch rapid.IntRange(0, 39).Draw(t, f.Name) {
			case 15:
				body[f.Name] = junk(2).Draw(t, f.Name+" junk")
			case 16:
				delete(body, f.Name)
			case 5, 6, 7, 8:
				if choice := plausible[f.Name]; choice != nil {
					body[f.Name] = rapid.SampledFrom(choice).Draw(t, f.Name+" value")
				}
			}
		}
		if rapid.IntRange(0, 5).Draw(t, "unknown") == 0 {
			body["unknown"] = junk(1).Draw(t, "unknown value")
		}
		return body
	})
}

// TestDecoderAgreesWithItsSchema verifies that the decoder accepts the same bodies as an
// independent validator with its published JSON Schema. It also verifies that both accept null for
// optional fields.
func TestDecoderAgreesWithItsSchema(t *testing.T) {
	s := schematest.Compile(t, richNode.JSONSchema())
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		body, err := json.Marshal(richBody().Draw(t, "body"))
		if err != nil {
			t.Fatal(err)
		}
		var v rich
		d, err := richNode.Decode(body, &v)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		invalid := schematest.Validate(s, body)
		if (invalid == nil) != (len(d.FieldErrors) == 0) {
			t.Fatalf("%s: the schema says %v, the decoder %+v", body, invalid, d.FieldErrors)
		}
		if invalid == nil {
			accepted++
		} else {
			refused++
		}
	})
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted, %d refused: the bodies are not mixed", accepted, refused)
	}
}

// TestDecodedInputReadsBack verifies that decoding, encoding and decoding again returns the same
// values, including defaults.
func TestDecodedInputReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, err := json.Marshal(richBody().Draw(t, "body"))
		if err != nil {
			t.Fatal(err)
		}
		var a, b rich
		if d, err := richNode.Decode(body, &a); err != nil || len(d.FieldErrors) > 0 {
			return
		}
		again, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := richNode.Decode(again, &b); err != nil || len(d.FieldErrors) > 0 ||
			!reflect.DeepEqual(a, b) {
			t.Fatalf("%s became %s: %v %+v\n%+v\n%+v", body, again, err, d, a, b)
		}
	})
}

// FuzzDecode verifies that Decode never panics and accepts only JSON that encoding/json accepts. It
// also verifies that both decode the same values from a valid input.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"x": 1}`, `{"x": 1, "x": 2}`, `{"x": 1e400}`, `[]`, `null`, `"a"`, `{"x": -0}`,
		`{"x":1}}`, `{"x": 1, "free": [[[]]]}`,
		`{"x": 1, "text": "\ud800\u0000", "params": {"": 1, "a\u002eb": 2}, "list": [1, 2, 3], "items": [{"a": 1, "b": 2}], "nested": {"a": 1}}`,
		`{"x": 1, "money": "1.50", "matrix": [[1], []], "flag": true, "n": 2.0, "word": "two", "unknown": {"deep": [1, {"er": null}]}}`,
		"{\"x\":\t1.5E+1 ,\r\n\"lt\":-0.5}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var v rich
		d, err := richNode.Decode(body, &v)
		if err != nil {
			if s, ok := errors.AsType[*SyntaxError](err); !ok || s.Offset < 0 ||
				s.Offset > len(body) || s.Detail == "" {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		if !utf8.Valid(body) || !json.Valid(body) {
			t.Fatalf("%q is taken for JSON", body)
		}
		for _, fault := range d.FieldErrors {
			if fault.Detail == "" || len(fault.Value) > 0 && !json.Valid(fault.Value) ||
				len(fault.Sentence()) > 2000+len(body) {
				t.Fatalf("%q: %+v", body, fault)
			}
		}
		if len(d.FieldErrors) > 0 {
			return
		}
		// Fields are decoded one by one, because encoding/json would match names in any case.
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatalf("%q is accepted; encoding/json says %v", body, err)
		}
		var x float64
		if err := json.Unmarshal(fields["x"], &x); err != nil || x != v.X {
			t.Fatalf("%q: x is %v; encoding/json reads %v, %v", body, v.X, x, err)
		}
		var list []float64
		if raw := fields["list"]; raw != nil && string(raw) != "null" {
			if err := json.Unmarshal(raw, &list); err != nil || !reflect.DeepEqual(list, v.List) {
				t.Fatalf("%q: list is %v; encoding/json reads %v, %v", body, v.List, list, err)
			}
		}
		var text *string
		if raw := fields["text"]; raw != nil {
			if err := json.Unmarshal(raw, &text); err != nil || !reflect.DeepEqual(text, v.Text) {
				t.Fatalf("%q: text is %v; encoding/json reads %v, %v", body, v.Text, text, err)
			}
		}
	})
}
