package schema

import (
	"math"
	"reflect"
)

// Settle makes a result fit for JSON: nil lists that may not be null become empty ones, and
// the path of the first number that is not finite is returned ("" when all are). v is a pointer to the struct.
func (n *Node) Settle(v any) string {
	return n.settle(reflect.ValueOf(v).Elem(), pathStep{}, false)
}

func (n *Node) settle(v reflect.Value, at pathStep, nullable bool) string {
	switch n.Kind {
	case Number:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return at.String()
		}
	case Array:
		if v.IsNil() {
			if !nullable {
				v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			}
			return ""
		}
		if n.Elem.Kind == String || n.Elem.Kind == Integer || n.Elem.Kind == Boolean {
			return ""
		}
		if xs, ok := v.Interface().([]float64); ok {
			for i, x := range xs {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return (&pathStep{up: &at, entry: i + 1}).String()
				}
			}
			return ""
		}
		for i := range v.Len() {
			if bad := n.Elem.settle(v.Index(i), pathStep{up: &at, entry: i + 1}, false); bad != "" {
				return bad
			}
		}
	case Map:
		if v.IsNil() {
			if !nullable {
				v.Set(reflect.MakeMap(v.Type()))
			}
			return ""
		}
		for it := v.MapRange(); it.Next(); {
			// Map values cannot be set in place; lists inside a map are the tool's own affair.
			e := reflect.New(n.Elem.goType).Elem()
			e.Set(it.Value())
			if bad := n.Elem.settle(e, pathStep{up: &at, name: it.Key().String()}, false); bad != "" {
				return bad
			}
		}
	case Object:
		for _, f := range n.Fields {
			fv := v.FieldByIndex(f.index)
			if f.pointer {
				if fv.IsNil() {
					continue
				}
				fv = fv.Elem()
			}
			if bad := f.settle(fv, pathStep{up: &at, name: f.Name}, f.Nullable || f.omitEmpty); bad != "" {
				return bad
			}
		}
	}
	return ""
}
