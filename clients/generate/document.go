package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"

	"slipstick/api"
	"slipstick/batch"
	"slipstick/tools/catalog"
)

// schema is a JSON Schema of the OpenAPI document, or of batch requests.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        kinds              `json:"type"`
	Format      string             `json:"format"`
	Description string             `json:"description"`
	Enum        []string           `json:"enum"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Values      values             `json:"additionalProperties"`
	OneOf       []*schema          `json:"oneOf"`
}

// kinds contains the value of type in a schema: one type, or several alternatives.
type kinds []string

// UnmarshalJSON implements json.Unmarshaler.
func (k *kinds) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		*k = kinds{""}
		return json.Unmarshal(raw, &(*k)[0])
	}
	return json.Unmarshal(raw, (*[]string)(k))
}

// values contains the schema of additionalProperties. The schema is nil if additionalProperties is
// absent, true or false.
type values struct{ *schema }

// UnmarshalJSON implements json.Unmarshaler.
func (v *values) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return nil
	}
	v.schema = &schema{}
	return json.Unmarshal(raw, v.schema)
}

// document is the part of the OpenAPI document that clients need.
type document struct {
	version string             // of the API and of the published packages
	schemas map[string]*schema // by component name
	objects []string           // used components that are objects, sorted by name
	tools   []tool
}

type tool struct{ name, summary string }

// fixed lists the components that the handwritten part of each client uses.
var fixed = []string{
	"Batch", "BatchRun", "Columns", "DryRun", "Envelope", "IssuedKey", "Job", "Problem",
}

// batchRequest is the name of the component for batch requests. Its schema comes from package
// batch, because the document does not describe these requests in full.
const batchRequest = "BatchRequest"

// readDocument requests the OpenAPI document from the API, as a client does, and adds the batch
// request.
func readDocument() (*document, error) {
	tools, err := catalog.New()
	if err != nil {
		return nil, err
	}
	server, err := api.New(api.Options{Catalog: tools})
	if err != nil {
		return nil, err
	}
	res, err := server.Test(httptest.NewRequest("GET", "/api/docs", nil), -1)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var openAPI struct {
		Info       struct{ Version string }
		Components struct{ Schemas map[string]*schema }
		Paths      map[string]struct{ Post struct{ Summary string } }
	}
	if err := json.Unmarshal(raw, &openAPI); err != nil {
		return nil, err
	}
	d := &document{version: openAPI.Info.Version, schemas: openAPI.Components.Schemas}
	if raw, err = json.Marshal(batch.Schema().JSONSchema()); err != nil {
		return nil, err
	}
	request := &schema{}
	if err := json.Unmarshal(raw, request); err != nil {
		return nil, err
	}
	d.name(batchRequest, request)
	used := map[string]bool{}
	for _, name := range append([]string{batchRequest}, fixed...) {
		d.use(used, &schema{Ref: name})
	}
	for _, e := range tools.All() {
		d.tools = append(d.tools, tool{e.Name, openAPI.Paths["/api/"+e.Name].Post.Summary})
		d.use(used, &schema{Ref: e.Name + "_input"})
		d.use(used, &schema{Ref: e.Name + "_result"})
	}
	d.objects = slices.Sorted(maps.Keys(used))
	return d, nil
}

// name adds an object as a component. It replaces nested objects by references to components of
// their own.
func (d *document) name(name string, s *schema) {
	d.schemas[name] = s
	for field, p := range s.Properties {
		for _, at := range []**schema{&p, &p.Items, &p.Values.schema} {
			if inner := *at; inner != nil && inner.Properties != nil {
				component := name + "_" + field
				d.name(component, inner)
				*at = &schema{Ref: component, Description: inner.Description}
			}
		}
		s.Properties[field] = p
	}
}

// use marks the objects that a schema refers to, directly or indirectly.
func (d *document) use(used map[string]bool, s *schema) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		name := s.component()
		target := d.schemas[name]
		if target.Properties == nil {
			d.use(used, target)
			return
		}
		if used[name] {
			return
		}
		used[name] = true
		for _, p := range target.Properties {
			d.use(used, p)
		}
	}
	d.use(used, s.Items)
	d.use(used, s.Values.schema)
	for _, one := range s.OneOf {
		d.use(used, one)
	}
}

// component returns the name of the component to which a schema refers.
func (s *schema) component() string { return s.Ref[strings.LastIndex(s.Ref, "/")+1:] }

// field is a member of an object.
type field struct {
	name     string
	optional bool
	*schema
}

// fields returns the fields of an object: the required fields in the order of the schema, then the
// optional fields in alphabetical order.
func (s *schema) fields() []field {
	var out []field
	for _, name := range s.Required {
		out = append(out, field{name, false, s.Properties[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			out = append(out, field{name, true, s.Properties[name]})
		}
	}
	return out
}

// shape is a schema in which null is only a flag and every reference leads to an object.
type shape struct {
	*schema
	null bool
	any  bool // no type, or alternatives
	kind string
	// alternatives are the possible shapes if there are several.
	alternatives []shape
}

func (d *document) shape(s *schema) shape {
	if s.Ref != "" {
		if target := d.schemas[s.component()]; target.Properties == nil {
			return d.shape(target)
		}
		return shape{schema: s, kind: "ref"}
	}
	out := shape{schema: s}
	var forms []*schema
	for _, one := range s.OneOf {
		if slices.Equal(one.Type, kinds{"null"}) {
			out.null = true
		} else {
			forms = append(forms, one)
		}
	}
	for _, t := range s.Type {
		switch {
		case t == "null":
			out.null = true
		case len(s.Type) > 2 || len(s.Type) == 2 && !slices.Contains(s.Type, "null"):
			forms = append(forms, &schema{Type: kinds{t}})
		default:
			out.kind = t
		}
	}
	switch {
	case len(forms) == 1:
		null := out.null
		out = d.shape(forms[0])
		out.null = out.null || null
	case len(forms) > 1:
		for _, one := range forms {
			out.alternatives = append(out.alternatives, d.shape(one))
		}
		out.any = true
	case out.kind == "":
		out.any = true
	}
	return out
}

// typeName returns the name of a component in Pascal case.
func typeName(component string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(component, "_") {
		if word == "id" {
			word = "ID"
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// words returns a shortened list of words for a comment. It omits the empty word, which selects the
// default.
func words(all []string) string {
	const most = 12
	all = slices.DeleteFunc(slices.Clone(all), func(word string) bool { return word == "" })
	if len(all) > most {
		return strings.Join(all[:most], ", ") + ", ..."
	}
	return strings.Join(all, ", ")
}

// quoted returns words as string literals, joined by a separator.
func quoted(all []string, separator string) string {
	out := make([]string, len(all))
	for i, w := range all {
		out[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(out, separator)
}

// mark is the first line of a generated file.
const mark = "Code generated by slipstick/clients/generate. DO NOT EDIT."
