package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"slipstick/tools"
	"slipstick/tools/tooltest"
)

func TestEnvelope(t *testing.T) {
	s := start(t, Options{Now: func() time.Time {
		return testTime.In(time.FixedZone("east", 7200))
	}})
	r := s.post(t, "/api/fspl", `{"freq_mhz":915,"dist_km":5}`)
	if r.status != 200 || r.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v %s", r.status, r.header, r.body)
	}
	var fields map[string]json.RawMessage
	r.json(t, &fields)
	want := []string{"chain", "computed_at", "result", "tool", "version"}
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
		t.Errorf("fields %q, want %q", got, want)
	}
	for _, d := range tooltest.Differences([]byte(r.body),
		[]byte(`{"result":{"fspl_db":105.656,"wavelength_m":0.327642,"warnings":[]},
		"tool":"fspl","version":"1.0.0","computed_at":"2026-03-04T05:06:07.890Z","chain":{"feeds":[],"accepts_from":[]}}`)) {
		t.Error(d)
	}
	// The envelope of the response has the same tool, version and time as the envelope of the
	// catalog.
	var e, again tools.Envelope
	r.json(t, &e)
	entry, _ := s.opt.Catalog.Find("fspl")
	b, _ := json.Marshal(entry.Envelope(e.Result, testTime))
	if err := json.Unmarshal(b, &again); err != nil || !e.ComputedAt.Equal(again.ComputedAt) ||
		e.Tool != again.Tool || e.Version != again.Version {
		t.Errorf("%+v is not %+v (%v)", e, again, err)
	}
}

func TestMediaTypes(t *testing.T) {
	s := start(t, Options{})
	for _, ct := range []string{"application/json", "application/json; charset=utf-8",
		"Application/JSON", "application/ld+json", "application/problem+json;x=y"} {
		if r := s.call(t, "POST", "/api/fspl", `{"freq_mhz":1,"dist_km":1}`,
			"Content-Type: "+ct); r.status != 200 {
			t.Errorf("%s: %d %s", ct, r.status, r.body)
		}
	}
	if r := s.post(t, "/api/fspl/", `{"freq_mhz":1,"dist_km":1}`,
		"Content-Encoding: identity"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestRequestID(t *testing.T) {
	s := start(t, Options{})
	made := regexp.MustCompile(`^[0-9a-f]{16}$`)
	seen := map[string]bool{}
	for _, c := range []struct {
		sent string
		kept bool
	}{
		{"", false}, {"", false}, {"abcd-1234.X_y", true}, {"short", false},
		{strings.Repeat("a", 64), true}, {strings.Repeat("a", 65), false},
		{"with space here", false}, {"quote\"quote", false},
	} {
		for _, path := range []string{"/api/fspl", "/nowhere"} {
			headers := []string{}
			if c.sent != "" {
				headers = append(headers, "X-Request-Id: "+c.sent)
			}
			got := s.call(t, "GET", path, "", headers...).header.Get("X-Request-Id")
			if c.kept != (got == c.sent) || !c.kept && (!made.MatchString(got) || seen[got]) {
				t.Errorf("%q became %q", c.sent, got)
			}
			seen[got] = true
			if !strings.Contains(s.log.String(), "request_id="+got) {
				t.Errorf("%q is not in the log", got)
			}
		}
	}
}

func TestAccessLine(t *testing.T) {
	s := start(t, Options{Proxies: Proxies{netip.MustParsePrefix("127.0.0.1/32")}})
	s.post(t, "/api/fspl?key=sl_fedc", `{"freq_mhz":1,"dist_km":1}`)
	s.post(t, "/api/fspl", `{}`, "X-Forwarded-For: 2001:db8:1:2:3::4",
		"X-Api-Key: sl_0123456789abcdef0123456789abcdef01234567")
	s.post(t, "/api/fspl", `{}`, "X-Api-Key: neither")
	log := s.log.String()
	for _, w := range []string{`level=DEBUG msg=request`,
		`method=POST path=/api/fspl status=200 ms=`, `bytes=`, `tool=fspl`,
		`level=INFO msg=request`, `status=400`, `client=127.0.0.1 bytes`,
		`client=2001:db8:1:2::/64 key=sl_012345678 bytes`} {
		if !strings.Contains(log, w) {
			t.Errorf("no %q in %s", w, log)
		}
	}
	for _, secret := range []string{"sl_fedc", "9abcdef0123456789abcdef01234567", "neither"} {
		if strings.Contains(log, secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
}

func TestCORS(t *testing.T) {
	s := start(t, Options{})
	r := s.call(t, "OPTIONS", "/api/fspl", "", "Origin: https://example.org",
		"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type")
	if r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(r.header.Get("Access-Control-Allow-Methods"), "POST") ||
		!strings.Contains(r.header.Get("Access-Control-Allow-Headers"), "Content-Type") {
		t.Errorf("%d %v", r.status, r.header)
	}
	for _, path := range []string{"/api", "/api/fspl", "/api/none"} {
		r := s.call(t, "GET", path, "")
		if r.header.Get("Access-Control-Allow-Origin") != "*" ||
			r.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, r.header)
		}
	}
	if r := s.call(t, "GET", "/healthz", ""); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("/healthz: %v", r.header)
	}
}

func TestInProcess(t *testing.T) {
	s, err := New(Options{Catalog: testCatalog(t)})
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest("POST", "/api/fspl", strings.NewReader(`{"freq_mhz":1,"dist_km":1}`))
	req.Header.Set("Content-Type", "application/json")
	res, err := s.Test(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
}

func TestReservedNames(t *testing.T) {
	for _, name := range []string{"jobs", "docs", "keys"} {
		if _, err := New(Options{Catalog: testCatalog(t, testTool(name, nil, sum))}); err == nil ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("no catalog, no error")
	}
}

// TestNoMixing verifies that a response contains no data of another request, although Fiber reuses
// its buffers.
func TestNoMixing(t *testing.T) {
	s := start(t, Options{Log: slog.New(slog.DiscardHandler)})
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := range 40 {
				n := worker*1000 + i
				id := fmt.Sprintf("request-%d", n)
				good := s.post(t, "/api/sum", fmt.Sprintf(`{"numbers":[%d,0.5]}`, n),
					"X-Request-Id: "+id)
				if want := fmt.Sprintf(`{"result":{"sum":%d.5,"warnings":[]},`, n); good.status !=
					200 || !strings.HasPrefix(good.body, want) ||
					good.header.Get("X-Request-Id") != id {
					t.Errorf("%s: %v %s", id, good.header, good.body)
				}
				bad := s.post(t, fmt.Sprintf("/api/tool_%d", n), "{}", "X-Request-Id: "+id)
				if p := checkProblem(t, bad, 404, "tool-not-found"); p.RequestID != id ||
					!strings.Contains(p.Detail, fmt.Sprintf("%q", fmt.Sprintf("tool_%d", n))) {
					t.Errorf("%s: %s", id, bad.body)
				}
			}
		})
	}
	all.Wait()
}
