package tools

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"slipstick/internal/text"
	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

// wrappers are member names in which clients sometimes wrap a complete input.
var wrappers = []string{
	"input", "inputs", "arguments", "args", "params", "parameters", "body", "data",
	"json", "request",
}

// isWrapper reports whether an unknown name of an object means the complete input.
func isWrapper(n *schema.Node, name string) bool {
	return n.Field(name) == nil && slices.Contains(wrappers, strings.ToLower(name))
}

// wrapsTwice reports whether a wrapper appears twice in an object.
func wrapsTwice(n *schema.Node, m map[string]any) bool {
	for name, v := range m {
		if _, twice := v.(*duplicate); twice && isWrapper(n, name) {
			return true
		}
	}
	return false
}

// setIncomplete records that it is unknown which fields of an object are missing.
func (r *reader) setIncomplete(path string) {
	if r.incomplete == nil {
		r.incomplete = map[string]bool{}
	}
	r.incomplete[parentOf(at(path, "x"))] = true
}

// object interprets an object. It unwraps the object, maps unknown members to fields and interprets
// each field.
func (r *reader) object(n *schema.Node, path string, v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		if inner, ok := list[0].(map[string]any); ok {
			r.note(path, "the only entry of the list is read as the object")
			v = inner
		}
	}
	if list, ok := v.([]any); ok && path == "" && !r.noGuess {
		v = r.positional(n, list)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if len(m) == 1 {
		for name, inner := range m {
			if !isWrapper(n, name) {
				break
			}
			if written, ok := inner.(string); ok {
				unpacked, err := r.unpack(n, name, "", written)
				if err != nil {
					r.addError(at(path, name), "must be an object (the text "+err.Error()+")")
					r.setIncomplete(path)
				}
				inner = unpacked
			}
			if object, ok := inner.(map[string]any); ok {
				r.note(at(path, name), "the fields within are read as the input's own")
				m = object
			}
		}
	}
	r.duplicates(path, m)
	if wrapsTwice(n, m) {
		r.setIncomplete(path)
	}
	if path == "" {
		r.top, r.members = n, m
		r.passedOn(n, m)
	}
	r.unitMembers(n, path, m)
	r.unknowns(n, path, m)
	r.impedances(n, path, m)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		f := n.Field(name)
		if f == nil || m[name] == nil {
			continue
		}
		if unit, ok := r.unitOf(n, path, f, m); ok {
			m[name] = r.value(&f.Node, at(path, name), unit, m[name])
		}
	}
	return m
}

// unitOf returns the unit of a field of an object. ok is false if another field determines it and
// has no valid value. This field is in the same object or at the top.
func (r *reader) unitOf(
	n *schema.Node, path string, f *schema.Field, m map[string]any,
) (unit string, ok bool) {
	if f.UnitFrom == nil {
		return f.Unit, true
	}
	name := f.UnitFrom.Field
	if n.Field(name) == nil {
		n, path, m = r.top, "", r.members
	}
	if n == nil || n.Field(name) == nil {
		return "", false
	}
	from := &n.Field(name).Node
	value, given := m[name]
	if given {
		value = r.value(from, at(path, name), "", value)
		m[name] = value
	}
	if other, has := r.others[name]; has && path == "" && (!given || string(other) == "null") {
		given = true
		_ = json.Unmarshal(other, &value) // valid JSON
	}
	if !given {
		_ = json.Unmarshal(from.Default, &value) // valid JSON
	}
	word, isText := value.(string)
	if !isText || !slices.Contains(from.Enum, word) {
		return "", false
	}
	return f.UnitFrom.Of(word), true
}

// positional interprets a list of values as the required fields in order. The result is a proposal.
func (r *reader) positional(n *schema.Node, list []any) any {
	m := map[string]any{}
	for _, f := range n.Fields {
		if f.Required && len(m) < len(list) {
			m[f.Name] = list[len(m)]
		}
	}
	if len(m) < len(list) {
		return list
	}
	r.guess("", "the list is read as the required fields in their order")
	return m
}

