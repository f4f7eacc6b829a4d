package web

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"time"

	"slipstick/tools"
)

// worked is an example with its precomputed response. It is part of the page, so the first result
// needs no request.
type worked struct {
	Request  json.RawMessage `json:"request"`
	Envelope tools.Envelope  `json:"answer"`
	Response *response       `json:"response,omitempty"`
	raw      json.RawMessage // the result
	pictures []string        // modules that draw the result
	long     bool            // too long for the page
}

// response is the frequency response in the picture of a filter.
type response struct {
	Hertz []float64  `json:"freq_hz"`
	Gain  []*float64 `json:"gain_db_at_freq"`
	Phase []*float64 `json:"phase_deg_at_freq"`
}

// longest is the maximum size in bytes of a result that is part of a page; the page requests larger
// results. Nearly all are smaller than 6,000 bytes, but temperature fields exceed 50,000.
const longest = 16 << 10

// workedExamples returns a function per example of a tool. The function computes the example and
// its response at the first call. It returns nil for a queued tool, or if the tool returns an
// error.
func (s *Site) workedExamples(t *Tool) (examples []func() *worked) {
	for _, x := range t.Examples {
		examples = append(examples, sync.OnceValue(func() *worked {
			return s.work(t, Query(x.Query))
		}))
	}
	return examples
}

func (s *Site) work(t *Tool, v Values) *worked {
	v.pairsToRows(t.Input)
	body, mistakes := s.Body(t, v)
	if t.Heavy || len(mistakes) > 0 {
		return nil
	}
	ctx := context.Background() // an example is fast, and all clients share the result
	raw, err := t.entry.Run(ctx, body)
	if err != nil {
		return nil
	}
	w := &worked{
		Request: body, raw: raw, Envelope: t.entry.Envelope(raw, time.Now()),
		pictures: modulesFor(t.Pictures, objectOf(raw)), long: len(raw) > longest,
	}
	for _, p := range t.Pictures {
		if p.Sweep != nil {
			w.Response = respond(ctx, t, body, objectOf(raw), p.Sweep)
		}
	}
	return w
}

// workedAs returns the example with the given values, or nil.
func (t *Tool) workedAs(v Values) *worked {
	query := v.Encode()
	for i, x := range t.Examples {
		if Query(x.Query).Encode() == query {
			return t.worked[i]()
		}
	}
	return nil
}

// respond computes the frequency response of a filter over a sweep. It returns nil if a run fails.
func respond(ctx context.Context, t *Tool, body json.RawMessage, result map[string]json.RawMessage,
	over *sweep) *response {
	var center float64
	if json.Unmarshal(result[over.Center], &center) != nil {
		return nil
	}
	r, input := &response{}, objectOf(body)
	for i := range over.Points {
		f := center * math.Pow(10, over.Decades*(2*float64(i)/float64(over.Points-1)-1))
		input[over.Input], _ = json.Marshal(f)
		at, _ := json.Marshal(input)
		raw, err := t.entry.Run(ctx, at)
		if err != nil {
			return nil
		}
		var p struct {
			Gain  *float64 `json:"gain_db_at_freq"`
			Phase *float64 `json:"phase_deg_at_freq"`
		}
		if json.Unmarshal(raw, &p) != nil {
			return nil
		}
		r.Hertz, r.Gain, r.Phase = append(r.Hertz, f), append(r.Gain, p.Gain),
			append(r.Phase, p.Phase)
	}
	return r
}
