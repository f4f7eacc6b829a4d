package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// ListOptions selects the content of tools/list. The zero value lists each tool with its input
// schema.
type ListOptions struct {
	Full   bool // also list output schemas, units, examples and methods
	Search bool // list find_tools and call_tool instead of the synchronous tools
}

// ParseListOptions parses the query parameters schemas ("compact", "full") and mode ("list",
// "search") of the endpoint. "" selects the first value of each.
func ParseListOptions(schemas, mode string) (o ListOptions, err error) {
	switch schemas {
	case "", "compact":
	case "full":
		o.Full = true
	default:
		return o, fmt.Errorf("schemas: unknown %q; must be compact or full",
			text.Truncate(schemas, 64))
	}
	switch mode {
	case "", "list":
	case "search":
		o.Search = true
	default:
		return o, fmt.Errorf("mode: unknown %q; must be list or search", text.Truncate(mode, 64))
	}
	return o, nil
}

// toolList holds the JSON of each tool for tools/list.
type toolList struct {
	entries []*tools.Entry
	compact map[string]json.RawMessage
	full    map[string]json.RawMessage
	search  []json.RawMessage // find_tools and call_tool
	batch   []json.RawMessage // the batch tools
	more    []json.RawMessage // tools that are not in the catalog
}

// newToolList describes all tools of a catalog. An error names the tool that cannot be described.
func newToolList(catalog *tools.Catalog) (*toolList, error) {
	l := &toolList{
		entries: catalog.All(),
		compact: map[string]json.RawMessage{}, full: map[string]json.RawMessage{},
	}
	for _, e := range l.entries {
		full, err := describe(e)
		if err != nil {
			return nil, fmt.Errorf("mcp: describing %s: %w", e.Name, err)
		}
		if l.full[e.Name], err = rawjson.Marshal(full); err != nil {
			return nil, fmt.Errorf("mcp: describing %s: %w", e.Name, err)
		}
		if l.compact[e.Name], err = rawjson.Marshal(describeCompact(e)); err != nil {
			return nil, fmt.Errorf("mcp: describing %s: %w", e.Name, err)
		}
	}
	for _, t := range append(searchTools(), batchTools()...) {
		raw, err := rawjson.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("mcp: describing %s: %w", t.Name, err)
		}
		if isBatchTool(t.Name) {
			l.batch = append(l.batch, raw)
		} else {
			l.search = append(l.search, raw)
		}
	}
	return l, nil
}

// listCache allows clients to cache the list. The list is equal for all callers and changes only
// with the program.
const listCache = `,"ttlMs":3600000,"cacheScope":"public"`

// response returns the response to tools/list. The list has only one page, so any cursor is
// invalid.
func (l *toolList) response(x *Call) []byte {
	if c := member(x.message.params, "cursor"); c != nil && string(c) != `""` &&
		string(c) != "null" {
		fault := rpcError{
			Code: protocol.INVALID_PARAMS, Message: "cursor: unknown; the list has one page",
		}
		return fault.encode(x.message.id)
	}
	var b []byte
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), x.message.id...)
	b = append(b, `,"result":{"tools":[`...)
	list := l.selected(x.caller.List, x.caller.Only)
	if x.batches() != nil && x.caller.Only.has(batchRunName) {
		list = append(list, l.batch...)
	}
	for i, raw := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, raw...)
	}
	b = append(b, ']')
	if x.stateless {
		b = append(append(b, listCache...), x.server.members...)
	}
	return append(b, "}}"...)
}

// selected returns the selected tools in catalog order, after the search tools if these are
// selected.
func (l *toolList) selected(o ListOptions, only Selection) []json.RawMessage {
	var list []json.RawMessage
	if o.Search {
		list = append(list, l.search...)
	}
	form := l.compact
	if o.Full {
		form = l.full
	}
	for _, e := range l.entries {
		if only.has(e.Name) && (!o.Search || e.Heavy != nil) {
			list = append(list, form[e.Name])
		}
	}
	return append(list, l.more...)
}

// listedTool is a tool in the compact format of tools/list.
type listedTool struct {
	Name        string         `json:"name"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"inputSchema"`
	Annotations map[string]any `json:"annotations"`
	Meta        map[string]any `json:"_meta,omitempty"`
}

// readOnly returns the annotations of a tool without side effects. The other hints have little or
// no meaning for such a tool.
func readOnly() map[string]any {
	return map[string]any{"readOnlyHint": true}
}

// describeCompact returns the compact description of a tool, which suffices for most calls. It
// omits fields that take a quantity in another unit, and lists advanced inputs by name only.
// find_tools returns the complete input schema.
func describeCompact(e *tools.Entry) listedTool {
	input := simplifiedInput(e)
	used := exampleFields(e)
	for _, f := range e.Input.Fields {
		if f.Alias != "" && !used[f.Name] {
			delete(input["properties"].(map[string]any), f.Name)
		}
	}
	for _, name := range uncommonInputs(e) {
		delete(input["properties"].(map[string]any), name)
	}
	advanced := removeAdvanced(e, input, used)
	abridge(input, used, true)
	removeExtensions(input)
	return listedTool{
		Name: e.Name, Description: compactDescription(e, input, advanced),
		InputSchema: input, Annotations: readOnly(), Meta: appOf(e),
	}
}

