package api

import (
	"encoding/json"

	"slipstick/batch"
	"slipstick/batch/service"
)

// exampleBatch is the example of docs/batches.md.
const exampleBatch = `{"tool": "fspl", "input": {"freq_mhz": 915}, "vary": [{"field": "/dist_km", "from": 1, "to": 100, "points": 3, "scale": "log"}]}`

// batchPaths are the paths of batches.
func batchPaths() map[string]map[string]any {
	id := map[string]any{
		"name": "id", "in": "path", "required": true, "description": "The batch's id",
		"schema": map[string]any{"type": "string", "pattern": "^[0-9a-f]{32}$"}, "example": exampleJob,
	}
	index := map[string]any{
		"name": "index", "in": "path", "required": true, "description": "The run's index",
		"schema": map[string]any{"type": "integer", "minimum": 0}, "example": 0,
	}
	one := func(name, summary, text string) map[string]any {
		op := operation(name, "batches", summary, text, batchResponses("200", "The batch", ref("Batch"), "404"))
		op["parameters"] = []any{id}
		return op
	}
	request := content("application/json", ref("BatchRequest"))
	request["application/json"].(map[string]any)["example"] = json.RawMessage(exampleBatch)
	create := operation("create_batch", "batches", "Run a batch",
		"The calls of all runs are debited; unused ones are refunded. docs/batches.md has the fields.",
		batchResponses("202", "The batch is accepted", ref("Batch")))
	create["responses"].(map[string]any)["200"] = answer("With dry_run", ref("DryRun"))
	create["responses"].(map[string]any)["202"].(map[string]any)["headers"] = map[string]any{"Location": header("The batch", "string")}
	create["requestBody"] = map[string]any{"required": true, "content": request}

	rows := operation("batch_results", "batches", "Rows of a batch",
		"In index order, up to the first missing one.",
		batchResponses("200", "The rows by column", ref("Columns"), "404"))
	rows["parameters"] = []any{
		id,
		query("from", "Index of the first row", map[string]any{"type": "integer", "minimum": 0}),
		query("limit", "How many rows at most", map[string]any{"type": "integer", "maximum": maxBatchRows}),
		query("partial", "Whether to skip missing rows", map[string]any{"type": "boolean"}),
	}
	forms := rows["responses"].(map[string]any)["200"].(map[string]any)["content"].(map[string]any)
	for _, media := range []string{csvType, ndjsonType} {
		forms[media] = map[string]any{"schema": map[string]any{"type": "string"}}
	}
	run := operation("batch_run", "batches", "A run, computed again",
		"The full result of a run. It counts as a call.",
		batchResponses("200", "The result", ref("BatchRun"), "404"))
	run["parameters"] = []any{id, index}
	run["responses"].(map[string]any)["202"] = acceptedRef()
	list := operation("list_batches", "batches", "Batches of a key", "The newest first.",
		batchResponses("200", "The batches", ref("BatchList")))
	return map[string]map[string]any{
		"/api/batches": {"post": create, "get": list},
		"/api/batches/{id}": {
			"get":    one("get_batch", "A batch", "For the key or the address that made it."),
			"delete": one("cancel_batch", "Cancel a batch", "Its rows are kept."),
		},
		"/api/batches/{id}/results":      {"get": rows},
		"/api/batches/{id}/runs/{index}": {"get": run},
	}
}

func batchResponses(status, description string, schema map[string]any, problems ...string) map[string]any {
	responses := problemRefs(append(problems, "400")...)
	responses["default"] = map[string]any{"$ref": "#/components/responses/Problem"}
	responses[status] = answer(description, schema)
	return responses
}

// addBatches registers the components of batches.
func (s shapes) addBatches() {
	add[service.Batch](s)
	add[BatchList](s)
	add[BatchRun](s)
	add[batch.Columns](s)
	add[batch.DryRun](s)
	s["BatchRequest"] = map[string]any{ // docs/batches.md has the fields; the document is bounded
		"type": "object", "required": []string{"tool"}, "additionalProperties": true,
		"properties": map[string]any{"tool": map[string]any{"type": "string"}},
	}
}
