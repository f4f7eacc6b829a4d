package web

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/tools"
	"slipstick/tools/quantity"
	"slipstick/tools/schema"
	"slipstick/web/drawing"
)

// Field is an input or result of a tool as the page shows it. The templates read it, and the page's
// modules read it as JSON.
type Field struct {
	Name     string           `json:"name"`
	Label    string           `json:"label"`
	Doc      string           `json:"doc,omitempty"`
	Note     string           `json:"-"` // help line
	Kind     Kind             `json:"kind"`
	Type     string           `json:"-"` // accepted JSON types
	Unit     string           `json:"unit,omitempty"`
	UnitFrom *schema.UnitFrom `json:"unitFrom,omitempty"`
	Required bool             `json:"required,omitempty"`
	Default  string           `json:"default,omitempty"` // in the spelling of the field
	Hint     string           `json:"-"`                 // allowed values
	Options  []Option         `json:"options,omitempty"`
	Fields   []Field          `json:"fields,omitempty"` // of an object, or of each row
	Long     bool             `json:"long,omitempty"`   // text of several lines
	Whole    bool             `json:"whole,omitempty"`  // integer
	Number   bool             `json:"number,omitempty"` // a literal that is never sent as text
	// field of the form that replaces this alias, see moveAliases
	Alias   string `json:"alias,omitempty"`
	InUnit  bool   `json:"inUnit,omitempty"`  // the label has the unit, see isInUnit
	Instant bool   `json:"instant,omitempty"` // every digit is shown, because the last ones matter
	Folded  bool   `json:"-"`                 // shown under "More"
	Example string `json:"example,omitempty"`
}

// Option is an option of an enum: its value and its text.
type Option struct {
	Value string `json:"value"`
	Text  string `json:"text"`
}

// Kind is the type of a field's control or result.
type Kind string

// Kinds of fields. A Literal is text that is sent as a number if possible: money, wire gauges, feet
// and inches.
const (
	Quantity Kind = "quantity"
	Literal  Kind = "literal"
	Text     Kind = "text"
	Choice   Kind = "choice"
	Switch   Kind = "switch"
	Numbers  Kind = "numbers" // a list of numbers
	Words    Kind = "words"   // a list of texts
	Rows     Kind = "rows"    // a list of objects
	Pairs    Kind = "pairs"   // user-defined names, each with a value
	Group    Kind = "group"   // one object
	Grid     Kind = "grid"    // a list of lists
)

// fieldsOf describes the fields of an object in an input or a result. Help lines may also refer to
// fields in others: the result fields when n is an input, the input fields when n is a result.
func fieldsOf(n *schema.Node, others ...*schema.Field) []Field {
	fields := make([]Field, 0, len(n.Fields))
	for _, f := range n.Fields {
		if f.Name == "warnings" && f.Kind == schema.Array {
			continue // has its own heading
		}
		v := fieldOf(f)
		v.Note = helpLine(f, append(slices.Clip(n.Fields), others...))
		fields = append(fields, v)
	}
	return fields
}

func fieldOf(f *schema.Field) Field {
	v := describe(&f.Node)
	v.Name, v.Label, v.Alias, v.Doc, v.Required = f.Name, f.Label, f.Alias, f.Doc, f.Required
	v.InUnit = isInUnit(v.Label, v.Unit)
	if f.Default != nil {
		v.Default = fieldText(f.Default)
	}
	if f.Example != nil {
		v.Example = fieldText(f.Example)
	}
	if v.Kind == Switch || v.Kind == Choice {
		v.Options = options(f)
	}
	return v
}

func describe(n *schema.Node) Field {
	v := Field{Type: n.TypeText(), Doc: n.Doc, Unit: n.Unit, UnitFrom: n.UnitFrom, Hint: allowed(n),
		Instant: n.Instant}
	switch n.Kind {
	case schema.Number, schema.Integer:
		v.Kind, v.Whole = Quantity, n.Kind == schema.Integer
	case schema.Boolean:
		v.Kind = Switch
	case schema.String:
		v.Kind, v.Long = Text, n.MaxLength >= 1000
		if len(n.Enum) > 0 {
			v.Kind = Choice
		}
	case schema.Object:
		v.Kind, v.Fields = Group, fieldsOf(n)
	case schema.Map:
		v.Kind, v.Unit = Pairs, n.Elem.Unit
		v.Whole = n.Elem.Kind == schema.Number // all values are numbers
		if v.Unit == "" || v.Unit == "1" {
			v.Unit = quantity.AnyPrefix
		}
	case schema.Array:
		v.Unit = n.Elem.Unit
		switch n.Elem.Kind {
		case schema.Object:
			v.Kind, v.Fields = Rows, fieldsOf(n.Elem)
		case schema.Number, schema.Integer:
			v.Kind = Numbers
		case schema.Array:
			v.Kind = Grid
		default:
			v.Kind = Words
		}
	default:
		v.Kind = Literal
		v.Number = v.Type == "number"
	}
	return v
}

