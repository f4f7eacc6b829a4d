// Package mcp serves the tools to agents with the Model Context Protocol over HTTP or standard
// input and output.
//
// Server.Parse parses a message, validates its session and finds the tool of a call. Call.Handle
// handles the message. This package handles calls of synchronous tools, nearly all of the traffic,
// without mcp-go (toolcall.go). The MCPServer of mcp-go handles the handshake, prompts, resources
// and calls of queued tools. The handler of a queued tool waits for a job and reports its progress
// (progress.go). Both paths run calls through call.Runner (call.go), so their responses are equal.
//
// Package api implements the HTTP transport: it reads requests, watches connections and writes
// events. This package uses nothing of HTTP except status codes. ServeLines serves one client over
// standard input and output (stdio.go).
//
// Besides the tools of the catalog there are batch tools (batch*.go) and the tools that search the
// catalog and call its tools (find.go). Responses are limited in size; the complete results are
// resources (present.go, resources.go).
//
// # Sessions
//
// A session is a signed id that is not stored (session.go). All instances share the signing
// secret through Redis, so each can serve every session, and sessions survive restarts. A
// cancellation must reach the instance that runs the call, so Redis publishes it to all instances
// (events.go). The newest protocol version has no sessions (stateless.go). Its clients can use
// tasks (task.go) and subscriptions (listen.go).
package mcp
