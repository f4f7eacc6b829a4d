// Package openapi generates the OpenAPI 3.1 document of the service. Tool schemas come from the
// catalog (toolschema.go); other response schemas come from their structs (schemas.go). Document
// takes the properties of the server as a Service, so the package imports nothing of the server.
//
// The size of the document is limited (api/openapi_test.go) because generators and editors fail on
// larger documents.
package openapi

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"slipstick/tools"
)

// Specification is an OpenAPI 3.1 document.
type Specification struct {
	OpenAPI    string            `json:"openapi"`
	Info       object            `json:"info"`
	Dialect    string            `json:"jsonSchemaDialect"`
	Servers    []object          `json:"servers"`
	Tags       []object          `json:"tags"`
	Security   []object          `json:"security"`
	Paths      map[string]object `json:"paths"`
	Components object            `json:"components"`
}

// Service holds the parts of the document that depend on the server.
type Service struct {
	Catalog *tools.Catalog
	// Models are values of the response structs. A component has the name of its type. A nonzero
	// value becomes the example of its responses.
	Models     []any
	Problems   []Problem      // one problem per status
	KeyRequest map[string]any // JSON Schema of the body of POST /api/keys
	// BatchRequest is the JSON Schema of the body of POST /api/batches.
	BatchRequest map[string]any
	KeyHeader    string // request header for API keys
	MaxKeys      int    // maximum number of keys per page
	MaxRows      int    // maximum number of batch rows per page
	// ServicePaths maps the names of the catalog's services to their paths.
	ServicePaths map[string]string
}

// Problem documents the problems with a given status.
type Problem struct {
	Status     string // HTTP status such as "400"
	Title      string
	Example    any  // a problem document
	RetryAfter bool // the response has a Retry-After header
	RateLimit  bool // the response has RateLimit headers
	Challenge  bool // the response has a WWW-Authenticate header
}

// object is a JSON object of the document.
type object = map[string]any

// apiVersion is the version of the API, not of the program.
const apiVersion = "1.0.0"

// exampleJob is the id of jobs and batches in the examples.
const exampleJob = "0123456789abcdef0123456789abcdef"

// builder collects the components of the document.
type builder struct {
	Service
	schemas  schemas
	examples map[string]any // by component
}

// Document returns the OpenAPI document of the service. It is identical in every process and
// therefore has the same ETag.
func Document(service Service) Specification {
	b := builder{service, schemas{}, map[string]any{}}
	for _, m := range service.Models {
		v := reflect.ValueOf(m)
		b.schemas.of(v.Type())
		if !v.IsZero() {
			b.examples[v.Type().Name()] = m
		}
	}
	spec := Specification{
		OpenAPI: "3.1.0",
		Info: object{
			"title":       "Slipstick",
			"version":     apiVersion,
			"description": "Engineering calculators: radio, mesh networks, home labs, power, circuit boards and everyday sums. Each calculator is a tool: GET describes it, POST computes.",
			"license":     object{"name": "MIT", "identifier": "MIT"},
		},
		Dialect:  tools.Dialect,
		Servers:  []object{{"url": "/", "description": "This server"}},
		Security: []object{{}, {"ApiKey": []string{}}},
		Paths:    b.catalogPaths(),
	}
	maps.Copy(spec.Paths, jobPaths())
	maps.Copy(spec.Paths, healthPaths())
	maps.Copy(spec.Paths, b.keyPaths())
	maps.Copy(spec.Paths, b.batchPaths())
	for _, c := range service.Catalog.Categories {
		spec.Tags = append(spec.Tags, object{"name": c.Name, "description": c.Title + " tools"})
	}
	spec.Tags = append(spec.Tags,
		object{"name": "catalog", "description": "Tools and their metadata"},
		object{"name": "services", "description": "Queued computations beside the tools"},
		object{"name": "jobs", "description": "Computations that take longer than a request"},
		object{"name": "batches", "description": "Many runs of one tool"},
		object{"name": "keys", "description": "API keys raise the daily call limit"},
		object{"name": "health", "description": "For load balancers and operators"})
	b.schemas.addShared()
	toolSchemas{schemas: b.schemas}.add("KeyRequest", service.KeyRequest)
	for _, e := range service.Catalog.All() {
		b.schemas.addTool(e)
		spec.Paths["/api/"+e.Name] = object{"post": toolOperation(e)}
	}
	for _, e := range service.Catalog.Services() {
		b.schemas.addTool(e)
		spec.Paths[service.ServicePaths[e.Name]] = object{"post": toolOperation(e)}
	}
	spec.Components = object{
		"schemas":   object(b.schemas),
		"responses": b.sharedResponses(),
		"headers":   sharedHeaders(),
		"parameters": object{"IdempotencyKey": idempotencyParameter(),
			"Prefer": preferParameter(), "JobID": jobIDParameter(),
			"KeyPrefix": keyPrefixParameter()},
		"securitySchemes": securitySchemes(service.KeyHeader),
	}
	return spec
}

