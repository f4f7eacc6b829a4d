package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// decimal is a FieldDecoder for a number, or a string that contains one.
type decimal struct{ text string }

func (d *decimal) DecodeField(raw []byte) error {
	s := strings.Trim(string(raw), `"`)
	if !json.Valid([]byte(s)) || s == "" || !strings.ContainsAny(s[:1], "-0123456789") {
		return errors.New("must be a number or a decimal string")
	}
	d.text = s
	return nil
}

func (d decimal) MarshalJSON() ([]byte, error) { return json.Marshal(d.text) }

func (*decimal) FieldSchema() map[string]any {
	return map[string]any{"type": []string{"number", "string"}, "pattern": `^-?[0-9]`}
}

type inner struct {
	A float64 `json:"a" unit:"m" gt:"0" doc:"a"`
	B *int    `json:"b" unit:"1" min:"0" max:"10" doc:"b"`
}

type promoted struct {
	Shared bool `json:"shared" default:"true" doc:"promoted"`
}

// rich has a field of every kind with every tag.
type rich struct {
	X        float64            `json:"x" unit:"MHz" gt:"0" max:"300" example:"1" doc:"required"`
	Lt       *float64           `json:"lt" unit:"1" min:"-1" lt:"1" doc:"half open"`
	N        int                `json:"n" unit:"1" min:"1" max:"5" default:"2" doc:"count"`
	Word     string             `json:"word" enum:"one,two" default:"one" doc:"a word"`
	Text     *string            `json:"text" minLength:"2" maxLength:"4" doc:"two to four characters"`
	Pattern  *string            `json:"pattern" pattern:"^[a-z]+$" doc:"lower case"`
	Flag     *bool              `json:"flag" doc:"a switch"`
	Optional *float64           `json:"optional" unit:"V" doc:"no default"`
	WithDef  *float64           `json:"with_default" unit:"V" default:"2.15" doc:"optional with a default"`
	List     []float64          `json:"list" unit:"Ω" min:"0" minItems:"1" maxItems:"3" default:"[1, 2]" doc:"numbers"`
	Matrix   [][]int            `json:"matrix" unit:"1" maxItems:"2" default:"[]" doc:"rows"`
	Items    []inner            `json:"items" maxItems:"2" default:"[]" doc:"objects"`
	Params   map[string]float64 `json:"params" unit:"1" gt:"0" maxItems:"2" default:"{}" doc:"by name"`
	Nested   *inner             `json:"nested" doc:"an object"`
	Free     any                `json:"free" default:"null" doc:"anything"`
	Money    *decimal           `json:"money" unit:"1" doc:"number or string"`
	Hidden   int                `json:"-"`
	promoted
}

var richNode = Compile[rich]()

func decodeRich(t *testing.T, body string) (rich, Decoded, error) {
	t.Helper()
	var v rich
	d, err := richNode.Decode([]byte(body), &v)
	return v, d, err
}

func TestDecodeDefaults(t *testing.T) {
	v, d, err := decodeRich(t, `{"x": 1}`)
	if err != nil || len(d.FieldErrors) > 0 || len(d.Unknown) > 0 {
		t.Fatalf("%v %+v", err, d)
	}
	two := 2.15
	want := rich{X: 1, N: 2, Word: "one", WithDef: &two, List: []float64{1, 2}, Matrix: [][]int{},
		Items: []inner{}, Params: map[string]float64{}, promoted: promoted{true}}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("got  %+v\nwant %+v", v, want)
	}
	// Every optional field accepts null as absent.
	fields := []string{`"x": 1`}
	for _, f := range richNode.Fields {
		if !f.Required {
			fields = append(fields, `"`+f.Name+`": null`)
		}
	}
	v, d, err = decodeRich(t, "{"+strings.Join(fields, ", ")+"}")
	if err != nil || len(d.FieldErrors) > 0 || !reflect.DeepEqual(v, want) {
		t.Errorf("with nulls: %v %+v %+v", err, d, v)
	}
}