// named moves the value of an unknown member to the field whose name has the same meaning. It
// returns false if there is no such field.
func (r *reader) named(n *schema.Node, path string, m map[string]any, name string) bool {
	plain, shown := snake(name), at(path, text.Truncate(name, 60))
	if f := n.Field(plain); f != nil && isFree(m, f) {
		m[f.Name] = m[name]
		delete(m, name)
		r.note(shown, "read as %s", f.Name)
		r.renamed(path, f.Name, text.Truncate(name, 60))
		return true
	}
	f, ok := r.meant(n, m, name)
	return ok && f.sure && r.assign(f, path, m, name) ||
		r.nested(n, path, m, name, plain) || r.flattened(n, path, m, name)
}

// similar moves the value of an unknown member to the field with a similar name. The result is a
// proposal.
func (r *reader) similar(n *schema.Node, path string, m map[string]any, name string) {
	if path == "" {
		f, _ := r.linked(n, name)
		if f != nil && isFree(m, f) && r.assign(meaning{f, f.Unit, false}, path, m, name) {
			return
		}
	}
	if f, ok := r.meant(n, m, name); ok && r.assign(f, path, m, name) ||
		r.choice(n, path, m, name) {
		return
	}
	var names []string
	for _, f := range n.Fields {
		if isFree(m, f) && (f.Required || f.Alias == "") {
			names = append(names, f.Name)
		}
	}
	for _, word := range []string{snake(name), strings.Join(wordsOf(snake(name)), "_")} {
		near := Nearest(word, names, 1)
		if len(word) > 1 && len(near) > 0 && // a letter resembles any other
			r.assign(meaning{field: n.Field(near[0])}, path, m, name) {
			return
		}
	}
}

// choice moves the value of an unknown member to the only free field with a choice of words that
// has the value, as in "type": "inverting". A member that is true may have the word as its name, as
// in "three_phase": true. The result is a proposal. A member that describes the input is no choice.
// choice returns false if there is no such field, or more than one.
func (r *reader) choice(n *schema.Node, path string, m map[string]any, name string) bool {
	word, ok := m[name].(string)
	if chosen, isBoolean := m[name].(bool); isBoolean && chosen {
		word, ok = name, true
	}
	if !ok || slices.Contains(descriptive, snake(name)) {
		return false
	}
	var found *schema.Field
	for _, f := range n.Fields {
		isChoice := slices.ContainsFunc(f.Enum, func(e string) bool {
			return len(e) > 1 && squeezed(e) == squeezed(word)
		}) || synonym(text.Truncate(word, 60), f.Enum) != ""
		if !isChoice || !isFree(m, f) || f.Alias != "" {
			continue
		}
		if found != nil {
			return false
		}
		found = f
	}
	if found == nil {
		return false
	}
	m[name] = word
	return r.assign(meaning{field: found}, path, m, name)
}

// descriptive are names of members with any text.
var descriptive = strings.Fields(
	"name title label id note notes comment comments description question purpose reason")

// isFree reports whether an object lacks a value for a field.
func isFree(m map[string]any, f *schema.Field) bool {
	_, given := m[f.Name]
	return !given
}

