package api

import (
	"encoding/json"
	"maps"
	"time"

	"slipstick/tools"
)

// specification is an OpenAPI 3.1 document. The schemas of tools are those of the catalog; the
// others are derived from the structs of the responses.
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

// exampleTime is the time in examples. It is constant, so the ETag is too.
var exampleTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const exampleRequest, exampleJob = "5f3a90c2d1e84b76", "0123456789abcdef0123456789abcdef"

// openAPI returns the document of the interface.
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
	maps.Copy(spec.Paths, batchPaths())
	for _, c := range catalog.Categories {
		spec.Tags = append(spec.Tags, map[string]any{"name": c.Name, "description": c.Title + " tools"})
	}
	spec.Tags = append(spec.Tags,
		map[string]any{"name": "catalog", "description": "What there is"},
		map[string]any{"name": "jobs", "description": "Computations that take longer than a request"},
		map[string]any{"name": "batches", "description": "Many runs of one tool"},
		map[string]any{"name": "keys", "description": "API keys raise the daily call limit"},
		map[string]any{"name": "health", "description": "For load balancers and people on call"})
	schemas.addShared()
	schemas.addBatches()
	toolSchemas{schemas: schemas}.add("KeyRequest", keyRequestSchema.JSONSchema())
	for _, e := range catalog.All() {
		describeTool(schemas, spec.Paths, e)
	}
	spec.Components = map[string]any{
		"schemas":         map[string]any(schemas),
		"responses":       sharedResponses(),
		"headers":         sharedHeaders(),
		"parameters":      map[string]any{"Prefer": preferParameter(), "JobID": jobIDParameter(), "KeyPrefix": keyPrefixParameter()},
		"securitySchemes": securitySchemes(),
	}
	return spec
}

// describeTool adds the components and the path of a tool. Method and sources are in its metadata.
func describeTool(schemas shapes, paths map[string]map[string]any, e *tools.Entry) {
	schemas.addTool(e)
	body := content("application/json", ref(e.Name+"_response"))
	request := content("application/json", ref(e.Name+"_input"))
	addExample(e, request)
	post := map[string]any{
		"operationId": "compute_" + e.Name, "tags": []string{e.Category}, "summary": e.Title, "description": e.Summary,
		"requestBody": map[string]any{"required": true, "content": request},
	}
	responses := problemRefs("400", "429")
	responses["default"] = map[string]any{"$ref": "#/components/responses/Problem"}
	responses["200"] = map[string]any{"description": "The result", "content": body}
	if e.Heavy != nil {
		post["parameters"] = []any{map[string]any{"$ref": "#/components/parameters/Prefer"}}
		maps.Copy(responses, problemRefs("409", "500", "504"))
		responses["202"] = acceptedRef()
	}
	post["responses"] = responses
	paths["/api/"+e.Name] = map[string]any{"post": post}
}

// maxRequestExample is the size in bytes of the largest example of a request. The metadata of a
// tool has all of its examples.
const maxRequestExample = 300

// addExample adds the first worked example that is small enough to a request.
func addExample(e *tools.Entry, request map[string]any) {
	for _, x := range e.Examples {
		if len(x.In) <= maxRequestExample {
			request["application/json"].(map[string]any)["example"] = json.RawMessage(x.In)
			return
		}
	}
}

func content(media string, schema map[string]any) map[string]any {
	return map[string]any{media: map[string]any{"schema": schema}}
}
