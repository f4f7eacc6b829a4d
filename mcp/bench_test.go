package mcp

import "testing"

// BenchmarkCall measures a call of a synchronous tool from message to response, without HTTP.
func BenchmarkCall(b *testing.B) {
	s := newServer(b, Options{})
	session := s.sessions.create()
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fspl","arguments":{"freq_mhz":915,"dist_km":5}}}`)
	b.ReportAllocs()
	for b.Loop() {
		a, err := s.Parse(b.Context(), Request{Body: body, Session: session}).Handle(b.Context(),
			nil)
		if err != nil || a.Status != 200 {
			b.Fatal(err, a.Status)
		}
	}
}
