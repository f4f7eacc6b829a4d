package openapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// schemas holds the JSON Schemas of response structs. It derives them by reflection, so the OpenAPI
// document matches the code. Fields without "omitempty" are required. It reads the tags doc,
// format, pattern, enum, and ref, which names the schema of raw JSON.
//
// Package schema is not used because it describes only tool inputs and rejects types that it cannot
// decode.
type schemas object

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	timeType = reflect.TypeFor[time.Time]()
)

func ref(name string) object {
	return object{"$ref": "#/components/schemas/" + name}
}

// of returns the schema of a type. For a struct it adds a component and returns a reference to it.
func (s schemas) of(t reflect.Type) object {
	switch {
	case t == rawType:
		return object{}
	case t == timeType:
		return object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem()) // fields makes the field nullable
	case reflect.Struct:
		if _, known := s[t.Name()]; !known {
			s[t.Name()] = nil // stops infinite recursion on recursive types
			o := object{"type": "object", "properties": object{}, "required": []string{}}
			s.fields(t, o)
			s[t.Name()] = o
		}
		return ref(t.Name())
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": true}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int:
		return object{"type": "integer"}
	case reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return object{"type": "number", "format": "double"}
	}
	return object{}
}

func (s schemas) fields(t reflect.Type, o object) {
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
		o["properties"].(object)[name] = one
		if !strings.Contains(options, "omitempty") {
			o["required"] = append(o["required"].([]string), name)
		}
	}
}

// nullable returns a schema that also allows null. Generators for both OpenAPI 3.0 and 3.1 support
// its form.
func nullable(s object) object {
	return object{"oneOf": []any{s, object{"type": "null"}}}
}
