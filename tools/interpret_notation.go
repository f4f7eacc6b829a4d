package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"slipstick/internal/text"
	"slipstick/tools/quantity"
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
		raw, _ := json.Marshal(given)           // JSON from the caller
		if _, isList := given.([]any); isList { // or values of two calls
			r.problem(&f.Node, at(path, f.Name), given, " (a list of 2 values was given)")
			r.guess(at(path, f.Name), "%s is a list; was %s %s Ω and %s %s Ω meant?", raw, f.Name,
				re, x.Name, im)
			continue
		}
		r.note(at(path, f.Name), "%s is read as %s %s Ω and %s %s Ω", raw, f.Name, re, x.Name, im)
	}
}

// errNotComplex is the error of a value that is no complex number.
var errNotComplex = errors.New("tools: no complex number")

// complexOf returns the parts of a complex number. It is a text, a list of two numbers, or an
// object with members such as r and x.
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
	if list, ok := v.([]any); ok && len(list) == 2 {
		re, okRe := list[0].(json.Number)
		im, okIm := list[1].(json.Number)
		if okRe && okIm {
			return re, im, nil
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

// unitOnly reports whether a name is that of a member with a unit alone. head is the word before
// "unit", which names the number: "distance" for distance_unit, and "" for units.
func unitOnly(name string) (head string, ok bool) {
	head, last, isLonger := cutLast(snake(name))
	if !isLonger {
		head, last = "", snake(name)
	}
	return head, last == "unit" || last == "units"
}

// continuesNumber matches a unit that would add digits to the number before it: 5 and "000 km".
var continuesNumber = regexp.MustCompile(`^[ .,'’_+−-]*\pN`)

// unitMembers moves units in members of their own, such as "units": "miles", behind the only number
// that they can belong to. If a number states another unit in its name, as freq_mhz does beside
// "freq_unit": "GHz", the number in the unit of the member is a proposal.
func (r *reader) unitMembers(n *schema.Node, path string, m map[string]any) {
	if len(m) > maxUnknownMembers { // because each unit is compared with each member
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		head, ok := unitOnly(name)
		unit, isText := m[name].(string)
		if !ok || !isText || n.Field(name) != nil || continuesNumber.MatchString(unit) {
			continue
		}
		var owners []string
		others := map[string]meaning{} // members in another unit
		for _, member := range slices.Sorted(maps.Keys(m)) {
			isNamed := head == "" || member == head ||
				m[head] == nil && intersects(wordsOf(head), wordsOf(snake(member)))
			if !isNamed {
				continue
			}
			switch to, takes := r.takesUnit(n, m, member, unit); {
			case takes:
				owners = append(owners, member)
			case to.field != nil:
				others[member] = to
			}
		}
		if r.unknownNames > maxUnknowns {
			return
		}
		switch {
		case len(owners) == 1:
			owner := owners[0]
			m[owner] = fmt.Sprint(m[owner], " ", unit)
			delete(m, name)
			r.note(at(path, name), "read as the unit of %s", text.Truncate(owner, 60))
		case len(owners) == 0 && (!r.noGuess || len(others) > 1):
			r.conflictingUnit(path, m, name, others)
		}
	}
}

// conflictingUnit proposes the number that a member with a unit alone means. others has the numbers
// in another unit to which it can belong. Several numbers are an error.
func (r *reader) conflictingUnit(
	path string, m map[string]any, name string, others map[string]meaning,
) {
	if len(others) > 1 {
		r.addError(at(path, name), "unknown; write the unit behind the number to which it belongs")
	}
	if len(others) != 1 {
		return
	}
	for member, to := range others {
		f, written := to.field, fmt.Sprint(m[member], " ", m[name])
		value, _ := r.quantity(written, f.Unit) // takesUnit has parsed it
		r.guess(at(path, name), "%s is in %s by its name; was %s, %s, meant?",
			text.Truncate(member, 60), to.unit, written,
			quantity.Join(numberOf(value).String(), f.Unit))
		delete(m, member)
		m[f.Name] = numberOf(value)
	}
	delete(m, name)
}

// takesUnit reports whether a member is a number without a unit to which a unit can belong. A
// member whose name states a unit takes no other one. other is then its meaning, if the unit is one
// of its quantity.
func (r *reader) takesUnit(
	n *schema.Node, m map[string]any, member, unit string,
) (other meaning, takes bool) {
	number, ok := bareNumber(m[member])
	if !ok {
		return other, false
	}
	to := meaning{field: n.Field(member)}
	if to.field != nil {
		_, to.unit = r.splitUnit(member, member, to.field)
	} else {
		given := m[member]
		// The unit distinguishes fields such as term_years and term_months.
		m[member] = number.String() + " " + unit
		to, ok = r.meant(n, m, member)
		m[member] = given
		if !ok {
			return other, false
		}
	}
	r.unknownNames++
	value, err := r.quantity(number.String()+" "+unit, to.field.Unit)
	// A voltage is a quantity, although the name of a field with it implies V.
	if err != nil || to.unit == "" || strings.HasSuffix(snake(member), "voltage") {
		return other, err == nil
	}
	stated, err := r.quantity(number.String()+" "+to.unit, to.field.Unit)
	if err == nil && stated != value {
		return to, false
	}
	return other, err == nil
}

// bareNumber returns a number or the number that a text consists of.
func bareNumber(v any) (number json.Number, ok bool) {
	switch v := v.(type) {
	case json.Number:
		return v, true
	case string:
		written := strings.TrimSpace(v)
		_, err := strconv.ParseFloat(written, 64)
		return json.Number(written), err == nil && json.Valid([]byte(written))
	}
	return "", false
}

// openUnit returns the name of an unknown member with a unit alone that belongs to no known number,
// or "". A correction without this unit would have another meaning.
func openUnit(n *schema.Node, m map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		unit, isText := m[name].(string)
		_, isObject := m[name].(map[string]any)
		isText = isText && !slices.Contains([]string{"", "metric", "si"}, squeezed(unit))
		if _, ok := unitOnly(name); ok && (isText || isObject) && n.Field(name) == nil {
			return text.Truncate(name, maxUnknownName)
		}
	}
	return ""
}

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
