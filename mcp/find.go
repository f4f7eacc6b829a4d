package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
	"slipstick/tools"
)

// Names of the tools that find and call calculators. Only ?mode=search lists them; they can be
// called in every mode.
const (
	findToolsName = "find_tools"
	callToolName  = "call_tool"
)

// Limits of find_tools. It returns defaultFound tools unless the call sets a limit, which is at
// most maxFound.
const (
	defaultFound = 3
	maxFound     = 20

	maxFoundExample = 1000 // maximum size of an example in bytes
	maxFoundSchema  = 8000 // size in bytes above which a schema is shortened
	maxQuery        = 1000 // maximum size of a query in bytes
)

// searchTools returns find_tools and call_tool as tools/list describes them.
func searchTools() []listedTool {
	property := func(description string) map[string]any {
		return map[string]any{"type": "string", "description": description}
	}
	return []listedTool{{
		Name: findToolsName, Title: "Find a calculator",
		Description: `Finds engineering calculators by words and returns the name, purpose and ` +
			`input schema of each. Call one of them with call_tool. Example: {"query": "free-space path loss"}`,
		InputSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"query": property("Words for the quantity or the problem, in English"),
				"limit": map[string]any{
					"type": "integer", "minimum": 1, "maximum": maxFound, "default": defaultFound,
				},
			},
			"required": []string{"query"},
		},
		Annotations: readOnly(),
	}, {
		Name: callToolName, Title: "Call a calculator",
		Description: `Calls a calculator by its name, with arguments that fit the input schema ` +
			`which find_tools returned. Example: {"name": "fspl", "arguments": {"freq_mhz": 915, "dist_km": 5}}`,
		InputSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"name": property("Name of the calculator"),
				"arguments": map[string]any{
					"type": "object", "description": "Input of the calculator", "additionalProperties": true,
				},
			},
			"required": []string{"name", "arguments"},
		},
		Annotations: readOnly(),
	}}
}

// foundTools is the result of find_tools. It is sent as JSON text only, because structured content
// would repeat it and double the tokens.
type foundTools struct {
	Tools []foundTool `json:"tools"`
	// Categories contains the names of all tools that the caller may call, by category. It is set
	// only if the search found no tool.
	Categories map[string][]string `json:"categories,omitempty"`
}

// foundTool is a search result.
type foundTool struct {
	Name        string          `json:"name"`
	Category    string          `json:"category"`
	Summary     string          `json:"summary"`
	InputSchema map[string]any  `json:"input_schema"`
	MoreInputs  string          `json:"more_inputs,omitempty"` // names that the schema lacks
	Example     json.RawMessage `json:"example,omitempty"`
}

// newFoundTool returns a tool as a search result. A large schema is shortened to that of
// tools/list unless the query is the name of the tool.
func newFoundTool(e *tools.Entry, query string) foundTool {
	t := foundTool{
		Name: e.Name, Category: e.Category, Summary: e.Summary, InputSchema: compactInput(e),
	}
	if example := compact(e.Examples[0].In); len(example) <= maxFoundExample {
		t.Example = json.RawMessage(example)
	}
	encoded, err := rawjson.Marshal(t.InputSchema)
	if err != nil || len(encoded) <= maxFoundSchema || strings.TrimSpace(query) == e.Name {
		return t
	}
	t.InputSchema = describeCompact(e).InputSchema
	members, _ := t.InputSchema["properties"].(map[string]any)
	var more []string
	for _, f := range e.Input.Fields {
		if members[f.Name] == nil {
			more = append(more, f.Name)
		}
	}
	t.MoreInputs = fmt.Sprintf("%s. The query %q returns the complete schema.",
		strings.Join(more, ", "), e.Name)
	return t
}

