package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"slipstick/tools"
)

// Plan is a validated request. It provides the input of every run by its index. It is immutable and
// safe for concurrent use once Validate has returned.
type Plan struct {
	Request *Request
	Tool    *tools.Tool

	columns  []column
	template *template
	sources  []source
	uniforms uniforms
	base     map[string]json.RawMessage // base input of mode list
	runs     int
	sized    string // field that determines the number of runs
	warnings []string
}

// NewPlan validates a request. It returns a *tools.NotFoundError for an unknown tool, otherwise a
// *tools.InputError that names every invalid field.
func NewPlan(catalog *tools.Catalog, r *Request) (*Plan, error) {
	entry, err := catalog.Find(r.Tool)
	if err != nil {
		return nil, err
	}
	p := &Plan{Request: r, Tool: entry.Tool}
	var errs tools.FieldErrors
	var bases []*float64
	p.template, bases = newTemplate(p.Tool, r.Input, r.Vary, &errs)
	p.columns = newColumns(p.Tool, r.Collect, &errs)
	p.checkFields(&errs)
	p.readSources(bases, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	p.count(&errs)
	return p, errs.Err()
}

// Searches reports whether the runs depend on the results of earlier runs.
func (p *Plan) Searches() bool { return isSearch(p.Request.Mode) }

// Sweeps reports whether the values of the runs are listed in the request: neither drawn nor
// searched for.
func (p *Plan) Sweeps() bool { return !p.Searches() && !isRandom(p.Request.Mode) }

func isSearch(mode string) bool { return mode == Solve || mode == Minimize || mode == Maximize }

func isRandom(mode string) bool { return mode == Random || mode == LHS || mode == Sobol }

// Runs returns the number of runs. For a search this is the maximum number.
func (p *Plan) Runs() int { return p.runs }

// Varied returns the varied fields in the order of vary.
func (p *Plan) Varied() []string {
	names := make([]string, len(p.Request.Vary))
	for i, v := range p.Request.Vary {
		names[i] = v.Field
	}
	return names
}

// Collected returns the names of the collected values in order.
func (p *Plan) Collected() []string {
	names := make([]string, len(p.columns))
	for i, c := range p.columns {
		names[i] = c.name
	}
	return names
}

// checkFields rejects fields that do not apply to the mode, and names that are not collected.
func (p *Plan) checkFields(errs *tools.FieldErrors) {
	r := p.Request
	for _, f := range []struct {
		name           string
		isSet, belongs bool
		to             string
	}{
		{"n", r.N != nil, isRandom(r.Mode) || p.Searches(),
			"random, lhs, sobol, solve, minimize and maximize"},
		{"inputs", len(r.Inputs) > 0, r.Mode == List, "list"},
		{"target", r.Target != nil, r.Mode == Solve, "solve"},
		{"objective", r.Objective != nil, r.Mode == Minimize || r.Mode == Maximize,
			"minimize and maximize"},
		{"vary", len(r.Vary) > 0, r.Mode != List, "the modes other than list"},
	} {
		if f.isSet && !f.belongs {
			errs.Add(f.name, "belongs to %s; mode is %s", f.to, r.Mode)
		}
	}
	required := func(name string, isSet bool) {
		if !isSet {
			errs.Add(name, "is required by mode %s", r.Mode)
		}
	}
	required("vary", len(r.Vary) > 0 || r.Mode == List)
	required("inputs", len(r.Inputs) > 0 || r.Mode != List)
	required("n", r.N != nil || !isRandom(r.Mode))
	required("target", r.Target != nil || r.Mode != Solve)
	required("objective", r.Objective != nil || r.Mode != Minimize && r.Mode != Maximize)
	if r.Target != nil {
		p.checkName("target.name", r.Target.Name, errs)
	}
	if r.Objective != nil {
		p.checkName("objective", *r.Objective, errs)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
		l := r.Limits[name]
		p.checkName("limits."+name, name, errs)
		switch {
		case l.Min == nil && l.Max == nil:
			errs.Add("limits."+name, "needs min, max or both")
		case l.Min != nil && l.Max != nil && *l.Min > *l.Max:
			errs.AddValue("limits."+name+".min", *l.Min, "must not exceed max, %g", *l.Max)
		}
	}
	if r.Mode == Solve && len(r.Vary) > 1 {
		errs.Add("vary", "of mode solve has one entry, has %d", len(r.Vary))
	}
	if len(r.Vary) > maxOptimized && isSearch(r.Mode) {
		errs.Add("vary", "of mode %s has at most %d entries, has %d", r.Mode, maxOptimized,
			len(r.Vary))
	}
}

func (p *Plan) checkName(path, name string, errs *tools.FieldErrors) {
	names := p.Collected()
	switch i := slices.Index(names, name); {
	case i < 0:
		errs.AddValue(path, name, "is not collected%s", nearestNames(name, names))
	case p.columns[i].onlyText:
		errs.AddValue(path, name, "is a text, and must be a number or a boolean")
	}
}

// readSources creates the source of every entry of vary.
func (p *Plan) readSources(bases []*float64, errs *tools.FieldErrors) {
	mode := p.Request.Mode
	for i := range p.Request.Vary {
		v, path := &p.Request.Vary[i], fmt.Sprintf("vary[%d]", i)
		kind := v.kindOf(path, errs)
		if kind == "" {
			p.sources = append(p.sources, source{})
			continue
		}
		v.rejectOthers(path, kind, errs)
		drawn := kind == fromDistribution || kind == fromTolerance
		switch {
		case drawn && !isRandom(mode):
			errs.Add(path,
				"has a distribution, which belongs to random, lhs and sobol; mode is %s", mode)
		case !drawn && isRandom(mode):
			errs.Add(path, "needs a distribution or tolerance_pct in mode %s", mode)
		case kind == fromValues && mode == Solve:
			errs.Add(path, "needs from and to in mode solve")
		case drawn && v.takesWhole(p.Tool):
			errs.Add(path, "draws fractions, and %s takes whole numbers only; vary it by values, "+
				"or from, to and points, in mode grid or zip", v.Field)
		case drawn:
			var base *float64
			if i < len(bases) {
				base = bases[i]
			}
			p.sources = append(p.sources, v.drawn(path, kind, base, errs))
			continue
		case kind == fromRange && isSearch(mode):
			if v.Points != nil && mode != Solve {
				errs.AddValue(path+".points", *v.Points, "does not belong to mode %s", mode)
			}
			_, _, ok := v.interval(path, errs)
			whole := ok && v.takesWhole(p.Tool)
			if whole {
				v.roundInward(path, errs)
			}
			p.sources = append(p.sources, source{whole: whole})
			continue
		default:
			p.sources = append(p.sources, v.listed(path, kind, errs))
			continue
		}
		p.sources = append(p.sources, source{})
	}
}

// count computes and checks the number of runs.
func (p *Plan) count(errs *tools.FieldErrors) {
	r := p.Request
	limit := MaxRuns
	if p.Tool.Heavy != nil {
		limit = MaxQueuedRuns
	}
	path := "vary"
	switch r.Mode {
	case Grid:
		p.runs = 1
		for _, s := range p.sources {
			if p.runs *= s.count; p.runs > limit {
				break // the product of eight counts could overflow
			}
		}
	case Zip:
		p.runs = p.sources[0].count
		for i, s := range p.sources {
			if s.count != p.runs {
				errs.Add(fmt.Sprintf("vary[%d]", i),
					"has %d values and the first entry %d; zip needs equal numbers",
					s.count, p.runs)
			}
		}
	case List:
		path, p.runs = "inputs", len(r.Inputs)
		p.checkInputs(errs)
	case Solve:
		scan := p.scanPoints()
		path, p.runs = "n", max(scan, min(scan+max(minRefineRuns, scan*refineShare), limit))
		if r.N != nil {
			p.runs = *r.N
		}
		if p.runs < scan {
			errs.AddValue("n", p.runs, "must be at least %d, the scan points of solve", scan)
		}
	case Minimize, Maximize:
		path, p.runs = "n", defaultEvaluations
		if r.N != nil {
			p.runs = *r.N
		}
	default:
		path, p.runs = "n", *r.N
		p.uniforms = newUniforms(r.Mode, r.Seed, p.runs, len(r.Vary))
	}
	p.sized = path
	p.limit(limit, errs)
}

// Limit returns a *tools.InputError if the number of runs exceeds the given maximum.
func (p *Plan) Limit(most int) error {
	var errs tools.FieldErrors
	p.limit(most, &errs)
	return errs.Err()
}

func (p *Plan) limit(most int, errs *tools.FieldErrors) {
	if p.runs > most {
		errs.Add(p.sized, "gives more than %d runs, the most for %s", most, p.Tool.Name)
	}
}

// checkInputs checks that the inputs of mode list are valid JSON. It does not merge them with the
// base input because a hundred thousand copies of a large base input would exhaust the memory.
func (p *Plan) checkInputs(errs *tools.FieldErrors) {
	if err := json.Unmarshal(p.Request.Input, &p.base); err != nil {
		errs.Add("input", "is not valid JSON: %s", err)
	}
	for i, in := range p.Request.Inputs {
		if !json.Valid(in) {
			errs.Add(fmt.Sprintf("inputs[%d]", i), "is not valid JSON")
			return
		}
	}
}

// merged returns the base input with the fields of an entry of inputs. fields must be valid JSON.
func (p *Plan) merged(fields object) json.RawMessage {
	input := maps.Clone(p.base)
	if json.Unmarshal(fields, &input) != nil {
		return json.RawMessage(fields)
	}
	text, err := json.Marshal(input)
	if err != nil {
		return json.RawMessage(fields)
	}
	return text
}

// Values returns the values of the varied fields for the run with the given index, which must be
// less than Runs. A search has no such values; Search generates them.
func (p *Plan) Values(index int) []Value {
	values := make([]Value, len(p.sources))
	for e := len(p.sources) - 1; e >= 0; e-- {
		switch s := p.sources[e]; {
		case s.draw != nil:
			values[e] = number(s.draw(p.uniforms(index, e)))
		case p.Request.Mode == Grid:
			values[e] = s.at(index % s.count)
			index /= s.count
		default:
			values[e] = s.at(index)
		}
	}
	return values
}

// Input returns the input of the run with the given index.
func (p *Plan) Input(index int) json.RawMessage {
	if p.Request.Mode == List {
		return p.merged(p.Request.Inputs[index])
	}
	return p.InputAt(p.Values(index))
}

// InputAt returns the input with the given values of the varied fields.
func (p *Plan) InputAt(values []Value) json.RawMessage {
	return p.template.fill(make([]byte, 0, len(p.template.text)+16*len(values)), values)
}

// DryRun is the response to a request that is only validated.
type DryRun struct {
	RunsTotal   int               `json:"runs_total" label:"Runs" doc:"Number of runs; for a search the maximum"`
	RunsInvalid int               `json:"runs_invalid" label:"Invalid runs" doc:"Runs whose input the tool rejects"`
	First       []json.RawMessage `json:"first" label:"First inputs" doc:"Inputs of the first runs, at most 10"`
	FirstError  *RunError         `json:"first_error,omitempty" label:"First error" doc:"The first invalid run"`
	Warnings    []string          `json:"warnings,omitempty" label:"Warnings" doc:"Unknown fields of the input"`
}

// RunError is the error of a failed or invalid run.
type RunError struct {
	Index int    `json:"index" label:"Run" doc:"Index of the run"`
	Error string `json:"error" label:"Error" doc:"Error of the run"`
}

// Check validates the input of every run and counts the invalid ones. It validates no inputs of a
// search. If ctx ends first, it returns the error of ctx.
func (p *Plan) Check(ctx context.Context) (DryRun, error) {
	d := DryRun{RunsTotal: p.runs, First: []json.RawMessage{}, Warnings: p.warnings}
	if p.Searches() {
		return d, nil
	}
	for i := range p.runs {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		input := p.Input(i)
		if err := p.Tool.Validate(input); err != nil {
			if d.RunsInvalid++; d.FirstError == nil {
				d.FirstError = &RunError{i, err.Error()}
			}
		}
		if i < maxListed {
			d.First = append(d.First, input)
		}
	}
	return d, nil
}
