package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// simulation returns a result with a transient of n points, a Bode plot of 3 points and an
// operating point.
func simulation(n int) json.RawMessage {
	var times, volts []string
	for i := range n {
		times = append(times, strconv.FormatFloat(float64(i)*1e-6, 'g', -1, 64))
		v := math.Sin(float64(i) / 50)
		if i == n/2 {
			v = 7.25
		}
		volts = append(volts, strconv.FormatFloat(v, 'g', 6, 64))
	}
	return json.RawMessage(`{"vectors":{"time":[` + strings.Join(times, ",") + `],"v(a,b)":[` +
		strings.Join(volts, ",") +
		`],"v(out)":[` + strings.Join(volts, ",") +
		`]},"analysis_type":"tran","nets":[{"name":"GND"},{"name":"VCC"}],` +
		`"analyses":[{"card":".ac dec 1 1 100","analysis_type":"ac","vectors":{"frequency":[1,10,1e2],` +
		`"v(out)_mag":[1.0,0.70,0.100],"v(out)_phase_deg":[0,-45,-84]}},` +
		`{"card":".op","analysis_type":"op","vectors":{"v(out)":[2.50],"i(v1)":[-1e-3]}}],"warnings":["one"]}`)
}

// selected is the decoded response to a query of vectors.
type selected struct {
	Points, Of int
	Remark     string
	Sweep      string
	Vectors    map[string][]json.Number
	Analyses   []selected
}

