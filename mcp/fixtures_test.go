package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/internal/rawjson"
)

// These fixtures are the tools, prompts and resources that the conformance suite calls. They use
// the transport of the service.

// A picture of one pixel and a sound without samples, in base64.
var (
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	noSound  = base64.StdEncoding.EncodeToString([]byte(
		"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"))
)

// suite is the state of the fixtures.
type suite struct {
	server *Server

	mu       sync.Mutex
	pending  map[string]chan json.RawMessage // requests to the client by id
	requests int
}

// AddConformanceFixtures adds the fixtures of the conformance suite to a server.
func AddConformanceFixtures(s *Server) {
	f := &suite{server: s, pending: map[string]chan json.RawMessage{}}
	s.fixtures = f.handler
	object := `{"type":"object","properties":{}}`
	for name, schema := range map[string]string{
		"test_missing_capability": object, "test_streaming_elicitation": object,
		"test_logging_tool": object,
		"test_headers":      `{"type":"object","properties":{"text":{"type":"string","x-mcp-header":"Text"}},"required":["text"]}`,
		"json_schema_2020_12_tool": `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
			`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
			`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},` +
			`"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
			`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`,
	} {
		s.list.more = append(s.list.more,
			json.RawMessage(fmt.Sprintf(`{"name":%q,"description":"A fixture","inputSchema":%s}`,
				name, schema)))
	}
}

func (f *suite) handler(x *Call, header func(string) string) fixture {
	m := &x.message
	if m.method == nil { // the response of the client to a request
		f.mu.Lock()
		defer f.mu.Unlock()
		if response, ok := f.pending[string(m.id)]; ok {
			response <- m.result
			delete(f.pending, string(m.id))
		}
		return nil
	}
	if m.id == nil {
		return nil
	}
	name := rawjson.Unquote(member(m.params, "name"))
	uri := rawjson.Unquote(member(m.params, "uri"))
	switch m.name + " " + name + uri {
	case "tools/call test_headers":
		tool := &protocol.Tool{Name: "test_headers"}
		_ = json.Unmarshal(
			[]byte(
				`{"type":"object","properties":{"text":{"type":"string","x-mcp-header":"Text"}}}`), &tool.InputSchema)
		err := protocol.ValidateParamHeadersLookup(func(name string) (string, bool) {
			v := header(name)
			return v, v != ""
		}, tool, m.params)
		if err != nil {
			return failing(rpcError{Code: protocol.HEADER_MISMATCH, Message: err.Error()})
		}
		return textOf("the headers agree")
	case "tools/call test_missing_capability":
		if member(x.capabilities(), "sampling") == nil {
			return failing(rpcError{
				Code: protocol.MISSING_REQUIRED_CLIENT_CAPABILITY, Message: "sampling is needed",
				Data: map[string]any{"requiredCapabilities": map[string]any{
					"sampling": map[string]any{}}},
			})
		}
		return textOf("sampling is there")
	case "tools/call test_streaming_elicitation", "tools/call test_logging_tool",
		"tools/call json_schema_2020_12_tool":
		return textOf("done")
	case "tools/call test_simple_text":
		return textOf("This is a simple text response for testing.")
	case "tools/call test_image_content":
		return contentOf(`{"type":"image","data":"` + onePixel + `","mimeType":"image/png"}`)
	case "tools/call test_audio_content":
		return contentOf(`{"type":"audio","data":"` + noSound + `","mimeType":"audio/wav"}`)
	case "tools/call test_embedded_resource":
		return contentOf(`{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}`)
	case "tools/call test_multiple_content_types":
		return contentOf(
			`{"type":"text","text":"Multiple content types test:"},{"type":"image","data":"` +
				onePixel + `","mimeType":"image/png"},` +
				`{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}`)
	case "tools/call test_error_handling":
		return resultOf(`"isError":true,"content":[{"type":"text","text":"This tool intentionally returns an error for testing"}]`)
	case "tools/call test_tool_with_logging":
		return after(textOf("logged"), "notifications/message",
			`{"level":"info","data":"Tool execution started"}`,
			`{"level":"info","data":"Tool processing data"}`,
			`{"level":"info","data":"Tool execution completed"}`)
	case "tools/call test_tool_with_progress":
		token := string(member(member(m.params, "_meta"), "progressToken"))
		if token == "" {
			return textOf("done")
		}
		report := func(percent int) string {
			return fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":100}`, token, percent)
		}
		return after(textOf("done"), "notifications/progress", report(0), report(50), report(100))
	case "tools/call test_sampling":
		prompt := member(member(m.params, "arguments"), "prompt")
		return f.requesting("sampling/createMessage",
			`{"messages":[{"role":"user","content":{"type":"text","text":`+string(
				prompt)+`}}],"maxTokens":100}`,
			func(response json.RawMessage) string {
				return "LLM response: " + rawjson.Unquote(member(member(response, "content"), "text"))
			})
	case "tools/call test_elicitation":
		message := member(member(m.params, "arguments"), "message")
		return f.eliciting("User response: ", `"message":`+string(message)+`,"requestedSchema":{"type":"object","properties":{"username":{"type":"string","description":"User's response"},`+
			`"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)
	case "tools/call test_elicitation_sep1034_defaults":
		return f.eliciting("Elicitation completed: ", `"message":"Defaults","requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},`+
			`"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},`+
			`"verified":{"type":"boolean","default":true}},"required":[]}`)
	case "tools/call test_elicitation_sep1330_enums":
		return f.eliciting("Elicitation completed: ",
			`"message":"Enums","requestedSchema":{"type":"object","properties":{`+
				`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},`+
				`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},`+
				`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},`+
				`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},`+
				`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}`)
	case "resources/read test://static-text":
		return readOf(`{"uri":"test://static-text","mimeType":"text/plain","text":"This is the content of the static text resource."}`)
	case "resources/read test://static-binary":
		return readOf(`{"uri":"test://static-binary","mimeType":"image/png","blob":"` +
			onePixel + `"}`)
	case "resources/read test://template/123/data":
		return readOf(`{"uri":"test://template/123/data","mimeType":"application/json","text":"{\"id\":\"123\",\"templateTest\":true,\"data\":\"Data for ID: 123\"}"}`)
	case "resources/subscribe test://watched-resource",
		"resources/unsubscribe test://watched-resource":
		if !x.stateless {
			return resultOf("")
		}
	case "prompts/get test_simple_prompt":
		return resultOf(`"messages":[{"role":"user","content":{"type":"text","text":"This is a simple prompt for testing."}}]`)
	case "prompts/get test_prompt_with_arguments":
		arguments := member(m.params, "arguments")
		text, _ := json.Marshal(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'",
			rawjson.Unquote(member(arguments, "arg1")), rawjson.Unquote(member(arguments, "arg2"))))
		return resultOf(`"messages":[{"role":"user","content":{"type":"text","text":` +
			string(text) + `}}]`)
	case "prompts/get test_prompt_with_embedded_resource":
		at := string(member(member(m.params, "arguments"), "resourceUri"))
		return resultOf(
			`"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":` + at +
				`,"mimeType":"text/plain","text":"Embedded resource content for testing."}}},` +
				`{"role":"user","content":{"type":"text","text":"Please process the embedded resource above."}}]`)
	case "prompts/get test_prompt_with_image":
		return resultOf(`"messages":[{"role":"user","content":{"type":"image","data":"` + onePixel +
			`","mimeType":"image/png"}},` +
			`{"role":"user","content":{"type":"text","text":"Please analyze the image above."}}]`)
	default:
		return f.rounds(m, x, name)
	}
	return nil
}

