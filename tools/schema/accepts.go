package schema

import "reflect"

// Accepts reports whether a JSON value is valid for the node and within its range. raw must be
// valid JSON.
func (n *Node) Accepts(raw []byte) bool {
	d := decoder{data: raw}
	d.space()
	if d.pos == len(d.data) {
		return false
	}
	d.value(n, reflect.New(n.goType).Elem(), pathStep{})
	d.space()
	return d.syntax == nil && d.pos == len(d.data) && len(d.errs) == 0
}
