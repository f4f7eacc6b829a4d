package batch

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/spice/netlist"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// numbers has the schemas of lists of numbers.
type numbers struct {
	Numbers  []float64 `json:"numbers" doc:"Numbers in one unit"`
	Integers []int64   `json:"integers" doc:"Integers in one unit"`
}

// target is the field for which texts are read.
type target struct {
	name      string // last name of its path, or the complete field for a value of a netlist
	unit      string
	isInteger bool
	inNetlist bool
}

// variedNumbers are the fields of an entry of vary in the unit of the varied field. A text for
// sigma is not read, because the difference of two temperatures has another conversion.
var variedNumbers = []string{"from", "to", "mean", "min", "mode", "max", "median"}

// percent is the field tolerance_pct.
var percent = target{name: "tolerance_pct", unit: "%"}

// Interpret returns a request whose input, inputs and varied values are written as a REST call of
// the tool takes them. It changes names of fields, words, and texts for numbers such as "1 km" or
// "4k7". It makes the changes that a call over MCP or on the command line makes without a guess.
// notes has a sentence per change, at most maxWarnings and one with the number of others. A text
// that Interpret cannot read remains and is rejected later. So does an object with a name twice.
func Interpret(tool *tools.Tool, body []byte) (read []byte, notes []string) {
	request := rawjson.Object(body)
	if request == nil || rawjson.Twice(body) != "" {
		return body, nil
	}
	q := &interpreter{tool: tool, parts: tool.Parts()}
	q.parts.Others = severalUnits(tool, request["vary"], request["inputs"])
	if input, ok := q.input("input", request["input"]); ok {
		request["input"] = input
	}
	q.parts.Others = rawjson.Object(request["input"])
	if q.parts.Others == nil {
		q.parts.Others = map[string]json.RawMessage{}
	}
	maps.Copy(q.parts.Others, severalUnits(tool, request["vary"]))
	var inputs []json.RawMessage
	if json.Unmarshal(request["inputs"], &inputs) == nil && len(inputs) <= maxInterpreted {
		for i, input := range inputs {
			inputs[i], _ = q.input(fmt.Sprintf("inputs[%d]", i), input)
		}
		q.replace(request, "inputs", inputs)
	}
	var vary []json.RawMessage
	// Parse rejects more entries. Reading the texts of all of them would take time without bound.
	if json.Unmarshal(request["vary"], &vary) == nil && len(vary) <= MaxVariations {
		for i, raw := range vary {
			v := rawjson.Object(raw)
			if v == nil || rawjson.Twice(raw) != "" {
				continue
			}
			before := q.changes
			if q.entry(v, fmt.Sprintf("vary[%d]", i)); q.changes > before {
				vary[i], _ = json.Marshal(v) // marshaling valid JSON cannot fail
			}
		}
		q.replace(request, "vary", vary)
	}
	switch {
	case q.parts.Exhausted(), q.texts > maxInterpreted:
		// A part of the entries would be read otherwise than the rest.
		return body, []string{"too many unknown names and invalid values: nothing is interpreted"}
	case q.changes == 0:
		return body, nil
	}
	read, err := json.Marshal(request)
	if err != nil {
		return body, nil
	}
	if more := q.changes - len(q.notes); more > 0 {
		q.notes = append(q.notes, fmt.Sprintf("%d more changes are not listed", more))
	}
	return read, q.notes
}

// Bounds of the work.
const (
	// maxInterpreted is the maximum length of an interpreted list of inputs or of words to vary. It
	// is also the maximum number of texts for numbers. A longer list remains as written.
	maxInterpreted = 10_000
	// textsAtOnce is the number of texts in one interpretation, which reads at most 2000 values.
	textsAtOnce = 1000
)

// severalUnits returns null for each field that determines the unit of another one and that a part
// of a request names, in any spelling. The field may then have several values.
func severalUnits(tool *tools.Tool, parts ...json.RawMessage) map[string]json.RawMessage {
	several := map[string]json.RawMessage{}
	for _, f := range tool.Input.Fields {
		if f.UnitFrom == nil {
			continue
		}
		for _, part := range parts {
			if strings.Contains(letters(string(part)), letters(f.UnitFrom.Field)) {
				several[f.UnitFrom.Field] = json.RawMessage("null")
			}
		}
	}
	return several
}

