package batch

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

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

// ReadQuantities replaces texts for numbers, such as "1 km" or "4k7", by numbers in the unit of
// their field. It reads vary and the top level of input. It reads texts as a call of the tool does.
// notes has a sentence per change. A text that it cannot read remains and is rejected later.
func ReadQuantities(tool *tools.Tool, body []byte) (read []byte, notes []string) {
	var request map[string]json.RawMessage
	if json.Unmarshal(body, &request) != nil {
		return body, nil
	}
	q := &quantities{}
	var input map[string]json.RawMessage
	if json.Unmarshal(request["input"], &input) == nil {
		for _, f := range tool.Input.Fields {
			if f.Kind == schema.Number || f.Kind == schema.Integer {
				q.member(input, f.Name, "input."+f.Name, target{f.Name, unitOf(&f.Node), false})
			}
		}
		q.replace(request, "input", input)
	}
	var vary []map[string]json.RawMessage
	// Parse rejects more entries. Reading the texts of all of them would take time without bound.
	if json.Unmarshal(request["vary"], &vary) == nil && len(vary) <= MaxVariations {
		for i, v := range vary {
			q.entry(tool, v, fmt.Sprintf("vary[%d]", i))
		}
		q.replace(request, "vary", vary)
	}
	if len(q.notes) == 0 {
		return body, nil
	}
	read, err := json.Marshal(request)
	if err != nil {
		return body, nil
	}
	return read, q.notes
}

// quantities collects the changes of ReadQuantities.
type quantities struct{ notes []string }

// replace encodes a member of the request again, if texts have been read.
func (q *quantities) replace(request map[string]json.RawMessage, name string, value any) {
	if len(q.notes) == 0 {
		return
	}
	if raw, err := json.Marshal(value); err == nil {
		request[name] = raw
	}
}

// entry reads the texts of an entry of vary. Texts of a field that takes texts remain.
func (q *quantities) entry(tool *tools.Tool, v map[string]json.RawMessage, path string) {
	variation := Variation{Field: unquoted(v["field"])}
	to := target{name: variation.Field, inNetlist: variation.inNetlist()}
	if !to.inNetlist {
		n := inputNode(tool, "/"+strings.TrimPrefix(variation.Field, "/"))
		if n == nil || n.Kind != schema.Number && n.Kind != schema.Integer {
			return
		}
		to.name = variation.Field[strings.LastIndexByte(variation.Field, '/')+1:]
		to.unit = unitOf(&n.Node)
	}
	for _, name := range variedNumbers {
		q.member(v, name, path+"."+name, to)
	}
	q.member(v, "tolerance_pct", path+".tolerance_pct", target{"tolerance_pct", "%", false})
	var values []json.RawMessage
	if json.Unmarshal(v["values"], &values) != nil {
		return
	}
	if q.list(values, path+".values", to) {
		v["values"], _ = json.Marshal(values) // marshaling valid JSON cannot fail
	}
}

// unitOf returns the unit of a field, or "" if another field determines it.
func unitOf(n *schema.Node) string {
	if n.UnitFrom != nil {
		return ""
	}
	return n.Unit
}

// member reads a member of an object.
func (q *quantities) member(
	object map[string]json.RawMessage, name, path string, to target,
) {
	list := []json.RawMessage{object[name]}
	if q.list(list, path, to) {
		object[name] = list[0]
	}
}

// list reads the texts of a list in place. It reports whether it has read any.
func (q *quantities) list(list []json.RawMessage, path string, to target) bool {
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
	q.notes = append(q.notes, strings.TrimSpace(note))
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
