package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"slipstick/worker/queuetest"
)

// statelessBody returns a request of the revision without sessions.
func statelessBody(method, params string) string {
	meta := fmt.Sprintf(`"_meta":{%q:%q,%q:{},"progressToken":7}`,
		protocol.MetaKeyProtocolVersion, protocol.ProtocolVersion20260728,
		protocol.MetaKeyClientCapabilities)
	if params != "" {
		meta += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":%q,"params":{%s%s}}`, method,
		meta, params)
}

// statelessRequest sends a request without a session. headers contains names and values in turn,
// which supplement or replace the standard headers.
func (s *Server) statelessRequest(t *testing.T, method, params string, notify func([]byte),
	headers ...string) (Response, rpc) {
	t.Helper()
	headerOf := map[string]string{protocol.HeaderMethod: method}
	for _, name := range []string{"name", "uri"} {
		if v := unquotedMember(params, name); v != "" {
			headerOf[protocol.HeaderName] = v
		}
	}
	for i := 0; i < len(headers); i += 2 {
		headerOf[headers[i]] = headers[i+1]
	}
	version := protocol.ProtocolVersion20260728
	if v, ok := headerOf[protocol.HeaderProtocolVersion]; ok {
		version = v
	}
	response, err := s.Parse(t.Context(), Request{
		Body: []byte(statelessBody(method, params)), Version: version,
		Header: func(name string) string { return headerOf[name] },
	}).Handle(t.Context(), notify)
	if err != nil {
		t.Fatal(err)
	}
	var r rpc
	if err := json.Unmarshal(response.Body, &r); err != nil {
		t.Fatalf("%v: %s", err, response.Body)
	}
	return response, r
}

func unquotedMember(params, name string) string {
	var m map[string]any
	_ = json.Unmarshal([]byte("{"+params+"}"), &m)
	text, _ := m[name].(string)
	return text
}

// TestStateless verifies that a client of the newest revision needs no handshake. It also verifies
// that each response has the members that the revision requires, and that errors have their HTTP
// status.
func TestStateless(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	for _, c := range []struct {
		method, params string
		headers        []string
		status, code   int
		want           string
	}{
		{"server/discover", "", nil, 200, 0, `"supportedVersions":["2026-07-28","2025-11-25"`},
		{"tools/list", "", nil, 200, 0, `"ttlMs":3600000,"cacheScope":"public"`},
		{"tools/call", `"name":"fspl","arguments":{"freq_mhz":915,"dist_km":5}`, nil, 200,
			0, "105.65"},
		{"tools/call", `"name":"find_tools","arguments":{"query":"path loss"}`, nil,
			200, 0, "fspl"},
		{"tools/call", `"name":"pcb_layout","arguments":{"components":[{"ref":"R1","footprint":"R_0805"},{"ref":"R2","footprint":"R_0805"}],"nets":[{"name":"A","pins":["R1.1","R2.1"]}]}`, nil, 200, 0, `"type":"image"`},
		{"prompts/list", "", nil, 200, 0, "lora_link_budget"},
		{"resources/read", `"uri":"slipstick://catalog"`, nil, 200, 0, "cacheScope"},
		{"resources/read", `"uri":"slipstick://jobs/00000000000000000000000000000000"`, nil, 400,
			protocol.INVALID_PARAMS, "no such job"},
		{"tools/call", `"name":"nope","arguments":{}`, nil, 400, protocol.INVALID_PARAMS, "nope"},
		{"ping", "", nil, 404, protocol.METHOD_NOT_FOUND, ""},
		{"no/such", "", nil, 404, protocol.METHOD_NOT_FOUND, ""},
		{"tools/list", "", []string{protocol.HeaderMethod, "tools/call"}, 400,
			protocol.HEADER_MISMATCH, "Mcp-Method"},
		{"tools/call", `"name":"fspl","arguments":{}`,
			[]string{protocol.HeaderName, "lora_airtime"}, 400, protocol.HEADER_MISMATCH,
			"Mcp-Name"},
		{"tools/list", "", []string{protocol.HeaderProtocolVersion, ""}, 400,
			protocol.HEADER_MISMATCH, "missing"},
		{"tools/list", "", []string{protocol.HeaderProtocolVersion, "2025-11-25"}, 400,
			protocol.HEADER_MISMATCH, "must be equal"},
		{"tools/list", "", []string{protocol.HeaderLastEventID, "4"}, 400, protocol.HEADER_MISMATCH,
			"resumed"},
	} {
		a, r := s.statelessRequest(t, c.method, c.params, nil, c.headers...)
		code := 0
		if r.Error != nil {
			code = r.Error.Code
		}
		if a.Status != c.status || code != c.code || !strings.Contains(string(a.Body), c.want) ||
			a.Session != "" {
			t.Errorf("%s %s %v: %d %d %.300s", c.method, c.params, c.headers, a.Status,
				code, a.Body)
		}
		if c.code == 0 && (!strings.Contains(string(a.Body), `"resultType":"complete"`) ||
			!strings.Contains(string(a.Body), protocol.MetaKeyServerInfo)) {
			t.Errorf("%s: a member is missing: %.300s", c.method, a.Body)
		}
	}
	// The response of callInPlace must equal the response of mcp-go.
	x := s.read([]byte(statelessBody("tools/call",
		`"name":"fspl","arguments":{"freq_mhz":915,"dist_km":5}`)), Caller{}, nil)
	other, _ := x.dispatch(t.Context())
	var a, b any
	if err := json.Unmarshal(x.callInPlace(t.Context()), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(other, &b); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("here %v, mcp-go %s", a, other)
	}
	bad := strings.Replace(statelessBody("tools/list", ""), "{},", "7,", 1)
	if x := s.read([]byte(bad), Caller{}, nil); x.ready == nil ||
		!strings.Contains(string(x.ready.Body), "capabilities") {
		t.Errorf("capabilities of 7 are read: %+v", x.ready)
	}
}

