package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"slipstick/tools/schema"
)

// Spec describes a tool, except its fields and its function.
type Spec struct {
	Name    string   // name in the URL path, such as fspl
	Title   string   // heading, such as Free-space path loss
	Summary string   // one line without a full stop
	Method  string   // equations in words and symbols
	Sources []string // standard, paper or book with edition and equation or table number
	Limits  []string // effects that are not modelled, and the range of validity
	Aliases []string // further search terms, such as "path loss" or "AWG"

	// Primary lists the main results, most important first. The page emphasizes the first that is
	// not an input. If it is empty, results appear in definition order.
	Primary []string

	Solves Solves // inputs that determine each other

	Examples []Example // at least one; executed by tests

	Version string // version of the method; "" means 1.0.0. It is part of a job's identity
	Heavy   *Heavy // nil for a synchronous tool
	Extras  map[string]any

	// SizeLimit is the input that limits the size of the problem, or nil.
	SizeLimit *SizeLimit

	// Files are formats of the result that REST returns directly to a client that prefers their
	// media type. The input "format" selects one.
	Files []File

	// Unsupported names inputs that the tool lacks but its users expect, with the consequence for
	// the result and what to use instead. A warning has this text, without a full stop.
	Unsupported map[string]string

	// Check validates a canonical input beyond the limits of its fields, without the computation of
	// a queued tool. It returns the *InputError that the computation would return. nil: no check.
	Check func(input json.RawMessage) error

	// Interactive contains JSON inputs that MCP, the page and the command line add if they are
	// absent. They are defaults for interactive users that REST does not apply.
	Interactive map[string]json.RawMessage
}

// Solves lists inputs of which any subset of Given inputs determines the others. The result
// contains the others under the same names. If the user enters an additional input, the page clears
// the input that was entered first.
type Solves struct {
	Inputs []string
	Given  int
}

// File is a file format of a result. If the input "format" selects it, the first member of the
// result has the name Format and contains the complete file as a string.
type File struct {
	MediaType string // such as text/csv
	Format    string // value of the input "format" and name of the member
	Base64    bool   // the member contains the file in base64
}

// Heavy marks a tool that runs on a worker.
type Heavy struct {
	Pool              string        // worker pool: spice or board
	Timeout           time.Duration // time limit of a run
	SupportsEarlyStop bool          // it can stop with its best result so far, see StopSignal
}

// Example is an example input with its expected result.
type Example struct {
	Title string
	In    string // JSON
	// Want is JSON with some fields of the result and is published unchanged. Numbers are compared
	// to half a unit of their last digit: "105.656" accepts 105.6555 to 105.6565. Texts must be
	// equal.
	Want string
	From string // source of the expected values, if not among the tool's sources
}

// Link is a hyperlink to further information about a tool.
type Link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// Tool is a defined tool. It is immutable and safe for concurrent use.
type Tool struct {
	Spec
	Input  *schema.Node
	Output *schema.Node

	sources []source // set by NewCatalog

	run       func(ctx context.Context, body []byte) (json.RawMessage, error)
	compute   func(context.Context, []byte) (Result, error)
	canonical func(body []byte) (json.RawMessage, error)
	unknown   func(body []byte) []string
	inspect   func(body []byte) (errs []schema.FieldError, unknown []string, err error)
}

// InteractiveInput adds missing Interactive inputs to body, a JSON object. It returns a body that
// is not an object unchanged.
func (t *Tool) InteractiveInput(body []byte) []byte {
	if len(t.Interactive) == 0 {
		return body
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return body
	}
	changed := false
	for name, value := range t.Interactive {
		if _, given := fields[name]; !given {
			fields[name], changed = value, true
		}
	}
	if !changed {
		return body
	}
	with, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return with
}

// Warnings is embedded in every output struct. A warning qualifies a computed result.
type Warnings struct {
	Warnings []string `json:"warnings" label:"Warnings" doc:"Remarks on the input or on the validity of the result; empty when there are none"`
}

