package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"slipstick/internal/text"
	"slipstick/tools/quantity"
	"slipstick/tools/schema"
)

// exampleTime limits the runs that search for an example to complete an invalid input. These runs
// are not counted as calls.
const exampleTime = 100 * time.Millisecond

// completed returns the error of an input without its values that can be interpreted, and adds a
// corrected input. The corrected input contains the caller's values, and values of the tool's first
// example for missing fields. It lacks an invalid value of an optional field. completed adds none
// for an invalid value of a required field, which only the caller can replace. It also adds none if
// the input cannot be built, would contain no value of the caller or a value that an unknown member
// may contradict, or if a field appears twice.
func (t *Tool) completed(body []byte, wrong *InputError) error {
	r := &reader{sources: t.sources, unsupported: t.Unsupported}
	v, ok := r.read(t.Input, "", body)
	m, isObject := v.(map[string]any)
	if !ok {
		return wrong
	}
	if !isObject {
		return &InputError{Fields: r.fieldErrors(nil, wrong.Fields), certain: wrong.certain}
	}
	if name := openUnit(t.Input, m); name != "" {
		r.addError(name, "unknown; write the unit behind the number to which it belongs")
	}
	r.leaveOutUnknown(t.Input, m)
	example, err := parse([]byte(t.Examples[0].In))
	if err != nil {
		return wrong
	}
	wrong = t.interpretedError(r, m, wrong)
	if len(r.errs) > 0 {
		return wrong
	}
	given := len(m)
	var assumed []string
	var omitted []OmittedField
	for {
		raw, err := json.Marshal(m)
		if err != nil {
			return wrong
		}
		_, err = t.Canonical(raw)
		if err == nil {
			if len(assumed)+len(omitted) == 0 || given == 0 || allAssumed(m, assumed) ||
				r.mayContradict(t.Input, assumed) {
				return wrong
			}
			return &InputError{
				Fields: wrong.Fields, Corrected: raw, Changes: r.allNotes(), Assumed: assumed,
				Omitted: omitted, LeftOut: r.leftOut, certain: wrong.certain, unknown: r.unknown,
			}
		}
		in := AsInputError(err)
		if in == nil {
			return wrong
		}
		for _, f := range in.Fields {
			if slices.Contains(assumed, f.Path) || f.Path == "" {
				return wrong
			}
			steps := strings.Split(f.Pointer(), "/")[1:]
			if !isGiven(m, steps) && fill(t.Input, m, example, steps) {
				assumed = append(assumed, f.Path)
				continue
			}
			ok, hasDefault := omit(t.Input, m, steps)
			if !ok {
				return wrong
			}
			omitted = append(omitted, OmittedField{Path: f.Path, HasDefault: hasDefault})
		}
	}
}

// interpretedError returns the error of an input of which r has interpreted some values, m. Its
// fields are the fields that no certain change corrects.
func (t *Tool) interpretedError(r *reader, m map[string]any, wrong *InputError) *InputError {
	raw, err := json.Marshal(m)
	if err != nil {
		return wrong
	}
	_, err = t.Canonical(raw)
	left := AsInputError(err)
	switch {
	case left == nil && len(r.errs)+len(r.guesses) == 0:
		return wrong
	case left == nil:
		left = &InputError{}
	}
	return &InputError{
		Fields: r.fieldErrors(wrong.Fields, left.Fields), certain: wrong.certain,
	}
}

// isGiven reports whether a value has another value than null at a path.
func isGiven(v any, steps []string) bool {
	if len(steps) == 0 {
		return v != nil
	}
	switch v := v.(type) {
	case map[string]any:
		return isGiven(v[steps[0]], steps[1:])
	case []any:
		i, err := strconv.Atoi(steps[0])
		return err == nil && i >= 0 && i < len(v) && isGiven(v[i], steps[1:])
	}
	return false
}

