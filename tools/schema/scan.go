package schema

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

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
		d.fail(unexpected(d.data[d.pos:]))
	}
}

// unexpected returns the error for a text that begins no JSON value.
func unexpected(rest []byte) string {
	switch digit := len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9'; {
	case bytes.HasPrefix(rest, []byte("\ufeff")):
		return "the text begins with a byte order mark, which JSON does not have"
	case digit && rest[0] == '+':
		return "a number must not begin with a plus sign"
	case digit && rest[0] == '.':
		return "a number must begin with a digit: write 0 before the point"
	}
	return "a JSON value was expected (NaN and Infinity are not JSON)"
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