// toolOperation returns the operation of a tool. It omits the method and the sources, which are in
// the tool's metadata.
func toolOperation(e *tools.Entry) object {
	request := content("application/json", ref(e.Name+"_input"))
	fits := func(x tools.Example) bool { return len(x.In) <= maxRequestExample }
	if i := slices.IndexFunc(e.Examples, fits); i >= 0 {
		request["application/json"].(object)["example"] = json.RawMessage(e.Examples[i].In)
	}
	responses := problemRefs("400", "429")
	responses["default"] = otherProblems()
	// Several media types of a response make client generators (orval, openapi-typescript) return
	// untyped text. The description lists the others instead.
	description := "Result"
	for _, f := range e.Files {
		description += "; " + f.MediaType
	}
	if len(e.Files) > 0 {
		description += " by Accept"
	}
	responses["200"] = response(description, ref(e.Name+"_response"))
	post := operation("compute_"+e.Name, e.Category, e.Summary, "", responses)
	post["requestBody"] = object{"required": true, "content": request}
	if e.Heavy != nil {
		post["parameters"] = []any{object{"$ref": "#/components/parameters/Prefer"},
			idempotencyRef()}
		maps.Copy(responses, problemRefs("409", "500", "504"))
		responses["202"] = acceptedRef()
	}
	return post
}

// maxRequestExample is the maximum size in bytes of a request example. The metadata of a tool
// contains all of its examples.
const maxRequestExample = 150

func content(media string, schema object) object {
	return object{media: object{"schema": schema}}
}

// operation returns an operation. It omits an empty description.
func operation(id, tag, summary, description string, responses object) object {
	o := object{"operationId": id, "tags": []string{tag}, "summary": summary,
		"responses": responses}
	if description != "" {
		o["description"] = description
	}
	return o
}

func response(description string, schema object) object {
	return object{"description": description, "content": content("application/json", schema)}
}

// example returns a response with a component and its example.
func (b *builder) example(description, component string) object {
	a := response(description, ref(component))
	a["content"].(object)["application/json"].(object)["example"] = b.examples[component]
	return a
}

func header(description, kind string) object {
	return object{"description": description, "schema": object{"type": kind}}
}

func query(name, description string, schema object) object {
	return object{"name": name, "in": "query", "description": description, "schema": schema}
}

// pathParameter returns a path parameter with a schema.
func pathParameter(name, description string, schema object, example any) object {
	return object{
		"name": name, "in": "path", "required": true, "description": description,
		"schema": schema, "example": example,
	}
}

func problemRefs(statuses ...string) object {
	refs := object{}
	for _, s := range statuses {
		refs[s] = object{"$ref": "#/components/responses/Problem" + s}
	}
	return refs
}

// otherProblems returns the response for all other statuses.
func otherProblems() object { return object{"$ref": "#/components/responses/Problem"} }

// acceptedRef returns a reference to the 202 response of queued tools.
func acceptedRef() object { return object{"$ref": "#/components/responses/Accepted"} }