// Warn adds a warning.
func (w *Warnings) Warn(format string, args ...any) {
	w.Warnings = append(w.Warnings, sentence(format, args...))
}

type warner interface{ Warn(string, ...any) }

// Define returns the tool for a function from In to Out. Both are structs with the tags of package
// schema; Out embeds Warnings. Define panics at program start if the definition is invalid.
//
// The function receives a validated input with defaults. For contradictory inputs it returns an
// error from Invalid or FieldErrors. It may also return the error of its context.
func Define[In, Out any, P interface {
	*Out
	warner
}](spec Spec, compute func(context.Context, In) (Out, error)) *Tool {
	if spec.Version == "" {
		spec.Version = "1.0.0"
	}
	t := &Tool{Spec: spec, Input: schema.Compile[In](), Output: schema.Compile[Out]()}
	t.mustBeValid()
	texts := newEncoders()
	decode := func(body []byte) (in In, unknown []string, err error) {
		d, err := t.Input.Decode(body, &in)
		if err != nil {
			return in, nil, &InputError{Fields: []schema.FieldError{{Detail: err.Error()}}}
		}
		if len(d.FieldErrors) > 0 {
			return in, nil, &InputError{Fields: withNearest(d, t.Input)}
		}
		return in, d.Unknown, nil
	}
	finish := func(ctx context.Context, body []byte) (out Out, err error) {
		in, unknown, err := decode(body)
		if err != nil {
			return out, err
		}
		if out, err = compute(ctx, in); err != nil {
			return out, withUnknown(err, unknownFields(unknown, t.Input, t.Unsupported))
		}
		for _, w := range unknownFields(unknown, t.Input, t.Unsupported) {
			P(&out).Warn("%s", w)
		}
		if bad := t.Output.Finalize(&out); bad != "" {
			return out, notFinite(bad, body, t.Input)
		}
		return out, nil
	}
	t.run = func(ctx context.Context, body []byte) (json.RawMessage, error) {
		out, err := finish(ctx, body)
		if err != nil {
			return nil, err
		}
		return texts.encode(out, Cores(ctx))
	}
	fields := fieldsOf(reflect.TypeFor[Out]())
	t.compute = func(ctx context.Context, body []byte) (Result, error) {
		out, err := finish(ctx, body)
		if err != nil {
			return Result{}, err
		}
		return Result{reflect.ValueOf(out), fields}, nil
	}
	t.canonical = func(body []byte) (json.RawMessage, error) {
		in, _, err := decode(body)
		if err != nil {
			return nil, err
		}
		return texts.encode(in, 1)
	}
	t.unknown = func(body []byte) []string {
		_, unknown, err := decode(body)
		if err != nil {
			return nil
		}
		return unknownFields(unknown, t.Input, t.Unsupported)
	}
	t.inspect = func(body []byte) (errs []schema.FieldError, unknown []string, err error) {
		d, err := t.Input.Decode(body, new(In))
		if err != nil {
			return nil, nil, err
		}
		return withNearest(d, t.Input), unknownFields(d.Unknown, t.Input, t.Unsupported), nil
	}
	return t
}

// mustBeValid panics if the definition of a tool is invalid.
func (t *Tool) mustBeValid() {
	if t.Name == "" || t.Title == "" || t.Summary == "" || t.Method == "" ||
		len(t.Sources) == 0 || len(t.Examples) == 0 {
		panic("tools: " + t.Name + " needs name, title, summary, method, a source and an example")
	}
	for _, name := range t.Primary {
		if t.Output.Field(name) == nil {
			panic("tools: " + t.Name + " has no result " + name)
		}
	}
	for _, name := range t.Solves.Inputs {
		in, out := t.Input.Field(name), t.Output.Field(name)
		if in == nil || out == nil || in.Required || in.Kind != schema.Number ||
			out.Kind != schema.Number || in.Unit != out.Unit {
			panic("tools: " + t.Name + " cannot solve for " + name +
				": it has to be an optional number and a result of the same unit")
		}
	}
	if n := len(t.Solves.Inputs); n > 0 && (t.Solves.Given < 1 || t.Solves.Given >= n) {
		panic("tools: " + t.Name + " solves for nothing or out of nothing")
	}
	if last := t.Output.Fields[len(t.Output.Fields)-1]; last.Name != "warnings" {
		panic("tools: " + t.Name + " has the result " + last.Name +
			" behind its warnings, see AppendWarnings")
	}
}

