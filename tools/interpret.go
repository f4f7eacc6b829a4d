package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"slipstick/internal/text"
	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

// Interpretation is an input that was corrected because it is invalid as written.
type Interpretation struct {
	Input json.RawMessage // valid for the tool, except for cross-field rules
	Notes []string        // one sentence per change, and one with the number of omitted notes
	// Sure is set if every change concerns only notation: a unit, letter case or a wrapper.
	// Otherwise a name or value is a guess, and the input is a proposal that must not be run.
	Sure bool

	reader *reader
}

// LeftOut returns the unknown names whose values Input lacks.
func (i Interpretation) LeftOut() []string { return i.reader.leftOut }

// Interpret corrects an input that Run rejects. It accepts numbers with a prefix or unit, names and
// words in another case, and wrapped, flattened or misspelt fields. ok is false if no change is
// needed, or if the corrected input is also invalid.
func (t *Tool) Interpret(body []byte) (i Interpretation, ok bool) {
	return t.interpret(&reader{}, body)
}

// interpretNames is the variant of Interpret that makes no guess about unknown fields.
func (t *Tool) interpretNames(body []byte) (i Interpretation, ok bool) {
	return t.interpret(&reader{noGuess: true}, body)
}

func (t *Tool) interpret(r *reader, body []byte) (i Interpretation, ok bool) {
	r.sources, r.unsupported = t.sources, t.Unsupported
	return r.interpret(t.Input, "", body, func(input []byte) bool {
		_, err := t.Canonical(input)
		return err == nil
	})
}

// InterpretAs is the variant of Interpret for an input with its own schema.
func InterpretAs(n *schema.Node, body []byte) (i Interpretation, ok bool) {
	return new(reader).interpret(n, "", body, n.Accepts)
}

// InterpretValue is the variant of InterpretAs for the value of a field with a name.
func InterpretValue(n *schema.Node, name string, body []byte) (i Interpretation, ok bool) {
	return new(reader).interpret(n, name, body, n.Accepts)
}

func (r *reader) interpret(
	n *schema.Node, path string, body []byte, isValid func(input []byte) bool,
) (i Interpretation, ok bool) {
	v, ok := r.read(n, path, body)
	if !ok || len(r.notes) == 0 || len(r.errs) > 0 {
		return i, false
	}
	if m, ok := v.(map[string]any); ok && len(r.guesses) > 0 {
		if openUnit(n, m) != "" {
			return i, false
		}
		r.leaveOutUnknown(n, m)
	}
	input, err := json.Marshal(v)
	if err != nil || !isValid(input) {
		return i, false
	}
	return Interpretation{
		Input: input, Notes: r.allNotes(), Sure: len(r.guesses) == 0, reader: r,
	}, true
}

// read corrects an input as Interpret does, but the result may be invalid. ok is false for an input
// that is not JSON or is too long.
func (r *reader) read(n *schema.Node, path string, body []byte) (v any, ok bool) {
	units, err := quantity.New()
	if err != nil || len(body) > maxInterpretedBytes {
		return nil, false
	}
	if v, err = parse(body); err != nil {
		return nil, false
	}
	r.units = units
	return r.value(n, path, "", v), true
}

// parse parses JSON and preserves the digits of numbers. The value of a name that an object
// contains twice is a *duplicate.
func parse(body []byte) (v any, err error) {
	if !json.Valid(body) {
		return nil, errors.New("tools: not a JSON value")
	}
	v, _, err = parseFirst(body)
	return v, err
}

// parseFirst is the variant of parse for JSON with other text after it, which it returns as rest.
func parseFirst(body []byte) (v any, rest []byte, err error) {
	var first json.RawMessage
	whole := json.NewDecoder(bytes.NewReader(body))
	if err := whole.Decode(&first); err != nil {
		return nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(first))
	d.UseNumber()
	v, err = parseValue(d, maxParsedDepth)
	return v, body[whole.InputOffset():], err
}

