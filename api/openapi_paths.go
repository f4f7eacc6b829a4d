package api

import (
	"time"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/tools/schema"
	"slipstick/worker"
)

// servicePaths returns the paths that are not tools.
func servicePaths(catalog *tools.Catalog) map[string]map[string]any {
	var categories []string
	for _, c := range catalog.Categories {
		categories = append(categories, c.Name)
	}
	jobID := []any{map[string]any{"$ref": "#/components/parameters/JobID"}}
	list := operation("list_tools", "catalog", "Every tool", "An array of tools in short, in the order of the categories.",
		documentResponses("The tools", map[string]any{"type": "array", "items": ref("Listing")}, "400"))
	list["parameters"] = []any{map[string]any{
		"name": "category", "in": "query", "description": "Only this category",
		"schema": map[string]any{"type": "string", "enum": categories},
	}}
	describe := operation("describe_tool", "catalog", "A tool", "The metadata of a tool: method, sources, limits, schemas, examples and chain. The path of each tool has it.",
		documentResponses("The metadata", ref("Metadata")))
	describe["parameters"] = []any{map[string]any{
		"name": "tool", "in": "path", "required": true, "description": "The tool's name",
		"schema": map[string]any{"type": "string"}, "example": "fspl",
	}}
	get := operation("get_job", "jobs", "A job", "Where a job stands, with its result when it is done. With Prefer: wait=N the answer waits for the end.", jobResponses())
	get["parameters"] = append([]any{map[string]any{"$ref": "#/components/parameters/Prefer"}}, jobID...)
	cancel := operation("cancel_job", "jobs", "Cancel a job", "Takes the caller from the job, which is cancelled for this caller from then on: the answer is the job with the state cancelled. Equal requests of several callers are one job; it goes on for the others and stops when it has no caller left. A finished job stays as it was. Only for who submitted or joined it: with the same key, or without one from the same address.", jobResponses("401", "403"))
	cancel["parameters"] = jobID
	return map[string]map[string]any{
		"/api":        {"get": list},
		"/api/{tool}": {"get": describe},
		"/api/docs": {"get": operation("get_docs", "catalog", "This document", "The OpenAPI 3.1 description of the interface.",
			documentResponses("The OpenAPI document", map[string]any{"type": "object", "additionalProperties": true}))},
		"/api/jobs/{id}": {"get": get, "delete": cancel},
		"/healthz": {"get": operation("health", "health", "Alive", "Whether the process is alive.",
			map[string]any{"200": answer("It is", ref("Health")), "400": problemRef("400")})},
		"/readyz": {"get": operation("ready", "health", "Ready", "Whether requests should be sent here: light tools are served. What is missing beside that is shown.",
			map[string]any{"200": answer("They should; degraded when a part is missing", ref("Readiness")), "503": answer("They should not: the process is being stopped", ref("Readiness")), "400": problemRef("400")})},
	}
}

func operation(id, tag, summary, description string, responses map[string]any) map[string]any {
	return map[string]any{
		"operationId": id, "tags": []string{tag}, "summary": summary, "description": description, "responses": responses,
	}
}

func answer(description string, schema map[string]any) map[string]any {
	return map[string]any{"description": description, "content": content("application/json", schema)}
}

// documentResponses returns the responses of a constant document.
func documentResponses(description string, schema map[string]any, problems ...string) map[string]any {
	responses := problemRefs(append(problems, "404")...)
	ok := answer(description, schema)
	ok["headers"] = map[string]any{"ETag": header("For If-None-Match", "string")}
	responses["200"] = ok
	responses["304"] = map[string]any{"$ref": "#/components/responses/NotModified"}
	return responses
}

func jobResponses(more ...string) map[string]any {
	responses := problemRefs(append(more, "404", "410", "429", "503")...)
	ok := answer("The job", ref("Job"))
	ok["headers"] = jobHeaders()
	responses["200"] = ok
	return responses
}

// jobHeaders returns the headers of all responses with a job: ogen makes one type of them.
func jobHeaders() map[string]any {
	return map[string]any{
		"Location":           header("Where the job is; with 202 only", "string"),
		"Retry-After":        header("Seconds after which to ask again; absent when finished", "integer"),
		"Preference-Applied": header("The part of Prefer that was applied", "string"),
	}
}

func acceptedResponse() map[string]any {
	r := answer("Not finished yet: ask for the job", ref("Job"))
	r["headers"] = jobHeaders()
	r["content"].(map[string]any)["application/json"].(map[string]any)["example"] = (&Server{}).toJob(worker.Job{
		ID: exampleJob, Tool: "spice_simulate", Version: "1.0.0", State: worker.Running,
		Progress: tools.Progress{Phase: "transient", Percent: 40}, EnqueuedAt: exampleTime,
	}, exampleRequest, nil)
	return r
}

