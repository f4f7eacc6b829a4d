package openapi

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// toolSchemas adds the schemas of one tool as components that client generators support, including
// generators for OpenAPI 3.0. Every object has a name. Null and alternatives become oneOf. An
// exclusive bound becomes an inclusive one, with a note in the description. Defaults are not
// keywords because generators treat a field with a default as always present.
type toolSchemas struct {
	schemas schemas
	result  bool // fields of results may be null; optional inputs are omitted instead
	// labels maps help lines to field labels. A label replaces a longer help line because the
	// document size is limited. The metadata of the tool has both.
	labels map[string]string
	// aliases are inputs that take the quantity of another field in another unit. The description
	// of the other field names them. They need no description because their names contain the unit.
	aliases map[string]bool
	outer   []namedObject
}

// namedObject is an enclosing object. A nested field that equals one of its fields gets the same
// component.
type namedObject struct {
	name    string
	members object
}

// add adds a schema of a tool as a component.
func (w toolSchemas) add(name string, s object) { w.schemas[name] = w.object(name, s) }

func (w toolSchemas) object(name string, s object) object {
	members := s["properties"].(object)
	properties := make(object, len(members))
	inner := w
	inner.outer = append(slices.Clone(w.outer), namedObject{name, members})
	for field, m := range members {
		if w.result && field == "warnings" {
			properties[field] = ref(warningsComponent)
			continue
		}
		component := name
		for _, o := range w.outer {
			if reflect.DeepEqual(o.members[field], m) {
				component = o.name
				break
			}
		}
		properties[field] = inner.value(component+"_"+field, field, m.(object))
	}
	out := object{"type": "object", "properties": properties}
	if required, ok := s["required"].([]string); ok && len(required) > 0 {
		out["required"] = required
	}
	return out
}

// value returns the schema of a field. component is the name of the component for objects in the
// field.
func (w toolSchemas) value(component, field string, s object) object {
	var one object
	var types []string
	switch t := s["type"].(type) {
	case string:
		types = []string{t}
	case []string:
		types = slices.Clone(t)
	}
	null := slices.Contains(types, "null")
	types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
	switch {
	case s["anyOf"] != nil:
		var forms []any
		for _, a := range s["anyOf"].([]any) {
			forms = append(forms, w.value(component, "", a.(object)))
		}
		one = object{"oneOf": forms}
	case len(types) > 1:
		var forms []any
		for _, t := range types {
			forms = append(forms, scalar(t, s))
		}
		one = object{"oneOf": forms}
	case s["properties"] != nil:
		w.add(component, s)
		one = ref(component)
	case s["items"] != nil:
		items := w.value(component, field, s["items"].(object))
		one = object{"type": "array", "items": items}
		copyKeys(one, s, "minItems", "maxItems")
	case s["additionalProperties"] != nil:
		values, open := s["additionalProperties"].(object)
		one = object{"type": "object", "additionalProperties": true}
		if open {
			// Generators name the type of the field itself by the component.
			one["additionalProperties"] = w.value(component+"_value", "", values)
		}
	case len(types) == 1:
		one = scalar(types[0], s)
	default:
		one = object{}
	}
	if null && w.result {
		if forms, ok := one["oneOf"].([]any); ok {
			one["oneOf"] = append(forms, object{"type": "null"})
		} else {
			one = nullable(one)
		}
	}
	// Generators for OpenAPI 3.0 ignore keywords next to a reference, and some reject them.
	if text := w.describe(field, s); text != "" && one["$ref"] == nil {
		one["description"] = text
	}
	if reflect.DeepEqual(one, nullable(scalar("number", object{}))) {
		w.schemas[nullableNumber] = one
		return ref(nullableNumber)
	}
	return one
}

// nullableNumber is the name of the component of a number that may be null, without bounds and
// description. Hundreds of fields refer to it, because the document size is limited.
const nullableNumber = "NullableNumber"

// scalar returns the schema of a number, string or boolean with its bounds.
func scalar(kind string, s object) object {
	one := object{"type": kind}
	switch kind {
	case "number":
		one["format"] = "double"
		fallthrough
	case "integer":
		for key, inclusive := range map[string]string{
			"minimum": "minimum", "exclusiveMinimum": "minimum",
			"maximum": "maximum", "exclusiveMaximum": "maximum",
		} {
			bound, ok := s[key].(float64)
			if ok && math.Abs(bound) < vastBound && (key != "exclusiveMinimum" || bound != 0) {
				one[inclusive] = bound
			}
		}
	case "string":
		copyKeys(one, s, "minLength", "maxLength", "pattern")
		if words, ok := s["enum"].([]string); ok {
			one["enum"] = words
		} else if words, ok := s["enum"].([]any); ok {
			one["enum"] = slices.DeleteFunc(slices.Clone(words), func(w any) bool {
				return w == nil
			})
		}
	}
	return one
}