// TestDefaultsAreNotShared verifies that a default list or map is created per input, because a tool
// may sort its input.
func TestDefaultsAreNotShared(t *testing.T) {
	a, _, _ := decodeRich(t, `{"x": 1}`)
	a.List[0] = 99
	a.Params["r"] = 1
	b, _, _ := decodeRich(t, `{"x": 1}`)
	if b.List[0] != 1 || len(b.Params) != 0 {
		t.Errorf("the second input has the first one's values: %v %v", b.List, b.Params)
	}
}

func TestDecodeAccepts(t *testing.T) {
	for _, c := range []struct {
		name, body string
		check      func(rich) bool
	}{
		{"exponents", `{"x": 1.5e2}`, func(v rich) bool { return v.X == 150 }},
		{"white space everywhere", " \t\r\n{ \"x\" : 1 , \"list\" : [ 0 , 2 ] } \n",
			func(v rich) bool {
				return len(v.List) == 2
			}},
		{"the upper bound itself", `{"x": 300}`, func(v rich) bool { return v.X == 300 }},
		{"a whole number written with a point", `{"x": 1, "n": 3.0}`, func(v rich) bool {
			return v.N == 3
		}},
		{"a whole number written with an exponent", `{"x": 1, "n": 40e-1}`, func(v rich) bool {
			return v.N == 4
		}},
		{"a whole number of many digits", `{"x": 1, "n": 4.0000000000000000000000}`,
			func(v rich) bool {
				return v.N == 4
			}},
		{"a whole number of many digits and an exponent",
			`{"x": 1, "n": 400000000000000000000000000e-26}`, func(v rich) bool {
				return v.N == 4
			}},
		{"negative zero", `{"x": 1, "optional": -0.0}`, func(v rich) bool {
			return *v.Optional == 0 && math.Signbit(*v.Optional)
		}},
		{"the smallest double", `{"x": 5e-324}`, func(v rich) bool { return v.X == 5e-324 }},
		{"a field given over its default", `{"x": 1, "with_default": 0, "shared": false}`,
			func(v rich) bool {
				return *v.WithDef == 0 && !v.Shared
			}},
		{"characters, not bytes", `{"x": 1, "text": "äöü€"}`, func(v rich) bool {
			return *v.Text == "äöü€"
		}},
		{"escapes", `{"x": 1, "text": "\u00e9\n\"\/"}`, func(v rich) bool {
			return *v.Text == "é\n\"/"
		}},
		{"escapes in a field name", `{"\u0078": 7}`, func(v rich) bool { return v.X == 7 }},
		{"a surrogate pair", `{"x": 1, "text": "\ud83d\ude00."}`, func(v rich) bool {
			return *v.Text == "😀."
		}},
		{"nested", `{"x": 1, "items": [{"a": 1, "b": 2}, {"a": 3}], "nested": {"a": 4}}`,
			func(v rich) bool {
				return *v.Items[0].B == 2 && v.Items[1].B == nil && v.Nested.A == 4
			}},
		{"rows", `{"x": 1, "matrix": [[1, 2], []]}`, func(v rich) bool {
			return v.Matrix[0][1] == 2 && len(v.Matrix[1]) == 0
		}},
		{"a map", `{"x": 1, "params": {"r": 2, "": 3}}`, func(v rich) bool {
			return v.Params["r"] == 2 && v.Params[""] == 3
		}},
		{"anything", `{"x": 1, "free": {"a": [1, "b", null, true]}}`, func(v rich) bool {
			return reflect.DeepEqual(v.Free, map[string]any{"a": []any{1.0, "b", nil, true}})
		}},
		{"custom as a number", `{"x": 1, "money": 1.10}`, func(v rich) bool {
			return v.Money.text == "1.10"
		}},
		{"custom as a string", `{"x": 1, "money": "1.10"}`, func(v rich) bool {
			return v.Money.text == "1.10"
		}},
		{"deep, but not too deep", `{"x": 1, "free": ` + strings.Repeat("[", 63) +
			strings.Repeat("]", 63) + `}`, func(v rich) bool {
			return v.Free != nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, d, err := decodeRich(t, c.body)
			if err != nil || len(d.FieldErrors) > 0 || len(d.Unknown) > 0 {
				t.Fatalf("%v %+v", err, d)
			}
			if !c.check(v) {
				t.Errorf("got %+v", v)
			}
		})
	}
}

