// Package openapi writes the OpenAPI 3.1 document of the service. Schemas of tools come from the
// catalog (toolschema.go), those of other responses from their structs (schemas.go). Document takes
// the facts of its caller as a Service, so that it imports nothing of the server.
//
// The document is bounded (api/openapi_test.go): generators and editors give up on larger ones.
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

// Service is the part of the document that the server determines.
type Service struct {
	Catalog *tools.Catalog
	// Models are values of the structs in responses. The name of the type is that of the component.
	// A value that is not zero is the example of the responses with it.
	Models     []any
	Problems   []Problem      // one per status
	KeyRequest map[string]any // JSON Schema of the body of POST /api/keys
	KeyHeader  string         // request header of API keys
	MaxKeys    int            // keys per page
	MaxRows    int            // rows of a batch per page
	// ServicePaths are the paths of the catalog's services by their names.
	ServicePaths map[string]string
}

// Problem is the documentation of the problems with a status.
type Problem struct {
	Status     string // such as "400"
	Title      string
	Example    any  // a problem document
	RetryAfter bool // with the header Retry-After
	RateLimit  bool // with the RateLimit headers
	Challenge  bool // with the header WWW-Authenticate
}

// object is an object of the document.
type object = map[string]any

// apiVersion is the version of the interface, not of the program.
const apiVersion = "1.0.0"

// exampleJob is the id of jobs and batches in examples.
const exampleJob = "0123456789abcdef0123456789abcdef"

// builder collects the components.
type builder struct {
	Service
	schemas  schemas
	examples map[string]any // by component
}

// Document returns the document of the service. It is the same in every process, so its ETag is
// too.
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
		Paths:    b.servicePaths(),
	}
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

// toolOperation returns the operation of a tool. Method and sources are in its metadata.
func toolOperation(e *tools.Entry) object {
	request := content("application/json", ref(e.Name+"_input"))
	fits := func(x tools.Example) bool { return len(x.In) <= maxRequestExample }
	if i := slices.IndexFunc(e.Examples, fits); i >= 0 {
		request["application/json"].(object)["example"] = json.RawMessage(e.Examples[i].In)
	}
	responses := problemRefs("400", "429")
	responses["default"] = otherProblems()
	// Further media types of a response make generated clients return untyped text: orval and
	// openapi-typescript. So they stand in its description.
	description := "Result"
	for _, f := range e.Files {
		description += "; " + f.MediaType
	}
	if len(e.Files) > 0 {
		description += " by Accept"
	}
	responses["200"] = answer(description, ref(e.Name+"_response"))
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

// maxRequestExample is the size in bytes of the largest example of a request. The metadata of a
// tool has all of its examples.
const maxRequestExample = 150

func content(media string, schema object) object {
	return object{media: object{"schema": schema}}
}

// operation returns an operation; an empty description is left out.
func operation(id, tag, summary, description string, responses object) object {
	o := object{"operationId": id, "tags": []string{tag}, "summary": summary,
		"responses": responses}
	if description != "" {
		o["description"] = description
	}
	return o
}

func answer(description string, schema object) object {
	return object{"description": description, "content": content("application/json", schema)}
}

// example returns the response with a component and its example.
func (b *builder) example(description, component string) object {
	a := answer(description, ref(component))
	a["content"].(object)["application/json"].(object)["example"] = b.examples[component]
	return a
}

func header(description, kind string) object {
	return object{"description": description, "schema": object{"type": kind}}
}

func query(name, description string, schema object) object {
	return object{"name": name, "in": "query", "description": description, "schema": schema}
}

// pathParameter returns a parameter of the path; schema has its form.
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

// otherProblems is the response with any other status.
func otherProblems() object { return object{"$ref": "#/components/responses/Problem"} }

// acceptedRef is the response 202 of queued tools.
func acceptedRef() object { return object{"$ref": "#/components/responses/Accepted"} }
