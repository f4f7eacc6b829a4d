package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"slipstick/internal/text"
)

// Category is a named list of tools.
type Category struct {
	Name  string // rf
	Title string // Radio
	Tools []*Tool
}

// Catalog contains all tools in the order of the categories' lists. It is immutable.
type Catalog struct {
	Categories []Category
	Edges      []ChainLink

	entries  []*Entry
	byName   map[string]*Entry
	services map[string]*Entry
	names    []string
}

// Entry is a tool with its category and its links.
type Entry struct {
	*Tool
	Category string
	Chain    Chain
}

// NotFoundError is returned for an unknown tool name. It contains similar names.
type NotFoundError struct {
	Name    string
	Nearest []string
}

// Error implements the error interface.
func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("there is no tool %q", text.Truncate(e.Name, 64))
	if len(e.Nearest) > 0 {
		s += "; did you mean " + strings.Join(e.Nearest, ", ") + "?"
	}
	return s
}

// NewCatalog returns a catalog of the given categories and links. Names must be unique, and a link
// must refer to existing fields of the same kind and unit. The error names the first definition or
// link that is invalid.
//
// Services are queued computations with their own paths, such as the routing of designs. They share
// the queue, the quotas and the stored results with tools, but are not listed as tools.
func NewCatalog(
	categories []Category, edges []ChainLink, services ...*Tool,
) (*Catalog, error) {
	c := &Catalog{
		Categories: categories, Edges: edges,
		byName: map[string]*Entry{}, services: map[string]*Entry{},
	}
	for _, cat := range categories {
		for _, t := range cat.Tools {
			if c.byName[t.Name] != nil {
				return nil, fmt.Errorf("tool %s is defined twice", t.Name)
			}
			linked := *t // the links belong to the catalog, not to the definition
			e := &Entry{Tool: &linked, Category: cat.Name}
			c.byName[t.Name] = e
			c.entries = append(c.entries, e)
			c.names = append(c.names, t.Name)
		}
	}
	for _, e := range edges {
		from, to := c.byName[e.From], c.byName[e.To]
		if from == nil || to == nil {
			return nil, fmt.Errorf("chain %s to %s: there is no such tool", e.From, e.To)
		}
		if err := e.check(from.Tool, to.Tool); err != nil {
			return nil, err
		}
		to.sources = append(to.sources, source{from.Tool, e.Fields})
	}
	for name, chain := range chains(edges) {
		c.byName[name].Chain = chain
	}
	for _, t := range services {
		if t.Heavy == nil || c.byName[t.Name] != nil || c.services[t.Name] != nil {
			return nil, fmt.Errorf("service %s is not queued, or its name is used twice", t.Name)
		}
		chain := Chain{Feeds: []string{}, AcceptsFrom: []string{}}
		c.services[t.Name] = &Entry{Tool: t, Category: "services", Chain: chain}
	}
	for _, e := range c.entries {
		if e.Chain.Feeds == nil {
			e.Chain.Feeds = []string{}
		}
		if e.Chain.AcceptsFrom == nil {
			e.Chain.AcceptsFrom = []string{}
		}
	}
	return c, nil
}

// All returns all tools in order. The caller must not modify the slice.
func (c *Catalog) All() []*Entry { return c.entries }

// Find returns the tool with the given name. The error is a *NotFoundError with up to three tool
// names. They are found by alias, by spelling or by a search for the words of the name.
func (c *Catalog) Find(name string) (*Entry, error) {
	if e := c.byName[name]; e != nil {
		return e, nil
	}
	var near []string
	add := func(name string) {
		if len(near) < 3 && !slices.Contains(near, name) {
			near = append(near, name)
		}
	}
	for _, e := range c.entries {
		if slices.ContainsFunc(e.Aliases, func(alias string) bool {
			return squeezed(alias) == squeezed(text.Truncate(name, maxWritten))
		}) {
			add(e.Name)
		}
	}
	// For a name that ends in "calculator", a search for its other words precedes names of similar
	// spelling.
	if words := searchWords(name, maxSearchWords); len(words) > 0 &&
		strings.HasSuffix(name, "calculator") {
		for _, e := range c.Search(name, 3) {
			add(e.Name)
		}
	}
	for _, similar := range Nearest(name, c.names, 3) {
		add(similar)
	}
	if len(near) == 0 {
		for _, e := range c.Search(name, 3) {
			add(e.Name)
		}
	}
	return nil, &NotFoundError{Name: name, Nearest: near}
}

