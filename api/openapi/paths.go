package openapi

// catalogPaths returns the paths of the catalog and of this document.
func (b *builder) catalogPaths() map[string]object {
	var categories []string
	for _, c := range b.Catalog.Categories {
		categories = append(categories, c.Name)
	}
	list := operation("list_tools", "catalog", "Every tool",
		"An array of tools in short, in the order of the categories.",
		documentResponses("The tools", object{"type": "array", "items": ref("Listing")}, "400"))
	list["parameters"] = []any{query("category", "Only this category",
		object{"type": "string", "enum": categories})}
	describe := operation("describe_tool", "catalog", "A tool", "The metadata of a tool: method, sources, limits, schemas, examples and chain. The path of each tool has it.",
		documentResponses("The metadata", ref("Metadata")))
	describe["parameters"] = []any{pathParameter("tool", "The tool's name",
		object{"type": "string"}, "fspl")}
	return map[string]object{
		"/api":        {"get": list},
		"/api/{tool}": {"get": describe},
		"/api/docs": {"get": operation("get_docs", "catalog", "This document",
			"The OpenAPI 3.1 description of the interface.",
			documentResponses("The OpenAPI document",
				object{"type": "object", "additionalProperties": true}))},
	}
}

// jobPaths returns the paths of jobs.
func jobPaths() map[string]object {
	jobID := []any{object{"$ref": "#/components/parameters/JobID"}}
	get := operation("get_job", "jobs", "A job", "The state of a job, with its result when it is done. With Prefer: wait=N the response waits for the end.", jobResponses())
	get["parameters"] = append([]any{object{"$ref": "#/components/parameters/Prefer"}}, jobID...)
	part := operation("get_job_part", "jobs", "A part of a result",
		"A member of the result of a finished job: nets, files/board.gtl, plot.png. "+
			"The query selects points of vectors.",
		problemRefs("400", "404", "410", "429", "503"))
	part["responses"].(object)["200"] = object{
		"description": "The part: JSON, the text of a file, or a picture",
		"content": object{
			"application/json": object{"schema": object{}},
			"text/plain":       object{"schema": object{"type": "string"}},
			"image/png":        object{"schema": object{"type": "string", "format": "binary"}},
		},
	}
	part["parameters"] = append([]any{
		pathParameter("path", "Members of the result, separated by slashes, also encoded as %2F",
			object{"type": "string"}, "vectors"),
		query("vectors", "Names, separated by commas", object{"type": "string"}),
		query("from", "Start of the window", object{"type": "number"}),
		query("to", "End of the window", object{"type": "number"}),
		query("points", "How many points at most", object{"type": "integer"}),
		query("whole", "Also a part above 256 kB without vectors", object{"type": "boolean"}),
	}, jobID...)
	cancel := operation(
		"cancel_job", "jobs", "Cancel a job",
		"Removes the caller from the job and returns the state cancelled. Equal requests of several callers are one job: it ends when it has no caller left. A finished job stays as it was. Only for callers that submitted or joined it, with the same key, or without one from the same address.",
		jobResponses("401", "403"),
	)
	cancel["parameters"] = jobID
	followed := problemRefs("404")
	followed["200"] = object{
		"description": "The events",
		"content":     content("text/event-stream", object{"type": "string"}),
	}
	events := operation("job_events", "jobs", "Follow a job",
		"Server-sent events: job with each state, end at the end.", followed)
	events["parameters"] = jobID
	return map[string]object{
		"/api/jobs/{id}":        {"get": get, "delete": cancel},
		"/api/jobs/{id}/events": {"get": events},
		"/api/jobs/{id}/{path}": {"get": part},
	}
}