// letters returns a text in lower case without the separators of names.
func letters(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(name))
}

// interpreter collects the changes of Interpret.
type interpreter struct {
	tool    *tools.Tool
	parts   *tools.Parts
	notes   []string // at most maxWarnings
	changes int
	texts   int // for numbers to vary
}

// note adds a note.
func (q *interpreter) note(note string) {
	if q.changes++; len(q.notes) < maxWarnings {
		q.notes = append(q.notes, note)
	}
}

// input interprets an input that may lack fields. ok is false if nothing was changed.
func (q *interpreter) input(path string, input json.RawMessage) (read json.RawMessage, ok bool) {
	if input == nil {
		return nil, false
	}
	read, notes, more := q.parts.Interpret(input)
	for _, n := range notes {
		if whole, ok := strings.CutPrefix(n, "input: "); ok {
			q.note(path + ": " + whole)
		} else {
			q.note(path + "." + n)
		}
	}
	q.changes += more
	return read, len(notes) > 0
}

// replace encodes a member of the request again, if texts have been read.
func (q *interpreter) replace(request map[string]json.RawMessage, name string, value any) {
	if q.changes == 0 {
		return
	}
	if raw, err := json.Marshal(value); err == nil {
		request[name] = raw
	}
}

// entry interprets an entry of vary.
func (q *interpreter) entry(v map[string]json.RawMessage, path string) {
	variation := Variation{Field: unquoted(v["field"])}
	to := target{name: variation.Field, inNetlist: variation.inNetlist()}
	if !to.inNetlist {
		if field := q.fieldOf(variation.Field, v); field != "" {
			q.note(fmt.Sprintf("%s.field: %q is read as %q", path, variation.Field, field))
			variation.Field = field
			v["field"], _ = json.Marshal(field) // marshaling a string cannot fail
		}
		n := inputNode(q.tool, "/"+strings.TrimPrefix(variation.Field, "/"))
		if n == nil {
			return
		}
		to.name = variation.Field[strings.LastIndexByte(variation.Field, '/')+1:]
		isNumber := n.Kind == schema.Number || n.Kind == schema.Integer
		if to.isInteger = n.Kind == schema.Integer; !isNumber {
			if q.tool.Input.Field(to.name) == n {
				q.words(v, n, path)
			}
			return
		}
		unit, known := q.parts.Unit(n)
		if to.unit = unit; !known {
			return
		}
	}
	for _, name := range variedNumbers {
		q.member(v, name, path+"."+name, to)
	}
	q.member(v, "tolerance_pct", path+".tolerance_pct", percent)
	values := listOf(v["values"])
	if q.list(values, path+".values", to) {
		v["values"], _ = json.Marshal(values) // marshaling valid JSON cannot fail
	}
}

// words interprets the values of an input at the top that is no number, such as words. If it takes
// numbers too, words also interprets the numbers of a range or distribution.
func (q *interpreter) words(v map[string]json.RawMessage, f *schema.Field, path string) {
	if f.Kind == schema.CustomT {
		for _, name := range variedNumbers {
			if v[name] != nil {
				v[name] = q.word(f.Name, v[name], path+"."+name)
			}
		}
		q.member(v, "tolerance_pct", path+".tolerance_pct", percent)
	}
	values := listOf(v["values"])
	if len(values) > maxInterpreted {
		return
	}
	before := q.changes
	for i, value := range values {
		values[i] = q.word(f.Name, value, fmt.Sprintf("%s.values[%d]", path, i))
	}
	if q.changes > before {
		v["values"], _ = json.Marshal(values) // marshaling valid JSON cannot fail
	}
}

// word interprets a value for an input at the top.
func (q *interpreter) word(name string, value json.RawMessage, path string) json.RawMessage {
	fields, notes, more := q.part(name, value)
	if fields[name] == nil {
		return value
	}
	for _, n := range notes {
		q.note(path + ": " + strings.TrimPrefix(n, name+": "))
	}
	q.changes += more
	return fields[name]
}

// part interprets an input with one value. fields is empty if it remains as written.
func (q *interpreter) part(
	name string, value json.RawMessage,
) (fields map[string]json.RawMessage, notes []string, more int) {
	body, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return nil, nil, 0
	}
	read, notes, more := q.parts.Interpret(body)
	if len(notes) == 0 || json.Unmarshal(read, &fields) != nil {
		return nil, nil, 0
	}
	return fields, notes, more
}