// FindWritten returns the tool whose name is written in another convention, such as FSPL, ohms-law,
// OhmsLaw or mcp__server__fspl. It returns nil if there is none.
func (c *Catalog) FindWritten(name string) *Entry {
	if len(name) > maxWritten {
		return nil
	}
	for _, separator := range []string{".", "/", ":", "__"} {
		if i := strings.LastIndex(name, separator); i >= 0 {
			name = name[i+len(separator):]
		}
	}
	return c.byName[strings.TrimPrefix(snake(name), "slipstick_")]
}

// maxWritten is the maximum length in bytes of a name that FindWritten accepts.
const maxWritten = 100

// Services returns the services sorted by name.
func (c *Catalog) Services() []*Entry {
	out := slices.Collect(maps.Values(c.services))
	slices.SortFunc(out, func(a, b *Entry) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// FindQueued returns the service or tool with the given name. Unlike Find, it also finds services.
// The error is a *NotFoundError.
func (c *Catalog) FindQueued(name string) (*Entry, error) {
	if e := c.services[name]; e != nil {
		return e, nil
	}
	return c.Find(name)
}

// Envelope is the response to a successful computation.
type Envelope struct {
	Result     json.RawMessage `json:"result"`
	Tool       string          `json:"tool"`
	Version    string          `json:"version"`
	ComputedAt time.Time       `json:"computed_at"`
	Chain      Chain           `json:"chain"`
}

// Envelope returns the envelope of a result computed at the given time.
func (e *Entry) Envelope(result json.RawMessage, at time.Time) Envelope {
	return Envelope{
		Result: result, Tool: e.Name, Version: e.Version,
		ComputedAt: at.UTC().Truncate(time.Millisecond), Chain: e.Chain,
	}
}

// Listing is the short description of a tool in a list.
type Listing struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Category    string   `json:"category"`
	Summary     string   `json:"summary"`
	Description string   `json:"description"`
	Version     string   `json:"version"`
	Aliases     []string `json:"aliases"`
	Heavy       bool     `json:"heavy"`
	Chain       Chain    `json:"chain"`
	Links       []Link   `json:"links"`
}

// Metadata is the complete description of a tool.
type Metadata struct {
	Listing
	Method       string            `json:"method"`
	Sources      []string          `json:"sources"`
	Limits       []string          `json:"limits"`
	InputSchema  map[string]any    `json:"input_schema"`
	OutputSchema map[string]any    `json:"output_schema"`
	Examples     []MetadataExample `json:"examples"`
	ChainFields  []ChainLink       `json:"chain_fields"`
	Extras       map[string]any    `json:"extras,omitempty"`
}

// MetadataExample is an example in Metadata.
type MetadataExample struct {
	Title    string          `json:"title"`
	Input    json.RawMessage `json:"input"`
	Expected json.RawMessage `json:"expected,omitempty"`
	From     string          `json:"from,omitempty"`
}

// Listing returns the short description of the tool.
func (e *Entry) Listing() Listing {
	return Listing{
		Name: e.Name, Title: e.Title, Category: e.Category, Summary: e.Summary,
		Description: e.Description(), Version: e.Version, Aliases: orEmpty(e.Aliases),
		Heavy: e.Heavy != nil, Chain: e.Chain,
		Links: []Link{{"self", "/api/" + e.Name}, {"openapi", "/api/docs"}},
	}
}

// Metadata returns the complete description of the tool, including its incoming and outgoing links.
func (c *Catalog) Metadata(e *Entry) Metadata {
	m := Metadata{
		Listing: e.Listing(), Method: e.Method, Sources: e.Sources, Limits: orEmpty(e.Limits),
		InputSchema: e.InputSchema(), OutputSchema: e.OutputSchema(), ChainFields: []ChainLink{},
		Extras: e.Extras,
	}
	for _, x := range e.Examples {
		m.Examples = append(m.Examples,
			MetadataExample{x.Title, json.RawMessage(x.In), json.RawMessage(x.Want), x.From})
	}
	for _, edge := range c.Edges {
		if edge.From == e.Name || edge.To == e.Name {
			m.ChainFields = append(m.ChainFields, edge)
		}
	}
	return m
}

// Dialect is the JSON Schema dialect of all schemas.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// InputSchema returns the JSON Schema of the input.
func (t *Tool) InputSchema() map[string]any {
	s := t.Input.JSONSchema()
	s["$schema"] = Dialect
	s["title"] = t.Title
	s["description"] = t.Summary
	return s
}

// OutputSchema returns the JSON Schema of the result.
func (t *Tool) OutputSchema() map[string]any {
	s := t.Output.OutputSchema()
	s["$schema"] = Dialect
	s["title"] = t.Title + ", result"
	return s
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
