// Package api is the service's HTTP side, on Fiber: the catalog, computing, jobs, the OpenAPI
// document, health, and problem documents for everything that goes wrong.
//
// A request enters at Server.serve (request.go), which gives it an id, the headers every answer
// has, and a net for panics, and writes its access line. Fiber then picks the handler. A handler
// answers or returns an error; Server.fail (fail.go) is the only place that turns errors into
// answers, so every refusal has the shape of problem.go.
//
// Calls of tools go through call.Runner (compute.go). Synchronous tools answer with an envelope
// that is appended, not marshalled (envelope.go). A call of a queued tool waits for a bounded time
// and is then answered 202 with a job to ask for (job.go). While it waits, a watcher notices a
// client that hangs up (watch.go), because neither Fiber nor fasthttp tells.
//
// What only changes with the program (listings, metadata, OpenAPI) is written once at start, with
// its ETag and a compressed copy (document.go).
package api