// acceptedRef is the answer 202 of queued tools.
func acceptedRef() map[string]any {
	return map[string]any{"$ref": "#/components/responses/Accepted"}
}

func header(description, kind string) map[string]any {
	return map[string]any{"description": description, "schema": map[string]any{"type": kind}}
}

func preferParameter() map[string]any {
	return map[string]any{
		"name": "Prefer", "in": "header", "schema": map[string]any{"type": "string"}, "example": "respond-async",
		"description": "RFC 7240. respond-async: answer 202 at once and keep the job. wait=N: wait at most N seconds for the result.",
	}
}

func jobIDParameter() map[string]any {
	return map[string]any{
		"name": "id", "in": "path", "required": true, "description": "The job's id",
		"schema": map[string]any{"type": "string", "pattern": "^[0-9a-f]{32}$"}, "example": exampleJob,
	}
}

// problemExamples returns a common problem per status.
func problemExamples() map[string]*problemError {
	return map[string]*problemError{
		"400": invalidInputProblem([]schema.FieldError{{Path: "dist_km", Detail: "must be greater than 0", Value: []byte("-5")}}),
		"401": invalidTokenProblem(&keys.InvalidTokenError{Reason: "the token has expired"}),
		"403": newProblem(notYourJob, ""),
		"404": toProblem(&tools.NotFoundError{Name: "fslp", Nearest: []string{"fspl"}}),
		"409": newProblem(jobCancelled, "the job was cancelled"),
		"410": newProblem(resultDropped, ""),
		"413": newProblem(bodyTooLarge, "the body is larger than 1048576 bytes"),
		"415": newProblem(wrongMediaType, "the body has no Content-Type; send the header Content-Type: application/json"),
		"429": toProblem(&keys.LimitError{Reason: "without a key your address has used its 200 calls of today; the day ends at 00:00 UTC; a free key from POST /api/keys has 5000 calls a day", RetryAfter: 90 * time.Minute}),
		"500": newProblem(internal, ""),
		"503": toProblem(&worker.BusyError{RetryAfter: 2e9, Reason: "the queue is full"}),
		"504": newProblem(timeLimit, ""),
	}
}

func problemResponses() map[string]any {
	responses := map[string]any{}
	for status, f := range problemExamples() {
		body := content("application/problem+json", ref("Problem"))
		body["application/problem+json"].(map[string]any)["example"] = f.problem(exampleRequest)
		r := map[string]any{"description": f.title, "content": body}
		switch {
		case f.limit != nil:
			r["headers"] = limitHeaders()
			r["headers"].(map[string]any)["Retry-After"] = header("Seconds after which to try again", "integer")
		case f.retry > 0:
			r["headers"] = map[string]any{"Retry-After": header("Seconds after which to try again", "integer")}
		case f.challenge != "":
			r["headers"] = map[string]any{"WWW-Authenticate": header("What is asked for", "string")}
		}
		responses["Problem"+status] = r
	}
	return responses
}

// sharedResponses returns the responses that several operations refer to.
func sharedResponses() map[string]any {
	responses := problemResponses()
	other := answer("Another problem, such as a body that is too large", ref("Problem"))
	other["content"] = content("application/problem+json", ref("Problem"))
	responses["Problem"] = other
	responses["Accepted"] = acceptedResponse()
	responses["NotModified"] = map[string]any{"description": "The client has it already"}
	return responses
}

// sharedHeaders returns the RateLimit headers.
func sharedHeaders() map[string]any {
	return map[string]any{
		"RateLimit-Policy": header(`The limit: "day";q=200;w=86400 is 200 calls per day; absent for paid keys`, "string"),
		"RateLimit":        header(`The state: "day";r=137;t=5400 is 137 calls left, and 5400 s until there are more`, "string"),
	}
}

func limitHeaders() map[string]any {
	return map[string]any{
		"RateLimit-Policy": map[string]any{"$ref": "#/components/headers/RateLimit-Policy"},
		"RateLimit":        map[string]any{"$ref": "#/components/headers/RateLimit"},
	}
}

func problemRef(status string) map[string]any {
	return map[string]any{"$ref": "#/components/responses/Problem" + status}
}

func problemRefs(statuses ...string) map[string]any {
	refs := map[string]any{}
	for _, s := range statuses {
		refs[s] = problemRef(s)
	}
	return refs
}