// assign moves the value of an unknown member to the field that it means. It returns false if the
// unit in the name does not match.
func (r *reader) assign(to meaning, path string, m map[string]any, name string) bool {
	f, v := to.field, m[name]
	short := text.Truncate(name, 60)
	shown := at(path, short)
	number, bare := v.(json.Number)
	if written, ok := v.(string); ok && isNumber(&f.Node) {
		if written = strings.TrimSpace(written); f.Accepts([]byte(written)) {
			number, bare, v = json.Number(written), true, json.Number(written)
		}
	}
	hasUnit := f.Unit != "" && f.Unit != "1"
	percent, isFraction := fraction(number)
	isFraction = isFraction && bare && to.unit == "" && f.Unit == "%"
	sure := to.sure && (!bare || !hasUnit || to.unit != "" || isUsualUnit(f.Unit, number))
	if fits, _ := r.fits(f, v); r.fitting && !sure && !fits {
		return false
	}
	switch {
	case !sure && r.noGuess && !(to.sure && r.guessUnits),
		bare && to.unit == "" && r.statesOther(name, f):
		return false
	case bare && to.unit != "" && f.UnitFrom != nil: // converted when its unit is known
		v, bare = number.String()+" "+to.unit, false
	case bare && to.unit != "":
		value, err := r.convert(number.String()+to.unit, f.Unit)
		if to.unit == f.Unit {
			value, err = number.Float64()
		}
		if v = json.Number(strconv.FormatFloat(value, 'g', -1, 64)); err != nil {
			v = number.String() + to.unit // with its unit, so that it is an error there too
			bare = false
			r.problem(&f.Node, at(path, f.Name), number, " (the number "+cause(err)+")")
		}
	case isFraction:
		v = percent
		r.guess(shown, "%s, a fraction, is %s %%", number, percent)
	}
	delete(m, name)
	m[f.Name] = v
	r.renamed(path, f.Name, short)
	if !sure {
		r.uncertain = append(r.uncertain, at(path, f.Name))
	}
	switch {
	case sure && bare && to.unit != "":
		r.note(shown, "read as %s, %s %s", f.Name, v, f.Unit)
	case sure:
		r.note(shown, "read as %s", f.Name)
	case bare && hasUnit:
		r.guess(shown, "unknown; was %s meant, in %s?", f.Name, f.Unit)
	default:
		r.guess(shown, "unknown; was %s meant?", f.Name)
	}
	return true
}

// isUsualUnit reports whether a number without a unit is in the unit of a field because its
// quantity has no other usual unit. 1 % may be a fraction.
func isUsualUnit(unit string, number json.Number) bool {
	if v, err := number.Float64(); unit == "%" {
		return err == nil && v > 1
	}
	return slices.Contains([]string{"V", "B", "U", "year", "yr", "currency"}, unit)
}

// cause returns the error of a number without its value.
func cause(err error) string {
	if errors.Is(err, strconv.ErrRange) {
		return "is too large"
	}
	return err.Error()
}

// fraction converts a number between 0 and 1 to percent.
func fraction(number json.Number) (percent json.Number, ok bool) {
	v, err := number.Float64()
	if err != nil || v <= 0 || v >= 1 {
		return "", false
	}
	return json.Number(strconv.FormatFloat(v*100, 'g', 15, 64)), true
}

// unknowns interprets the unknown members of an object. Members named like a field come first. A
// text for the only missing required field follows because it is more probable than a similar name.
// The others come last.
func (r *reader) unknowns(n *schema.Node, path string, m map[string]any) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if n.Field(name) == nil && r.unsupported[at(path, name)] == "" &&
			len(names) < maxUnknownMembers && r.unknownNames < maxUnknowns {
			names = append(names, name)
			r.unknownNames++
		}
	}
	if len(names) == 0 {
		return
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return r.named(n, path, m, name)
	})
	r.appended(n, path, m)
	if r.noGuess {
		return
	}
	r.onlyMissing(n, path, m, func(f *schema.Field) bool { return f.Kind == schema.String })
	for _, name := range names {
		if _, left := m[name]; left {
			r.similar(n, path, m, name)
		}
	}
	// One of several unknown members can belong to a missing text field only by guess.
	r.onlyMissing(n, path, m, func(f *schema.Field) bool {
		return f.Kind != schema.String || len(names) == 1
	})
}