// Requests to the client within input_required results.
const (
	askName     = `{"method":"elicitation/create","params":{"message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}`
	askColor    = `{"method":"elicitation/create","params":{"message":"Step 2: What is your favorite color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}}}`
	askOK       = `{"method":"elicitation/create","params":{"message":"Please confirm","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}`
	askContext  = `{"method":"elicitation/create","params":{"message":"What context should the prompt use?","requestedSchema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}}}`
	askCapital  = `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}}`
	askGreeting = `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Generate a greeting"}}],"maxTokens":50}}`
	askRoots    = `{"method":"roots/list","params":{}}`
)

// rounds returns the fixture for a tool or prompt that needs input from the client, or nil for any
// other request.
func (f *suite) rounds(m *message, x *Call, name string) fixture {
	if m.name != methodCall && m.name != "prompts/get" {
		return nil
	}
	responses := member(m.params, "inputResponses")
	state := rawjson.Unquote(member(m.params, "requestState"))
	responseOf := func(key string) json.RawMessage {
		response := member(responses, key)
		if response == nil || response[0] != '{' {
			return nil
		}
		return response
	}
	switch name {
	case "test_input_required_result_elicitation":
		if v := member(member(responseOf("user_name"), "content"), "name"); v != nil {
			return textOf("Hello, " + rawjson.Unquote(v) + "!")
		}
		return required(`"user_name":`+askName, "")
	case "test_input_required_result_sampling":
		if v := responseOf("capital_question"); v != nil {
			return textOf(rawjson.Unquote(member(member(v, "content"), "text")))
		}
		return required(`"capital_question":`+askCapital, "")
	case "test_input_required_result_list_roots":
		if v := responseOf("client_roots"); v != nil {
			return textOf("Roots: " + string(member(v, "roots")))
		}
		return required(`"client_roots":`+askRoots, "")
	case "test_input_required_result_request_state":
		if responseOf("confirm") != nil && state == "state 1" {
			return textOf("state-ok")
		}
		return required(`"confirm":`+askOK, "state 1")
	case "test_input_required_result_multiple_inputs":
		if responseOf("user_name") != nil && responseOf("greeting") != nil &&
			responseOf("client_roots") != nil && state == "state" {
			return textOf("all three")
		}
		return required(
			`"user_name":`+askName+`,"greeting":`+askGreeting+`,"client_roots":`+askRoots, "state")
	case "test_input_required_result_multi_round":
		switch {
		case responseOf("step1") != nil && state == "round 1":
			return required(`"step2":`+askColor, "round 2")
		case responseOf("step2") != nil && state == "round 2":
			return textOf("three rounds")
		}
		return required(`"step1":`+askName, "round 1")
	case "test_input_required_result_tampered_state":
		switch {
		case state == "":
			return required(`"confirm":`+askOK, "signed")
		case state != "signed":
			return failing(rpcError{Code: protocol.INVALID_PARAMS,
				Message: "requestState was changed"})
		}
		return textOf("unchanged")
	case "test_input_required_result_capabilities":
		requests := ""
		for capability, request := range map[string]string{"sampling": `"s":` + askCapital,
			"elicitation": `"e":` + askName} {
			if member(x.capabilities(), capability) != nil {
				if requests != "" {
					requests += ","
				}
				requests += request
			}
		}
		return required(requests, "")
	case "test_input_required_result_prompt":
		if responseOf("user_context") != nil {
			return resultOf(
				`"messages":[{"role":"user","content":{"type":"text","text":"With context."}}]`)
		}
		return required(`"user_context":`+askContext, "")
	}
	return nil
}

