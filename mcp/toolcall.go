package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/internal/rawjson"
)

// Calls of synchronous tools bypass mcp-go, which parses each message five times and encodes maps.
// Calls through mcp-go reach only a quarter of the throughput of REST.
// TestDirectResponsesEqualMCPGo compares the responses of both paths.

// callInPlace handles a call of a synchronous tool in the calling goroutine.
func (x *Call) callInPlace(ctx context.Context) []byte {
	return x.encode(x.compute(ctx))
}

// encode returns the response with a result.
func (x *Call) encode(r callResult) []byte {
	if r.task != nil {
		return x.createdTask(*r.task)
	}
	id := x.message.id
	result := x.encodeResult(r)
	b := make([]byte, 0, len(result)+len(id)+40)
	b = append(append(append(b, `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
	return append(append(b, result...), '}')
}

// encodeResult returns the result of a call as JSON.
func (x *Call) encodeResult(r callResult) []byte {
	text, _ := json.Marshal(r.text) // marshaling a string cannot fail
	b := make([]byte, 0, len(text)+len(r.structured)+160)
	b = append(b, `{"content":[{"type":"text","text":`...)
	b = append(append(b, text...), '}')
	for _, picture := range r.pictures {
		b = append(b, `,{"type":"image","mimeType":"`+pngMediaType+`","data":"`...)
		b = append(base64.StdEncoding.AppendEncode(b, picture), `"}`...)
	}
	if r.link != nil {
		b = append(append(b, ','), r.link.encode()...)
	}
	b = append(b, ']')
	if r.structured != nil {
		b = append(append(b, `,"structuredContent":`...), r.structured...)
	}
	if r.isError {
		b = append(b, `,"isError":true`...)
	}
	if x.stateless {
		b = append(b, x.server.members...)
	}
	return append(b, '}')
}

// encode returns the link as content of a result.
func (l *link) encode() []byte {
	content, _ := rawjson.Marshal(l.resourceLink()) // marshaling strings cannot fail
	return content
}

func (l *link) resourceLink() protocol.ResourceLink {
	return protocol.NewResourceLink(l.uri, l.name, l.description, "application/json")
}

// handleAny is the mcp-go handler of call_tool.
func handleAny(ctx context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	if isBatchTool(callFrom(ctx).params.name) {
		return handleBatch(ctx, r)
	}
	return handleCall(ctx, r)
}

// handleCall is the mcp-go handler of every tool. It takes the raw arguments from the Call because
// the maps of mcp-go lose digits of numbers.
func handleCall(ctx context.Context, _ protocol.CallToolRequest) (*protocol.CallToolResult, error) {
	x := callFrom(ctx)
	r := x.compute(ctx)
	x.cancelled = ctx.Err() != nil
	out := &protocol.CallToolResult{
		Content: []protocol.Content{protocol.NewTextContent(r.text)}, IsError: r.isError,
	}
	if r.structured != nil {
		out.StructuredContent = r.structured
	}
	for _, picture := range r.pictures {
		data := base64.StdEncoding.EncodeToString(picture)
		out.Content = append(out.Content, protocol.NewImageContent(data, pngMediaType))
	}
	if r.link != nil {
		out.Content = append(out.Content, r.link.resourceLink())
	}
	return out, nil
}
