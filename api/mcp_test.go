package api

import (
	"testing"
)

const agentAccept = "Accept: application/json, text/event-stream"

// initialize begins a session.
func (r *running) initialize(t testing.TB) string {
	t.Helper()
	a := r.post(t, "/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, agentAccept)
	session := a.header.Get(headerSession)
	if a.status != 200 || session == "" {
		t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	return session
}