// encoder encodes JSON without HTML escapes. The page escapes texts itself, and "<" in a warning
// must remain readable.
type encoder struct {
	buf  bytes.Buffer
	json *json.Encoder
}

// keptBuffer is the maximum capacity of a pooled buffer in bytes.
const keptBuffer = 64 << 10

// encoders is a pool of encoders. It is safe for concurrent use.
type encoders struct{ pool sync.Pool }

func newEncoders() *encoders {
	return &encoders{sync.Pool{New: func() any {
		e := &encoder{}
		e.json = json.NewEncoder(&e.buf)
		e.json.SetEscapeHTML(false)
		return e
	}}}
}

// jsonAppender is a result that encodes itself faster than encoding/json does, to equal bytes.
type jsonAppender interface {
	// AppendJSON appends the result as JSON without HTML escapes and returns the extended buffer.
	// It uses at most the given number of cores. The bytes do not depend on it.
	AppendJSON(b []byte, cores int) ([]byte, error)
}

// encode encodes a value on up to the given number of cores.
func (p *encoders) encode(v any, cores int) (json.RawMessage, error) {
	if a, ok := v.(jsonAppender); ok {
		return a.AppendJSON(nil, cores)
	}
	e := p.pool.Get().(*encoder)
	e.buf.Reset()
	if err := e.json.Encode(v); err != nil {
		return nil, err // the encoder is not reused because it retains its error
	}
	text := bytes.TrimSuffix(e.buf.Bytes(), []byte("\n"))
	if e.buf.Cap() > keptBuffer {
		return text, nil
	}
	text = bytes.Clone(text)
	p.pool.Put(e)
	return text, nil
}

// Run computes the tool for a JSON input and returns the result as JSON. It returns an *InputError
// for an invalid input, the error of the context, or another error for a defect of the tool.
func (t *Tool) Run(ctx context.Context, body []byte) (json.RawMessage, error) {
	return t.run(ctx, body)
}

// Canonical validates a body and returns it with defaults, in a fixed field order and without
// unknown fields. Equivalent bodies thus yield equal bytes. Canonical does not apply the
// cross-field rules of the tool.
func (t *Tool) Canonical(body []byte) (json.RawMessage, error) {
	return t.canonical(body)
}

// Validate is the variant of Canonical that also calls Spec.Check and returns only the error.
func (t *Tool) Validate(body []byte) error {
	canonical, err := t.canonical(body)
	if err == nil && t.Check != nil {
		err = t.Check(canonical)
	}
	return err
}

// Inspect returns the field errors of a body, and the warnings of Unknown also if the body is
// invalid or incomplete. It returns a *schema.SyntaxError if the body is not a JSON value.
func (t *Tool) Inspect(body []byte) (errs []schema.FieldError, unknown []string, err error) {
	return t.inspect(body)
}

// Description returns the text from which agents and search engines select the tool.
func (t *Tool) Description() string {
	return t.Summary + ". Method: " + t.Method
}

// withNearest returns the field errors of d. To the error of a missing field it adds the name of a
// similar unknown field.
func withNearest(d schema.Decoded, n *schema.Node) []schema.FieldError {
	for _, u := range d.Unknown {
		for i, f := range d.FieldErrors {
			if f.Value == nil && nearestField(u, n) == f.Path {
				d.FieldErrors[i].Detail += fmt.Sprintf(" (%q is unknown; was %s meant?)", u, f.Path)
			}
		}
	}
	return d.FieldErrors
}
