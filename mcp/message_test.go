package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// TestMessages verifies the HTTP status, the JSON-RPC error code and the text of the responses to
// invalid and valid messages.
func TestMessages(t *testing.T) {
	s := newServer(t, Options{})
	known := s.sessions.create()
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		name, body       string
		session, version string
		status, code     int
		contains         string
	}{
		{"not JSON", `{"jsonrpc":`, known, "", 400, -32700, "not JSON"},
		{"nothing", ``, known, "", 400, -32700, "not JSON"},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, known, "", 400, -32700,
			"not JSON"},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", known, "",
			200, 0, ""},
		{"deep", strings.Repeat(`{"a":`, 20000), known, "", 400, -32700, ""},
		{"a number", `7`, known, "", 400, -32600, "object"},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, known, "", 400,
			-32600, "batches"},
		{"an empty batch", `[]`, known, "2025-03-26", 400, -32600, "batches"},
		{"no version of JSON-RPC", `{"id":1,"method":"ping"}`, known, "", 400, -32600, `"2.0"`},
		{"JSON-RPC 1", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, known, "", 400, -32600, `"2.0"`},
		{"an object for an id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, known, "", 400,
			-32600, "id"},
		{"null for an id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, known, "", 400,
			-32600, "id"},
		{"a long id", `{"jsonrpc":"2.0","id":"` + long + `","method":"ping"}`, known, "", 400,
			-32600, "256"},
		{"a number for a method", `{"jsonrpc":"2.0","id":1,"method":5}`, known, "", 400,
			-32600, "method"},
		{"nothing said", `{"jsonrpc":"2.0"}`, known, "", 400, -32600, "neither"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"tools/eat"}`, known, "", 200, -32601,
			"tools/eat"},
		{"unknown tool", callBody("fslp", `{}`, ""), known, "", 200, -32602, "did you mean fspl"},
		{"no tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, known, "", 200,
			-32602, "name"},
		{"a list for params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["fspl"]}`,
			known, "", 200, -32602, "name"},
		{"a number for a tool",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, known, "", 200,
			-32602, "name"},
		{"no session", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "", "", 400, -32600,
			"Mcp-Session-Id"},
		{"find_tools without a session", callBody("find_tools", `{"query":"loss"}`, ""), "", "",
			400, -32600, "Mcp-Session-Id"},
		{"unknown session", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "0123456789abcdef", "", 404,
			codeNoSession, "initialize"},
		{"forged session", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, flipped(known), "", 404,
			codeNoSession, "initialize"},
		{"unknown protocol version", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, known,
			"1999-01-01", 400, -32600, "2025-06-18"},
		{"a version to come", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, known, "2027-01-01", 400,
			protocol.UNSUPPORTED_PROTOCOL_VERSION, "2025-11-25"},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, known, "",
			202, 0, ""},
		{"progress for a finished request", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"old","progress":1}}`, known, "", 202, 0, ""},
		{"cancelling a finished request",
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}`,
			known, "", 202, 0, ""},
		{"cancelling nonsense",
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":[]}}}`, known, "", 202, 0, ""},
		{"a call without id",
			`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"fspl","arguments":{}}}`,
			known, "", 202, 0, ""},
		{"a response to no request", `{"jsonrpc":"2.0","id":5,"result":{}}`, known, "", 202, 0, ""},
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, known, "2025-06-18", 200, 0,
			`"result":{}`},
		{"white space", " \n{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"tools/call\", \"params\" : { \"name\" : \"fspl\", \"arguments\" : { \"freq_mhz\" : 915 , \"dist_km\" : 5 } } } \n", known, "", 200, 0, "105.655"},
		{"escapes", `{"\u006asonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"\u0066spl","arguments":{"freq_mhz":915,"dist_km":5}}}`, known, "", 200, 0, "105.655"},
		{"a bad cursor", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"%%"}}`,
			known, "", 200, -32602, ""},
		{"no such prompt", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`,
			known, "", 200, -32602, "x"},
		{"a prompt without its argument",
			`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"solar_system"}}`,
			known, "", 200, -32602, "loads"},
		{"no such resource", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, known, "", 200, -32002, ""},
		{"no such page", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"slipstick://tools/fslp"}}`, known, "", 200, -32002, "fspl"},
		{"no such batch", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"slipstick://batches/zz"}}`, known, "", 200, -32002, "batch"},
		{"no such job", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"slipstick://jobs/zz"}}`, known, "", 200, -32002, "job"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := s.Parse(t.Context(), Request{Body: []byte(c.body), Session: c.session,
				Version: c.version}).Handle(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != c.status {
				t.Errorf("status %d, want %d: %s", a.Status, c.status, a.Body)
			}
			if !strings.Contains(string(a.Body), c.contains) {
				t.Errorf("no %q in the response: %s", c.contains, a.Body)
			}
			if c.status == 202 {
				if a.Body != nil {
					t.Errorf("a response to a notification: %s", a.Body)
				}
				return
			}
			var r rpc
			if err := json.Unmarshal(a.Body, &r); err != nil {
				t.Fatalf("%v: %s", err, a.Body)
			}
			if code := codeOf(r.Error); code != c.code {
				t.Errorf("code %d, want %d: %s", code, c.code, a.Body)
			}
		})
	}
}

func codeOf(f *rpcError) int {
	if f == nil {
		return 0
	}
	return f.Code
}

// flipped returns a session id whose sixth character is changed.
func flipped(s string) string {
	b := []byte(s)
	if b[5] == 'A' {
		b[5] = 'B'
	} else {
		b[5] = 'A'
	}
	return string(b)
}

// TestHandshake verifies the negotiated version for each requested version.
func TestHandshake(t *testing.T) {
	s := newServer(t, Options{})
	for requested, want := range map[string]string{
		"2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2024-11-05": "2025-11-25", "2026-07-28": "2025-11-25", "1.0": "2025-11-25",
	} {
		a, err := s.Parse(t.Context(),
			Request{
				Body: []byte(
					`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + requested + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)}).Handle(t.Context(), nil)
		if err != nil || a.Session == "" || !strings.Contains(string(a.Body),
			`"protocolVersion":"`+want+`"`) {
			t.Errorf("%s: session %q, %v, %s", requested, a.Session, err, a.Body)
		}
	}
}

// FuzzOpen verifies that no message causes a panic and that every response is JSON.
func FuzzOpen(f *testing.F) {
	s := newServer(f, Options{Catalog: stepsCatalog(f, nil)})
	session := s.sessions.create()
	for _, seed := range []string{
		callBody("panics", `{"steps":1}`, `"t"`), `[]`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":""}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"slipstick://tools/%zz"}}`, `{"jsonrpc":"2.0","id":1e9,"method":"prompts/get","params":{"name":"solar_system","arguments":{"loads":"{x}"}}}`,
		`{"jsonrpc":"2.0","id":"\u0000","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := s.Parse(t.Context(), Request{Body: body, Session: session}).Handle(t.Context(),
			nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.Body != nil && !json.Valid(a.Body) {
			t.Errorf("not JSON: %s", a.Body)
		}
	})
}
