package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"slipstick/tools/schema"
)

var (
	// multiples matches an amount of money in thousands or millions, and cents one in hundredths.
	multiples = regexp.MustCompile(`^([+-]?\d[\d.,]*) ?([kKM]|thousand|million)$`)
	cents     = regexp.MustCompile(`^([+-]?\d[\d.,]*) ?(?:¢|cts?|cents?)$`)
)

// amount parses an amount of money, which may have its currency, a multiple or the unit of a price.
func (r *reader) amount(written, unit string) (float64, error) {
	number := strings.ReplaceAll(written, " per ", "/")
	number = strings.TrimSpace(strings.TrimSuffix(number, strings.TrimPrefix(unit, "currency")))
	if m := cents.FindStringSubmatch(number); m != nil {
		value, err := r.units.Quantity(m[1], unit)
		return value / 100, err
	}
	number = currencies.ReplaceAllString(number, "$1")
	m := multiples.FindStringSubmatch(number)
	if m == nil {
		return r.units.Quantity(number, unit)
	}
	value, err := r.units.Quantity(m[1], unit)
	if m[2] == "M" || m[2] == "million" {
		return rounded15(value * 1e6), err
	}
	return rounded15(value * 1e3), err
}

// dataRate matches a number with a prefix of bits or bytes, per second or not.
var dataRate = regexp.MustCompile(`^(.*\d) ?([kKMGT])(b|B|bit)(/s|ps)?$`)

// rate parses a data rate for a field in bits or bytes per second, and converts one to the other. A
// rate in the field's own kind may lack "per second", as in a link of 100 Mb.
func (r *reader) rate(written, unit string) (float64, error) {
	m := dataRate.FindStringSubmatch(written)
	own, takesBytes := strings.CutSuffix(unit, "B/s")
	if takesBytes {
		own += "bit/s"
	}
	if m == nil || m[4] == "" && takesBytes != (m[3] == "B") {
		return r.units.Quantity(written, unit)
	}
	value, err := r.units.Quantity(m[1]+" "+m[2]+"bit/s", own)
	if m[3] == "B" {
		value *= 8
	}
	if takesBytes {
		value /= 8
	}
	return value, err
}

// bitsOnly matches a number of bits. Lower-case text such as mb is no statement about bits, because
// its prefix is no correct one either.
var bitsOnly = regexp.MustCompile(`\d ?[kKMGT]i?b$`)

// mistakenBits returns an error for a number of bits given for a field in bytes.
func mistakenBits(written, unit string) error {
	if unit != "dB" && strings.HasSuffix(unit, "B") && bitsOnly.MatchString(written) {
		b := len(written) - 1
		return fmt.Errorf("has bits; write %sB for bytes", written[:b])
	}
	return nil
}

// bytesOf returns the number of bytes that a number of bits probably means, or 0.
func (r *reader) bytesOf(written, unit string) float64 {
	value, err := r.units.Quantity(written[:len(written)-1]+"B", unit)
	if err != nil {
		return 0
	}
	return value
}

// complexNumber matches a complex number such as 25-j40, 25 - 40j and j10.
var complexNumber = regexp.MustCompile(`^(?:([+-]?\d+(?:\.\d+)?) ?([+-])|([+-]?)) ?` +
	`(?:[ij] ?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?) ?[ij])(?: ?(?:Ω|[oO]hms?))?$`)

// impedances divides complex values of resistances into resistance and reactance, if the object has
// a field for each and the reactance is free.
func (r *reader) impedances(n *schema.Node, path string, m map[string]any) {
	for _, f := range n.Fields {
		head, ok := strings.CutSuffix(f.Name, "_r_ohm")
		x := n.Field(head + "_x_ohm")
		if !ok || x == nil || !isFree(m, x) {
			continue
		}
		given := m[f.Name]
		re, im, err := complexOf(given)
		if err != nil {
			continue
		}
		m[f.Name], m[x.Name] = re, im
		raw, _ := json.Marshal(given) // JSON from the caller
		r.note(at(path, f.Name), "%s is read as %s %s Ω and %s %s Ω", raw, f.Name, re, x.Name, im)
	}
}

// errNotComplex is the error of a value that is no complex number.
var errNotComplex = errors.New("tools: no complex number")

// complexOf returns the parts of a complex number. It is a text, or an object with members such as
// r and x.
func complexOf(v any) (re, im json.Number, err error) {
	if m, ok := v.(map[string]any); ok && len(m) == 2 {
		for _, names := range [][2]string{{"r", "x"}, {"re", "im"}, {"real", "imag"},
			{"resistance", "reactance"}, {"r_ohm", "x_ohm"}} {
			re, okRe := m[names[0]].(json.Number)
			im, okIm := m[names[1]].(json.Number)
			if okRe && okIm {
				return re, im, nil
			}
		}
	}
	written, _ := v.(string)
	parts := complexNumber.FindStringSubmatch(strings.ReplaceAll(written, "−", "-"))
	if parts == nil {
		return "", "", errNotComplex
	}
	a, _ := strconv.ParseFloat(cmp.Or(parts[1], "0"), 64)
	b, _ := strconv.ParseFloat(parts[2]+parts[3]+parts[4]+parts[5], 64)
	return numberOf(a), numberOf(b), nil
}

// numberOf returns a number as JSON.
func numberOf(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'g', -1, 64)) }

// tails maps fields to unknown names whose values belong to the end of the field's text.
var tails = map[string][]string{
	"cidr": {"mask", "netmask", "subnet_mask", "prefix", "prefix_length", "prefix_len"},
}

// appended moves the value of an unknown member to the end of the text to which it belongs, such as
// a netmask behind its address.
func (r *reader) appended(n *schema.Node, path string, m map[string]any) {
	for field, names := range tails {
		head, ok := m[field].(string)
		if n.Field(field) == nil || !ok || strings.ContainsAny(strings.TrimSpace(head), "/ ") {
			continue
		}
		for _, name := range names {
			var tail string
			switch v := m[name].(type) {
			case json.Number:
				tail = "/" + v.String()
			case string:
				tail = " " + strings.TrimSpace(v)
				if strings.HasPrefix(tail, " /") {
					tail = tail[1:]
				}
			}
			if len(tail) < len("/8") {
				continue
			}
			delete(m, name)
			m[field] = strings.TrimSpace(head) + tail
			r.note(at(path, name), "read as the end of %s, %q", field, m[field])
			break
		}
	}
}