func TestDecodeFaults(t *testing.T) {
	for _, c := range []struct {
		name, body string
		pointers   []string // pointers of the errors, in order
		say        string   // part of the first detail
	}{
		{"missing", `{}`, []string{"/x"},
			"is required: a number, greater than 0 and at most 300, in MHz"},
		{"a required null", `{"x": null}`, []string{"/x"}, "null does not count"},
		{"the body is a list", `[1]`, []string{""}, "must be an object (an array was given)"},
		{"the body is null", `null`, []string{""}, "must be an object (null was given)"},
		{"the body is a number", `7`, []string{""}, "(a number was given)"},
		{"exclusive minimum", `{"x": 0}`, []string{"/x"},
			"must be greater than 0 and at most 300 MHz"},
		{"maximum", `{"x": 300.0000001}`, []string{"/x"}, "at most 300 MHz"},
		{"minimum", `{"x": 1, "lt": -1.5}`, []string{"/lt"}, "at least -1 and less than 1"},
		{"exclusive maximum", `{"x": 1, "lt": 1}`, []string{"/lt"}, "less than 1"},
		{"integer range", `{"x": 1, "n": 6}`, []string{"/n"}, "must be 1 to 5"},
		{"a fraction", `{"x": 1, "n": 1.5}`, []string{"/n"}, "must be a whole number"},
		{"a fraction that no double tells from 3", `{"x": 1, "n": 3.0000000000000001}`,
			[]string{"/n"}, "must be a whole number"},
		{"the same with an exponent", `{"x": 1, "n": 30000000000000001e-16}`, []string{"/n"},
			"must be a whole number"},
		{"2^53 + 1, which no double tells from 2^53", `{"x": 1, "n": 9007199254740993}`,
			[]string{"/n"}, "between -2^53 and 2^53"},
		{"-2^53 - 1 written with a point", `{"x": 1, "n": -9007199254740993.0}`, []string{"/n"},
			"between -2^53 and 2^53"},
		{"a huge integer", `{"x": 1, "n": 1e17}`, []string{"/n"}, "2^53"},
		{"beyond the doubles", `{"x": 1e400}`, []string{"/x"}, "fits a double"},
		{"a number of a thousand digits", `{"x": 1` + strings.Repeat("0", 1000) + `}`,
			[]string{"/x"}, "400 characters"},
		{"a string for a number", `{"x": "1"}`, []string{"/x"},
			"must be a number (a string was given)"},
		{"a boolean for a number", `{"x": true}`, []string{"/x"}, "(a boolean was given)"},
		{"a list for a number", `{"x": [1]}`, []string{"/x"}, "(an array was given)"},
		{"an object for a number", `{"x": {}}`, []string{"/x"}, "(an object was given)"},
		{"a number for a word", `{"x": 1, "word": 1}`, []string{"/word"},
			"must be one of one, two (a number was given)"},
		{"not in the enum", `{"x": 1, "word": "three"}`, []string{"/word"},
			"must be one of one, two"},
		{"too short", `{"x": 1, "text": "a"}`, []string{"/text"}, "at least 2 characters, has 1"},
		{"too long", `{"x": 1, "text": "äöüßé"}`, []string{"/text"}, "at most 4 characters, has 5"},
		{"pattern", `{"x": 1, "pattern": "A"}`, []string{"/pattern"}, "must match ^[a-z]+$"},
		{"a number for a switch", `{"x": 1, "flag": 1}`, []string{"/flag"},
			"must be true or false (a number was given)"},
		{"a number for a list", `{"x": 1, "list": 1}`, []string{"/list"},
			"must be an array (a number was given)"},
		{"an empty list", `{"x": 1, "list": []}`, []string{"/list"}, "needs at least 1 entry, has 0"},
		{"a long list", `{"x": 1, "list": [1, 2, 3, 4, 5]}`, []string{"/list"},
			"takes at most 3 entries, has 5"},
		{"entries of a list", `{"x": 1, "list": [1, -2, null]}`, []string{"/list/1", "/list/2"},
			"at least 0"},
		{"an entry of a row", `{"x": 1, "matrix": [[1], [2, 0.5]]}`, []string{"/matrix/1/1"},
			"whole number"},
		{"fields of entries", `{"x": 1, "items": [{"a": 0}, {"b": 11}]}`,
			[]string{"/items/0/a", "/items/1/b", "/items/1/a"}, "greater than 0"},
		{"a null entry", `{"x": 1, "items": [null]}`, []string{"/items/0"},
			"must be an object (null was given)"},
		{"fields of a nested object", `{"x": 1, "nested": {"a": "1"}}`, []string{"/nested/a"},
			"a number"},
		{"values of a map", `{"x": 1, "params": {"r": -1, "c": null}}`,
			[]string{"/params/r", "/params/c"}, "greater than 0"},
		{"the empty name in a map", `{"x": 1, "params": {"": -1}}`, []string{"/params/"},
			"greater than 0"},
		{"a long map", `{"x": 1, "params": {"a": 1, "b": 1, "c": 1}}`, []string{"/params"},
			"takes at most 2"},
		{"a list for a map", `{"x": 1, "params": []}`, []string{"/params"},
			"must be an object (an array was given)"},
		{"custom", `{"x": 1, "money": true}`, []string{"/money"},
			"must be a number or a decimal string"},
		{"anything, but no double", `{"x": 1, "free": [1e999]}`, []string{"/free"}, "fit a double"},
		{"twice", `{"x": 1, "x": 2}`, []string{"/x"}, "appears more than once"},
		{"twice by an escape", `{"x": 1, "\u0078": 2}`, []string{"/x"}, "appears more than once"},
		{"twice, once null", `{"x": 1, "optional": null, "optional": 1}`, []string{"/optional"},
			"appears more than once"},
		{"twice in a map", `{"x": 1, "params": {"r": 1, "r": 2}}`, []string{"/params/r"},
			"appears more than once"},
		{"unknown twice", `{"x": 1, "zz": 1, "zz": 2}`, []string{"/zz"}, "appears more than once"},
		{"everything at once", `{"x": -1, "n": "2", "word": "no", "list": [-1], "nested": {}}`,
			[]string{"/x", "/n", "/word", "/list/0", "/nested/a"}, "greater than 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, d, err := decodeRich(t, c.body)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range d.FieldErrors {
				got = append(got, f.Pointer())
			}
			if !reflect.DeepEqual(got, c.pointers) {
				t.Fatalf("faults at %q, want %q: %+v", got, c.pointers, d.FieldErrors)
			}
			if !strings.Contains(d.FieldErrors[0].Detail, c.say) {
				t.Errorf("%q does not say %q", d.FieldErrors[0].Detail, c.say)
			}
		})
	}
}

