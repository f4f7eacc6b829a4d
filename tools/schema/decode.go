package schema

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth  = 64  // maximum nesting of arrays and objects
	maxErrors = 50  // maximum number of errors reported
	maxNumber = 400 // maximum characters of a number in an ordinary numeric field
)

// Decoded contains the field errors and the unknown fields that Decode finds. The values are in
// the struct to which dst points.
type Decoded struct {
	FieldErrors []FieldError // errors of invalid fields, at most 50; empty for a valid input
	Unknown     []string     // paths of unknown fields, at most 50
}

// Decode decodes a JSON object into dst, a pointer to the struct from which the Node was compiled.
// It applies defaults and continues after an invalid field, so it reports up to 50 field errors. It
// returns a *SyntaxError if the body is not a single JSON value in UTF-8. The caller must not use
// dst if Decode returns an error or any field error.
func (n *Node) Decode(body []byte, dst any) (Decoded, error) {
	d := decoder{data: body}
	if !utf8.Valid(body) {
		return Decoded{}, &SyntaxError{Offset: invalidUTF8(body), Detail: "the text is not UTF-8"}
	}
	d.space()
	if d.pos == len(d.data) {
		return Decoded{}, &SyntaxError{
			Offset: d.pos, Detail: "the body is empty; send a JSON object, {} at the least",
		}
	}
	d.value(n, reflect.ValueOf(dst).Elem(), pathStep{})
	d.space()
	if d.syntax == nil && d.pos < len(d.data) {
		d.fail("unexpected text after the JSON value")
	}
	if d.syntax != nil {
		return Decoded{}, d.syntax
	}
	return Decoded{FieldErrors: d.errs, Unknown: d.unknown}, nil
}

// Duplicate is the detail of the error of a field that an object contains twice.
const Duplicate = "appears more than once"

// Missing is the beginning of the detail of the error of a required field without a value.
const Missing = "is required"

type decoder struct {
	data    []byte
	pos     int
	depth   int
	syntax  *SyntaxError
	errs    []FieldError
	unknown []string
}

func (d *decoder) fail(detail string) {
	if d.syntax == nil {
		d.syntax = &SyntaxError{Offset: d.pos, Detail: detail}
	}
}

func (d *decoder) addError(at *pathStep, raw []byte, detail string) {
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, FieldError{Path: at.String(), Detail: detail,
			Value: shorten(raw)})
	}
}

// value decodes the JSON value at pos into v, which is settable and has the Go type of the node.
// The path step is passed by value because only lists, objects and errors need it on the heap.
func (d *decoder) value(n *Node, v reflect.Value, at pathStep) {
	c := d.peek()
	switch n.Kind {
	case Object:
		if c == '{' {
			d.object(n, v, at.kept())
			return
		}
	case Map:
		if c == '{' {
			d.mapping(n, v, at.kept())
			return
		}
	case Array:
		if c == '[' {
			d.array(n, v, at.kept())
			return
		}
	}
	start := d.pos
	d.skip()
	if d.syntax != nil {
		return
	}
	raw := d.data[start:d.pos]
	if detail := n.scalar(v, raw); detail != "" {
		d.addError(at.kept(), raw, detail)
	}
}

func (d *decoder) enter() bool {
	d.pos++
	d.depth++
	if d.depth > maxDepth {
		d.fail(fmt.Sprintf("nested deeper than %d levels", maxDepth))
		return false
	}
	return true
}

