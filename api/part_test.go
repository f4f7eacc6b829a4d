package api

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"slipstick/worker"
)

// TestParts verifies the media types and contents of the parts of a result over REST. It also
// verifies that invalid parameters get 400.
func TestParts(t *testing.T) {
	q := newFakeQueue()
	q.set(worker.Done,
		worker.Outcome{
			Result: json.RawMessage(`{"vectors":{"time":[0,1,2,3],"v(a+b)":[0,9,-9,0]},` +
				`"files":{"a b.gtl":"G04 <x>*\n"},"nets":[{"name":"GND"}],"warnings":[]}`)})
	s := start(t, Options{Queue: q})
	for path, want := range map[string]string{
		"/nets":            `200 application/json [{"name":"GND"}]`,
		"/nets/0/name":     `200 text/plain; charset=utf-8 GND`,
		"/files/a%20b.gtl": "200 text/plain; charset=utf-8 G04 <x>*\n",
		// as generated clients write it
		"/files%2Fa%20b.gtl":             "200 text/plain; charset=utf-8 G04 <x>*\n",
		"/nets%2f0%2fname":               `200 text/plain; charset=utf-8 GND`,
		"/nets%2F7":                      "404 application/problem+json the result has no part of that name: 7",
		"/vectors?vectors=v(a+b)&from=2": `200 application/json {"sweep":"time","points":2,"of":2,"vectors":{"time":[2,3],"v(a+b)":[-9,0]}}`,
		"?to=1&vectors=v%28a%2Bb%29":     `200 application/json {"sweep":"time","points":2,"of":2,"vectors":{"time":[0,1],"v(a+b)":[0,9]}}`,
		"?points=1":                      "400 application/problem+json points: must be a whole number",
		"/nets?points=5":                 "400 application/problem+json this part has no vectors",
		"/nets?color=red":                "400 application/problem+json color: unknown",
		"/nope":                          "404 application/problem+json the result has no part of that name: nope",
		"/plot.png":                      "404 application/problem+json the result has no part of that name: plot.png",
		"?other=1":                       `200 application/json {"id":"` + testJob,
	} {
		r := s.call(t, "GET", "/api/jobs/"+testJob+path, "")
		status, rest, _ := strings.Cut(want, " ")
		media, text, _ := strings.Cut(rest, " ")
		if media == "text/plain;" {
			media, text = "text/plain; charset=utf-8", strings.TrimPrefix(text, "charset=utf-8 ")
		}
		exact := strings.HasPrefix(status, "2") && path != "?other=1"
		if r.header.Get("Content-Type") != media || !strings.Contains(r.body, text) || exact &&
			r.body != text ||
			status != strconv.Itoa(r.status) {
			t.Errorf("%s: %d %s %s, want %s", path, r.status, r.header.Get("Content-Type"),
				r.body, want)
		}
	}
	q.set(worker.Running, worker.Outcome{})
	if r := s.call(t, "GET", "/api/jobs/"+testJob+"/nets", ""); r.status != 202 ||
		r.header.Get("Location") != "/api/jobs/"+testJob {
		t.Errorf("unfinished: %d %s", r.status, r.body)
	}
	q.set(worker.Failed, worker.Outcome{Failure: "it crashed"})
	if r := s.call(t, "GET", "/api/jobs/"+testJob+"/nets", ""); r.status != 500 ||
		!strings.Contains(r.body, "it crashed") {
		t.Errorf("failed: %d %s", r.status, r.body)
	}
}