// parseValue parses the next value of valid JSON with at most the given nesting.
func parseValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	bracket, nested := token.(json.Delim)
	if err != nil || !nested {
		return token, err
	}
	if depth == 0 {
		return nil, errors.New("tools: nested too deeply")
	}
	list, object := []any{}, map[string]any{}
	for d.More() {
		name := ""
		if bracket == '{' {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			name, _ = token.(string) // the names of valid JSON are strings
		}
		v, err := parseValue(d, depth-1)
		if err != nil {
			return nil, err
		}
		if bracket == '[' {
			list = append(list, v)
			continue
		}
		if first, twice := object[name]; !twice {
			object[name] = v
		} else if _, known := first.(*duplicate); !known {
			object[name] = &duplicate{first: first}
		}
	}
	if _, err = d.Token(); bracket == '[' {
		return list, err
	}
	return object, err
}

// duplicate is the value of a name that an object contains twice. Any choice of one of the values
// would be a guess, so a field with such a value is an error.
type duplicate struct {
	first    any
	reported bool
}

// MarshalJSON encodes the first value.
func (d *duplicate) MarshalJSON() ([]byte, error) { return json.Marshal(d.first) }

// hasDuplicate reports whether a value contains the value of a name that appears twice.
func hasDuplicate(v any) bool {
	switch v := v.(type) {
	case *duplicate:
		return true
	case []any:
		return slices.ContainsFunc(v, hasDuplicate)
	case map[string]any:
		for _, inner := range v {
			if hasDuplicate(inner) {
				return true
			}
		}
	}
	return false
}

// duplicates records the error of each name that an object of the input contains twice.
func (r *reader) duplicates(path string, m map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		r.duplicate(at(path, text.Truncate(name, maxUnknownName)), m[name])
	}
}

// duplicate records the error of a value whose name appears twice. It returns false for any other
// value.
func (r *reader) duplicate(path string, v any) bool {
	d, ok := v.(*duplicate)
	if ok && !d.reported {
		d.reported = true
		r.addError(path, schema.Duplicate)
	}
	return ok
}

// addError records an error that no interpretation removes.
func (r *reader) addError(path, detail string) {
	if len(r.errs) < maxNotes {
		r.errs = append(r.errs, schema.FieldError{Path: path, Detail: detail})
	}
}

// Limits of an interpretation, because the sender determines the size of the input.
const (
	maxInterpretedBytes = 256 << 10
	maxParsedDepth      = 64 // the limit of the strict decoder
	maxNotes            = 20
	maxValues           = 2000 // maximum number of invalid values examined
	maxUnknownMembers   = 100  // per object
	maxUnknowns         = 500  // of an input
)

// Parts interprets inputs of one tool that may lack fields, such as the base input of a batch. The
// work for all inputs together is bounded. It is not safe for concurrent use.
type Parts struct {
	// Others has values of fields that an input may lack and that determine the units of others.
	// null is one of several values, so that a text in this unit remains as written.
	Others map[string]json.RawMessage

	tool                   *Tool
	examined, unknownNames int
}

// Parts returns an interpreter of inputs that may lack fields.
func (t *Tool) Parts() *Parts { return &Parts{tool: t} }

// Limits of the inputs of Parts together. A name takes up to a quarter of a millisecond.
const (
	maxPartValues   = 10_000
	maxPartUnknowns = 2000
)

// Exhausted reports whether the inputs had more invalid values or unknown names than the limits.
// Some of them then remain as written.
func (p *Parts) Exhausted() bool {
	return p.examined > maxPartValues || p.unknownNames > maxPartUnknowns
}

// Interpret returns an input with all certain changes, a note per change, and the number of changes
// without a note. A value or name that needs a guess remains as written.
func (p *Parts) Interpret(body []byte) (read json.RawMessage, notes []string, more int) {
	if p.Exhausted() {
		return body, nil, 0
	}
	r := &reader{
		sources: p.tool.sources, unsupported: p.tool.Unsupported, noGuess: true,
		keepsGuessed: true, others: p.Others,
	}
	v, ok := r.read(p.tool.Input, "", body)
	p.examined, p.unknownNames = p.examined+r.examined, p.unknownNames+r.unknownNames
	if !ok || len(r.notes) == 0 || len(r.errs) > 0 {
		return body, nil, 0
	}
	read, err := json.Marshal(v)
	if err != nil {
		return body, nil, 0
	}
	return read, r.notes, r.more
}