func TestDecodeRefusesWhatIsNotJSON(t *testing.T) {
	for _, c := range []struct {
		name, body string
		offset     int
		say        string
	}{
		{"nothing", ``, 0, "empty"},
		{"blanks", "  \n", 3, "empty"},
		{"NaN", `{"x": NaN}`, 6, "NaN"},
		{"Infinity", `{"x": -Infinity}`, 7, "NaN and Infinity"},
		{"a byte order mark", "\ufeff{}", 0, "byte order mark"},
		{"a plus sign", `{"x": +1}`, 6, "plus sign"},
		{"no digit before the point", `{"x": .5}`, 6, "write 0 before"},
		{"trailing data", `{"x": 1} {}`, 9, "after the JSON value"},
		{"a trailing comma", `{"x": 1,}`, 8, "field name"},
		{"no comma", `{"x": 1 "n": 2}`, 8, "','"},
		{"no colon", `{"x" 1}`, 5, "':'"},
		{"single quotes", `{'x': 1}`, 1, "field name"},
		{"a bare name", `{x: 1}`, 1, "field name"},
		{"not closed", `{"x": 1`, 7, "','"},
		{"a string not closed", `{"text": "ab`, 12, "not closed"},
		{"a list not closed", `{"list": [1, 2`, 14, "','"},
		{"a leading zero", `{"x": 01}`, 7, "','"},
		{"nothing after the point", `{"x": 1.}`, 8, "after the point"},
		{"nothing in the exponent", `{"x": 1e}`, 8, "exponent"},
		{"hexadecimal", `{"x": 0x10}`, 7, "','"},
		{"a comment", `{"x": 1} // one`, 9, "after"},
		{"a control character", "{\"text\": \"a\tb\"}", 11, "control character"},
		{"a bad escape", `{"text": "\x41"}`, 10, "escape"},
		{"half an escape", `{"text": "\u12`, 10, "escape"},
		{"a sign in an escape", `{"text": "\u+123"}`, 16, "escape"},
		{"not UTF-8", "{\"text\": \"\xff\"}", 10, "UTF-8"},
		{"truth misspelt", `{"flag": tru}`, 9, "JSON value"},
		{"65 deep", `{"free": ` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, -1,
			"deeper than 64"},
		{"very deep in an unknown field", `{"q": ` + strings.Repeat(`{"a":`, 1e5), -1,
			"deeper than 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := decodeRich(t, c.body)
			var s *SyntaxError
			if !errors.As(err, &s) {
				t.Fatalf("got %v", err)
			}
			if c.offset >= 0 && s.Offset != c.offset || !strings.Contains(s.Detail, c.say) {
				t.Errorf("got %v, want byte %d and %q", s, c.offset, c.say)
			}
			// encoding/json accepts two of these cases: depth, and text that is not UTF-8.
			if c.name != "65 deep" && c.name != "not UTF-8" && json.Valid([]byte(c.body)) {
				t.Error("encoding/json takes this")
			}
		})
	}
}

