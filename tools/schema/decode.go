package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth  = 64  // maximum nesting of arrays and objects
	maxFaults = 50  // maximum number of errors reported
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
	return Decoded{FieldErrors: d.faults, Unknown: d.unknown}, nil
}

// Duplicate is the detail of the error of a field that an object contains twice.
const Duplicate = "appears more than once"

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, w := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && w <= 1 {
			return i
		}
		i += w
	}
	return len(b)
}

type decoder struct {
	data    []byte
	pos     int
	depth   int
	syntax  *SyntaxError
	faults  []FieldError
	unknown []string
}

func (d *decoder) fail(detail string) {
	if d.syntax == nil {
		d.syntax = &SyntaxError{Offset: d.pos, Detail: detail}
	}
}

func (d *decoder) fault(at *pathStep, raw []byte, detail string) {
	if len(d.faults) < maxFaults {
		d.faults = append(d.faults, FieldError{Path: at.String(), Detail: detail,
			Value: shorten(raw)})
	}
}

func (d *decoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) peek() byte {
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
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
		d.fault(at.kept(), raw, detail)
	}
}

// scalar sets v from the literal text raw. It returns the detail of an error, or "".
func (n *Node) scalar(v reflect.Value, raw []byte) string {
	switch n.Kind {
	case Number, Integer:
		if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
			return "must be " + n.what() + n.gotType(raw)
		}
		if len(raw) > maxNumber {
			return fmt.Sprintf("must be %s of at most %d characters", n.what(), maxNumber)
		}
		x, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || math.IsInf(x, 0) {
			return "must be a number that fits a double (below 1.8e308)"
		}
		if n.Kind == Integer {
			if detail := notWhole(raw, x); detail != "" {
				return detail
			}
		}
		if detail := n.outside(x); detail != "" {
			return detail
		}
		if n.Kind == Integer {
			v.SetInt(int64(x))
		} else {
			v.SetFloat(x)
		}
	case String:
		if raw[0] != '"' {
			return "must be " + n.what() + n.gotType(raw)
		}
		s := unquote(raw)
		if detail := n.badString(s); detail != "" {
			return detail
		}
		v.SetString(s)
	case Boolean:
		switch string(raw) {
		case "true":
			v.SetBool(true)
		case "false":
			v.SetBool(false)
		default:
			return "must be true or false" + n.gotType(raw)
		}
	case Any:
		var x any
		if err := json.Unmarshal(raw, &x); err != nil {
			return "holds a number that does not fit a double"
		}
		if x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case CustomT:
		if err := v.Addr().Interface().(FieldDecoder).DecodeField(raw); err != nil {
			return err.Error()
		}
	default:
		return "must be " + n.what() + n.gotType(raw)
	}
	return ""
}

func (n *Node) what() string {
	switch n.Kind {
	case Object, Map:
		return "an object"
	case Array:
		return "an array"
	case Integer:
		return "a whole number"
	case String:
		if len(n.Enum) > 0 {
			return "one of " + strings.Join(n.Enum, ", ")
		}
		return "a string"
	default:
		return "a " + string(n.Kind)
	}
}

func (n *Node) gotType(raw []byte) string {
	switch raw[0] {
	case '"':
		return " (a string was given)"
	case '{':
		return " (an object was given)"
	case '[':
		return " (an array was given)"
	case 't', 'f':
		return " (a boolean was given)"
	case 'n':
		return " (null was given)"
	default:
		return " (a number was given)"
	}
}

func (n *Node) outside(x float64) string {
	bad := n.Min != nil && x < *n.Min || n.Max != nil && x > *n.Max || n.GT != nil && x <= *n.GT ||
		n.LT != nil && x >= *n.LT
	if !bad {
		return ""
	}
	return "must be " + n.Range()
}

