package tools

import (
	"context"
	"reflect"
	"strings"
)

// Result is a computed result whose fields can be read without its JSON. That saves most of the
// time of callers who need few fields of a large result.
type Result struct {
	out    reflect.Value
	fields map[string][]int
}

// Value returns the field with a JSON name at the top of the result; nil for an unknown name and
// for a nil pointer. The caller must not change it.
func (r Result) Value(name string) any {
	index, ok := r.fields[name]
	if !ok {
		return nil
	}
	v := r.out.FieldByIndex(index)
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return v.Interface()
}

// fieldsOf returns the indexes of the exported fields of a struct by their JSON names, those of
// embedded structs included. Of equal names the least nested one counts, as in encoding/json.
func fieldsOf(t reflect.Type) map[string][]int {
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		if old, ok := fields[name]; !ok || len(f.Index) < len(old) {
			fields[name] = f.Index
		}
	}
	return fields
}

// Compute is Run without the JSON of the result.
func (t *Tool) Compute(ctx context.Context, body []byte) (Result, error) {
	return t.compute(ctx, body)
}
