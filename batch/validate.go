package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Limits of Validate.
const (
	// validationTime is the time after which Validate begins no further check of a run. It bounds
	// the work for a netlist near its largest size, which takes up to a second to parse.
	validationTime = time.Second
	maxWarnings    = 20
)

// Validate rejects a new request that contains a field twice or whose label could disguise itself.
// It also rejects a collected name that the netlist lacks, and a base input that is invalid
// regardless of the varied values. It checks runs, and computes those of a synchronous tool, until
// one is valid or the time limit ends. It never rejects a request for the errors of its runs if a
// run may be valid. It returns a *tools.InputError with the fields of the request.
func (p *Plan) Validate() error {
	errs := p.inspect()
	if label := p.Request.Label; label != nil {
		if detail := tools.LabelError(*label); detail != "" {
			errs = append(errs, schema.FieldError{Path: "label", Detail: detail})
		}
	}
	if len(errs) == 0 {
		errs = p.missingNames()
	}
	if len(errs) == 0 {
		errs = p.probe()
	}
	if len(errs) == 0 {
		return nil
	}
	return &tools.InputError{Fields: errs}
}

// inspect returns the errors of the base input and the entries of inputs by themselves. It stores
// the warnings about their unknown fields.
func (p *Plan) inspect() (errs []schema.FieldError) {
	add := func(path string, input object, counts func(schema.FieldError) bool) {
		found, unknown, err := p.Tool.Inspect(input)
		if err != nil { // NewPlan has parsed the input
			errs = append(errs, schema.FieldError{Path: path, Detail: err.Error()})
		}
		for _, f := range found {
			if len(errs) < maxWarnings && (f.Detail == schema.Duplicate || counts(f)) {
				errs = append(errs, within(path, f))
			}
		}
		for _, warning := range unknown {
			if len(p.warnings) < maxWarnings && !slices.Contains(p.warnings, warning) {
				p.warnings = append(p.warnings, warning)
			}
		}
	}
	p.warnings = nil
	varied := p.variedPointers()
	add("input", p.Request.Input, func(f schema.FieldError) bool { return !isVaried(f, varied) })
	for i, input := range p.Request.Inputs {
		// Another error of an entry is an error of its run alone.
		add(fmt.Sprintf("inputs[%d]", i), input, func(schema.FieldError) bool { return false })
	}
	return errs
}

var (
	measureCard = regexp.MustCompile(`(?im)^\s*\.meas(?:ure)?\s+\S+\s+(\S+)`)
	// vectorName matches the first name in a vector, without the letter of the element in the name
	// of a current in a subcircuit, such as i(v.x1.vsense).
	vectorName = regexp.MustCompile(`(?i)^[vi]\(\s*(?:[a-z]\.)?([^(),.:\s]+)`)
)

// missingNames returns the errors of collected measurements and vectors that no run can have,
// because their name is nowhere in the text of the netlist. A name that is elsewhere in the text,
// not as a part of a longer word, is accepted, and its values are absent.
func (p *Plan) missingNames() []schema.FieldError {
	var input map[string]any
	if json.Unmarshal(p.Request.Input, &input) != nil || // NewPlan has parsed the input
		slices.Contains(p.variedPointers(), "/"+netlistField) {
		return nil
	}
	text, ok := netlistText(input)
	if !ok {
		return nil
	}
	text = strings.ToLower(text)
	lacks := func(name string) bool { return !hasWord(text, strings.ToLower(name)) }
	var errs tools.FieldErrors
	for i, c := range p.Request.Collect {
		path := fmt.Sprintf("collect[%d]", i)
		switch {
		case c.Measure != nil && lacks(*c.Measure):
			var names []string
			for _, card := range measureCard.FindAllStringSubmatch(text, -1) {
				names = append(names, card[1])
			}
			errs.AddValue(path+".measure", *c.Measure, "names no .measure card of the netlist%s",
				nearestNames(*c.Measure, names))
		case c.Vector != nil:
			if m := vectorName.FindStringSubmatch(*c.Vector); m != nil && lacks(m[1]) {
				errs.AddValue(path+".vector", *c.Vector, "names %s, which is not in the netlist",
					quoted(m[1]))
			}
		}
	}
	if invalid := tools.AsInputError(errs.Err()); invalid != nil {
		return invalid.Fields
	}
	return nil
}