// Range describes the valid range of a number in words: "greater than 0 and at most 300". It
// returns "" if there is no limit.
func (n *Node) Range() string {
	var lo, hi string
	switch {
	case n.GT != nil:
		lo = "greater than " + trim(*n.GT)
	case n.Min != nil:
		lo = "at least " + trim(*n.Min)
	}
	switch {
	case n.LT != nil:
		hi = "less than " + trim(*n.LT)
	case n.Max != nil:
		hi = "at most " + trim(*n.Max)
	}
	if n.Min != nil && n.Max != nil && n.GT == nil && n.LT == nil {
		return trim(*n.Min) + " to " + trim(*n.Max)
	}
	if lo != "" && hi != "" {
		return lo + " and " + hi
	}
	return lo + hi
}

// trim formats a bound, with an exponent only if it is very large or small.
func trim(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e10) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func (n *Node) badString(s string) string {
	if len(n.Enum) > 0 {
		for _, e := range n.Enum {
			if s == e {
				return ""
			}
		}
		return "must be one of " + strings.Join(n.Enum, ", ")
	}
	if n.MinLength > 0 || n.MaxLength > 0 {
		count := utf8.RuneCountInString(s)
		if n.MaxLength > 0 && count > n.MaxLength {
			return fmt.Sprintf("must have at most %d characters, has %d", n.MaxLength, count)
		}
		if count < n.MinLength {
			if n.MinLength == 1 {
				return "must not be empty"
			}
			return fmt.Sprintf("must have at least %d characters, has %d", n.MinLength, count)
		}
	}
	if n.pattern != nil && !n.pattern.MatchString(s) {
		return "must match " + n.Pattern
	}
	return ""
}

// unquote decodes a string literal that skip has validated.
func unquote(raw []byte) string { return string(unquoted(raw)) }