// listOf returns the entries of a list, or nil.
func listOf(raw json.RawMessage) (list []json.RawMessage) {
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// fieldOf returns the pointer to the input that an unknown name at the top means with all values of
// an entry of vary. For /distance with 1 km it is /dist_km. It returns "" if a call of the tool
// would not take a value under that name, or would take it into an object or a list. It also
// returns "" if the call would convert a number for it.
func (q *interpreter) fieldOf(pointer string, v map[string]json.RawMessage) string {
	name := strings.TrimPrefix(pointer, "/")
	if name == "" || strings.ContainsAny(name, "/~") || q.tool.Input.Field(name) != nil {
		return ""
	}
	values := listOf(v["values"])
	for _, member := range variedNumbers {
		if v[member] != nil {
			values = append(values, v[member])
		}
	}
	if len(values) > maxInterpreted {
		return ""
	}
	field := ""
	for _, value := range values {
		fields, _, _ := q.part(name, value)
		if len(fields) != 1 {
			return ""
		}
		for f, converted := range fields {
			n := q.tool.Input.Field(f)
			if n == nil || n.Kind == schema.Object || n.Elem != nil ||
				isConverted(value, converted) || field != "" && field != "/"+f {
				return ""
			}
			field = "/" + f
		}
	}
	return field
}

// isConverted reports whether a number has another value after its interpretation.
func isConverted(written, read json.RawMessage) bool {
	var a, b float64
	isNumber := json.Unmarshal(written, &a) == nil
	return isNumber && (json.Unmarshal(read, &b) != nil || a != b)
}

// member reads a member of an object.
func (q *interpreter) member(
	object map[string]json.RawMessage, name, path string, to target,
) {
	list := []json.RawMessage{object[name]}
	if q.list(list, path, to) {
		object[name] = list[0]
	}
}

// list reads the texts of a list in place. It reports whether it has read any.
func (q *interpreter) list(list []json.RawMessage, path string, to target) bool {
	var texts []string
	var at []int // their indices
	for i, raw := range list {
		if written := unquoted(raw); written != "" {
			texts, at = append(texts, written), append(at, i)
		}
	}
	if q.texts += len(texts); len(texts) == 0 || q.texts > maxInterpreted {
		return false
	}
	values, ok := readTexts(texts, to)
	if !ok || to.inNetlist && !agree(texts, values) {
		return false
	}
	for k, i := range at {
		list[i] = json.RawMessage(number(values[k]))
	}
	const shown = 3
	var quotes []string
	for _, written := range texts[:min(len(texts), shown)] {
		quotes = append(quotes, strconv.Quote(text.Truncate(written, 60)))
	}
	numbers := strings.Trim(fmt.Sprint(values[:min(len(values), shown)]), "[]")
	note := fmt.Sprintf("%s: %s is read as %s %s", path, strings.Join(quotes, " "), numbers,
		strings.TrimPrefix(to.unit, "1"))
	q.note(strings.TrimSpace(note))
	return true
}

// readTexts returns texts as numbers for a field. ok is false if the reading of any is a guess.
func readTexts(texts []string, to target) (values []float64, ok bool) {
	lists := schema.Compile[numbers]()
	list := lists.Field("numbers")
	if to.isInteger {
		list = lists.Field("integers")
	}
	list.Elem.Unit = to.unit
	for some := range slices.Chunk(texts, textsAtOnce) {
		body, err := json.Marshal(some)
		if err != nil {
			return nil, false
		}
		var read []float64
		i, ok := tools.InterpretValue(&list.Node, to.name, body)
		if !ok || !i.Sure || json.Unmarshal(i.Input, &read) != nil || len(read) != len(some) {
			return nil, false
		}
		values = append(values, read...)
	}
	return values, true
}

// agree reports whether texts that are SPICE numbers have the same value there. It rejects "1M",
// which is 1e-3 in a netlist and 1e6 elsewhere.
func agree(texts []string, values []float64) bool {
	for i, written := range texts {
		x, ok := netlist.ParseNumber(strings.ToLower(strings.ReplaceAll(written, " ", "")))
		if ok && math.Abs(x-values[i]) > 1e-9*math.Abs(x) {
			return false
		}
	}
	return true
}
