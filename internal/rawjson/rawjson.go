// Package rawjson extracts parts of valid, compact JSON without decoding the rest, which preserves
// the digits of numbers. It also encodes strings without HTML escapes.
package rawjson

import (
	"bytes"
	"encoding/json"
)

// Marshal encodes JSON without escaping "<", ">" and "&". The result is not safe to embed in HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Object returns the members of a JSON object, or nil for any other text.
func Object(raw []byte) (members map[string]json.RawMessage) {
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members
}

// Twice returns a name that a JSON object has twice, or "" for any other text. The members of its
// values do not count.
func Twice(raw []byte) (name string) {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil || compact.Bytes()[0] != '{' {
		return ""
	}
	seen := map[string]bool{}
	Members(compact.Bytes(), func(key, _ []byte) {
		if seen[string(key)] {
			name = string(key)
		}
		seen[string(key)] = true
	})
	return name
}

// Members calls f for each member of a valid and compact JSON object.
func Members(raw []byte, f func(name, value []byte)) {
	for i := 1; i < len(raw) && raw[i] == '"'; {
		end := skip(raw, i)
		name := raw[i+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(Unquote(raw[i:end]))
		}
		next := skip(raw, end+1) // the colon
		f(name, raw[end+1:next])
		i = next + 1 // the comma
	}
}

// Elements returns the elements of a valid JSON array. The array must be compact, except for the
// space that tools.AppendWarnings writes before a first warning.
func Elements(raw []byte) [][]byte {
	var items [][]byte
	for i := 1; i < len(raw) && raw[i] != ']'; {
		end := skip(raw, i)
		items = append(items, bytes.TrimLeft(raw[i:end], " "))
		i = end + 1
	}
	return items
}

// skip returns the index after the value that begins at index i.
func skip(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// Unquote returns the value of a JSON string, or "" for any other value.
func Unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // cannot fail: the string is valid
	return s
}