// Limits for advanced inputs. A tool with more than maxListedFields inputs lists its advanced
// inputs by name only. The first principalFields inputs are never advanced because definitions
// begin with the principal inputs.
const (
	maxListedFields = 8
	principalFields = 2
)

// removeAdvanced removes the advanced inputs from the compact schema and returns their names in
// definition order. It keeps inputs that are required, that an example uses, or that the tool can
// solve for.
func removeAdvanced(e *tools.Entry, input map[string]any, used map[string]bool) (names []string) {
	members := input["properties"].(map[string]any)
	if len(members) <= maxListedFields {
		return nil
	}
	place := 0
	for _, f := range e.Input.Fields {
		if members[f.Name] == nil {
			continue
		}
		place++
		principal := f.Required || used[f.Name] || slices.Contains(e.Solves.Inputs, f.Name)
		if !principal && place > principalFields {
			names = append(names, f.Name)
		}
	}
	for _, name := range names {
		delete(members, name)
	}
	return names
}

// uncommonInputs returns the inputs that the compact description omits. These are the size limit,
// which the service sets, and the file format, which only programs use.
func uncommonInputs(e *tools.Entry) (names []string) {
	if e.SizeLimit != nil {
		names = append(names, e.SizeLimit.Input)
	}
	if len(e.Files) > 0 {
		names = append(names, "format")
	}
	return names
}

// maxListedExample is the maximum size in bytes of an example in the compact description.
const maxListedExample = 160

// compactDescription returns the text from which a model selects the tool: summary, duration and
// synonyms. It adds an example if the input contains lists or objects, and names the inputs that
// the schema omits.
func compactDescription(e *tools.Entry, input map[string]any, advanced []string) string {
	var b strings.Builder
	b.WriteString(e.Summary + ".")
	if e.Heavy != nil {
		fmt.Fprintf(&b, " Takes seconds, at most %.0f.", e.Heavy.Timeout.Seconds())
	}
	if more := distinctAliases(e); len(more) > 0 {
		fmt.Fprintf(&b, " Also: %s.", strings.Join(more, ", "))
	}
	if x := compact(e.Examples[0].In); len(x) <= maxListedExample && nested(input) {
		b.WriteString(" Example: " + x)
	}
	if len(advanced) > 0 {
		b.WriteString(" More inputs: " + strings.Join(advanced, ", "))
	}
	return b.String()
}

// distinctAliases returns the aliases with a word that the name, the title and the summary do not
// contain, at most maxAliases.
func distinctAliases(e *tools.Entry) (more []string) {
	known := strings.ToLower(strings.ReplaceAll(e.Name, "_", " ") + " " + e.Title + " " + e.Summary)
	for _, alias := range e.Aliases {
		for word := range strings.FieldsSeq(strings.ToLower(alias)) {
			if len(more) < maxAliases && !strings.Contains(known, word) {
				more = append(more, alias)
				break
			}
		}
	}
	return more
}

// nested reports whether a member of an input schema is a list or an object.
func nested(s map[string]any) bool {
	members, _ := s["properties"].(map[string]any)
	for _, m := range members {
		if t := m.(map[string]any)["type"]; t == "array" || t == "object" {
			return true
		}
	}
	return false
}

// exampleFields returns the names of the fields that the examples of a tool use.
func exampleFields(e *tools.Entry) map[string]bool {
	used := map[string]bool{}
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				used[name] = true
				collect(inner)
			}
		case []any:
			for _, inner := range v {
				collect(inner)
			}
		}
	}
	for _, x := range e.Examples {
		var v any
		if json.Unmarshal([]byte(x.In), &v) == nil {
			collect(v)
		}
	}
	return used
}

// Maximum lengths in characters of a field description in the compact schema.
const (
	requiredDescription = 130
	longDescription     = 40 // for a field that an example uses
	shortDescription    = 32
)

// Limits of the compact description.
const (
	maxAliases = 4    // maximum number of aliases of a tool
	largeBound = 1000 // bounds of at least this magnitude only exclude absurd values
)