// omit deletes the value at a path of an object if the object does not require it. hasDefault
// reports whether a default takes its place.
func omit(n *schema.Node, v any, steps []string) (ok, hasDefault bool) {
	switch v := v.(type) {
	case map[string]any:
		inner, present := v[steps[0]]
		f := n.Field(steps[0])
		switch {
		case !present || f == nil && n.Kind != schema.Map:
			return false, false
		case len(steps) > 1 && f != nil:
			return omit(&f.Node, inner, steps[1:])
		case len(steps) > 1:
			return omit(n.Elem, inner, steps[1:])
		case f != nil && f.Required:
			return false, false
		}
		delete(v, steps[0])
		return true, f != nil && f.Default != nil
	case []any:
		i, err := strconv.Atoi(steps[0])
		if n.Kind != schema.Array || err != nil || i < 0 || i >= len(v) || len(steps) == 1 {
			return false, false
		}
		return omit(n.Elem, v[i], steps[1:])
	}
	return false, false
}

// allAssumed reports whether all fields of an input come from an example.
func allAssumed(m map[string]any, assumed []string) bool {
	for name := range m {
		if !slices.Contains(assumed, name) {
			return false
		}
	}
	return true
}

// fill sets the value at a path to the value in the example input or, without one, to the example
// of the field. The steps of the path are names and indices. It returns false if neither
// exists.
func fill(n *schema.Node, v, example any, steps []string) bool {
	switch v := v.(type) {
	case map[string]any:
		f := n.Field(steps[0])
		inner, _ := example.(map[string]any)
		if n.Kind == schema.Map && len(steps) == 1 {
			value, ok := inner[steps[0]]
			if ok {
				v[steps[0]] = value
			}
			return ok
		}
		if n.Kind != schema.Object || f == nil {
			return false
		}
		if len(steps) > 1 {
			return fill(&f.Node, v[f.Name], inner[f.Name], steps[1:])
		}
		value, ok := inner[f.Name]
		if !ok && f.Example != nil {
			var err error
			value, err = parse(f.Example)
			ok = err == nil
		}
		if ok {
			v[f.Name] = value
		}
		return ok
	case []any:
		i, err := strconv.Atoi(steps[0])
		list, _ := example.([]any)
		if n.Kind != schema.Array || err != nil || i < 0 || i >= len(v) || len(list) == 0 {
			return false
		}
		other := list[min(i, len(list)-1)]
		if len(steps) > 1 {
			return fill(n.Elem, v[i], other, steps[1:])
		}
		v[i] = other
		return true
	}
	return false
}

// withExample adds a corrected input to the error of a cross-field rule. It combines the values of
// the caller with the fewest values of an example, or with the other value of a boolean. It adds
// only fields that the error names, so that no mode or value of the caller is turned into another.
// It returns other errors unchanged.
func (t *Tool) withExample(ctx context.Context, body []byte, err error) error {
	wrong := AsInputError(err)
	v, parseErr := parse(body)
	given, ok := v.(map[string]any)
	if wrong == nil || wrong.Corrected != nil || parseErr != nil || !ok || len(given) == 0 ||
		t.Heavy != nil || len(body) > maxInterpretedBytes {
		return err
	}
	units, unitsErr := quantity.New()
	if unitsErr != nil {
		return err
	}
	r := &reader{units: units, unknown: wrong.unknown}
	r.leaveOutUnknown(t.Input, given)
	maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
	if len(given) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, exampleTime)
	defer cancel()
	named := namedFields(wrong.Fields)
	best := *wrong
	for _, candidate := range t.additions(named) {
		maps.DeleteFunc(candidate, func(name string, _ any) bool {
			return given[name] != nil || !named[name]
		})
		raw, assumed := t.fewest(ctx, given, candidate)
		if len(assumed) > 0 &&
			(best.Corrected == nil || len(assumed) < len(best.Assumed)) &&
			!r.mayContradict(t.Input, assumed) {
			best.Corrected, best.Assumed = raw, assumed
		}
	}
	return &best
}

// additions returns the values that may complete an input: the other values of the named booleans,
// and the examples.
func (t *Tool) additions(named map[string]bool) []map[string]any {
	other := map[string]any{}
	for _, f := range t.Input.Fields {
		if f.Kind == schema.Boolean && named[f.Name] {
			other[f.Name] = string(f.Default) != "true"
		}
	}
	list := []map[string]any{other}
	for _, e := range t.Examples {
		v, err := parse([]byte(e.In))
		if m, ok := v.(map[string]any); err == nil && ok {
			list = append(list, m)
		}
	}
	return list
}

