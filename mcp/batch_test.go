package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"

	"slipstick/batch/service"
)

// batchResponse is the decoded response of a batch tool.
type batchResponse struct {
	Result struct {
		Content []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Data     string `json:"data"`
			MIMEType string `json:"mimeType"`
			URI      string `json:"uri"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	} `json:"result"`
	Error *rpcError `json:"error"`
}

func (a batchResponse) text() string {
	if len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

// batchCall calls a batch tool with the progress token "p".
func (s *Server) batchCall(
	t *testing.T, tool, arguments string, notify func([]byte),
) batchResponse {
	t.Helper()
	response, _ := s.call(t, callBody(tool, arguments, `"p"`), notify)
	var a batchResponse
	if err := json.Unmarshal(response.Body, &a); err != nil {
		t.Fatalf("%v: %s", err, response.Body)
	}
	return a
}

const marginSolve = `{"tool":"link_budget","mode":"solve","input":{"tx_dbm":20,"freq_mhz":915,"rx_sensitivity_dbm":-130},
	"vary":[{"field":"/dist_km","from":1,"to":5000}],"target":{"name":"margin_db","value":10}}`

// TestBatchSolve compares a solved distance with the distance in docs/batches.md. The reference is
// Friis' formula at 915 MHz with two dipoles. The path loss is 20 + 2 * 2.15 + 130 - 10 dB.
func TestBatchSolve(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	a := s.batchCall(t, batchRunName, marginSolve, nil)
	var b struct {
		State   service.State
		Summary struct {
			Roots []struct{ Input map[string]float64 }
		}
	}
	if err := json.Unmarshal(a.Result.Structured, &b); err != nil || a.Result.IsError {
		t.Fatalf("%v %s", err, a.text())
	}
	want := math.Pow(10, 144.3/20) * 299792458 / (4 * math.Pi * 915e6) / 1000
	if len(b.Summary.Roots) != 1 ||
		math.Abs(b.Summary.Roots[0].Input["/dist_km"]-want) > 1e-3*want {
		t.Errorf("%s, want %g km", a.Result.Structured, want)
	}
	if !strings.Contains(a.text(), "roots: 1") || b.State != service.Done {
		t.Errorf("%s", a.text())
	}
	if wrapped := s.batchCall(t, callToolName, `{"name":"batch_run","arguments":`+marginSolve+`}`,
		nil); !strings.Contains(wrapped.text(), "roots: 1") {
		t.Errorf("call_tool: %s", wrapped.text())
	}
}

// TestBatchOfWrappedNetlist verifies that batch_run reads a wrapped input although it adds add_end
// to it, which a netlist without .end needs.
func TestBatchOfWrappedNetlist(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	const request = `{"tool":"spice_simulate","input":{"input":"{\"netlist\":\"t\\nV1 a 0 1\\nR1 a 0 1k\\n.op\"}"},
		"vary":[{"field":"element:R1","values":[1000,2000]}],
		"collect":[{"name":"a","vector":"v(a)","reduce":"last"}],"plot":"none"}`
	a := s.batchCall(t, batchRunName, request, nil)
	if a.Result.IsError || !strings.Contains(a.text(), "0 failed") {
		t.Errorf("%s", a.text())
	}
}

// TestBatchMonteCarlo verifies statistics, yield, a picture below 60 kB, progress, and rows in
// pages. The output of a divider of two equal resistors with a tolerance of 10 % lies between 0.45
// and 0.55, symmetric about 0.5.
func TestBatchMonteCarlo(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	request := `{"tool":"spice_simulate","mode":"lhs","n":60,"input":{"netlist":"divider\nV1 in 0 1\nR1 in out 1k\nR2 out 0 1k\n.op"},
		"vary":[{"field":"element:R1","tolerance_pct":10},{"field":"element:R2","tolerance_pct":10}],
		"collect":[{"name":"out","vector":"v(out)","reduce":"last"}],"limits":{"out":{"min":0.45,"max":0.55}}%s}`
	var e events
	a := s.batchCall(t, batchRunName, fmt.Sprintf(request, ""), e.notify)
	if a.Result.IsError || len(a.Result.Content) != 2 ||
		!strings.Contains(a.text(), "yield 100.00 %") {
		t.Fatalf("%d parts: %s", len(a.Result.Content), a.text())
	}
	if strings.Contains(string(a.Result.Structured), "histogram") {
		t.Error("the structured result repeats the histogram of the picture")
	}
	raw, err := base64.StdEncoding.DecodeString(a.Result.Content[1].Data)
	if err != nil || a.Result.Content[1].MIMEType != "image/png" || len(raw) > maxPictureBytes {
		t.Fatalf("%v, %d bytes of %s", err, len(raw), a.Result.Content[1].MIMEType)
	}
	if picture, err := png.Decode(bytes.NewReader(raw)); err != nil || picture.Bounds().Dx() < 400 {
		t.Errorf("%v", err)
	}
	percents, messages := progressOf(t, e.list, `"p"`)
	if len(percents) == 0 || !strings.Contains(messages[0], "of 60 runs") {
		t.Errorf("progress %v %q", percents, messages)
	}
	var b struct{ ID string }
	if err := json.Unmarshal(a.Result.Structured, &b); err != nil {
		t.Fatal(err)
	}
	if again := s.batchCall(t, batchStatusName, `{"id":"`+b.ID+`","plot":"none"}`,
		nil); len(again.Result.Content) != 1 || !strings.Contains(again.text(),
		"is done: 60 of 60") {
		t.Errorf("%s", again.text())
	}
	if svg := s.batchCall(t, batchStatusName, `{"id":"`+b.ID+`","plot":"svg"}`,
		nil); len(svg.Result.Content) != 2 || svg.Result.Content[1].MIMEType != "image/svg+xml" {
		t.Errorf("%s", svg.text())
	}
	response := s.batchCall(t, batchResultsName, `{"id":"`+b.ID+`","limit":25}`, nil)
	if n := len(response.Result.Content); n != 2 ||
		response.Result.Content[1].Type != "resource_link" ||
		response.Result.Content[1].URI != "slipstick://batches/"+b.ID {
		t.Fatalf("%+v", response)
	}
	if all := s.readResource(t, response.Result.Content[1].URI); strings.Count(all, "\n") != 61 ||
		!strings.HasPrefix(all, "index,element:R1,element:R2,out,error\n0,") ||
		!strings.Contains(all, "\n59,") {
		t.Errorf("%s", all)
	}
	first := response.text()
	if !strings.HasPrefix(first, "index,element:R1,element:R2,out,error\n0,") ||
		!strings.Contains(first, `{"from": 25}`) || strings.Count(first, "\n0") != 1 ||
		!strings.Contains(first, "\n24,") || strings.Contains(first, "\n25,") ||
		!strings.Contains(first, "is done: 60 of 60 runs, 0 failed.\n\n") {
		t.Errorf("%s", first)
	}
	if last := s.batchCall(t, batchResultsName, `{"id":"`+b.ID+`","from":50}`,
		nil).text(); !strings.Contains(last, "Rows 50 to 59, the last of 60") {
		t.Errorf("%s", last)
	}
	if none := s.batchCall(t, batchResultsName, `{"id":"`+b.ID+`","from":60}`,
		nil).text(); !strings.Contains(none, "No rows from 60 on") {
		t.Errorf("%s", none)
	}
	dry := s.batchCall(t, batchRunName, fmt.Sprintf(request, `,"dry_run":true`), nil)
	if !strings.Contains(dry.text(), "60 runs, 0 of them invalid") ||
		!strings.Contains(string(dry.Result.Structured), `"runs_total":60`) {
		t.Errorf("%s", dry.text())
	}
}

// TestBatchOfFewRuns verifies that a short sweep returns its rows, whose texts with units were
// read, and without empty columns and statistics. The rows are compared with docs/batches.md and
// the equation of free-space path loss. A goal seek returns its roots alone.
func TestBatchOfFewRuns(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	a := s.batchCall(t, batchRunName, `{"tool":"fspl","input":{"freq_mhz":"0.915 GHz"},
		"vary":[{"field":"/dist_km","from":"1 km","to":"100 km","points":3,"scale":"log"}],
		"collect":["fspl_db"],"limits":{"fspl_db":{"max":120}}}`, nil)
	var b struct {
		Summary  map[string]json.RawMessage
		Rows     map[string][]float64
		Warnings []string
	}
	if err := json.Unmarshal(a.Result.Structured, &b); err != nil || a.Result.IsError {
		t.Fatalf("%v %s", err, a.text())
	}
	for _, want := range []string{"\nindex,/dist_km,fspl_db\n0,1,91.67", "\n2,100,131.67",
		"Warning: vary[0].from: \"1 km\" is read as 1 km", "yield 66.67 %"} {
		if !strings.Contains(a.text(), want) {
			t.Errorf("no %q in:\n%s", want, a.text())
		}
	}
	if strings.Contains(a.text(), "median") || string(b.Summary["columns"]) != "{}" ||
		len(b.Warnings) != 3 || len(b.Rows) != 3 || len(b.Rows["fspl_db"]) != 3 ||
		math.Abs(b.Rows["fspl_db"][1]-111.676) > 1e-3 {
		t.Errorf("%s\n%s", a.text(), a.Result.Structured)
	}
	a = s.batchCall(t, batchRunName, `{"tool":"fspl","input":{"freq_mhz":"0.915 GHz"},
		"vary":[{"field":"/dist_km","values":["2 km"]}],"dry_run":true}`, nil)
	b.Warnings = nil
	if err := json.Unmarshal(a.Result.Structured, &b); err != nil || len(b.Warnings) != 2 {
		t.Errorf("dry run: %v %s", err, a.Result.Structured)
	}
	a = s.batchCall(t, batchRunName, `{"tool":"FSPL","input":{"frequency":"0.915 GHz"},
		"vary":[{"field":"/distance","values":["10 km"]}],"collect":["fspl_db"]}`, nil)
	for _, want := range []string{`Warning: tool: "FSPL" is read as fspl`, "\n0,10,111.67",
		"Warning: input.frequency: read as freq_mhz"} {
		if !strings.Contains(a.text(), want) {
			t.Errorf("no %q in:\n%s", want, a.text())
		}
	}
	a = s.batchCall(t, batchRunName, `{"tool":"wire_gauge","input":{"voltage_v":12,"length_m":5},
		"vary":[{"field":"/current_a","values":[1,10]}]}`, nil)
	if lines := strings.Split(a.text(), "\n"); a.Result.IsError || len(lines) < 4 ||
		strings.Contains(lines[3], ",,") || strings.HasSuffix(lines[2], "error") {
		t.Errorf("%s", a.text())
	}
	if a = s.batchCall(t, batchRunName, marginSolve, nil); strings.Contains(a.text(), "median") ||
		strings.Index(a.text(), "roots: 1") > 100 {
		t.Errorf("%s", a.text())
	}
}

// TestBatchWithoutImages verifies that a caller without pictures gets none from batches, unless it
// asks for one.
func TestBatchWithoutImages(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	for _, c := range []struct {
		plot, want string
		off        bool
	}{
		{"", "image/png", false}, {"", "", true}, {`,"plot":"svg"`, "image/svg+xml", true},
	} {
		body := callBody(batchRunName, strings.TrimSuffix(marginSolve, "}")+c.plot+"}", "")
		response, _ := s.call(t, body, nil, Caller{Results: ResultOptions{NoImages: c.off}})
		var a batchResponse
		if err := json.Unmarshal(response.Body, &a); err != nil || a.Result.IsError {
			t.Fatalf("%v %s", err, response.Body)
		}
		got := ""
		for _, part := range a.Result.Content {
			got += part.MIMEType
		}
		if got != c.want {
			t.Errorf("plot %q, images off %v: %q, want %q", c.plot, c.off, got, c.want)
		}
	}
}

// TestBatchMistakes verifies that each error of a batch tool is a result that names the field.
func TestBatchMistakes(t *testing.T) {
	s := newServer(t, Options{InProcess: true})
	for _, c := range []struct{ tool, arguments, want string }{
		{batchRunName, `[]`, "must be an object"},
		{batchRunName, `{}`, "tool"},
		{batchRunName, `{"tool":"fspll","vary":[{"field":"/dist_km","values":[1]}]}`, "fspl"},
		{batchRunName,
			`{"tool":"fspl","input":{"freq_mhz":915},"vary":[{"field":"/dist","values":[1]}]}`,
			"there are freq_mhz, dist_km"},
		{batchRunName, `{"tool":"fspl","input":{"freq_mhz":915},"foo":1,` +
			`"vary":[{"field":"dist_km","from":1,"to":100,"points":3}]}`,
			`A valid call without foo: {"name":"batch_run","arguments":{"input":{"freq_mhz":915},` +
				`"tool":"fspl","vary":[{"field":"/dist_km","from":1,"points":3,"to":100}]}}`},
		{batchRunName, `{"tool":"fspl","input":{"freq_mhz":915},` +
			`"sweep":[{"field":"dist_km","start":1,"stop":100,"num":3}]}`,
			`Corrected call: {"name":"batch_run","arguments":{"input":{"freq_mhz":915},` +
				`"tool":"fspl","vary":[{"field":"/dist_km","from":1,"points":3,"to":100}]}}`},
		{batchRunName, `{"tool":"fspl","input":{"freq_mhz":2.4,"freq_unit":"GHz"},` +
			`"vary":[{"field":"/dist_km","values":[1]}]}`,
			`Corrected call: {"name":"batch_run","arguments":{"input":{"freq_mhz":2400},`},
		{batchRunName, `{"tool":"fspl","input":{"dist_km":1,"freq_unit":"GHz"},` +
			`"vary":[{"field":"/freq_mhz","values":[1]}]}`, "An example of a valid call: "},
		{batchRunName, `{"tool":"fspl","inputs":[{"freq_mhz":915,"dist_km":1}]}`,
			`"mode":"list"`},
		{batchRunName, `{"tool":"fspl","plot":"gif"}`, "must be png, svg or none"},
		{batchRunName, `{"tool":"fspl","mode":"random","n":0}`, "n"},
		{batchStatusName, `{}`, "32 digits"},
		{batchStatusName, `{"id":"` + strings.Repeat("0", 32) + `"}`, "no such batch"},
		{batchStatusName, `{"id":"` + strings.Repeat("0", 32) + `","cancel":"yes"}`,
			"must be true or false"},
		{batchResultsName, `{"id":"` + strings.Repeat("0", 32) + `","limit":0}`, "from 1 to 50"},
		{batchResultsName, `{"id":"` + strings.Repeat("0", 32) + `"}`, "no such batch"},
	} {
		if a := s.batchCall(t, c.tool, c.arguments, nil); !a.Result.IsError ||
			!strings.Contains(a.text(), c.want) {
			t.Errorf("%s %s: %s, want %q", c.tool, c.arguments, a.text(), c.want)
		}
	}
	without := newServer(t, Options{})
	if a := without.batchCall(t, batchRunName, marginSolve, nil); a.Error == nil {
		t.Error("a server without batches runs one")
	}
	only, err := Select(s.opt.Catalog, "mesh,batch")
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{marginSolve,
		`{"tool":"fspl","mode":"list","inputs":[{"freq_mhz":915,"dist_km":5}]}`} {
		a, _ := s.call(t, callBody(batchRunName, request, ""), nil, Caller{Only: only})
		if !strings.Contains(string(a.Body), "narrowed") {
			t.Errorf("%s", a.Body)
		}
	}
	if a, _ := s.call(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil,
		Caller{Only: only}); !strings.Contains(string(a.Body), batchStatusName) {
		t.Error("?tools=batch lists no tools for batches")
	}
}

// TestBatchCancel verifies that batch_status with cancel, and the cancellation of a call of
// batch_run, cancel a batch.
func TestBatchCancel(t *testing.T) {
	stopped := make(chan string, 100)
	s := newServer(t, Options{Catalog: stepsCatalog(t, stopped), InProcess: true,
		Wait: 100 * time.Millisecond})
	request := `{"tool":"steps","input":{"steps":900},"vary":[{"field":"/name","values":["a","b","c","d"]}],"collect":["steps"]}`
	a := s.batchCall(t, batchRunName, request, nil)
	var b struct{ ID string }
	if err := json.Unmarshal(a.Result.Structured, &b); err != nil ||
		!strings.Contains(a.text(), "is running") {
		t.Fatalf("%v %s", err, a.text())
	}
	if a = s.batchCall(t, batchStatusName, `{"id":"`+b.ID+`","cancel":true}`,
		nil); !strings.Contains(a.text(), "is cancelled: 0 of 4 runs") {
		t.Errorf("%s", a.text())
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.opt.Wait = time.Minute
	ended := make(chan Response, 1)
	var e events
	go func() {
		response, _ := s.Parse(ctx, Request{Body: []byte(callBody(batchRunName, request, `1`)),
			Session: s.sessions.create()}).Handle(ctx, e.notify)
		ended <- response
	}()
	eventually(t, "the batch runs", func() bool { return e.count() > 0 })
	cancel()
	if response := <-ended; !strings.Contains(string(response.Body), "cancelled") {
		t.Errorf("%s", response.Body)
	}
	for _, b := range s.localBatches.batches {
		if b.state.State != service.Cancelled {
			t.Errorf("a batch is %s", b.state.State)
		}
	}
}