// abridge shortens a simplified schema in place to what most calls need. A field is rare unless it
// is required or an example uses it; common is false within a rare field. Rare objects and lists of
// objects keep only their field names. Descriptions are cut to their first clauses, and deleted if
// they explain only the first enum value. A rare field has no description if its name states
// quantity and unit.
// abridge also deletes length limits, bounds of rare fields, lower bounds of 0, bounds that only
// exclude absurd values, and the default 0. The decoder checks all bounds.
func abridge(s map[string]any, used map[string]bool, common bool) {
	required, _ := s["required"].([]string)
	members, _ := s["properties"].(map[string]any)
	for name, m := range members {
		m := m.(map[string]any)
		needed := common && slices.Contains(required, name)
		common := needed || common && used[name]
		limit := shortDescription
		if needed {
			limit = requiredDescription
		} else if common {
			limit = longDescription
		}
		if d, ok := m["description"].(string); ok {
			m["description"] = schema.FirstClauses(d, limit)
			if words, ok := m["enum"].([]any); ok &&
				explainsFirst(m["description"].(string), words) {
				delete(m, "description")
			}
		}
		if !common {
			listFieldNames(m)
		}
		abridge(m, used, common)
		if d, ok := m["default"].(json.RawMessage); ok && string(d) == "0" {
			delete(m, "default")
		}
		if unit, ok := m["x-unit"].(string); ok && !common && schema.NameImpliesUnit(name, unit) {
			delete(m, "description")
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		abridge(items, used, common)
	}
	for _, key := range []string{"maxLength", "minLength", "maxItems", "maxProperties"} {
		delete(s, key)
	}
	for _, key := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
		low := strings.HasSuffix(key, "Minimum") || key == "minimum"
		if bound, ok := s[key].(float64); ok &&
			(!common || low && bound == 0 || math.Abs(bound) >= largeBound) {
			delete(s, key)
		}
	}
}

// explainsFirst reports whether an abridged description explains only the first enum value of a
// field.
func explainsFirst(description string, words []any) bool {
	first, ok := words[0].(string)
	return ok && (description == first || strings.HasPrefix(description, first+":"))
}

// listFieldNames replaces the field schemas of an object, or of the objects in a list, by their
// names in the description.
func listFieldNames(s map[string]any) {
	holder := s
	if items, ok := s["items"].(map[string]any); ok {
		holder = items
	}
	members, ok := holder["properties"].(map[string]any)
	if !ok {
		return
	}
	appendDescription(s, "("+strings.Join(slices.Sorted(maps.Keys(members)), ", ")+")")
	delete(holder, "properties")
	delete(holder, "required")
}

// compactInput returns the complete input schema of a tool in a form suited to models.
func compactInput(e *tools.Entry) map[string]any {
	s := simplifiedInput(e)
	removeExtensions(s)
	return s
}

// simplifiedInput returns the simplified input schema of a tool. It still contains the extension
// keys, such as x-unit.
func simplifiedInput(e *tools.Entry) map[string]any {
	s := e.InputSchema()
	for _, key := range []string{"$schema", "title", "description"} {
		delete(s, key)
	}
	simplify("", s, e.Input)
	for name, value := range e.Interactive {
		s["properties"].(map[string]any)[name].(map[string]any)["default"] = value
	}
	return s
}

// removeExtensions removes the keys that JSON Schema does not define, in place.
func removeExtensions(s map[string]any) {
	for key, v := range s {
		if strings.HasPrefix(key, "x-") {
			delete(s, key)
		}
		if inner, ok := v.(map[string]any); ok {
			removeExtensions(inner)
		}
	}
}

// simplify rewrites a schema in place for models and for clients that support only simple types.
// Each value has one type; null, alternatives and examples are removed. The description contains
// the unit unless the field name implies it.
func simplify(name string, s map[string]any, n *schema.Node) {
	if alternatives, ok := s["anyOf"].([]any); ok {
		delete(s, "anyOf")
		first, _ := alternatives[0].(map[string]any)
		maps.Copy(s, first)
		for _, other := range alternatives[1:] {
			if d, ok := other.(map[string]any)["description"].(string); ok {
				appendDescription(s, "or "+d)
			}
		}
	}
	if types, ok := s["type"].([]string); ok {
		s["type"] = simpleType(types, s, n)
	}
	if s["type"] != "string" {
		delete(s, "pattern")
		delete(s, "maxLength")
	}
	if words, ok := s["enum"].([]any); ok {
		s["enum"] = slices.DeleteFunc(slices.Clone(words), func(w any) bool { return w == nil })
	}
	if unit, ok := s["x-unit"].(string); ok && unit != "1" && !schema.NameImpliesUnit(name, unit) {
		appendDescription(s, "["+unit+"]")
	}
	delete(s, "examples")
	delete(s, "not")
	if d, ok := s["default"].(json.RawMessage); ok {
		switch string(d) {
		case "{}", "[]", `""`, "false":
			delete(s, "default")
		}
	}
	if members, ok := s["properties"].(map[string]any); ok {
		for _, f := range n.Fields {
			simplify(f.Name, members[f.Name].(map[string]any), &f.Node)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(map[string]any); ok {
			simplify(name, inner, n.Elem)
		}
	}
}

// simpleType returns the type that replaces a list of types: string if the field also accepts a
// number in a string, otherwise the first. With string it deletes the numeric bounds from s.
func simpleType(types []string, s map[string]any, n *schema.Node) string {
	types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if len(types) > 1 && slices.Contains(types, "string") && n.Accepts([]byte(`"2"`)) {
		delete(s, "minimum")
		delete(s, "maximum")
		return "string"
	}
	return types[0]
}

func appendDescription(s map[string]any, more string) {
	description, _ := s["description"].(string)
	s["description"] = strings.TrimSpace(description + " " + more)
}
