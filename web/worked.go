package web

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"time"

	"slipstick/tools"
)

// worked is an example with its answer. It stands in the page, which so shows its first result
// without asking.
type worked struct {
	Request  json.RawMessage `json:"request"`
	Answer   tools.Envelope  `json:"answer"`
	Response *response       `json:"response,omitempty"`
	pictures []string        // modules that draw the result
	long     bool            // too long to stand in the page
}

// response is the curve of a filter's picture over frequency.
type response struct {
	Hertz []float64  `json:"freq_hz"`
	Gain  []*float64 `json:"gain_db_at_freq"`
	Phase []*float64 `json:"phase_deg_at_freq"`
}

// longest is how long a result in a page may be; one that is longer is asked for when the page is
// there. Nearly all have less than 6,000 bytes, fields of temperatures more than 50,000.
const longest = 16 << 10

// workedExamples are the examples of a tool with their answers; each is computed when it is first
// asked for. Those of heavy tools are nil.
func (s *Site) workedExamples(t *Tool) (examples []func() *worked) {
	for _, x := range t.Examples {
		examples = append(examples, sync.OnceValue(func() *worked { return s.work(t, Query(x.Query)) }))
	}
	return examples
}

func (s *Site) work(t *Tool, v Values) *worked {
	v.pairsToRows(t.Input)
	body, mistakes := s.Body(t, v)
	if t.Heavy || len(mistakes) > 0 {
		return nil
	}
	ctx := context.Background() // an example is quick, and is computed for all who come
	raw, err := t.entry.Run(ctx, body)
	if err != nil {
		return nil
	}
	w := &worked{Request: body, Answer: t.entry.Envelope(raw, time.Now()), pictures: picturesOf(t, objectOf(raw)), long: len(raw) > longest}
	if slices.Contains(w.pictures, "picture_bode") {
		w.Response = respond(ctx, t, body, objectOf(raw))
	}
	return w
}

// workedAs is the example that the values are, nil when they are none.
func (t *Tool) workedAs(v Values) *worked {
	query := v.Encode()
	for i, x := range t.Examples {
		if Query(x.Query).Encode() == query {
			return t.worked[i]()
		}
	}
	return nil
}

// picturesOf are the modules that draw a result, as pictures.js chooses them. Here it decides only
// what a page fetches ahead.
func picturesOf(t *Tool, result map[string]json.RawMessage) (modules []string) {
	number := func(name string) (v float64, ok bool) {
		raw := result[name]
		return v, len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, &v) == nil
	}
	positive := func(name string) bool { v, _ := number(name); return v > 0 }
	has := func(fields []Field, name string) bool {
		return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
	}
	if _, ok := number("resistance_ohm"); ok && len(result["bands"]) > 0 && result["bands"][0] == '[' {
		modules = append(modules, "picture_bands")
	}
	if positive("t_high_s") || positive("pulse_s") {
		modules = append(modules, "picture_timing")
	}
	if result["gain_db_at_freq"] != nil && has(t.Input, "freq_hz") && positive("cutoff_hz") {
		modules = append(modules, "picture_bode")
	}
	if v := string(result["vectors"]); v != "" && v != "null" {
		modules = append(modules, "picture_vectors")
	}
	for _, f := range t.Output {
		switch {
		case f.Kind == Group && objectOf(result[f.Name])["x_mm"] != nil && slices.ContainsFunc(f.Fields, func(c Field) bool { return c.Kind == Grid }):
			modules = append(modules, "picture_field")
		case f.Kind == Rows && !has(t.Input, f.Name) && isCurve(f, result[f.Name]):
			modules = append(modules, "picture_curve")
		}
	}
	return modules
}

// isCurve tells whether a list of objects reads as curves over its first column of numbers, which
// rises, as curveOf in pictures.js has it.
func isCurve(f Field, raw json.RawMessage) bool {
	var rows []map[string]json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || len(rows) < 3 {
		return false
	}
	columns := 0
	for _, c := range f.Fields {
		values := make([]float64, len(rows))
		if c.Kind != Quantity || slices.ContainsFunc(rows, func(r map[string]json.RawMessage) bool { return r[c.Name] == nil || string(r[c.Name]) == "null" }) {
			continue
		}
		for i, r := range rows {
			if json.Unmarshal(r[c.Name], &values[i]) != nil {
				return false
			}
		}
		for i := 1; columns == 0 && i < len(values); i++ {
			if values[i] <= values[i-1] {
				return false
			}
		}
		columns++
	}
	return columns > 1
}

// respond computes a filter over two decades to each side of its cutoff, as picture_bode.js has it.
func respond(ctx context.Context, t *Tool, body json.RawMessage, result map[string]json.RawMessage) *response {
	const points = 81
	var cutoff float64
	if json.Unmarshal(result["cutoff_hz"], &cutoff) != nil {
		return nil
	}
	r, input := &response{}, objectOf(body)
	for i := range points {
		f := cutoff * math.Pow(10, -2+4*float64(i)/(points-1))
		input["freq_hz"], _ = json.Marshal(f)
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
		r.Hertz, r.Gain, r.Phase = append(r.Hertz, f), append(r.Gain, p.Gain), append(r.Phase, p.Phase)
	}
	return r
}
