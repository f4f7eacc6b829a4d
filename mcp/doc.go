// Package mcp serves the tools to agents by the Model Context Protocol, over HTTP and over
// standard input and output.
//
// A message enters at Server.Parse, which reads as much of it as must be known at once: is it
// JSON, whose session is it, does it call a tool, will that take long. Exchange.Answer handles
// it. Calls of light tools, nearly all of the traffic, are answered here (fast.go). Everything
// else goes through mcp-go's MCPServer: the handshake, the listings, prompts, resources, and
// calls of heavy tools, whose handler waits for a job and reports its progress (heavy.go). Both
// ways make their calls in call.go, by call.Runner, so they say the same.
//
// The HTTP side is api's: it takes requests, watches connections and writes the events. What is
// here knows no HTTP beyond status numbers.
//
// # Sessions
//
// A session is a signed name and nothing else (session.go): no instance remembers it, all
// instances share the signing secret by Redis, so any of them serves it, and a restart of one or
// all of them ends none. What must reach the instance that is busy with a call, a cancellation,
// goes to all of them by Redis (broadcast.go).
package mcp
