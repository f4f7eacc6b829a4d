package openapi

import "encoding/json"

// exampleBatch is the example request in docs/batches.md.
const exampleBatch = `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 3, "scale": "log"}]}`

// batchPaths returns the paths of batches.
func (b *builder) batchPaths() map[string]object {
	toolSchemas{schemas: b.schemas}.add("BatchRequest", b.BatchRequest)
	id := pathParameter("id", "The batch's id",
		object{"type": "string", "pattern": "^[0-9a-f]{32}$"}, exampleJob)
	index := pathParameter("index", "The run's index", object{"type": "integer", "minimum": 0}, 0)
	one := func(name, summary, text string) object {
		op := operation(name, "batches", summary, text, batchResponses("200", "The batch",
			ref("Batch"), "404"))
		op["parameters"] = []any{id}
		return op
	}
	request := content("application/json", ref("BatchRequest"))
	request["application/json"].(object)["example"] = json.RawMessage(exampleBatch)
	created := batchResponses("202", "The batch is accepted", ref("Batch"))
	created["200"] = response("With dry_run", ref("DryRun"))
	created["202"].(object)["headers"] = object{"Location": header("The batch", "string")}
	create := operation("create_batch", "batches", "Run a batch",
		"The calls of all runs are debited; unused ones are refunded. docs/batches.md has the fields.", created)
	create["parameters"] = []any{idempotencyRef()}
	create["requestBody"] = object{"required": true, "content": request}

	page := batchResponses("200", "The rows by column", ref("Columns"), "404")
	forms := page["200"].(object)["content"].(object)
	for _, media := range []string{"text/csv", "application/x-ndjson"} {
		forms[media] = object{"schema": object{"type": "string"}}
	}
	rows := operation("batch_results", "batches", "Rows of a batch",
		"In index order, up to the first missing one.", page)
	rows["parameters"] = []any{
		id,
		query("from", "Index of the first row", object{"type": "integer", "minimum": 0}),
		query("limit", "How many rows at most", object{"type": "integer", "maximum": b.MaxRows}),
		query("partial", "Whether to skip missing rows", object{"type": "boolean"}),
	}
	run := operation("batch_run", "batches", "A run, computed again",
		"The full result of a run. It counts as a call.",
		batchResponses("200", "The result", ref("BatchRun"), "404"))
	run["parameters"] = []any{id, index}
	b.schemas["BatchRunJob"] = object{"allOf": []any{ref("Job"), object{
		"properties": object{"input": object{"type": "object", "additionalProperties": true}},
		"required":   []string{"input"},
	}}}
	accepted := response("Not finished yet: ask for the job", ref("BatchRunJob"))
	accepted["headers"] = jobHeaders()
	run["responses"].(object)["202"] = accepted
	stream := batchResponses("200", "The events", object{"type": "string"}, "404")
	stream["200"].(object)["content"] = content("text/event-stream", object{"type": "string"})
	events := operation("batch_events", "batches", "Progress and rows of a batch",
		"Server-sent events progress, rows, summary and end. Last-Event-ID resumes.", stream)
	events["parameters"] = []any{id}
	list := operation("list_batches", "batches", "Batches of a key", "The newest first.",
		batchResponses("200", "The batches", ref("BatchList")))
	return map[string]object{
		"/api/batches": {"post": create, "get": list},
		"/api/batches/{id}": {
			"get":    one("get_batch", "A batch", "For the key or the address that made it."),
			"delete": one("cancel_batch", "Cancel a batch", "Its rows are kept."),
		},
		"/api/batches/{id}/results":      {"get": rows},
		"/api/batches/{id}/runs/{index}": {"get": run},
		"/api/batches/{id}/events":       {"get": events},
	}
}

func batchResponses(status, description string, schema object, problems ...string) object {
	responses := problemRefs(append(problems, "400")...)
	responses["default"] = otherProblems()
	responses[status] = response(description, schema)
	return responses
}
