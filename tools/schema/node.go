package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Kind is the JSON type of a value.
type Kind string

// Kinds of a field. CustomT is a Go type with a FieldDecoder.
const (
	Object  Kind = "object"
	Array   Kind = "array"
	Map     Kind = "map"
	Number  Kind = "number"
	Integer Kind = "integer"
	String  Kind = "string"
	Boolean Kind = "boolean"
	Any     Kind = "any"
	CustomT Kind = "custom"
)

// FieldDecoder is implemented (with pointer receivers) by field types that accept several JSON
// types, such as a decimal given as a number or a string.
type FieldDecoder interface {
	// DecodeField decodes the literal JSON text of the value. The text of an error is the detail
	// for the user ("must be a number or a decimal string").
	DecodeField(raw []byte) error
	// FieldSchema returns the JSON Schema of the accepted values, without title and description.
	FieldSchema() map[string]any
}

// Node describes a value: a field, the items of an array, or the complete input.
type Node struct {
	Kind      Kind
	Unit      string    // "" unknown, "1" dimensionless
	UnitFrom  *UnitFrom // nil if the unit is constant
	Doc       string
	Min, Max  *float64 // inclusive bounds
	GT, LT    *float64 // exclusive bounds
	Enum      []string
	Default   json.RawMessage // nil if there is none
	Example   json.RawMessage
	MinItems  int
	MaxItems  int // 0: no limit
	MinLength int
	MaxLength int // in characters; 0 means no limit
	Pattern   string
	Fields    []*Field // of an Object, in definition order
	Plot      string   // of an Array of objects: the field over which the others are plotted
	Instant   bool     // an instant as a number, whose last digits matter
	Elem      *Node    // of an Array or Map

	NullableElem bool // items of an Array or values of a Map may be null

	goType  reflect.Type // type without the pointer
	pattern *regexp.Regexp
	byName  map[string]*Field
	custom  FieldDecoder // zero value, which provides the schema
	deflt   reflect.Value
	empty   reflect.Value // empty list of an Array
}

// UnitFrom is another field of the object that determines the unit of a number. Its tag is
// `unitFrom:"to_unit C=°C *"`: the field, then values with their units. An asterisk means that
// every other value is itself the unit.
type UnitFrom struct {
	Field string            `json:"field"`
	Units map[string]string `json:"units,omitempty"`
	Self  bool              `json:"self,omitempty"` // other values are the unit themselves
}

// Of returns the unit for a value of the field, or "".
func (u *UnitFrom) Of(value string) string {
	if unit, ok := u.Units[value]; ok || !u.Self {
		return unit
	}
	return value
}

func readUnitFrom(tag, path string) *UnitFrom {
	words := strings.Fields(tag)
	if len(words) < 2 {
		panic(fmt.Sprintf("schema: %s: unitFrom:%q names no field and its units", path, tag))
	}
	u := &UnitFrom{Field: words[0]}
	for _, w := range words[1:] {
		value, unit, ok := strings.Cut(w, "=")
		switch {
		case w == "*":
			u.Self = true
		case ok:
			if u.Units == nil {
				u.Units = map[string]string{}
			}
			u.Units[value] = unit
		default:
			panic(fmt.Sprintf("schema: %s: unitFrom:%q: %q is neither value=unit nor *",
				path, tag, w))
		}
	}
	return u
}

// Field is a named Node inside an object.
type Field struct {
	Name  string
	Label string // heading on a form or in a table, as in a data sheet
	Alias string // field of the same object for the same quantity in another unit, or ""
	Node
	Required bool // an input must be present
	Nullable bool // an input may be absent or null; an output may be null

	index     []int
	pointer   bool
	omitEmpty bool
	slot      int // index in the decoder's set of seen fields
}

// IsText reports whether every value of the node is a string in JSON. Values of custom types are,
// if their Go type is a string that does not encode itself.
func (n *Node) IsText() bool {
	return n.Kind == String || n.Kind == CustomT && n.goType.Kind() == reflect.String &&
		!n.goType.Implements(reflect.TypeFor[json.Marshaler]())
}

// Field returns the field with the given name, or nil.
func (n *Node) Field(name string) *Field { return n.byName[name] }

