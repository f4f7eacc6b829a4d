package mcp

import (
	"encoding/json"
	"strconv"
	"strings"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools/schema"
)

// Limits of the brief text: its size in bytes, the elements of a list of scalars, and the entries
// of a list of objects.
const (
	maxText      = 12_000
	maxListItems = 12
	maxRows      = 8
)

// readable formats a result for clients that show only text: one value with its unit per line. raw
// is the JSON result of a tool. brief shortens long lists and limits the text to maxText bytes.
func readable(node *schema.Node, raw json.RawMessage, brief bool) string {
	r := renderer{brief: brief, b: make([]byte, 0, min(2*len(raw)+64, maxText))}
	r.object("", node, raw)
	if brief && len(r.b) > maxText {
		return text.Truncate(string(r.b), maxText) + "\n(the rest is in structuredContent)"
	}
	return strings.TrimSuffix(string(r.b), "\n")
}

type renderer struct {
	b     []byte
	brief bool
}

// object writes the members of an object on separate lines. node may be nil.
func (r *renderer) object(prefix string, node *schema.Node, raw []byte) {
	rawjson.Members(raw, func(member, value []byte) {
		name := string(member)
		if r.brief && len(r.b) > maxText {
			return
		}
		var inner *schema.Node
		switch {
		case node == nil:
		case node.Kind == schema.Map:
			inner = node.Elem
		case node.Kind == schema.Object:
			if f := node.Field(name); f != nil {
				inner = &f.Node
			}
		}
		r.value(prefix+name, inner, value)
	})
}

func (r *renderer) value(name string, node *schema.Node, value []byte) {
	switch value[0] {
	case '{':
		r.object(name+".", node, value)
		return
	case '[':
		r.list(name, node, value)
		return
	}
	r.b = append(append(r.b, name...), ": "...)
	r.scalar(value)
	if node != nil && value[0] != 'n' {
		r.unit(node.Unit)
	}
	r.b = append(r.b, '\n')
}

func (r *renderer) unit(unit string) {
	if unit != "" && unit != "1" {
		r.b = append(append(r.b, ' '), unit...)
	}
}

func (r *renderer) scalar(value []byte) {
	switch value[0] {
	case '"':
		r.b = append(r.b, rawjson.Unquote(value)...)
	case 'n':
		r.b = append(r.b, "none"...)
	default:
		r.b = append(r.b, value...)
	}
}

// list writes a list of scalars on one line, and a list of objects with one line per object.
func (r *renderer) list(name string, node *schema.Node, raw []byte) {
	var elem *schema.Node
	if node != nil {
		elem = node.Elem
	}
	items := rawjson.Elements(raw)
	if len(items) == 0 {
		r.b = append(append(r.b, name...), ": none\n"...)
		return
	}
	if items[0][0] == '{' || items[0][0] == '[' {
		for i, item := range items {
			if r.brief && i == maxRows {
				r.more(name, len(items))
				return
			}
			r.b = append(append(r.b, name...), '[')
			r.b = append(strconv.AppendInt(r.b, int64(i), 10), "]: "...)
			r.inline(elem, item)
			r.b = append(r.b, '\n')
		}
		return
	}
	r.b = append(r.b, name...)
	all := len(items)
	if r.brief && all > maxListItems { // evenly spaced, so equal vectors show the same positions
		r.b = append(r.b, " ("+strconv.Itoa(maxListItems)+" of "+strconv.Itoa(all)+")"...)
		some := make([][]byte, maxListItems)
		for i := range some {
			some[i] = items[i*(all-1)/(maxListItems-1)]
		}
		items = some
	}
	r.b = append(r.b, ": "...)
	for i, item := range items {
		if i > 0 {
			r.b = append(r.b, ", "...)
		}
		r.scalar(item)
	}
	if elem != nil {
		r.unit(elem.Unit)
	}
	r.b = append(r.b, '\n')
}

func (r *renderer) more(name string, n int) {
	r.b = append(append(r.b, name...), ": … "+strconv.Itoa(n)+" in all\n"...)
}

// inline writes any value within a line.
func (r *renderer) inline(node *schema.Node, value []byte) {
	switch value[0] {
	case '{':
		first := true
		rawjson.Members(value, func(member, v []byte) {
			name := string(member)
			if !first {
				r.b = append(r.b, ", "...)
			}
			first = false
			r.b = append(append(r.b, name...), ' ')
			var inner *schema.Node
			if node != nil && node.Kind == schema.Object {
				if f := node.Field(name); f != nil {
					inner = &f.Node
				}
			}
			r.inline(inner, v)
			if inner != nil && v[0] != '{' && v[0] != '[' && v[0] != 'n' {
				r.unit(inner.Unit)
			}
		})
	case '[':
		r.b = append(r.b, '[')
		items := rawjson.Elements(value)
		for i, item := range items {
			if i > 0 {
				r.b = append(r.b, ", "...)
			}
			if r.brief && i == maxListItems {
				r.b = append(append(r.b, "… "...), strconv.Itoa(len(items))+" in all"...)
				break
			}
			var elem *schema.Node
			if node != nil {
				elem = node.Elem
			}
			r.inline(elem, item)
		}
		r.b = append(r.b, ']')
	default:
		r.scalar(value)
	}
}
