package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// message is a JSON-RPC message as far as it must be known before it is handled.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// callParams are the parameters of tools/call. The arguments stay as they were written: a tool
// may care about a number's digits, and reports duplicate keys.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      struct {
		ProgressToken json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
}

// maxScalar bounds ids and progress tokens, which are sent back.
const maxScalar = 256

// scalar says that raw is a string or a number, as ids and progress tokens are.
func scalar(raw json.RawMessage) bool {
	return len(raw) > 0 && len(raw) <= maxScalar && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// rpcFault is a JSON-RPC error.
type rpcFault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Codes of our own within JSON-RPC's range for servers.
const (
	codeNoSession = -32001 // the specification's own SDKs use it
	codeNotFound  = -32002 // resource not found
)

// encode is the error as the answer to a request; without an id it answers what was no request.
func (f rpcFault) encode(id json.RawMessage) []byte {
	if !scalar(id) {
		id = json.RawMessage("null")
	}
	body, _ := json.Marshal(struct { // strings and numbers cannot fail
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcFault        `json:"error"`
	}{protocol.JSONRPC_VERSION, id, f})
	return body
}

// readMessage reads a message, or says why it is none.
func readMessage(body []byte) (m message, fault *rpcFault) {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		return m, &rpcFault{protocol.INVALID_REQUEST, "batches are not supported; send each message by itself"}
	}
	if err := json.Unmarshal(body, &m); err != nil {
		if json.Valid(body) {
			return m, &rpcFault{protocol.INVALID_REQUEST, "this is no JSON-RPC message: it needs jsonrpc \"2.0\", a method that is a string, and for a request an id"}
		}
		return m, &rpcFault{protocol.PARSE_ERROR, "the body is not JSON: " + err.Error()}
	}
	switch {
	case m.JSONRPC != protocol.JSONRPC_VERSION:
		return m, &rpcFault{protocol.INVALID_REQUEST, `"jsonrpc" must be "2.0"`}
	case m.ID != nil && !scalar(m.ID):
		return m, &rpcFault{protocol.INVALID_REQUEST, "an id is a string or a number of at most " + strconv.Itoa(maxScalar) + " bytes"}
	case m.Method == "" && (m.ID == nil || m.Result == nil && m.Error == nil):
		return m, &rpcFault{protocol.INVALID_REQUEST, "the message has neither a method nor an id with a result or an error"}
	}
	return m, nil
}

// request says that the message wants an answer.
func (m *message) request() bool { return m.Method != "" && m.ID != nil }