// Unit returns the unit of a field of the input. ok is false if Others has no valid value of the
// field that determines it.
func (p *Parts) Unit(f *schema.Field) (unit string, ok bool) {
	r := &reader{others: p.Others}
	return r.unitOf(p.tool.Input, "", f, nil)
}

// Interpreted converts an input to the form that Run accepts. It returns a valid input unchanged
// unless it can interpret its unknown fields. For any other input it returns the interpretation and
// a note per change, provided that no change is a guess. Otherwise the error is an *InputError,
// with a corrected input if one is known. An unknown field of a valid input is an error too if it
// probably means a field without a value. This field would otherwise have its default.
func (t *Tool) Interpreted(body []byte) (read json.RawMessage, notes []string, err error) {
	_, err = t.Canonical(body)
	input := AsInputError(err)
	if err != nil && input == nil || err == nil && len(t.unknown(body)) == 0 {
		return body, nil, err
	}
	i, ok := t.Interpret(body)
	switch {
	case err == nil && !ok:
		if wrong := t.unreadableName(body); wrong != nil {
			return nil, nil, t.checked(t.completed(body, wrong))
		}
		// One unknown field with an unreadable value does not hide the meaning of another one.
		if i, ok = t.interpret(&reader{fitting: true}, body); ok && !i.Sure {
			input = &InputError{}
			break
		}
		read, notes = t.namesInterpreted(body)
		return read, notes, nil
	case !ok:
		return nil, nil, t.checked(t.completed(body, input))
	case i.Sure:
		return i.Input, i.Notes, nil
	case err == nil:
		input = &InputError{}
	}
	return nil, nil, t.checked(&InputError{
		Fields: i.reader.fieldErrors(input.Fields, nil), Corrected: i.Input, Changes: i.Notes,
		LeftOut: i.reader.leftOut, unknown: i.reader.unknown,
	})
}

// checked returns the error of a queued tool's input without a corrected input that Spec.Check
// rejects, and with the errors of Check.
func (t *Tool) checked(err error) error {
	wrong := AsInputError(err)
	if wrong == nil || wrong.Corrected == nil || t.Check == nil {
		return err
	}
	rule := AsInputError(t.Validate(t.InteractiveInput(wrong.Corrected)))
	if rule == nil {
		return err
	}
	return &InputError{
		Fields: slices.Concat(wrong.Fields, rule.Fields), certain: wrong.certain,
	}
}

// namesInterpreted interprets the unknown fields of a valid input without guesses.
func (t *Tool) namesInterpreted(body []byte) (read json.RawMessage, notes []string) {
	if i, ok := t.interpretNames(body); ok && i.Sure {
		return i.Input, i.Notes
	}
	return body, nil
}

// Completing returns a copy of the tool whose Run adds inputs. RunInterpreted of the copy adds them
// to the interpreted input. An input that has them before is no longer recognized as a wrapper, and
// would have values that the caller did not give.
func (t *Tool) Completing(add func(body []byte) ([]byte, error)) *Tool {
	completing := *t
	completing.run = func(ctx context.Context, body []byte) (json.RawMessage, error) {
		body, err := add(body)
		if err != nil {
			return nil, err
		}
		return t.run(ctx, body)
	}
	return &completing
}