// TestListen verifies that a subscription reports the progress and the end of a job, and ends with
// it.
func TestListen(t *testing.T) {
	rdb, all := queuetest.Redis(t), stepsCatalog(t, nil)
	s := newServer(t, Options{Catalog: all, Redis: rdb, Queue: newQueue(t, rdb, all), Wait: 1})
	_, r := s.call(t, callBody("steps", `{"steps":100}`, ""), nil)
	uri := r.Result.Content[len(r.Result.Content)-1].URI
	var e events
	listen := `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["` + uri +
		`","slipstick://jobs/0","` + uri + `"]}`
	a, _ := s.statelessRequest(t, "subscriptions/listen", listen, e.notify)
	if want := `"io.modelcontextprotocol/subscriptionId":"a"`; a.Status != 200 ||
		!strings.Contains(string(a.Body), want) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	first, updates := string(e.list[0]), e.list[1:]
	if !strings.Contains(first, "notifications/subscriptions/acknowledged") ||
		!strings.Contains(first, `{"resourceSubscriptions":["`+uri+`"]}`) {
		t.Errorf("acknowledged %s", first)
	}
	if len(updates) < 2 || len(updates) > 8 {
		t.Errorf("%d updates", len(updates))
	}
	for _, u := range updates {
		if !strings.Contains(string(u), `"method":"notifications/resources/updated"`) ||
			!strings.Contains(string(u), uri) ||
			!strings.Contains(string(u), `"io.modelcontextprotocol/subscriptionId":"a"`) {
			t.Errorf("%s", u)
		}
	}
	if job := s.readResource(t, uri); !strings.Contains(job, `"steps":100`) {
		t.Errorf("the stream ended before the job: %s", job)
	}
	for params, want := range map[string]string{
		`"notifications":7`: "must be an object",
		`"notifications":{"resourceSubscriptions":["` + strings.Repeat(`a","`, 20) +
			`"]}`: "at most 16",
	} {
		_, r := s.statelessRequest(t, "subscriptions/listen", params, e.notify)
		if r.Error == nil || !strings.Contains(r.Error.Message, want) {
			t.Errorf("%s: %+v", params, r.Error)
		}
	}
	if _, r := s.statelessRequest(t, "subscriptions/listen", `"notifications":{}`,
		nil); r.Error == nil || !strings.Contains(r.Error.Message, "stream") {
		t.Errorf("without a stream: %+v", r)
	}
}
