package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"slipstick/internal/text"
)

// FieldError is an error of one field of an input.
type FieldError struct {
	// Path is dotted, with indices: stages[1].nf_db. "" denotes the complete body.
	Path string `json:"path"`
	// Detail states the error and the allowed values for users.
	Detail string `json:"detail"`
	// Value is the given value, possibly shortened. It is nil if the field is absent.
	Value json.RawMessage `json:"value,omitempty"`
	// Line is the line number within a text of several lines, counted from 1. 0 means no particular
	// line.
	Line int `json:"line,omitempty"`
}

// Pointer returns the path as a JSON Pointer (RFC 6901): /stages/1/nf_db.
func (f FieldError) Pointer() string {
	if f.Path == "" {
		return ""
	}
	r := strings.NewReplacer("].", "/", "[", "/", "]", "", ".", "/")
	return "/" + r.Replace(strings.ReplaceAll(strings.ReplaceAll(f.Path, "~", "~0"), "/", "~1"))
}

// Sentence returns a sentence with the field, the line, the detail and a shortened value.
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

// shownValue is the maximum number of bytes that are quoted of an invalid value or unknown name.
const shownValue = 120

func shorten(raw []byte) json.RawMessage {
	if len(raw) <= shownValue {
		return append(json.RawMessage(nil), raw...)
	}
	b, _ := json.Marshal(beginning(string(raw)))
	return b
}

// beginning returns the part of a text that is quoted.
func beginning(s string) string { return text.Truncate(s, shownValue) }

// SyntaxError is returned for a body that is not a single JSON value in UTF-8. Offset is the
// position of the error.
type SyntaxError struct {
	Offset int // bytes
	Detail string
}

// Error implements the error interface.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Detail)
}

// pathStep is a position in the body. It is a linked list, so a valid body needs no path strings.
type pathStep struct {
	up    *pathStep
	name  string
	entry int // 1 + the index in a list; 0 for a member, whose name may be empty
}

// kept returns a copy of the step on the heap.
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
