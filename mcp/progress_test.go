package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/tools"
	"slipstick/worker/queuetest"
)

// progressOf decodes progress notifications.
func progressOf(t *testing.T, list [][]byte, token string) (percents []float64, messages []string) {
	t.Helper()
	for _, raw := range list {
		var n struct {
			Method string `json:"method"`
			Params struct {
				Token    json.RawMessage `json:"progressToken"`
				Progress float64         `json:"progress"`
				Total    float64         `json:"total"`
				Message  string          `json:"message"`
			} `json:"params"`
		}
		if err := json.Unmarshal(raw, &n); err != nil {
			t.Fatal(err)
		}
		if n.Method != "notifications/progress" || string(n.Params.Token) != token ||
			n.Params.Total != 100 {
			t.Errorf("got %s", raw)
		}
		percents, messages = append(percents, n.Params.Progress), append(messages, n.Params.Message)
	}
	return percents, messages
}

// TestProgress verifies that the progress of a queued job of one second increases and is
// rate-limited. It also verifies that a call without a token gets no progress.
func TestProgress(t *testing.T) {
	rdb, all := queuetest.Redis(t), stepsCatalog(t, nil)
	s := newServer(t, Options{Catalog: all, Redis: rdb, Queue: newQueue(t, rdb, all)})
	for _, token := range []string{`"a token"`, `17`} {
		var e events
		began := time.Now()
		_, r := s.call(t, callBody("steps", `{"steps":50,"name":"`+strings.Trim(token, `"`)+`"}`,
			token), e.notify)
		if r.Result.IsError || !strings.Contains(r.text(), "steps: 50") {
			t.Fatalf("%s", r.text())
		}
		percents, messages := progressOf(t, e.list, token)
		if most := int(time.Since(began)/progressEvery) + 2; len(percents) < 5 ||
			len(percents) > most {
			t.Errorf("%d notifications in %s", len(percents), time.Since(began))
		}
		for i := 1; i < len(percents); i++ {
			if percents[i] <= percents[i-1] {
				t.Errorf("progress does not rise: %v", percents)
			}
		}
		if !strings.Contains(strings.Join(messages, " "), "stepping") {
			t.Errorf("messages %q", messages)
		}
	}
	for _, token := range []string{"", `{"an":"object"}`, `"` + strings.Repeat("x", 300) + `"`} {
		var e events
		if _, r := s.call(t, callBody("steps", `{"steps":12,"name":"no token"}`, token),
			e.notify); r.Result.IsError || e.count() > 0 {
			t.Errorf("token %.20s: %d notifications, %s", token, e.count(), r.text())
		}
	}
}

