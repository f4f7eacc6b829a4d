package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"slipstick/keys"
	"slipstick/tools/catalog"
	"slipstick/tools/rf"
	"slipstick/worker"
)

func TestAcceptedFile(t *testing.T) {
	for accept, want := range map[string]string{
		"":                                  "",
		"*/*":                               "",
		"application/json":                  "",
		"text/csv":                          "csv",
		"TEXT/CSV; charset=utf-8":           "csv",
		"text/csv, application/json":        "",
		"text/csv, */*;q=0.1":               "csv",
		"text/csv;q=0.5, */*":               "",
		"text/csv;q=0":                      "",
		"text/html, */*;q=0.8":              "",
		"application/vnd.slipstick.columns": "binary",
		"application/vnd.slipstick.columns, text/csv;q=0.9":  "binary",
		"application/vnd.slipstick.columns;q=0.2, text/csv ": "csv",
		",;q=,": "",
	} {
		got := ""
		if f := acceptedFile(accept, rf.SpiceSimulate); f != nil {
			got = f.Format
		}
		if got != want {
			t.Errorf("%q: %q instead of %q", accept, got, want)
		}
	}
}

// TestFiles verifies that a client that requests CSV or the binary format receives the file that
// the JSON contains.
func TestFiles(t *testing.T) {
	s := startReal(t, Options{}, worker.Budgets{})
	const small = `"netlist":"t\nV1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 100n\n.tran 1u 5m\n.end"`
	large := strings.Replace(small, ".tran 1u 5m", ".tran 1u 200m", 1)
	for _, netlist := range []string{small, large} {
		for i, f := range rf.SpiceSimulate.Files {
			var want struct {
				Result struct{ CSV, Binary string }
			}
			s.post(t, "/api/spice_simulate", `{`+netlist+`,"format":"`+f.Format+`"}`).json(t, &want)
			r := s.post(t, "/api/spice_simulate", `{`+netlist+`}`, "Accept: "+f.MediaType)
			raw, err := json.Marshal(map[string]string{f.Format: want.Result.CSV +
				want.Result.Binary})
			if err != nil {
				t.Fatal(err)
			}
			file, err := fileIn(raw, &f)
			if err != nil || r.status != 200 || len(file) < 1000 || r.body != string(file) {
				t.Errorf("%s: %v, %d, %d bytes instead of %d", f.Format, err, r.status,
					len(r.body), len(file))
			}
			if !strings.HasPrefix(r.header.Get("Content-Type"), f.MediaType) ||
				r.header.Get("Vary") == "" {
				t.Errorf("%s: %v", f.Format, r.header)
			}
			job, relation, _ := strings.Cut(r.header.Get("Link"), ">; ")
			if relation != `rel="describedby"` {
				t.Fatalf("Link: %s", r.header.Get("Link"))
			}
			job = strings.TrimPrefix(job, "<")
			if again := s.call(t, "GET", job, "", "Accept: "+f.MediaType); again.body != r.body {
				t.Errorf("GET %s: %d, %d bytes", f.Format, again.status, len(again.body))
			}
			packed := s.call(t, "GET", job, "", "Accept: "+f.MediaType, "Accept-Encoding: gzip")
			if (packed.header.Get("Content-Encoding") == "gzip") == f.Base64 ||
				decoded(t, packed) != r.body {
				t.Errorf("%s in gzip: %v", f.Format, packed.header)
			}
			other := rf.SpiceSimulate.Files[(i+1)%len(rf.SpiceSimulate.Files)].MediaType
			checkProblem(t, s.call(t, "GET", job, "", "Accept: "+other), 406, "not-acceptable")
			either := s.call(t, "GET", job, "", "Accept: "+other+", */*;q=0.1")
			if !strings.Contains(either.body, `"state":"done"`) {
				t.Errorf("GET as %s or anything: %.200s", other, either.body)
			}
			if plain := s.call(t, "GET", job, ""); !strings.Contains(plain.body, `"state":"done"`) {
				t.Errorf("GET as JSON: %.200s", plain.body)
			}
		}
		r := s.post(t, "/api/spice_simulate", `{`+netlist+`,"format":"binary"}`, "Accept: text/csv")
		checkProblem(t, r, 400, "invalid-input")
	}
	checkProblem(t, s.post(t, "/api/spice_simulate", `{"netlist":"x"}`, "Accept: text/csv"), 400,
		"invalid-input")
	if r := s.post(t, "/api/spice_simulate?table=nope", `{"netlist":"x"}`,
		"Accept: text/csv"); r.status != 400 || !strings.Contains(r.body, "has no tables") {
		t.Errorf("table: %d %s", r.status, r.body)
	}
	checkProblem(t, s.post(t, "/api/spice_simulate", `[]`, "Accept: text/csv"), 400,
		"invalid-input")
	if r := s.post(t, "/api/fspl", `{"freq_mhz":1,"dist_km":1}`,
		"Accept: text/csv"); r.status != 200 {
		t.Errorf("a tool without files: %d", r.status)
	}
	eventually(t, func() bool { return s.opt.Reads.Held() == 0 })
}

