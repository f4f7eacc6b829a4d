package batch

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"slipstick/spice/netlist"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// Prefixes of fields within a netlist, and the name of the input field that contains the netlist.
const (
	paramPrefix   = "param:"
	elementPrefix = "element:"
	netlistField  = "netlist"
)

// template is the text of an input with gaps for the values of the varied fields.
type template struct {
	text []byte // text between the gaps, concatenated
	ends []int  // end of each segment in text; one more than gaps
	gaps []int  // for each gap, the index of its entry in vary
}

// fill appends the input to dst with the given values in the gaps.
func (t *template) fill(dst []byte, values []Value) []byte {
	start := 0
	for i, entry := range t.gaps {
		dst = append(dst, t.text[start:t.ends[i]]...)
		dst = append(dst, values[entry]...)
		start = t.ends[i]
	}
	return append(dst, t.text[start:]...)
}

// newGaps returns the markers for the values of the entries while a template is built. They are
// random and therefore do not occur in client text.
func newGaps(entries int) []string {
	gaps := make([]string, entries)
	for i := range gaps {
		gaps[i] = rand.Text()
	}
	return gaps
}

// newTemplate locates the fields of vary in the input of tool. bases are the numeric values of the
// fields in the input, or their defaults; nil for other values.
func newTemplate(tool *tools.Tool, input object, vary []Variation,
	errs *tools.FieldErrors) (t *template, bases []*float64) {
	var root any
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		errs.Add("input", "is not valid JSON: %s", err)
		return nil, nil
	}
	bases, gaps := make([]*float64, len(vary)), newGaps(len(vary))
	whole, _ := netlistText(root)
	inNetlist := map[netlist.Span]string{}
	seen := map[string]int{}
	for i, v := range vary {
		path := fmt.Sprintf("vary[%d].field", i)
		if k, twice := seen[strings.ToLower(v.Field)]; twice {
			errs.AddValue(path, v.Field, "is varied by entry %d too", k)
			continue
		}
		seen[strings.ToLower(v.Field)] = i
		if v.inNetlist() {
			bases[i] = netlistGap(tool, root, v.Field, path, gaps[i], inNetlist, errs)
			continue
		}
		steps, ok := pointerSteps(v.Field)
		if !ok {
			example := firstField(tool)
			if tool.Input.Field(v.Field) != nil {
				example = v.Field
			}
			errs.AddValue(path, v.Field, "must be a JSON pointer such as /%s%s", example,
				netlistHint(tool))
			continue
		}
		bases[i] = inputGap(tool.Input, root, steps, v.Field, path, gaps[i], errs)
	}
	// If an entry varies the complete netlist, it has replaced the text to which the spans refer.
	if text, ok := netlistText(root); ok && text == whole && len(inNetlist) > 0 {
		root.(map[string]any)[netlistField] = netlist.Replace(text, inNetlist)
	}
	t = cutTemplate(root, gaps)
	if errs.Err() != nil {
		return t, bases
	}
	for i, v := range vary {
		if !slices.Contains(t.gaps, i) {
			path := fmt.Sprintf("vary[%d].field", i)
			errs.AddValue(path, v.Field, "lies inside a field that another entry varies")
		}
	}
	return t, bases
}

// inNetlist reports whether the field is within the text of a netlist.
func (v *Variation) inNetlist() bool {
	return strings.HasPrefix(v.Field, paramPrefix) || strings.HasPrefix(v.Field, elementPrefix)
}