func TestUnknownFieldsAreNamed(t *testing.T) {
	_, d, err := decodeRich(t, `{"x": 1, "X": 2, "": 3, "a.b": [1, {"c": 2}], "items": [{"a": 1, "q": {}}], "nested": {"a": 1, "z": null}}`)
	want := []string{"X", "", "a.b", "items[0].q", "nested.z"}
	if err != nil || len(d.FieldErrors) > 0 || !reflect.DeepEqual(d.Unknown, want) {
		t.Errorf("%v %+v, want %q", err, d, want)
	}
	var many bytes.Buffer
	many.WriteString(`{"x": 1`)
	for i := range 1000 {
		many.WriteString(`, "u` + strings.Repeat("u", i) + `": 0`)
	}
	many.WriteString("}")
	if _, d, _ := decodeRich(t, many.String()); len(d.Unknown) != maxErrors {
		t.Errorf("%d unknown fields are reported", len(d.Unknown))
	}
	// A name may be as long as a body, so the error quotes only its beginning.
	_, d, _ = decodeRich(t, `{"x": 1, "nested": {"`+strings.Repeat("é", 1e5)+`": 0}}`)
	if len(d.Unknown) != 1 || len(d.Unknown[0]) > 200 || !strings.HasPrefix(d.Unknown[0],
		"nested.éé") || !strings.HasSuffix(d.Unknown[0], "…") {
		t.Errorf("a long name is reported as %.300q", d.Unknown)
	}
}

func TestFaultsAreLimited(t *testing.T) {
	_, d, err := decodeRich(t, `{"x": 1, "params": {`+strings.TrimSuffix(strings.Repeat(`"r": 0, `,
		500), ", ")+`}}`)
	if err != nil || len(d.FieldErrors) != maxErrors {
		t.Errorf("%v, %d faults", err, len(d.FieldErrors))
	}
}

