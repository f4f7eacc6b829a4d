// Package mcp serves the tools to agents by the Model Context Protocol, over HTTP and over
// standard input and output.
//
// A message enters at Server.Parse, which validates the JSON and the session, and finds the tool of
// a call. Call.Answer handles it. Calls of synchronous tools, nearly all of the traffic, are
// answered here (toolcall.go). mcp-go's MCPServer handles the handshake, prompts, resources and
// calls of queued tools, whose handler waits for a job and reports its progress (progress.go). Both
// make their calls in call.go by call.Runner, so their answers are equal.
//
// Package api has the HTTP side: it reads requests, watches connections and writes the events. This
// package uses no part of HTTP except status numbers.
//
// # Sessions
//
// A session is a signed name and is not stored (session.go). All instances share the signing secret
// by Redis, so each of them serves every session, and restarts end none. Cancellations must reach
// the instance of the call; they are published to all instances by Redis (events.go).
package mcp
