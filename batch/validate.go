package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Limits of Validate.
const (
	maxProbes   = 16 // runs that Validate checks
	maxWarnings = 20
)

// Validate rejects a new request whose base input is invalid regardless of the varied values, that
// contains a field twice, or whose label could disguise itself. It checks up to 16 runs, and
// computes those of a synchronous tool, until one is valid. It returns a *tools.InputError with the
// fields of the request.
func (p *Plan) Validate() error {
	faults := p.inspect()
	if label := p.Request.Label; label != nil {
		if detail := tools.LabelError(*label); detail != "" {
			faults = append(faults, schema.FieldError{Path: "label", Detail: detail})
		}
	}
	if len(faults) == 0 {
		faults = p.probe()
	}
	if len(faults) == 0 {
		return nil
	}
	return &tools.InputError{Fields: faults}
}

// inspect returns the errors of the base input and the entries of inputs by themselves. It stores
// the warnings about their unknown fields.
func (p *Plan) inspect() (faults []schema.FieldError) {
	add := func(path string, input object, counts func(schema.FieldError) bool) {
		found, unknown, err := p.Tool.Inspect(input)
		if err != nil { // NewPlan has parsed the input
			faults = append(faults, schema.FieldError{Path: path, Detail: err.Error()})
		}
		for _, f := range found {
			if len(faults) < maxWarnings && (f.Detail == schema.Duplicate || counts(f)) {
				faults = append(faults, within(path, f))
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
	return faults
}

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

// probe returns the errors that all checked runs have in common, except those of varied fields.
func (p *Plan) probe() (common []schema.FieldError) {
	varied := p.variedPointers()
	for i := range min(p.runs, maxProbes) {
		err := tools.AsInputError(p.check(p.probeInput(i)))
		if err == nil {
			return nil
		}
		var found []schema.FieldError
		for _, f := range err.Fields {
			same := func(other schema.FieldError) bool {
				return f.Path == other.Path && f.Line == other.Line && f.Detail == other.Detail
			}
			if !isVaried(f, varied) && (i == 0 || slices.ContainsFunc(common, same)) {
				found = append(found, f)
			}
		}
		if common = found; len(common) == 0 {
			return nil
		}
	}
	for i := range common {
		common[i] = within("input", common[i])
	}
	return common
}

// probeInput returns the input of one of the runs that Validate checks. They are spread evenly over
// the runs, and in a search over the diagonal of its ranges.
func (p *Plan) probeInput(i int) json.RawMessage {
	last := max(1, min(p.runs, maxProbes)-1)
	if !p.Searches() {
		return p.Input(i * (p.runs - 1) / last)
	}
	values := make([]Value, len(p.sources))
	for e := range values {
		values[e] = p.valueAt(e, float64(i)/float64(last))
	}
	return p.InputAt(values)
}

// check validates the input of a run. It computes the run of a synchronous tool.
func (p *Plan) check(input json.RawMessage) error {
	if p.Tool.Heavy != nil {
		return p.Tool.Validate(input)
	}
	_, err := p.Tool.Compute(context.Background(), input)
	return err
}
