package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// hostPage is a host of MCP Apps. It shows the app in a sandbox, responds to ui/initialize, and
// sends the results of calls. The test sets the app and the results as JSON.
const hostPage = `<!doctype html><title>Host</title><main></main>
<iframe sandbox="allow-scripts"></iframe>
<script>
const app = %s, results = %s, seen = [];
const frame = document.querySelector('iframe');
const send = (m) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...m }, '*');
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  seen.push(data);
  if (data.method === 'ui/initialize') send({ id: data.id, result: {
    protocolVersion: '2026-01-26',
    hostInfo: { name: 'e2e', version: '1' }, hostCapabilities: {}, hostContext: { theme: 'dark' } } });
  if (data.method === 'ui/notifications/initialized') show(0);
});
const show = (i) => send({ method: 'ui/notifications/tool-result', params: results[i] });
frame.srcdoc = app;
</script>`

// TestApp verifies that the MCP App in a browser shows the result of a circuit as a picture. It
// shows the result of a synchronous tool as text. The tab fails the test if the app violates its
// Content-Security-Policy.
func TestApp(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	base := serveEmbedded(t)
	a := connect(t, base)
	var resource struct {
		Result struct {
			Contents []struct{ MIMEType, Text string }
		}
	}
	read := a.call(t, message(1, "resources/read", map[string]any{"uri": "ui://slipstick/app"}))
	if err := json.Unmarshal([]byte(read), &resource); err != nil {
		t.Fatal(err)
	}
	if c := resource.Result.Contents; len(c) != 1 || c[0].MIMEType != "text/html;profile=mcp-app" {
		t.Fatalf("%+v", c)
	}
	call := func(tool string, arguments map[string]any) json.RawMessage {
		t.Helper()
		var response struct{ Result json.RawMessage }
		body := a.call(t,
			message(2, "tools/call", map[string]any{"name": tool, "arguments": arguments}))
		if err := json.Unmarshal([]byte(body), &response); err != nil {
			t.Fatal(err)
		}
		return response.Result
	}
	results := []json.RawMessage{
		call("spice_simulate", map[string]any{
			"netlist": "RC\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 100n\n.ac dec 10 10 1meg\n.end",
		}),
		call("fspl", map[string]any{"freq_mhz": 915, "dist_km": 5}),
		json.RawMessage(`{"content":[null,{"type":"image","mimeType":"text/html","data":"PHA+"},
			{"type":"text","text":"<img src=x onerror=parent.postMessage('hurt','*')>\nsecond"}]}`),
	}
	html, err := json.Marshal(resource.Result.Contents[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	all, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, hostPage, html, all)
	}))
	defer host.Close()

	p := openTab(t, ctx, base)
	p.base = host.URL
	p.visit("/")
	height :=
		`seen.filter((m) => m.method === 'ui/notifications/size-changed').at(-1)?.params.height`
	// at the frame's width of 300 px, the picture is more than 100 px high
	p.until(height + " > 100")
	if sent := eval[string](p, "JSON.stringify(seen[0])"); sent == "" {
		t.Error("nothing sent")
	}
	picture := eval[float64](p, height)
	eval[bool](p, "show(1) ?? true")
	p.until(fmt.Sprintf("%s !== %g", height, picture)) // text and picture differ in height
	eval[bool](p, "send({ id: 7, method: 'ping' }) ?? true")
	p.until("seen.some((m) => m.id === 7 && m.result)")
	eval[bool](p, "send({ id: 8, method: 'tools/call' }) ?? true")
	p.until("seen.some((m) => m.id === 8 && m.error.code === -32601)")
	text := eval[float64](p, height)
	eval[bool](p, "show(2) ?? true")
	p.until(fmt.Sprintf("%s !== %g", height, text)) // a null entry of the content is skipped
	eval[bool](p, "send({ id: 9, method: 'ping' }) ?? true")
	p.until("seen.some((m) => m.id === 9 && m.result)")
	if eval[bool](p, "seen.includes('hurt')") {
		t.Error("the app runs text of a result as HTML")
	}
}