// RunInterpreted is the variant of Run for the command line and models, whose inputs are written
// informally. It interprets an invalid input; the warnings of the result list every change.
func (t *Tool) RunInterpreted(ctx context.Context, body []byte) (json.RawMessage, error) {
	result, err := t.Run(ctx, body)
	if err == nil && !bytes.Contains(result, []byte(unknownField)) {
		return AppendWarnings(result, t.Implausible(body)), nil
	}
	if err != nil && AsInputError(err) == nil {
		return result, err
	}
	read, notes, readErr := t.Interpreted(body)
	if readErr != nil {
		readErr = t.confirmed(ctx, readErr)
	}
	// The guess about an unknown field of a valid input is wrong if it violates a rule.
	if guess := AsInputError(readErr); err == nil && guess != nil && !guess.certain &&
		(guess.Corrected == nil || len(guess.Assumed) > 0) {
		read, notes = t.namesInterpreted(body)
		readErr = nil
	}
	switch {
	case readErr != nil:
		return nil, readErr
	case !bytes.Equal(read, body):
		interpreted, readErr := t.Run(ctx, read)
		if readErr != nil {
			return nil, t.withExample(ctx, read, readErr)
		}
		return AppendWarnings(interpreted, append(notes, t.Implausible(read)...)), nil
	case err != nil: // a cross-field rule failed
		return t.runUnknown(ctx, body, err)
	}
	return AppendWarnings(result, t.Implausible(body)), nil
}

// runUnknown retries an input that violates a rule of its tool. It interprets unknown fields as the
// known fields that they probably mean. If no change is a guess, it returns the result or the error
// of the retry. Otherwise it returns broken, the error of the rule, with a corrected input if one
// is known.
func (t *Tool) runUnknown(
	ctx context.Context, body []byte, broken error,
) (json.RawMessage, error) {
	i, ok := t.Interpret(body)
	if !ok {
		return nil, t.withExample(ctx, body, broken)
	}
	result, err := t.Run(ctx, i.Input)
	switch {
	case err != nil && i.Sure:
		return nil, t.withExample(ctx, i.Input, err)
	case err != nil:
		return nil, t.withExample(ctx, i.Input, broken)
	case !i.Sure:
		return nil, &InputError{
			Fields: AsInputError(broken).Fields, Corrected: i.Input, Changes: i.Notes,
			LeftOut: i.reader.leftOut, unknown: i.reader.unknown,
		}
	}
	return AppendWarnings(result, append(i.Notes, t.Implausible(i.Input)...)), nil
}

// reader collects the changes of an interpretation.
type reader struct {
	units       *quantity.Table
	sources     []source          // tools whose results the input may contain
	unsupported map[string]string // unknown fields with a warning of the tool, see Spec
	noGuess     bool              // leaves unknown fields that need a guess
	guessUnits  bool              // with noGuess: guesses the unit of a number under a certain name

	fitting bool // makes no guess about the field of a value that it cannot have

	keepsGuessed bool // leaves values that need a guess as written

	// others has values of fields of the input that determine units, see Parts.Others.
	others map[string]json.RawMessage

	top     *schema.Node   // the input, if it is an object
	members map[string]any // its members

	notes   []string
	guesses []schema.FieldError // at most maxNotes; none: every change is certain
	errs    []schema.FieldError // doubled names and unreadable wrappers; at most maxNotes

	// incomplete has the paths of objects with a wrapper that appears twice or is unreadable, so
	// that it is unknown which fields are missing. Each path has a final dot, or is "" at the top.
	incomplete map[string]bool

	problems map[string]schema.FieldError // by path: errors of numbers as written
	written  map[string]string            // by path: names under which fields were given

	leftOut   []string       // unknown names without a value in the result
	unknown   map[string]any // their values
	uncertain []string       // paths of fields that an unknown name means only by guess

	examined     int // number of invalid values examined
	unknownNames int // number of unknown members interpreted
	more         int // number of changes beyond maxNotes
}

func (r *reader) note(path, format string, args ...any) {
	if path == "" {
		path = "input"
	}
	if len(r.notes) >= maxNotes {
		r.more++
		return
	}
	r.notes = append(r.notes, text.Truncate(path+": "+fmt.Sprintf(format, args...), 300))
}