func (x *Call) findTools() callResult {
	query, raw := searchQuery(x.params.arguments)
	switch {
	case raw != nil && query == "" && raw[0] != '"':
		return callResult{isError: true, text: "find_tools: query: must be a text, got " +
			text.Truncate(string(raw), 40)}
	case strings.TrimSpace(query) == "":
		return callResult{
			isError: true,
			text:    `find_tools: query: is required: words such as {"query": "battery life"}`,
		}
	case len(query) > maxQuery:
		return callResult{isError: true, text: fmt.Sprintf(
			"find_tools: query: must have at most %d bytes, has %d", maxQuery, len(query))}
	}
	limit := defaultFound
	if raw := member(x.params.arguments, "limit"); raw != nil && string(raw) != "null" {
		if json.Unmarshal(raw, &limit) != nil || limit < 1 || limit > maxFound {
			return callResult{isError: true, text: fmt.Sprintf(
				"find_tools: limit: must be a whole number from 1 to %d, got %s",
				maxFound, text.Truncate(string(raw), 40))}
		}
	}
	found := []foundTool{}
	for _, e := range x.server.opt.Catalog.Search(query, len(x.server.opt.Catalog.All())) {
		if x.caller.Only.has(e.Name) && len(found) < limit {
			found = append(found, newFoundTool(e, query))
		}
	}
	if asksForBatch(query) && x.batches() != nil && x.caller.Only.has(batchRunName) {
		found = slices.Insert(found, min(1, len(found)), foundBatchRun())
		found = found[:min(limit, len(found))]
	}
	listing := foundTools{Tools: found}
	if len(found) == 0 {
		listing.Categories = x.namesByCategory()
	}
	encoded, err := rawjson.Marshal(listing)
	if err != nil {
		x.server.opt.Log.Error("a response could not be written",
			"request_id", x.caller.RequestID, "error", err)
		return callResult{isError: true, text: x.internalError()}
	}
	return callResult{text: string(encoded)}
}

// foundBatchRun returns batch_run as a search result.
func foundBatchRun() foundTool {
	list := batchTools()
	run := list[slices.IndexFunc(list, func(t listedTool) bool { return t.Name == batchRunName })]
	return foundTool{
		Name: run.Name, Category: batchCategory, Summary: run.Description,
		InputSchema: run.InputSchema,
	}
}

// batchWords are the words of queries that batch_run satisfies.
var batchWords = []string{"batch", "goal seek", "monte carlo", "optimize", "optimise",
	"optimization"}

// asksForBatch reports whether a query is about many runs of a calculator.
func asksForBatch(query string) bool {
	words := strings.FieldsFunc(strings.ToLower(query), func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	query = " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(batchWords, func(phrase string) bool {
		return strings.Contains(query, " "+phrase+" ")
	})
}

// searchQuery returns the query of find_tools. It accepts the member query, a single member of any
// other name (besides limit), or arguments that are themselves a string or a list. The strings of a
// list are joined with spaces. raw is the JSON value that was used, or nil if there is none.
func searchQuery(arguments json.RawMessage) (query string, raw json.RawMessage) {
	raw = member(arguments, "query")
	if raw == nil {
		texts := 0
		eachMember(arguments, func(name, value []byte) {
			if string(name) != "limit" {
				raw, texts = value, texts+1
			}
		})
		if texts > 1 {
			return "", nil
		}
	}
	if raw == nil && len(arguments) > 0 && (arguments[0] == '"' || arguments[0] == '[') {
		raw = arguments
	}
	var list []string
	switch {
	case raw == nil || string(raw) == "null":
		return "", nil
	case raw[0] == '[' && json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, " "), raw
	}
	return rawjson.Unquote(raw), raw
}

// namesByCategory returns the names of the tools that the caller may call, by category.
func (x *Call) namesByCategory() map[string][]string {
	names := map[string][]string{}
	for _, c := range x.server.opt.Catalog.Categories {
		for _, t := range c.Tools {
			if x.caller.Only.has(t.Name) {
				names[c.Name] = append(names[c.Name], t.Name)
			}
		}
	}
	return names
}

// unwrap turns a call of call_tool into a call of the tool that it names. If the member arguments
// is missing, the other members are the arguments.
func (x *Call) unwrap() {
	wrapped := x.params.arguments
	x.params.name = ""
	var beside []byte
	eachMember(wrapped, func(name, value []byte) {
		switch string(name) {
		case "name", "tool":
			if x.params.name == "" {
				x.params.name = rawjson.Unquote(value)
				return
			}
		case "arguments":
			x.params.arguments = value
			return
		}
		key, _ := json.Marshal(string(name)) // marshaling a string cannot fail
		beside = append(append(append(append(beside, ','), key...), ':'), value...)
	})
	switch {
	case string(member(wrapped, "arguments")) == "null":
		x.params.arguments = json.RawMessage("{}")
	case member(wrapped, "arguments") != nil:
	case beside == nil:
		x.params.arguments = json.RawMessage("{}")
	default:
		beside[0] = '{'
		x.params.arguments = append(beside, '}')
	}
}

