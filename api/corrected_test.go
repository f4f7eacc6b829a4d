package api

import (
	"encoding/json"
	"strings"
	"testing"

	"slipstick/tools/catalog"
)

// TestCorrectedBody verifies that REST does not convert strings to numbers, and that the problem
// contains the corrected body.
func TestCorrectedBody(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Catalog: c})
	for body, want := range map[string]string{
		`{"freq_mhz":"915 MHz","dist_km":"5000 m"}`: `{"dist_km":5,"freq_mhz":915}`,
		`{"input":{"freq_mhz":915,"dist_km":5}}`:    `{"dist_km":5,"freq_mhz":915}`,
		`{"freq_mhz":915,"distance":5,"colour":1}`:  `{"dist_km":5,"freq_mhz":915}`,
		`{"freq_mhz":-915,"dist_km":5}`:             `{"dist_km":5,"freq_mhz":915}`,
		`{"freq_mhz":"loud","dist_km":5}`:           "",
		`{`:                                         "",
		`{"freq_mhz":1,"dist_km":"` + strings.Repeat("5", 300<<10) + `"}`: "",
	} {
		r := s.post(t, "/api/fspl", body)
		var p Problem
		if err := json.Unmarshal([]byte(r.body), &p); err != nil || r.status != 400 {
			t.Fatalf("%d %v %.200s", r.status, err, r.body)
		}
		if string(p.Corrected) != want || (want != "") != (len(p.Changes) > 0) {
			t.Errorf("%.60s: %s %q", body, p.Corrected, p.Changes)
		}
		if want != "" {
			if again := s.post(t, "/api/fspl", want); again.status != 200 {
				t.Errorf("%s: %d %s", want, again.status, again.body)
			}
		}
	}
}