func TestFaultText(t *testing.T) {
	long := `"` + strings.Repeat("é", 200) + `"`
	_, d, _ := decodeRich(t, `{"x": `+long+`, "n": 9}`)
	x, n := d.FieldErrors[0], d.FieldErrors[1]
	if !json.Valid(x.Value) || len(x.Value) > shownValue+10 {
		t.Errorf("the value shown is %s", x.Value)
	}
	if got := n.Sentence(); got != "n: must be 1 to 5, got 9" {
		t.Errorf("got %q", got)
	}
	if strings.Contains(x.Sentence(), "é") {
		t.Errorf("a long value stands in the sentence %q", x.Sentence())
	}
	for path, want := range map[string]string{
		"": "", "x": "/x", "stages[1].nf_db": "/stages/1/nf_db", "m[0][12]": "/m/0/12",
		"params.a/b~c": "/params/a~1b~0c",
	} {
		if got := (FieldError{Path: path}).Pointer(); got != want {
			t.Errorf("pointer of %q is %q, want %q", path, got, want)
		}
	}
}

func TestCompilePanics(t *testing.T) {
	for name, compile := range map[string]func(){
		"not a struct": func() { Compile[int]() },
		"no json name": func() { Compile[struct{ A int }]() },
		"the same name twice": func() {
			Compile[struct {
				promoted
				A bool `json:"shared"`
			}]()
		},
		"an unsupported type": func() {
			Compile[struct {
				A complex128 `json:"a"`
			}]()
		},
		"a map of numbers": func() {
			Compile[struct {
				A map[int]int `json:"a"`
			}]()
		},
		"an interface": func() {
			Compile[struct {
				A error `json:"a"`
			}]()
		},
		"a bound that is none": func() {
			Compile[struct {
				A float64 `json:"a" min:"low"`
			}]()
		},
		"a bound on a string": func() {
			Compile[struct {
				A string `json:"a" min:"1"`
			}]()
		},
		"a default out of range": func() {
			Compile[struct {
				A float64 `json:"a" min:"1" default:"0"`
			}]()
		},
		"a default of a type": func() {
			Compile[struct {
				A float64 `json:"a" default:"\"1\""`
			}]()
		},
		"a default not JSON": func() {
			Compile[struct {
				A float64 `json:"a" default:"one"`
			}]()
		},
		"a default not in enum": func() {
			Compile[struct {
				A string `json:"a" enum:"b,c" default:"a"`
			}]()
		},
		"a negative count": func() {
			Compile[struct {
				A []int `json:"a" minItems:"-1"`
			}]()
		},
		"a bad pattern": func() {
			Compile[struct {
				A string `json:"a" pattern:"("`
			}]()
		},
		"an enum of numbers": func() {
			Compile[struct {
				A float64 `json:"a" enum:"1,2"`
			}]()
		},
		"a length of a number": func() {
			Compile[struct {
				A float64 `json:"a" maxLength:"2"`
			}]()
		},
		"a count of a number": func() {
			Compile[struct {
				A float64 `json:"a" maxItems:"2"`
			}]()
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("compiled")
				}
			}()
			compile()
		})
	}
}

func TestSettle(t *testing.T) {
	type row struct {
		V float64 `json:"v" unit:"V" doc:"v"`
	}
	type out struct {
		X    float64              `json:"x" unit:"1" doc:"x"`
		P    *float64             `json:"p" unit:"1" doc:"p"`
		L    []float64            `json:"l" unit:"1" doc:"l"`
		Null []float64            `json:"null" unit:"1" nullable:"true" doc:"may be null"`
		Rows []row                `json:"rows" doc:"rows"`
		M    map[string][]float64 `json:"m" unit:"1" doc:"m"`
		S    []string             `json:"s" doc:"s"`
	}
	n := Compile[out]()
	var v out
	if bad := n.Finalize(&v); bad != "" {
		t.Fatal(bad)
	}
	if v.L == nil || v.Null != nil || v.Rows == nil || v.M == nil || v.S == nil {
		t.Errorf("lists are nil that should not be, or the other way round: %+v", v)
	}
	inf := math.Inf(-1)
	for want, v := range map[string]out{
		"x":         {X: math.NaN()},
		"p":         {P: &inf},
		"l[1]":      {L: []float64{0, inf}},
		"rows[1].v": {Rows: []row{{0}, {inf}}},
		"m.a[0]":    {M: map[string][]float64{"a": {inf}}},
	} {
		if bad := n.Finalize(&v); bad != want {
			t.Errorf("got %q, want %q", bad, want)
		}
	}
}