// options returns the options of an enum or boolean. The default option has an empty value and is
// therefore not sent.
func options(f *schema.Field) []Option {
	words := f.Enum
	if f.Kind == schema.Boolean {
		words = []string{"true", "false"}
	}
	var list []Option
	standard := ""
	if f.Default != nil {
		standard = fieldText(f.Default)
	} else if f.Required {
		list = append(list, Option{"", "choose…"})
	} else {
		list = append(list, Option{"", "automatic"})
	}
	for _, w := range words {
		o := Option{w, choiceText(w)}
		if f.Kind == schema.Boolean {
			o.Text = map[string]string{"true": "yes", "false": "no"}[w]
		}
		if w == standard {
			o.Value = ""
		}
		list = append(list, o)
	}
	return list
}

// onlyRenamed removes the options of results whose text is the value with spaces for underscores. A
// result has no control and needs only the other texts.
func onlyRenamed(results []Field) {
	for i, f := range results {
		results[i].Options = slices.DeleteFunc(f.Options, func(o Option) bool {
			return o.Value == "" || o.Text == strings.ReplaceAll(o.Value, "_", " ")
		})
		onlyRenamed(f.Fields)
	}
}

// withoutDocs returns fields without their documentation.
func withoutDocs(fields []Field) []Field {
	list := slices.Clone(fields)
	for i := range list {
		list[i].Doc, list[i].Fields = "", withoutDocs(list[i].Fields)
	}
	return list
}

// allowed describes the allowed values of a tool's field in words.
func allowed(n *schema.Node) string {
	var parts []string
	if n.Kind == schema.Array || n.Kind == schema.Map {
		switch {
		case n.MinItems > 0 && n.MinItems == n.MaxItems:
			parts = append(parts, fmt.Sprintf("%d entries", n.MaxItems))
		case n.MinItems > 0 && n.MaxItems > 0:
			parts = append(parts, fmt.Sprintf("%d to %d entries", n.MinItems, n.MaxItems))
		case n.MaxItems > 0:
			parts = append(parts, fmt.Sprintf("at most %d entries", n.MaxItems))
		}
		if n.Elem.Kind == schema.Object {
			return strings.Join(parts, ", ")
		}
		n = n.Elem
		if len(n.Enum) > 0 {
			parts = append(parts, strings.Join(n.Enum, ", "))
		}
	}
	r := plainRange(n)
	switch {
	case r == "":
	case len(parts) > 0:
		parts = append(parts, "each "+r)
	default:
		parts = append(parts, r)
	}
	return strings.Join(parts, ", ")
}

// boundless is the minimum magnitude of a bound that only prevents overflow and is not shown.
const boundless = 1e6

// plainRange describes the range of a number in words. It omits bounds that no practical value
// reaches.
func plainRange(n *schema.Node) string {
	bare := schema.Node{Kind: n.Kind, Min: n.Min, Max: n.Max, GT: n.GT, LT: n.LT}
	for _, bound := range []**float64{&bare.Min, &bare.Max, &bare.GT, &bare.LT} {
		if *bound != nil && math.Abs(**bound) >= boundless {
			*bound = nil
		}
	}
	return bare.Range()
}

// fieldText formats a JSON value as the text of a form field. It returns "" for null, an object, or
// a list with other values than texts and numbers.
func fieldText(raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return string(raw)
	}
	switch x := v.(type) {
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case nil:
		return ""
	case []any:
		var parts []string
		for _, e := range x {
			switch e := e.(type) {
			case string:
				parts = append(parts, e)
			case float64:
				parts = append(parts, strconv.FormatFloat(e, 'g', -1, 64))
			default:
				return ""
			}
		}
		return strings.Join(parts, " ")
	case map[string]any:
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// Tool describes a tool for its page.
type Tool struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Category string     `json:"category"`
	Heavy    bool       `json:"heavy,omitempty"`
	Input    []Field    `json:"input"`
	Output   []Field    `json:"output"`
	Primary  []string   `json:"primary,omitempty"` // results, the principal ones first
	Solves   []string   `json:"solves,omitempty"`  // inputs that determine each other
	Given    int        `json:"given,omitempty"`   // number of them that is sufficient
	Feeds    []NextTool `json:"feeds,omitempty"`
	Pictures []picture  `json:"pictures,omitempty"`
	Examples []Example  `json:"examples"`
	// Conclusions are tried in order. See conclusionsOf.
	Conclusions []conclusion `json:"conclusions,omitempty"`
	// Templates are the options of the field template, each with the names, units and defaults of
	// its params.
	Templates any `json:"templates,omitempty"`

	entry   *tools.Entry
	names   names
	worked  []func() *worked // the examples
	drawing *drawing.Drawing // nil without one
}

