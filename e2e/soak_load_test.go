package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"slipstick/tools"
	"slipstick/tools/catalog"
)

// request is a body with the expected response: a result, or the status of a rejection.
type request struct {
	kind   string // cheap, simulation, board or bad
	tool   string
	body   []byte
	status int
	want   any // the decoded result without fields that differ between runs
}

// expectations contains the requests of the load with their expected responses, by kind.
type expectations struct {
	cheap, simulations, boards, bad []request
}

// differing lists the fields of a result that depend on the run.
var differing = []string{"runtime_ms", "place_ms", "route_ms"}

func comparable(result []byte) (any, error) {
	var v any
	if err := json.Unmarshal(result, &v); err != nil {
		return nil, err
	}
	strip(v)
	return v, nil
}

func strip(v any) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, name := range differing {
		delete(m, name)
	}
	for _, inner := range m {
		strip(inner)
	}
}

// newExpectations computes every expected result in this process.
func newExpectations(t *testing.T) *expectations {
	t.Helper()
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	e := &expectations{}
	for _, tool := range all.All() {
		if tool.Heavy != nil {
			continue
		}
		for _, x := range tool.Examples {
			e.cheap = append(e.cheap, answered(t, tool, "cheap", []byte(x.In)))
		}
		e.bad = append(e.bad, request{kind: "bad", tool: tool.Name, body: []byte(`{"`),
			status: http.StatusBadRequest},
			request{kind: "bad", tool: tool.Name, body: []byte(`[]`),
				status: http.StatusBadRequest})
	}
	simulate, err := all.Find("spice_simulate")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		for _, form := range []string{
			"divider %d\nV1 in 0 10\nR1 in out 1k\nR2 out 0 %d\n.op\n.end",
			"low-pass %d\nV1 in 0 AC 1\nR1 in out %d\nC1 out 0 100n\n.ac dec 20 10 100k\n.end",
			"rectifier %d\nV1 in 0 SIN(0 10 1k)\nD1 in out 1n4148\nC1 out 0 1u\nR1 out 0 %d\n.tran 5u 5m\n.end",
		} {
			body, err := json.Marshal(map[string]string{"netlist": fmt.Sprintf(form, i, 1000+i)})
			if err != nil {
				t.Fatal(err)
			}
			e.simulations = append(e.simulations, answered(t, simulate, "simulation", body))
		}
	}
	e.bad = append(e.bad, request{kind: "bad", tool: "spice_simulate",
		body: []byte(`{"netlist":"no end"}`), status: http.StatusBadRequest},
		request{kind: "bad", tool: "no_such_tool", body: []byte(`{}`), status: http.StatusNotFound})
	board, err := all.Find("pcb_layout")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../examples/boards/led_blinker_555.json")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range 6 {
		body := bytes.Replace(file, []byte("{"), fmt.Appendf(nil, `{"seed": %d, `, seed+100), 1)
		e.boards = append(e.boards, answered(t, board, "board", body))
	}
	return e
}

func answered(t *testing.T, tool *tools.Entry, kind string, body []byte) request {
	t.Helper()
	result, err := tool.Run(t.Context(), body)
	if err != nil {
		t.Fatalf("%s %s: %v", tool.Name, body, err)
	}
	want, err := comparable(result)
	if err != nil {
		t.Fatal(err)
	}
	return request{kind, tool.Name, body, http.StatusOK, want}
}

// customer sends requests sequentially, as a client behind a load balancer.
type customer struct {
	number int
	key    string // "" for none
	soak   *soak
	load   *expectations
	random *rand.Rand
	client *http.Client
	titles int // sent so far

	counted   atomic.Int64 // responses that count: 200 and 400
	uncertain atomic.Int64 // calls without a response: counted or not
	limited   atomic.Int64 // 429
}

func newCustomer(number int, key string, s *soak, load *expectations) *customer {
	return &customer{
		number: number, key: key, soak: s, load: load,
		random: rand.New(rand.NewPCG(1, uint64(number))),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2},
			Timeout: 60 * time.Second},
	}
}