func TestOutputSchemaRequired(t *testing.T) {
	s := richNode.OutputSchema()
	if got := len(s["required"].([]string)); got != len(richNode.Fields) {
		t.Errorf("%d of %d fields are required", got, len(richNode.Fields))
	}
	item := s["properties"].(map[string]any)["items"].(map[string]any)["items"].(map[string]any)
	if !reflect.DeepEqual(item["required"], []string{"a", "b"}) {
		t.Errorf("an entry requires %v", item["required"])
	}
}

// BenchmarkDecode measures a body of plain numbers, the common case.
func BenchmarkDecode(b *testing.B) {
	type two struct {
		A float64 `json:"freq_mhz" gt:"0"`
		B float64 `json:"dist_km" gt:"0"`
	}
	type six struct {
		A float64  `json:"tx_dbm" min:"-1000" max:"1000"`
		B float64  `json:"freq_mhz" gt:"0"`
		C float64  `json:"dist_km" gt:"0"`
		D float64  `json:"tx_gain_dbi" default:"2.15"`
		E float64  `json:"rx_gain_dbi" default:"2.15"`
		F *float64 `json:"rx_sensitivity_dbm"`
	}
	b.Run("2 fields", func(b *testing.B) {
		n, body := Compile[two](), []byte(`{"freq_mhz": 915, "dist_km": 5}`)
		b.ReportAllocs()
		for b.Loop() {
			var v two
			if _, err := n.Decode(body, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("6 fields", func(b *testing.B) {
		n := Compile[six]()
		body := []byte(`{"tx_dbm": 20, "freq_mhz": 915, "dist_km": 5, "tx_gain_dbi": 6, "rx_gain_dbi": 2.15, "rx_sensitivity_dbm": -130}`)
		b.ReportAllocs()
		for b.Loop() {
			var v six
			if _, err := n.Decode(body, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type nullableElems struct {
	List   []*float64          `json:"list" unit:"1" min:"0" doc:"numbers or null"`
	Lookup map[string]*float64 `json:"lookup" unit:"1" doc:"numbers or null"`
}

func TestNullableElements(t *testing.T) {
	n := Compile[nullableElems]()
	var got nullableElems
	d, err := n.Decode([]byte(`{"list":[1,null,2.5],"lookup":{"a":null,"b":3}}`), &got)
	if err != nil || len(d.FieldErrors) > 0 {
		t.Fatal(d, err)
	}
	if len(got.List) != 3 || *got.List[0] != 1 || got.List[1] != nil || *got.List[2] != 2.5 {
		t.Errorf("list %v", got.List)
	}
	if a, ok := got.Lookup["a"]; !ok || a != nil || *got.Lookup["b"] != 3 {
		t.Errorf("lookup %v", got.Lookup)
	}
	if bad := n.Finalize(&got); bad != "" {
		t.Errorf("%s is not finite", bad)
	}
	infinite := math.Inf(1)
	got.Lookup["b"] = &infinite
	if bad := n.Finalize(&got); bad != "lookup.b" {
		t.Errorf("the infinite value is said to be at %q", bad)
	}
	got.List[2] = &infinite
	if bad := n.Finalize(&got); bad != "list[2]" {
		t.Errorf("the infinite value is said to be at %q", bad)
	}
	d, err = n.Decode([]byte(`{"list":[-1],"lookup":{}}`), &got)
	if err != nil || len(d.FieldErrors) != 1 || d.FieldErrors[0].Path != "list[0]" {
		t.Errorf("%v %v", d, err)
	}
	properties := n.JSONSchema()["properties"].(map[string]any)
	items := properties["list"].(map[string]any)["items"].(map[string]any)
	if types, ok := items["type"].([]string); !ok || len(types) != 2 || types[1] != "null" {
		t.Errorf("items %v do not allow null", items)
	}
}
