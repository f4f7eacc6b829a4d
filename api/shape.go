package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// shapes are the JSON Schemas of the structs in responses, so that the OpenAPI document matches the
// code. Fields without "omitempty" are required. Tags: doc, format, pattern, enum, and ref for raw
// JSON of a named schema.
//
// Package schema describes the inputs of tools only, and rejects types that it cannot decode.
type shapes map[string]any

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	timeType = reflect.TypeFor[time.Time]()
)

// add adds the schema of T under its name and returns a reference to it.
func add[T any](s shapes) map[string]any { return s.of(reflect.TypeFor[T]()) }

func ref(name string) map[string]any {
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

func (s shapes) of(t reflect.Type) map[string]any {
	switch {
	case t == rawType:
		return map[string]any{}
	case t == timeType:
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem()) // fields makes it nullable
	case reflect.Struct:
		if _, known := s[t.Name()]; !known {
			s[t.Name()] = nil // a struct that holds itself ends here
			o := map[string]any{"type": "object", "properties": map[string]any{}, "required": []string{}}
			s.fields(t, o)
			s[t.Name()] = o
		}
		return ref(t.Name())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": true}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Int64:
		return map[string]any{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return map[string]any{"type": "number", "format": "double"}
	}
	return map[string]any{}
}

func (s shapes) fields(t reflect.Type, o map[string]any) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			s.fields(f.Type, o)
			continue
		}
		one := s.of(f.Type)
		for _, key := range []string{"format", "pattern"} {
			if v := f.Tag.Get(key); v != "" {
				one[key] = v
			}
		}
		if v := f.Tag.Get("enum"); v != "" {
			one["enum"] = strings.Split(v, ",")
		}
		if r := f.Tag.Get("ref"); r != "" {
			one = nullable(ref(r))
		} else if f.Type.Kind() == reflect.Pointer {
			one = nullable(one)
		}
		if v := f.Tag.Get("doc"); v != "" {
			one["description"] = v
		}
		o["properties"].(map[string]any)[name] = one
		if !strings.Contains(options, "omitempty") {
			o["required"] = append(o["required"].([]string), name)
		}
	}
}

// nullable returns a schema that also allows null, in the form that generators for OpenAPI 3.0 and
// 3.1 read.
func nullable(s map[string]any) map[string]any {
	return map[string]any{"oneOf": []any{s, map[string]any{"type": "null"}}}
}
