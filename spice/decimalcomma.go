package spice

import (
	"errors"
	"strings"

	"slipstick/spice/diag"
)

// explainDecimalComma adds a hint to each error about a line of the netlist that has a number with
// a decimal comma.
func explainDecimalComma(err error, netlist string) error {
	d, ok := errors.AsType[*diag.Error](err)
	if !ok {
		return err
	}
	lines := strings.Split(netlist, "\n")
	list := d.All()
	for k, e := range list {
		if e.Line < 1 || e.Line > len(lines) {
			continue
		}
		switch e.Code {
		case diag.Syntax, diag.BadExpression, diag.BadNumber, diag.BadValue, diag.MissingValue:
		default:
			continue
		}
		if number := decimalComma(lines[e.Line-1]); number != "" {
			with := *e
			with.Detail += "; " + number + " is two values: a decimal point is written " +
				strings.Replace(number, ",", ".", 1)
			list[k] = &with
		}
	}
	first := *list[0]
	first.Also = list[1:]
	return &first
}

// decimalComma returns the first number of a line with a decimal comma, such as 4,7k. It returns ""
// if there is none, or if the line may have points or nodes in pairs.
func decimalComma(line string) string {
	low := strings.ToLower(line)
	for _, pairs := range []string{"pwl", "table", "poly"} {
		if strings.Contains(low, pairs) {
			return ""
		}
	}
	for _, field := range strings.FieldsFunc(line, func(r rune) bool {
		return strings.ContainsRune(" \t\r={}'\"", r)
	}) {
		whole, rest, found := strings.Cut(field, ",")
		_, isNumber := leadingDigits(rest)
		if n, digits := leadingDigits(strings.TrimLeft(whole, "+-")); found && digits && isNumber &&
			n == "" && !strings.Contains(rest, ",") {
			return field
		}
	}
	return ""
}

// leadingDigits returns s without its leading decimal digits, and whether there are any.
func leadingDigits(s string) (rest string, found bool) {
	rest = strings.TrimLeft(s, "0123456789")
	return rest, len(rest) < len(s)
}
