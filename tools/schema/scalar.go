package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	return "must be " + n.Range() + n.unitOfRange()
}

// unitOfRange returns the symbol of the unit of the limits, after a space. It returns "" if zero is
// the only limit, without a unit, and for units in words such as currency and year.
func (n *Node) unitOfRange() string {
	isZero := !slices.ContainsFunc([]*float64{n.Min, n.Max, n.GT, n.LT}, func(x *float64) bool {
		return x != nil && *x != 0
	})
	if isZero || n.Unit == "" || strings.HasPrefix(n.Unit, "1") || unitWord.MatchString(n.Unit) {
		return ""
	}
	return " " + n.Unit
}

// unitWord matches units that contain a word instead of a symbol.
var unitWord = regexp.MustCompile(`[a-z]{4}`)

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