// respondWith sets the response of a call that is handled without running a catalog tool.
func (x *Call) respondWith(r callResult) {
	x.ready = &Response{Status: http.StatusOK, Body: x.encode(r)}
}

// resolve returns the calculator that a call names, or nil for find_tools and the batch tools. It
// rejects a call of an unknown or excluded tool and returns nil.
func (x *Call) resolve() *tools.Entry {
	wrapped := x.params.name == callToolName
	if wrapped {
		x.unwrap()
	}
	switch {
	case x.params.name == findToolsName: // Handle calls find_tools after it has checked the session
		return nil
	case wrapped && x.params.name == "":
		x.rejectName(wrapped, `call_tool: name: is required: the name of a tool, such as "fspl"`)
		return nil
	}
	if isBatchTool(x.params.name) && x.batches() != nil {
		return nil
	}
	catalog := x.server.opt.Catalog
	entry, err := catalog.Find(x.params.name)
	if err != nil {
		if entry = catalog.FindWritten(x.params.name); entry == nil {
			x.rejectName(wrapped, unknownTool(err)+x.renamedCall(err))
			return nil
		}
		x.notes = []string{fmt.Sprintf("tool %q: read as %s", x.params.name, entry.Name)}
		x.rename(entry.Name)
	}
	if !x.caller.Only.has(entry.Name) {
		x.rejectName(wrapped, "the tool "+entry.Name+
			" is not among those this connection was narrowed to by ?tools=")
		return nil
	}
	return entry
}

// rename changes the tool name of the call, and of the message for mcp-go.
func (x *Call) rename(name string) {
	x.params.name = name
	params := map[string]json.RawMessage{}
	eachMember(x.message.params, func(member, value []byte) { params[string(member)] = value })
	quoted, _ := json.Marshal(name) // marshaling a string cannot fail
	if _, wrapped := params["name"]; !wrapped || rawjson.Unquote(params["name"]) == callToolName {
		return // mcp-go handles call_tool itself
	}
	params["name"] = quoted
	body, err := rawjson.Marshal(map[string]any{
		"jsonrpc": protocol.JSONRPC_VERSION, "id": x.message.id, "method": methodCall,
		"params": params,
	})
	if err == nil {
		x.body = body
	}
}

// unknownTool returns the text of an unknown tool error.
func unknownTool(err error) string {
	message := err.Error()
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return message + " find_tools finds tools by words."
}

// renamedCall returns a call of the most similar tool with the same arguments, or "" if that tool
// does not accept them.
func (x *Call) renamedCall(err error) string {
	var unknown *tools.NotFoundError
	if !errors.As(err, &unknown) || len(unknown.Nearest) == 0 ||
		!x.caller.Only.has(unknown.Nearest[0]) {
		return ""
	}
	entry, err := x.server.opt.Catalog.Find(unknown.Nearest[0])
	if err != nil {
		return ""
	}
	arguments, _, err := entry.Interpreted(x.params.arguments)
	proposal := &tools.InputError{Corrected: arguments}
	if input := tools.AsInputError(err); input != nil &&
		len(input.Assumed)+len(input.Omitted) == 0 {
		arguments, proposal = input.Corrected, input
	}
	known := false
	eachMember(arguments, func(name, _ []byte) {
		known = known || entry.Input.Field(string(name)) != nil
	})
	if !known {
		return ""
	}
	return correctedCall(entry, proposal)
}

// rejectName rejects a call whose tool is missing, unknown or excluded. For call_tool the response
// is a result, which the model can read; for other calls it is a protocol error.
func (x *Call) rejectName(wrapped bool, detail string) {
	if wrapped {
		x.respondWith(callResult{isError: true, text: text.Truncate(detail, maxErrorText)})
		return
	}
	x.reject(x.statusOf(protocol.INVALID_PARAMS),
		rpcError{Code: protocol.INVALID_PARAMS, Message: detail})
}