func (d *decoder) object(n *Node, v reflect.Value, at *pathStep) {
	var seen, given [4]uint64 // one bit per field
	var others map[string]bool
	d.members(func(key []byte) {
		f := n.byName[string(key)]
		if f == nil {
			key := string(key)
			if others[key] {
				d.addError(&pathStep{up: at, name: key}, nil, Duplicate)
			}
			if len(d.unknown) < maxErrors {
				d.unknown = append(d.unknown, (&pathStep{up: at, name: key}).String())
			}
			if others == nil {
				others = map[string]bool{}
			}
			others[key] = true
			d.skip()
			return
		}
		bit := uint64(1) << (f.slot & 63)
		step := pathStep{up: at, name: f.Name}
		if seen[f.slot>>6]&bit != 0 {
			d.addError(step.kept(), nil, Duplicate)
			d.skip()
			return
		}
		seen[f.slot>>6] |= bit
		if d.peek() == 'n' {
			start := d.pos
			d.skip()
			if d.syntax == nil && f.Required {
				given[f.slot>>6] |= bit
				d.addError(step.kept(), d.data[start:d.pos], "is required, null does not count"+
					f.hint())
			}
			return
		}
		given[f.slot>>6] |= bit
		fv := v.FieldByIndex(f.index)
		if f.pointer {
			fv.Set(reflect.New(f.goType))
			fv = fv.Elem()
		}
		d.value(&f.Node, fv, step)
	})
	if d.syntax != nil {
		return
	}
	for _, f := range n.Fields {
		if given[f.slot>>6]&(1<<(f.slot&63)) != 0 {
			continue
		}
		switch {
		case f.Default != nil:
			fv := v.FieldByIndex(f.index)
			if f.pointer {
				fv.Set(reflect.New(f.goType))
				fv = fv.Elem()
			}
			f.setDefault(fv)
		case f.Required:
			d.addError(&pathStep{up: at, name: f.Name}, nil, Missing+f.hint())
		}
	}
}

// hint describes the value that a missing field requires.
func (f *Field) hint() string {
	required := f.Requirement()
	if required == "" {
		return ""
	}
	return ": " + required
}

// Requirement describes the valid values in words: "a number, greater than 0, in MHz". It returns
// "" for a type with its own decoder, without range and unit.
func (n *Node) Requirement() string {
	var parts []string
	if n.Kind != CustomT {
		parts = append(parts, n.what())
	}
	if r := n.Range(); r != "" {
		parts = append(parts, r)
	}
	if n.Unit != "" && n.Unit != "1" {
		parts = append(parts, "in "+n.Unit)
	}
	return strings.Join(parts, ", ")
}

func (d *decoder) mapping(n *Node, v reflect.Value, at *pathStep) {
	start := d.pos
	v.Set(reflect.MakeMap(n.goType))
	d.members(func(key []byte) {
		step := pathStep{up: at, name: string(key)}
		k := reflect.ValueOf(step.name)
		if v.MapIndex(k).IsValid() {
			d.addError(step.kept(), nil, Duplicate)
			d.skip()
			return
		}
		v.SetMapIndex(k, d.elem(n, step))
	})
	d.checkCount(n, v.Len(), start, at)
}

// elem decodes an item of a list or a value of a map.
func (d *decoder) elem(n *Node, at pathStep) reflect.Value {
	e := reflect.New(n.Elem.goType)
	if !n.NullableElem {
		d.value(n.Elem, e.Elem(), at)
		return e.Elem()
	}
	if d.peek() == 'n' {
		d.skip()
		return reflect.Zero(e.Type())
	}
	d.value(n.Elem, e.Elem(), at)
	return e
}

func (d *decoder) array(n *Node, v reflect.Value, at *pathStep) {
	start := d.pos
	if !d.enter() {
		return
	}
	count := 0
	v.Set(reflect.MakeSlice(n.goType, 0, 4))
	d.space()
	if d.peek() == ']' {
		d.pos++
		d.depth--
		d.checkCount(n, 0, start, at)
		return
	}
	for {
		d.space()
		if n.MaxItems > 0 && count >= n.MaxItems {
			d.skip() // counted but not stored, which bounds the memory of a long list
		} else {
			v.Set(reflect.Append(v, d.elem(n, pathStep{up: at, entry: count + 1})))
		}
		count++
		if d.syntax != nil {
			return
		}
		d.space()
		switch d.peek() {
		case ',':
			d.pos++
		case ']':
			d.pos++
			d.depth--
			d.checkCount(n, count, start, at)
			return
		default:
			d.fail("',' or ']' was expected")
			return
		}
	}
}

func (d *decoder) checkCount(n *Node, count, start int, at *pathStep) {
	if d.syntax != nil {
		return
	}
	if count < n.MinItems {
		d.addError(at, d.data[start:d.pos],
			fmt.Sprintf("needs at least %s, has %d", entries(n.MinItems), count))
	}
	if n.MaxItems > 0 && count > n.MaxItems {
		d.addError(at, nil, fmt.Sprintf("takes at most %s, has %d", entries(n.MaxItems), count))
	}
}

// entries returns a count with its noun.
func entries(count int) string {
	if count == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", count)
}
