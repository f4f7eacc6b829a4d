package schema

import (
	"math"
	"reflect"
	"slices"
)

// Finalize replaces nil lists and maps with empty ones unless they may be null. It returns the path
// of the first number that is not finite, or "". v must be a pointer to the struct.
func (n *Node) Finalize(v any) string {
	root := reflect.ValueOf(v).Elem()
	if n.settle(root, false) {
		return ""
	}
	return n.locate(root, &pathStep{})
}

// settle replaces nil lists and maps, and reports whether every number is finite. It does not track
// the path, which would allocate per field; locate determines the path after a failure.
func (n *Node) settle(v reflect.Value, nullable bool) bool {
	switch n.Kind {
	case Number:
		return finite(v.Float())
	case Array:
		if v.IsNil() {
			if !nullable {
				v.Set(n.empty) // empty lists can be shared
			}
			return true
		}
		if n.Elem.plain() {
			return true
		}
		// Most lists contain numbers, and reflection per element takes five times as long.
		if list, ok := v.Interface().([]float64); ok {
			return !slices.ContainsFunc(list, func(x float64) bool { return !finite(x) })
		}
		for i := range v.Len() {
			e := v.Index(i)
			if n.NullableElem {
				if e.IsNil() {
					continue
				}
				e = e.Elem()
			}
			if !n.Elem.settle(e, false) {
				return false
			}
		}
	case Map:
		if v.IsNil() {
			if !nullable {
				v.Set(reflect.MakeMap(v.Type()))
			}
			return true
		}
		if n.Elem.plain() {
			return true
		}
		// Map values cannot be modified in place, so each is copied, finalized and stored.
		e := reflect.New(v.Type().Elem()).Elem()
		for it := v.MapRange(); it.Next(); {
			e.Set(it.Value())
			if n.NullableElem {
				if !e.IsNil() && !n.Elem.settle(e.Elem(), false) {
					return false
				}
				continue
			}
			if !n.Elem.settle(e, false) {
				return false
			}
			if n.Elem.Kind == Array || n.Elem.Kind == Map || n.Elem.Kind == Object {
				v.SetMapIndex(it.Key(), e)
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
			if !f.settle(fv, f.Nullable || f.omitEmpty) {
				return false
			}
		}
	}
	return true
}

// plain reports whether values of the node need no finalizing.
func (n *Node) plain() bool { return n.Kind == String || n.Kind == Integer || n.Kind == Boolean }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// locate returns the path of the first number that is not finite.
func (n *Node) locate(v reflect.Value, at *pathStep) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch n.Kind {
	case Number:
		if !finite(v.Float()) {
			return at.String()
		}
	case Array:
		for i := range v.Len() {
			if bad := n.Elem.locate(v.Index(i), &pathStep{up: at, entry: i + 1}); bad != "" {
				return bad
			}
		}
	case Map:
		for it := v.MapRange(); it.Next(); {
			if bad := n.Elem.locate(it.Value(), &pathStep{up: at, name: it.Key().String()}); bad !=
				"" {
				return bad
			}
		}
	case Object:
		for _, f := range n.Fields {
			if bad := f.locate(v.FieldByIndex(f.index), &pathStep{up: at, name: f.Name}); bad !=
				"" {
				return bad
			}
		}
	}
	return ""
}
