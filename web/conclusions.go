package web

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// conclusion is a sentence about the meaning of a result. The page shows it above the values. It
// applies only if every field in braces in Text has a value; {solutions.0.q} is the field q of the
// first of the solutions. With Unlike, the fields If and Unlike
// must also differ. Otherwise the field If must have the value Is (a boolean or a text), or be at
// least Min and below Below.
type conclusion struct {
	If     string   `json:"if,omitempty"` // empty: no condition
	Is     string   `json:"is,omitempty"`
	Min    *float64 `json:"min,omitempty"`
	Below  *float64 `json:"below,omitempty"`
	Unlike string   `json:"unlike,omitempty"`
	Text   string   `json:"text"`
	Tone   tone     `json:"tone,omitempty"`
}

// tone selects the colour of a conclusion. The words convey the same information.
type tone string

const (
	good    tone = "good"
	bad     tone = "bad"
	neutral tone = ""
)

// statement is a conclusion with values inserted.
type statement struct {
	Text string
	Tone tone
}

func is(field, value, text string, t tone) conclusion {
	return conclusion{If: field, Is: value, Text: text, Tone: t}
}

func atLeast(field string, limit float64, text string, t tone) conclusion {
	return conclusion{If: field, Min: &limit, Text: text, Tone: t}
}

func below(field string, limit float64, text string, t tone) conclusion {
	return conclusion{If: field, Below: &limit, Text: text, Tone: t}
}

func always(text string) conclusion { return conclusion{Text: text} }

// conclusionsOf returns the conclusions of a tool. The page shows the first that applies.
func conclusionsOf(category, tool string) []conclusion {
	switch category {
	case "rf":
		return rfConclusions(tool)
	case "mesh":
		return meshConclusions(tool)
	case "homelab":
		return homelabConclusions(tool)
	case "power":
		return powerConclusions(tool)
	case "pcb":
		return pcbConclusions(tool)
	case "general":
		return generalConclusions(tool)
	}
	return nil
}

// namedField matches a field in the text of a conclusion.
var namedField = regexp.MustCompile(`\{([a-z0-9_.]+)\}`)

// conclude returns the first conclusion of a tool that applies to a result, or nil. result.js
// implements the same rule.
func (s *Site) conclude(t *Tool, result map[string]json.RawMessage) *statement {
	for _, c := range t.Conclusions {
		if !c.holds(result) {
			continue
		}
		isComplete := true
		text := namedField.ReplaceAllStringFunc(c.Text, func(name string) string {
			f, raw := valueAt(t.Output, result, strings.Trim(name, "{}"))
			if !hasValue(raw) {
				isComplete = false
				return ""
			}
			f = f.in(result)
			return brief(f, s.cell(f, raw))
		})
		if isComplete {
			return &statement{text, c.Tone}
		}
	}
	return nil
}

// valueAt returns the field and the value at a path such as solutions.0.q.
func valueAt(
	fields []Field, object map[string]json.RawMessage, path string,
) (Field, json.RawMessage) {
	name, rest, _ := strings.Cut(path, ".")
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, nil
	}
	f, raw := fields[i], object[name]
	if rest == "" {
		return f, raw
	}
	index, inner, isRow := strings.Cut(rest, ".")
	if f.Kind != Rows || !isRow {
		return valueAt(f.Fields, objectOf(raw), rest)
	}
	var rows []map[string]json.RawMessage
	_ = json.Unmarshal(raw, &rows)
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 || n >= len(rows) {
		return f, nil
	}
	return valueAt(f.Fields, rows[n], inner)
}

func (c conclusion) holds(result map[string]json.RawMessage) bool {
	if c.If == "" {
		return true
	}
	raw := string(result[c.If])
	if c.Unlike != "" {
		return hasValue(result[c.If]) && raw != string(result[c.Unlike])
	}
	if c.Is != "" {
		return strings.Trim(raw, `"`) == c.Is
	}
	v, err := strconv.ParseFloat(raw, 64)
	return err == nil && (c.Min == nil || v >= *c.Min) && (c.Below == nil || v < *c.Below)
}

func hasValue(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