// unquoted is the variant of unquote that does not copy a text without escapes.
func unquoted(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	_ = json.Unmarshal(raw, &s)
	return []byte(s)
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

// members calls each for every member of the object at pos. During the call, pos is at the value of
// the member.
func (d *decoder) members(each func(key []byte)) {
	if !d.enter() {
		return
	}
	d.space()
	if d.peek() == '}' {
		d.pos++
		d.depth--
		return
	}
	for {
		d.space()
		if d.peek() != '"' {
			d.fail("a field name in double quotes was expected")
			return
		}
		start := d.pos
		if d.skipString(); d.syntax != nil {
			return
		}
		key := unquoted(d.data[start:d.pos])
		d.space()
		if d.peek() != ':' {
			d.fail("':' was expected after a field name")
			return
		}
		d.pos++
		d.space()
		if each(key); d.syntax != nil {
			return
		}
		d.space()
		switch d.peek() {
		case ',':
			d.pos++
		case '}':
			d.pos++
			d.depth--
			return
		default:
			d.fail("',' or '}' was expected")
			return
		}
	}
}

func (d *decoder) object(n *Node, v reflect.Value, at *pathStep) {
	var seen, given [4]uint64 // one bit per field
	var others map[string]bool
	d.members(func(key []byte) {
		f := n.byName[string(key)]
		if f == nil {
			key := string(key)
			if others[key] {
				d.fault(&pathStep{up: at, name: key}, nil, Duplicate)
			}
			if len(d.unknown) < maxFaults {
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
			d.fault(step.kept(), nil, Duplicate)
			d.skip()
			return
		}
		seen[f.slot>>6] |= bit
		if d.peek() == 'n' {
			start := d.pos
			d.skip()
			if d.syntax == nil && f.Required {
				given[f.slot>>6] |= bit
				d.fault(step.kept(), d.data[start:d.pos], "is required, null does not count")
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
			d.fault(&pathStep{up: at, name: f.Name}, nil, "is required"+f.hint())
		}
	}
}

// hint describes the value that a missing field requires.
func (f *Field) hint() string {
	var parts []string
	if f.Kind != CustomT {
		parts = append(parts, f.what())
	}
	if r := f.Range(); r != "" {
		parts = append(parts, r)
	}
	if f.Unit != "" && f.Unit != "1" {
		parts = append(parts, "in "+f.Unit)
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func (d *decoder) mapping(n *Node, v reflect.Value, at *pathStep) {
	start := d.pos
	v.Set(reflect.MakeMap(n.goType))
	d.members(func(key []byte) {
		step := pathStep{up: at, name: string(key)}
		k := reflect.ValueOf(step.name)
		if v.MapIndex(k).IsValid() {
			d.fault(step.kept(), nil, Duplicate)
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
		d.fault(at, d.data[start:d.pos],
			fmt.Sprintf("needs at least %s, has %d", entries(n.MinItems), count))
	}
	if n.MaxItems > 0 && count > n.MaxItems {
		d.fault(at, nil, fmt.Sprintf("takes at most %s, has %d", entries(n.MaxItems), count))
	}
}

// entries returns a count with its noun.
func entries(count int) string {
	if count == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", count)
}

// skip skips a JSON value and validates its syntax.
func (d *decoder) skip() {
	switch c := d.peek(); {
	case c == '{':
		d.members(func([]byte) { d.skip() })
	case c == '[':
		if !d.enter() {
			return
		}
		d.space()
		if d.peek() == ']' {
			d.pos++
			d.depth--
			return
		}
		for {
			d.space()
			if d.skip(); d.syntax != nil {
				return
			}
			d.space()
			if d.peek() == ',' {
				d.pos++
				continue
			}
			if d.peek() != ']' {
				d.fail("',' or ']' was expected")
				return
			}
			d.pos++
			d.depth--
			return
		}
	case c == '"':
		d.skipString()
	case c == '-' || c >= '0' && c <= '9':
		d.skipNumber()
	case c == 't':
		d.word("true")
	case c == 'f':
		d.word("false")
	case c == 'n':
		d.word("null")
	case d.pos >= len(d.data):
		d.fail("the text ends too early")
	default:
		d.fail("a JSON value was expected (NaN and Infinity are not JSON)")
	}
}

func (d *decoder) word(w string) {
	if !bytes.HasPrefix(d.data[d.pos:], []byte(w)) {
		d.fail("a JSON value was expected (NaN and Infinity are not JSON)")
		return
	}
	d.pos += len(w)
}

func (d *decoder) skipNumber() {
	digits := func() bool {
		start := d.pos
		for d.pos < len(d.data) && d.data[d.pos] >= '0' && d.data[d.pos] <= '9' {
			d.pos++
		}
		return d.pos > start
	}
	if d.peek() == '-' {
		d.pos++
	}
	switch {
	case d.peek() == '0':
		d.pos++
	case !digits():
		d.fail("a digit was expected (NaN and Infinity are not JSON)")
		return
	}
	if d.peek() == '.' {
		d.pos++
		if !digits() {
			d.fail("a digit was expected after the point")
			return
		}
	}
	if c := d.peek(); c == 'e' || c == 'E' {
		d.pos++
		if c := d.peek(); c == '+' || c == '-' {
			d.pos++
		}
		if !digits() {
			d.fail("a digit was expected in the exponent")
		}
	}
}

func (d *decoder) skipString() {
	d.pos++
	for d.pos < len(d.data) {
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			return
		case c < ' ':
			d.fail("a control character inside a string must be escaped")
			return
		case c == '\\':
			if !d.escape() {
				d.fail("bad escape in a string")
				return
			}
		default:
			d.pos++
		}
	}
	d.fail("a string is not closed")
}

func (d *decoder) escape() bool {
	if d.pos+1 >= len(d.data) {
		return false
	}
	switch d.data[d.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		d.pos += 2
		return true
	case 'u':
		if d.pos+6 > len(d.data) {
			return false
		}
		_, err := strconv.ParseUint(string(d.data[d.pos+2:d.pos+6]), 16, 16)
		d.pos += 6
		return err == nil
	}
	return false
}
