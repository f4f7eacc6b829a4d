package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// FieldError is one thing wrong with one field of an input.
type FieldError struct {
	// Path is dotted, with indices: stages[1].nf_db; "" is the whole body.
	Path string `json:"path"`
	// Detail is what is wrong and what is allowed, for a person.
	Detail string `json:"detail"`
	// Value is what was given, shortened; nil when absent.
	Value json.RawMessage `json:"value,omitempty"`
	// Line is the line within a text of several lines, from 1; 0 when that does not apply.
	Line int `json:"line,omitempty"`
}

// Pointer is the path as a JSON Pointer (RFC 6901): /stages/1/nf_db.
func (f FieldError) Pointer() string {
	if f.Path == "" {
		return ""
	}
	r := strings.NewReplacer("].", "/", "[", "/", "]", "", ".", "/")
	return "/" + r.Replace(strings.ReplaceAll(strings.ReplaceAll(f.Path, "~", "~0"), "/", "~1"))
}

// Sentence names the field and the line, the problem and, when short, the value.
func (f FieldError) Sentence() string {
	s := f.Detail
	switch {
	case f.Path != "" && f.Line > 0:
		s = fmt.Sprintf("%s, line %d: %s", f.Path, f.Line, s)
	case f.Path != "":
		s = f.Path + ": " + s
	}
	if len(f.Value) > 0 && len(f.Value) <= 60 {
		s += ", got " + string(f.Value)
	}
	return s
}

// shownValue is how much of a faulty value, or of a name that is no field's, is echoed back.
const shownValue = 120

func shorten(raw []byte) json.RawMessage {
	if len(raw) <= shownValue {
		return append(json.RawMessage(nil), raw...)
	}
	b, _ := json.Marshal(beginning(string(raw)))
	return b
}

// beginning is as much of a text as is echoed back.
func beginning(s string) string {
	if len(s) <= shownValue {
		return s
	}
	return strings.ToValidUTF8(s[:shownValue], "") + "…"
}

// SyntaxError says where a body stops being JSON.
type SyntaxError struct {
	Offset int // bytes
	Detail string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Detail)
}

// pathStep is a place in the body, kept as a linked list so that the good path builds no strings.
type pathStep struct {
	up    *pathStep
	name  string
	entry int // 1 + the index in a list; 0 when name counts, which may be empty
}

// kept is a copy of the step in memory of its own, for what outlives the caller.
func (p pathStep) kept() *pathStep { return &p }

func (p *pathStep) String() string {
	if p == nil || p.up == nil {
		return ""
	}
	head := p.up.String()
	if p.entry > 0 {
		return head + "[" + strconv.Itoa(p.entry-1) + "]"
	}
	if head == "" {
		return beginning(p.name)
	}
	return head + "." + beginning(p.name)
}