// FuzzFileIn verifies that fileIn returns the decoded first member of a JSON result if the member
// has the name of the format, and otherwise nil.
func FuzzFileIn(f *testing.F) {
	f.Add(`{"csv":"a,b\n1,2\n","vectors":{}}`)
	f.Add(`{"csv":"a\u00e9\"\\"}`)
	f.Add(`{"binary":"AAEC","vectors":{}}`)
	f.Add(`{"binary":"A"}`)
	f.Add(`{"csv":"\\`)
	f.Fuzz(func(t *testing.T, result string) {
		for _, file := range rf.SpiceSimulate.Files {
			got, err := fileIn([]byte(result), &file)
			starts := strings.HasPrefix(result, `{"`+file.Format+`":"`)
			if !starts && (got != nil || err != nil) {
				t.Fatalf("%q: %q, %v", result, got, err)
			}
			dec := json.NewDecoder(strings.NewReader(result))
			dec.Token() // {
			dec.Token() // the name
			value, _ := dec.Token()
			text, ok := value.(string)
			if !starts || !ok || !json.Valid([]byte(result)) {
				continue
			}
			want, fault := []byte(text), error(nil)
			if file.Base64 {
				want, fault = base64.StdEncoding.DecodeString(text)
			}
			if (err != nil) != (fault != nil) || err == nil && !bytes.Equal(got, want) {
				t.Fatalf("%q: %q, %v; want %q, %v", result, got, err, want, fault)
			}
		}
	})
}

// TestMaxComponents verifies that each tier has its own limit of circuit components, even if a
// caller of another tier has requested the same circuit.
func TestMaxComponents(t *testing.T) {
	q := &fakeQuota{limit: 100}
	s := startReal(t, Options{Quota: q, MaxComponents: func(tier keys.Tier) int {
		if tier.Paid() {
			return 400
		}
		return 0
	}}, worker.Budgets{})
	body := func(resistors int, more string) string {
		var b strings.Builder
		b.WriteString(`{"netlist":"t\\nV1 n0 0 1\\n`)
		for i := 1; i < resistors; i++ {
			fmt.Fprintf(&b, `R%d n%d n%d 1k\\n`, i, i-1, i)
		}
		fmt.Fprintf(&b, `R0 n%d 0 1k\\n.op\\n.end"%s}`, resistors-1, more)
		return b.String()
	}
	for _, c := range []struct {
		name, key, more string
		resistors, want int
		detail          string
	}{
		{"the default", "good", "", 149, 200, ""},
		{"above the default", "good", "", 150, 400, "more than 150 elements"},
		{"a paid key", "paid", "", 399, 200, ""},
		{"above the limit of a paid key", "paid", "", 400, 400, "more than 400 elements"},
		{"an equal request of another tier", "good", "", 399, 400, "more than 150 elements"},
		{"the field of another tier", "good", `,"max_components":400`, 399, 400,
			"max_components: must be at most 150"},
		{"a smaller limit", "paid", `,"max_components":100`, 100, 400, "more than 100 elements"},
		{"beyond the engine", "paid", `,"max_components":2001`, 10, 400, "max_components"},
	} {
		r := s.post(t, "/api/spice_simulate", body(c.resistors, c.more), "X-Api-Key: "+c.key)
		if r.status != c.want || !strings.Contains(r.body, c.detail) {
			t.Errorf("%s: %d %.300s", c.name, r.status, r.body)
		}
	}
}

// TestTableCSV verifies that a client that prefers CSV gets a table of the result of a synchronous
// tool, and its warnings in a header.
func TestTableCSV(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Catalog: all})
	const loan = `{"principal":1000,"annual_rate_pct":6,"term_years":1,"é":1}`
	r := s.post(t, "/api/loan_amortization", loan, "Accept: text/csv")
	head, rows, _ := strings.Cut(r.body, "\n")
	if r.status != 200 || head != "period,date,payment,interest,principal,extra,balance" ||
		strings.Count(rows, "\n") != 12 ||
		r.header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		!strings.Contains(r.header.Get("Vary"), "Accept") ||
		r.header.Get("Slipstick-Warnings") != `["unknown field \"\u00e9\" was ignored"]` {
		t.Errorf("%d %v\n%s", r.status, r.header, r.body)
	}
	r = s.post(t, "/api/fspl", `{"freq_mhz":915,"dist_km":5}`, "Accept: TEXT/CSV, */*;q=0.1")
	if !strings.HasPrefix(r.body, "fspl_db,wavelength_m,path_loss_db") ||
		r.header.Get("Slipstick-Warnings") != "" {
		t.Errorf("%v\n%s", r.header, r.body)
	}
	r = s.post(t, "/api/loan_amortization?table=schedule", loan, "Accept: text/csv")
	if !strings.HasPrefix(r.body, head) {
		t.Errorf("%s", r.body)
	}
	r = s.post(t, "/api/fspl?table=x", `{"freq_mhz":1,"dist_km":1}`, "Accept: text/csv")
	if r.status != 400 || !strings.Contains(r.body, "this result has no table") {
		t.Errorf("no table: %d %s", r.status, r.body)
	}
	checkProblem(t, s.post(t, "/api/loan_amortization?table=x", loan, "Accept: text/csv"), 400,
		"invalid-input")
	r = s.post(t, "/api/loan_amortization", loan, "Accept: text/csv, application/json")
	if !strings.HasPrefix(r.body, "{") {
		t.Errorf("%s", r.body)
	}
}