// capabilities returns the client capabilities in a request.
func (x *Call) capabilities() json.RawMessage {
	return member(member(x.message.params, "_meta"), protocol.MetaKeyClientCapabilities)
}

// resultOf returns a fixture with the members of a result, as JSON.
func resultOf(members string) fixture {
	return func(_ context.Context, x *Call) ([]byte, int) {
		more := ""
		if x.stateless {
			more = x.server.members
			if members == "" {
				more = more[1:]
			}
		}
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s%s}}`, x.message.id,
			members, more), 0
	}
}

func contentOf(items string) fixture { return resultOf(`"content":[` + items + `]`) }

func textOf(text string) fixture {
	quoted, _ := json.Marshal(text) // encoding a string cannot fail
	return contentOf(`{"type":"text","text":` + string(quoted) + `}`)
}

func readOf(contents string) fixture {
	return func(ctx context.Context, x *Call) ([]byte, int) {
		members := `"contents":[` + contents + `]`
		if x.stateless {
			members += `,"ttlMs":0,"cacheScope":"private"`
		}
		return resultOf(members)(ctx, x)
	}
}

func failing(err rpcError) fixture {
	return func(_ context.Context, x *Call) ([]byte, int) {
		return err.encode(x.message.id), err.Code
	}
}

// required returns a fixture whose result requests input from the client. The client returns state
// together with its input; "" means that there is no state.
func required(requests, state string) fixture {
	return func(_ context.Context, x *Call) ([]byte, int) {
		members := `"resultType":"input_required","inputRequests":{` + requests + `}`
		if state != "" {
			members += fmt.Sprintf(`,"requestState":%q`, state)
		}
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, x.message.id, members), 0
	}
}

// after returns a fixture that sends notifications before the response.
func after(response fixture, method string, params ...string) fixture {
	return func(ctx context.Context, x *Call) ([]byte, int) {
		for i, p := range params {
			if i > 0 {
				time.Sleep(50 * time.Millisecond)
			}
			if x.notify != nil {
				x.notify(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, p))
			}
		}
		return response(ctx, x)
	}
}

// requesting returns a fixture that sends a request to the client on the stream of the call. The
// result of the call is the client's response.
func (f *suite) requesting(method, params string,
	format func(response json.RawMessage) string) fixture {
	return func(ctx context.Context, x *Call) ([]byte, int) {
		response := make(chan json.RawMessage, 1)
		f.mu.Lock()
		f.requests++
		id := fmt.Sprintf(`"request %d"`, f.requests)
		f.pending[id] = response
		f.mu.Unlock()
		x.notify(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id,
			method, params))
		select {
		case response := <-response:
			return textOf(format(response))(ctx, x)
		case <-ctx.Done():
			return rpcError{Code: protocol.INTERNAL_ERROR,
				Message: "no response"}.encode(x.message.id), protocol.INTERNAL_ERROR
		}
	}
}

func (f *suite) eliciting(prefix, params string) fixture {
	return f.requesting("elicitation/create", `{`+params+`}`, func(r json.RawMessage) string {
		return prefix + "action=" + rawjson.Unquote(member(r, "action")) + ", content=" +
			string(member(r, "content"))
	})
}