// cutTemplate encodes root and splits it at the gaps.
func cutTemplate(root any, gaps []string) *template {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(root); err != nil {
		return &template{}
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	t := &template{}
	for len(text) > 0 {
		entry, at, length := -1, len(text), 0
		for i, gap := range gaps {
			if k := bytes.Index(text, []byte(`"`+gap+`"`)); k >= 0 && k < at {
				entry, at, length = i, k, len(gap)+2
			} else if k := bytes.Index(text, []byte(gap)); k >= 0 && k < at {
				entry, at, length = i, k, len(gap)
			}
		}
		t.text = append(t.text, text[:at]...)
		t.ends = append(t.ends, len(t.text))
		if entry >= 0 {
			t.gaps = append(t.gaps, entry)
		}
		text = text[at+length:]
	}
	return t
}

// netlistText returns the netlist of an input.
func netlistText(root any) (string, bool) {
	fields, _ := root.(map[string]any)
	text, ok := fields[netlistField].(string)
	return text, ok
}

func netlistHint(tool *tools.Tool) string {
	if tool.Input.Field(netlistField) == nil {
		return ""
	}
	return ", or param:NAME, or element:NAME"
}

// netlistGap marks the value of a netlist parameter or element. It returns the number there, or
// nil.
func netlistGap(tool *tools.Tool, root any, field, path, gap string, gaps map[netlist.Span]string,
	errs *tools.FieldErrors) *float64 {
	text, ok := netlistText(root)
	if tool.Input.Field(netlistField) == nil {
		errs.AddValue(path, field, "names a part of a netlist, which %s has not", tool.Name)
		return nil
	}
	if !ok {
		errs.AddValue(path, field, "needs the netlist as a string in input.%s", netlistField)
		return nil
	}
	params, elements := netlist.Sites(text)
	sites, what := params, "parameter"
	name, isParam := strings.CutPrefix(field, paramPrefix)
	if !isParam {
		name, _ = strings.CutPrefix(field, elementPrefix)
		sites, what = elements, "element with a plain value"
	}
	names := make([]string, len(sites))
	for i, s := range sites {
		names[i] = s.Name
		if s.Name == strings.ToLower(name) {
			gaps[s.Span] = gap
			if x, ok := netlist.ParseNumber(strings.ToLower(text[s.Span.Start:s.Span.End])); ok {
				return &x
			}
			return nil
		}
	}
	errs.AddValue(path, field, "names no %s of the netlist%s", what, nearestNames(name, names))
	return nil
}

// inputGap marks the value at a pointer. It returns the number there or, without a value, the
// default of the field; nil if there is no number.
func inputGap(n *schema.Node, root any, steps []string, field, path, gap string,
	errs *tools.FieldErrors) *float64 {
	at := root
	var deflt json.RawMessage
	for i, step := range steps {
		last := i == len(steps)-1
		switch parent := at.(type) {
		case map[string]any:
			child, names := childNode(n, step)
			if names != nil {
				errs.AddValue(path, field, "names no field of the input: there is no %s%s",
					quoted(step), nearestNames(step, names))
				return nil
			}
			if child != nil {
				deflt = child.Default
			}
			at, n = parent[step], child
			if at == nil && !last {
				at = map[string]any{}
				parent[step] = at
			}
			if last {
				parent[step] = gap
			}
		case []any:
			k, err := strconv.Atoi(step)
			if err != nil || k < 0 || k >= len(parent) {
				errs.AddValue(path, field, "names no entry of the list, which has %d",
					len(parent))
				return nil
			}
			at = parent[k]
			if n != nil {
				n = n.Elem
			}
			if last {
				parent[k] = gap
			}
		default:
			errs.AddValue(path, field, "leads through %s, which is neither an object nor a list",
				quoted(step))
			return nil
		}
	}
	if number, ok := at.(json.Number); ok {
		if x, err := number.Float64(); err == nil {
			return &x
		}
	}
	var x *float64
	if at == nil && json.Unmarshal(deflt, &x) == nil {
		return x
	}
	return nil
}

// childNode returns the schema of an object member. If there is no such member, names contains the
// field names of the object. Both are nil if n does not describe members.
func childNode(n *schema.Node, step string) (child *schema.Node, names []string) {
	switch {
	case n == nil || n.Kind != schema.Object && n.Kind != schema.Map:
		return nil, nil
	case n.Kind == schema.Map:
		return n.Elem, nil
	}
	if f := n.Field(step); f != nil {
		return &f.Node, nil
	}
	for _, f := range n.Fields {
		names = append(names, f.Name)
	}
	return nil, names
}

// pointerSteps splits a JSON pointer (RFC 6901). It returns false unless the pointer begins with a
// slash.
func pointerSteps(pointer string) ([]string, bool) {
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	steps := strings.Split(rest, "/")
	for i, s := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return steps, true
}

func firstField(tool *tools.Tool) string {
	if len(tool.Input.Fields) == 0 {
		return "field"
	}
	return tool.Input.Fields[0].Name
}

func quoted(s string) string { return strconv.Quote(s) }

// nearestNames returns the end of an error text: the names most similar to name, or a few names if
// none is similar.
func nearestNames(name string, names []string) string {
	if near := tools.Nearest(name, names, 3); len(near) > 0 {
		return "; nearest: " + strings.Join(near, ", ")
	}
	if len(names) == 0 {
		return ""
	}
	return "; there are " + strings.Join(names[:min(len(names), 8)], ", ")
}
