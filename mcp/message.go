package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/internal/rawjson"
)

// message is a JSON-RPC message. Absent members are nil.
type message struct {
	jsonrpc, id, method, params, result, error json.RawMessage

	name string // method name as a string
}

// callParams holds the parameters of tools/call. The arguments stay raw because tools depend on the
// digits of numbers and report duplicate keys.
type callParams struct {
	name      string
	arguments json.RawMessage
	token     json.RawMessage // for progress
}

// maxScalar is the maximum size in bytes of ids and progress tokens, which the server echoes.
const maxScalar = 256

// isScalar reports whether raw, a JSON value, is a string or a number of at most maxScalar bytes.
// Ids and progress tokens must be such values.
func isScalar(raw json.RawMessage) bool {
	return len(raw) > 0 && len(raw) <= maxScalar &&
		(raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// rpcError is a JSON-RPC error object.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error codes of this server within the range that JSON-RPC reserves for servers.
const (
	codeNoSession = -32001 // the official SDKs use this code
	codeNotFound  = -32002 // resource not found
)

// encode returns the error response to a request. Without a valid id, the id of the response is
// null.
func (f rpcError) encode(id json.RawMessage) []byte {
	if !isScalar(id) {
		id = json.RawMessage("null")
	}
	body, _ := json.Marshal(struct { // marshaling strings and numbers cannot fail
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{protocol.JSONRPC_VERSION, id, f})
	return body
}

// readMessage parses a message. It returns an error object for an invalid message. The message does
// not share memory with body.
func readMessage(body []byte) (m message, fault *rpcError) {
	var b bytes.Buffer
	b.Grow(len(body))
	// Compact also validates the JSON, as eachMember requires.
	if err := json.Compact(&b, body); err != nil {
		return m, &rpcError{Code: protocol.PARSE_ERROR, Message: "the body is not JSON: " +
			err.Error()}
	}
	switch b.Bytes()[0] {
	case '[':
		return m, &rpcError{
			Code:    protocol.INVALID_REQUEST,
			Message: "batches are not supported; send each message by itself",
		}
	case '{':
	default:
		return m, &rpcError{Code: protocol.INVALID_REQUEST, Message: "a message is a JSON object"}
	}
	rawjson.Members(b.Bytes(), func(name, value []byte) {
		switch string(name) {
		case "jsonrpc":
			m.jsonrpc = value
		case "id":
			m.id = value
		case "method":
			m.method = value
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			m.error = value
		}
	})
	switch {
	case string(m.jsonrpc) != `"2.0"`:
		return m, &rpcError{Code: protocol.INVALID_REQUEST, Message: `"jsonrpc" must be "2.0"`}
	case m.id != nil && !isScalar(m.id):
		return m, &rpcError{
			Code: protocol.INVALID_REQUEST,
			Message: "an id is a string or a number of at most " + strconv.Itoa(maxScalar) +
				" bytes",
		}
	case m.method != nil && m.method[0] != '"':
		return m, &rpcError{Code: protocol.INVALID_REQUEST, Message: "a method is a string"}
	case m.method == nil && (m.id == nil || m.result == nil && m.error == nil):
		return m, &rpcError{
			Code:    protocol.INVALID_REQUEST,
			Message: "the message has neither a method nor an id with a result or an error",
		}
	}
	m.name = rawjson.Unquote(m.method)
	return m, nil
}

// isRequest reports whether the message requires a response.
func (m *message) isRequest() bool { return m.method != nil && m.id != nil }

// readCall parses the parameters of tools/call. ok reports whether they name a tool.
func (m *message) readCall() (p callParams, ok bool) {
	eachMember(m.params, func(name, value []byte) {
		switch string(name) {
		case "name":
			p.name = rawjson.Unquote(value)
		case "arguments":
			p.arguments = value
		case "_meta":
			p.token = member(value, "progressToken")
		}
	})
	if p.arguments == nil || string(p.arguments) == "null" {
		p.arguments = json.RawMessage("{}")
	}
	return p, p.name != ""
}

// eachMember calls f for each member of raw. It does nothing if raw is not an object.
func eachMember(raw []byte, f func(name, value []byte)) {
	if len(raw) > 0 && raw[0] == '{' {
		rawjson.Members(raw, f)
	}
}

// member returns the named member of an object, or nil.
func member(raw []byte, name string) (found json.RawMessage) {
	eachMember(raw, func(n, value []byte) {
		if string(n) == name {
			found = value
		}
	})
	return found
}