var customType = reflect.TypeFor[FieldDecoder]()

// Compile returns the description of T, which must be a struct. It panics for an invalid tag.
func Compile[T any]() *Node {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		panic("schema: " + t.String() + " is not a struct")
	}
	return compile(t, t.String(), nil)
}

func compile(t reflect.Type, path string, tag *reflect.StructTag) *Node {
	n := &Node{goType: t}
	switch {
	case reflect.PointerTo(t).Implements(customType):
		n.Kind = CustomT
		n.custom = reflect.New(t).Interface().(FieldDecoder)
	case t.Kind() == reflect.Struct:
		n.Kind = Object
		n.byName = map[string]*Field{}
		n.addFields(t, path, nil)
	case t.Kind() == reflect.Slice:
		n.Kind = Array
		n.empty = reflect.MakeSlice(t, 0, 0)
		n.compileElem(t, path+"[]", tag)
	case t.Kind() == reflect.Map:
		if t.Key() != reflect.TypeFor[string]() {
			panic("schema: " + path + ": map keys must be strings")
		}
		n.Kind = Map
		n.compileElem(t, path+"{}", tag)
	case t.Kind() == reflect.Float64:
		n.Kind = Number
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		n.Kind = Integer
	case t.Kind() == reflect.String:
		n.Kind = String
	case t.Kind() == reflect.Bool:
		n.Kind = Boolean
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		n.Kind = Any
	default:
		panic("schema: " + path + ": unsupported type " + t.String())
	}
	if tag != nil {
		n.readTag(*tag, path)
	}
	return n
}

// compileElem compiles the items of a list or the values of a map. Pointers may be null.
func (n *Node) compileElem(t reflect.Type, path string, tag *reflect.StructTag) {
	e := t.Elem()
	if e.Kind() == reflect.Pointer {
		e, n.NullableElem = e.Elem(), true
	}
	n.Elem = compile(e, path, itemTag(tag))
}

// itemTag returns the tags of a list that apply to its items.
func itemTag(tag *reflect.StructTag) *reflect.StructTag {
	if tag == nil {
		return nil
	}
	var kept []string
	for _, k := range []string{"unit", "min", "max", "gt", "lt", "enum", "minLength", "maxLength",
		"pattern"} {
		if v, ok := tag.Lookup(k); ok {
			kept = append(kept, k+":"+strconv.Quote(v))
		}
	}
	out := reflect.StructTag(strings.Join(kept, " "))
	return &out
}

func (n *Node) addFields(t reflect.Type, path string, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(append([]int(nil), index...), i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && sf.Tag.Get("json") == "" {
			n.addFields(sf.Type, path, at)
			continue
		}
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if !sf.IsExported() || name == "" {
			panic("schema: " + path + "." + sf.Name +
				" needs to be exported and to have a json name")
		}
		ft, pointer := sf.Type, false
		if ft.Kind() == reflect.Pointer {
			ft, pointer = ft.Elem(), true
		}
		fpath := path + "." + name
		f := &Field{
			Name: name, Label: sf.Tag.Get("label"), Alias: sf.Tag.Get("alias"),
			Node: *compile(ft, fpath, &sf.Tag), index: at, pointer: pointer, slot: len(n.Fields),
		}
		f.omitEmpty = strings.Contains(options, "omitempty")
		f.Required = !pointer && f.Default == nil
		f.Nullable = pointer || sf.Tag.Get("nullable") == "true"
		if n.byName[name] != nil {
			panic("schema: " + fpath + " appears twice")
		}
		n.byName[name] = f
		n.Fields = append(n.Fields, f)
	}
	for _, f := range n.Fields {
		if main := n.byName[f.Alias]; f.Alias != "" && len(index) == 0 &&
			(main == nil || main.Alias != "" || main.Kind != Number || f.Kind != Number) {
			panic("schema: " + path + "." + f.Name + " is an alias of no number")
		}
	}
	if len(n.Fields) > 256 {
		panic("schema: " + path + " has more than 256 fields")
	}
}