// hasWord reports whether a text contains a name that is not part of a longer word. A netlist may
// have a megabyte, for which a regular expression is too slow.
func hasWord(text, name string) bool {
	for start := 0; start <= len(text); start++ {
		i := strings.Index(text[start:], name)
		if i < 0 {
			return false
		}
		start += i
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[start+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
	}
	return false
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// within returns a field error of an input as an error of the field of the request that contains
// the input.
func within(path string, f schema.FieldError) schema.FieldError {
	if f.Path = strings.TrimSuffix(path+"."+f.Path, "."); strings.HasPrefix(f.Path, path+".[") {
		f.Path = path + f.Path[len(path)+1:]
	}
	return f
}

// Warnings returns the warnings about unknown fields of the input that Validate found. A call of
// the tool returns the same.
func (p *Plan) Warnings() []string { return p.warnings }

// variedPointers returns JSON pointers to the fields that differ from run to run. Fields within a
// netlist have none, because an error of a netlist names its line.
func (p *Plan) variedPointers() []string {
	var out []string
	for _, v := range p.Request.Vary {
		if !v.inNetlist() {
			out = append(out, v.Field)
		}
	}
	seen := map[string]bool{}
	for _, input := range p.Request.Inputs {
		var fields map[string]json.RawMessage
		if json.Unmarshal(input, &fields) != nil {
			continue
		}
		for name := range fields {
			if pointer := (schema.FieldError{Path: name}).Pointer(); !seen[pointer] {
				seen[pointer], out = true, append(out, pointer)
			}
		}
	}
	return out
}

// isVaried reports whether a varied field is, contains or is part of the field of an error.
func isVaried(f schema.FieldError, varied []string) bool {
	at := f.Pointer() + "/"
	return slices.ContainsFunc(varied, func(pointer string) bool {
		pointer += "/"
		return len(at) > 1 && (strings.HasPrefix(at, pointer) || strings.HasPrefix(pointer, at))
	})
}

// probe returns the errors that all runs have in common, except those of varied fields. A run that
// crashes has no errors. probe returns nil if a run is valid, or if validationTime ends first.
func (p *Plan) probe() (common []schema.FieldError) {
	ctx, cancel := context.WithTimeout(context.Background(), validationTime)
	defer cancel()
	varied := p.variedPointers()
	first := true
	// fails reports whether all runs up to this one have an error in common.
	fails := func(input json.RawMessage) bool {
		var found []schema.FieldError
		for _, f := range p.check(ctx, input) {
			same := func(other schema.FieldError) bool {
				return f.Path == other.Path && f.Line == other.Line && f.Detail == other.Detail
			}
			if !isVaried(f, varied) && (first || slices.ContainsFunc(common, same)) {
				found = append(found, f)
			}
		}
		first, common = false, found
		return len(common) > 0 && ctx.Err() == nil
	}
	if !p.allFail(fails) {
		return nil
	}
	for i := range common {
		common[i] = within("input", common[i])
	}
	return common
}

// allFail reports whether fails is true for the inputs of all runs. It ends at the first other run.
// For a search these are the runs that it makes while all of them fail.
func (p *Plan) allFail(fails func(input json.RawMessage) bool) bool {
	if !p.Searches() {
		for i := range p.runs {
			if !fails(p.Input(i)) {
				return false
			}
		}
		return true
	}
	_, err := p.Search(context.Background(),
		func(_ context.Context, points [][]Value) ([]Run, error) {
			runs := make([]Run, len(points))
			for i, values := range points {
				if !fails(p.InputAt(values)) {
					return nil, errValidRun
				}
				runs[i] = p.failedRun(values, "invalid")
			}
			return runs, nil
		})
	return err == nil
}

// errValidRun ends the search of allFail.
var errValidRun = errors.New("batch: a run may be valid")

// check returns the field errors of the input of a run. It computes the run of a synchronous tool.
func (p *Plan) check(ctx context.Context, input json.RawMessage) (errs []schema.FieldError) {
	defer func() {
		if recover() != nil {
			errs = nil // the run reports the defect
		}
	}()
	var err error
	if p.Tool.Heavy != nil {
		err = p.Tool.Validate(input)
	} else {
		_, err = p.Tool.Compute(ctx, input)
	}
	if invalid := tools.AsInputError(err); invalid != nil {
		return invalid.Fields
	}
	return nil
}
