package batch

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/spice/netlist"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// numbers has the schema of a list of numbers.
type numbers struct {
	Numbers []float64 `json:"numbers" doc:"Numbers in one unit"`
}

// target is the field for which texts are read.
type target struct {
	name      string // last name of its path, or the complete field for a value of a netlist
	unit      string // "" if another field determines it
	inNetlist bool
}

// variedNumbers are the fields of an entry of vary in the unit of the varied field. A text for
// sigma is not read, because the difference of two temperatures has another conversion.
var variedNumbers = []string{"from", "to", "mean", "min", "mode", "max", "median"}

// Interpret returns a request whose input, inputs and varied values are written as a call of the
// tool over REST takes them: names of fields, words, and texts for numbers such as "1 km" or "4k7".
// It makes the changes that a call over MCP or on the command line makes without a guess. notes has
// a sentence per change, at most maxWarnings and one with the number of others. A text that
// Interpret cannot read remains and is rejected later. So does an object with a name twice.
func Interpret(tool *tools.Tool, body []byte) (read []byte, notes []string) {
	request := rawjson.Object(body)
	if request == nil || rawjson.Twice(body) != "" {
		return body, nil
	}
	q := &interpreter{tool: tool, parts: tool.Parts()}
	if input, ok := q.input("input", request["input"]); ok {
		request["input"] = input
	}
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
	case q.parts.Exhausted(): // a part of the entries would be read otherwise than the rest
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

// maxInterpreted is the maximum length of a list of inputs or of words to vary that is interpreted.
// It bounds the work. A longer list remains as written.
const maxInterpreted = 10_000

// interpreter collects the changes of Interpret.
type interpreter struct {
	tool    *tools.Tool
	parts   *tools.Parts
	notes   []string // at most maxWarnings
	changes int
}

// note adds a note.
func (q *interpreter) note(text string) {
	if q.changes++; len(q.notes) < maxWarnings {
		q.notes = append(q.notes, text)
	}
}

// input interprets an input that may lack fields. ok is false if nothing was changed.
func (q *interpreter) input(path string, input json.RawMessage) (read json.RawMessage, ok bool) {
	if input == nil {
		return nil, false
	}
	read, notes := q.parts.Interpret(input)
	for _, n := range notes {
		q.note(path + "." + strings.TrimPrefix(n, "input: "))
	}
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
		to.unit = unitOf(&n.Node)
		if n.Kind != schema.Number && n.Kind != schema.Integer {
			if q.tool.Input.Field(to.name) == n {
				q.words(v, to.name, path)
			}
			return
		}
	}
	for _, name := range variedNumbers {
		q.member(v, name, path+"."+name, to)
	}
	q.member(v, "tolerance_pct", path+".tolerance_pct", target{"tolerance_pct", "%", false})
	values := listOf(v["values"])
	if q.list(values, path+".values", to) {
		v["values"], _ = json.Marshal(values) // marshaling valid JSON cannot fail
	}
}

// words interprets the values of an input at the top that is no number, such as words.
func (q *interpreter) words(v map[string]json.RawMessage, name, path string) {
	values := listOf(v["values"])
	if len(values) > maxInterpreted {
		return
	}
	before := q.changes
	for i, value := range values {
		fields, notes := q.part(name, value)
		if fields[name] == nil {
			continue
		}
		values[i] = fields[name]
		for _, n := range notes {
			q.note(fmt.Sprintf("%s.values[%d]: %s", path, i, strings.TrimPrefix(n, name+": ")))
		}
	}
	if q.changes > before {
		v["values"], _ = json.Marshal(values) // marshaling valid JSON cannot fail
	}
}

// part interprets an input with one value. fields is empty if it remains as written.
func (q *interpreter) part(
	name string, value json.RawMessage,
) (fields map[string]json.RawMessage, notes []string) {
	body, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return nil, nil
	}
	read, notes := q.parts.Interpret(body)
	if len(notes) == 0 || json.Unmarshal(read, &fields) != nil {
		return nil, nil
	}
	return fields, notes
}

// listOf returns the entries of a list, or nil.
func listOf(raw json.RawMessage) (list []json.RawMessage) {
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// fieldOf returns the pointer to the input that an unknown name at the top means with all values of
// an entry of vary: /dist_km for /distance with 1 km. It returns "" if a call of the tool would not
// take a value under that name, or would convert a number for it.
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
		fields, _ := q.part(name, value)
		if len(fields) != 1 {
			return ""
		}
		for f, converted := range fields {
			if f == name || isConverted(value, converted) || field != "" && field != "/"+f {
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

// unitOf returns the unit of a field, or "" if another field determines it.
func unitOf(n *schema.Node) string {
	if n.UnitFrom != nil {
		return ""
	}
	return n.Unit
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
		if text := unquoted(raw); text != "" {
			texts, at = append(texts, text), append(at, i)
		}
	}
	if len(texts) == 0 {
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
	written := strings.Trim(fmt.Sprintf("%q", texts[:min(len(texts), shown)]), "[]")
	numbers := strings.Trim(fmt.Sprint(values[:min(len(values), shown)]), "[]")
	note := fmt.Sprintf("%s: %s is read as %s %s", path, written, numbers,
		strings.TrimPrefix(to.unit, "1"))
	q.note(strings.TrimSpace(note))
	return true
}

// readTexts returns texts as numbers for a field. ok is false if the reading of any is a guess.
func readTexts(texts []string, to target) (values []float64, ok bool) {
	list := schema.Compile[numbers]().Fields[0]
	list.Elem.Unit = to.unit
	body, err := json.Marshal(texts)
	if err != nil {
		return nil, false
	}
	i, ok := tools.InterpretValue(&list.Node, to.name, body)
	if !ok || !i.Sure || json.Unmarshal(i.Input, &values) != nil {
		return nil, false
	}
	return values, len(values) == len(texts)
}

// agree reports whether texts that are SPICE numbers have the same value there. It rejects "1M",
// which is 1e-3 in a netlist and 1e6 elsewhere.
func agree(texts []string, values []float64) bool {
	for i, text := range texts {
		x, ok := netlist.ParseNumber(strings.ToLower(strings.ReplaceAll(text, " ", "")))
		if ok && math.Abs(x-values[i]) > 1e-9*math.Abs(x) {
			return false
		}
	}
	return true
}
