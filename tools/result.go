package tools

import (
	"context"
	"reflect"
	"strings"
)

// Result is a computed result whose fields can be read without JSON. It saves callers that need few
// fields of a large result the time to encode and decode it.
type Result struct {
	out    reflect.Value
	fields map[string][]int
}

// Value returns the top-level result field with a JSON name. It returns nil for an unknown name or
// a nil pointer. The caller must not modify the value.
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

// fieldsOf maps JSON names to the indices of the exported fields of a struct, including embedded
// structs. If names collide, the least nested field wins, as in encoding/json.
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

// Compute is the variant of Run that does not encode the result as JSON.
func (t *Tool) Compute(ctx context.Context, body []byte) (Result, error) {
	return t.compute(ctx, body)
}