// pick draws from the mix: 92 % cheap, 3 % bad, 4 % simulations, 1 % boards.
func (c *customer) pick() request {
	list := c.load.cheap
	switch p := c.random.Float64(); {
	case p < 0.01:
		list = c.load.boards
	case p < 0.05:
		list = c.load.simulations
	case p < 0.08:
		list = c.load.bad
	}
	r := list[c.random.IntN(len(list))]
	if r.kind == "simulation" && c.random.IntN(4) > 0 {
		// A different title creates a different job with the same result; otherwise the cache would
		// answer most calls.
		c.titles++
		r.body = bytes.Replace(r.body, []byte(`"netlist":"`),
			fmt.Appendf(nil, `"netlist":"customer %d, simulation %d, `, c.number, c.titles), 1)
	}
	return r
}

func (c *customer) run(ctx context.Context) {
	for i := c.number; ctx.Err() == nil; i++ {
		c.send(c.pick(), c.soak.apis[i%2])
		time.Sleep(time.Duration(c.random.IntN(20)) * time.Millisecond)
		if c.key == "" {
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// send makes one call and checks its response. If the API process refuses the connection, send uses
// the other process, as a proxy would.
func (c *customer) send(r request, api string) {
	began := time.Now()
	status, header, body, err := c.post(r, api)
	if errors.Is(err, syscall.ECONNREFUSED) {
		for _, other := range c.soak.apis {
			if other != api {
				status, header, body, err = c.post(r, other)
			}
		}
	}
	took := time.Since(began)
	tally := &c.soak.tally
	if err != nil {
		c.uncertain.Add(1)
		if why := c.soak.excuse(began, time.Now()); why != "" {
			tally.excused("connection lost, "+why, r)
		} else {
			tally.unexcused(fmt.Sprintf("%s: %v", r.tool, err))
		}
		return
	}
	switch {
	case status == http.StatusOK || status == http.StatusBadRequest:
		c.counted.Add(1)
	case status == http.StatusAccepted:
		c.counted.Add(1)
		tally.late(r)
		return
	case status == http.StatusTooManyRequests:
		c.limited.Add(1)
		tally.excused("429", r)
		if c.key != "" {
			tally.unexcused("a paid key was limited: " + string(body))
		}
		return
	case status >= 500:
		why := c.soak.excuse(began, time.Now())
		if status == http.StatusServiceUnavailable && header.Get("Retry-After") == "" {
			tally.unexcused(fmt.Sprintf("%s: 503 without Retry-After", r.tool))
		}
		if why == "" {
			tally.unexcused(fmt.Sprintf("%s after %.1f s: %d %.300s", r.tool,
				time.Since(c.soak.began).Seconds(), status, body))
		} else {
			tally.excused(fmt.Sprintf("%d, %s", status, why), r)
		}
		return
	}
	if wrong := r.judge(status, body); wrong != "" {
		tally.wrongResponse(fmt.Sprintf("%s %.200s: %s", r.tool, r.body, wrong))
		return
	}
	tally.good(r, took)
}

func (c *customer) post(r request, api string) (int, http.Header, []byte, error) {
	req, err := http.NewRequest(http.MethodPost, "http://"+api+"/api/"+r.tool,
		bytes.NewReader(r.body))
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("X-Api-Key", c.key)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	return resp.StatusCode, resp.Header, b.Bytes(), err
}

// judge returns the error of a response, or "" if it is as expected.
func (r request) judge(status int, body []byte) string {
	if status != r.status {
		return fmt.Sprintf("status %d instead of %d: %.300s", status, r.status, body)
	}
	if status != http.StatusOK {
		return ""
	}
	var e struct {
		Tool   string          `json:"tool"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Tool != r.tool {
		return fmt.Sprintf("not this tool's envelope (%v): %.200s", err, body)
	}
	got, err := comparable(e.Result)
	if err != nil {
		return err.Error()
	}
	if !reflect.DeepEqual(got, r.want) {
		return "the result differs from the one computed here: " + difference("", got, r.want)
	}
	return ""
}

// difference returns the first place where two results differ.
func difference(path string, got, want any) string {
	g, ok := got.(map[string]any)
	w, both := want.(map[string]any)
	if !ok || !both {
		return fmt.Sprintf("%s is %.80s, not %.80s", path, fmt.Sprint(got), fmt.Sprint(want))
	}
	for name := range w {
		if !reflect.DeepEqual(g[name], w[name]) {
			return difference(strings.TrimPrefix(path+"."+name, "."), g[name], w[name])
		}
	}
	return path + " has fields that are not expected"
}
