package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"slipstick/batch"
	"slipstick/batch/service"
	"slipstick/call"
	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// explainBatch returns the cause and the remedy of an error.
func (x *Call) explainBatch(err error) string {
	var unknown *tools.NotFoundError
	var limit *keys.LimitError
	var busy *worker.BusyError
	switch input := tools.AsInputError(err); {
	case input != nil:
		var b strings.Builder
		fmt.Fprintf(&b, "Invalid input of %s:\n", x.params.name)
		for _, f := range input.Fields {
			b.WriteString("- " + text.Truncate(f.Sentence(), 1000) + "\n")
		}
		b.WriteString("Correct these fields and call again.")
		return b.String() + x.correctedBatch()
	case errors.As(err, &unknown):
		return unknownTool(unknown) + x.correctedBatch()
	case errors.As(err, &limit), errors.As(err, &busy), errors.Is(err, worker.ErrUnavailable),
		errors.Is(err, context.Canceled):
		return x.explain(err).text
	case errors.Is(err, service.ErrNotFound):
		return err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "the runs could not be validated in time; ask for fewer"
	}
	x.server.opt.Log.Error("unexpected error", "request_id", x.caller.RequestID, "tool",
		x.params.name, "error", err)
	return call.ErrInternal.Error()
}

// batchExample is an example of a valid batch request.
const batchExample = `{"tool":"fspl","input":{"freq_mhz":915},` +
	`"vary":[{"field":"/dist_km","from":1,"to":100,"points":20,"scale":"log"}]}`

// correctedBatch returns the last part of the error text of batch_run: a corrected request or, if
// that is unknown, a valid example.
func (x *Call) correctedBatch() string {
	var fields map[string]json.RawMessage
	if x.params.name != batchRunName || json.Unmarshal(x.params.arguments, &fields) != nil {
		return ""
	}
	delete(fields, "plot")
	tool := x.server.opt.Catalog.FindWritten(rawjson.Unquote(fields["tool"]))
	if tool != nil {
		fields["tool"] = json.RawMessage(strconv.Quote(tool.Name))
	}
	title, arguments := "An example of a valid call", json.RawMessage(batchExample)
	if _, hasInput := fields["input"]; !hasInput && bytes.HasPrefix(fields["inputs"], []byte("{")) {
		fields["input"] = fields["inputs"]
		delete(fields, "inputs")
	}
	if fields["mode"] == nil && fields["vary"] == nil &&
		bytes.HasPrefix(fields["inputs"], []byte("[")) {
		fields["mode"] = json.RawMessage(`"list"`)
	}
	if body, err := rawjson.Marshal(fields); err == nil {
		var leftOut []string
		if i, ok := tools.InterpretAs(batch.Schema(), body); ok {
			body, leftOut = i.Input, i.LeftOut()
		} else if body, leftOut = withoutUnknown(fields); len(leftOut) > 0 {
			if i, ok = tools.InterpretAs(batch.Schema(), body); ok {
				body = i.Input
			}
		}
		corrected := "Corrected call"
		if len(leftOut) > 0 {
			corrected = "A valid call without " + text.Truncate(strings.Join(leftOut, ", "), 200)
		}
		body = withPointers(body)
		if tool != nil {
			body, _ = batch.Interpret(tool.Tool, body)
			if guess := tools.AsInputError(batch.Guessed(tool.Tool, body)); guess != nil {
				body = guess.Corrected
			}
		}
		if _, err := x.batches().Plan(body); err == nil && len(body) <= maxCorrected {
			title, arguments = corrected, body
		}
	}
	return "\n" + title + `: {"name":"` + batchRunName + `","arguments":` + string(arguments) + "}"
}

// withoutUnknown returns a batch request without its unknown members, and their names.
func withoutUnknown(fields map[string]json.RawMessage) (body []byte, leftOut []string) {
	known := maps.Clone(fields)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if batch.Schema().Field(name) == nil {
			delete(known, name)
			leftOut = append(leftOut, name)
		}
	}
	body, _ = rawjson.Marshal(known) // marshaling valid JSON cannot fail
	return body, leftOut
}

// withPointers returns a batch request whose varied fields are JSON pointers: "/dist_km" for
// "dist_km".
func withPointers(body []byte) []byte {
	var fields map[string]json.RawMessage
	var vary []map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(fields["vary"], &vary) != nil {
		return body
	}
	for _, v := range vary {
		if name := rawjson.Unquote(v["field"]); name != "" && !strings.ContainsAny(name, "/:") {
			v["field"], _ = rawjson.Marshal("/" + name) // marshaling a string cannot fail
		}
	}
	changed, err := rawjson.Marshal(vary)
	if err != nil {
		return body
	}
	fields["vary"] = changed
	if changed, err = rawjson.Marshal(fields); err != nil {
		return body
	}
	return changed
}
