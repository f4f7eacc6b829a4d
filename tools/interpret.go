package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

// Interpretation is an input read in another way than it is written.
type Interpretation struct {
	Input json.RawMessage // valid for the tool, apart from rules that span fields
	Notes []string        // one sentence per change, and one with the number of those left out
	// Sure says that every change only undoes a habit of writing: a unit, a case, a wrapping.
	// Otherwise a name or a value is guessed: the input is a proposal, not to be run.
	Sure bool
}

// Interpret reads an input that Run rejects as its sender probably meant it: numbers with a prefix
// or a unit, names and words in another case, wrapped, flattened or misspelt fields. ok is false
// where nothing is to be changed, or where the changed input is not valid either.
func (t *Tool) Interpret(body []byte) (i Interpretation, ok bool) {
	units, err := quantity.New()
	if err != nil || len(body) > maxInterpretedBytes {
		return i, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return i, false
	}
	r := reader{units: units, sure: true}
	v = r.value(t.Input, "", "", v)
	if len(r.notes) == 0 {
		return i, false
	}
	i.Input, err = json.Marshal(v)
	if err != nil {
		return i, false
	}
	if _, err := t.Canonical(i.Input); err != nil {
		return Interpretation{}, false
	}
	i.Notes, i.Sure = r.notes, r.sure
	if r.more > 0 {
		i.Notes = append(i.Notes, fmt.Sprintf("input: %d more changes are not listed", r.more))
	}
	return i, true
}

// Bounds of an interpretation: the sender chooses the size of the input.
const (
	maxInterpretedBytes = 256 << 10
	maxNotes            = 20
	maxValues           = 2000 // that are looked at because they are not valid
	maxUnknownMembers   = 100  // of an object
)

// Interpreted returns an input as Run takes it: the input itself where it is valid, else its
// interpretation, with a note per change. The error is an *InputError; where the interpretation is
// not sure, it has the corrected input.
func (t *Tool) Interpreted(body []byte) (read json.RawMessage, notes []string, err error) {
	_, err = t.Canonical(body)
	input := AsInputError(err)
	if err == nil || input == nil {
		return body, nil, err
	}
	i, ok := t.Interpret(body)
	switch {
	case !ok:
		return nil, nil, err
	case !i.Sure:
		return nil, nil, &InputError{Fields: input.Fields, Corrected: i.Input}
	}
	return i.Input, i.Notes, nil
}

// RunInterpreted is Run for callers who write as people do: the command line and models. An input
// that is not valid is interpreted; the warnings of the result name every change.
func (t *Tool) RunInterpreted(ctx context.Context, body []byte) (json.RawMessage, error) {
	result, err := t.Run(ctx, body)
	if err == nil {
		return AppendWarnings(result, t.Implausible(body)), nil
	}
	if AsInputError(err) == nil {
		return result, err
	}
	read, notes, readErr := t.Interpreted(body)
	if readErr != nil {
		return nil, readErr
	}
	if len(notes) == 0 { // a rule that spans fields
		return t.runUnknown(ctx, body, err)
	}
	if result, err = t.Run(ctx, read); err != nil {
		return nil, err
	}
	return AppendWarnings(result, append(notes, t.Implausible(read)...)), nil
}

// runUnknown runs an input that breaks a rule of its tool with its unknown fields read as the known
// ones that they probably mean. broken is the error of the rule; it stays if that does not help.
func (t *Tool) runUnknown(
	ctx context.Context, body []byte, broken error,
) (json.RawMessage, error) {
	i, ok := t.Interpret(body)
	if !ok {
		return nil, broken
	}
	result, err := t.Run(ctx, i.Input)
	switch {
	case err != nil && i.Sure:
		return nil, err
	case err != nil:
		return nil, broken
	case !i.Sure:
		return nil, &InputError{Fields: AsInputError(broken).Fields, Corrected: i.Input}
	}
	return AppendWarnings(result, append(i.Notes, t.Implausible(i.Input)...)), nil
}

// radioEnd is the upper end of radio waves in MHz: 3000 GHz (ITU Radio Regulations, 1.5).
const radioEnd = 3e6

// largeNumber matches every JSON number of at least seven digits before its decimal point, which
// radioEnd has, and every number with an exponent.
var largeNumber = regexp.MustCompile(`[0-9]{7}|[0-9][eE]`)

