// Package api serves the tools over HTTP with Fiber: the catalog, calls, jobs, batches, API keys,
// the OpenAPI document, health, MCP and the web pages. Errors are problem documents (RFC 9457),
// except on pages and in JSON-RPC messages.
//
// Server.serve (request.go) handles a request: it sets the request id and the common headers,
// recovers from panics and writes the access log. Fiber selects the handler. A handler writes a
// response or returns an error. Only Server.writeProblem (writeproblem.go) turns errors into
// responses. Package listener limits and drains connections.
//
// Tool calls go through call.Runner (compute.go). The response of a synchronous tool is an envelope
// whose constant parts are encoded once (envelope.go). A call of a queued tool waits for a limited
// time and then returns 202 with a job (job.go). listener.WhileConnected ends the wait when the
// client disconnects.
//
// Listings, metadata and the OpenAPI document are constant while the process runs. They are encoded
// once at start, with an ETag and compressed copies (document.go). Server.serve compresses other
// responses for clients that accept a coding (compress.go). Large job results are stored compressed
// and sent without recompression (stream.go).
package api