// fewest leaves out the values of a candidate that a valid input does not need. It returns the
// input and the names of the remaining values, or none if the input is invalid.
func (t *Tool) fewest(
	ctx context.Context, given, candidate map[string]any,
) (json.RawMessage, []string) {
	run := func() json.RawMessage {
		merged := maps.Clone(given)
		maps.Copy(merged, candidate)
		raw, err := json.Marshal(merged)
		if err == nil {
			_, err = t.Run(ctx, raw)
		}
		if err != nil {
			return nil
		}
		return raw
	}
	input := run()
	if input == nil {
		return nil, nil
	}
	for _, name := range slices.Sorted(maps.Keys(candidate)) {
		value := candidate[name]
		delete(candidate, name)
		if without := run(); without != nil {
			input = without
		} else {
			candidate[name] = value
		}
	}
	return input, slices.Sorted(maps.Keys(candidate))
}

// namedFields returns the words of errors, among them the fields that they name.
func namedFields(list []schema.FieldError) map[string]bool {
	words := map[string]bool{}
	for _, f := range list {
		for _, word := range strings.FieldsFunc(f.Path+" "+f.Detail, func(c rune) bool {
			return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
		}) {
			words[word] = true
		}
	}
	return words
}

// confirmed checks the corrected input of an error against the tool's cross-field rules. If the
// input violates a rule, confirmed completes it with an example or removes it from the error.
func (t *Tool) confirmed(ctx context.Context, err error) error {
	wrong := AsInputError(err)
	if wrong == nil || wrong.Corrected == nil || t.Heavy != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, exampleTime)
	defer cancel()
	_, runErr := t.Run(bounded, wrong.Corrected)
	rule := AsInputError(runErr)
	if rule == nil {
		return err
	}
	without := &InputError{
		Fields: slices.Concat(wrong.Fields, rule.Fields), unknown: wrong.unknown,
	}
	added := AsInputError(t.withExample(ctx, wrong.Corrected, without))
	named := namedFields(rule.Fields)
	needsOmitted := slices.ContainsFunc(wrong.Omitted, func(f OmittedField) bool {
		return added.Corrected == nil || named[f.Path]
	})
	if needsOmitted { // an example would replace a value of the caller
		return &InputError{Fields: wrong.Fields, certain: wrong.certain}
	}
	completed := *wrong
	completed.Corrected = added.Corrected
	completed.Assumed = slices.Concat(wrong.Assumed, added.Assumed)
	return &completed
}

// mayContradict reports whether an unknown member may be the caller's value of a field for which
// an example is assumed. The range of a number is no reason against it.
func (r *reader) mayContradict(n *schema.Node, assumed []string) bool {
	if len(assumed) > 0 && openUnit(n, r.unknown) != "" {
		return true
	}
	for name, v := range r.unknown {
		if v == nil || slices.Contains(descriptive, snake(name)) {
			continue
		}
		for _, path := range assumed {
			f := n.Field(path)
			if f == nil || f.Kind == schema.Boolean {
				continue
			}
			if fits, _ := r.fits(f, v); fits {
				return true
			}
		}
	}
	return false
}

// leaveOutUnknown moves unknown members of an input to r.unknown and adds a note for each.
func (r *reader) leaveOutUnknown(n *schema.Node, m map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if n.Field(name) == nil {
			if r.unknown == nil {
				r.unknown = map[string]any{}
			}
			r.unknown[name] = m[name]
			delete(m, name)
			name = text.Truncate(name, maxUnknownName)
			r.note(name, "unknown, left out")
			r.leftOut = append(r.leftOut, name)
		}
	}
}

// Advice returns sentences about the corrected input of an error: the fields with example values,
// and the changes.
func (e *InputError) Advice() []string {
	if e.Corrected == nil {
		return nil
	}
	advice := slices.Clone(e.Changes)
	if len(e.Assumed) > 0 {
		advice = append(advice, fmt.Sprintf("%s: an example; replace it by your value",
			strings.Join(e.Assumed, ", ")))
	}
	var replaced, omitted []string // fields with and without a default
	for _, f := range e.Omitted {
		if f.HasDefault {
			replaced = append(replaced, f.Path)
		} else {
			omitted = append(omitted, f.Path)
		}
	}
	const left = ": not valid, left out; give a valid value"
	if len(replaced) > 0 {
		advice = append(advice, strings.Join(replaced, ", ")+left+", or the default applies")
	}
	if len(omitted) > 0 {
		advice = append(advice, strings.Join(omitted, ", ")+left)
	}
	return advice
}
