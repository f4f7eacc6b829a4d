package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"

	"slipstick/batch"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/plot"
	"slipstick/tools"
	"slipstick/tools/schema"
)

// batchRequest holds the arguments of batch_run: the batch request and the options of the response.
type batchRequest struct {
	body  []byte
	plot  plot.Format // "" for none
	notes []string    // changes of the interpretation
}

// readBatchRequest parses the arguments of batch_run. It adds the interactive inputs of the tool,
// as a call of the tool does.
func (x *Call) readBatchRequest() (r batchRequest, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(x.params.arguments, &fields) != nil || fields == nil {
		return r, tools.Invalid("", "the arguments must be an object")
	}
	if name := rawjson.Twice(x.params.arguments); name != "" {
		return r, tools.Invalid(text.Truncate(name, 60), schema.Duplicate)
	}
	if r.plot, err = x.plotFormat(fields["plot"]); err != nil {
		return r, err
	}
	delete(fields, "plot")
	name := rawjson.Unquote(fields["tool"])
	entry, err := x.server.opt.Catalog.Find(name)
	if written := x.server.opt.Catalog.FindWritten(name); err != nil && written != nil {
		entry, err = written, nil
		fields["tool"] = json.RawMessage(strconv.Quote(entry.Name))
		r.notes = append(r.notes, fmt.Sprintf("tool: %q is read as %s", name, entry.Name))
	}
	if err != nil { // Plan returns the error
		r.body, err = rawjson.Marshal(fields)
		return r, err
	}
	if !x.allowsBatchOf(entry.Name) {
		return r, tools.Invalid("tool",
			"%s is not among those this connection was narrowed to by ?tools=", entry.Name)
	}
	if fields["input"] == nil {
		fields["input"] = json.RawMessage("{}")
	}
	if r.body, err = rawjson.Marshal(fields); err != nil {
		return r, err
	}
	var notes []string
	r.body, notes = batch.Interpret(entry.Tool, r.body)
	if err = batch.Guessed(entry.Tool, r.body); err != nil {
		return r, err
	}
	r.notes = append(r.notes, notes...)
	fields = rawjson.Object(r.body)
	fields["input"] = entry.InteractiveInput(fields["input"])
	r.body, err = rawjson.Marshal(fields)
	return r, err
}

// allowsBatchOf reports whether ?tools= allows the caller to run batches of a tool. A list that
// names only batch tools allows every tool.
func (x *Call) allowsBatchOf(tool string) bool {
	for name := range x.caller.Only {
		if !isBatchTool(name) {
			return x.caller.Only.has(tool)
		}
	}
	return true
}

// plotFormat parses the argument plot. "none" yields "". The default is PNG, or none for a caller
// that wants no pictures.
func (x *Call) plotFormat(raw json.RawMessage) (plot.Format, error) {
	switch name := rawjson.Unquote(raw); {
	case (raw == nil || string(raw) == "null") && x.caller.Results.NoImages:
		return "", nil
	case raw == nil || string(raw) == "null" || name == string(plot.PNG):
		return plot.PNG, nil
	case name == string(plot.SVG):
		return plot.SVG, nil
	case name == "none":
		return "", nil
	}
	return "", tools.Invalid("plot", "must be png, svg or none, got %s",
		text.Truncate(string(raw), 40))
}