// TestVectors verifies that each parameter selects its points, and that numbers keep the digits of
// the result. It also verifies that decimated vectors keep their extremes and have a remark.
func TestVectors(t *testing.T) {
	raw := simulation(3000)
	read := func(path, query string) (out selected) {
		t.Helper()
		steps, q, err := ReadPart(path, query)
		if err != nil {
			t.Fatal(err)
		}
		part, err := Select(nil, raw, steps, q, "slipstick://jobs/j")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(part, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	one := read("", "vectors=V(A,B)&from=1e-3&to=0.0011")
	if len(one.Vectors) != 2 || one.Points != 101 || one.Of != 101 ||
		one.Vectors["time"][0] != "0.001" ||
		len(one.Vectors["v(a,b)"]) != 101 || one.Remark != "" || one.Analyses != nil {
		t.Errorf("%+v", one)
	}
	thin := read("vectors", "vectors=v(out)&points=50")
	if thin.Of != 3000 || thin.Points > 50 || thin.Points < 20 ||
		!slices.Contains(thin.Vectors["v(out)"], "7.25") ||
		!strings.Contains(thin.Remark, "of 3000 points") ||
		len(thin.Vectors["time"]) != thin.Points {
		t.Errorf("%+v", thin)
	}
	all := read("", "vectors=v(out)&points=10")
	if len(all.Analyses) != 2 || fmt.Sprint(all.Analyses[0].Vectors["v(out)_mag"]) !=
		"[1.0 0.70 0.100]" ||
		len(all.Analyses[0].Vectors) != 3 || all.Analyses[1].Vectors["v(out)"][0] != "2.50" {
		t.Errorf("%+v", all.Analyses)
	}
	ac := read("analyses/0/vectors", "from=5&to=50")
	if ac.Sweep != "frequency" || fmt.Sprint(ac.Vectors["frequency"]) != "[10]" {
		t.Errorf("%+v", ac)
	}
	if out := read("", "vectors=i%28v1%29"); out.Analyses[0].Vectors["i(v1)"][0] != "-1e-3" {
		t.Errorf("%+v", out)
	}
}

// TestSizes verifies that no response exceeds MaxBytes unless the query requests the complete
// result.
func TestSizes(t *testing.T) {
	raw := simulation(60_000)
	for path, query := range map[string]string{"": "", "vectors": "", "analyses/0": "",
		"nets/1/name": "", "vectors ": "points=50000"} {
		steps, q, err := ReadPart(strings.TrimSpace(path), query)
		if err != nil {
			t.Fatal(err)
		}
		part, err := Select(nil, raw, steps, q, "slipstick://jobs/j")
		if err != nil || len(part) > MaxBytes || !json.Valid(part) {
			t.Errorf("%s?%s: %d bytes, %v", path, query, len(part), err)
		}
		if path == "" && !strings.Contains(string(part), `"warnings":["one","vectors: `) {
			t.Errorf("no remark: %s", part[len(part)-300:])
		}
		if path == "vectors" && !strings.Contains(string(part), "of 60000 points") {
			t.Error("no remark on the points")
		}
		if path == "nets/1/name" && string(part) != `"VCC"` {
			t.Errorf("%s", part)
		}
	}
	part, err := Select(nil, raw, nil, Query{Whole: true}, "")
	if err != nil || string(part) != string(raw) {
		t.Errorf("%d of %d bytes, %v", len(part), len(raw), err)
	}
	var invalid *QueryError
	if _, err := Select(nil, raw, []string{"vectors", "time"}, Query{}, ""); !errors.As(err,
		&invalid) || invalid.Parameter != "whole" {
		t.Errorf("a vector of 600 kB: %v", err)
	}
}

// TestQueryErrors verifies that each error contains the parameter, its value and the allowed
// values.
func TestQueryErrors(t *testing.T) {
	raw := simulation(100)
	for query, want := range map[string]string{
		"points=1":            `points: must be a whole number from 2 to 1000000, got "1"`,
		"points=x":            `got "x"`,
		"points=1000001":      "points: must be",
		"from=abc":            `from: must be a number in the unit of the sweep such as 1e-3, got "abc"`,
		"to=NaN":              "to: must be a number",
		"from=Inf":            "from: must be a number",
		"from=2&to=1":         "from: must be at most to (1), got 2",
		"whole=yes":           `whole: must be true or false, got "yes"`,
		"color=red":           "color: unknown; the parameters are vectors, from, to, points, whole",
		"points=5&points=6":   "points: must be given once",
		"vectors=v(x)":        `vectors: unknown "v(x)"; the vectors are i(v1), v(a,b), v(out)`,
		"from=1000&to=1001":   "no point is in the range at 1000; the result has time from 0 to",
		"a=%zz":               "query: is not well formed",
		"vectors=" + longName: "unknown",
	} {
		_, q, err := ReadPart("", query)
		if err == nil {
			_, err = Select(nil, raw, nil, q, "")
		}
		var invalid *QueryError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), want) ||
			len(err.Error()) > 400 {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, path := range []string{"no", "nets/2", "nets/-1", "nets/x", "analysis_type/0",
		"vectors/v(out)/0/0"} {
		if _, err := Select(nil, raw, strings.Split(path, "/"), Query{}, ""); !errors.Is(err,
			ErrNoPart) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Select(nil, raw, []string{"nets"}, Query{Points: 5}, ""); err == nil ||
		!strings.Contains(err.Error(), "no vectors") {
		t.Errorf("nets: %v", err)
	}
}

var longName = strings.Repeat("x", 5000)

// FuzzSelect verifies that no path or query causes a panic, and that each part is valid JSON of at
// most MaxBytes.
func FuzzSelect(f *testing.F) {
	f.Add("vectors/v(out)", "points=3&from=0")
	f.Add("analyses/0/vectors", "vectors=v(out)&to=1e-3")
	f.Add("plot.png", "vectors=%28")
	raw := simulation(200)
	f.Fuzz(func(t *testing.T, path, query string) {
		steps, q, err := ReadPart(path, query)
		if err != nil {
			return
		}
		if _, err := url.PathUnescape(path); err != nil {
			t.Fatalf("%q is read", path)
		}
		part, err := Select(nil, raw, steps, q, "")
		if err == nil && (!json.Valid(part) || len(part) > MaxBytes) {
			t.Fatalf("%d bytes: %.200s", len(part), part)
		}
	})
}
