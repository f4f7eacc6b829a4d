package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/internal/rawjson"
	"slipstick/internal/text"
)

// Protocol revision 2026-07-28 has neither a handshake nor sessions. Every request carries its
// version and the client's capabilities in _meta. Over HTTP, headers repeat version, method and
// name.

// isStateless reports whether a message or its header names a protocol version without sessions.
func isStateless(m *message, header string) bool {
	return protocol.IsModernProtocol(m.version()) || protocol.IsModernProtocol(header)
}

// version returns the protocol version in the _meta of a message, or "".
func (m *message) version() string {
	return rawjson.Unquote(member(member(m.params, "_meta"), protocol.MetaKeyProtocolVersion))
}

// beginStateless validates a message of a protocol version without sessions. header is nil for a
// transport without headers.
func (x *Call) beginStateless(header func(string) string) {
	x.stateless = true
	version := x.message.version()
	if header != nil {
		x.session = rand.Text() // limits cancellations to this message
		switch raw := header(protocol.HeaderProtocolVersion); {
		case header(protocol.HeaderLastEventID) != "":
			x.badRequest(protocol.HEADER_MISMATCH,
				"Last-Event-ID: streams cannot be resumed; send the same call again to join its job")
			return
		case raw == "":
			x.badRequest(protocol.HEADER_MISMATCH,
				"the header MCP-Protocol-Version is missing; it must be the version in _meta")
			return
		case version == "" && !isSupportedVersion(raw):
			x.rejectVersion(raw)
			return
		case version == "" && x.message.isRequest():
			x.badRequest(
				protocol.INVALID_PARAMS,
				"_meta."+protocol.MetaKeyProtocolVersion+" is missing; it must be the version in the header MCP-Protocol-Version",
			)
			return
		case version != "" && version != raw:
			x.badRequest(
				protocol.HEADER_MISMATCH,
				fmt.Sprintf(
					"the header MCP-Protocol-Version is %q, and _meta has %q; both must be equal",
					text.Truncate(raw, 40), text.Truncate(version, 40)),
			)
			return
		}
	}
	if !x.message.isRequest() {
		return
	}
	if !isSupportedVersion(version) {
		x.rejectVersion(version)
		return
	}
	if header != nil {
		err := protocol.ValidateStandardHeaders(header, version, protocol.MCPMethod(x.message.name),
			x.message.params)
		if err != nil {
			x.badRequest(protocol.HEADER_MISMATCH, text.Truncate(err.Error(), 300))
			return
		}
	}
	capabilities := member(member(x.message.params, "_meta"), protocol.MetaKeyClientCapabilities)
	var declared protocol.ClientCapabilities
	if len(capabilities) == 0 || capabilities[0] != '{' ||
		json.Unmarshal(capabilities, &declared) != nil {
		x.badRequest(
			protocol.INVALID_PARAMS,
			"_meta."+protocol.MetaKeyClientCapabilities+" must be the object of the client's capabilities; {} has none",
		)
		return
	}
	x.tasks = declaresTasks(capabilities)
}

func (x *Call) rejectVersion(version string) {
	version = text.Truncate(version, 40)
	x.badRequestWith(rpcError{
		Code: protocol.UNSUPPORTED_PROTOCOL_VERSION,
		Message: fmt.Sprintf("the protocol version %q is not supported; it must be one of %s",
			version, strings.Join(Versions(), ", ")),
		Data: protocol.UnsupportedProtocolVersionData{Supported: Versions(), Requested: version},
	})
}

func (x *Call) badRequest(code int, text string) {
	x.badRequestWith(rpcError{Code: code, Message: text})
}

func (x *Call) badRequestWith(fault rpcError) { x.reject(http.StatusBadRequest, fault) }

// notFoundCode returns the error code for a nonexistent resource.
func (x *Call) notFoundCode() int {
	if x.stateless {
		return protocol.INVALID_PARAMS
	}
	return codeNotFound
}

// statusOf returns the HTTP status of an error. It is 200 unless the protocol specifies another.
func (x *Call) statusOf(code int) int {
	if !x.stateless {
		return http.StatusOK
	}
	switch code {
	case protocol.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case protocol.HEADER_MISMATCH, protocol.MISSING_REQUIRED_CLIENT_CAPABILITY,
		protocol.UNSUPPORTED_PROTOCOL_VERSION, protocol.INVALID_REQUEST, protocol.INVALID_PARAMS,
		protocol.PARSE_ERROR:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// resultMembers returns the members of every result of a protocol version without sessions: the
// result type and the server. They are JSON with a leading comma. mcp-go writes the same members.
func (s *Server) resultMembers() (string, error) {
	request := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"_meta":{%q:%q,%q:{}}}}`,
		protocol.MethodServerDiscover, protocol.MetaKeyProtocolVersion,
		protocol.ProtocolVersion20260728, protocol.MetaKeyClientCapabilities)
	ctx := s.engine.WithContext(context.Background(), sessionAdapter(""))
	response, err := rawjson.Marshal(s.engine.HandleMessage(ctx, []byte(request)))
	if err != nil {
		return "", err
	}
	meta := member(member(response, "result"), "_meta")
	if meta == nil {
		return "", errors.New("mcp: the response to server/discover has no _meta")
	}
	return `,"resultType":"complete","_meta":` + string(meta), nil
}