// onlyMissing moves the only unknown member to the only missing required field if the field accepts
// its value. The result is a proposal.
func (r *reader) onlyMissing(
	n *schema.Node, path string, m map[string]any, kind func(*schema.Field) bool,
) {
	var missing *schema.Field
	for _, f := range n.Fields {
		if !f.Required || !isFree(m, f) {
			continue
		}
		if missing != nil {
			return
		}
		missing = f
	}
	if missing == nil || !kind(missing) {
		return
	}
	name := ""
	for _, member := range slices.Sorted(maps.Keys(m))[:min(len(m), maxUnknownMembers)] {
		raw, err := json.Marshal(m[member])
		if n.Field(member) != nil || err != nil || !missing.Accepts(raw) {
			continue
		}
		if name != "" {
			return
		}
		name = member
	}
	if name != "" {
		r.assign(meaning{field: missing}, path, m, name)
	}
}

// snake converts a name in another convention (distKm, dist-km, Dist km) to snake case, the
// convention of the fields.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(strings.TrimSpace(name))
	for i, c := range runes {
		switch {
		case c == '-' || c == ' ' || c == '.' || c == '_':
			b.WriteByte('_')
		case unicode.IsUpper(c):
			isWord := i+1 < len(runes) && unicode.IsLower(runes[i+1]) // Ohm in z0Ohm
			if i > 0 && (unicode.IsLower(runes[i-1]) || isWord && unicode.IsDigit(runes[i-1])) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(c))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// isComplete reports whether an object has a member for each required field of a node.
func isComplete(n *schema.Node, m map[string]any) bool {
	return !slices.ContainsFunc(n.Fields, func(f *schema.Field) bool {
		return f.Required && isFree(m, f)
	})
}

// nested moves an unknown member into the first object, list of objects or required map that
// accepts it. It returns false if there is none, or if the member would replace another value. An
// optional object or entry needs a member for each of its required fields: an amount alone is no
// extra payment.
func (r *reader) nested(n *schema.Node, path string, m map[string]any, name, plain string) bool {
	for _, f := range n.Fields {
		inner := &f.Node
		if f.Kind == schema.Array {
			if f.MinItems > 1 { // a single value cannot fill a list of several entries
				continue
			}
			inner = f.Elem
		}
		known := inner.Kind == schema.Object && inner.Field(plain) != nil
		if f.Kind == schema.Map && f.Required {
			raw, err := json.Marshal(m[name])
			written, _ := m[name].(string)
			_, quantityErr := r.units.Quantity(written, quantity.AnyPrefix)
			known = err == nil && (f.Elem.Accepts(raw) || f.Elem.Kind == schema.Number &&
				quantityErr == nil)
		}
		if !known {
			continue
		}
		holder, ok := m[f.Name].(map[string]any)
		list, isList := m[f.Name].([]any)
		switch {
		case isList && len(list) == 1:
			holder, ok = list[0].(map[string]any)
			if !ok {
				return false
			}
		case m[f.Name] == nil:
			holder = map[string]any{}
			if !f.Required && !isComplete(inner, m) {
				continue
			}
			if m[f.Name] = holder; f.Kind == schema.Array {
				m[f.Name] = []any{holder}
			}
		case !ok:
			return false
		}
		if _, given := holder[plain]; given {
			return false
		}
		holder[plain] = m[name]
		delete(m, name)
		r.note(at(path, text.Truncate(name, 60)), "read as a field of %s", f.Name)
		return true
	}
	return false
}

// flattened moves the members of an unknown object to the enclosing object. It returns false unless
// all of them are fields of the enclosing object that have no value yet.
func (r *reader) flattened(n *schema.Node, path string, m map[string]any, name string) bool {
	object, ok := m[name].(map[string]any)
	if !ok || len(object) == 0 {
		return false
	}
	moved := map[string]any{}
	for member, v := range object {
		to := snake(member)
		_, given := m[to]
		_, twice := moved[to]
		if given || twice || n.Field(to) == nil { // a value must not replace another value
			return false
		}
		moved[to] = v
	}
	delete(m, name)
	maps.Copy(m, moved)
	r.note(at(path, text.Truncate(name, 60)), "the fields within are read as fields beside it")
	return true
}