func (n *Node) readTag(tag reflect.StructTag, path string) {
	bound := func(key string) *float64 {
		s, ok := tag.Lookup(key)
		if !ok || n.Kind == Array || n.Kind == Map {
			return nil
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || (n.Kind != Number && n.Kind != Integer && n.Kind != CustomT) {
			panic(fmt.Sprintf("schema: %s: %s:%q does not fit a %s", path, key, s, n.Kind))
		}
		return &v
	}
	count := func(key string) int {
		s, ok := tag.Lookup(key)
		if !ok {
			return 0
		}
		v, err := strconv.Atoi(s)
		if err != nil || v < 0 {
			panic(fmt.Sprintf("schema: %s: %s:%q is not a count", path, key, s))
		}
		return v
	}
	n.refuseTags(tag, path)
	n.Unit, n.Doc = tag.Get("unit"), tag.Get("doc")
	n.Instant = tag.Get("instant") == "true"
	if from, ok := tag.Lookup("unitFrom"); ok {
		n.UnitFrom = readUnitFrom(from, path)
	}
	n.Min, n.Max, n.GT, n.LT = bound("min"), bound("max"), bound("gt"), bound("lt")
	n.MinItems, n.MaxItems = count("minItems"), count("maxItems")
	if n.Kind == String {
		n.MinLength, n.MaxLength = count("minLength"), count("maxLength")
		if e := tag.Get("enum"); e != "" {
			n.Enum = strings.Split(e, ",")
		}
		if p := tag.Get("pattern"); p != "" {
			n.Pattern, n.pattern = p, regexp.MustCompile(p)
		}
	}
	if n.Plot = tag.Get("plot"); n.Plot != "" && (n.Kind != Array || !n.Elem.hasNumber(n.Plot)) {
		panic(fmt.Sprintf("schema: %s: plot:%q is not a number of its items", path, n.Plot))
	}
	n.Default, n.Example = n.literal(tag, "default", path), n.literal(tag, "example", path)
	if n.Default != nil {
		v := reflect.New(n.goType).Elem()
		if d := n.readDefault(v); d.syntax != nil || len(d.errs) > 0 {
			panic(fmt.Sprintf("schema: %s: default %s is not allowed: %v", path,
				n.Default, d.errs))
		}
		n.deflt = v
	}
}

// hasNumber reports whether n is an object that contains a number with the given name.
func (n *Node) hasNumber(name string) bool {
	f := n.byName[name]
	return f != nil && (f.Kind == Number || f.Kind == Integer)
}

func (n *Node) readDefault(v reflect.Value) decoder {
	d := decoder{data: n.Default}
	d.value(n, v, pathStep{})
	return d
}

// setDefault sets v to the default. A default that contains references is decoded for each call,
// because a tool may modify its list.
func (n *Node) setDefault(v reflect.Value) {
	switch n.Kind {
	case Number, Integer, String, Boolean:
		v.Set(n.deflt)
	default:
		n.readDefault(v)
	}
}

// refuseTags panics if a tag does not apply to the kind of the node.
func (n *Node) refuseTags(tag reflect.StructTag, path string) {
	list := n.Kind == Array || n.Kind == Map // these tags apply to items, see itemTag
	fits := map[string]bool{
		"enum": n.Kind == String || list, "pattern": n.Kind == String || list,
		"minLength": n.Kind == String || list, "maxLength": n.Kind == String || list,
		"minItems": list, "maxItems": list,
		"instant": n.Kind == Number,
	}
	for key, ok := range fits {
		if _, given := tag.Lookup(key); given && !ok {
			panic(fmt.Sprintf("schema: %s: a %s takes no tag %s", path, n.Kind, key))
		}
	}
}

// literal returns a tag as JSON. The tag of a string field is unquoted text.
func (n *Node) literal(tag reflect.StructTag, key, path string) json.RawMessage {
	s, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	if n.Kind == String || (n.Kind == CustomT && !json.Valid([]byte(s))) {
		b, _ := json.Marshal(s)
		return b
	}
	if !json.Valid([]byte(s)) {
		panic(fmt.Sprintf("schema: %s: %s:%q is not JSON", path, key, s))
	}
	return json.RawMessage(s)
}