// Implausible returns a warning for each frequency of an input that was probably given in Hz: a
// field in MHz above the radio waves, which would be below them in Hz.
func (t *Tool) Implausible(body []byte) []string {
	if !bytes.Contains(body, []byte(`mhz"`)) || !largeNumber.Match(body) {
		return nil // without parsing the body again
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	var warnings []string
	for _, f := range t.Input.Fields {
		v, err := strconv.ParseFloat(string(fields[f.Name]), 64)
		if err == nil && f.Unit == "MHz" && v > radioEnd && v/1e6 < radioEnd {
			warnings = append(warnings,
				fmt.Sprintf("%s: %g MHz is above 3000 GHz; for %g Hz send %q: %g",
					f.Name, v, v, f.Name, v/1e6))
		}
	}
	return warnings
}

// reader collects the changes of an interpretation.
type reader struct {
	units *quantity.Table
	notes []string
	sure  bool
	looks int // at values that are not valid
	more  int // changes beyond maxNotes
}

func (r *reader) note(path, format string, args ...any) {
	if path == "" {
		path = "input"
	}
	if len(r.notes) >= maxNotes {
		r.more++
		return
	}
	r.notes = append(r.notes, shorten(path+": "+fmt.Sprintf(format, args...), 300))
}

// guess is a note on a change that is not sure.
func (r *reader) guess(path, format string, args ...any) {
	r.sure = false
	r.note(path, format, args...)
}

// value reads a value for a node. A value that is valid stays.
func (r *reader) value(n *schema.Node, path, unit string, v any) any {
	raw, err := json.Marshal(v)
	if err != nil || n.Accepts(raw) && !hasUnknown(n, v) {
		return v
	}
	if r.looks++; r.looks > maxValues {
		return v
	}
	if unit == "" {
		unit = n.Unit
	}
	switch n.Kind {
	case schema.Object, schema.Array, schema.Map:
		if text, ok := v.(string); ok {
			v = r.unpack(n, path, text)
		}
	}
	switch n.Kind {
	case schema.Object:
		return r.object(n, path, v)
	case schema.Map:
		if m, ok := v.(map[string]any); ok {
			if unit == "1" { // quantities of several kinds, in base units
				unit = quantity.AnyPrefix
			}
			for _, key := range sortedKeys(m) {
				m[key] = r.value(n.Elem, at(path, key), unit, m[key])
			}
		}
	case schema.Array:
		return r.array(n, path, unit, v)
	case schema.Number, schema.Integer, schema.CustomT:
		return r.number(n, path, unit, v)
	case schema.String:
		return r.text(n, path, v)
	case schema.Boolean:
		return r.boolean(path, v)
	}
	return v
}

// hasUnknown reports whether an object has members that the node does not know.
func hasUnknown(n *schema.Node, v any) bool {
	m, ok := v.(map[string]any)
	if !ok || n.Kind != schema.Object {
		return false
	}
	for name := range m {
		if n.Field(name) == nil {
			return true
		}
	}
	return false
}

func at(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// unpack reads a text that holds JSON, or numbers between commas, where an object or a list is
// expected.
func (r *reader) unpack(n *schema.Node, path, text string) any {
	trimmed := strings.TrimSpace(unfenced(text))
	d := json.NewDecoder(strings.NewReader(trimmed))
	d.UseNumber()
	var v any
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if d.Decode(&v) == nil && !d.More() {
			r.note(path, "the text is read as JSON")
			return v
		}
	}
	if n.Kind != schema.Array || n.Elem.Kind == schema.Object {
		return text
	}
	split := func(c rune) bool { return c == ',' || c == ';' || unicode.IsSpace(c) }
	list := []any{}
	for _, part := range strings.FieldsFunc(trimmed, split) {
		list = append(list, part)
	}
	r.note(path, "the text is read as a list of %d values", len(list))
	return list
}

// unfenced is the text between the fences of Markdown, or the text where there are none.
func unfenced(text string) string {
	_, after, open := strings.Cut(text, "```")
	inside, _, closed := strings.Cut(after, "```")
	if !open || !closed {
		return text
	}
	if _, rest, ok := strings.Cut(inside, "\n"); ok {
		return rest
	}
	return inside
}

// wrappers are names under which a whole input is sometimes sent.
var wrappers = []string{
	"input", "inputs", "arguments", "args", "params", "parameters", "body", "data",
	"json", "request",
}

// object reads an object: unwraps it, finds the fields that unknown members mean, and reads each.
func (r *reader) object(n *schema.Node, path string, v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		if inner, ok := list[0].(map[string]any); ok {
			r.note(path, "the only entry of the list is read as the object")
			v = inner
		}
	}
	if list, ok := v.([]any); ok && path == "" {
		v = r.positional(n, list)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if len(m) == 1 {
		for name, inner := range m {
			if n.Field(name) != nil || !slices.Contains(wrappers, strings.ToLower(name)) {
				break
			}
			if text, ok := inner.(string); ok {
				inner = r.unpack(n, name, text)
			}
			if object, ok := inner.(map[string]any); ok {
				r.note(at(path, name), "the fields within are read as the input's own")
				m = object
			}
		}
	}
	looked := 0
	for _, name := range sortedKeys(m) {
		if n.Field(name) == nil && looked < maxUnknownMembers {
			r.unknown(n, path, m, name)
			looked++
		}
	}
	for _, name := range sortedKeys(m) {
		if f := n.Field(name); f != nil && m[name] != nil {
			m[name] = r.value(&f.Node, at(path, name), "", m[name])
		}
	}
	return m
}

func sortedKeys(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// positional reads a list of values as the required fields in their order: a proposal.
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

// unknown finds the field that an unknown member means, and moves its value there.
func (r *reader) unknown(n *schema.Node, path string, m map[string]any, name string) {
	move := func(to string, v any) {
		delete(m, name)
		m[to] = v
	}
	free := func(f *schema.Field) bool { _, given := m[f.Name]; return !given }
	plain := snake(name)
	if f := n.Field(plain); f != nil && free(f) {
		move(f.Name, m[name])
		r.note(at(path, shorten(name, 60)), "read as %s", f.Name)
		return
	}
	if f, unit := r.otherUnit(n, plain); f != nil && free(f) {
		if number, ok := m[name].(json.Number); ok {
			if v, err := r.units.Quantity(number.String()+unit, f.Unit); err == nil {
				move(f.Name, json.Number(strconv.FormatFloat(v, 'g', -1, 64)))
				r.note(at(path, shorten(name, 60)), "read as %s, %s %s", f.Name, m[f.Name], f.Unit)
				return
			}
		}
	}
	var longer []*schema.Field // fields whose names go on after the given one
	for _, f := range n.Fields {
		if strings.HasPrefix(f.Name, plain+"_") && free(f) && f.Alias == "" {
			longer = append(longer, f)
		}
	}
	withUnit := slices.DeleteFunc(slices.Clone(longer), func(f *schema.Field) bool {
		return strings.Contains(f.Name[len(plain)+1:], "_") || !schema.NameHasUnit(f.Name, f.Unit)
	})
	if len(withUnit) == 1 {
		longer = withUnit
	}
	if len(longer) == 1 {
		f := longer[0]
		_, bare := m[name].(json.Number)
		move(f.Name, m[name])
		if bare && f.Unit != "" && f.Unit != "1" { // the unit is guessed
			r.guess(at(path, shorten(name, 60)), "unknown; was %s meant, in %s?", f.Name, f.Unit)
		} else {
			r.note(at(path, shorten(name, 60)), "read as %s", f.Name)
		}
		return
	}
	if r.nested(n, path, m, name, plain) || r.flattened(n, path, m, name) {
		return
	}
	var names []string
	for _, f := range n.Fields {
		if free(f) && (f.Required || f.Alias == "") {
			names = append(names, f.Name)
		}
	}
	if near := Nearest(plain, names, 1); len(near) > 0 {
		move(near[0], m[name])
		r.guess(at(path, shorten(name, 60)), "unknown; was %s meant?", near[0])
	}
}

// snake writes a name in another convention (distKm, dist-km, Dist km) as fields are named.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(strings.TrimSpace(name))
	for i, c := range runes {
		switch {
		case c == '-' || c == ' ' || c == '.' || c == '_':
			b.WriteByte('_')
		case unicode.IsUpper(c):
			if i > 0 && unicode.IsLower(runes[i-1]) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(c))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// otherUnit finds the field of which name is the stem with another unit, as freq_ghz is of
// freq_mhz, and that unit.
func (r *reader) otherUnit(n *schema.Node, name string) (*schema.Field, string) {
	i := strings.LastIndex(name, "_")
	if i < 1 {
		return nil, ""
	}
	for _, f := range n.Fields {
		stem := strings.HasPrefix(f.Name, name[:i+1])
		if f.Kind != schema.Number || !stem || !schema.NameHasUnit(f.Name, f.Unit) {
			continue
		}
		for _, unit := range r.units.Units(f.Unit) {
			if schema.NameHasUnit(name, unit) && strings.Count(f.Name, "_") == strings.Count(name,
				"_") {
				return f, unit
			}
		}
	}
	return nil, ""
}

// nested moves a member into the one field that is an object, or a list of objects, and knows it.
func (r *reader) nested(n *schema.Node, path string, m map[string]any, name, plain string) bool {
	for _, f := range n.Fields {
		inner := &f.Node
		if f.Kind == schema.Array {
			inner = f.Elem
		}
		known := inner.Kind == schema.Object && inner.Field(plain) != nil
		if f.Kind == schema.Map && f.Required {
			raw, err := json.Marshal(m[name])
			text, _ := m[name].(string)
			_, quantityErr := r.units.Quantity(text, quantity.AnyPrefix)
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
		r.note(at(path, shorten(name, 60)), "read as a field of %s", f.Name)
		return true
	}
	return false
}

// flattened takes the members of an unknown object that are fields here.
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
		if given || twice || n.Field(to) == nil { // a value must not replace another
			return false
		}
		moved[to] = v
	}
	delete(m, name)
	maps.Copy(m, moved)
	r.note(at(path, shorten(name, 60)), "the fields within are read as fields beside it")
	return true
}

// array reads a list; a single value is a list of one.
func (r *reader) array(n *schema.Node, path, unit string, v any) any {
	list, ok := v.([]any)
	if !ok {
		if _, text := v.(string); text || v == nil {
			return v
		}
		r.note(path, "the single value is read as a list of one")
		list = []any{v}
	}
	for i, inner := range list {
		list[i] = r.value(n.Elem, fmt.Sprintf("%s[%d]", path, i), unit, inner)
	}
	return list
}

// number reads a number with a unit or a prefix, or as an object of value and unit.
func (r *reader) number(n *schema.Node, path, unit string, v any) any {
	shown := v
	if m, ok := v.(map[string]any); ok && len(m) == 2 {
		u, named := m["unit"].(string)
		if number, ok := m["value"].(json.Number); ok && named {
			v = number.String() + " " + u
			shown = v
		}
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		v, shown = list[0], list[0]
	}
	text, ok := v.(string)
	if number, is := v.(json.Number); is {
		if n.Accepts([]byte(number)) {
			r.note(path, "read as %s", number)
			return number
		}
		return r.proposed(n, path, unit, number)
	}
	if !ok {
		return v
	}
	if text = strings.TrimSpace(text); unit == "" {
		unit = quantity.AnyPrefix
	}
	value, err := r.units.Quantity(text, unit)
	if err != nil {
		value, err = r.spelt(text, unit)
	}
	plain := strings.ReplaceAll(text, ",", "")
	if err != nil && thousands.MatchString(text) && n.Accepts([]byte(plain)) {
		r.guess(path, "%q could be %s or a decimal number; was %s meant?", text, plain, plain)
		return json.Number(plain)
	}
	if err != nil {
		return v
	}
	number := json.Number(strconv.FormatFloat(value, 'g', -1, 64))
	if !n.Accepts([]byte(number)) {
		return r.proposed(n, path, unit, number)
	}
	if unit == "1" || unit == quantity.AnyPrefix {
		unit = ""
	}
	r.note(path, "%q is read as %s", shown, strings.TrimSpace(number.String()+" "+unit))
	return number
}

// thousands are digits with commas between groups of three.
var thousands = regexp.MustCompile(`^\d{1,3}(,\d{3})+$`)

// spelt reads quantities in which the unit is written out or in another case, and dimensionless
// numbers with letters before them, such as "SF10" for the field sf.
func (r *reader) spelt(text, unit string) (float64, error) {
	lower := strings.ToLower(text)
	units := r.units.Units(unit)
	// The field's own unit comes first: it decides between mHz and MHz.
	for _, u := range append([]string{unit}, units...) {
		number, ok := strings.CutSuffix(lower, strings.ToLower(u))
		number = strings.TrimSpace(number)
		if !ok || u == "" || u != unit && ambiguous(u, units) {
			continue
		}
		if _, err := strconv.ParseFloat(number, 64); err != nil {
			continue
		}
		if v, err := r.units.Quantity(number+" "+u, unit); err == nil {
			return v, nil
		}
	}
	for word, u := range spelled() {
		number, ok := strings.CutSuffix(strings.TrimSuffix(lower, "s"), word)
		if !ok {
			continue
		}
		if v, err := r.units.Quantity(strings.TrimSpace(number)+" "+u, unit); err == nil {
			return v, nil
		}
	}
	if unit == "currency" {
		return strconv.ParseFloat(strings.Trim(text, "$€£¥ "), 64)
	}
	digits := strings.TrimLeftFunc(text, unicode.IsLetter)
	if (unit == "1" || unit == quantity.AnyPrefix) && len(text)-len(digits) <= 3 {
		return strconv.ParseFloat(digits, 64)
	}
	return 0, strconv.ErrSyntax
}

// ambiguous reports whether units differ in case alone, as mW and MW do.
func ambiguous(unit string, units []string) bool {
	same := 0
	for _, u := range units {
		if strings.EqualFold(u, unit) {
			same++
		}
	}
	return same > 1
}

// spelled maps units that are written out, in the singular, to their symbols.
func spelled() map[string]string {
	return map[string]string{
		"kilometer": "km", "kilometre": "km", "meter": "m", "metre": "m", "mile": "mi",
		"feet": "ft", "foot": "ft", "inch": "in", "inche": "in",
		"gigahertz": "GHz", "megahertz": "MHz", "kilohertz": "kHz", "hertz": "Hz",
		"kiloohm": "kΩ", "kohm": "kΩ", "megaohm": "MΩ", "ohm": "Ω",
		"volt": "V", "milliamp": "mA", "amp": "A", "ampere": "A",
		"kilowatt": "kW", "milliwatt": "mW", "watt": "W",
		"hour": "h", "minute": "min", "second": "s", "day": "d",
		"percent": "%", "microfarad": "µF", "nanofarad": "nF", "picofarad": "pF", "farad": "F",
	}
}

// proposed is a number within the range for one that is not: the magnitude for a negative number,
// or the same digits in the base unit where the field has a prefix.
func (r *reader) proposed(n *schema.Node, path, unit string, number json.Number) any {
	if text, ok := strings.CutPrefix(number.String(), "-"); ok && n.Accepts([]byte(text)) {
		r.guess(path, "%s is out of range; was %s meant?", number, text)
		return json.Number(text)
	}
	if base := r.units.Base(unit); base != "" && base != unit {
		v, err := r.units.Quantity(number.String()+" "+base, unit)
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if err == nil && n.Accepts([]byte(text)) {
			r.guess(path, "%s %s is out of range; was %s %s, %s %s, meant?",
				number, unit, number, base, text, unit)
			return json.Number(text)
		}
	}
	return number
}

// text reads a word of an enumeration in another case or spelling, lines as one text, and a
// number as its digits.
func (r *reader) text(n *schema.Node, path string, v any) any {
	switch x := v.(type) {
	case json.Number:
		v = x.String()
		if raw, err := json.Marshal(v); err == nil && n.Accepts(raw) {
			r.note(path, "the number is read as the text %q", v)
			return v
		}
	case []any:
		var lines []string
		for _, l := range x {
			line, ok := l.(string)
			if !ok {
				return v
			}
			lines = append(lines, line)
		}
		if len(n.Enum) == 0 && len(lines) > 0 {
			r.note(path, "the list is read as a text of %d lines", len(lines))
			return strings.Join(lines, "\n")
		}
		if len(lines) == 1 {
			v = lines[0]
		}
	}
	word, ok := v.(string)
	if !ok || len(n.Enum) == 0 {
		return v
	}
	for _, e := range n.Enum {
		if squeezed(e) == squeezed(word) {
			r.note(path, "%q is read as %q", shorten(word, 60), e)
			return e
		}
	}
	if near := Nearest(snake(word), n.Enum, 1); len(near) > 0 {
		r.guess(path, "%q is unknown; was %q meant?", shorten(word, 60), near[0])
		return near[0]
	}
	return v
}

// squeezed is a word in lower case without what separates its parts.
func squeezed(word string) string {
	separators := strings.NewReplacer("_", "", "-", "", " ", "", "/", "", ".", "")
	return strings.ToLower(separators.Replace(word))
}

// boolean reads the words and numbers that stand for true and false.
func (r *reader) boolean(path string, v any) any {
	var truth bool
	switch strings.ToLower(fmt.Sprint(v)) {
	case "true", "yes", "on", "1", "y":
		truth = true
	case "false", "no", "off", "0", "n":
	default:
		return v
	}
	r.note(path, "%v is read as %t", shorten(fmt.Sprint(v), 60), truth)
	return truth
}