// healthPaths returns the paths of the state of the process.
func healthPaths() map[string]object {
	ready := problemRefs("400")
	ready["200"] = response("Ready; degraded when a part is missing", ref("Readiness"))
	ready["503"] = response("Not ready: the process is being stopped", ref("Readiness"))
	alive := problemRefs("400")
	alive["200"] = response("Alive", ref("Health"))
	return map[string]object{
		"/healthz": {"get": operation("health", "health", "Alive",
			"Whether the process is alive.", alive)},
		"/readyz": {"get": operation("ready", "health", "Ready",
			"Whether the process can serve synchronous tools. The checks list missing dependencies.", ready)},
	}
}

// documentResponses returns the responses of a constant document.
func documentResponses(description string, schema object, problems ...string) object {
	responses := problemRefs(append(problems, "404")...)
	ok := response(description, schema)
	ok["headers"] = object{"ETag": header("For If-None-Match", "string")}
	responses["200"] = ok
	responses["304"] = object{"$ref": "#/components/responses/NotModified"}
	return responses
}

func jobResponses(more ...string) object {
	responses := problemRefs(append(more, "404", "410", "429", "503")...)
	ok := response("The job", ref("Job"))
	ok["headers"] = jobHeaders()
	responses["200"] = ok
	return responses
}

// jobHeaders returns the headers of every response that contains a job.
func jobHeaders() object {
	return object{
		"Location": header("Where the job is; with 202 only", "string"),
		"Retry-After": header("Seconds after which to ask again; absent when finished",
			"integer"),
		"Preference-Applied": header("The part of Prefer that was applied", "string"),
	}
}

func preferParameter() object {
	return object{
		"name": "Prefer", "in": "header", "schema": object{"type": "string"},
		"example":     "respond-async",
		"description": "RFC 7240. respond-async: respond with 202 at once and keep the job. wait=N: wait at most N seconds for the result.",
	}
}

// idempotencyParameter returns the Idempotency-Key header parameter of POST requests for keys,
// queued tools and batches.
func idempotencyParameter() object {
	return object{
		"name": "Idempotency-Key", "in": "header",
		"description": "Such as a UUID: repeats within 24 h get the first response",
		"schema":      object{"type": "string", "minLength": 16, "maxLength": 128},
	}
}

func idempotencyRef() object {
	return object{"$ref": "#/components/parameters/IdempotencyKey"}
}

func jobIDParameter() object {
	return pathParameter("id", "The job's id",
		object{"type": "string", "pattern": "^[0-9a-f]{32}$"},
		exampleJob)
}

// sharedResponses returns the responses that several operations refer to.
func (b *builder) sharedResponses() object {
	accepted := b.example("Not finished yet: ask for the job", "Job")
	accepted["headers"] = jobHeaders()
	responses := object{
		"Problem": object{
			"description": "Another problem, such as a body that is too large",
			"content":     content("application/problem+json", ref("Problem")),
		},
		"Accepted":    accepted,
		"NotModified": object{"description": "The client has it already"},
	}
	for _, p := range b.Problems {
		body := content("application/problem+json", ref("Problem"))
		body["application/problem+json"].(object)["example"] = p.Example
		r := object{"description": p.Title, "content": body}
		headers := object{}
		if p.RetryAfter {
			headers["Retry-After"] = header("Seconds after which to try again", "integer")
		}
		if p.RateLimit {
			for name := range sharedHeaders() {
				headers[name] = object{"$ref": "#/components/headers/" + name}
			}
		}
		if p.Challenge {
			headers["WWW-Authenticate"] = header("The accepted authentication", "string")
		}
		if len(headers) > 0 {
			r["headers"] = headers
		}
		responses["Problem"+p.Status] = r
	}
	return responses
}

// sharedHeaders returns the RateLimit headers.
func sharedHeaders() object {
	return object{
		"RateLimit-Policy": header(
			`The limit: "day";q=200;w=86400 is 200 calls per day; absent for paid keys`, "string"),
		"RateLimit": header(
			`The state: "day";r=137;t=5400 is 137 calls left, and 5400 s until there are more`,
			"string"),
	}
}
