package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"slipstick/tools"
)

// specification is an OpenAPI 3.1 document. The tools' schemas are the catalog's, the others are
// made from the structs that are sent.
type specification struct {
	OpenAPI    string                    `json:"openapi"`
	Info       map[string]any            `json:"info"`
	Dialect    string                    `json:"jsonSchemaDialect"`
	Servers    []map[string]any          `json:"servers"`
	Tags       []map[string]any          `json:"tags"`
	Security   []map[string]any          `json:"security"`
	Paths      map[string]map[string]any `json:"paths"`
	Components map[string]any            `json:"components"`
}

// apiVersion is the version of the interface, not of the program.
const apiVersion = "1.0.0"

// exampleTime stands in examples; it does not change from start to start, so neither does the ETag.
var exampleTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const exampleRequest, exampleJob = "5f3a90c2d1e84b76", "0123456789abcdef0123456789abcdef"

// openAPI describes the whole interface.
func openAPI(catalog *tools.Catalog) specification {
	schemas := shapes{}
	add[tools.Listing](schemas)
	add[tools.Metadata](schemas)
	add[tools.Envelope](schemas)
	add[Problem](schemas)
	add[Job](schemas)
	add[Health](schemas)
	add[Readiness](schemas)
	add[IssuedKey](schemas)
	add[KeyList](schemas)
	add[RevokedKey](schemas)
	add[KeyUsage](schemas)
	spec := specification{
		OpenAPI: "3.1.0",
		Info: map[string]any{
			"title":       "Slipstick",
			"version":     apiVersion,
			"description": "Engineering calculators: radio, mesh networks, home labs, power, circuit boards and everyday sums. Each calculator is a tool: GET describes it, POST computes.",
			"license":     map[string]any{"name": "MIT", "identifier": "MIT"},
		},
		Dialect:  tools.Dialect,
		Servers:  []map[string]any{{"url": "/", "description": "This server"}},
		Security: []map[string]any{{}, {"ApiKey": []string{}}},
		Paths:    servicePaths(catalog),
	}
	maps.Copy(spec.Paths, keyPaths())
	for _, c := range catalog.Categories {
		spec.Tags = append(spec.Tags, map[string]any{"name": c.Name, "description": c.Title + " tools"})
	}
	spec.Tags = append(spec.Tags,
		map[string]any{"name": "catalog", "description": "What there is"},
		map[string]any{"name": "jobs", "description": "Computations that take longer than a request"},
		map[string]any{"name": "keys", "description": "API keys raise the daily call limit"},
		map[string]any{"name": "health", "description": "For load balancers and people on call"})
	for _, e := range catalog.All() {
		describeTool(schemas, spec.Paths, e)
	}
	spec.Components = map[string]any{
		"schemas":         map[string]any(schemas),
		"responses":       problemResponses(),
		"parameters":      map[string]any{"Prefer": preferParameter(), "JobID": jobIDParameter(), "KeyPrefix": keyPrefixParameter()},
		"securitySchemes": securitySchemes(),
	}
	return spec
}

// describeTool adds a tool's schemas and its path.
func describeTool(schemas shapes, paths map[string]map[string]any, e *tools.Entry) {
	input, result, response := e.Name+"_input", e.Name+"_result", e.Name+"_response"
	schemas[input], schemas[result] = plainSchema(e.InputSchema()), plainSchema(e.OutputSchema())
	schemas[response] = map[string]any{
		"type":  "object",
		"title": e.Title + ", answer",
		"properties": map[string]any{
			"result":      ref(result),
			"tool":        map[string]any{"type": "string", "const": e.Name},
			"version":     map[string]any{"type": "string"},
			"computed_at": map[string]any{"type": "string", "format": "date-time"},
			"chain":       ref("Chain"),
		},
		"required": []string{"result", "tool", "version", "computed_at", "chain"},
	}
	requests, answers := examples(e)
	body := content("application/json", ref(response))
	if len(answers) > 0 {
		body["application/json"].(map[string]any)["examples"] = answers
	}
	request := content("application/json", ref(input))
	request["application/json"].(map[string]any)["examples"] = requests
	post := map[string]any{
		"operationId": "compute_" + e.Name, "tags": []string{e.Category}, "summary": e.Title, "description": e.Description(),
		"requestBody": map[string]any{"required": true, "content": request},
	}
	responses := problemRefs("400", "401", "404", "413", "415", "429", "500", "503")
	responses["200"] = map[string]any{"description": "The result in its envelope", "content": body, "headers": limitHeaders()}
	if e.Heavy != nil {
		post["parameters"] = []any{map[string]any{"$ref": "#/components/parameters/Prefer"}}
		for status, r := range problemRefs("409", "504") {
			responses[status] = r
		}
		responses["202"] = acceptedResponse()
	}
	post["responses"] = responses
	get := map[string]any{
		"operationId": "describe_" + e.Name, "tags": []string{e.Category}, "summary": e.Title + ": what it takes and gives",
		"description": "The tool's metadata: method, sources, limits, schemas, examples and chain.",
		"responses":   documentResponses("Metadata", ref("Metadata")),
	}
	paths["/api/"+e.Name] = map[string]any{"get": get, "post": post}
}

// plainSchema leaves the dialect to the document.
func plainSchema(s map[string]any) map[string]any {
	delete(s, "$schema")
	return s
}

// examples are a tool's worked examples as OpenAPI wants them. Answers are computed, except for
// heavy tools: their examples hold only some of the fields, and starting must be quick.
func examples(e *tools.Entry) (requests, answers map[string]any) {
	requests, answers = map[string]any{}, map[string]any{}
	for i, x := range e.Examples {
		name := fmt.Sprintf("example_%d", i+1)
		requests[name] = map[string]any{"summary": x.Title, "value": json.RawMessage(x.In)}
		if e.Heavy != nil {
			continue
		}
		if result, err := runExample(e, x); err == nil {
			answers[name] = map[string]any{"summary": x.Title, "value": e.Envelope(result, exampleTime)}
		}
	}
	return requests, answers
}

// runExample keeps a tool that panics from keeping the whole service from starting.
func runExample(e *tools.Entry, x tools.Example) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return e.Run(context.Background(), []byte(x.In))
}

func content(media string, schema map[string]any) map[string]any {
	return map[string]any{media: map[string]any{"schema": schema}}
}