// guess adds a note about an uncertain change.
func (r *reader) guess(path, format string, args ...any) {
	r.note(path, format, args...)
	if len(r.guesses) < maxNotes {
		r.guesses = append(r.guesses, schema.FieldError{
			Path: path, Detail: text.Truncate(fmt.Sprintf(format, args...), 300),
		})
	}
}

// allNotes returns the notes, and one with the number of omitted notes.
func (r *reader) allNotes() []string {
	if r.more == 0 {
		return r.notes
	}
	return append(r.notes, fmt.Sprintf("input: %d more changes are not listed", r.more))
}

// value interprets a value for a node. It returns a valid value unchanged.
func (r *reader) value(n *schema.Node, path, unit string, v any) any {
	if r.duplicate(path, v) {
		return v
	}
	before := r.checkpoint()
	if date, ok := r.date(n, path, v); ok {
		return r.rollbackGuess(before, v, date)
	}
	raw, err := json.Marshal(v)
	if err != nil || n.Accepts(raw) && !hasUnknown(n, v) && !hasDuplicate(v) {
		return v
	}
	if r.examined++; r.examined > maxValues {
		return v
	}
	if unit == "" {
		unit = n.Unit
	}
	switch n.Kind {
	case schema.Object, schema.Array, schema.Map:
		if written, ok := v.(string); ok {
			unpacked, err := r.unpack(n, path, unit, written)
			if err != nil {
				r.problem(n, path, written, " (the text "+err.Error()+")")
				return v
			}
			v = unpacked
		}
	}
	switch n.Kind {
	case schema.Object:
		return r.object(n, path, v)
	case schema.Map:
		if m, ok := v.(map[string]any); ok {
			r.duplicates(path, m)
			if unit == "1" { // values of several quantities, in base units
				unit = quantity.AnyPrefix
			}
			for _, key := range slices.Sorted(maps.Keys(m)) {
				m[key] = r.value(n.Elem, at(path, key), unit, m[key])
			}
		}
	case schema.Array:
		return r.array(n, path, unit, v)
	default:
		return r.scalar(n, path, unit, v)
	}
	return v
}

// scalar interprets a value for a node that is neither an object nor a list.
func (r *reader) scalar(n *schema.Node, path, unit string, v any) any {
	before := r.checkpoint()
	switch n.Kind {
	case schema.Number, schema.Integer, schema.CustomT:
		return r.rollbackGuess(before, v, r.number(n, path, unit, v))
	case schema.String:
		return r.rollbackGuess(before, v, r.text(n, path, v))
	case schema.Boolean:
		return r.boolean(path, v)
	}
	return v
}

// checkpoint holds the numbers of changes at a time, which rollbackGuess restores.
type checkpoint struct{ notes, guesses, more int }

func (r *reader) checkpoint() checkpoint {
	return checkpoint{len(r.notes), len(r.guesses), r.more}
}

// rollbackGuess returns the interpretation of a value. If the interpretation is a guess and values
// that need a guess remain as written, it returns the value as written. It then also removes the
// notes and guesses since the checkpoint.
func (r *reader) rollbackGuess(before checkpoint, written, read any) any {
	if !r.keepsGuessed || len(r.guesses) == before.guesses {
		return read
	}
	r.notes, r.guesses, r.more = r.notes[:before.notes], r.guesses[:before.guesses], before.more
	return written
}

// hasUnknown reports whether an object contains members that the node does not define, or dates in
// a format that only the tool's rules reject. Objects within count too.
func hasUnknown(n *schema.Node, v any) bool {
	if list, ok := v.([]any); ok && n.Kind == schema.Array {
		return slices.ContainsFunc(list, func(inner any) bool { return hasUnknown(n.Elem, inner) })
	}
	m, ok := v.(map[string]any)
	if !ok || n.Kind != schema.Object {
		return false
	}
	for name, value := range m {
		f := n.Field(name)
		if f == nil || hasUnknown(&f.Node, value) {
			return true
		}
		if date, ok := value.(string); ok && takesDate(&f.Node) && !isDate(date) {
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