// TestCancelReachesTheOtherInstance verifies that a notification to one instance cancels a call of
// another instance. It also verifies that a cancellation of the same request id by another session
// has no effect.
func TestCancelReachesTheOtherInstance(t *testing.T) {
	stopped := make(chan string, 4)
	rdb, all := queuetest.Redis(t), stepsCatalog(t, stopped)
	queue := newQueue(t, rdb, all)
	a, b := newServer(t, Options{Catalog: all, Redis: rdb, Queue: queue}),
		newServer(t, Options{Catalog: all, Redis: rdb, Queue: queue})
	for name, other := range map[string]*Server{"the same": a, "the other": b} {
		session := a.sessions.create()
		var e events
		ended := make(chan Response, 1)
		go func() {
			response, _ := a.Parse(t.Context(),
				Request{Body: []byte(callBody("steps", `{"steps":900,"name":"`+name+`"}`, `1`)),
					Session: session}).Handle(context.Background(), e.notify)
			ended <- response
		}()
		eventually(t, "the job runs", func() bool { return e.count() > 2 })
		cancel := []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
		if _, err := other.Parse(t.Context(),
			Request{Body: cancel, Session: other.sessions.create()}).Handle(t.Context(),
			nil); err != nil {
			t.Fatal(err)
		}
		more := e.count() + 2
		eventually(t, "the job goes on", func() bool { return e.count() > more })
		if _, err := other.Parse(t.Context(), Request{Body: cancel, Session: session}).Handle(
			t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		select {
		case response := <-ended:
			if response.Body != nil || response.Status != http.StatusAccepted {
				t.Errorf("%s: %d %s", name, response.Status, response.Body)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: the call goes on", name)
		}
		select {
		case <-stopped:
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: the computation goes on", name)
		}
	}
}

// TestWaitIsBounded verifies that the response to a call that exceeds the wait names the next step.
// It also verifies that a repeated call returns the result, and that the complete result is
// readable.
func TestWaitIsBounded(t *testing.T) {
	rdb, all := queuetest.Redis(t), stepsCatalog(t, nil)
	s := newServer(t, Options{Catalog: all, Redis: rdb, Queue: newQueue(t, rdb, all),
		Wait: 300 * time.Millisecond})
	call := callBody("steps", `{"steps":60,"points":9000}`, "")
	_, r := s.call(t, call, nil)
	if r.Result.IsError || !strings.Contains(string(r.Result.Structured), `"job":{"id":"`) ||
		!strings.Contains(r.text(), "same arguments") || len(r.Result.Content) != 2 ||
		r.Result.Content[1].Type != "resource_link" {
		t.Fatalf("%+v", r.Result)
	}
	uri := r.Result.Content[1].URI
	if part := s.readResource(t, uri); !strings.Contains(part, `"state":"running"`) &&
		!strings.Contains(part, `"state":"queued"`) {
		t.Errorf("the unfinished job reads %s", part)
	}
	eventually(t, "the same call collects the result", func() bool {
		_, r = s.call(t, call, nil)
		return !r.Result.IsError && strings.Contains(r.text(), "Shortened")
	})
	if !strings.Contains(r.text(), "Shortened") ||
		r.Result.Content[len(r.Result.Content)-1].URI != uri {
		t.Errorf("%d bytes: %s", len(r.Result.Structured), r.text())
	}
	var out stepsOut
	if err := json.Unmarshal(r.Result.Structured, &out); err != nil {
		t.Fatal(err)
	}
	times, volts := out.Vectors["time"], out.Vectors["v(a)"]
	if len(times) > 200 || len(times) != len(volts) || times[0] != 0 ||
		times[len(times)-1] != 8999 {
		t.Errorf("%d times, %d voltages, from %g to %g", len(times), len(volts), times[0],
			times[len(times)-1])
	}
	spike := false
	for i := range times {
		spike = spike || times[i] == 3000 && volts[i] == -7.5
	}
	if !spike {
		t.Error("the one odd point was dropped")
	}
	for _, part := range []string{uri + "/files/{name}: a.gtl 5 kB",
		uri + "?vectors=v%28a%29&from=&to=&points=200"} {
		if !strings.Contains(r.text(), part) {
			t.Errorf("the part %s is missing: %s", part, r.text())
		}
	}
	if file := s.readResource(t, uri+"/files/a.gtl"); file != strings.Repeat("G04*\n", 1000) {
		t.Errorf("the file's resource has %d bytes", len(file))
	}
	if v := s.readResource(t, uri+"/vectors/v%28a%29"); strings.Count(v, ",") != 8999 {
		t.Errorf("the vector's resource has %d commas", strings.Count(v, ","))
	}
	if v := s.readResource(t, uri+"/vectors/time/7"); v != "7" {
		t.Errorf("a number reads %s", v)
	}
	if whole := s.readResource(t, uri); len(whole) < 80_000 {
		t.Errorf("the whole has %d bytes", len(whole))
	}
	var window struct {
		Points, Of int
		Vectors    map[string][]float64
	}
	part := s.readResource(t, uri+"?points=20&vectors=v(a)&from=2000&to=4000")
	if err := json.Unmarshal([]byte(part), &window); err != nil {
		t.Fatal(err)
	}
	times, volts = window.Vectors["time"], window.Vectors["v(a)"]
	if window.Of != 2001 || window.Points > 20 || len(times) != window.Points || times[0] != 2000 ||
		times[len(times)-1] != 4000 || slices.Min(volts) != -7.5 {
		t.Errorf("the range reads %s", part)
	}
	for address, want := range map[string]string{
		"?points=1": "points: must be", "?vectors=v(b)": "the vectors are v(a)",
		"?from=9e9":  "time from 0 to 8999",
		"?color=red": "unknown", "/nets": "no part", "/files?points=3": "has no vectors",
		"/x.png": "no part",
	} {
		_, r := s.call(t,
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+address+`"}}`,
			nil)
		if r.Error == nil || !strings.Contains(r.Error.Message, want) {
			t.Errorf("%s: %+v", address, r.Error)
		}
	}
	for range cap(s.drawing) {
		s.drawing <- struct{}{}
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, r = s.call(t,
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`/plot.png?vectors=v(a)"}}`, nil)
	}()
	select {
	case <-read:
		t.Error("more pictures are drawn than there are processors")
	case <-time.After(200 * time.Millisecond):
	}
	for range cap(s.drawing) {
		<-s.drawing
	}
	select {
	case <-read:
	case <-time.After(20 * time.Second):
		t.Fatal("the picture is not drawn")
	}
	if r.Error != nil || r.Result.Contents[0].MIMEType != pngMediaType ||
		!strings.HasPrefix(r.Result.Contents[0].Blob, "iVBOR") {
		t.Errorf("the picture reads %+v", r)
	}
}

// TestWaitForPictures verifies that a result without pictures does not wait while
// other pictures are drawn. The response to a caller that has left does not wait either.
func TestWaitForPictures(t *testing.T) {
	s := newServer(t, Options{})
	for range cap(s.drawing) {
		s.drawing <- struct{}{}
	}
	received := make(chan rpc, 1)
	go func() {
		_, r := s.call(t, callBody("fspl", `{"freq_mhz":915,"dist_km":5}`, ""), nil)
		received <- r
	}()
	var r rpc
	select {
	case r = <-received:
	case <-time.After(20 * time.Second):
		t.Fatal("the result waits for pictures")
	}
	if r.Result.IsError || r.Result.Structured == nil {
		t.Errorf("%s", r.text())
	}
	entry, err := s.opt.Catalog.Find("spice_simulate")
	if err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	x := &Call{server: s, entry: entry}
	drawn := make(chan int, 1)
	go func() {
		drawn <- len(x.presentWithPictures(left, json.RawMessage(`{"warnings":[]}`), "").pictures)
	}()
	select {
	case n := <-drawn:
		if n > 0 {
			t.Errorf("%d pictures", n)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the response to a caller that has left waits for pictures")
	}
}

func (s *Server) readResource(t *testing.T, uri string) string {
	t.Helper()
	a, r := s.call(t,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`, nil)
	var contents struct {
		Result struct {
			Contents []struct{ Text string }
		}
	}
	if err := json.Unmarshal(a.Body, &contents); err != nil || r.Error != nil ||
		len(contents.Result.Contents) != 1 {
		t.Fatalf("%s: %s", uri, a.Body)
	}
	return contents.Result.Contents[0].Text
}

// TestLeavingCancels verifies that a job ends when its only caller disconnects, and continues while
// another caller waits.
func TestLeavingCancels(t *testing.T) {
	stopped := make(chan string, 1)
	rdb, all := queuetest.Redis(t), stepsCatalog(t, stopped)
	s := newServer(t, Options{Catalog: all, Redis: rdb, Queue: newQueue(t, rdb, all)})
	begin := func(ctx context.Context) (*events, chan Response) {
		e, ended := &events{}, make(chan Response, 1)
		go func() {
			response, _ := s.Parse(ctx, Request{Body: []byte(callBody("steps", `{"steps":100}`, `1`)),
				Session: s.sessions.create()}).Handle(ctx, e.notify)
			ended <- response
		}()
		eventually(t, "the job runs", func() bool { return e.count() > 2 })
		return e, ended
	}
	leaving, leave := context.WithCancel(t.Context())
	_, left := begin(leaving)
	_, stays := begin(t.Context())
	leave()
	<-left
	if response := <-stays; !strings.Contains(string(response.Body), "steps: 100") {
		t.Errorf("the caller that stayed: %s", response.Body)
	}
	leaving, leave = context.WithCancel(t.Context())
	e := &events{}
	go func() {
		_, _ = s.Parse(leaving, Request{Body: []byte(callBody("steps", `{"steps":500}`, `1`)),
			Session: s.sessions.create()}).Handle(leaving, e.notify)
	}()
	eventually(t, "the job runs", func() bool { return e.count() > 2 })
	leave()
	select {
	case <-stopped:
	case <-time.After(5 * time.Second):
		t.Error("the computation goes on")
	}
}

// TestUnevenProgress verifies that decreasing progress, as after a worker's death, is not
// forwarded.
func TestUnevenProgress(t *testing.T) {
	x := &Call{params: callParams{token: json.RawMessage(`1`)}}
	var e events
	x.notify = e.notify
	report := x.reporter()
	for _, p := range []float64{0, 50, 20, 50, -3, 101, 100} {
		report(tools.Progress{Phase: "p", Percent: p})
		time.Sleep(progressEvery + 5*time.Millisecond)
	}
	percents, _ := progressOf(t, e.list, "1")
	if fmt.Sprint(percents) != "[0 50 100]" {
		t.Errorf("sent %v", percents)
	}
}
