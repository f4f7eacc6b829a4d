package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// TestCollectsWhatACallReturns compares the collected values of a run with the JSON of a single
// call, for the examples of all tools except the board tools. It compares numbers, booleans and
// nulls in up to three levels of objects and lists.
func TestCollectsWhatACallReturns(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, e := range all.All() {
		if e.Heavy != nil && e.Heavy.Pool != "spice" {
			continue // boards take seconds
		}
		for _, example := range e.Examples {
			raw, err := e.Run(t.Context(), []byte(example.In))
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			want := map[string]float64{}
			numbersIn(t, "", raw, 3, want)
			var collect []string
			for pointer := range want {
				if pointer == "/"+clockField || strings.Contains(pointer, "/warnings/") {
					delete(want, pointer)
				} else if steps, ok := pointerSteps(pointer); ok {
					if _, fault := resultKind(e.Output, steps); fault == "" &&
						len(collect) < MaxCollected {
						collect = append(collect, pointer)
					}
				}
			}
			if len(collect) == 0 {
				continue
			}
			names, err := json.Marshal(collect)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Parse(fmt.Appendf(nil,
				`{"tool": %q, "mode": "list", "inputs": [%s], "collect": %s}`, e.Name,
				example.In, names))
			if err != nil {
				t.Fatal(e.Name, err)
			}
			p, err := NewPlan(all, r)
			if err != nil {
				t.Fatal(e.Name, err)
			}
			run, err := p.Compute(t.Context(), 0)
			if err != nil || run.Err != "" {
				t.Fatal(e.Name, run.Err, err)
			}
			for i, pointer := range collect {
				compared++
				if got := run.Collected[i]; got != want[pointer] &&
					!(math.IsNaN(got) && math.IsNaN(want[pointer])) {
					t.Errorf("%s, %s: %s is %v, the call has %v", e.Name, example.Title, pointer,
						got, want[pointer])
				}
			}
		}
	}
	if t.Logf("%d values", compared); compared < 1000 {
		t.Errorf("only %d values are compared", compared)
	}
}

// TestCollectsTexts compares the texts in the rows with those of single calls. The rows must keep
// them through the encoding for storage.
func TestCollectsTexts(t *testing.T) {
	const request = `{"tool": "wire_gauge", "input": {"voltage_v": 12, "length_m": 5},
		"vary": [{"field": "/current_a", "values": [1, 10, -1]}], "collect": ["awg", "voltage_drop_pct"]}`
	p, runs := execute(t, request)
	packed, _, err := EncodeRuns(runs)
	if err != nil {
		t.Fatal(err)
	}
	if runs, err = DecodeRuns(packed); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 2 {
		raw, err := p.Tool.Run(t.Context(), p.Input(i))
		if err != nil {
			t.Fatal(err)
		}
		var call struct{ AWG string }
		if err := json.Unmarshal(raw, &call); err != nil || call.AWG == "" {
			t.Fatal(err, string(raw))
		}
		want = append(want, call.AWG)
	}
	var columns struct {
		AWG []*string `json:"awg"`
	}
	if err := json.Unmarshal(p.Columns(Rows{Runs: runs}, 3).Columns, &columns); err != nil {
		t.Fatal(err)
	}
	if len(columns.AWG) != 3 || *columns.AWG[0] != want[0] || *columns.AWG[1] != want[1] ||
		columns.AWG[2] != nil {
		t.Errorf("%v, want %v and null", columns.AWG, want)
	}
	var csv, report strings.Builder
	if err := errors.Join(p.WriteCSV(&csv, Rows{Runs: runs}, true),
		p.WriteReport(&report, runs)); err != nil ||
		!strings.Contains(csv.String(), "\n1,10,"+want[1]+",") ||
		strings.Contains(report.String(), "awg") {
		t.Errorf("%v\n%s\n%s", err, csv.String(), report.String())
	}
}

// TestWriteTable verifies that a table lacks the columns that are empty in every row, and names the
// collected ones.
func TestWriteTable(t *testing.T) {
	p, runs := execute(t, `{"tool": "fspl", "mode": "list", "inputs": [{"freq_mhz": 915, "dist_km": 1}],
		"collect": ["fspl_db", {"name": "none", "pointer": "/warnings/7"}]}`)
	var b strings.Builder
	omitted, err := p.WriteTable(&b, Rows{Runs: runs})
	if err != nil || !slices.Equal(omitted, []string{"none"}) ||
		!strings.HasPrefix(b.String(), "index,fspl_db\n0,91.67") {
		t.Errorf("%v %q\n%s", err, omitted, b.String())
	}
}

// numbersIn adds the numbers, booleans and nulls of a JSON text to want, by their pointers.
func numbersIn(t *testing.T, pointer string, raw json.RawMessage, depth int,
	want map[string]float64) {
	t.Helper()
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	switch raw[0] {
	case '{':
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
		for name, value := range fields {
			if depth > 0 {
				numbersIn(t, pointer+"/"+escape.Replace(name), value, depth-1, want)
			}
		}
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		for i, value := range list[:min(2, len(list))] {
			if depth > 0 {
				numbersIn(t, pointer+"/"+strconv.Itoa(i), value, depth-1, want)
			}
		}
	case '"':
	case 'n':
		want[pointer] = math.NaN()
	case 't':
		want[pointer] = 1
	case 'f':
		want[pointer] = 0
	default:
		x, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			t.Fatal(err)
		}
		want[pointer] = x
	}
}