func copyKeys(to, from object, keys ...string) {
	for _, key := range keys {
		if v, ok := from[key]; ok {
			to[key] = v
		}
	}
}

// Lengths in characters beyond which a field description is cut to its first clauses. The metadata
// of the tool has the full text.
const (
	maxInputText  = 70
	maxResultText = 25
)

// vastBound is the minimum magnitude of a bound that only excludes absurd values.
const vastBound = 1e6

// warningsComponent is the name of the component schema of the warnings that every result has.
const warningsComponent = "Warnings"

// emptyValues are default values that a description omits.
var emptyValues = []string{"[]", "{}", "false", `""`}

// describe returns the description of a field. It appends the facts for which client generators
// support no keyword: the unit, exclusive bounds and the default. It omits a unit that the field
// name implies. If the name of an output field implies its unit, describe also omits the text.
func (w toolSchemas) describe(name string, s object) string {
	text, _ := s["description"].(string)
	limit := maxInputText
	if w.result {
		limit = maxResultText
	}
	if label := w.labels[text]; label != "" && len(label) < len(text) {
		text = label
	}
	text = schema.FirstClauses(text, limit)
	unit, _ := s["x-unit"].(string)
	hasUnit := unit != "" && unit != "1"
	named := hasUnit && schema.NameImpliesUnit(name, unit)
	if repeatsName(name, text) || w.aliases[name] || w.result && named {
		text = ""
	}
	var more []string
	if hasUnit && !named {
		more = append(more, "in "+unit)
	}
	bounds := []struct{ key, words string }{{"exclusiveMinimum", "> "}, {"exclusiveMaximum", "< "}}
	for _, bound := range bounds {
		if v, ok := s[bound.key].(float64); ok {
			more = append(more, bound.words+strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	if d, ok := s["default"].(json.RawMessage); ok && !slices.Contains(emptyValues, string(d)) {
		more = append(more, "default "+string(d))
	}
	if len(more) == 0 {
		return text
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s)", text, strings.Join(more, ", ")))
}

// articles are words that field names omit.
var articles = []string{"a", "an", "and", "at", "for", "in", "of", "per", "the", "to"}

// repeatsName reports whether a text contains only words of its field's name.
func repeatsName(name, text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	in := append(strings.Split(strings.ToLower(name), "_"), articles...)
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(in, w) })
}

// addTool adds the components of a tool: its input, result and response.
func (s schemas) addTool(e *tools.Entry) {
	aliases := map[string]bool{}
	for _, f := range e.Input.Fields {
		if f.Alias != "" && f.Unit != "" && schema.NameImpliesUnit(f.Name, f.Unit) {
			aliases[f.Name] = true
		}
	}
	toolSchemas{schemas: s, aliases: aliases}.add(e.Name+"_input", e.InputSchema())
	labels := map[string]string{}
	addLabels(labels, e.Output)
	toolSchemas{schemas: s, result: true, labels: labels}.add(e.Name+"_result", e.OutputSchema())
	s[e.Name+"_response"] = object{"allOf": []any{ref(responseComponent), object{
		"properties": object{"result": ref(e.Name + "_result")},
		"required":   []string{"result"},
	}}}
}

// addLabels adds the labels of the fields of a node, recursively. The key of a label is the help
// line of its field.
func addLabels(labels map[string]string, n *schema.Node) {
	for _, f := range n.Fields {
		labels[f.Doc] = f.Label
		addLabels(labels, &f.Node)
	}
	if n.Elem != nil {
		addLabels(labels, n.Elem)
	}
}

// responseComponent is the component with the fields that the responses of all tools share.
const responseComponent = "ToolResponse"

// addShared adds the components that all tools use.
func (s schemas) addShared() {
	s[warningsComponent] = object{
		"type": "array", "items": object{"type": "string"},
		"description": "Remarks on the input or on the validity of the result; empty when there are none",
	}
	s[responseComponent] = object{
		"type": "object",
		"properties": object{
			"tool":        object{"type": "string"},
			"version":     object{"type": "string"},
			"computed_at": object{"type": "string", "format": "date-time"},
			"chain":       ref("Chain"),
		},
		"required": []string{"tool", "version", "computed_at", "chain"},
	}
}