// Summary returns the purpose of the tool in one line.
func (t *Tool) Summary() string { return t.names.in(t.entry.Summary) }

// Method returns the formulas of the tool.
func (t *Tool) Method() string { return t.names.in(t.entry.Method) }

// Sources returns the sources of the tool's method.
func (t *Tool) Sources() []string { return t.names.inAll(t.entry.Sources) }

// Limits returns the limits of the tool's method.
func (t *Tool) Limits() []string { return t.names.inAll(t.entry.Limits) }

// Described returns the tool with its method and sources, for pages that show several tools.
func (t *Tool) Described() any {
	return struct {
		*Tool
		Method  string   `json:"method"`
		Sources []string `json:"sources"`
	}{t, t.Method(), t.Sources()}
}

// NextTool maps results of a tool to input fields of another tool.
type NextTool struct {
	Tool   string            `json:"tool"`
	Title  string            `json:"title"`
	Page   string            `json:"page"`
	Fields []tools.FieldLink `json:"fields"`
}

// Example is an example as form values.
type Example struct {
	Title string `json:"title"`
	Query string `json:"query"`
}

func newTool(c *tools.Catalog, e *tools.Entry) *Tool {
	t := &Tool{Name: e.Name, Title: e.Title, Category: e.Category, Heavy: e.Heavy != nil, entry: e}
	t.Input = fieldsOf(e.Input, e.Output.Fields...)
	t.Output = fieldsOf(e.Output, e.Input.Fields...)
	onlyRenamed(t.Output)
	t.names = namesOf(c, e)
	t.names.inFields(t.Input)
	t.names.inFields(t.Output)
	t.Conclusions = conclusionsOf(e.Category, e.Name)
	t.Templates = e.Extras["templates"]
	t.Pictures = picturesOf(e.Input, e.Output)
	t.Primary, t.Solves, t.Given = e.Primary, e.Solves.Inputs, e.Solves.Given
	used := map[string]bool{}
	for _, x := range e.Examples {
		values := Values{}
		values.fill("", json.RawMessage(x.In))
		values.moveAliases(t.Input)
		for name := range values {
			head, _, _ := strings.Cut(name, ".")
			used[head] = true
		}
		t.Examples = append(t.Examples, Example{t.names.in(x.Title), values.Encode()})
	}
	t.fold(used)
	for _, edge := range c.Edges {
		if edge.From == e.Name {
			to, _ := c.Find(edge.To)
			t.Feeds = append(t.Feeds, NextTool{edge.To, to.Title, pageOf(edge.To), edge.Fields})
		}
	}
	return t
}

// Limits for folding. A form with more than maxOpen fields may fold the fields after the first
// mainFields in the definition. A definition begins with the principal fields.
const (
	maxOpen    = 10
	mainFields = 6
)

// fold marks the fields to be folded under "More". Fields that are required, that an example uses,
// or that the tool can solve for remain visible.
func (t *Tool) fold(used map[string]bool) {
	shown := 0
	for _, f := range t.Input {
		if f.Alias == "" && !t.picksUnit(f.Name) {
			shown++
		}
	}
	if shown <= maxOpen {
		return
	}
	place := 0
	for i, f := range t.Input {
		if f.Alias != "" || t.picksUnit(f.Name) {
			continue
		}
		place++
		isMain := f.Required || used[f.Name] || slices.Contains(t.Solves, f.Name)
		t.Input[i].Folded = !isMain && place > mainFields
	}
}

// workbenches maps tools to their dedicated pages.
var workbenches = map[string]string{SpiceTool: "/spice"}

// pageOf returns the URL of a tool's dedicated page, or else of its page below /t/.
func pageOf(name string) string {
	if page := workbenches[name]; page != "" {
		return page
	}
	return "/t/" + name
}

// Workbench returns the URL of the tool's dedicated page, or "".
func (t *Tool) Workbench() string { return workbenches[t.Name] }

// Open returns the fields that are visible initially.
func (t *Tool) Open() []Field { return t.fields(false) }

// More returns the folded fields.
func (t *Tool) More() []Field { return t.fields(true) }

func (t *Tool) fields(folded bool) []Field {
	return slices.DeleteFunc(slices.Clone(t.Input),
		func(f Field) bool { return f.Alias != "" || t.picksUnit(f.Name) || f.Folded != folded })
}

// picksUnit reports whether a field selects the unit of another input. Its control is next to that
// input.
func (t *Tool) picksUnit(name string) bool {
	return slices.ContainsFunc(t.Input,
		func(f Field) bool { return f.UnitFrom != nil && f.UnitFrom.Field == name })
}
